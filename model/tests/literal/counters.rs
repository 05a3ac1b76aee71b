//! Section 9.1: counters.

use super::state::*;
use super::*;
use std::collections::BTreeMap;

const OF_VCS: [&str; 8] = [
    "rx_packets",
    "rx_flits",
    "tx_packets",
    "tx_flits",
    "dropped_packets",
    "credit_stalls",
    "output_stalls",
    "lookup_stalls",
];
const OF_PORTS: [&str; 6] =
    ["lookup_hits", "lookup_misses", "merged_misses", "cache_fills", "cache_evictions", "multicast_packets"];
const OF_SWITCH: [&str; 4] = ["table_hits", "table_misses", "cam_requests", "cam_stalls"];

/// A 0 for each counter.
pub fn no_events(shape: &Shape) -> BTreeMap<&'static str, Vec<u32>> {
    let of = |names: &[&'static str], count: usize| {
        names.iter().map(move |&name| (name, vec![0; count])).collect::<Vec<_>>()
    };
    let groups = [of(&OF_VCS, shape.ports * shape.vcs), of(&OF_PORTS, shape.ports), of(&OF_SWITCH, 1)];
    groups.into_iter().flatten().collect()
}

impl Literal {
    /// The events of this cycle; those of the one before go into the counters.
    pub fn count(&mut self, old: &Literal, pins: &Inputs, wires: &Wires) {
        let (n, k) = (old.shape.ports, old.shape.vcs);
        if old.shape.counter_bits.is_none() {
            return;
        }
        self.counters = old.add_events(&old.counters);
        self.events = no_events(&old.shape);
        let mut happens = |name: &'static str, at: usize, happens: bool| {
            self.events.get_mut(name).expect("a counter")[at] = happens as u32;
        };
        for e in 0..n * k {
            let (p, v) = (e / k, e % k);
            let leaves = old.out.tx_valid >> p & 1 == 1 && old.out.tx_vc[p] as usize == v;
            happens("rx_packets", e, wires.arrivals[p].is_some_and(|arrival| arrival.v == v));
            happens("rx_flits", e, wires.stored[e]);
            happens("tx_packets", e, leaves && old.out.tx_tail >> p & 1 == 1);
            happens("tx_flits", e, leaves);
            happens("dropped_packets", e, old.out.drop_valid.get(e));
            happens("credit_stalls", e, wires.without_room[e]);
            let is_mixed = old.shape.multicast.is_some_and(|built| built.vc == v);
            let unicast = wires.with_room[e] && !wires.taken[e];
            happens("output_stalls", e, unicast || is_mixed && wires.multicast_stalls[p]);
            happens("lookup_stalls", e, old.vcs[e].head == Some(PENDING));
        }
        for p in 0..n {
            happens("lookup_hits", p, wires.hit[p]);
            happens("lookup_misses", p, wires.miss[p]);
            happens("merged_misses", p, wires.merged[p]);
            happens("cache_fills", p, wires.filled[p]);
            happens("cache_evictions", p, wires.evicted[p]);
            happens("multicast_packets", p, wires.started[p]);
        }
        happens("table_hits", 0, wires.looked_up == Some(true));
        happens("table_misses", 0, wires.looked_up == Some(false));
        happens("cam_requests", 0, old.out.cam_request_valid && pins.cam_request_ready);
        happens("cam_stalls", 0, old.out.cam_request_valid && !pins.cam_request_ready);
        self.outstanding = old.ports.iter().map(|p| p.slots.iter().filter(|slot| slot.valid).count() as u32).collect();
    }

    /// What counters are in the next cycle that are `from` in this one.
    fn add_events(&self, from: &BTreeMap<&'static str, Vec<u32>>) -> BTreeMap<&'static str, Vec<u32>> {
        let modulus = 1u64 << self.shape.counter_bits.expect("counters");
        let mut sum = from.clone();
        for (name, counters) in &mut sum {
            for (counter, event) in counters.iter_mut().zip(&self.events[name]) {
                *counter = ((*counter as u64 + *event as u64) % modulus) as u32;
            }
        }
        sum
    }

    /// A legal write to `counters`.
    pub fn command_counters(&mut self, old: &Literal, value: u32) {
        if value & 1 == 1 {
            let modulus = 1u64 << old.shape.counter_bits.expect("counters");
            for (register, values) in &mut self.registers {
                if let Some(counters) = old.counters.get(register.name) {
                    values.clone_from(counters);
                } else if register.name == "outstanding_misses" {
                    *values = old.outstanding.iter().map(|count| (*count as u64 % modulus) as u32).collect();
                }
            }
        }
        if value & 2 == 2 {
            self.counters = old.add_events(&no_events(&old.shape));
        }
    }
}

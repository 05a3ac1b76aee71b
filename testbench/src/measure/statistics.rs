//! Counters of a run, and what follows from them.

use super::Latencies;
use crate::check::packets_leave;
use crate::traffic::Packet;
use railyard_model::Outputs;

/// What was seen at the pins since the last [`Statistics::restart`].
#[derive(Clone, Debug, Default)]
pub struct Statistics {
    ports: u64,
    vcs: usize,
    cycles: u64,
    /// Flits of packets that left.
    flits: u64,
    hits: u64,
    misses: u64,
    /// From the cycle in which a source had a packet to the cycle with its tail at `tx_*`.
    pub latencies: Latencies,
    /// Value of the stimulus' count at the last restart.
    offered_before: u64,
}

impl Statistics {
    /// Nothing seen, at so many ports with so many VCs that carry packets.
    pub fn new(ports: usize, vcs: usize) -> Statistics {
        Statistics { ports: ports as u64, vcs, ..Statistics::default() }
    }

    /// Forgets what was seen so far: the warm-up is over. `offered` is the number of flits offered so far.
    pub fn restart(&mut self, offered: u64) {
        *self = Statistics { offered_before: offered, ..Statistics::new(self.ports as usize, self.vcs) };
    }

    /// Looks at the outputs of a cycle.
    #[inline]
    pub fn watch(&mut self, outputs: &Outputs) {
        self.cycles += 1;
        self.flits += u64::from(packets_leave(outputs, self.vcs).count_ones());
        if outputs.lookup_hit | outputs.lookup_miss != 0 {
            self.hits += u64::from(outputs.lookup_hit.count_ones());
            self.misses += u64::from(outputs.lookup_miss.count_ones());
        }
    }

    /// A packet's tail is at `tx_*`.
    #[inline]
    pub fn deliver(&mut self, packet: &Packet, cycle: u64) {
        self.latencies.add(cycle - packet.generated);
    }

    /// Flits that sources had, for each port and cycle; `offered` is their number since the start of the run.
    pub fn offered_load(&self, offered: u64) -> f64 {
        self.per_port_cycle(offered - self.offered_before)
    }

    /// Flits that left, for each port and cycle.
    pub fn accepted_load(&self) -> f64 {
        self.per_port_cycle(self.flits)
    }

    /// Share of the lookups that the cache answered; none without lookups.
    pub fn hit_rate(&self) -> Option<f64> {
        let lookups = self.hits + self.misses;
        (lookups > 0).then(|| self.hits as f64 / lookups as f64)
    }

    fn per_port_cycle(&self, flits: u64) -> f64 {
        flits as f64 / (self.cycles * self.ports).max(1) as f64
    }
}

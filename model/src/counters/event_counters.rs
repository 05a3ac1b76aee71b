//! Event counters: what software reads of a switch's traffic. (The model's own statistics are [`crate::PortCounters`].)
//!
//! An event is counted two cycles later, and everything happens at most once in a cycle in each counter, so that the
//! events of a cycle are masks. Source: switch reference, section 9.1.

use crate::bits::{ones, MAX_PORTS, MAX_VCS};
use railyard_spec::registers::Register;
use railyard_spec::Shape;

/// Counters of ports and VCs.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[allow(missing_docs)] // the counters' meaning: switch reference, section 9.1
pub enum VcEvent {
    RxPackets,
    RxFlits,
    TxPackets,
    TxFlits,
    DroppedPackets,
    CreditStalls,
    OutputStalls,
    LookupStalls,
}

/// Counters of ports.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[allow(missing_docs)]
pub enum PortEvent {
    LookupHits,
    LookupMisses,
    MergedMisses,
    CacheFills,
    CacheEvictions,
    MulticastPackets,
    TxMessages,
    RxMessages,
    BadMessages,
}

/// Counters of the whole switch.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[allow(missing_docs)]
pub enum SwitchEvent {
    TableHits,
    TableMisses,
    CamRequests,
    CamStalls,
}

/// An event of any kind.
enum Event {
    Vc(VcEvent),
    Port(PortEvent),
    Switch(SwitchEvent),
}

/// The event that a register counts; none of the register that shows a level.
fn event(register: &str) -> Option<Event> {
    Some(match register {
        "rx_packets" => Event::Vc(VcEvent::RxPackets),
        "rx_flits" => Event::Vc(VcEvent::RxFlits),
        "tx_packets" => Event::Vc(VcEvent::TxPackets),
        "tx_flits" => Event::Vc(VcEvent::TxFlits),
        "dropped_packets" => Event::Vc(VcEvent::DroppedPackets),
        "credit_stalls" => Event::Vc(VcEvent::CreditStalls),
        "output_stalls" => Event::Vc(VcEvent::OutputStalls),
        "lookup_stalls" => Event::Vc(VcEvent::LookupStalls),
        "lookup_hits" => Event::Port(PortEvent::LookupHits),
        "lookup_misses" => Event::Port(PortEvent::LookupMisses),
        "merged_misses" => Event::Port(PortEvent::MergedMisses),
        "cache_fills" => Event::Port(PortEvent::CacheFills),
        "cache_evictions" => Event::Port(PortEvent::CacheEvictions),
        "multicast_packets" => Event::Port(PortEvent::MulticastPackets),
        "tx_messages" => Event::Port(PortEvent::TxMessages),
        "rx_messages" => Event::Port(PortEvent::RxMessages),
        "bad_messages" => Event::Port(PortEvent::BadMessages),
        "table_hits" => Event::Switch(SwitchEvent::TableHits),
        "table_misses" => Event::Switch(SwitchEvent::TableMisses),
        "cam_requests" => Event::Switch(SwitchEvent::CamRequests),
        "cam_stalls" => Event::Switch(SwitchEvent::CamStalls),
        "outstanding_misses" => return None,
        name => unreachable!("no counter {name}"),
    })
}

const VC_EVENTS: usize = 8;
const PORT_EVENTS: usize = 9;
const SWITCH_EVENTS: usize = 4;

/// The events of a cycle.
#[derive(Clone, Debug, Default)]
struct Events {
    /// Of each kind and VC, the ports where it happened.
    of_vcs: [[u64; MAX_VCS]; VC_EVENTS],
    /// Of each kind, the ports where it happened.
    of_ports: [u64; PORT_EVENTS],
    /// The kinds that happened.
    of_switch: u8,
}

/// The counters of a switch.
#[derive(Clone, Debug)]
pub struct EventCounters {
    vcs: usize,
    mask: u32,
    /// Events of this cycle and of the one before.
    now: Events,
    before: Events,
    /// Of each kind, at `p * k + v`, at `p`, and alone.
    of_vcs: [Vec<u32>; VC_EVENTS],
    of_ports: [Vec<u32>; PORT_EVENTS],
    of_switch: [u32; SWITCH_EVENTS],
    /// Of each port, the valid miss slots of this cycle and of the one before.
    misses: [[u8; MAX_PORTS]; 2],
}

impl EventCounters {
    /// The counters of a switch of that shape, if it has any.
    pub fn new(shape: &Shape) -> Option<Self> {
        let bits = shape.counter_bits?;
        Some(EventCounters {
            vcs: shape.vcs,
            mask: !0 >> (32 - bits),
            now: Events::default(),
            before: Events::default(),
            of_vcs: std::array::from_fn(|_| vec![0; shape.ports * shape.vcs]),
            of_ports: std::array::from_fn(|_| vec![0; shape.ports]),
            of_switch: [0; SWITCH_EVENTS],
            misses: [[0; MAX_PORTS]; 2],
        })
    }

    /// It happens in this cycle on VC `vc` at `ports`.
    #[inline]
    pub fn vc_event(&mut self, event: VcEvent, vc: usize, ports: u64) {
        self.now.of_vcs[event as usize][vc] |= ports;
    }

    /// It does not happen in this cycle on VC `vc` at `ports`, after all.
    #[inline]
    pub fn no_vc_event(&mut self, event: VcEvent, vc: usize, ports: u64) {
        self.now.of_vcs[event as usize][vc] &= !ports;
    }

    /// It happens in this cycle at `port`.
    #[inline]
    pub fn port_event(&mut self, event: PortEvent, port: usize) {
        self.now.of_ports[event as usize] |= 1 << port;
    }

    /// It happens in this cycle at `ports`.
    #[inline]
    pub fn port_events(&mut self, event: PortEvent, ports: u64) {
        self.now.of_ports[event as usize] |= ports;
    }

    /// It happens in this cycle.
    #[inline]
    pub fn switch_event(&mut self, event: SwitchEvent) {
        self.now.of_switch |= 1 << event as u32;
    }

    /// The value in this cycle of the counter that a register shows, at its entry.
    pub fn value(&self, register: &Register, entry: usize) -> u32 {
        let value = match event(register.name) {
            Some(Event::Vc(event)) => self.of_vcs[event as usize][entry],
            Some(Event::Port(event)) => self.of_ports[event as usize][entry],
            Some(Event::Switch(event)) => self.of_switch[event as usize],
            None => self.misses[1][entry] as u32,
        };
        value & self.mask
    }

    /// The largest number of events that a counter of a register has counted since it was 0: not modulo the counter's
    /// range.
    pub fn most(&self, register: &str) -> u32 {
        let most = |counters: &[u32]| counters.iter().copied().max().unwrap_or(0);
        match event(register) {
            Some(Event::Vc(event)) => most(&self.of_vcs[event as usize]),
            Some(Event::Port(event)) => most(&self.of_ports[event as usize]),
            Some(Event::Switch(event)) => self.of_switch[event as usize],
            None => 0,
        }
    }

    /// All counters to 0, as if they had been 0 in this cycle. To be called before [`EventCounters::end_cycle`].
    pub fn clear(&mut self) {
        self.of_vcs.iter_mut().for_each(|counters| counters.fill(0));
        self.of_ports.iter_mut().for_each(|counters| counters.fill(0));
        self.of_switch = [0; SWITCH_EVENTS];
    }

    /// Goes on to the next cycle, in which port p has `misses(p)` valid miss slots.
    #[inline]
    pub fn end_cycle(&mut self, misses: impl Iterator<Item = u8>) {
        for (counters, masks) in self.of_vcs.iter_mut().zip(&self.before.of_vcs) {
            for (vc, &mask) in masks[..self.vcs].iter().enumerate() {
                ones(mask).for_each(|port| {
                    let counter = &mut counters[port * self.vcs + vc];
                    *counter = counter.wrapping_add(1);
                });
            }
        }
        for (counters, &mask) in self.of_ports.iter_mut().zip(&self.before.of_ports) {
            ones(mask).for_each(|port| counters[port] = counters[port].wrapping_add(1));
        }
        for event in ones(self.before.of_switch as u64) {
            self.of_switch[event] = self.of_switch[event].wrapping_add(1);
        }
        self.before = std::mem::take(&mut self.now);
        self.misses[1] = self.misses[0];
        self.misses[0].iter_mut().zip(misses).for_each(|(count, misses)| *count = misses);
    }

    /// Reset.
    pub fn reset(&mut self) {
        self.clear();
        (self.now, self.before) = (Events::default(), Events::default());
        self.misses = [[0; MAX_PORTS]; 2];
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use railyard_spec::registers::registers;
    use railyard_spec::{Config, Counters};

    struct Bench {
        counters: EventCounters,
        registers: Vec<Register>,
    }

    impl Bench {
        fn new(bits: u32) -> Bench {
            let mut config = Config::named("t");
            config.counters = Some(Counters { bits });
            let shape = config.check().unwrap().shape();
            Bench { counters: EventCounters::new(&shape).expect("counters"), registers: registers(&shape) }
        }

        fn value(&self, name: &str, entry: usize) -> u32 {
            self.counters.value(self.registers.iter().find(|r| r.name == name).expect("a counter"), entry)
        }
    }

    #[test]
    fn an_event_is_seen_two_cycles_later() {
        let mut b = Bench::new(32);
        b.counters.vc_event(VcEvent::TxFlits, 1, 0b101);
        b.counters.port_event(PortEvent::CacheFills, 3);
        b.counters.switch_event(SwitchEvent::CamStalls);
        b.counters.end_cycle([7].into_iter());
        let values = |b: &Bench| {
            [
                b.value("tx_flits", 5),
                b.value("cache_fills", 3),
                b.value("cam_stalls", 0),
                b.value("outstanding_misses", 0),
            ]
        };
        assert_eq!(values(&b), [0, 0, 0, 0]);
        b.counters.end_cycle([0].into_iter());
        assert_eq!(values(&b), [1, 1, 1, 7]);
        assert_eq!([b.value("tx_flits", 1), b.value("tx_flits", 3), b.value("tx_packets", 1)], [1, 0, 0]);
        b.counters.end_cycle([0].into_iter());
        assert_eq!(values(&b), [1, 1, 1, 0]);
    }

    #[test]
    fn what_happened_a_cycle_before_a_clear_is_counted_after_it() {
        let mut b = Bench::new(32);
        for _ in 0..5 {
            b.counters.port_event(PortEvent::LookupHits, 0);
            b.counters.end_cycle([].into_iter());
        }
        assert_eq!(b.value("lookup_hits", 0), 4);
        b.counters.clear();
        b.counters.end_cycle([].into_iter());
        assert_eq!(b.value("lookup_hits", 0), 1);
    }

    #[test]
    fn counters_wrap() {
        let mut b = Bench::new(8);
        for _ in 0..300 {
            b.counters.switch_event(SwitchEvent::CamRequests);
            b.counters.end_cycle([].into_iter());
        }
        b.counters.end_cycle([].into_iter());
        assert_eq!(b.value("cam_requests", 0), 300 - 256);
    }
}

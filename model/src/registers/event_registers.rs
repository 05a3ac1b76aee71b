//! Event registers: which events have happened and at which ports, each bit until software clears it, and the interrupt
//! that they raise.
//!
//! The events of a cycle are noted while it runs; [`EventRegisters::step`] ends it. Source: switch reference, section
//! 9.2.

use railyard_spec::registers::address;
use railyard_spec::Shape;

/// An event, with its bit in `events` as its number.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[allow(missing_docs)] // the events' meaning: switch reference, section 9.2
pub enum EventBit {
    Vc,
    Framing,
    Overflow,
    Length,
    Credit,
    Cam,
    Drop,
    Barrier,
    Corrected,
    Bad,
    Parity,
    TableParity,
    GroupParity,
}

const EVENTS: usize = 13;

/// Events without a register of their ports happen at this one.
pub const NO_PORT: u64 = 1;

/// A write that clears bits of one of these registers.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct EventClear {
    /// Byte address of the register.
    pub register: u32,
    /// The bits to clear.
    pub bits: u32,
}

/// The event registers of a switch.
#[derive(Clone, Debug)]
pub struct EventRegisters {
    /// For each event, the ports where it happens in this cycle.
    happening: [u64; EVENTS],
    /// `events`.
    happened: u32,
    /// For each event, the register of its ports.
    ports: [u64; EVENTS],
    /// `event_enable`.
    enable: u32,
}

impl EventRegisters {
    /// The registers of a switch of that shape, if it has any.
    pub fn new(shape: &Shape) -> Option<Self> {
        let (happening, ports) = ([0; EVENTS], [0; EVENTS]);
        shape.events.then_some(EventRegisters { happening, happened: 0, ports, enable: 0 })
    }

    /// It happens in this cycle at `ports`.
    #[inline]
    pub fn happen(&mut self, event: EventBit, ports: u64) {
        self.happening[event as usize] |= ports;
    }

    /// Whether `event_interrupt` is 1 in the next cycle.
    #[inline]
    pub fn interrupts(&self) -> bool {
        self.happened & self.enable != 0
    }

    /// What the register at a byte address shows in this cycle, if it is one of these; `event_enable` is a setting like
    /// others.
    pub fn read(&self, register: u32) -> Option<u32> {
        match register {
            address::EVENTS => Some(self.happened),
            address::EVENT_PENDING => Some(self.happened & self.enable),
            _ => port_word(register).map(|(event, shift)| (self.ports[event] >> shift) as u32),
        }
    }

    /// Goes on to the next cycle: bits are cleared, those of this cycle's events are set afterwards. `enable` is
    /// `event_enable` in the next cycle.
    #[inline]
    pub fn step(&mut self, error_clear: bool, clear: Option<EventClear>, enable: u32) {
        if error_clear {
            (self.happened, self.ports) = (0, [0; EVENTS]);
        }
        if let Some(clear) = clear {
            self.clear(clear);
        }
        for (event, happening) in self.happening.iter_mut().enumerate() {
            let at = std::mem::take(happening);
            self.happened |= u32::from(at != 0) << event;
            self.ports[event] |= at;
        }
        self.enable = enable;
    }

    fn clear(&mut self, EventClear { register, bits }: EventClear) {
        match port_word(register) {
            _ if register == address::EVENTS => self.happened &= !bits,
            Some((event, shift)) => self.ports[event] &= !(u64::from(bits) << shift),
            None => {}
        }
    }

    /// Reset.
    pub fn reset(&mut self) {
        (self.happening, self.ports) = ([0; EVENTS], [0; EVENTS]);
        (self.happened, self.enable) = (0, 0);
    }
}

/// The event whose ports the register at a byte address has, and the first of these ports.
fn port_word(register: u32) -> Option<(usize, u32)> {
    let word = register.checked_sub(address::EVENT_PORTS)? / 4;
    let event = word as usize / 2;
    (event < EVENTS).then_some((event, word % 2 * 32))
}

#[cfg(test)]
mod tests {
    use super::*;
    use railyard_spec::registers::{events, registers, Access};
    use railyard_spec::Config;

    const ALL: u32 = 0xFF;

    fn built() -> EventRegisters {
        let mut config = Config::named("t");
        config.events = true;
        EventRegisters::new(&config.check().unwrap().shape()).expect("events")
    }

    fn clear(register: u32, bits: u32) -> Option<EventClear> {
        Some(EventClear { register, bits })
    }

    fn ports(event: EventBit, half: u32) -> u32 {
        address::EVENT_PORTS + 8 * event as u32 + 4 * half
    }

    #[test]
    fn numbers_and_addresses_are_those_of_the_register_list() {
        let mut config = Config::named("t");
        (config.events, config.ports, config.virtual_channels.barrier) = (true, 40, 1);
        let shape = config.check().unwrap().shape();
        let names = ["vc", "framing", "overflow", "length", "credit", "cam", "drop", "barrier"];
        let list = events(&shape);
        assert_eq!(list.iter().map(|event| event.name).collect::<Vec<_>>(), names);
        assert!(list.iter().enumerate().all(|(number, event)| event.number == number as u32));
        assert_eq!((EventBit::Cam as u32, EventBit::Barrier as u32), (5, 7));
        let registers = registers(&shape);
        for event in &list {
            for (half, name) in event.ports.iter().flatten().enumerate() {
                let register = registers.iter().find(|r| r.name == *name).expect("in the list");
                assert_eq!(port_word(register.address), Some((event.number as usize, 32 * half as u32)));
                assert_eq!(register.access, Access::WriteOneClears);
            }
        }
        let e = built();
        assert_eq!([address::EVENT_ENABLE, 0x10C, 0x178, 0].map(|at| e.read(at)), [None; 4]);
    }

    #[test]
    fn a_switch_without_events_has_none() {
        assert!(EventRegisters::new(&Config::named("t").check().unwrap().shape()).is_none());
    }

    #[test]
    fn an_event_is_seen_a_cycle_later_with_its_ports() {
        let mut e = built();
        e.happen(EventBit::Framing, 1 << 3 | 1 << 35);
        e.happen(EventBit::Drop, 1);
        e.happen(EventBit::Framing, 1 << 4);
        assert_eq!(e.read(address::EVENTS), Some(0));
        e.step(false, None, 0);
        assert_eq!(e.read(address::EVENTS), Some(1 << 1 | 1 << 6));
        let read = |event, half| e.read(ports(event, half));
        assert_eq!([read(EventBit::Framing, 0), read(EventBit::Framing, 1)], [Some(0x18), Some(8)]);
        assert_eq!(
            [read(EventBit::Drop, 0), read(EventBit::Vc, 0), read(EventBit::Length, 1)],
            [Some(1), Some(0), Some(0)]
        );
    }

    #[test]
    fn a_one_clears_its_bit_in_its_register_alone() {
        let mut e = built();
        e.happen(EventBit::Vc, 0b111);
        e.happen(EventBit::Credit, 1 << 33 | 0b11);
        e.step(false, None, 0);
        e.step(false, clear(address::EVENTS, 1), 0);
        assert_eq!((e.read(address::EVENTS), e.read(ports(EventBit::Vc, 0))), (Some(1 << 4), Some(0b111)));
        e.step(false, clear(ports(EventBit::Vc, 0), 0b101), 0);
        e.step(false, clear(ports(EventBit::Credit, 1), 0b11), 0);
        let read = |event, half| e.read(ports(event, half));
        assert_eq!(
            [read(EventBit::Vc, 0), read(EventBit::Credit, 0), read(EventBit::Credit, 1)],
            [Some(2), Some(3), Some(0)]
        );
        assert_eq!(e.read(address::EVENTS), Some(1 << 4), "the ports are cleared, not the event");
    }

    #[test]
    fn error_clear_clears_all_of_them() {
        let mut e = built();
        e.happen(EventBit::Overflow, 1 << 40 | 1);
        e.happen(EventBit::Cam, NO_PORT);
        e.step(false, None, ALL);
        e.step(true, None, ALL);
        assert_eq!(
            [address::EVENTS, ports(EventBit::Overflow, 0), ports(EventBit::Overflow, 1)].map(|at| e.read(at)),
            [Some(0); 3]
        );
    }

    #[test]
    fn an_event_wins_over_every_clear_of_its_cycle() {
        for (error_clear, clear) in [
            (true, None),
            (false, clear(address::EVENTS, ALL)),
            (false, clear(ports(EventBit::Length, 0), !0)),
            (true, clear(address::EVENTS, ALL)),
        ] {
            let mut e = built();
            e.happen(EventBit::Length, 0b10);
            e.step(false, None, 0);
            e.happen(EventBit::Length, 0b110);
            e.step(error_clear, clear, 0);
            assert_eq!(e.read(address::EVENTS), Some(1 << 3), "{error_clear} {clear:?}");
            assert_eq!(e.read(ports(EventBit::Length, 0)), Some(0b110));
        }
        let mut e = built();
        e.happen(EventBit::Length, 0b10);
        e.step(false, None, 0);
        e.happen(EventBit::Length, 0b100);
        e.step(false, clear(ports(EventBit::Length, 0), 0b110), 0);
        assert_eq!(e.read(ports(EventBit::Length, 0)), Some(0b100), "a port without an event now is cleared");
    }

    #[test]
    fn enabled_events_are_pending_and_interrupt() {
        let mut e = built();
        e.happen(EventBit::Barrier, 2);
        e.step(false, None, !(1 << 7));
        assert_eq!((e.interrupts(), e.read(address::EVENT_PENDING)), (false, Some(0)));
        e.step(false, None, 1 << 7);
        assert_eq!((e.interrupts(), e.read(address::EVENT_PENDING)), (true, Some(1 << 7)));
        e.step(false, clear(address::EVENTS, 1 << 7), 1 << 7);
        assert_eq!((e.interrupts(), e.read(address::EVENT_PENDING)), (false, Some(0)));
        e.happen(EventBit::Barrier, 2);
        e.step(false, None, 1 << 7);
        assert!(e.interrupts());
        e.reset();
        assert_eq!(
            (e.interrupts(), e.read(address::EVENTS), e.read(ports(EventBit::Barrier, 0))),
            (false, Some(0), Some(0))
        );
    }
}

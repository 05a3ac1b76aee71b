//! Sections 8 and 9.2: sticky flags and events.

use super::state::*;
use super::*;

/// Of each event, the ports where it happens in a cycle.
type Happening = [(&'static str, u64); 8];

impl Literal {
    /// The flags at the pins hold this cycle's events: those of before stay, without `error_clear`.
    pub fn keep_flags(&mut self, old: &Literal, pins: &Inputs) {
        if pins.error_clear {
            return;
        }
        let (was, now) = (&old.out, &mut self.out);
        now.error_vc |= was.error_vc;
        now.error_framing |= was.error_framing;
        now.error_overflow |= was.error_overflow;
        now.error_length |= was.error_length;
        now.error_credit |= was.error_credit;
        now.error_cam |= was.error_cam;
    }

    /// The events of this cycle, while the flags at the pins hold nothing else.
    fn happening(&self, old: &Literal) -> Happening {
        let dropping = |p: &usize| (0..self.shape.vcs).any(|v| old.out.drop_valid.get(p * self.shape.vcs + v));
        let mask = |list: Vec<usize>| list.into_iter().fold(0, |mask, p| mask | 1u64 << p);
        let ports = 0..self.shape.ports;
        [
            ("vc", self.out.error_vc),
            ("framing", self.out.error_framing),
            ("overflow", self.out.error_overflow),
            ("length", self.out.error_length),
            ("credit", self.out.error_credit),
            ("cam", self.out.error_cam as u64),
            ("drop", mask(ports.clone().filter(dropping).collect())),
            ("barrier", mask(ports.filter(|&p| self.barriers.faulty[p]).collect())),
        ]
    }

    fn word(&self, name: &str) -> u32 {
        self.registers.iter().find(|(r, _)| r.name == name).map_or(0, |(_, values)| values[0])
    }

    pub fn pending(&self) -> u32 {
        self.word("events") & self.word("event_enable")
    }

    /// Whether an event with that name happens in this cycle, and is cleared in it. Before [`Literal::keep_flags`] and
    /// behind all else.
    pub fn keep_events(&mut self, old: &Literal, pins: &Inputs) -> [u32; 2] {
        if !old.shape.events {
            return [0; 2];
        }
        let cleared = |name: &str, bit: u32| {
            let written = old.write.filter(|_| pins.apb.psel && pins.apb.penable);
            let writes = written.is_some_and(|(r, _, value)| old.registers[r].0.name == name && value >> bit & 1 == 1);
            pins.error_clear || writes
        };
        if pins.error_clear {
            for (register, values) in &mut self.registers {
                if register.access == Access::WriteOneClears {
                    values[0] = 0;
                }
            }
        }
        self.out.event_interrupt = old.pending() != 0;
        let mut seen = [0; 2];
        for (number, (name, ports)) in self.happening(old).into_iter().enumerate() {
            if ports == 0 {
                continue;
            }
            seen[0] |= 1 << number;
            seen[1] |= (cleared("events", number as u32) as u32) << number;
            let (low, high) = (format!("event_{name}_ports_low"), format!("event_{name}_ports_high"));
            for (register, values) in &mut self.registers {
                match register.name {
                    "events" => values[0] |= 1 << number,
                    other if other == low => values[0] |= ports as u32,
                    other if other == high => values[0] |= (ports >> 32) as u32,
                    _ => {}
                }
            }
        }
        seen
    }
}

//! A check of one's own: no packet stays in the switch for too long. The page "Write a test of your own" explains it.

use railyard_testbench::check::{Check, Cycle};
use railyard_testbench::traffic::Packet;
use std::collections::HashMap;

/// No packet stays in the switch for more cycles than this, from its first flit at the inputs to its last flit at the
/// outputs.
#[derive(Clone, Debug)]
pub struct LongestStay {
    most: u64,
    /// When each packet inside came, by its source and its key.
    inside: HashMap<(u8, u64), u64>,
    seen: u64,
}

impl LongestStay {
    /// At most `most` cycles.
    pub fn new(most: u64) -> LongestStay {
        LongestStay { most, inside: HashMap::new(), seen: 0 }
    }
}

fn identity(packet: &Packet) -> (u8, u64) {
    (packet.source, packet.key)
}

impl Check for LongestStay {
    fn name(&self) -> &'static str {
        "longest stay"
    }

    fn cycle(&mut self, cycle: &Cycle<'_>) -> Result<(), String> {
        if cycle.inputs.reset {
            self.inside.clear();
        }
        for packet in cycle.begun {
            self.inside.insert(identity(packet), cycle.number);
        }
        for departure in cycle.left {
            let Some(came) = self.inside.remove(&identity(&departure.packet)) else { continue };
            let stay = cycle.number - came;
            if stay > self.most {
                return Err(format!("{stay} cycles, at most {} are allowed: {}", self.most, departure.packet));
            }
            self.seen += 1;
        }
        Ok(())
    }

    fn finish(&mut self) -> Result<(), String> {
        match self.seen {
            0 => Err("no packet was there to look at".to_owned()),
            _ => Ok(()),
        }
    }
}

//! Packets that leave a switch, one by one.

use super::setting::Setting;
use railyard_bench::traffic::Identity;
use railyard_model::bits::ones;
use railyard_model::Outputs;
use railyard_spec::misrouting::PortKind;

/// The head of a packet left a switch.
#[derive(Clone, Copy, Debug)]
pub struct Passage {
    /// The packet.
    pub identity: Identity,
    /// Cycle in which the head was at the output pins.
    pub left: u64,
    /// Cycles of the link that it went by.
    pub link: u64,
    /// Kind of that link.
    pub kind: PortKind,
}

/// What is seen at the outputs of a switch. An identity may begin in one flit and end in the next.
#[derive(Clone, Debug)]
pub struct Passages {
    /// By port, the first flits of the packet that leaves, and the cycle of its head.
    begun: Vec<(u64, Vec<u32>)>,
}

impl Passages {
    /// Of a switch with so many ports.
    pub fn new(ports: usize) -> Passages {
        Passages { begun: vec![(0, Vec::new()); ports] }
    }

    /// The outputs in cycle `now` of a switch. Links carry one packet at a time, and messages between.
    pub fn see(&mut self, now: u64, outputs: &Outputs, switch: usize, setting: &Setting, passed: &mut Vec<Passage>) {
        let words = setting.sizes.words;
        let latencies = setting.latencies_of(switch);
        for port in ones(outputs.tx_valid).filter(|&port| usize::from(outputs.tx_vc[port]) < setting.sizes.vcs) {
            let (left, flits) = &mut self.begun[port];
            if outputs.tx_head >> port & 1 == 1 {
                *left = now;
                flits.clear();
            } else if flits.is_empty() {
                continue;
            }
            flits.extend_from_slice(&outputs.tx_flit[port * words..(port + 1) * words]);
            if flits.len() < setting.format.shortest() as usize * words {
                continue;
            }
            let Some(built) = setting.shape().dragonfly() else { continue };
            let (identity, kind) = (setting.format.identity(flits), built.kind(port));
            passed.push(Passage { identity, left: *left, link: latencies[port], kind });
            flits.clear();
        }
    }
}

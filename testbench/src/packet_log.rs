//! The packets of a run one by one, for whoever wants to see more than sums.

use railyard_bench::traffic::Packet;
use std::collections::HashMap;
use std::fmt;
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};

/// A packet that has left the switch, or was dropped.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Passage {
    /// The packet.
    pub packet: Packet,
    /// Cycle in which its head was at the input pins.
    pub entered: u64,
    /// Cycle in which its tail was at the output pins, or in which it was dropped.
    pub left: u64,
    /// Mask of the output ports by which it left; 0: it was dropped.
    pub ports: u64,
    /// Virtual channel on which it left.
    pub vc: usize,
}

/// Takes the packets of a run in the order in which they leave.
#[derive(Clone)]
pub struct PacketLog(Arc<Mutex<Taker>>);

struct Taker {
    /// When those on their way entered.
    entered: HashMap<Identity, u64>,
    take: Box<dyn FnMut(&Passage) + Send>,
}

/// What tells packets of a run apart.
type Identity = (u8, u64, u64);

fn identity(packet: &Packet) -> Identity {
    (packet.source, packet.generated, packet.key)
}

impl PacketLog {
    /// A log that hands each packet to `take`.
    pub fn new(take: impl FnMut(&Passage) + Send + 'static) -> PacketLog {
        PacketLog(Arc::new(Mutex::new(Taker { entered: HashMap::new(), take: Box::new(take) })))
    }

    fn taker(&self) -> MutexGuard<'_, Taker> {
        self.0.lock().unwrap_or_else(PoisonError::into_inner)
    }

    pub(crate) fn enter(&self, packet: &Packet, cycle: u64) {
        self.taker().entered.insert(identity(packet), cycle);
    }

    pub(crate) fn leave(&self, packet: &Packet, cycle: u64, ports: u64, vc: usize) {
        let taker = &mut *self.taker();
        if let Some(entered) = taker.entered.remove(&identity(packet)) {
            (taker.take)(&Passage { packet: *packet, entered, left: cycle, ports, vc });
        }
    }

    /// What was on its way is lost.
    pub(crate) fn flush(&self) {
        self.taker().entered.clear();
    }
}

impl fmt::Debug for PacketLog {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("PacketLog").finish_non_exhaustive()
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::bench::SwitchBench;
    use crate::simulate::{simulate_logged, WarmUp};
    use crate::stimulus::Scenario;
    use railyard_bench::traffic::Pattern;
    use railyard_spec::{presets, Config};

    /// The log has the packets, and their latencies, that the report sums up.
    #[test]
    fn the_log_adds_up_to_the_report() {
        let shape = Config::from_json(presets::find("tiny").unwrap().json).unwrap().shape();
        let passages = Arc::new(Mutex::new(Vec::new()));
        let log = {
            let passages = passages.clone();
            PacketLog::new(move |passage: &Passage| passages.lock().unwrap().push(*passage))
        };
        let scenario = Scenario::new(1, Pattern::Uniform, 0.3);
        assert!(SwitchBench::can_follow(&shape, &scenario) && !SwitchBench::can_follow(&shape, &Scenario::faults(1)));
        let result = simulate_logged(&shape, &scenario, WarmUp::Cycles(1_000), 5_000, Some(log), |_| {}).unwrap();
        let begin = result.set_up + result.warm_up;
        let all = passages.lock().unwrap();
        let measured: Vec<&Passage> = all.iter().filter(|p| p.left >= begin && p.ports != 0).collect();
        assert_eq!(measured.len() as u64, result.packets);
        let latency = measured.iter().map(|p| p.left - p.packet.generated).sum::<u64>() as f64 / result.packets as f64;
        let mean = result.latency_mean.unwrap();
        assert!((latency - mean).abs() < 1e-9, "{latency} {mean}");
        for p in all.iter() {
            let in_order = p.packet.generated <= p.entered && p.entered + u64::from(p.packet.length) <= p.left;
            assert!(in_order && p.ports == 1 << p.packet.destination && p.vc == p.packet.vc as usize, "{p:?}");
        }
    }
}

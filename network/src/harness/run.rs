//! What a run is asked to do.

use super::barriers::BarrierTimers;
use super::traffic::Traffic;
use crate::multicast::{LoadMessages, Selection};
use railyard_spec::Fault;

/// What a run does.
#[derive(Clone, Debug, PartialEq)]
pub struct Run {
    /// Traffic of the nodes.
    pub traffic: Traffic,
    /// Cycles from one end of a link to the other, node links too.
    pub link_latency: u64,
    /// Cycles from a CAM request to its answer.
    pub cam_latency: u64,
    /// How the root of a multicast packet is selected.
    pub selection: Selection,
    /// When load messages are sent.
    pub messages: LoadMessages,
    /// Share of credit reports that get lost, on all links, in both directions (absolute credits).
    pub lost_credits: f64,
    /// Share of the other credit reports of which a link flips the highest bit, so that it is no possible total.
    pub corrupt_credits: f64,
    /// Chance in a cycle that a node that waits at no barrier of a group arrives at its next one; 0: no barriers, 1: back to back.
    pub barriers: f64,
    /// The VC on which barrier messages travel as packets among others, in a network of
    /// [`PacketBarrierSwitch`](crate::barrier::PacketBarrierSwitch)es; none: on the barrier VC.
    pub barrier_packets: Option<u8>,
    /// Time-outs of barriers.
    pub barrier_timers: BarrierTimers,
    /// Share of barrier messages that get lost on a link, on all links, in both directions.
    pub lost_messages: f64,
    /// Share of the other barrier messages of which a link flips a bit.
    pub corrupt_messages: f64,
    /// Seed of all that is random.
    pub seed: u64,
}

impl Default for Run {
    fn default() -> Run {
        Run {
            traffic: Traffic::default(),
            link_latency: 1,
            cam_latency: 25,
            selection: Selection::default(),
            messages: LoadMessages::default(),
            lost_credits: 0.0,
            corrupt_credits: 0.0,
            barriers: 0.0,
            barrier_packets: None,
            barrier_timers: BarrierTimers::default(),
            lost_messages: 0.0,
            corrupt_messages: 0.0,
            seed: 1,
        }
    }
}

/// A run does not fit the network: a JSON pointer, the value, the rule, and what would be legal.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
#[error("{path}: {value} {rule}")]
pub struct RunError {
    /// The field.
    pub path: &'static str,
    /// Its value.
    pub value: String,
    /// The rule that it breaks.
    pub rule: String,
    /// A value that would do.
    pub legal: String,
}

impl RunError {
    /// The same as a fault of the network file.
    pub fn fault(&self) -> Fault {
        let RunError { path, value, rule, legal } = self.clone();
        Fault { path: path.into(), value, rule, legal }
    }
}

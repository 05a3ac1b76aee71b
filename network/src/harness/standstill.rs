//! For how long nothing may happen in a network that does not stand still.
//!
//! Nobody waits for longer than a message needs through the whole network and back, and barriers for the messages that
//! faults made a switch or node send again. The bounds are wide: they only say how late a standstill is found.

use super::barriers::BarrierRun;
use super::setting::Setting;

/// Cycles beyond what latencies and time-outs ask for: congestion, and packets of other nodes that go before.
const MARGIN: u64 = 20_000;

/// Cycles in a switch, and in a node, beside those of links and CAM.
const SWITCH: u64 = 16;

/// Time-outs in a row that may be in vain without faults: messages that wait behind others.
const TIME_OUTS: f64 = 16.0;

/// How seldom more messages in a row get lost than are reckoned with.
const RARE: f64 = 1e-9;

/// Longest times in cycles.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct TimeLimits {
    /// From a packet's head at a node to its head at another one, where nothing is in its way and all caches have its
    /// route.
    pub way: u64,
    /// From one delivery of a packet to the next, while packets are under way.
    pub packets: u64,
    /// From the last arrival at a barrier, or a node that is told of its completion, to the next node that is told.
    pub barriers: u64,
}

impl TimeLimits {
    /// Of a network and a run.
    pub fn new(setting: &Setting) -> TimeLimits {
        let blueprint = &setting.blueprint;
        let wiring = &blueprint.wiring;
        // Switches without a link to the others have no rank.
        let ranks = (0..wiring.switches()).map(|switch| wiring.rank(switch) as u64);
        let depth = ranks.filter(|rank| *rank < wiring.switches() as u64).max().unwrap_or(0) + 1;
        // Computed ways go up and down once, or are no longer than that.
        let longest = if blueprint.plan.tables.is_some() { wiring.switches() as u64 } else { 2 * depth };
        let way = |switches: u64| switches * (2 * setting.longest + setting.cam_latency + SWITCH);
        let again = setting.barriers.as_ref().map_or(0, |barriers| sent_again(barriers, 2 * depth));
        TimeLimits {
            way: longest * (setting.longest + SWITCH),
            packets: MARGIN + way(longest),
            barriers: MARGIN + way(2 * depth) + again,
        }
    }
}

/// Time for messages that are sent again, because one was lost or corrupted, on so many links one after the other.
fn sent_again(barriers: &BarrierRun, links: u64) -> u64 {
    let fails = 1.0 - (1.0 - barriers.lost.probability()) * (1.0 - barriers.corrupt.probability());
    let in_a_row = if fails > 0.0 { 2.0 * RARE.ln() / fails.ln() } else { 0.0 };
    let times = TIME_OUTS + links as f64 * fails / (1.0 - fails) + in_a_row;
    times.ceil() as u64 * (u64::from(barriers.patience.retransmit) + u64::from(barriers.patience.urge))
}

//! A link that fails in mid-traffic, and the way around it (seed 000 section 5.3, figure 5.22).

use railyard_spec::Shape;
use serde::{Deserialize, Serialize};

/// A failure and what is done about it: table and caches, groups and port map are told of the detour under traffic, as the switch reference has
/// it (section 4.5). Packets on their way at that time may leave by either link; later ones must not leave by the failed one.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct LinkFailure {
    /// Cycle of the failure; the update begins with it. From here on the next buffer gives no credit.
    pub cycle: u64,
    /// Output of the link.
    pub port: u8,
    /// Output that takes its place in routes of their own and as a candidate. Groups go on with their other links.
    pub detour: u8,
    /// Cycles after which credit is given again, as by a link's end that throws away what the switch had decided for the link before
    /// the update; left out, not while the traffic lasts.
    #[serde(default)]
    pub silence: Option<u64>,
}

impl LinkFailure {
    /// Whether the link gives no credit in that cycle.
    #[inline]
    pub(super) fn is_silent(&self, now: u64) -> bool {
        now >= self.cycle && self.silence.is_none_or(|silence| now - self.cycle < silence)
    }

    /// What doesn't fit the switch, a line each: path, value, rule.
    pub fn faults(&self, shape: &Shape) -> Vec<String> {
        let ports = [("failure.port", self.port), ("failure.detour", self.detour)];
        let beyond = ports.iter().filter(|(_, port)| usize::from(*port) >= shape.ports);
        let mut faults: Vec<String> =
            beyond.map(|(path, port)| format!("{path}: {port} must be below {}, the ports", shape.ports)).collect();
        if self.port == self.detour {
            faults.push(format!("failure.detour: {} must be another port than failure.port", self.detour));
        }
        faults
    }
}

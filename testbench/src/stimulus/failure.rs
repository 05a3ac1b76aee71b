//! A link that fails in mid-traffic, and the way around it (Hirasawa2022, 5.3, figure 5.22).

use railyard_input::Fault;
use railyard_spec::registers::registers;
use railyard_spec::Shape;
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

/// A failure and what is done about it: table and caches, groups and port map are told of the detour under traffic, as
/// the switch reference has it (section 4.5). Packets on their way at that time may leave by either link; later ones
/// must not leave by the failed one.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct LinkFailure {
    /// Cycle of the failure, counted from the end of the set-up; the update begins with it. From here on the next
    /// buffer gives no credit.
    pub cycle: u64,
    /// Output of the link.
    #[schemars(range(max = 63))]
    pub port: u8,
    /// Output that takes its place in routes of their own and as a candidate. Groups go on with their other links.
    #[schemars(range(max = 63))]
    pub detour: u8,
    /// Cycles after which the link gives credit again: its end then discards packets that were routed to it before the
    /// update. Left out, it gives none while the traffic lasts.
    #[serde(default)]
    pub silence: Option<u64>,
}

impl LinkFailure {
    /// Whether the link gives no credit in that cycle.
    #[inline]
    pub(super) fn is_silent(&self, now: u64) -> bool {
        now >= self.cycle && self.silence.is_none_or(|silence| now - self.cycle < silence)
    }

    /// What doesn't fit the switch: paths are those of the scenario.
    pub fn faults(&self, shape: &Shape) -> Vec<Fault> {
        let fault =
            |path: &str, value: String, rule: String, legal: String| Fault { path: path.into(), value, rule, legal };
        let mut faults = Vec::new();
        for (path, port) in [("/failure/port", self.port), ("/failure/detour", self.detour)] {
            if usize::from(port) >= shape.ports {
                let rule = format!("must be below {}, the ports", shape.ports);
                faults.push(fault(path, port.to_string(), rule, "0".into()));
            }
        }
        if self.port == self.detour {
            let rule = "must be another port than that of the failure".into();
            let other = u8::from(self.port == 0).to_string();
            faults.push(fault("/failure/detour", self.detour.to_string(), rule, other));
        }
        if registers(shape).is_empty() {
            let rule = "needs a switch with registers: without them nothing can change at run time".into();
            faults.push(fault("/failure", "a failure".into(), rule, "null".into()));
        }
        faults
    }
}

//! Run-time settings of Dragonfly routing, as a network file gives them.

mod choices;
mod node_vcs;
mod words;

pub(crate) use choices::{choices, keeps_order};
pub(crate) use node_vcs::NodeVcs;
pub(crate) use words::Words;

use railyard_input::Fault;
use railyard_spec::Shape;
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};
use serde_json::{json, Value};

/// Settings of Dragonfly routing, the same in all switches. Names are those of the registers and their fields. What is
/// left out is as after reset.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(default, deny_unknown_fields)]
pub struct AdaptiveSettings {
    /// Which packets leave the minimal way.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub mode: Option<Mode>,
    /// In transit: which detours are candidates.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub policy: Option<DetourPolicy>,
    /// In transit: local detours in groups other than the source's.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub local_detour: Option<bool>,
    /// In transit: what makes a packet leave the minimal way.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub trigger: Option<Trigger>,
    /// Which packets count as places in use at the minimal output.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub sense: Option<Sense>,
    /// Which legal virtual channel a packet takes.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub vc_rule: Option<VcRule>,
    /// Cycles of a tick; a packet that has waited for three ticks requests its escape only. 0: no packet does.
    #[schemars(range(max = 255))]
    #[serde(skip_serializing_if = "Option::is_none")]
    pub patience: Option<u32>,
    /// Policy `rrg`: of 256 draws so many are local.
    #[schemars(range(max = 256))]
    #[serde(skip_serializing_if = "Option::is_none")]
    pub local_share: Option<u32>,
    /// How much longer the minimal queue may be.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub ugal: Option<Ugal>,
    /// In transit, by credits.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub credit_trigger: Option<CreditTrigger>,
    /// In transit, by contention counters.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub contention: Option<Contention>,
    /// Counts of packets for groups, with trigger `ectn`.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub ectn: Option<Ectn>,
    /// When a global link is saturated, with mode `piggyback`.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub saturation: Option<Saturation>,
    /// Packets from other switches go before those from nodes, which can then wait for ever.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub transit_first: Option<bool>,
    /// Legal virtual channels of local links by case, as masks: in place of those that keep the network free of
    /// deadlock.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub vc_mask_local: Option<[u32; 4]>,
    /// The same of global links.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub vc_mask_global: Option<[u32; 4]>,
    /// Legal virtual channels of replies on local links.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub reply_vc_mask_local: Option<[u32; 4]>,
    /// The same on global links.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub reply_vc_mask_global: Option<[u32; 4]>,
    /// Virtual channels on which nodes send requests, as a mask. They send replies on the others. A mask of all: both
    /// on all. Left out: as many as `requests` has letters `l`.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub node_requests: Option<u32>,
    /// Accept settings with which the network can stand still: to see it stand still.
    #[serde(skip_serializing_if = "std::ops::Not::not")]
    pub allow_deadlock: bool,
}

/// Which packets leave the minimal way.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "snake_case")]
pub enum Mode {
    /// None.
    Minimal,
    /// All, at their source, to a switch or group drawn by chance.
    Valiant,
    /// At their source, those whose minimal output has much more places in use (UGAL-L).
    Ugal,
    /// At each switch, those whose minimal output is full or contended.
    InTransit,
    /// As `ugal`, and those whose minimal global link is saturated (PiggyBack).
    Piggyback,
}

/// Which detours are candidates.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "snake_case")]
pub enum DetourPolicy {
    /// Groups at the global links of the current switch.
    Crg,
    /// Groups at the global links of other switches of the group.
    Nrg,
    /// Any group.
    Rrg,
    /// `crg` at the source, `nrg` behind it.
    Mm,
}

/// What makes a packet leave the minimal way.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "snake_case")]
pub enum Trigger {
    /// Places in use.
    Credits,
    /// Contention counters.
    Contention,
    /// Either of them.
    Hybrid,
    /// Contention counters whose counts are smoothed over time.
    Filtered,
    /// Contention counters, and at the source counts of packets for groups, which switches tell each other.
    Ectn,
}

/// Which packets count as places in use at the minimal output, where modes and triggers go by these.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "snake_case")]
pub enum Sense {
    /// All.
    All,
    /// Those that have left their minimal way nowhere (minCred).
    Minimal,
}

/// Which legal virtual channel a packet takes.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "snake_case")]
pub enum VcRule {
    /// The lowest above that by which it came.
    Next,
    /// The one with most room.
    Room,
    /// The highest with room.
    Highest,
    /// The lowest with room.
    Lowest,
    /// One with room, by chance.
    Random,
}

/// Register `ugal`.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(default, deny_unknown_fields)]
pub struct Ugal {
    /// Factor in quarters.
    #[schemars(range(max = 15))]
    #[serde(skip_serializing_if = "Option::is_none")]
    pub factor: Option<u32>,
    /// Places.
    #[schemars(range(max = 1023))]
    #[serde(skip_serializing_if = "Option::is_none")]
    pub offset: Option<u32>,
}

/// Register `credit_trigger`.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(default, deny_unknown_fields)]
pub struct CreditTrigger {
    /// Least number of places in use at the minimal port.
    #[schemars(range(max = 4095))]
    #[serde(skip_serializing_if = "Option::is_none")]
    pub least: Option<u32>,
    /// Share of them at the detour, in 128ths.
    #[schemars(range(max = 255))]
    #[serde(skip_serializing_if = "Option::is_none")]
    pub share: Option<u32>,
}

/// Register `contention`.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(default, deny_unknown_fields)]
pub struct Contention {
    /// Packets for a port, with trigger `contention` or `filtered`.
    #[schemars(range(max = 127))]
    #[serde(skip_serializing_if = "Option::is_none")]
    pub threshold: Option<u32>,
    /// The same with trigger `hybrid`.
    #[schemars(range(max = 127))]
    #[serde(skip_serializing_if = "Option::is_none")]
    pub hybrid: Option<u32>,
    /// With trigger `filtered`: of a change, one part in 2^shift counts in each cycle.
    #[schemars(range(max = 7))]
    #[serde(skip_serializing_if = "Option::is_none")]
    pub shift: Option<u32>,
}

/// Register `ectn`.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(default, deny_unknown_fields)]
pub struct Ectn {
    /// Packets for a group, of all switches of a group together.
    #[schemars(range(max = 511))]
    #[serde(skip_serializing_if = "Option::is_none")]
    pub threshold: Option<u32>,
    /// Cycles from one round of messages to the next.
    #[schemars(range(max = 65535))]
    #[serde(skip_serializing_if = "Option::is_none")]
    pub period: Option<u32>,
}

/// Register `saturation`.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(default, deny_unknown_fields)]
pub struct Saturation {
    /// Factor of the mean of all global links, in quarters.
    #[schemars(range(max = 15))]
    #[serde(skip_serializing_if = "Option::is_none")]
    pub factor: Option<u32>,
    /// Places.
    #[schemars(range(max = 1023))]
    #[serde(skip_serializing_if = "Option::is_none")]
    pub offset: Option<u32>,
    /// Least cycles between two messages.
    #[schemars(range(max = 255))]
    #[serde(skip_serializing_if = "Option::is_none")]
    pub gap: Option<u32>,
}

/// A field of a register, and what the network file has for it.
struct Setting {
    /// Where, in the settings of the network file.
    path: &'static str,
    register: &'static str,
    field: &'static str,
    value: Option<u32>,
    /// What of a description builds it.
    needs: &'static str,
}

impl AdaptiveSettings {
    /// The registers of a switch, as after reset but for these settings.
    ///
    /// # Errors
    /// The switch has no such register, or it can't hold the value.
    pub(crate) fn words(&self, shape: &Shape) -> Result<Words, Fault> {
        let mut words = Words::after_reset(shape);
        let written = json!(self);
        if shape.dragonfly().is_none() && *self != AdaptiveSettings::default() {
            return Err(Fault {
                path: "/adaptive".into(),
                value: written.to_string(),
                rule: "needs a switch whose `routing.kind` is `dragonfly`".into(),
                legal: "leave it out".into(),
            });
        }
        NodeVcs::check(shape, self)?;
        for Setting { path, register, field, value, needs } in self.settings().into_iter().chain(self.masks()) {
            let Some(value) = value else { continue };
            words.set(register, field, value).map_err(|legal| {
                let written = written.pointer(path);
                // A name that a register can't hold is that of something that is not built.
                let legal = legal.filter(|_| !written.is_some_and(Value::is_string));
                Fault {
                    path: format!("/adaptive{path}"),
                    value: written.map(Value::to_string).unwrap_or_default(),
                    rule: match legal {
                        Some(_) => format!("does not fit the register `{register}`"),
                        None => format!("needs a switch with `{needs}`"),
                    },
                    legal: legal.unwrap_or_else(|| "leave it out".into()),
                }
            })?;
        }
        Ok(words)
    }

    fn settings(&self) -> Vec<Setting> {
        let [valiant, in_transit, counters, flexible, transit_first] = [
            "routing.adaptive.valiant",
            "routing.adaptive.in_transit",
            "routing.adaptive.contention",
            "routing.flexible_vcs",
            "routing.arbitration.transit_first",
        ];
        let (ugal, credits) = (self.ugal.unwrap_or_default(), self.credit_trigger.unwrap_or_default());
        let contention = self.contention.unwrap_or_default();
        let (ectn, saturation) = (self.ectn.unwrap_or_default(), self.saturation.unwrap_or_default());
        let [ectn_built, saturation_built] = ["routing.adaptive.ectn", "routing.adaptive.saturation"];
        let of_mode = match self.mode {
            Some(Mode::InTransit) => in_transit,
            Some(Mode::Piggyback) => saturation_built,
            _ => valiant,
        };
        // Without adaptive ways there is no register, and the mode is minimal.
        let mode = self.mode.filter(|mode| *mode != Mode::Minimal).map(|mode| mode as u32);
        let rule = self.vc_rule.filter(|rule| *rule != VcRule::Next).map(|rule| rule as u32);
        let sense = self.sense.filter(|sense| *sense != Sense::All).map(|sense| sense as u32);
        let policy = self.policy.map(|policy| policy as u32);
        let trigger = self.trigger.map(|trigger| trigger as u32);
        let of_trigger = match self.trigger {
            Some(Trigger::Filtered) => "routing.adaptive.filter",
            Some(Trigger::Ectn) => ectn_built,
            _ => counters,
        };
        let of_rule = if self.vc_rule == Some(VcRule::Random) { "routing.random_vcs" } else { flexible };
        let rows = [
            ("/mode", "misrouting", "mode", mode, of_mode),
            ("/policy", "misrouting", "policy", policy, in_transit),
            ("/local_detour", "misrouting", "local_detour", self.local_detour.map(u32::from), in_transit),
            ("/trigger", "misrouting", "trigger", trigger, of_trigger),
            ("/sense", "misrouting", "sense", sense, "routing.adaptive.min_credits"),
            ("/vc_rule", "vc_rule", "rule", rule, of_rule),
            ("/patience", "patience", "tick", self.patience, flexible),
            ("/local_share", "local_share", "share", self.local_share, in_transit),
            ("/transit_first", "arbitration", "transit_first", self.transit_first.map(u32::from), transit_first),
            ("/ugal/factor", "ugal", "factor", ugal.factor, valiant),
            ("/ugal/offset", "ugal", "offset", ugal.offset, valiant),
            ("/credit_trigger/least", "credit_trigger", "least", credits.least, in_transit),
            ("/credit_trigger/share", "credit_trigger", "share", credits.share, in_transit),
            ("/contention/threshold", "contention", "threshold", contention.threshold, counters),
            ("/contention/shift", "contention", "shift", contention.shift, "routing.adaptive.filter"),
            ("/contention/hybrid", "contention", "hybrid", contention.hybrid, counters),
            ("/ectn/threshold", "ectn", "threshold", ectn.threshold, ectn_built),
            ("/ectn/period", "ectn", "period", ectn.period, ectn_built),
            ("/saturation/factor", "saturation", "factor", saturation.factor, saturation_built),
            ("/saturation/offset", "saturation", "offset", saturation.offset, saturation_built),
            ("/saturation/gap", "saturation", "gap", saturation.gap, saturation_built),
        ];
        let setting = |(path, register, field, value, needs)| Setting { path, register, field, value, needs };
        rows.into_iter().map(setting).collect()
    }

    fn masks(&self) -> Vec<Setting> {
        let masks = [
            ("/vc_mask_local", "vc_mask_local", self.vc_mask_local),
            ("/vc_mask_global", "vc_mask_global", self.vc_mask_global),
            ("/reply_vc_mask_local", "reply_vc_mask_local", self.reply_vc_mask_local),
            ("/reply_vc_mask_global", "reply_vc_mask_global", self.reply_vc_mask_global),
        ];
        let of = |(path, register, masks): (&'static str, &'static str, Option<[u32; 4]>)| {
            let case = move |(field, value)| Setting {
                path,
                register,
                field,
                value: Some(value),
                needs: "routing.vcs.replies",
            };
            ["case_0", "case_1", "case_2", "case_3"].into_iter().zip(masks.into_iter().flatten()).map(case)
        };
        masks.into_iter().flat_map(of).collect()
    }
}

//! Reset: how all registers of a design are reset, and the pin that does it.

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

/// How all registers of a design are reset.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Hash, Serialize, Deserialize, JsonSchema)]
#[serde(default, deny_unknown_fields)]
pub struct Reset {
    /// When a reset acts.
    pub kind: ResetKind,

    /// Level of the pin during a reset. The pin is `reset`, or `reset_n` if the level is low.
    pub active: ResetLevel,
}

/// When a reset acts.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Hash, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "snake_case")]
pub enum ResetKind {
    /// At the rising edges of the clock.
    #[default]
    Synchronous,
    /// At once. The reset must end well before or after a rising edge of the clock.
    Asynchronous,
}

/// Level of the reset pin during a reset.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Hash, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "snake_case")]
pub enum ResetLevel {
    /// 1.
    #[default]
    High,
    /// 0.
    Low,
}

impl Reset {
    /// Whether it acts at once.
    pub fn is_asynchronous(self) -> bool {
        self.kind == ResetKind::Asynchronous
    }

    /// Whether the pin is 0 during a reset.
    pub fn is_low(self) -> bool {
        self.active == ResetLevel::Low
    }

    /// Name of the pin.
    pub fn pin(self) -> &'static str {
        match self.active {
            ResetLevel::High => "reset",
            ResetLevel::Low => "reset_n",
        }
    }

    /// What the pin means.
    pub fn meaning(self) -> &'static str {
        match (self.kind, self.active) {
            (ResetKind::Synchronous, ResetLevel::High) => "Synchronous reset, active high.",
            (ResetKind::Synchronous, ResetLevel::Low) => "Synchronous reset, active low.",
            (ResetKind::Asynchronous, ResetLevel::High) => "Asynchronous reset, active high.",
            (ResetKind::Asynchronous, ResetLevel::Low) => "Asynchronous reset, active low.",
        }
    }
}

//! Routing caches at the start of a run.

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

/// What routing caches hold when the traffic starts.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "snake_case")]
pub enum Caches {
    /// Nothing.
    #[default]
    Cold,
    /// What long traffic of the run's pattern leaves in them.
    Warm,
}

impl Caches {
    /// All names, as in JSON.
    pub const NAMES: [&'static str; 2] = ["cold", "warm"];

    /// That of a name.
    pub fn named(name: &str) -> Option<Caches> {
        serde_json::from_value(name.into()).ok()
    }
}

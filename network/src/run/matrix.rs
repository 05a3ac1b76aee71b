//! A traffic matrix, as a network file has it.

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

/// Who sends how much to whom.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(untagged)]
pub enum Matrix {
    /// A file beside the network file. A line is `source destination weight`; `#` begins a comment. It may be packed by
    /// gzip.
    File(String),
    /// Source, destination, weight.
    Flows(Vec<Flow>),
}

/// A source, a destination, and the weight of what the one sends to the other.
pub type Flow = (u32, u32, f64);

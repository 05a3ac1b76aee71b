//! What can be wrong with a configuration.

use crate::config::{Config, Hash};
use crate::crc::Crc;

/// One thing that is wrong with a configuration.
#[derive(Clone, Debug, PartialEq, Eq, serde::Serialize)]
pub struct Fault {
    /// Where, as a JSON pointer: `/routing/cache/ways`.
    pub path: String,
    /// What stands there.
    pub value: String,
    /// The rule that it breaks.
    pub rule: String,
    /// A value that would do.
    pub legal: String,
}

/// All that is wrong with a configuration: at least one fault.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
#[error("{} fault(s) in the configuration", .0.len())]
pub struct Faults(pub Vec<Fault>);

impl Config {
    /// Reads and checks a configuration.
    pub fn from_json(text: &str) -> Result<Config, Faults> {
        serde_json::from_str(text).map_err(|e| {
            Faults(vec![Fault { path: "".into(), value: "".into(), rule: e.to_string(), legal: "".into() }])
        })
    }
}

impl Hash {
    /// The CRC that this hash describes.
    pub fn crc(&self) -> Crc {
        let polynomial = u64::from_str_radix(self.polynomial.trim_start_matches("0x"), 16).unwrap_or(0);
        Crc { bits: self.crc_bits, polynomial }
    }
}

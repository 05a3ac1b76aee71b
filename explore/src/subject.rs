//! What a sweep is over.

use crate::network;
use railyard_input::Faults;
use railyard_network::description::Input;
use railyard_spec::{CheckedConfig, Config};
use serde_json::Value;

/// A switch, alone or in a network of equal ones.
pub(crate) enum Subject {
    /// Alone.
    Switch(Box<CheckedConfig>),
    /// A network.
    Network(Box<Input>),
}

impl Subject {
    /// Reads a switch description or a network file.
    ///
    /// # Errors
    /// What is wrong with it.
    pub fn read(document: &Value, is_network: bool) -> Result<Subject, Faults> {
        if is_network {
            return network::read(document).map(|input| Subject::Network(Box::new(input)));
        }
        Config::from_json(&document.to_string()).map(|config| Subject::Switch(Box::new(config)))
    }

    /// The switch.
    pub fn config(&self) -> &CheckedConfig {
        match self {
            Subject::Switch(config) => config,
            Subject::Network(input) => &input.config,
        }
    }
}

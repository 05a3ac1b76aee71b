//! What entries of a tables file have in common: members, and what can be wrong.

use crate::wiring::Wiring;
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};
use std::collections::BTreeSet;

/// A multicast tree.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct TreeEntry {
    /// The nodes that it joins.
    pub members: Vec<usize>,
    /// Its root switch.
    pub root: usize,
    /// Its switches, each with its ports.
    pub ports: Vec<(usize, Vec<usize>)>,
}

/// An entry does not exist in the network: a JSON pointer, the value, the rule, and what would be legal.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
#[error("{path}: {value} {rule}")]
pub struct TablesError {
    /// Where.
    pub path: String,
    /// What stands there.
    pub value: String,
    /// What is wrong.
    pub rule: String,
    /// A value that would do.
    pub legal: String,
}

impl TablesError {
    pub(crate) fn new(
        path: impl Into<String>,
        value: impl ToString,
        rule: impl Into<String>,
        legal: impl Into<String>,
    ) -> TablesError {
        TablesError { path: path.into(), value: value.to_string(), rule: rule.into(), legal: legal.into() }
    }

    /// The same of a part that stands at `path`.
    pub(crate) fn inside(self, path: &str) -> TablesError {
        TablesError { path: format!("{path}{}", self.path), ..self }
    }
}

/// The members of a tree's entry in order: at least two nodes, each once.
///
/// # Errors
/// They are not; paths are those of the entry.
pub(crate) fn members(entry: &[usize], wiring: &Wiring) -> Result<Vec<usize>, TablesError> {
    let nodes = wiring.nodes().len();
    let mut members = BTreeSet::new();
    for (number, &node) in entry.iter().enumerate() {
        let error = |rule: &str, legal: String| Err(TablesError::new(format!("/members/{number}"), node, rule, legal));
        if node >= nodes {
            return error("is no node", format!("0 to {}", nodes - 1));
        }
        if !members.insert(node) {
            return error("is there twice", "leave it out".into());
        }
    }
    match members.len() {
        0 | 1 => Err(TablesError::new("/members", format!("{entry:?}"), "must be at least two nodes", "[0, 1]")),
        _ => Ok(members.into_iter().collect()),
    }
}

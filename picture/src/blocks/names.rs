//! Sizes in words.

use railyard_spec::{Replacement, Topology};

/// A number of things: `1 plane`, `2 planes`.
pub fn count(number: usize, what: &str) -> String {
    format!("{number} {what}{}", if number == 1 { "" } else { "s" })
}

/// A replacement policy.
pub fn policy(replacement: Replacement) -> &'static str {
    match replacement {
        Replacement::Lru => "LRU",
        Replacement::PseudoLru => "pseudo-LRU",
        Replacement::RoundRobin => "round robin",
        Replacement::Random => "random",
    }
}

/// A family of topologies.
pub fn family(topology: Topology) -> &'static str {
    match topology {
        Topology::Cube => "cube",
        Topology::FatTree => "tree",
        Topology::Dragonfly => "Dragonfly",
    }
}

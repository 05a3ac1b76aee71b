//! A way that is not there.

/// Two nodes of which one can't send to the other; one, if its own multicast packets run in a ring.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
#[error("{}: {why}", pair(*source_node, *destination))]
pub struct Unreachable {
    /// The sender.
    pub source_node: usize,
    /// The receiver.
    pub destination: usize,
    /// The switch at which the way ends.
    pub switch: usize,
    /// How it ends there.
    pub why: String,
}

fn pair(source_node: usize, destination: usize) -> String {
    match source_node == destination {
        true => format!("no tree for packets of node {source_node}"),
        false => format!("no way from node {source_node} to node {destination}"),
    }
}

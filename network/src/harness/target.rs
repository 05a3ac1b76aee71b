//! Where packets go.

/// Where a packet goes.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub enum Destination {
    /// A node.
    Node(usize),
    /// The other members of a multicast group, by its tree of that number.
    Group {
        /// The group.
        group: usize,
        /// The tree.
        tree: usize,
    },
}

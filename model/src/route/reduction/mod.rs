//! Node reduction: from addresses to keys.

pub mod node_reduction;

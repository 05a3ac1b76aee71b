//! Barriers: the trees of switches in which arrivals are gathered and completions spread.

mod tree;

pub use tree::{BarrierTree, BarrierTreeError, Place};

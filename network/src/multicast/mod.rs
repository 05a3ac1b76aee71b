//! Multicast: trees, the selection of their roots, and the load messages that it goes by.

mod load;
mod select;
mod tree;

pub use load::{LoadBoard, LoadMessages};
pub use select::{Selection, Selector};
pub use tree::{roots, Tree, TreeError};

//! Node reduction: from a destination to the key of its route.

pub mod chunk_option;
pub mod cube_reduction;
pub mod cube_select;
pub mod dragonfly_reduction;
pub mod fat_tree_reduction;
pub mod node_reduction;
pub mod reduction_settings;

pub use self::{
    chunk_option::*, cube_reduction::*, cube_select::*, dragonfly_reduction::*, fat_tree_reduction::*,
    node_reduction::*, reduction_settings::*,
};

//! The memories of a block tree, as they are counted: where each is, and its bits.

use super::collect::{collect, Node};
use rust_hdl_core::prelude::Block;

/// A memory, or several that are alike.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Stored {
    /// Names of the blocks that it is in, the outermost first.
    pub inside: Vec<String>,
    /// Bits: words times width.
    pub bits: u64,
}

/// All memories under `block`: RAMs and register files.
pub fn stored(block: &dyn Block) -> Vec<Stored> {
    let mut list = Vec::new();
    walk(&collect(block, "top"), &mut Vec::new(), &mut list);
    list
}

fn walk(node: &Node, inside: &mut Vec<String>, list: &mut Vec<Stored>) {
    if let Some(memory) = &node.about.memory {
        let width = node.signals.iter().find(|signal| signal.path == "read_data").map_or(0, |signal| signal.width);
        list.push(Stored { inside: inside.clone(), bits: (memory.depth * width) as u64 });
    }
    inside.push(node.about.name.clone());
    node.children.iter().for_each(|child| walk(child, inside, list));
    inside.pop();
}

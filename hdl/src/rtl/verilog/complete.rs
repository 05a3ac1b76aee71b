//! Whether a constructor has set all that has no value of its own: widths and numbers.

use super::collect::{split_indices, Constant, Node};
use super::error::ElaborationError;
use std::collections::BTreeSet;

/// Adds what the constructor of a block has not set.
pub fn check(node: &Node, block: &str, errors: &mut Vec<ElaborationError>) {
    let readable = |path: &str| split_indices(path).0.replace('$', ".");
    let own = node.signals.iter().filter(|s| s.width == 0).map(|s| readable(&s.path));
    let registers = node.children.iter().filter(|child| child.about.register.is_some());
    let registers = registers.filter(|r| r.signals.iter().any(|s| s.width == 0)).map(|r| readable(&r.instance));
    let unset = node.constants.iter().filter(|(_, constant)| matches!(constant, Constant::Unset));
    let mut add = |signal: String, what: &str| {
        let message = format!("it has no {what}: the constructor does not set it");
        errors.push(ElaborationError { block: block.into(), signal, message });
    };
    own.chain(registers).collect::<BTreeSet<_>>().into_iter().for_each(|signal| add(signal, "width"));
    unset.for_each(|(name, _)| add(name.clone(), "value"));
}

//! What switches with these settings choose from.

use super::{Mode, NodeVcs, VcRule, Words};
use crate::check::{Choices, SourceChoice as CheckedVia};
use railyard_spec::misrouting::Policy;
use railyard_spec::{DragonflyShape, Via};

/// The choices of packets, and the VCs of nodes if replies are a class of packets.
pub fn choices(built: &DragonflyShape, words: &Words, nodes: Option<NodeVcs>) -> Choices {
    let value = |register, field| words.get(register, field).unwrap_or(0);
    let is = |mode: Mode| value("misrouting", "mode") == mode as u32;
    let via = built.valiant.map(|via| if via == Via::Group { CheckedVia::Group } else { CheckedVia::Switch });
    Choices {
        valiant: via.filter(|_| is(Mode::Valiant) || is(Mode::Ugal) || is(Mode::Piggyback)),
        policy: is(Mode::InTransit).then(|| Policy::ALL[value("misrouting", "policy") as usize]),
        local_detour: value("misrouting", "local_detour") == 1,
        escapes: is(Mode::Minimal) || value("patience", "tick") > 0,
        replies: nodes.is_some(),
        replies_from_nodes: nodes.is_none_or(NodeVcs::are_apart),
        ..Choices::MINIMAL
    }
}

/// Whether packets of a source, virtual channel and destination arrive in order: each goes the one minimal way, on VCs
/// that follow from each other.
pub fn keeps_order(words: &Words) -> bool {
    let value = |register, field| words.get(register, field).unwrap_or(0);
    value("misrouting", "mode") == Mode::Minimal as u32 && value("vc_rule", "rule") == VcRule::Next as u32
}

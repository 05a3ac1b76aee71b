//! Packets of the nodes from a file, for a network.

use super::Run;
use crate::blueprint::Blueprint;
use railyard_bench::traffic::{IdentityFormat, NodeTrace};
use railyard_input::{Faults, InputSource};

impl Run {
    /// Reads the text of a file of packets for a network. Packets have the lengths that its switches take, and room for
    /// header, source and number.
    ///
    /// # Errors
    /// All faults: file and line, value, rule.
    pub fn packets_of(blueprint: &Blueprint, file: &InputSource, text: &str) -> Result<NodeTrace, Faults> {
        let Blueprint { wiring, tables, rules, plan, .. } = blueprint;
        let nodes = wiring.nodes();
        let unicast = rules.unicast.iter().fold(0u64, |mask, vc| mask | 1 << vc);
        let built = |source: usize| (1 << plan.shape.vcs_at(nodes[source].port)) - 1;
        let vcs =
            |source: usize, destination| unicast & built(source) & tables.sending(nodes[source].switch, destination);
        let shortest = IdentityFormat::new(&plan.shape, nodes.len()).shortest();
        NodeTrace::parse(file, text, nodes.len(), (shortest, plan.shape.max_flits), vcs)
    }
}

//! Links that break under load, and what is stranded by them: it is no mismatch, but what was asked for.

use super::target::Destination;
use super::terminal::Terminal;
use super::Network;
use crate::barrier::{BarrierTree, TreePlace};
use crate::blueprint::{Blueprint, BlueprintError};
use crate::device::Device;
use crate::wiring::Port;
use serde::Serialize;
use std::sync::Arc;

/// A link that broke.
#[derive(Clone, Copy, Debug)]
pub struct Break {
    /// Its ends.
    pub ends: [Port; 2],
    /// Cycle of the run from which on nothing comes out of it.
    pub cycle: u64,
}

impl Break {
    /// Whether a barrier tree needs the link.
    pub fn is_in(&self, tree: &BarrierTree) -> bool {
        let uses = |end: &Port| {
            let TreePlace { leaves, parent } = tree.place(end.switch).unwrap_or_default();
            leaves >> end.port & 1 == 1 || parent == Some(end.port)
        };
        self.ends.iter().any(uses)
    }

    /// Whether packets of a node to a target go over the link.
    pub fn is_on_the_way(&self, source: usize, target: Destination, blueprint: &Blueprint) -> bool {
        match target {
            Destination::Node(node) => blueprint.way(source, node).any(|port| self.ends.contains(&port)),
            Destination::Group { group, tree } => {
                let tree = &blueprint.groups[group].trees[tree];
                self.ends.iter().any(|end| tree.ports(end.switch).any(|port| port == end.port))
            }
        }
    }
}

/// A link that broke, in a report.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize)]
pub struct BrokenLink {
    /// The end by which it was named.
    pub link: Port,
    /// Cycle of the run, as in the network file, from which on nothing came out of it.
    pub cycle: u64,
    /// Flits that were lost on it, in both directions, barrier messages among them.
    pub flits_lost: u64,
}

/// Links that broke, and what did not arrive for that reason.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
pub struct BrokenLinks {
    /// The links, in the order in which they broke.
    pub links: Vec<BrokenLink>,
    /// Packets whose way goes over one of them: lost there, or waiting for it for ever.
    pub packets_over: u64,
    /// Packets that go elsewhere, and wait for ever behind those.
    pub packets_behind: u64,
    /// Packets that no node could send any more.
    pub packets_queued: usize,
    /// Barrier groups with a barrier that can't complete.
    pub barrier_groups: Vec<usize>,
}

impl<D: Device> Network<D> {
    /// A link breaks: from now on nothing comes out at either end, and nobody is told. What was on its way is lost, and
    /// what waits for it waits for ever: [`Network::broken`] tells. No link can be taken out after that.
    ///
    /// # Errors
    /// There is no such link.
    pub fn break_link(&mut self, link: Port) -> Result<(), BlueprintError> {
        let wiring = &mut Arc::make_mut(&mut self.setting.blueprint).wiring;
        let far = if wiring.exists(link) { wiring.cut(link) } else { None };
        let ends = [link, far.ok_or(BlueprintError::NoLink(link))?];
        ends.iter().for_each(|end| self.stations[end.switch].break_link(end.port));
        let broken = Break { ends, cycle: self.of_run(self.now) };
        for (group, tree) in self.setting.blueprint.barriers.iter().enumerate() {
            if broken.is_in(tree) {
                self.barriers.cut(group);
            }
        }
        self.breaks.push(broken);
        Ok(())
    }

    /// The links that broke, and what has not arrived by now for that reason; none if no link broke.
    pub fn broken(&self) -> Option<BrokenLinks> {
        if self.breaks.is_empty() {
            return None;
        }
        let link = |broken: &Break| {
            let flits_lost = broken.ends.iter().map(|end| self.stations[end.switch].lost(end.port)).sum();
            BrokenLink { link: broken.ends[0], cycle: broken.cycle, flits_lost }
        };
        let blueprint = &self.setting.blueprint;
        let is_over =
            |(source, target)| self.breaks.iter().any(|broken| broken.is_on_the_way(source, target, blueprint));
        let waiting = self.scoreboard.under_way() as u64;
        let packets_over = self.scoreboard.waiting().filter(|packet| is_over(*packet)).count() as u64;
        Some(BrokenLinks {
            links: self.breaks.iter().map(link).collect(),
            packets_over,
            packets_behind: waiting - packets_over,
            packets_queued: self.terminals().map(Terminal::queued).sum(),
            barrier_groups: self.barriers.stranded(),
        })
    }
}

//! Dragonfly: groups whose switches are all linked to each other, and a link or more between each two groups (Kim and
//! others, 2008).
//!
//! Switch r of group g is number g a + r, node n of it is number n of p. Ports: first its nodes, then the other
//! switches of its group in order, then its global links.

mod arrangement;
mod exits;
mod tables;

pub use arrangement::{Arrangement, GlobalEnd};
pub(crate) use exits::Exits;

use super::{fault, is_within_limits, too_large};
use crate::wiring::{Port, Wiring};
use railyard_bench::traffic::NodeGroups;
use railyard_input::{Fault, Faults};
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

/// A Dragonfly of p nodes a switch, a switches a group, h global links a switch.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct Dragonfly {
    /// Nodes of a switch.
    #[schemars(range(min = 1, max = 62))]
    pub p: usize,
    /// Switches of a group.
    #[schemars(range(min = 1, max = 63))]
    pub a: usize,
    /// Global links of a switch.
    #[schemars(range(min = 1, max = 62))]
    pub h: usize,
    /// Groups, up to a h + 1. Left out: a h + 1.
    #[schemars(range(min = 2, max = 4096))]
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub groups: Option<usize>,
    /// Which global links lead to which group.
    #[serde(default)]
    pub arrangement: Arrangement,
    /// Links between two groups, at switches of their own. Left out: as many as there are ports for.
    #[schemars(range(min = 1, max = 4096))]
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub trunks: Option<usize>,
    /// Latencies of the links between switches.
    #[serde(default)]
    pub latency: ClassLatency,
}

/// Latencies by class of links.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(default, deny_unknown_fields)]
pub struct ClassLatency {
    /// Cycles from one end of a link inside a group to the other. Left out: `link_latency`.
    #[schemars(range(max = 1000))]
    #[serde(skip_serializing_if = "Option::is_none")]
    pub local: Option<u64>,
    /// The same of a link between groups.
    #[schemars(range(max = 1000))]
    #[serde(skip_serializing_if = "Option::is_none")]
    pub global: Option<u64>,
}

/// Class of a port of a switch.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum DragonflyPort {
    /// To the node of this number.
    Node(usize),
    /// To the switch of this number in the group.
    Local(usize),
    /// The global link of this number.
    Global(usize),
}

impl Dragonfly {
    /// All groups, in the palm-tree arrangement.
    pub fn new(p: usize, a: usize, h: usize) -> Dragonfly {
        let (groups, trunks) = (None, None);
        Dragonfly { p, a, h, groups, arrangement: Arrangement::PalmTree, trunks, latency: ClassLatency::default() }
    }

    /// Number of groups.
    pub fn groups(&self) -> usize {
        self.groups.unwrap_or(self.a * self.h + 1)
    }

    /// Switch `router` of a group.
    pub fn switch(&self, group: usize, router: usize) -> usize {
        group * self.a + router
    }

    /// Group of a switch, and its number in the group.
    pub fn place(&self, switch: usize) -> (usize, usize) {
        (switch / self.a, switch % self.a)
    }

    /// The port of switch `router` of a group that leads to switch `other` of the same group.
    pub fn local_port(&self, router: usize, other: usize) -> usize {
        self.p + other - usize::from(other > router)
    }

    /// The port of a global link.
    pub fn global_port(&self, link: usize) -> usize {
        self.p + self.a - 1 + link
    }

    /// What a port of switch `router` of a group is for; none if it is for nothing.
    pub fn class(&self, router: usize, port: usize) -> Option<DragonflyPort> {
        let global = self.global_port(0);
        match port {
            _ if port < self.p => Some(DragonflyPort::Node(port)),
            _ if port < global => Some(DragonflyPort::Local(port - self.p + usize::from(port - self.p >= router))),
            _ if port < global + self.h => Some(DragonflyPort::Global(port - global)),
            _ => None,
        }
    }

    /// Links between two groups, of an arrangement by rule.
    pub(super) fn trunks(&self) -> usize {
        self.trunks.unwrap_or(self.a * self.h / (self.groups() - 1).max(1))
    }

    pub(crate) fn wiring(&self, ports: usize) -> Result<Wiring, Faults> {
        self.check_size(ports)?;
        let links = self.global_links()?;
        let groups = self.groups();
        let mut wiring = Wiring::new(groups * self.a, ports);
        wiring.set_node_groups(NodeGroups { nodes: self.a * self.p, links: self.h });
        let nodes = (0..wiring.switches()).flat_map(|switch| (0..self.p).map(move |port| Port { switch, port }));
        nodes.for_each(|at| wiring.attach(at).expect("each port is wired once"));
        for group in 0..groups {
            for (router, other) in (0..self.a).flat_map(|router| (0..router).map(move |other| (router, other))) {
                let end =
                    |router, other| Port { switch: self.switch(group, router), port: self.local_port(router, other) };
                self.join(&mut wiring, [end(router, other), end(other, router)], self.latency.local);
            }
        }
        for ends in links {
            let end =
                |end: GlobalEnd| Port { switch: self.switch(end.group, end.router), port: self.global_port(end.link) };
            self.join(&mut wiring, ends.map(end), self.latency.global);
        }
        Ok(wiring)
    }

    fn join(&self, wiring: &mut Wiring, ends: [Port; 2], latency: Option<u64>) {
        wiring.link(ends[0], ends[1]).expect("each port is wired once");
        latency.iter().for_each(|&latency| ends.iter().for_each(|&end| wiring.set_latency(end, latency)));
    }

    fn check_size(&self, ports: usize) -> Result<(), Fault> {
        let Dragonfly { p, a, h, .. } = *self;
        let needed = p + a - 1 + h;
        if needed > ports {
            let rule = format!("needs {needed} ports (p + a - 1 + h), and the switch has {ports}");
            let legal = match ports.saturating_sub(a - 1 + h) {
                0 => format!("a switch with {needed} ports or more"),
                left => left.to_string(),
            };
            return Err(fault("/p", p, rule, legal));
        }
        let groups = self.groups();
        if !(2..=a * h + 1).contains(&groups) {
            let rule = format!("must be 2 to {}, which is a h + 1", a * h + 1);
            return Err(fault("/groups", groups, rule, (a * h + 1).to_string()));
        }
        let switches = groups * a;
        if !is_within_limits(switches, switches * p) {
            let most = (1..groups).rev().find(|groups| is_within_limits(groups * a, groups * a * p)).unwrap_or(1);
            return Err(fault("/groups", groups, too_large(), format!("up to {most} groups")));
        }
        Ok(())
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::wiring::Peer;

    #[test]
    fn sizes_are_those_of_the_literature() {
        for (h, sizes) in [(2, (36, 72, 7)), (4, (264, 1056, 15)), (8, (2064, 16512, 31))] {
            let fly = Dragonfly::new(h, 2 * h, h);
            let ports = h + 2 * h - 1 + h;
            let wiring = fly.wiring(ports).unwrap();
            assert_eq!((wiring.switches(), wiring.nodes().len(), ports), sizes);
            let groups = fly.groups();
            let local = groups * fly.a * (fly.a - 1) / 2;
            assert_eq!(wiring.links().count(), local + groups * (groups - 1) / 2);
            assert!(fly.wiring(ports - 1).is_err());
        }
    }

    #[test]
    fn ports_have_classes() {
        let fly = Dragonfly::new(2, 4, 2);
        let wiring = fly.wiring(8).unwrap();
        for switch in 0..wiring.switches() {
            let (group, router) = fly.place(switch);
            for port in 0..8 {
                match (fly.class(router, port), wiring.peer(Port { switch, port })) {
                    (Some(DragonflyPort::Node(number)), Peer::Node(node)) => assert_eq!(node, 2 * switch + number),
                    (Some(DragonflyPort::Local(other)), Peer::Switch(far)) => {
                        assert_eq!(far, Port { switch: fly.switch(group, other), port: fly.local_port(other, router) });
                    }
                    (Some(DragonflyPort::Global(_)), Peer::Switch(far)) => assert_ne!(fly.place(far.switch).0, group),
                    (None, Peer::Nothing) => assert_eq!(port, 7),
                    other => panic!("{other:?}"),
                }
            }
        }
    }

    #[test]
    fn links_have_the_latency_of_their_class() {
        let latency = ClassLatency { local: Some(10), global: Some(100) };
        let fly = Dragonfly { latency, ..Dragonfly::new(2, 4, 2) };
        let wiring = fly.wiring(7).unwrap();
        for switch in 0..wiring.switches() {
            let latencies: Vec<u64> = (0..7).map(|port| wiring.latency(Port { switch, port }, 1)).collect();
            assert_eq!(latencies, [1, 1, 10, 10, 10, 100, 100]);
        }
    }
}

//! Which port is wired to what.

use railyard_bench::traffic::NodeGroups;
use railyard_spec::network::Lanes;
use serde::{Deserialize, Serialize};
use std::collections::BTreeMap;
use std::fmt;

/// A port of a switch. In JSON `[switch, port]`.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord, Serialize, Deserialize, schemars::JsonSchema)]
#[serde(from = "(usize, usize)", into = "(usize, usize)")]
pub struct Port {
    /// The switch.
    pub switch: usize,
    /// Its port.
    pub port: usize,
}

impl From<(usize, usize)> for Port {
    fn from((switch, port): (usize, usize)) -> Port {
        Port { switch, port }
    }
}

impl From<Port> for (usize, usize) {
    fn from(port: Port) -> (usize, usize) {
        (port.switch, port.port)
    }
}

impl fmt::Display for Port {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "switch {} port {}", self.switch, self.port)
    }
}

/// What a port is wired to.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Peer {
    /// Nothing.
    Nothing,
    /// A node.
    Node(usize),
    /// A port of a switch.
    Switch(Port),
}

/// Switches of so many ports, the links between them, and the nodes: every link joins two ports, in both directions.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Wiring {
    ports: usize,
    /// By switch and port.
    peers: Vec<Peer>,
    /// Where each node is.
    nodes: Vec<Port>,
    /// Latencies of links that have their own, by both ends.
    latencies: BTreeMap<Port, u64>,
    /// Groups of consecutive nodes, if there are any.
    node_groups: Option<NodeGroups>,
    /// Distance of each switch from the top, for up*/down* routing: a link goes up toward the smaller (rank, number).
    ranks: Vec<usize>,
}

/// A port can't be wired.
#[derive(Clone, Copy, Debug, PartialEq, Eq, thiserror::Error)]
pub enum WiringError {
    /// There is no such port.
    #[error("{0}: there is no such port")]
    NoPort(Port),
    /// It is wired already.
    #[error("{0}: is wired already")]
    Taken(Port),
}

impl Wiring {
    /// Switches without a wire, all of rank 0.
    pub fn new(switches: usize, ports: usize) -> Wiring {
        Wiring {
            ports,
            peers: vec![Peer::Nothing; switches * ports],
            nodes: Vec::new(),
            latencies: BTreeMap::new(),
            node_groups: None,
            ranks: vec![0; switches],
        }
    }

    /// Wires the next node.
    ///
    /// # Errors
    /// The port is taken or doesn't exist.
    pub fn attach(&mut self, at: Port) -> Result<(), WiringError> {
        self.must_be_free(at)?;
        self.peers[at.switch * self.ports + at.port] = Peer::Node(self.nodes.len());
        self.nodes.push(at);
        Ok(())
    }

    /// Wires two ports to each other.
    ///
    /// # Errors
    /// A port is taken or doesn't exist, or both are the same.
    pub fn link(&mut self, a: Port, b: Port) -> Result<(), WiringError> {
        self.must_be_free(a)?;
        self.must_be_free(b)?;
        if a == b {
            return Err(WiringError::Taken(a));
        }
        self.peers[a.switch * self.ports + a.port] = Peer::Switch(b);
        self.peers[b.switch * self.ports + b.port] = Peer::Switch(a);
        Ok(())
    }

    /// Takes the link at a port out. Gives its other end, if there was a link.
    pub fn cut(&mut self, at: Port) -> Option<Port> {
        let Peer::Switch(far) = self.peer(at) else { return None };
        self.peers[at.switch * self.ports + at.port] = Peer::Nothing;
        self.peers[far.switch * self.ports + far.port] = Peer::Nothing;
        Some(far)
    }

    /// Its nodes stand in groups.
    pub(crate) fn set_node_groups(&mut self, groups: NodeGroups) {
        self.node_groups = Some(groups);
    }

    /// Groups of consecutive nodes, if there are any.
    pub fn node_groups(&self) -> Option<NodeGroups> {
        self.node_groups
    }

    /// The link at a port has a latency of its own.
    pub(crate) fn set_latency(&mut self, at: Port, latency: u64) {
        self.latencies.insert(at, latency);
    }

    /// Cycles from one end of the link at a port to the other, given those of links without a latency of their own.
    pub fn latency(&self, at: Port, others: u64) -> u64 {
        self.latencies.get(&at).copied().unwrap_or(others)
    }

    /// The longest of all links, given the latency of those without one of their own.
    pub fn longest_latency(&self, others: u64) -> u64 {
        self.latencies.values().copied().fold(others, u64::max)
    }

    /// The shortest, given the same.
    pub fn shortest_latency(&self, others: u64) -> u64 {
        self.latencies.values().copied().fold(others, u64::min)
    }

    /// Whether something can be wired to a port.
    ///
    /// # Errors
    /// It is taken or doesn't exist.
    pub(crate) fn must_be_free(&self, at: Port) -> Result<(), WiringError> {
        match self.exists(at) {
            false => Err(WiringError::NoPort(at)),
            true if self.peer(at) != Peer::Nothing => Err(WiringError::Taken(at)),
            true => Ok(()),
        }
    }

    /// Whether there is such a port, wired or not.
    pub fn exists(&self, at: Port) -> bool {
        at.switch < self.switches() && at.port < self.ports
    }

    /// Number of switches.
    pub fn switches(&self) -> usize {
        self.ranks.len()
    }

    /// Ports of a switch.
    pub fn ports(&self) -> usize {
        self.ports
    }

    /// What a port is wired to.
    pub fn peer(&self, at: Port) -> Peer {
        self.peers[at.switch * self.ports + at.port]
    }

    /// Where each node is wired.
    pub fn nodes(&self) -> &[Port] {
        &self.nodes
    }

    /// The links of a switch: own port, far port.
    pub fn links_of(&self, switch: usize) -> impl Iterator<Item = (usize, Port)> + '_ {
        let peers = self.peers[switch * self.ports..(switch + 1) * self.ports].iter().enumerate();
        peers.filter_map(|(port, peer)| match peer {
            Peer::Switch(far) => Some((port, *far)),
            Peer::Node(_) | Peer::Nothing => None,
        })
    }

    /// All links between switches, each once, from its lower end.
    pub fn links(&self) -> impl Iterator<Item = (Port, Port)> + '_ {
        let all = (0..self.switches())
            .flat_map(|switch| self.links_of(switch).map(move |(port, far)| (Port { switch, port }, far)));
        all.filter(|(near, far)| near < far)
    }

    /// The wiring by lanes: that of each port, then the edge ports, first those of the nodes. `latency` is that of
    /// links without one of their own.
    pub fn lanes(&self, latency: u64) -> Lanes {
        let mut origins = Vec::with_capacity(self.peers.len() + self.nodes.len());
        let mut edges: Vec<usize> = self.nodes.iter().map(|at| at.switch * self.ports + at.port).collect();
        for (lane, peer) in self.peers.iter().enumerate() {
            origins.push(match peer {
                Peer::Switch(far) => far.switch * self.ports + far.port,
                Peer::Node(node) => self.peers.len() + node,
                Peer::Nothing => {
                    edges.push(lane);
                    self.peers.len() + edges.len() - 1
                }
            });
        }
        origins.extend(edges);
        let port = |lane: usize| Port { switch: lane / self.ports, port: lane % self.ports };
        let latencies = (0..origins.len()).map(|lane| self.latency(port(lane), latency) as usize).collect();
        Lanes { switches: self.switches(), ports: self.ports, nodes: self.nodes.len(), origins, latencies }
    }

    /// The nodes of each switch, in order.
    pub(crate) fn nodes_by_switch(&self) -> Vec<Vec<usize>> {
        let mut of = vec![Vec::new(); self.switches()];
        self.nodes.iter().enumerate().for_each(|(node, at)| of[at.switch].push(node));
        of
    }

    /// Distance of a switch from the top.
    pub fn rank(&self, switch: usize) -> usize {
        self.ranks[switch]
    }

    /// Sets the ranks of all switches.
    pub(crate) fn set_ranks(&mut self, rank: impl Fn(usize) -> usize) {
        self.ranks = (0..self.switches()).map(rank).collect();
    }

    /// Ranks by distance from the nearest root; what can't be reached from any comes last.
    pub(crate) fn rank_from(&mut self, roots: &[usize]) {
        let mut ranks = vec![usize::MAX; self.switches()];
        let mut queue: std::collections::VecDeque<usize> = roots.iter().copied().collect();
        roots.iter().for_each(|&root| ranks[root] = 0);
        while let Some(switch) = queue.pop_front() {
            for (_, far) in self.links_of(switch) {
                if ranks[far.switch] == usize::MAX {
                    ranks[far.switch] = ranks[switch] + 1;
                    queue.push_back(far.switch);
                }
            }
        }
        self.ranks = ranks;
    }

    /// Whether a link from one switch to another goes up.
    pub fn goes_up(&self, from: usize, to: usize) -> bool {
        (self.ranks[to], to) < (self.ranks[from], from)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_port_is_wired_once() {
        let mut wiring = Wiring::new(2, 2);
        let [a, b] = [(0, 0), (1, 1)].map(Port::from);
        wiring.link(a, b).unwrap();
        assert_eq!(wiring.attach(b), Err(WiringError::Taken(b)));
        assert_eq!(wiring.link((0, 1).into(), (2, 0).into()), Err(WiringError::NoPort((2, 0).into())));
        assert_eq!(wiring.link((0, 1).into(), (0, 1).into()), Err(WiringError::Taken((0, 1).into())));
        assert_eq!(wiring.links().collect::<Vec<_>>(), [(a, b)]);
        assert_eq!((wiring.cut(b), wiring.cut(a)), (Some(a), None));
    }

    #[test]
    fn each_lane_has_a_partner() {
        let mut wiring = Wiring::new(2, 3);
        wiring.link((0, 1).into(), (1, 2).into()).unwrap();
        [(1, 0), (0, 2)].into_iter().for_each(|at| wiring.attach(at.into()).unwrap());
        wiring.set_latency((1, 2).into(), 5);
        let lanes = wiring.lanes(3);
        assert_eq!((lanes.switches, lanes.ports, lanes.nodes, lanes.edges()), (2, 3, 2, 4));
        assert_eq!(lanes.origins, [8, 5, 7, 6, 9, 1, 3, 2, 0, 4]);
        assert_eq!(lanes.latencies, [3, 3, 3, 3, 3, 5, 3, 3, 3, 3]);
        assert!(lanes.origins.iter().enumerate().all(|(lane, origin)| lanes.origins[*origin] == lane));
    }
}

//! Routes over each link and through each switch: what limits uniform traffic, whatever buffers and arbiters do.

use super::walks::Walks;
use crate::tables::Tables;
use crate::wiring::{Peer, Port, Wiring};

/// Routes of packets from each node to each other one, by where they go.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct RouteLoads {
    nodes: u64,
    ports: usize,
    /// By switch and port: routes that leave there for another switch.
    links: Vec<u64>,
    /// By switch: routes that go through it.
    switches: Vec<u64>,
}

impl RouteLoads {
    /// Of tables by which every node reaches every other one.
    pub fn new(wiring: &Wiring, tables: &Tables) -> RouteLoads {
        let (nodes, ports) = (wiring.nodes().len(), wiring.ports());
        let of_switch: Vec<u64> = wiring.nodes_by_switch().iter().map(|nodes| nodes.len() as u64).collect();
        let mut loads = RouteLoads {
            nodes: nodes as u64,
            ports,
            links: vec![0; wiring.switches() * ports],
            switches: vec![0; wiring.switches()],
        };
        let mut walks = Walks::new(wiring, tables);
        let mut routes = of_switch.clone();
        for to in 0..nodes {
            walks.walk_to(to).expect("the tables were checked");
            routes.copy_from_slice(&of_switch);
            // A node sends nothing to itself.
            routes[wiring.nodes()[to].switch] -= 1;
            for &switch in walks.nearest_first().iter().rev() {
                loads.switches[switch] += routes[switch];
                let port = tables.hop(switch, to).expect("the tables were checked").port;
                if let Peer::Switch(far) = wiring.peer(Port { switch, port }) {
                    loads.links[switch * ports + port] += routes[switch];
                    routes[far.switch] += routes[switch];
                }
            }
        }
        loads
    }

    /// All routes.
    pub fn routes(&self) -> u64 {
        self.nodes * (self.nodes - 1)
    }

    /// Routes through a switch.
    pub fn through(&self, switch: usize) -> u64 {
        self.switches[switch]
    }

    /// The link between switches that most routes go over, by the port at which they leave, with their number; of
    /// several the first one.
    pub fn busiest_link(&self) -> Option<(Port, u64)> {
        let most = self.links.iter().copied().max().filter(|&routes| routes > 0)?;
        let at = self.links.iter().position(|&routes| routes == most)?;
        Some((Port { switch: at / self.ports, port: at % self.ports }, most))
    }

    /// The load in flits for each node and cycle at which uniform traffic fills the busiest link, or the nodes' own.
    pub fn uniform_limit(&self) -> f64 {
        let links = self.busiest_link().map_or(1.0, |(_, routes)| (self.nodes - 1) as f64 / routes as f64);
        links.min(1.0)
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::topology::{Cube, FatTree, Topology};
    use railyard_spec::{Config, Shape};

    fn loads(topology: &Topology, shape: &Shape) -> RouteLoads {
        let wiring = topology.wiring(shape.ports).unwrap();
        RouteLoads::new(&wiring, &topology.tables(&wiring, shape))
    }

    #[test]
    fn as_counted_pair_by_pair() {
        let shape = Config::named("l").check().unwrap().shape();
        for topology in [Topology::FatTree(FatTree::new(4, 3)), Topology::Mesh(Cube { radix: vec![3, 4], nodes: 2 })] {
            let (loads, wiring) = (loads(&topology, &shape), topology.wiring(shape.ports).unwrap());
            let tables = topology.tables(&wiring, &shape);
            let mut links = vec![0; wiring.switches() * wiring.ports()];
            let mut switches = vec![0; wiring.switches()];
            let nodes = wiring.nodes().len();
            for (from, to) in (0..nodes).flat_map(|from| (0..nodes).map(move |to| (from, to))).filter(|(a, b)| a != b) {
                let mut switch = wiring.nodes()[from].switch;
                loop {
                    switches[switch] += 1;
                    let leaves = Port { switch, port: tables.hop(switch, to).unwrap().port };
                    let Peer::Switch(far) = wiring.peer(leaves) else { break };
                    links[switch * wiring.ports() + leaves.port] += 1;
                    switch = far.switch;
                }
            }
            assert_eq!((&loads.links, &loads.switches), (&links, &switches));
        }
    }

    /// A full fat tree carries what its nodes send; a mesh of 8 x 8 half of it, as its bisection is 8 links for 32
    /// nodes.
    #[test]
    fn limits_of_known_networks() {
        let shape = Config::named("l").check().unwrap().shape();
        let tree = loads(&Topology::FatTree(FatTree::new(8, 2)), &shape);
        assert_eq!(tree.uniform_limit(), 1.0);
        let mesh = loads(&Topology::Mesh(Cube { radix: vec![8, 8], nodes: 1 }), &shape);
        let expected = 8.0 * 63.0 / (32.0 * 32.0);
        assert!((mesh.uniform_limit() - expected).abs() < 1e-9, "{} {expected}", mesh.uniform_limit());
    }
}

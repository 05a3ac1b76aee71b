//! What headers say of destinations, so that no packet follows the tables when it is sent.

use crate::blueprint::Blueprint;
use crate::check::Walks;
use crate::placement::node_address;
use crate::wiring::{Peer, Port, Wiring};
use railyard_spec::RoutingShape;

/// Routes that are kept; larger networks follow the tables for each packet.
const KEPT: usize = 1 << 22;

/// The headers of unicast packets.
#[derive(Clone, Debug)]
pub enum Headers {
    /// Addresses of the nodes.
    Addresses(Vec<u64>),
    /// Lists of ports, by switch with nodes and by destination.
    Routes {
        /// Place of each node's switch among those with nodes.
        places: Vec<usize>,
        /// Destinations.
        nodes: usize,
        /// By place and destination.
        routes: Vec<u64>,
    },
    /// Lists of ports of so many bits each, too many to be kept.
    Followed(u32),
}

impl Headers {
    /// Of a network.
    pub fn new(blueprint: &Blueprint) -> Headers {
        let (wiring, shape) = (&blueprint.wiring, &blueprint.plan.shape);
        let nodes = wiring.nodes().len();
        match &shape.routing {
            RoutingShape::Source(_) => {
                let of_switches = places(wiring);
                let sources = of_switches.iter().flatten().count();
                if sources * nodes > KEPT {
                    return Headers::Followed(shape.port_bits);
                }
                let places = wiring.nodes().iter().filter_map(|at| of_switches[at.switch]).collect();
                Headers::Routes { places, nodes, routes: routes(blueprint, &of_switches, sources) }
            }
            RoutingShape::Table(_) | RoutingShape::Algorithmic(_) | RoutingShape::Dragonfly(_) => {
                Headers::Addresses((0..nodes).map(|node| node_address(&blueprint.plan, node)).collect())
            }
        }
    }

    /// That of packets from one node to another.
    #[inline]
    pub fn of(&self, blueprint: &Blueprint, source: usize, destination: usize) -> u64 {
        match self {
            Headers::Addresses(addresses) => addresses[destination],
            Headers::Routes { places, nodes, routes } => routes[places[source] * nodes + destination],
            Headers::Followed(bits) => {
                let hops = blueprint.route(source, destination).enumerate();
                hops.fold(0, |route, (i, port)| route | (port as u64) << (i as u32 * bits))
            }
        }
    }
}

/// The place of each switch with nodes among these.
fn places(wiring: &Wiring) -> Vec<Option<usize>> {
    let mut places = 0..;
    let place = |nodes: &Vec<usize>| if nodes.is_empty() { None } else { places.next() };
    wiring.nodes_by_switch().iter().map(place).collect()
}

/// The lists of ports. That of a switch is its port and the list of the next switch.
fn routes(blueprint: &Blueprint, places: &[Option<usize>], sources: usize) -> Vec<u64> {
    let Blueprint { wiring, tables, plan, .. } = blueprint;
    let (nodes, bits) = (wiring.nodes().len(), plan.shape.port_bits);
    let mut walks = Walks::new(wiring, tables);
    let (mut routes, mut of_switch) = (vec![0; sources * nodes], vec![0; wiring.switches()]);
    for to in 0..nodes {
        walks.walk_to(to).expect("the tables were checked");
        for &switch in walks.nearest_first() {
            let port = tables.hop(switch, to).expect("the tables were checked").port;
            let rest = match wiring.peer(Port { switch, port }) {
                Peer::Switch(far) => of_switch[far.switch],
                Peer::Node(_) | Peer::Nothing => 0,
            };
            of_switch[switch] = rest << bits | port as u64;
            if let Some(place) = places[switch] {
                routes[place * nodes + to] = of_switch[switch];
            }
        }
    }
    routes
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::blueprint::Plan;
    use crate::topology::{Cube, FatTree, Topology};
    use railyard_spec::{Config, Routing, SourceRouting};

    #[test]
    fn kept_routes_are_those_that_are_followed() {
        for topology in [Topology::FatTree(FatTree::new(4, 3)), Topology::Mesh(Cube { radix: vec![3, 2], nodes: 2 })] {
            let config = Config { ports: 8, routing: Routing::Source(SourceRouting { hops: 5 }), ..Config::named("h") };
            let shape = config.check().unwrap().shape();
            let followed = Headers::Followed(shape.port_bits);
            let blueprint = Blueprint::new(Plan::new(shape, topology)).unwrap();
            let (kept, nodes) = (Headers::new(&blueprint), blueprint.wiring.nodes().len());
            assert!(matches!(kept, Headers::Routes { .. }));
            for (from, to) in (0..nodes).flat_map(|from| (0..nodes).map(move |to| (from, to))).filter(|(a, b)| a != b) {
                assert_eq!(kept.of(&blueprint, from, to), followed.of(&blueprint, from, to));
            }
        }
    }
}

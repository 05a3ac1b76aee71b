//! The graph of a network in the language of Graphviz.

use crate::wiring::{Port, Wiring};
use petgraph::dot::{Config, Dot};
use petgraph::graph::{EdgeReference, NodeIndex, UnGraph};

/// What stands at a vertex.
#[derive(Debug)]
enum Vertex {
    Switch(usize),
    Node(usize),
}

/// A link, with its ports in the order of its vertices.
#[derive(Debug)]
struct Edge {
    ports: Vec<usize>,
    latency: Option<u64>,
}

/// Switches are boxes, nodes are circles. An edge has the ports at its ends, and its cycles if they are not
/// `link_latency`.
pub fn dot(wiring: &Wiring, link_latency: u64) -> String {
    let mut graph = UnGraph::<Vertex, Edge>::default();
    let switches: Vec<NodeIndex> =
        (0..wiring.switches()).map(|switch| graph.add_node(Vertex::Switch(switch))).collect();
    for (near, far) in wiring.links() {
        let latency = Some(wiring.latency(near, link_latency)).filter(|latency| *latency != link_latency);
        let edge = Edge { ports: vec![near.port, far.port], latency };
        graph.add_edge(switches[near.switch], switches[far.switch], edge);
    }
    for (node, Port { switch, port }) in wiring.nodes().iter().enumerate() {
        let vertex = graph.add_node(Vertex::Node(node));
        graph.add_edge(switches[*switch], vertex, Edge { ports: vec![*port], latency: None });
    }
    let edge = |_: &_, edge: EdgeReference<'_, Edge>| {
        let ports = ["taillabel", "headlabel"].into_iter().zip(&edge.weight().ports);
        let labels = ports.map(|(name, port)| format!("{name} = {port} "));
        labels.chain(edge.weight().latency.map(|cycles| format!("label = {cycles} "))).collect()
    };
    let vertex = |_: &_, (_, vertex): (NodeIndex, &Vertex)| match vertex {
        Vertex::Switch(switch) => format!("label = \"switch {switch}\" shape = box"),
        Vertex::Node(node) => format!("label = \"node {node}\" shape = circle"),
    };
    let config = [Config::NodeNoLabel, Config::EdgeNoLabel];
    format!("{:?}", Dot::with_attr_getters(&graph, &config, &edge, &vertex))
}

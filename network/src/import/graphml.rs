//! GraphML.
//!
//! An undirected graph. A vertex with data `type` is a switch (`switch`, `router`) or a host (`host`, `node`,
//! `server`). Where no vertex has a type, those with one edge are hosts. Data `latency` of an edge is its cycles, and
//! port names that are numbers are ports. Source: the GraphML primer, sections 2 and 3.

use super::fabric::{End, Fabric};
use super::Imported;
use railyard_input::{Fault, Faults};
use roxmltree::{Document, Node, ParsingOptions};
use std::collections::HashMap;

/// Most elements, attributes and texts of a file.
const MOST_PIECES: u32 = 4_000_000;

/// Most cycles of a link.
const MAX_LATENCY: u64 = 1000;

/// A vertex.
struct Vertex<'a> {
    id: &'a str,
    is_host: Option<bool>,
    edges: usize,
    line: usize,
}

/// An edge: its vertices and their ports.
struct Edge {
    ends: [(usize, Option<usize>); 2],
    latency: Option<u64>,
    line: usize,
}

/// The text, and what its elements mean.
struct Reader<'a> {
    document: &'a Document<'a>,
    /// Keys of the data `type` and `latency`, with the default value.
    keys: HashMap<&'a str, (&'static str, Option<&'a str>)>,
}

pub(super) fn read(text: &str, nodes_per_switch: Option<usize>) -> Result<Imported, Faults> {
    let options = ParsingOptions { nodes_limit: MOST_PIECES, ..ParsingOptions::default() };
    let document = Document::parse_with_options(text, options).map_err(|error| {
        super::lines::fault(error.pos().row as usize, error, "is no XML that can be read", "<graphml>")
    })?;
    let reader = Reader { document: &document, keys: keys(&document) };
    Ok(reader.read(nodes_per_switch)?)
}

/// The keys that mean something here.
fn keys<'a>(document: &'a Document<'a>) -> HashMap<&'a str, (&'static str, Option<&'a str>)> {
    let keys = document.root_element().children().filter(|child| child.has_tag_name("key"));
    let meaning = |key: Node<'a, 'a>| {
        let name = match key.attribute("attr.name")?.to_ascii_lowercase().as_str() {
            "type" | "kind" => "type",
            "latency" => "latency",
            _ => return None,
        };
        let default = key.children().find(|child| child.has_tag_name("default")).and_then(|child| child.text());
        Some((key.attribute("id")?, (name, default)))
    };
    keys.filter_map(meaning).collect()
}

impl<'a> Reader<'a> {
    fn line(&self, node: Node<'_, '_>) -> usize {
        self.document.text_pos_at(node.range().start).row as usize
    }

    fn fault(&self, node: Node<'_, '_>, value: &str, rule: &str, legal: &str) -> Fault {
        super::lines::fault(self.line(node), value, rule, legal)
    }

    /// The data of an element, or its default.
    fn data(&self, node: Node<'a, 'a>, name: &str) -> Option<&'a str> {
        let own = node.children().filter(|child| child.has_tag_name("data")).find(|child| {
            child.attribute("key").and_then(|key| self.keys.get(key)).is_some_and(|(found, _)| *found == name)
        });
        let default = || self.keys.values().find(|(found, _)| *found == name).and_then(|(_, default)| *default);
        own.and_then(|child| child.text()).or_else(default).map(str::trim)
    }

    fn attribute(&self, node: Node<'a, 'a>, name: &str) -> Result<&'a str, Fault> {
        let missing = || self.fault(node, node.tag_name().name(), &format!("has no attribute `{name}`"), "n0");
        node.attribute(name).ok_or_else(missing)
    }

    fn read(&self, nodes_per_switch: Option<usize>) -> Result<Imported, Fault> {
        let root = self.document.root_element();
        let graph = root.children().find(|child| child.has_tag_name("graph"));
        let graph = graph.ok_or_else(|| self.fault(root, root.tag_name().name(), "holds no graph", "<graph>"))?;
        let (mut vertices, mut numbers, mut edges) = (Vec::new(), HashMap::new(), Vec::new());
        for child in graph.children().filter(Node::is_element) {
            match child.tag_name().name() {
                "node" => {
                    let vertex = self.vertex(child)?;
                    if numbers.insert(vertex.id, vertices.len()).is_some() {
                        return Err(self.fault(child, vertex.id, "is a vertex that stands above, too", "another id"));
                    }
                    vertices.push(vertex);
                }
                "edge" => edges.push(child),
                "hyperedge" => return Err(self.fault(child, "hyperedge", "has more than two ends", "edge")),
                _ => {}
            }
        }
        let is_directed = graph.attribute("edgedefault") == Some("directed");
        let edges = edges.into_iter().map(|edge| self.edge(edge, is_directed, &numbers));
        let edges: Vec<Edge> = edges.collect::<Result<_, _>>()?;
        edges.iter().flat_map(|edge| edge.ends).for_each(|(vertex, _)| vertices[vertex].edges += 1);
        build(&vertices, &edges, nodes_per_switch)
    }

    fn vertex(&self, node: Node<'a, 'a>) -> Result<Vertex<'a>, Fault> {
        let is_host = match self.data(node, "type").map(str::to_ascii_lowercase).as_deref() {
            None => None,
            Some("switch" | "router") => Some(false),
            Some("host" | "node" | "server") => Some(true),
            Some(other) => return Err(self.fault(node, other, "is neither a switch nor a host", "switch")),
        };
        if let Some(inner) = node.children().find(|child| child.has_tag_name("graph")) {
            return Err(self.fault(inner, "graph", "is a graph inside of a vertex", "a graph without others inside"));
        }
        Ok(Vertex { id: self.attribute(node, "id")?, is_host, edges: 0, line: self.line(node) })
    }

    fn edge(&self, edge: Node<'a, 'a>, is_directed: bool, numbers: &HashMap<&str, usize>) -> Result<Edge, Fault> {
        if edge.attribute("directed").map_or(is_directed, |directed| directed == "true") {
            return Err(self.fault(edge, "edge", "is directed, and links lead both ways", "an undirected graph"));
        }
        let end = |vertex: &str, port: &str| {
            let id = self.attribute(edge, vertex)?;
            let number = numbers.get(id).ok_or_else(|| self.fault(edge, id, "is no vertex", "the id of a node"))?;
            Ok((*number, edge.attribute(port).and_then(|port| port.parse().ok())))
        };
        let latency = self.data(edge, "latency").map(|text| {
            let cycles = text.parse::<u64>().ok().filter(|cycles| *cycles <= MAX_LATENCY);
            let rule = format!("must be whole cycles from 0 to {MAX_LATENCY}");
            cycles.ok_or_else(|| self.fault(edge, text, &rule, "4"))
        });
        let ends = [end("source", "sourceport")?, end("target", "targetport")?];
        if ends[0].0 == ends[1].0 {
            let vertex = self.attribute(edge, "source")?;
            return Err(self.fault(edge, vertex, "is linked to itself", "a link to another vertex"));
        }
        Ok(Edge { ends, latency: latency.transpose()?, line: self.line(edge) })
    }
}

/// The network of a graph.
fn build(vertices: &[Vertex<'_>], edges: &[Edge], nodes_per_switch: Option<usize>) -> Result<Imported, Fault> {
    let is_typed = vertices.iter().any(|vertex| vertex.is_host.is_some());
    let is_host = |vertex: &Vertex<'_>| match nodes_per_switch {
        Some(_) => false,
        None => vertex.is_host.unwrap_or(!is_typed && vertex.edges == 1),
    };
    let mut fabric = Fabric::default();
    let mut switches = Vec::new();
    for vertex in vertices {
        let switch = match is_host(vertex) {
            true => None,
            false => Some(fabric.add_switch(vertex.id, vertex.line)?),
        };
        if let (Some(switch), Some(nodes)) = (switch, nodes_per_switch) {
            for node in 0..nodes {
                fabric.add_node(format!("{}.{node}", vertex.id), End::any(switch), vertex.line)?;
            }
        }
        switches.push(switch);
    }
    for Edge { ends, latency, line } in edges {
        let [near, far] = ends.map(|(vertex, port)| switches[vertex].map(|switch| End { switch, port }));
        match (near, far) {
            (Some(near), Some(far)) => fabric.add_link([near, far], *latency, *line)?,
            (Some(end), None) => fabric.add_node(vertices[ends[1].0].id, end, *line).map(drop)?,
            (None, Some(end)) => fabric.add_node(vertices[ends[0].0].id, end, *line).map(drop)?,
            (None, None) => {
                let rule = "is a host that is linked to another one";
                return Err(super::lines::fault(*line, vertices[ends[0].0].id, rule, "a link to a switch"));
            }
        }
    }
    fabric.finish(None, Vec::new())
}

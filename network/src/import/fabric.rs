//! Switches, links and nodes as they are read, and the ports that they get.

use super::lines::fault;
use super::Imported;
use crate::topology::{Links, SwitchLink, MAX_NODES, MAX_SWITCHES};
use crate::wiring::Port;
use railyard_input::Fault;
use std::collections::{BTreeSet, HashMap};

/// Most ports of a switch.
const MAX_PORTS: usize = 64;

/// Most links.
const MAX_LINKS: usize = MAX_SWITCHES * MAX_PORTS / 2;

/// An end of a link: a switch, and its port if the file names one.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) struct End {
    /// Number of the switch.
    pub switch: usize,
    /// Its port.
    pub port: Option<usize>,
}

impl End {
    /// At any port.
    pub fn any(switch: usize) -> End {
        End { switch, port: None }
    }

    /// At that port.
    pub fn at(switch: usize, port: usize) -> End {
        End { switch, port: Some(port) }
    }
}

/// A network that is being read.
#[derive(Debug, Default)]
pub(super) struct Fabric {
    switches: Vec<String>,
    nodes: Vec<(String, End, usize)>,
    links: Vec<([End; 2], Option<u64>, usize)>,
}

impl Fabric {
    /// Adds a switch that stands in that line; its number.
    pub fn add_switch(&mut self, name: impl Into<String>, line: usize) -> Result<usize, Fault> {
        if self.switches.len() == MAX_SWITCHES {
            return Err(too_many(line, "switches", MAX_SWITCHES));
        }
        self.switches.push(name.into());
        Ok(self.switches.len() - 1)
    }

    /// Adds a node that stands in that line; its number.
    pub fn add_node(&mut self, name: impl Into<String>, end: End, line: usize) -> Result<usize, Fault> {
        if self.nodes.len() == MAX_NODES {
            return Err(too_many(line, "nodes", MAX_NODES));
        }
        self.nodes.push((name.into(), end, line));
        Ok(self.nodes.len() - 1)
    }

    /// Adds a link that stands in that line.
    pub fn add_link(&mut self, ends: [End; 2], latency: Option<u64>, line: usize) -> Result<(), Fault> {
        if self.links.len() == MAX_LINKS {
            return Err(too_many(line, "links", MAX_LINKS));
        }
        self.links.push((ends, latency, line));
        Ok(())
    }

    /// Gives each end a port: first those that have one, then nodes, then links, in their order.
    pub fn finish(self, link_latency: Option<u64>, notes: Vec<String>) -> Result<Imported, Fault> {
        if self.nodes.len() < 2 {
            let rule = "nodes are in the file, which are too few for a network";
            return Err(Fault { path: String::new(), ..fault(0, self.nodes.len(), rule, "2") });
        }
        let mut ports = Ports::default();
        let from_links = self.links.iter().flat_map(|(ends, _, line)| ends.map(|end| (end, *line)));
        let from_nodes = self.nodes.iter().map(|(_, end, line)| (*end, *line));
        for (end, line) in from_nodes.chain(from_links) {
            ports.reserve(end, line)?;
        }
        let mut nodes = Vec::new();
        for (_, end, line) in &self.nodes {
            nodes.push(ports.place(*end, *line, &self.switches)?);
        }
        let mut links = Vec::new();
        for (ends, latency, line) in &self.links {
            let [a, b] = ends.map(|end| ports.place(end, *line, &self.switches));
            let latency = latency.filter(|latency| Some(*latency) != link_latency);
            links.push(SwitchLink { ends: [a?, b?], latency });
        }
        Ok(Imported {
            links: Links { switches: self.switches.len(), links, nodes, roots: None },
            link_latency,
            ports: ports.most,
            switches: self.switches,
            nodes: self.nodes.into_iter().map(|(name, ..)| name).collect(),
            lids: None,
            notes,
        })
    }
}

fn too_many(line: usize, what: &str, most: usize) -> Fault {
    fault(line, format!("{} {what}", most + 1), "are too many", format!("at most {most} {what}"))
}

/// Ports in use.
#[derive(Debug, Default)]
struct Ports {
    taken: BTreeSet<(usize, usize)>,
    /// Lowest port of a switch that may be free.
    next: HashMap<usize, usize>,
    /// Ports that a switch needs.
    most: usize,
}

impl Ports {
    /// Takes the port that an end names.
    fn reserve(&mut self, end: End, line: usize) -> Result<(), Fault> {
        let Some(port) = end.port else { return Ok(()) };
        if port >= MAX_PORTS {
            let rule = format!("is the number of a port from 0 on, and a switch has at most {MAX_PORTS}");
            return Err(fault(line, port, rule, format!("0 to {}", MAX_PORTS - 1)));
        }
        if !self.taken.insert((end.switch, port)) {
            return Err(fault(line, port, "is a port from 0 on that another link or node has", "a free port"));
        }
        Ok(())
    }

    /// The port of an end: its own, or the lowest free one.
    fn place(&mut self, end: End, line: usize, names: &[String]) -> Result<Port, Fault> {
        let switch = end.switch;
        let port = match end.port {
            Some(port) => port,
            None => {
                let next = self.next.entry(switch).or_default();
                while self.taken.contains(&(switch, *next)) {
                    *next += 1;
                }
                *next += 1;
                *next - 1
            }
        };
        if port >= MAX_PORTS {
            let rule = format!("needs more than {MAX_PORTS} ports, the most of a switch");
            return Err(fault(line, &names[switch], rule, "fewer links and nodes"));
        }
        self.taken.insert((switch, port));
        self.most = self.most.max(port + 1);
        Ok(Port { switch, port })
    }
}

//! A platform file of SimGrid. Source: its DTD, version 4.1.
//!
//! Each node is a host. A link is a `SPLITDUPLEX` link with the bandwidth of a flit a cycle. The cycles of a switch are
//! a `FATPIPE` link, which flows do not share.

use crate::tables::Tables;
use crate::wiring::{Peer, Port, Wiring};
use railyard_input::Fault;
use std::collections::HashSet;
use std::fmt::Write;

/// Most nodes for which the routes stand in the file: their number grows with the square.
const MOST_NODES: usize = 512;

/// A network with its units.
#[derive(Clone, Copy, Debug)]
pub struct Platform<'a> {
    /// The wiring.
    pub wiring: &'a Wiring,
    /// The tables whose routes stand in the file. Without them SimGrid takes shortest ways.
    pub tables: Option<&'a Tables>,
    /// Cycles of links without a latency of their own.
    pub link_latency: u64,
    /// Cycles of a header through an idle switch.
    pub switch_cycles: usize,
    /// Bits of a flit.
    pub flit_bits: u32,
    /// Clock in MHz.
    pub clock: f64,
    /// Operations of a node in 10^9 a second.
    pub gigaflops: f64,
}

/// The platform file.
///
/// # Errors
/// There are too many nodes for a file of all routes.
pub fn simgrid(platform: &Platform<'_>) -> Result<String, Fault> {
    let nodes = platform.wiring.nodes().len();
    if platform.tables.is_some() && nodes > MOST_NODES {
        return Err(Fault {
            path: "/topology".into(),
            value: format!("{nodes} nodes"),
            rule: format!("have too many routes for a platform file: it holds those of {MOST_NODES} nodes"),
            legal: "`--shortest`, which leaves routes to SimGrid".into(),
        });
    }
    let mut file = String::from(HEAD);
    platform.write(&mut file).expect("writing to a string succeeds");
    Ok(file)
}

/// SimGrid's default model is one of TCP; CM02 takes bandwidth and latency as they stand.
const HEAD: &str = "<?xml version=\"1.0\"?>
<!DOCTYPE platform SYSTEM \"https://simgrid.org/simgrid.dtd\">
<platform version=\"4.1\">
  <config>
    <prop id=\"network/model\" value=\"CM02\"/>
    <prop id=\"network/TCP-gamma\" value=\"0\"/>
  </config>
";

impl Platform<'_> {
    fn write(&self, file: &mut String) -> std::fmt::Result {
        let wiring = self.wiring;
        let routing = if self.tables.is_some() { "Full" } else { "Dijkstra" };
        writeln!(file, "  <zone id=\"network\" routing=\"{routing}\">")?;
        for node in 0..wiring.nodes().len() {
            writeln!(file, "    <host id=\"node{node}\" speed=\"{}Gf\"/>", self.gigaflops)?;
        }
        if self.tables.is_none() {
            for switch in 0..wiring.switches() {
                writeln!(file, "    <router id=\"router{switch}\"/>")?;
            }
        }
        for switch in 0..wiring.switches() {
            self.write_link(file, &format!("switch{switch}"), self.switch_cycles as u64, "FATPIPE")?;
        }
        for node in 0..wiring.nodes().len() {
            self.write_link(file, &node_link(node), self.link_latency, "SPLITDUPLEX")?;
        }
        for (near, far) in wiring.links() {
            self.write_link(file, &link(near, far), wiring.latency(near, self.link_latency), "SPLITDUPLEX")?;
        }
        match self.tables {
            Some(tables) => self.write_routes(file, tables)?,
            None => self.write_hops(file)?,
        }
        file.write_str("  </zone>\n</platform>\n")
    }

    fn write_link(&self, file: &mut String, id: &str, cycles: u64, policy: &str) -> std::fmt::Result {
        let bandwidth = f64::from(self.flit_bits) * self.clock;
        let latency = cycles as f64 * 1000.0 / self.clock;
        let values = format!("bandwidth=\"{bandwidth}Mbps\" latency=\"{latency}ns\"");
        writeln!(file, "    <link id=\"{id}\" {values} sharing_policy=\"{policy}\"/>")
    }

    /// The route from each node to each other one.
    fn write_routes(&self, file: &mut String, tables: &Tables) -> std::fmt::Result {
        let nodes = self.wiring.nodes();
        for (from, start) in nodes.iter().enumerate() {
            for to in (0..nodes.len()).filter(|to| *to != from) {
                let mut links = step(&node_link(from), "UP");
                let mut at = start.switch;
                loop {
                    links += &through(at);
                    let hop = tables.hop(at, to).expect("each node reaches each other one");
                    let near = Port { switch: at, port: hop.port };
                    let Peer::Switch(far) = self.wiring.peer(near) else { break };
                    links += &self.over(near, far);
                    at = far.switch;
                }
                links += &step(&node_link(to), "DOWN");
                write_route(file, &format!("node{from}"), &format!("node{to}"), &links)?;
            }
        }
        Ok(())
    }

    /// Each link by itself, in both directions: a switch's cycles are those of the link that leaves it.
    fn write_hops(&self, file: &mut String) -> std::fmt::Result {
        for (node, Port { switch, .. }) in self.wiring.nodes().iter().enumerate() {
            let (host, router) = (format!("node{node}"), format!("router{switch}"));
            write_route(file, &host, &router, &step(&node_link(node), "UP"))?;
            write_route(file, &router, &host, &(through(*switch) + &step(&node_link(node), "DOWN")))?;
        }
        // Of parallel links SimGrid's routes know one.
        let mut joined = HashSet::new();
        for (near, far) in self.wiring.links().filter(|(near, far)| joined.insert([near.switch, far.switch])) {
            for (near, far) in [(near, far), (far, near)] {
                let links = through(near.switch) + &self.over(near, far);
                write_route(file, &format!("router{}", near.switch), &format!("router{}", far.switch), &links)?;
            }
        }
        Ok(())
    }

    /// A link that is passed from one end to the other.
    fn over(&self, near: Port, far: Port) -> String {
        match near < far {
            true => step(&link(near, far), "UP"),
            false => step(&link(far, near), "DOWN"),
        }
    }
}

fn node_link(node: usize) -> String {
    format!("link_node{node}")
}

/// A link between switches, from its lower end.
fn link(low: Port, high: Port) -> String {
    format!("link_{}_{}_{}_{}", low.switch, low.port, high.switch, high.port)
}

fn step(link: &str, direction: &str) -> String {
    format!("<link_ctn id=\"{link}\" direction=\"{direction}\"/>")
}

fn through(switch: usize) -> String {
    format!("<link_ctn id=\"switch{switch}\"/>")
}

fn write_route(file: &mut String, from: &str, to: &str, links: &str) -> std::fmt::Result {
    writeln!(file, "    <route src=\"{from}\" dst=\"{to}\" symmetrical=\"NO\">{links}</route>")
}

//! Dumps of InfiniBand's forwarding tables.
//!
//! A switch begins with `Unicast lids [<first>-<last>] of switch <path> guid 0x<GUID> (<text>):`. A line below is a LID
//! and the port that leads there: `0x0004 013 ...`. Port 0 is the switch itself. Sources: `opensm/osm_dump.c` of
//! OpenSM, `infiniband-diags/dump_fts.c` of rdma-core.

use super::lines::{fault, lines, Line};
use super::Imported;
use crate::tables::{Entry, TablesFile};
use railyard_input::{Fault, Faults};
use std::collections::HashMap;

/// What forwarding tables are read with.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Lids {
    /// GUIDs of the switches, by number.
    pub switches: Vec<u64>,
    /// LIDs of the nodes with their number.
    pub nodes: Vec<(u64, usize)>,
}

/// The port of a LID to which there is no way. Source: `OSM_NO_PATH` of OpenSM.
const NO_PATH: usize = 255;

const HEAD: &str = "Unicast lids";
const LEGAL_HEAD: &str = "Unicast lids [0x0-0x9] of switch Lid 3 guid 0x0002c903000a1b2c (leaf):";

pub(super) fn read(text: &str, network: &Imported) -> Result<TablesFile, Faults> {
    let lids = network.lids.as_ref().expect("the network has LIDs");
    let switches: HashMap<u64, usize> = lids.switches.iter().copied().zip(0..).collect();
    let nodes: HashMap<u64, usize> = lids.nodes.iter().copied().collect();
    let mut routes = vec![Vec::new(); network.switches.len()];
    let mut current = None;
    for line in lines(text) {
        let mut words = line.text.split_ascii_whitespace();
        let (first, second) = (words.next().unwrap_or(""), words.next().unwrap_or(""));
        if line.text.starts_with(HEAD) {
            let switch = switch(line, &switches)?;
            if !routes[switch].is_empty() {
                return Err(line.fault(line.text, "is a switch that stands above, too", "each switch once").into());
            }
            routes[switch] = vec![None; network.nodes.len()];
            current = Some(switch);
        } else if let Some(lid) = first.strip_prefix("0x") {
            let switch = current.ok_or_else(|| line.fault(line.text, "is a route of no switch", LEGAL_HEAD))?;
            let bad = || line.fault(line.text, "is no LID with its port", "0x0004 013");
            let lid = u64::from_str_radix(lid, 16).map_err(|_| bad())?;
            let port: usize = second.parse().map_err(|_| bad())?;
            if let Some(&node) = nodes.get(&lid) {
                routes[switch][node] = match port {
                    // Port 0 is the switch: no way to a node.
                    0 | NO_PATH => None,
                    _ if port <= network.ports => Some(Entry::Port(port - 1)),
                    _ => {
                        let rule = format!("is a port behind the last one that has a link, {}", network.ports);
                        return Err(line.fault(port, rule, "a port with a link, or 255 for none").into());
                    }
                };
            }
        } else if !(matches!(first, "Lid" | "Port") || line.text.ends_with("lids dumped")) {
            return Err(line.fault(line.text, "is no line of a dump of unicast tables", LEGAL_HEAD).into());
        }
    }
    match routes.iter().position(Vec::is_empty) {
        Some(switch) => {
            let rule = "is a switch whose table is not in the dump";
            let fault = fault(0, &network.switches[switch], rule, "a dump with the tables of all switches");
            Err(Fault { path: String::new(), ..fault }.into())
        }
        None => Ok(TablesFile { routes, layers: Vec::new(), trees: Vec::new(), barriers: Vec::new() }),
    }
}

/// The switch of a head.
fn switch(line: Line<'_>, switches: &HashMap<u64, usize>) -> Result<usize, Fault> {
    let behind = line.text.split_once(" guid 0x").map(|(_, behind)| behind);
    let guid = behind.and_then(|behind| u64::from_str_radix(behind.split(' ').next()?, 16).ok());
    let guid = guid.ok_or_else(|| line.fault(line.text, "has no GUID of a switch", LEGAL_HEAD))?;
    let number = switches.get(&guid).copied();
    number.ok_or_else(|| line.fault(format!("0x{guid:016x}"), "is no switch of the network", "one of its switches"))
}

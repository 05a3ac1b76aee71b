//! A netlist as Yosys writes it (`write_json`), read strictly.

use crate::error::Error;
use crate::liberty::Liberty;
use indexmap::IndexMap;
use serde::Deserialize;
use std::collections::BTreeMap;

/// A net is numbered; a constant is `0`, `1`, `x` or `z`.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Deserialize)]
#[serde(untagged)]
pub(crate) enum Bit {
    Net(u64),
    Constant(char),
}

/// A port of a module, or a pin of an instance.
pub(crate) struct Port {
    pub name: String,
    pub is_input: bool,
    pub bits: Vec<Bit>,
}

/// A cell, or a module in a module.
pub(crate) struct Instance {
    pub name: String,
    pub module: String,
    pub pins: Vec<Port>,
}

/// What is in a module.
pub(crate) struct Circuit {
    pub ports: Vec<Port>,
    pub instances: Vec<Instance>,
    /// Names of nets.
    pub names: BTreeMap<u64, String>,
}

/// The file: its order is that of the netlist.
#[derive(Deserialize)]
struct File {
    modules: IndexMap<String, Module>,
}

#[derive(Deserialize)]
struct Module {
    ports: IndexMap<String, ModulePort>,
    cells: IndexMap<String, Cell>,
    netnames: IndexMap<String, NetName>,
}

#[derive(Deserialize)]
struct ModulePort {
    direction: String,
    bits: Vec<Bit>,
}

#[derive(Deserialize)]
struct Cell {
    #[serde(rename = "type")]
    kind: String,
    /// Yosys knows the directions of black boxes, not those of the library's cells.
    #[serde(default)]
    port_directions: IndexMap<String, String>,
    connections: IndexMap<String, Vec<Bit>>,
}

#[derive(Deserialize)]
struct NetName {
    hide_name: u8,
    bits: Vec<Bit>,
}

impl Circuit {
    /// A module of a netlist.
    ///
    /// # Errors
    /// It is no netlist, or does not hold the module.
    pub fn read(module: &str, json: &str, liberty: &Liberty) -> Result<Circuit, Error> {
        let bad = |what: String| Error::Result { tool: "yosys".into(), module: module.into(), what };
        let mut file: File = serde_json::from_str(json).map_err(|e| bad(format!("netlist.json: {e}")))?;
        let this = file.modules.swap_remove(module);
        let Module { ports, cells, netnames } =
            this.ok_or_else(|| bad("netlist.json does not hold the module".into()))?;
        let port =
            |(name, port): (String, ModulePort)| Port { name, is_input: port.direction == "input", bits: port.bits };
        let instances =
            cells.into_iter().enumerate().map(|(number, (name, cell))| instance(number, name, cell, liberty));
        Ok(Circuit {
            ports: ports.into_iter().map(port).collect(),
            instances: instances.collect(),
            names: names(netnames),
        })
    }

    /// A number that no net has, and none above it.
    pub fn next_net(&self) -> u64 {
        let pins = self.instances.iter().flat_map(|i| &i.pins).chain(&self.ports).flat_map(|p| &p.bits);
        pins.filter_map(|b| if let Bit::Net(n) = b { Some(*n + 1) } else { None }).max().unwrap_or(2)
    }
}

fn instance(number: usize, name: String, cell: Cell, liberty: &Liberty) -> Instance {
    let Cell { kind, port_directions, connections } = cell;
    let known = liberty.cell(&kind);
    let is_input = |pin: &str| match port_directions.get(pin) {
        Some(direction) => direction == "input",
        None => known.is_some_and(|c| c.pins.iter().any(|p| p.name == *pin && p.direction == "input")),
    };
    Instance {
        name: if name.starts_with('$') { format!("_cell_{number}_") } else { name },
        pins: connections.into_iter().map(|(pin, bits)| Port { is_input: is_input(&pin), name: pin, bits }).collect(),
        module: kind,
    }
}

/// The name of each net that says most: one from the source, the shortest. What Yosys or ABC made up is called as
/// Yosys' Verilog calls it.
fn names(netnames: IndexMap<String, NetName>) -> BTreeMap<u64, String> {
    let mut names: BTreeMap<u64, (bool, usize, String)> = BTreeMap::new();
    for (name, net) in netnames {
        for (i, bit) in net.bits.iter().enumerate() {
            let Bit::Net(number) = bit else { continue };
            let name = if net.bits.len() > 1 { format!("{name}[{i}]") } else { name.clone() };
            let candidate = (net.hide_name == 1, name.len(), name);
            match names.get(number) {
                Some(known) if *known <= candidate => {}
                _ => drop(names.insert(*number, candidate)),
            }
        }
    }
    let named = |(net, (hidden, _, name))| (net, if hidden { format!("_{net}_") } else { name });
    names.into_iter().map(named).collect()
}

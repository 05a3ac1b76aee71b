//! Large designs by parts: each part is synthesised once, flat, and the netlists are linked.
//!
//! - *Opened* are the top, a switch inside of it, the units that both instantiate (and what a unit that is a mere
//!   wrapper of memories holds),
//!   and below them the modules that hold no state but other modules (the planes of a crossbar). What they instantiate,
//!   and is not opened itself, is a *part*: a VC buffer, a miss table, a column of a crossbar plane.
//! - Parts are synthesised flat, on their own; of an opened module only the logic between its parts is. Parts are small
//!   on purpose: ABC gives back the speed of whatever is not on the longest path of what it is given, and does not know
//!   which inputs come late.
//! - In the opened modules, a net with more load than ABC has reckoned with gets a tree of buffers. Loads are those of
//!   the parts' netlists.
//! - What OpenSTA times is the whole, each netlist once and instantiated as often as it is needed: a path through three
//!   parts is timed as one path. Logic is not optimised across the border of parts.

use crate::circuit::{Bit, Circuit, Instance, Port};
use crate::design::{Hierarchy, MemoryShape};
use crate::error::Error;
use crate::liberty::{Cell, Liberty};
use crate::synthesis::Synthesis;
use serde::{Deserialize, Serialize};
use std::collections::{BTreeMap, BTreeSet};
use std::fmt::Write;

/// How a design is divided.
#[derive(Clone, Debug, Default, PartialEq)]
pub(crate) struct Plan {
    /// Opened modules, each after all that it instantiates; the top is the last.
    pub opened: Vec<String>,
    /// Parts.
    pub parts: Vec<String>,
}

impl Plan {
    /// Whether there are registers or memories in `module`.
    pub fn holds_state(module: &str, hierarchy: &Hierarchy, modules: &BTreeMap<String, String>) -> bool {
        let own = |m: &String| modules.get(m).is_some_and(|t| t.contains("posedge")) || MemoryShape::of(m).is_some();
        hierarchy.order(module).iter().any(own)
    }

    /// Divides what is under `top`; the module `switch` in it is divided as if it were the top.
    pub fn new(top: &str, switch: Option<&str>, hierarchy: &Hierarchy, modules: &BTreeMap<String, String>) -> Self {
        let mut plan = Self::default();
        let mut parts = BTreeSet::new();
        let units: BTreeSet<String> =
            [Some(top), switch].into_iter().flatten().flat_map(|top| Self::units(top, hierarchy, modules)).collect();
        for module in hierarchy.order(top) {
            let seen = module == top || plan.opened.iter().any(|o| hierarchy.children(o).contains(&module));
            if !seen {
                continue;
            }
            let wires_only = !hierarchy.children(&module).is_empty() && !Self::holds_state(&module, hierarchy, modules);
            // A memory is no part of its own: it stays in what instantiates it.
            let is_memory = |child: &String| MemoryShape::of(child).is_some();
            let modules_only =
                !hierarchy.children(&module).is_empty() && !hierarchy.children(&module).iter().any(is_memory);
            let unit = modules_only && units.contains(&module);
            if module == top || unit || wires_only {
                plan.opened.push(module);
            } else {
                parts.insert(module);
            }
        }
        plan.opened.reverse();
        plan.parts = parts.into_iter().collect();
        plan
    }

    /// The units of `top`: what it instantiates, and what stands in these for them: the one kind of module that a unit
    /// without registers of its own holds, if there are memories in it. Without memories it is small enough for a part.
    fn units(top: &str, hierarchy: &Hierarchy, modules: &BTreeMap<String, String>) -> BTreeSet<String> {
        let mut units = BTreeSet::new();
        let mut open: Vec<String> = hierarchy.children(top);
        while let Some(unit) = open.pop() {
            let children = hierarchy.children(&unit);
            let has_memory = |child: &String| hierarchy.order(child).iter().any(|m| MemoryShape::of(m).is_some());
            let is_wrapper = children.len() == 1 && !modules.get(&unit).is_some_and(|text| text.contains("posedge"));
            if is_wrapper && has_memory(&children[0]) {
                open.extend(children);
            }
            units.insert(unit);
        }
        units
    }
}

/// A module's ports alone, as a black box: its text up to the end of its (ANSI) port list.
pub(crate) fn black_box(text: &str) -> String {
    let mut head = String::new();
    for line in text.lines().filter(|l| !l.starts_with('`')) {
        let code = line.split("//").next().unwrap_or("").replace("output reg ", "output wire ");
        match code.split_once(");") {
            Some((before, _)) => return format!("(* blackbox *)\n{}{before});\nendmodule\n", head.trim_start()),
            None if code.trim().is_empty() => {}
            None => head += &format!("{}\n", code.trim_end()),
        }
    }
    head
}

/// A module after synthesis: what linking and counting need.
#[derive(Clone, Debug, Default, Serialize, Deserialize)]
pub(crate) struct Netlist {
    /// Verilog (of a part).
    pub verilog: String,
    /// Yosys' JSON (of an opened module).
    pub json: String,
    /// Its own cells; no paths.
    pub counts: Synthesis,
    /// Load of each bit of each input in fF.
    pub loads: BTreeMap<String, Vec<f64>>,
}

/// Loads that the parts of a design have for those who drive them.
#[derive(Default)]
pub(crate) struct Loads(BTreeMap<String, BTreeMap<String, Vec<f64>>>);

impl Loads {
    pub fn insert(&mut self, module: &str, loads: BTreeMap<String, Vec<f64>>) {
        self.0.insert(module.to_string(), loads);
    }

    fn pin(&self, liberty: &Liberty, memory_load: f64, module: &str, pin: &str, bit: usize) -> f64 {
        if let Some(loads) = self.0.get(module) {
            return loads.get(pin).and_then(|l| l.get(bit)).copied().unwrap_or(0.0);
        }
        match liberty.cell(module) {
            Some(cell) => cell.pins.iter().find(|p| p.name == pin).map_or(0.0, |p| p.capacitance),
            None => memory_load,
        }
    }
}

/// Loads at the inputs of a flat netlist, from its JSON.
pub(crate) fn input_loads(
    module: &str,
    json: &str,
    liberty: &Liberty,
    memory_load: f64,
    loads: &Loads,
) -> Result<BTreeMap<String, Vec<f64>>, Error> {
    let circuit = Circuit::read(module, json, liberty)?;
    Ok(loads_of(&circuit, liberty, memory_load, loads))
}

fn loads_of(circuit: &Circuit, liberty: &Liberty, memory_load: f64, loads: &Loads) -> BTreeMap<String, Vec<f64>> {
    let mut at: BTreeMap<u64, f64> = BTreeMap::new();
    for instance in &circuit.instances {
        for pin in instance.pins.iter().filter(|p| p.is_input) {
            for (i, bit) in pin.bits.iter().enumerate() {
                if let Bit::Net(net) = bit {
                    *at.entry(*net).or_default() += loads.pin(liberty, memory_load, &instance.module, &pin.name, i);
                }
            }
        }
    }
    let load = |bit: &Bit| if let Bit::Net(net) = bit { at.get(net).copied().unwrap_or(0.0) } else { 0.0 };
    let inputs = circuit.ports.iter().filter(|p| p.is_input);
    inputs.map(|p| (p.name.clone(), p.bits.iter().map(load).collect())).collect()
}

/// An opened module, linked.
pub(crate) struct Linked {
    /// Verilog with the buffers.
    pub verilog: String,
    /// Loads at its inputs.
    pub loads: BTreeMap<String, Vec<f64>>,
    /// Buffers put in.
    pub buffers: BTreeMap<String, u64>,
}

/// Puts buffers into an opened module and prints it.
pub(crate) fn link(
    module: &str,
    json: &str,
    liberty: &Liberty,
    memory_load: f64,
    loads: &Loads,
    clock: &str,
) -> Result<Linked, Error> {
    let mut circuit = Circuit::read(module, json, liberty)?;
    let buffers = Buffers::new(liberty);
    let ideal: BTreeSet<Bit> =
        circuit.ports.iter().filter(|p| p.name == clock).flat_map(|p| p.bits.iter().copied()).collect();
    // Who hangs on which net: instance, pin, bit.
    let mut sinks: BTreeMap<u64, Vec<(usize, usize, usize, f64)>> = BTreeMap::new();
    for (i, instance) in circuit.instances.iter().enumerate() {
        for (p, pin) in instance.pins.iter().enumerate().filter(|(_, pin)| pin.is_input) {
            for (b, bit) in pin.bits.iter().enumerate().filter(|(_, bit)| !ideal.contains(bit)) {
                if let Bit::Net(net) = bit {
                    let load = loads.pin(liberty, memory_load, &instance.module, &pin.name, b);
                    sinks.entry(*net).or_default().push((i, p, b, load));
                }
            }
        }
    }
    let mut next = circuit.next_net();
    let mut used: BTreeMap<String, u64> = BTreeMap::new();
    for (net, mut list) in sinks {
        let total = |list: &[(usize, usize, usize, f64)]| list.iter().map(|s| s.3).sum::<f64>();
        let name = circuit.names.get(&net).cloned().unwrap_or_else(|| format!("n{net}"));
        let mut number = 0;
        while total(&list) > buffers.free && !buffers.kinds.is_empty() {
            let before = list.len();
            let mut level = Vec::new();
            for group in groups(&list, buffers.group) {
                let load = total(group);
                let kind = buffers.for_load(load);
                let driven = Bit::Net(next);
                circuit.names.insert(next, format!("{name}_fanout_{number}"));
                for (i, p, b, _) in group {
                    circuit.instances[*i].pins[*p].bits[*b] = driven;
                }
                let pin = |name: &str, is_input, bit| Port { name: name.into(), is_input, bits: vec![bit] };
                circuit.instances.push(Instance {
                    name: format!("{name}_buffer_{number}"),
                    module: kind.cell.name.clone(),
                    pins: vec![pin(&kind.input, true, Bit::Net(net)), pin(&kind.output, false, driven)],
                });
                *used.entry(kind.cell.name.clone()).or_default() += 1;
                level.push((circuit.instances.len() - 1, 0, 0, kind.load));
                (next, number) = (next + 1, number + 1);
            }
            list = level;
            // A single buffer is the end; so is a level that does not shrink.
            if list.len() == 1 || list.len() >= before {
                break;
            }
        }
    }
    Ok(Linked {
        loads: loads_of(&circuit, liberty, memory_load, loads),
        verilog: print(module, &circuit),
        buffers: used,
    })
}

/// Runs of sinks of up to `limit` fF each, as equal as can be.
fn groups(list: &[(usize, usize, usize, f64)], limit: f64) -> Vec<&[(usize, usize, usize, f64)]> {
    let total: f64 = list.iter().map(|s| s.3).sum();
    let share = total / (total / limit).ceil().max(1.0);
    let (mut found, mut start, mut sum) = (Vec::new(), 0, 0.0);
    for (i, sink) in list.iter().enumerate() {
        if i > start && sum + sink.3 / 2.0 > share {
            found.push(&list[start..i]);
            (start, sum) = (i, 0.0);
        }
        sum += sink.3;
    }
    found.push(&list[start..]);
    found
}

/// A buffer of the library.
struct Kind<'a> {
    cell: &'a Cell,
    input: String,
    output: String,
    /// Load of its input in fF.
    load: f64,
    /// Load that it drives well: an eighth of what it may drive at all.
    drives: f64,
}

struct Buffers<'a> {
    kinds: Vec<Kind<'a>>,
    /// What a part drives without a buffer: one and a half times what ABC has reckoned with.
    free: f64,
    /// What a buffer of a tree drives.
    group: f64,
}

impl<'a> Buffers<'a> {
    fn new(liberty: &'a Liberty) -> Self {
        let kind = |cell: &'a Cell| {
            let input = cell.pins.iter().find(|p| p.direction == "input")?;
            let output = cell.pins.iter().find(|p| p.direction == "output")?;
            let most = output.max_load.unwrap_or(64.0 * input.capacitance);
            let (load, drives) = (input.capacitance, most / 8.0);
            Some(Kind { cell, input: input.name.clone(), output: output.name.clone(), load, drives })
        };
        let kinds = liberty.buffers().into_iter().filter_map(kind).collect();
        Self { kinds, free: 1.5 * liberty.load(), group: 8.0 * liberty.load() }
    }

    /// The smallest that drives the load well.
    fn for_load(&self, load: f64) -> &Kind<'a> {
        let strongest = || self.kinds.iter().max_by(|a, b| a.drives.total_cmp(&b.drives));
        self.kinds.iter().find(|k| k.drives >= load).or_else(strongest).expect("asked for only if there are any")
    }
}

/// Verilog of a module: OpenSTA reads named ports, concatenations and single assignments.
fn print(module: &str, circuit: &Circuit) -> String {
    let escaped = |name: &str| {
        let plain = name.bytes().all(|b| b.is_ascii_alphanumeric() || b == b'_');
        if plain && !name.as_bytes()[0].is_ascii_digit() {
            name.to_string()
        } else {
            format!("\\{name} ")
        }
    };
    let mut text = format!("module {module} (");
    let ports: Vec<String> = circuit.ports.iter().map(|p| escaped(&p.name)).collect();
    text += &format!("{});\n", ports.join(", "));
    // What a net is called: the port that it is, or a wire.
    let mut names: BTreeMap<u64, String> = BTreeMap::new();
    let mut assigns = String::new();
    let constant = |c: &char| if *c == '1' { "1'b1" } else { "1'b0" };
    for is_input in [true, false] {
        for port in circuit.ports.iter().filter(|p| p.is_input == is_input) {
            let range = if port.bits.len() > 1 { format!("[{}:0] ", port.bits.len() - 1) } else { String::new() };
            let direction = if is_input { "input" } else { "output" };
            let _ = writeln!(text, "  {direction} {range}{};", escaped(&port.name));
            for (i, bit) in port.bits.iter().enumerate() {
                let here =
                    if port.bits.len() > 1 { format!("{}[{i}]", escaped(&port.name)) } else { escaped(&port.name) };
                match bit {
                    Bit::Constant(c) => {
                        let _ = writeln!(assigns, "  assign {here} = {};", constant(c));
                    }
                    Bit::Net(net) => match names.get(net) {
                        Some(known) => {
                            let _ = writeln!(assigns, "  assign {here} = {known};");
                        }
                        None => drop(names.insert(*net, here)),
                    },
                }
            }
        }
    }
    let taken: BTreeSet<&str> = circuit.ports.iter().map(|p| p.name.as_str()).collect();
    let mut wires: BTreeSet<u64> = BTreeSet::new();
    for bit in circuit.instances.iter().flat_map(|i| &i.pins).flat_map(|p| &p.bits) {
        if let Bit::Net(net) = bit {
            if !names.contains_key(net) {
                wires.insert(*net);
            }
        }
    }
    for net in wires {
        let name = circuit.names.get(&net).filter(|n| !taken.contains(n.as_str()));
        let name = name.map_or_else(|| format!("n{net}"), |n| escaped(n));
        let _ = writeln!(text, "  wire {name};");
        names.insert(net, name);
    }
    text += &assigns;
    let name = |bit: &Bit| match bit {
        Bit::Net(net) => names[net].as_str(),
        Bit::Constant(c) => constant(c),
    };
    for instance in &circuit.instances {
        let _ = write!(text, "  {} {} (", instance.module, escaped(&instance.name));
        for (i, pin) in instance.pins.iter().enumerate() {
            text += if i > 0 { ", ." } else { "." };
            text += &pin.name;
            text.push('(');
            if pin.bits.len() > 1 {
                text.push('{');
            }
            for (b, bit) in pin.bits.iter().rev().enumerate() {
                text += if b > 0 { ", " } else { "" };
                text += name(bit);
            }
            text += if pin.bits.len() > 1 { "})" } else { ")" };
        }
        text += ");\n";
    }
    text + "endmodule\n"
}

/// Adds `n` times what `other` has.
pub(crate) fn add(sum: &mut Synthesis, other: &Synthesis, n: u64) {
    sum.cells += other.cells * n;
    sum.registers += other.registers * n;
    sum.cell_area_um2 = crate::synthesis::rounded(sum.cell_area_um2 + other.cell_area_um2 * n as f64);
    sum.register_area_um2 = crate::synthesis::rounded(sum.register_area_um2 + other.register_area_um2 * n as f64);
    sum.power.internal_w += other.power.internal_w * n as f64;
    sum.power.switching_w += other.power.switching_w * n as f64;
    sum.power.leakage_w += other.power.leakage_w * n as f64;
    sum.power.period_ns = sum.power.period_ns.max(other.power.period_ns);
    for (from, to) in [(&other.macros, &mut sum.macros), (&other.by_cell, &mut sum.by_cell)] {
        for (name, count) in from {
            *to.entry(name.clone()).or_default() += count * n;
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn hierarchy(instances: &[(&str, &str)]) -> Hierarchy {
        let mut tree = Hierarchy::default();
        for (parent, child) in instances {
            tree.instances.entry(child.to_string()).or_default().push((parent.to_string(), format!("{child}_i")));
        }
        tree
    }

    /// Otherwise the whole route unit of a port would be one part, and its latest input on the longest path. The logic
    /// of an arbiter without memories, however, is best mapped as one.
    #[test]
    fn what_a_wrapper_holds_is_opened_like_the_wrapper() {
        let tree = hierarchy(&[
            ("top", "wrapper"),
            ("wrapper", "unit"),
            ("unit", "queue"),
            ("queue", "ram_1r1w_8x2"),
            ("top", "arbitration"),
            ("arbitration", "arbiter"),
            ("arbiter", "pointer"),
            ("top", "register"),
            ("register", "flag"),
            ("flag", "bit"),
        ]);
        let stateful = ["unit", "queue", "arbiter", "pointer", "register", "flag", "bit"];
        let modules: BTreeMap<String, String> =
            stateful.iter().map(|name| (name.to_string(), "always @(posedge clock)".to_string())).collect();
        let plan = Plan::new("top", None, &tree, &modules);
        assert_eq!(plan.opened.last().map(String::as_str), Some("top"));
        let opened: BTreeSet<&str> = plan.opened.iter().map(String::as_str).collect();
        assert_eq!(opened, BTreeSet::from(["top", "wrapper", "unit", "arbitration", "register"]));
        assert_eq!(plan.parts, ["arbiter", "flag", "queue"]);
    }

    /// So its parts are those of the switch alone, whose netlists are kept.
    #[test]
    fn a_switch_in_a_chip_is_divided_as_without_it() {
        let inside =
            [("switch", "unit"), ("unit", "queue"), ("queue", "ram_1r1w_8x2"), ("switch", "other"), ("other", "flag")];
        let around = [("chip", "switch"), ("chip", "adapter"), ("adapter", "flag")];
        let stateful = ["unit", "queue", "other", "flag", "adapter"];
        let modules: BTreeMap<String, String> =
            stateful.iter().map(|name| (name.to_string(), "always @(posedge clock)".to_string())).collect();
        let alone = Plan::new("switch", Some("switch"), &hierarchy(&inside), &modules);
        assert_eq!(alone, Plan::new("switch", None, &hierarchy(&inside), &modules));
        let chip = Plan::new("chip", Some("switch"), &hierarchy(&[&inside[..], &around].concat()), &modules);
        assert_eq!(chip.parts, alone.parts);
        let opened: BTreeSet<&str> = chip.opened.iter().map(String::as_str).collect();
        assert_eq!(opened, BTreeSet::from(["chip", "switch", "unit", "other", "adapter"]));
    }

    #[test]
    fn a_memory_stays_in_the_unit_that_holds_it() {
        let tree = hierarchy(&[("top", "table"), ("table", "ram_1r1w_8x2"), ("table", "counter")]);
        let modules = BTreeMap::from(["table", "counter"].map(|name| (name.to_string(), "posedge".to_string())));
        let plan = Plan::new("top", None, &tree, &modules);
        assert_eq!((plan.opened, plan.parts), (vec!["top".to_string()], vec!["table".to_string()]));
    }
}

//! Slurm's `topology.conf`, as the plugin `topology/tree` reads it.
//!
//! A line is a switch with its nodes or with the switches below it: `SwitchName=s3 Switches=s[0-2]`. There are neither
//! ports nor numbers of links. Source: the man page `topology.conf(5)`.

use super::fabric::{End, Fabric};
use super::host_list::names;
use super::lines::{fault, Line};
use super::Imported;
use crate::topology::{MAX_NODES, MAX_SWITCHES};
use railyard_input::{Fault, Faults};
use std::collections::{BTreeSet, HashMap, HashSet};

/// A switch as a line names it.
struct Switch {
    name: String,
    children: Vec<String>,
    nodes: Vec<String>,
    line: usize,
}

pub(super) fn read(text: &str, uplinks: usize) -> Result<Imported, Faults> {
    let mut switches = Vec::new();
    let mut listed = 0;
    for (number, text) in whole_lines(text) {
        let switch = switch(Line { number, text: &text }, listed)?;
        listed += switch.children.len() + switch.nodes.len();
        switches.push(switch);
    }
    Ok(tree(&switches, uplinks)?)
}

/// Lines without comments, each with its number; one that ends with a backslash goes on in the next line. Source:
/// Slurm's `src/common/parse_config.c`, which reads all of its files.
fn whole_lines(text: &str) -> Vec<(usize, String)> {
    let mut whole = Vec::new();
    let mut open: Option<(usize, String)> = None;
    for (at, line) in text.lines().enumerate() {
        let plain = line.split('#').next().unwrap_or("").trim_end();
        let (plain, goes_on) = plain.strip_suffix('\\').map_or((plain, false), |head| (head, true));
        let (_, joined) = open.get_or_insert((at + 1, String::new()));
        joined.push_str(plain);
        if !goes_on {
            whole.extend(open.take());
        }
    }
    whole.extend(open);
    whole.retain(|(_, text)| !text.trim().is_empty());
    whole
}

/// Names that a file may list in all.
const MOST_NAMES: usize = MAX_NODES + 16 * MAX_SWITCHES;

fn switch(line: Line<'_>, listed: usize) -> Result<Switch, Fault> {
    let mut switch = Switch { name: String::new(), children: Vec::new(), nodes: Vec::new(), line: line.number };
    for word in line.text.split_ascii_whitespace() {
        let legal = "SwitchName=s3 Switches=s[0-2]";
        let (key, value) = word.split_once('=').ok_or_else(|| line.fault(word, "is no parameter", legal))?;
        match key.to_ascii_lowercase().as_str() {
            "switchname" => switch.name = value.into(),
            "switches" => switch.children = names(line, value, MOST_NAMES - listed)?,
            "nodes" => switch.nodes = names(line, value, MOST_NAMES - listed)?,
            "linkspeed" => {}
            "blockname" | "blocksizes" | "ringname" => {
                return Err(line.fault(key, "is of another plugin than `topology/tree`", legal));
            }
            _ => return Err(line.fault(key, "is no parameter of `topology/tree`", legal)),
        }
    }
    if switch.name.is_empty() {
        return Err(line.fault(line.text, "has no name of a switch", "SwitchName=s0 Nodes=tux[0-3]"));
    }
    Ok(switch)
}

fn tree(switches: &[Switch], uplinks: usize) -> Result<Imported, Fault> {
    let mut fabric = Fabric::default();
    let mut numbers = HashMap::new();
    for switch in switches {
        let number = fabric.add_switch(&switch.name, switch.line)?;
        if numbers.insert(switch.name.as_str(), number).is_some() {
            return Err(fault(switch.line, &switch.name, "is a switch that stands above, too", "each switch once"));
        }
    }
    let mut seen = HashSet::new();
    let mut below = vec![BTreeSet::new(); switches.len()];
    for (number, switch) in switches.iter().enumerate() {
        for node in &switch.nodes {
            if !seen.insert(node) {
                return Err(fault(switch.line, node, "is a node that stands above, too", "each node once"));
            }
            fabric.add_node(node, End::any(number), switch.line)?;
        }
        for child in &switch.children {
            let child = numbers.get(child.as_str()).copied().ok_or_else(|| {
                fault(switch.line, child, "is a switch without a line of its own", "SwitchName=s0 Nodes=tux[0-3]")
            })?;
            if !below[number].insert(child) {
                let rule = "is a switch that stands there twice";
                return Err(fault(switch.line, &switches[child].name, rule, "each switch once"));
            }
            for _ in 0..uplinks {
                fabric.add_link([child, number].map(End::any), None, switch.line)?;
            }
        }
    }
    let levels = levels(switches, &below)?;
    let links = if uplinks == 1 { "a link".into() } else { format!("{uplinks} links") };
    let note = format!(
        "topology.conf has neither ports nor numbers of links. This is a tree of {levels} levels, with {links} from each \
        switch to one above."
    );
    fabric.finish(None, vec![note])
}

/// Levels of switches, from the nodes to the top.
fn levels(switches: &[Switch], below: &[BTreeSet<usize>]) -> Result<usize, Fault> {
    let mut above = vec![0; switches.len()];
    below.iter().flatten().for_each(|&child| above[child] += 1);
    let mut level = vec![1; switches.len()];
    let mut ready: Vec<usize> = (0..switches.len()).filter(|&switch| above[switch] == 0).collect();
    let mut done = 0;
    while let Some(switch) = ready.pop() {
        done += 1;
        for &child in &below[switch] {
            level[child] = level[child].max(level[switch] + 1);
            above[child] -= 1;
            if above[child] == 0 {
                ready.push(child);
            }
        }
    }
    match above.iter().position(|above| *above > 0) {
        Some(switch) if done < switches.len() => {
            let Switch { name, line, .. } = &switches[switch];
            Err(fault(*line, name, "is a switch below itself", "switches below others only"))
        }
        _ => Ok(level.into_iter().max().unwrap_or(0)),
    }
}

//! Section 5.2: entries that a port needs and what it hits, with node reduction and without, by topology and size.

use crate::jobs::patterns::{
    all_reduce, broadcast, butterfly, grid, multi_partition, neighbours, ring, transpose, wave_front, Messages, Rounds,
};
use crate::misses::{ExplainingCache, LookupCounts};
use crate::network::{DragonflyFlows, InputPort, PortTraffic, RoutedCube, RoutedNetwork, RoutedTree};
use crate::report::{beside, rounded};
use crate::warm::hit_percent;
use crate::{random, Organisation, Reduction, Seed, StudyOptions, StudyPart, StudyReport, StudyTable};
use indexmap::IndexMap;
use railyard_plot::{Axis, Dot, Picture};
use serde_json::json;
use std::collections::HashSet;

const NAME: &str = "node-reduction";

/// Networks by topology, each in several sizes, the last with 64 K nodes or more.
fn topologies() -> Vec<(&'static str, Vec<Box<dyn RoutedNetwork>>)> {
    let cubes = [vec![8; 3], vec![16; 3], vec![41; 3], vec![16; 4]];
    let tree = |(k, levels)| Box::new(RoutedTree::new(k, levels)) as Box<dyn RoutedNetwork>;
    let dragonfly = |(p, g)| Box::new(DragonflyFlows::new(p, 2 * p, p, g)) as Box<dyn RoutedNetwork>;
    vec![
        ("mesh", cubes.iter().map(|radix| Box::new(RoutedCube::mesh(radix)) as Box<dyn RoutedNetwork>).collect()),
        ("torus", cubes.iter().map(|radix| Box::new(RoutedCube::torus(radix)) as Box<dyn RoutedNetwork>).collect()),
        ("fat tree", [(8, 3), (16, 3), (16, 4)].map(tree).into()),
        // Balanced; the largest has as many groups as a chunk of 8 bits can tell apart.
        ("Dragonfly", [(4, 33), (8, 129), (12, 256)].map(dragonfly).into()),
    ]
}

pub(super) fn run(options: &StudyOptions) -> StudyReport {
    let topologies = topologies();
    let notes = vec![
        "Uniform: traffic from every node to every other, in the long run (no compulsory misses), at the ports of the switch in \
         the middle (mesh), of one of each level (fat tree), of any (torus, Dragonfly); 2,048 entries, 4 ways."
            .into(),
        "Seed: as many entries as outputs, 2n + 1 for mesh and torus, up and down for a fat tree, and 100 % hits in any size.".into(),
        "A Dragonfly's key for another group is the group, not the port toward it: a router needs an entry for each other group, \
         which is more than it has global ports. It hits all the same."
            .into(),
        "Dragonflies are named by nodes of a router, routers of a group, groups.".into(),
        "Programs: BT and SP multi-partition, CG butterflies in rows and transpose, LU wave fronts, MG neighbours on all levels, \
         all-reduce butterfly, broadcast binomial tree, all-gather ring; all-to-all (FT, IS) is what uniform traffic is. Of 65,536 ranks, one a node; every pair sends twice; all ports of the switches above. The first lookup of a \
         destination (without reduction) or of a key (with it) is a compulsory miss and not counted."
            .into(),
    ];
    let parts = vec![entries(&topologies), uniform(&topologies, options.seed), patterns(&topologies)];
    StudyReport { study: NAME, seed: options.seed, parts, notes }
}

/// What a whole switch needs: the keys of all destinations.
fn entries(topologies: &[(&'static str, Vec<Box<dyn RoutedNetwork>>)]) -> StudyPart {
    let mut table = StudyTable::new(&["network", "nodes", "switch", "entries", "seed", "difference"]);
    let (mut series, mut published) = (Vec::new(), Vec::new());
    for (topology, networks) in topologies {
        let mut curve = Vec::new();
        for network in networks {
            let (mut most, mut outputs) = (0, 0);
            for (level, switch) in switches(network.as_ref()).into_iter().enumerate() {
                let reduction = Reduction::at(&network.place(switch));
                let keys: HashSet<u64> =
                    (0..network.nodes()).map(|node| reduction.key(network.address(node))).collect();
                let which = if network.name().ends_with("tree") { format!("level {level}") } else { "any".into() };
                let head = [json!(network.name()), json!(network.nodes()), json!(which)];
                let seed = Seed::Number(network.outputs(switch) as f64);
                table.push(head.into_iter().chain(beside(keys.len() as f64, seed)));
                (most, outputs) = (most.max(keys.len()), outputs.max(network.outputs(switch)));
            }
            let point = Seed::Number(outputs as f64).at(network.nodes() as f64);
            published.extend(point.map(|point| point.of(topology)));
            curve.push(Dot::at(network.nodes() as f64, most as f64));
        }
        series.push((topology.to_string(), curve));
    }
    let title = "Entries that a switch needs with node reduction";
    let picture = Picture {
        title: title.into(),
        axes: [Axis::log("nodes"), Axis::linear("entries")],
        legend: Some("topology".into()),
        series,
        published,
        front: None,
    };
    StudyPart { name: format!("{NAME}-entries"), title: title.into(), table, picture }
}

fn uniform(topologies: &[(&'static str, Vec<Box<dyn RoutedNetwork>>)], seed: u64) -> StudyPart {
    let mut table =
        StudyTable::new(&["network", "port", "targets", "entries", "hits %", "seed %", "difference", "without %"]);
    let (mut series, mut everywhere, mut published) = (Vec::new(), Vec::new(), Vec::new());
    for (topology, networks) in topologies {
        let mut curves = [Vec::new(), Vec::new()];
        for network in networks {
            for (stream, (port, input)) in (0..).zip(network.inputs()) {
                let reduction = Reduction::at(&network.place(input.switch));
                let traffic = PortTraffic::new(network.flows(input));
                let entries: HashSet<u64> = traffic.addresses().map(|address| reduction.key(address)).collect();
                let hits = |key: &dyn Fn(u64) -> u64| hit_percent(&traffic, key, &mut random(seed, stream));
                let (with, without) = (hits(&|address| reduction.key(address)), hits(&|address| address));
                let targets = traffic.addresses().count();
                let head = [json!(network.name()), json!(port), json!(targets), json!(entries.len())];
                table.push(head.into_iter().chain(beside(with, Seed::Number(100.0))).chain([rounded(without)]));
                if port == "node" {
                    published.extend(Seed::Number(100.0).at(network.nodes() as f64));
                    curves[0].push(Dot::at(network.nodes() as f64, with));
                    curves[1].push(Dot::at(network.nodes() as f64, without));
                }
            }
        }
        let [with, without] = curves;
        everywhere.extend(with);
        series.push((format!("{topology}, without"), without));
    }
    everywhere.sort_by(|a, b| a.x.total_cmp(&b.x));
    everywhere.dedup();
    series.push(("all, with".into(), everywhere));
    let title = "Hit rate at the node's port with and without node reduction, uniform traffic";
    let picture = Picture {
        title: title.into(),
        axes: [Axis::log("nodes"), Axis::linear("hits, %")],
        legend: Some("topology, node reduction".into()),
        series,
        published,
        front: None,
    };
    StudyPart { name: format!("{NAME}-uniform"), title: title.into(), table, picture }
}

/// The switches worth looking at.
fn switches(network: &dyn RoutedNetwork) -> Vec<u64> {
    let mut switches: Vec<u64> = network.inputs().into_iter().map(|(_, input)| input.switch).collect();
    switches.sort_unstable();
    switches.dedup();
    switches
}

/// Who sends to whom in parallel programs of that many ranks; all-to-all is what uniform traffic is.
fn programs(ranks: u64) -> Vec<(&'static str, Messages)> {
    let square = grid(ranks, 2);
    let multi_partition = (0..6).flat_map(|i| multi_partition(square[0], i / 2, i % 2 == 0)).collect::<Rounds>();
    let rows = butterfly(ranks, 0, square[0].trailing_zeros());
    let programs = [
        ("BT, SP", multi_partition),
        ("CG", [rows, transpose(square[0])].concat()),
        ("LU", [wave_front(&square, true), wave_front(&square, false)].concat()),
        ("MG", (0..5).flat_map(|level| neighbours(&grid(ranks, 3), &[1 << level; 3])).collect()),
        ("EP, all-reduce", all_reduce(ranks)),
        ("broadcast", broadcast(ranks)),
        ("all-gather", ring(ranks)),
    ];
    programs.map(|(name, rounds)| (name, rounds.concat())).into()
}

/// What a switch's ports hit of a program.
#[derive(Default)]
struct Seen {
    ports: IndexMap<InputPort, [ExplainingCache; 2]>,
}

impl Seen {
    fn access(&mut self, input: InputPort, reduction: &Reduction, address: u64, nodes: u64) {
        let empty = || [nodes, nodes].map(|nodes| ExplainingCache::new(Organisation::default(), nodes));
        let [with, without] = self.ports.entry(input).or_insert_with(empty);
        with.access(reduction.key(address));
        without.access(address);
    }

    /// Most entries at a port, and hits for a hundred lookups that are not compulsory misses.
    fn sum(&self, which: usize) -> (u64, f64) {
        let mut sum = LookupCounts::default();
        self.ports.values().for_each(|caches| sum += caches[which].counts);
        let most = self.ports.values().map(|caches| caches[which].counts.compulsory).max().unwrap_or(0);
        let again = sum.lookups - sum.compulsory;
        (most, 100.0 * (again - sum.capacity - sum.conflict) as f64 / again.max(1) as f64)
    }
}

fn patterns(topologies: &[(&'static str, Vec<Box<dyn RoutedNetwork>>)]) -> StudyPart {
    const RANKS: u64 = 65_536;
    let mut table =
        StudyTable::new(&["network", "program", "entries", "hits %", "seed %", "difference", "targets", "without %"]);
    let programs = programs(RANKS);
    let mut series = Vec::new();
    for (topology, networks) in topologies {
        let network = networks.last().expect("a network");
        let switches = switches(network.as_ref());
        let reductions: IndexMap<u64, Reduction> =
            switches.iter().map(|switch| (*switch, Reduction::at(&network.place(*switch)))).collect();
        let (mut dots, mut route) = (Vec::new(), Vec::new());
        for (number, (program, messages)) in programs.iter().enumerate() {
            let mut seen = Seen::default();
            let mut here = Vec::new();
            for &(from, to) in messages {
                network.route(from, to, &mut route);
                here.extend(
                    route
                        .iter()
                        .filter(|input| switches.contains(&input.switch))
                        .map(|&input| (input, network.address(to))),
                );
            }
            for (input, address) in here.iter().chain(&here) {
                seen.access(*input, &reductions[&input.switch], *address, network.nodes());
            }
            let ((entries, with), (targets, without)) = (seen.sum(0), seen.sum(1));
            let head = [json!(network.name()), json!(program), json!(entries)];
            let hits = beside(with, Seed::Number(100.0));
            table.push(head.into_iter().chain(hits).chain([json!(targets), rounded(without)]));
            dots.push(Dot::at(number as f64 + 1.0, entries as f64));
        }
        series.push((topology.to_string(), dots));
    }
    let title = "Entries at a port with node reduction, by program";
    let picture = Picture {
        title: title.into(),
        axes: [Axis::rows("program, by its number in the table"), Axis::linear("entries")],
        legend: Some("topology, 64 K nodes".into()),
        series,
        published: Vec::new(),
        front: None,
    };
    StudyPart { name: format!("{NAME}-patterns"), title: title.into(), table, picture }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn needs_as_many_entries_as_outputs_and_hits_always() {
        let report = run(&StudyOptions::default());
        for part in &report.parts {
            let difference = part.table.columns.iter().position(|column| *column == "difference").unwrap();
            for row in &part.table.rows {
                // A Dragonfly's keys name groups; everywhere else they name outputs.
                let names_groups = part.name.ends_with("entries") && row[0].as_str().unwrap().starts_with("Dragonfly");
                assert!(names_groups || row[difference] == json!(0.0), "{row:?}");
            }
        }
        let row = [("network", json!("torus 16x16x16x16")), ("port", json!("node"))];
        let without = report.find("node-reduction-uniform", &row, "without %").as_f64().unwrap();
        assert!((without - 100.0 * 2048.0 / 65535.0).abs() < 1.0, "{without}");
    }
}

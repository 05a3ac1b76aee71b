//! Seed 004 section 7.1, figure 17: unicast packets in a network of 1,024 nodes.

use super::{dawning, NetworkSize};
use crate::report::{beside, rounded};
use crate::{Options, Part, Report, Seed, Table};
use railyard_network::harness::{self, Pattern, Run, Traffic};
use railyard_plot::{Axis, Dot, Picture};
use serde_json::json;

const NAME: &str = "unicast-network";
const CYCLES: u64 = 3_000;
const LOADS: [u32; 5] = [20, 40, 60, 80, 100];
/// Patterns with what the seed prints of their throughput in %.
const PATTERNS: [(&str, Pattern, Seed); 4] = [
    ("uniform", Pattern::Uniform, Seed::Above(70.0)),
    ("hot region", Pattern::HotRegion, Seed::Number(28.0)),
    ("local", Pattern::Local, Seed::Number(80.0)),
    ("permutation", Pattern::Permutation, Seed::Silent),
];

pub(super) fn run(options: &Options) -> Report {
    let parts = parts(options.network, options.seed, CYCLES);
    let notes = vec![
        format!(
            "A fat tree of three levels, {} nodes (the seed's has 1,024: --nodes), switches as in the preset dawning16, packets of 8 flits, \
             {CYCLES} cycles after a third as many. Load and throughput: flits for each node and cycle, in %. Latency: \
             cycles from when the source has the packet to its tail at the destination.",
            options.network.nodes()
        ),
        "Hot region: a quarter of the packets to the first eighth of the nodes; the seed does not say how large its region is, and how many \
         packets go there. Local: three quarters to nodes of the same switch; the seed's Sphere pattern is only named. Permutation: each \
         node to one other, all its packets one way (deterministic routing); the seed has no figure for it."
            .into(),
        "Figure 17 is printed without numbers; the text has the highest throughputs.".into(),
    ];
    Report { study: NAME, seed: options.seed, parts, notes }
}

fn parts(size: NetworkSize, seed: u64, cycles: u64) -> Vec<Part> {
    let blueprint = dawning::blueprint(size);
    let measure = |pattern, load: u32| {
        let traffic = Traffic { pattern, load: f64::from(load) / 100.0, ..Traffic::default() };
        dawning::measure(&blueprint, &Run { traffic, seed, ..Run::default() }, cycles)
    };
    let runs: Vec<(usize, u32, harness::Report)> = (0..PATTERNS.len())
        .flat_map(|which| LOADS.map(|load| (which, load)))
        .map(|(which, load)| (which, load, measure(PATTERNS[which].1, load)))
        .collect();
    vec![throughput(&runs), latency(&runs)]
}

/// The highest throughput of each pattern.
fn throughput(runs: &[(usize, u32, harness::Report)]) -> Part {
    let mut table = Table::new(&["traffic", "throughput %", "seed %", "difference"]);
    let mut series: Vec<(String, Vec<Dot>)> = Vec::new();
    for (which, (name, _, printed)) in PATTERNS.into_iter().enumerate() {
        let curve = runs.iter().filter(|(of, ..)| *of == which);
        let dots: Vec<Dot> = curve.map(|(_, load, run)| Dot::at((*load).into(), 100.0 * run.throughput)).collect();
        let highest = dots.iter().map(|dot| dot.y).fold(0.0, f64::max);
        table.push([json!(name)].into_iter().chain(beside(highest, printed)));
        series.push((name.into(), dots));
    }
    part(
        "throughput",
        "Highest throughput by traffic",
        [Axis::linear("load, %"), Axis::linear("throughput, %")],
        table,
        series,
    )
}

fn latency(runs: &[(usize, u32, harness::Report)]) -> Part {
    let mut table = Table::new(&["traffic", "load %", "throughput %", "latency", "seed", "difference"]);
    let mut series: Vec<(String, Vec<Dot>)> = PATTERNS.map(|(name, ..)| (name.to_string(), Vec::new())).into();
    for (which, load, run) in runs {
        let head = [json!(PATTERNS[*which].0), json!(load), rounded(100.0 * run.throughput)];
        table.push(head.into_iter().chain(beside(run.unicast.latency_mean, Seed::Silent)));
        series[*which].1.push(Dot::at(100.0 * run.throughput, run.unicast.latency_mean));
    }
    let axes = [Axis::linear("throughput, %"), Axis::log("mean latency, cycles")];
    part("latency", "Latency by throughput and traffic", axes, table, series)
}

fn part(which: &str, title: &str, axes: [Axis; 2], table: Table, series: Vec<(String, Vec<Dot>)>) -> Part {
    let picture = Picture { title: title.into(), axes, legend: Some("traffic".into()), series, front: None };
    Part { name: format!("{NAME}-{which}"), title: title.into(), table, picture }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_hot_region_costs_throughput_and_locality_brings_it() {
        let parts = parts(NetworkSize::with_nodes(16).unwrap(), 1, 1_000);
        let highest: Vec<f64> = parts[0].table.rows.iter().map(|row| row[1].as_f64().unwrap()).collect();
        let [uniform, hot, local, _] = highest[..] else { panic!("four patterns") };
        assert!(hot < uniform && uniform > 60.0 && local > 60.0, "{highest:?}");
        assert_eq!(parts[1].table.rows.len(), PATTERNS.len() * LOADS.len());
    }

    #[test]
    fn the_same_seed_gives_the_same_tables() {
        let csv = |seed| {
            let parts = parts(NetworkSize::with_nodes(16).unwrap(), seed, 200);
            parts.iter().map(|part| part.table.csv()).collect::<String>()
        };
        assert_eq!(csv(3), csv(3));
        assert_ne!(csv(3), csv(4));
    }
}

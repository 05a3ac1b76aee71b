//! Seed 004 section 7.2, figure 18: barriers in a network of 1,024 nodes, by what else is sent.

use super::{dawning, NetworkSize};
use crate::report::{beside, rounded};
use crate::{Options, Part, Report, Seed, Table};
use railyard_network::harness::{self, Pattern, Run, Traffic};
use railyard_plot::{Axis, Dot, Picture};
use serde_json::json;

const NAME: &str = "barrier-network";
const CYCLES: u64 = 3_000;
/// Flits of a packet.
const LENGTHS: [u32; 4] = [1, 2, 4, 8];
const PATTERNS: [(&str, Pattern); 3] =
    [("uniform", Pattern::Uniform), ("hot region", Pattern::HotRegion), ("local", Pattern::Local)];
/// Offered load in flits for each node and cycle: the network is full in some places with every pattern.
const LOAD: f64 = 0.6;
/// Cycles on a link.
const LINK_LATENCY: u64 = 4;

pub(super) fn run(options: &Options) -> Report {
    let parts = vec![by_traffic(options.network, options.seed, CYCLES), by_size(options.network, options.seed)];
    let notes = vec![
        format!(
            "A fat tree of three levels, {} nodes (the seed's has 1,024: --nodes), switches as in the preset dawning16, {LINK_LATENCY} cycles a link, all nodes \
             from barrier to barrier without a pause, unicast packets beside it at load {LOAD}; {CYCLES} cycles after a third as many. Latency: cycles \
             from the last arrival to each completion, both at the node.",
            options.network.nodes()
        ),
        "Figure 18 is printed without numbers. Its text: the latency grows in proportion to the length of unicast packets, is higher with local traffic and highest in a \
         hot region (8.23 us with packets of 1 KB). Ours does not depend on either: a barrier message goes before the next flit of any packet, not behind a packet, \
         and needs neither buffer nor credit."
            .into(),
        "The seed's 1.78 us of 8 processes at one switch is 1.4 us of software and interface cards; the hardware alone is the row of one level.".into(),
    ];
    Report { study: NAME, seed: options.seed, parts, notes }
}

/// Cycles from the last arrival to a completion: mean and maximum.
fn latency(report: &harness::Report) -> (f64, f64) {
    let barriers = report.barriers.as_ref().expect("barriers were run");
    let group = barriers.groups.first().expect("there is a group");
    assert!(group.barriers > 0, "no barrier completed");
    (group.latency_mean, group.latency_max as f64)
}

fn by_traffic(size: NetworkSize, seed: u64, cycles: u64) -> Part {
    let blueprint = dawning::blueprint(size);
    let mut table = Table::new(&[
        "traffic",
        "packet flits",
        "unicast throughput %",
        "mean latency",
        "max latency",
        "seed",
        "difference",
    ]);
    let mut series: Vec<(String, Vec<Dot>)> = Vec::new();
    for (name, pattern) in PATTERNS {
        let mut dots = Vec::new();
        for length in LENGTHS {
            let traffic = Traffic { pattern, load: LOAD, length: Some(length), ..Traffic::default() };
            let run = Run { traffic, barriers: 1.0, link_latency: LINK_LATENCY, seed, ..Run::default() };
            let report = dawning::measure(&blueprint, &run, cycles);
            let (mean, max) = latency(&report);
            let head = [json!(name), json!(length), rounded(100.0 * report.throughput), rounded(mean)];
            table.push(head.into_iter().chain(beside(max, Seed::Silent)));
            dots.push(Dot::at(length.into(), mean));
        }
        series.push((name.into(), dots));
    }
    let axes = [Axis::linear("length of a unicast packet, flits"), Axis::linear("mean latency of a barrier, cycles")];
    part("traffic", "Latency of a barrier by the packets beside it", axes, Some("traffic"), table, series)
}

/// Barriers alone, in fat trees up to that size.
fn by_size(largest: NetworkSize, seed: u64) -> Part {
    let mut table = Table::new(&["nodes", "by the switch reference", "latency", "seed", "difference"]);
    let mut dots = Vec::new();
    for size in NetworkSize::ALL.into_iter().filter(|size| size.nodes() <= largest.nodes()) {
        let traffic = Traffic { load: 0.0, ..Traffic::default() };
        let run = Run { traffic, barriers: 1.0, link_latency: LINK_LATENCY, seed, ..Run::default() };
        let (mean, _) = latency(&dawning::measure(&dawning::blueprint(size), &run, 600));
        let levels = dawning::LEVELS as f64;
        // Five cycles a switch up to the root and through it, four a switch down, and the links.
        let said = 5.0 * levels + 4.0 * (levels - 1.0) + 2.0 * levels * LINK_LATENCY as f64;
        table.push([json!(size.nodes()), rounded(said)].into_iter().chain(beside(mean, Seed::Silent)));
        dots.push(Dot::at(size.nodes() as f64, mean));
    }
    let axes = [Axis::log("nodes"), Axis::linear("latency of a barrier, cycles")];
    part("size", "Latency of a barrier alone, three levels", axes, None, table, vec![("barriers".into(), dots)])
}

fn part(
    which: &str,
    title: &str,
    axes: [Axis; 2],
    legend: Option<&str>,
    table: Table,
    series: Vec<(String, Vec<Dot>)>,
) -> Part {
    let picture = Picture { title: title.into(), axes, legend: legend.map(Into::into), series, front: None };
    Part { name: format!("{NAME}-{which}"), title: title.into(), table, picture }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_barrier_waits_for_no_packet() {
        let size = NetworkSize::with_nodes(16).unwrap();
        let alone = by_size(size, 1);
        let row = &alone.table.rows[0];
        assert_eq!(row[1].as_f64(), row[2].as_f64(), "{row:?}");
        let beside = by_traffic(size, 1, 500);
        assert_eq!(beside.table.rows.len(), PATTERNS.len() * LENGTHS.len());
        for row in &beside.table.rows {
            assert!(row[3].as_f64().unwrap() < alone.table.rows[0][2].as_f64().unwrap() + 3.0, "{row:?}");
        }
    }

    #[test]
    fn the_same_seed_gives_the_same_table() {
        let csv = |seed| by_traffic(NetworkSize::with_nodes(16).unwrap(), seed, 200).table.csv();
        assert_eq!(csv(3), csv(3));
    }
}

//! Equations 4.6 and 4.7, figure 5.2: packets that the tables of a switch look up in a second.

use super::forwarding_run;
use crate::report::{beside, rounded};
use crate::{Seed, StudyOptions, StudyPart, StudyReport, StudyTable};
use railyard_plot::{Axis, Dot, Picture};
use serde_json::{json, Value};

const NAME: &str = "forwarding-rate";
/// The shortest Ethernet frame with its gap.
const PACKET_BITS: f64 = 672.0;
const CAM_NS: f64 = 25.0;
const CACHE_NS: f64 = 1.0;

/// Equation 4.7: Gpps of cache and CAM with that share of misses.
pub(super) fn with_cache(misses: f64) -> f64 {
    rate(&[(CACHE_NS, 1.0), (CAM_NS, misses)])
}

/// Packets a nanosecond (Gpps) through tables in a row: each serves the share of packets that the ones before it miss.
/// Tables are pipelined, so the slowest sets the rate. Equations 4.6 (one table) and 4.7 (cache and CAM).
fn rate(tables: &[(f64, f64)]) -> f64 {
    tables.iter().map(|&(ns, share)| 1.0 / (ns * share)).fold(f64::INFINITY, f64::min)
}

/// A system of table 5.1: latency in ns and entries of each table, the last of which knows all nodes.
struct System {
    name: &'static str,
    tables: &'static [(f64, f64)],
}

const ALL: f64 = f64::INFINITY;
const SYSTEMS: [System; 5] = [
    System { name: "RC(L1-All-Hit-0.4ns)", tables: &[(0.4, ALL)] },
    System { name: "RC(L1-All-Hit-1ns)", tables: &[(1.0, ALL)] },
    System { name: "TCAM(20ns)", tables: &[(20.0, ALL)] },
    System { name: "TCAM(25ns)", tables: &[(25.0, ALL)] },
    System { name: "RC(Real)", tables: &[(0.4, 512.0), (4.0, 8192.0), (25.0, ALL)] },
];

impl System {
    /// Gbps of shortest packets to so many nodes, equally likely: a table hits for the share of nodes that it holds.
    fn gbps(&self, nodes: f64) -> f64 {
        let share = |index: usize| match index {
            0 => 1.0,
            _ => 1.0 - (self.tables[index - 1].1 / nodes).min(1.0),
        };
        let tables: Vec<(f64, f64)> = self.tables.iter().enumerate().map(|(i, table)| (table.0, share(i))).collect();
        rate(&tables) * PACKET_BITS
    }
}

pub(super) fn run(options: &StudyOptions) -> StudyReport {
    let parts = vec![by_misses(), measured(options.seed), by_nodes(), line_rates()];
    let notes = vec![
        "Measured: packets of one flit at one port of the golden model, one offered in each cycle; a cycle is the cache's 1 ns, and the \
         CAM takes 25 cycles, pipelined or one lookup at a time (\"missed\": what the draw of addresses came to). A miss takes three of \
         a port's lookup cycles (lookup, fill, and a pause behind it), so that a port does 1 / (1 + 2 misses) at most."
            .into(),
        "By nodes: uniform traffic at the port of the node, so a table of M entries hits with M / nodes (equation 4.2, i = 0)."
            .into(),
        "Figure 5.2 is printed without numbers. The text says less than 100 Gbps for a TCAM, and that RC(Real) falls below \
         100 Gbps for many nodes, as its hit rate goes to zero."
            .into(),
    ];
    StudyReport { study: NAME, seed: options.seed, parts, notes }
}

/// The rate in Gpps that the seed prints.
fn printed(percent: u32) -> Seed {
    match percent {
        0..=4 => Seed::Number(1.0),
        10 => Seed::Number(0.4),
        100 => Seed::Number(0.04),
        _ => Seed::Silent,
    }
}

fn by_misses() -> StudyPart {
    let mut table = StudyTable::new(&["misses %", "conventional Gpps", "with cache Gpps", "seed Gpps", "difference"]);
    let (mut curves, mut published) = ([Vec::new(), Vec::new()], Vec::new());
    let conventional = rate(&[(CAM_NS, 1.0)]);
    for percent in [0, 1, 2, 3, 4, 5, 6, 8, 10, 15, 20, 50, 100] {
        let with_cache = with_cache(f64::from(percent) / 100.0);
        table.push([json!(percent), rounded(conventional)].into_iter().chain(beside(with_cache, printed(percent))));
        published.extend(printed(percent).at(percent.into()).map(|point| point.of("with cache")));
        curves[0].push(Dot::at(percent.into(), conventional));
        curves[1].push(Dot::at(percent.into(), with_cache));
    }
    let title = "Forwarding rate of a port: cache 1 ns, CAM 25 ns";
    let [conventional, with_cache] = curves;
    let picture = Picture {
        title: title.into(),
        axes: [Axis::linear("misses, %"), Axis::log("packets a second, 10^9")],
        legend: Some("table".into()),
        series: vec![("conventional".into(), conventional), ("with cache".into(), with_cache)],
        published,
        front: None,
    };
    StudyPart { name: format!("{NAME}-by-misses"), title: title.into(), table, picture }
}

/// What the switch does where the equation says what tables allow.
fn measured(seed: u64) -> StudyPart {
    let columns = [
        "misses %",
        "equation 4.7 Gpps",
        "pipelined Gpps",
        "missed %",
        "one at a time Gpps",
        "seed Gpps",
        "difference",
    ];
    let mut table = StudyTable::new(&columns);
    let (mut curves, mut published) = ([Vec::new(), Vec::new(), Vec::new()], Vec::new());
    for percent in [0, 1, 2, 3, 4, 5, 6, 8, 10, 12, 15, 20] {
        let misses = f64::from(percent) / 100.0;
        let allowed = with_cache(misses);
        let [pipelined, single] = [1, CAM_NS as u64].map(|interval| forwarding_run::run(misses, interval, seed));
        let cells = [json!(percent), rounded(allowed), rounded(pipelined.rate), rounded(100.0 * single.misses)];
        table.push(cells.into_iter().chain(beside(single.rate, printed(percent))));
        published.extend(printed(percent).at(percent.into()).map(|point| point.of("one lookup at a time")));
        for (curve, rate) in curves.iter_mut().zip([allowed, pipelined.rate, single.rate]) {
            curve.push(Dot::at(percent.into(), rate));
        }
    }
    let title = "Forwarding rate of a port, measured: lookup 1 cycle, CAM 25 cycles";
    let [allowed, pipelined, single] = curves;
    let picture = Picture {
        title: title.into(),
        axes: [Axis::linear("misses, %"), Axis::linear("packets a cycle (Gpps at 1 GHz)")],
        legend: Some("rate".into()),
        series: vec![
            ("equation 4.7".into(), allowed),
            ("pipelined CAM".into(), pipelined),
            ("one lookup at a time".into(), single),
        ],
        published,
        front: None,
    };
    StudyPart { name: format!("{NAME}-measured"), title: title.into(), table, picture }
}

fn by_nodes() -> StudyPart {
    let mut table = StudyTable::new(&["system", "nodes", "link Gbps", "seed Gbps", "difference"]);
    let nodes: Vec<f64> = (4..=20).map(|bits| f64::from(1 << bits)).collect();
    let mut published = Vec::new();
    let curve = |system: &System| nodes.iter().map(|&nodes| Dot::at(nodes, system.gbps(nodes))).collect();
    for system in &SYSTEMS {
        for &nodes in &nodes {
            let seed = match system.name {
                "TCAM(20ns)" | "TCAM(25ns)" => Seed::Below(100.0),
                "RC(Real)" if nodes >= 65536.0 => Seed::Below(100.0),
                _ => Seed::Silent,
            };
            published.extend(seed.at(nodes).map(|point| point.of(system.name)));
            table.push([json!(system.name), json!(nodes)].into_iter().chain(beside(system.gbps(nodes), seed)));
        }
    }
    let title = "Link bandwidth that the tables keep up with, shortest packets";
    let picture = Picture {
        title: title.into(),
        axes: [Axis::log("nodes"), Axis::log("link bandwidth, Gbps")],
        legend: Some("system of table 5.1".into()),
        series: SYSTEMS.iter().map(|system| (system.name.into(), curve(system))).collect(),
        published,
        front: None,
    };
    StudyPart { name: format!("{NAME}-by-nodes"), title: title.into(), table, picture }
}

fn line_rates() -> StudyPart {
    let mut table = StudyTable::new(&["lookup", "ns", "line rate Gbps", "seed Gbps", "difference"]);
    let (mut dots, mut published) = (Vec::new(), Vec::new());
    for (lookup, ns, printed) in [
        ("24 KiB cache, 45 nm (section 4.3.1)", 0.41, 1640.0),
        ("node reduction, 3 stages (section 5.4.2)", 0.72, 933.0),
        ("second-level cache, 2 ns (section 4.5)", 2.0, 336.0),
    ] {
        let (gbps, seed) = (rate(&[(ns, 1.0)]) * PACKET_BITS, Seed::Number(printed));
        published.extend(seed.at(ns));
        table.push([Value::from(lookup), json!(ns)].into_iter().chain(beside(gbps, seed)));
        dots.push(Dot::at(ns, gbps));
    }
    let title = "Line rate of shortest packets by lookup time";
    let picture = Picture {
        title: title.into(),
        axes: [Axis::linear("time of a lookup, ns"), Axis::linear("line rate, Gbps")],
        legend: None,
        series: vec![(String::new(), dots)],
        published,
        front: None,
    };
    StudyPart { name: format!("{NAME}-line-rate"), title: title.into(), table, picture }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn agrees_with_equations_4_6_and_4_7() {
        assert_eq!(rate(&[(CAM_NS, 1.0)]), 0.04);
        for (misses, expected) in [(0.0, 1.0), (0.04, 1.0), (0.1, 0.4), (1.0, 0.04)] {
            let ours = rate(&[(CACHE_NS, 1.0), (CAM_NS, misses)]);
            assert!((ours - expected).abs() < 1e-9, "{ours} for {expected}");
        }
    }

    #[test]
    fn agrees_with_the_printed_line_rates() {
        let report = run(&StudyOptions::default());
        for part in &report.parts {
            for row in &part.table.rows {
                let difference = row.last().unwrap().as_f64().unwrap_or(0.0);
                assert!(difference.abs() < 1.0, "{row:?}");
            }
        }
    }

    #[test]
    fn a_real_cache_falls_to_the_cams_rate() {
        let [all_hit, _, _, cam, real] = &SYSTEMS;
        assert_eq!(real.gbps(256.0), all_hit.gbps(256.0));
        assert!(real.gbps(1e6) < 1.01 * cam.gbps(1e6));
    }
}

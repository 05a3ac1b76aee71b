//! Figures 4.10 and 4.11: the highest zero-load latency in a 3-D torus, by job size and by cache size.

use super::capacity::hit_ratio;
use super::dawning;
use crate::report::{beside, rounded};
use crate::{Seed, StudyOptions, StudyPart, StudyReport, StudyTable};
use railyard_network::blueprint::{Blueprint, Plan};
use railyard_network::harness::{Caches, Run, Traffic};
use railyard_network::topology::{Cube, Topology};
use railyard_plot::{Axis, Dot, Picture, Published};
use railyard_spec::{Cache, Config, Routing, TableRouting};
use rayon::prelude::*;
use serde_json::{json, Value};

const NAME: &str = "zero-load-latency";
const DIMENSIONS: u32 = 3;
/// Link delay C. Not printed: the only round number that gives the printed reductions.
const LINK_NS: f64 = 20.0;
const ENTRIES: u64 = 2048;
const K_OF_FIGURE_4_11: u64 = 21;

/// Switch latencies in ns.
struct Switches {
    name: &'static str,
    hit: f64,
    miss: f64,
    conventional: f64,
}

const SWITCHES: [Switches; 3] = [
    Switches { name: "case 1", hit: 77.0, miss: 102.0, conventional: 100.0 },
    Switches { name: "case 2", hit: 42.0, miss: 62.0, conventional: 60.0 },
    Switches { name: "chapter 4", hit: 51.0, miss: 61.0, conventional: 60.0 },
];

/// Equations 4.3 and 4.4; `hit(i)` is the hit ratio at the input port of dimension i, 0 that of the node.
fn longest(k: u64, base: f64, penalty: f64, hit: impl Fn(u32) -> f64) -> f64 {
    let latency = |i: u32, hops: u64| hops as f64 * (base + penalty * (1.0 - hit(i)) + LINK_NS);
    latency(0, 1) + (1..=DIMENSIONS).map(|i| latency(i, k / 2)).sum::<f64>() + LINK_NS
}

impl Switches {
    fn with_cache(&self, k: u64, entries: u64) -> f64 {
        longest(k, self.hit, self.miss - self.hit, |i| hit_ratio(k, DIMENSIONS, i, entries))
    }

    fn without(&self, k: u64) -> f64 {
        longest(k, self.conventional, 0.0, |_| 1.0)
    }

    /// The latency that a printed reduction leads to.
    fn published(&self, x: f64, k: u64, reduction: Seed) -> Option<Published> {
        let point = reduction.converted(x, |percent| self.without(k) * (1.0 - percent / 100.0));
        point.map(|point| point.of(self.name))
    }

    fn row(&self, k: u64, entries: u64, seed: Seed) -> Vec<Value> {
        let (with, without) = (self.with_cache(k, entries), self.without(k));
        let reduction = 100.0 * (1.0 - with / without);
        let head =
            [json!(self.name), json!(k), json!(k.pow(DIMENSIONS)), json!(entries), rounded(with), rounded(without)];
        head.into_iter().chain(beside(reduction, seed)).collect()
    }
}

pub(super) fn run(options: &StudyOptions) -> StudyReport {
    let columns = [
        "switches",
        "k",
        "nodes",
        "entries",
        "with cache ns",
        "conventional ns",
        "reduction %",
        "seed %",
        "difference",
    ];
    let sizes = || (5..=31).step_by(2);
    let entries = || (7..=14).map(|bits| 1u64 << bits).chain([9261]);

    let (mut by_job, mut by_cache) = (StudyTable::new(&columns), StudyTable::new(&columns));
    let (mut job_series, mut cache_series) = (Vec::new(), Vec::new());
    let (mut of_jobs, mut of_caches) = (Vec::new(), Vec::new());
    for switches in &SWITCHES {
        // The thesis says "System-1 of the previous section"; its printed reductions are those of case 1.
        let case_1 = switches.name == "case 1";
        for k in sizes() {
            let seed = match k {
                7 if case_1 => Seed::Number(19.0),
                31 if case_1 => Seed::Number(13.0),
                _ => Seed::Silent,
            };
            of_jobs.extend(switches.published(k as f64, k, seed));
            by_job.push(switches.row(k, ENTRIES, seed));
        }
        for entries in entries() {
            let seed = match entries {
                128 if case_1 => Seed::Number(9.0),
                9261 if case_1 => Seed::Number(19.0),
                _ => Seed::Silent,
            };
            of_caches.extend(switches.published(entries as f64, K_OF_FIGURE_4_11, seed));
            by_cache.push(switches.row(K_OF_FIGURE_4_11, entries, seed));
        }
        let curve = |xs: Vec<u64>, y: &dyn Fn(u64) -> f64| xs.into_iter().map(|x| Dot::at(x as f64, y(x))).collect();
        let (sizes, entries): (Vec<u64>, Vec<u64>) = (sizes().collect(), entries().collect());
        let name = |what: &str| format!("{}{what}", switches.name);
        job_series.push((name(""), curve(sizes.clone(), &|k| switches.with_cache(k, ENTRIES))));
        job_series.push((name(", conv."), curve(sizes, &|k| switches.without(k))));
        cache_series.push((name(""), curve(entries.clone(), &|m| switches.with_cache(K_OF_FIGURE_4_11, m))));
        cache_series.push((name(", conv."), curve(entries, &|_| switches.without(K_OF_FIGURE_4_11))));
    }
    let part = |name: &str, title: &str, x: Axis, table, series, published| StudyPart {
        name: format!("{NAME}-{name}"),
        title: title.into(),
        table,
        picture: Picture {
            title: title.into(),
            axes: [x, Axis::linear("highest zero-load latency, ns")],
            legend: Some("switches".into()),
            series,
            published,
            front: None,
        },
    };
    let parts = vec![
        part(
            "job-size",
            "Zero-load latency, k x k x k torus, 2,048 entries",
            Axis::linear("k"),
            by_job,
            job_series,
            of_jobs,
        ),
        part(
            "cache-size",
            "Zero-load latency, 21 x 21 x 21 torus",
            Axis::log("entries"),
            by_cache,
            cache_series,
            of_caches,
        ),
    ];
    let parts = parts.into_iter().chain([measured(options.seed, MEASURED_CYCLES)]).collect();
    let notes = vec![
        format!(
            "Measured: a torus of {MEASURED_K} x {MEASURED_K} x {MEASURED_K} golden models with cache and CAM, {MEASURED_LINK} cycles a link, uniform packets of one length at load {MEASURED_LOAD}, warm caches. Equations: \
             the mean of 4.3 over all destinations, with {HIT} cycles on a hit and {MISS} on a miss, and the packet's own length. Node port: hits by equation 4.2, which has no conflicts."
        ),
        format!("The link delay is {LINK_NS} ns: not printed, the only round number with which the printed reductions come out."),
        "The seed prints the ends of the ranges: 19 to 13 % (figure 4.10), 9 to 19 % (figure 4.11).".into(),
    ];
    StudyReport { study: NAME, seed: options.seed, parts, notes }
}

/// Switches in a dimension of the torus that is run.
const MEASURED_K: u64 = 5;
const MEASURED_ENTRIES: [u64; 4] = [32, 64, 128, 2048];
const MEASURED_LINK: u64 = 4;
const MEASURED_LOAD: f64 = 0.01;
const MEASURED_FLITS: u32 = 4;
const MEASURED_CYCLES: u64 = 12_000;
const CAM: u64 = 25;
/// Cycles of a header through a switch, by the switch reference.
const HIT: u64 = 5;
const MISS: u64 = 12 + CAM;

/// A torus of switches with caches of that size.
fn torus(entries: u64) -> Blueprint {
    let mut config = Config::named("torus");
    config.ports = 2 * DIMENSIONS + 1;
    config.virtual_channels.unicast = 2;
    let cache = Cache { entries: entries as u32, ..Cache::default() };
    config.routing = Routing::Table(TableRouting { cache: Some(cache), next_vc: true, ..TableRouting::default() });
    let config = config.check().expect("a legal switch");
    let radix = vec![MEASURED_K as usize; DIMENSIONS as usize];
    dawning::build(Plan::new(config.shape(), Topology::Torus(Cube { radix, nodes: 1 })))
}

/// The mean of equation 4.3 over all destinations, in cycles.
fn mean_by_equations(entries: u64) -> f64 {
    let hop = |i| {
        let miss = 1.0 - hit_ratio(MEASURED_K, DIMENSIONS, i, entries);
        HIT as f64 + (MISS - HIT) as f64 * miss + MEASURED_LINK as f64
    };
    let nodes = MEASURED_K.pow(DIMENSIONS) as f64;
    // Hops in a dimension, over all destinations but the source itself.
    let distance = |to: u64| to.min(MEASURED_K - to) as f64;
    let hops = (0..MEASURED_K).map(distance).sum::<f64>() / MEASURED_K as f64 * nodes / (nodes - 1.0);
    let ways: f64 = (1..=DIMENSIONS).map(|i| hops * hop(i)).sum();
    hop(0) + ways + MEASURED_LINK as f64 + f64::from(MEASURED_FLITS - 1)
}

/// A torus at work beside the equations.
fn measured(seed: u64, cycles: u64) -> StudyPart {
    let heads =
        ["entries", "node port hits %", "equations", "measured", "measured over", "hits %", "seed", "difference"];
    let mut table = StudyTable::new(&heads);
    let traffic = Traffic { load: MEASURED_LOAD, length: Some(MEASURED_FLITS), ..Traffic::default() };
    let run =
        Run { traffic, link_latency: MEASURED_LINK, cam_latency: CAM, caches: Caches::Warm, seed, ..Run::default() };
    let reports: Vec<_> =
        MEASURED_ENTRIES.par_iter().map(|&entries| dawning::measure(&torus(entries), &run, cycles).report).collect();
    let mut series: Vec<(String, Vec<Dot>)> = vec![("equations".into(), Vec::new()), ("measured".into(), Vec::new())];
    for (entries, report) in MEASURED_ENTRIES.into_iter().zip(reports) {
        let (said, found) = (mean_by_equations(entries), report.unicast.latency_mean);
        let node = 100.0 * hit_ratio(MEASURED_K, DIMENSIONS, 0, entries);
        let hits = 100.0 * report.caches.map_or(0.0, |caches| caches.hit_rate);
        let cells =
            [json!(entries), rounded(node), rounded(said), rounded(found), rounded(found / said), rounded(hits)];
        table.push(cells.into_iter().chain([Value::Null, Value::Null]));
        for (curve, latency) in series.iter_mut().zip([said, found]) {
            curve.1.push(Dot::at(entries as f64, latency));
        }
    }
    let title = format!("Mean zero-load latency of a running torus {MEASURED_K} x {MEASURED_K} x {MEASURED_K}, cycles");
    let axes = [Axis::log("entries"), Axis::linear("mean latency, cycles")];
    let picture = Picture {
        title: title.clone(),
        axes,
        legend: Some("latency".into()),
        series,
        published: Vec::new(),
        front: None,
    };
    StudyPart { name: format!("{NAME}-measured"), title, table, picture }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn agrees_with_figures_4_10_and_4_11() {
        let reduction = |k, entries| 100.0 * (1.0 - SWITCHES[0].with_cache(k, entries) / SWITCHES[0].without(k));
        let ours: Vec<f64> = (7..=17).step_by(2).chain([27, 29, 31]).map(|k| reduction(k, 2048)).collect();
        for (ours, printed) in ours.into_iter().zip([18.9, 18.9, 19.0, 18.9, 18.7, 17.8, 13.3, 13.1, 12.9]) {
            assert!((ours - printed).abs() < 0.06, "{ours} for {printed}");
        }
        for (entries, printed) in [(128, 9.3), (1024, 13.3), (2048, 15.0), (9261, 19.1)] {
            assert!((reduction(21, entries) - printed).abs() < 0.06, "{} for {printed}", reduction(21, entries));
        }
    }

    /// A network at hardly any load is as fast as the equations say, whatever its caches hold.
    #[test]
    fn a_running_torus_agrees_with_the_equations() {
        for row in measured(1, 3_000).table.rows {
            // Without misses they agree; a set that is full adds conflicts to the misses for want of room.
            let (entries, over) = (row[0].as_u64().unwrap(), row[4].as_f64().unwrap());
            let allowed = if entries == 2048 { 0.01 } else { 0.1 };
            assert!((over - 1.0).abs() < allowed, "{row:?}");
        }
    }

    /// What the seed prints without a decimal comes out to the last digit.
    #[test]
    fn differs_from_the_seed_by_rounding_only() {
        let report = run(&StudyOptions::default());
        let column = report.parts[0].table.columns.iter().position(|head| *head == "difference").unwrap();
        let differences: Vec<f64> =
            report.parts[..2].iter().flat_map(|p| &p.table.rows).filter_map(|row| row[column].as_f64()).collect();
        assert_eq!(differences.len(), 4);
        assert!(differences.iter().all(|d| d.abs() < 0.5), "{differences:?}");
    }
}

//! Cao2016, 7.1, figure 17: unicast packets in a network of 1,024 nodes.

use super::bound::bound;
use super::dawning::{self, Runs};
use super::NetworkSize;
use crate::report::{beside, rounded};
use crate::{Seed, StudyOptions, StudyPart, StudyReport, StudyTable};
use railyard_network::blueprint::Blueprint;
use railyard_network::harness::{destinations, Pattern, Run, Traffic};
use railyard_plot::{Axis, Dot, Picture, Published};
use serde_json::{json, Value};

const NAME: &str = "unicast-network";
/// Cycles measured, if the network is steady.
const CYCLES: u64 = 4_000;
const LOADS: [u32; 5] = [20, 40, 60, 80, 100];
/// Patterns with what the seed prints of their throughput in %.
const PATTERNS: [(&str, Pattern, Seed); 4] = [
    ("uniform", Pattern::Uniform, Seed::Above(70.0)),
    ("hot region", Pattern::HotRegion, Seed::Number(28.0)),
    ("local", Pattern::Local, Seed::Number(80.0)),
    ("permutation", Pattern::Permutation, Seed::Silent),
];

/// A load with what it came to.
type Point = (u32, Runs);

pub(super) fn run(options: &StudyOptions) -> StudyReport {
    let parts = parts(options.network, options.seed, CYCLES);
    let notes = vec![
        format!(
            "A fat tree of three levels, {} nodes (the paper's has 1,024: --nodes), switches as in the preset dawning16 with four packets a \
             buffer, packets of 8 flits on both unicast VCs and the mixed one. Load and throughput: flits for each node and cycle, in %. \
             Latency: cycles from when the source has the packet to its tail at the destination.",
            options.network.nodes()
        ),
        format!(
            "A row is {} runs with a seed each: mean and 95 % confidence. Warm-up: cycles before the measured ones, chosen by a test: \
             nodes receive as much in both halves of what is measured, or all of it becomes warm-up. Steady: runs that passed. Bound: what the \
             destinations and the links of their routes allow. Sources are queues: where they grow, there is no latency.",
            dawning::SEEDS
        ),
        "Hot region: a quarter of the packets to the first eighth of the nodes; the paper does not say how large its region is, and how many \
         packets go there. Sources that send alike pass 1 / (0.75 + 0.25 x 8) = 36.4 % in no steady state; the bound counts that hot nodes \
         send less to hot nodes, and so can send more. Local: three quarters to nodes of the same \
         switch; the seed's Sphere pattern is only named. Permutation: each node to one other, all its packets one way \
         (deterministic routing); the paper has no figure for it."
            .into(),
        "Figure 17 is printed without numbers; the text has the highest throughputs.".into(),
    ];
    StudyReport { study: NAME, seed: options.seed, parts, notes }
}

fn parts(size: NetworkSize, seed: u64, cycles: u64) -> Vec<StudyPart> {
    let blueprint = dawning::blueprint(size);
    let cases: Vec<(Pattern, u32)> =
        PATTERNS.iter().flat_map(|(_, pattern, _)| LOADS.map(|load| (*pattern, load))).collect();
    let runs = dawning::measure_all(&cases, seed, |&(pattern, load), seed| {
        let traffic = Traffic { pattern, load: f64::from(load) / 100.0, ..Traffic::default() };
        dawning::measure(&blueprint, &Run { traffic, seed, ..Run::default() }, cycles)
    });
    let mut points = cases.iter().map(|(_, load)| *load).zip(runs);
    let curves: Vec<Vec<Point>> = PATTERNS.iter().map(|_| points.by_ref().take(LOADS.len()).collect()).collect();
    let bounds = PATTERNS.map(|(_, pattern, _)| mean_bound(pattern, &blueprint, seed));
    vec![throughput(&curves, bounds), latency(&curves)]
}

/// The bound of a pattern, in %: of one that is drawn, that of the runs' draws.
fn mean_bound(pattern: Pattern, blueprint: &Blueprint, seed: u64) -> f64 {
    let of = |seed| bound(&destinations(pattern, &blueprint.wiring, seed), blueprint);
    100.0 * dawning::seeds(seed).map(of).iter().sum::<f64>() / dawning::SEEDS as f64
}

/// The highest throughput of each pattern.
fn throughput(curves: &[Vec<Point>], bounds: [f64; PATTERNS.len()]) -> StudyPart {
    let heads = ["traffic", "bound %", "throughput %", "seed %", "difference", "+-"];
    let mut table = StudyTable::new(&[&heads[..], &Runs::STEADY].concat());
    let (mut series, mut published): (Vec<(String, Vec<Dot>)>, Vec<Published>) = Default::default();
    for (((name, _, printed), curve), bound) in PATTERNS.into_iter().zip(curves).zip(bounds) {
        let (load, highest) = curve
            .iter()
            .max_by(|(_, a), (_, b)| a.throughput().mean.total_cmp(&b.throughput().mean))
            .expect("there are loads");
        let found = highest.throughput();
        published.extend(printed.at((*load).into()).map(|point| point.of(name)));
        let cells = [json!(name), rounded(bound)].into_iter().chain(beside(found.mean, printed));
        table.push(cells.chain([rounded(found.half)]).chain(highest.steady()));
        series.push((
            name.into(),
            curve
                .iter()
                .map(|(load, runs)| Dot::of((*load).into(), runs.throughput()).hollow_if(runs.is_saturated()))
                .collect(),
        ));
    }
    part(
        "throughput",
        "Highest throughput by traffic",
        [Axis::linear("load, %"), Axis::linear("throughput, %")],
        table,
        series,
        published,
    )
}

fn latency(curves: &[Vec<Point>]) -> StudyPart {
    let heads = ["traffic", "load %", "throughput %", "latency", "+-", "saturated", "seed", "difference"];
    let mut table = StudyTable::new(&[&heads[..], &Runs::STEADY].concat());
    let mut series: Vec<(String, Vec<Dot>)> = Vec::new();
    for ((name, ..), curve) in PATTERNS.into_iter().zip(curves) {
        let mut dots = Vec::new();
        for (load, runs) in curve {
            let found = runs.throughput();
            let latency = runs.latency(|report| report.unicast.latency_mean);
            dots.extend(runs.latency_dot(found.mean, |report| report.unicast.latency_mean));
            let head = [json!(name), json!(load), rounded(found.mean)].into_iter().chain(latency);
            let seed = [json!(runs.is_saturated()), Value::Null, Value::Null];
            table.push(head.chain(seed).chain(runs.steady()));
        }
        series.push((name.into(), dots));
    }
    let axes = [Axis::linear("throughput, %"), Axis::log("mean latency, cycles")];
    part("latency", "Latency by throughput and traffic", axes, table, series, Vec::new())
}

fn part(
    which: &str,
    title: &str,
    axes: [Axis; 2],
    table: StudyTable,
    series: Vec<(String, Vec<Dot>)>,
    published: Vec<Published>,
) -> StudyPart {
    let picture = Picture { title: title.into(), axes, legend: Some("traffic".into()), series, published, front: None };
    StudyPart { name: format!("{NAME}-{which}"), title: title.into(), table, picture }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn no_pattern_passes_its_bound_and_a_hot_region_has_the_lowest() {
        let parts = parts(NetworkSize::with_nodes(16).unwrap(), 1, 1_500);
        let value = |row: &[Value], column: usize| row[column].as_f64().unwrap();
        for row in &parts[0].table.rows {
            let (bound, found, half) = (value(row, 1), value(row, 2), value(row, 5));
            assert!(found - half <= 1.01 * bound, "{row:?}");
        }
        let rows = &parts[0].table.rows;
        let highest: Vec<f64> = rows.iter().map(|row| value(row, 2)).collect();
        let [uniform, hot, local, _] = highest[..] else { panic!("four patterns") };
        assert!(hot < uniform && uniform > 60.0 && local > 60.0, "{highest:?}");
        assert_eq!(parts[1].table.rows.len(), PATTERNS.len() * LOADS.len());
        let saturated = |row: &&Vec<Value>| row[0] == json!("hot region") && row[1] == json!(100);
        let full = parts[1].table.rows.iter().find(saturated).unwrap();
        assert_eq!((&full[3], &full[5]), (&Value::Null, &json!(true)), "{full:?}");
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

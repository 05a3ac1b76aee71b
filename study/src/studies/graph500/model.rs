//! What levels explore and send: searches on a graph beside the equations.

use super::{Claims, Origin, Searches, COALESCING, NAME};
use crate::graph500::{exchange, Exchange};
use crate::report::rounded;
use crate::{Seed, StudyPart, StudyTable};
use railyard_bench::traffic::graph500::{messages, queries};
use railyard_bench::traffic::{Graph500Constants, Graph500Graph};
use railyard_plot::{Axis, Dot, Picture};
use serde_json::{json, Value};

/// Levels that a table has.
const SHOWN: usize = 4;
/// Processes of which the messages are counted.
const PROCESSES: usize = 16;
/// The error in % that the source says is not exceeded at the first level, in 90 % of the cases.
const ERROR: f64 = 18.0;
/// A level that explores less than this share of all has no part in errors.
const SMALL: f64 = 0.01;

type Named = (&'static str, Graph500Constants);

/// What a level explores by a set of constants, as a share of all.
fn share(of: Graph500Graph, constants: &Graph500Constants, degree: f64, level: usize) -> f64 {
    of.levels(constants, degree, None).get(level).copied().unwrap_or(0.0) / of.ends()
}

/// Errors in % of what a level explores, of the searches in which that is not little.
fn errors(searches: &Searches, constants: &Graph500Constants, level: usize) -> Vec<f64> {
    let of = searches.graph.of;
    let error = |(degree, explored): &(f64, Vec<u64>)| {
        let found = explored.get(level).copied().unwrap_or(0) as f64 / of.ends();
        (found >= SMALL).then(|| 100.0 * (share(of, constants, *degree, level) / found - 1.0).abs())
    };
    searches.found.iter().filter_map(error).collect()
}

fn mean(values: &[f64]) -> f64 {
    values.iter().sum::<f64>() / values.len().max(1) as f64
}

fn within(errors: &[f64]) -> f64 {
    100.0 * errors.iter().filter(|error| **error < ERROR).count() as f64 / errors.len().max(1) as f64
}

pub(super) fn claims(claims: &mut Claims, searches: &Searches, constants: &[Named]) {
    for (name, constants) in constants {
        let [first, second] = [1, 2].map(|level| errors(searches, constants, level));
        let quantity = format!("level 1 within 18 %, share in %, {name}");
        claims.add("figure 2.12", &quantity, Origin::Published, within(&first), Seed::Above(90.0));
        let quantity = format!("level 2, mean error in %, {name}");
        claims.add("figure 2.12", &quantity, Origin::Published, mean(&second), Seed::Number(12.5));
    }
    let (of_processes, ratio) = spread(&exchange(&searches.graph, searches.root, PROCESSES));
    let quantity = "spread of queries over 16 processes, %";
    claims.add("figure 2.5", quantity, Origin::Published, of_processes, Seed::Below(8.0));
    claims.add("figure 2.4", "messages for an end of a level", Origin::Published, ratio, Seed::Number(30.0));
}

/// Most less least queries of a process over the mean in %, and messages over signals at the ends of levels.
fn spread(levels: &[Exchange]) -> (f64, f64) {
    let mut sums = [0u64; PROCESSES];
    for level in levels {
        sums.iter_mut().zip(level.of_processes()).for_each(|(sum, of)| *sum += of);
    }
    let [least, most] = [sums.iter().min(), sums.iter().max()].map(|sum| sum.copied().unwrap_or(0) as f64);
    let all: u64 = levels.iter().map(|level| level.messages(u64::from(COALESCING))).sum();
    let signals = levels.len() * PROCESSES * (PROCESSES - 1);
    (100.0 * (most - least) * PROCESSES as f64 / sums.iter().sum::<u64>() as f64, all as f64 / signals as f64)
}

pub(super) fn parts(searches: &Searches, constants: &[Named]) -> Vec<StudyPart> {
    vec![explored(searches, constants), errors_of_sets(searches, constants), fitted(constants), sent(searches)]
}

/// Shares by level and the range of the root's degree.
fn explored(searches: &Searches, constants: &[Named]) -> StudyPart {
    let heads =
        ["degree from", "roots", "level", "searched %", "printed %", "FOGSim %", "fitted %", "seed", "difference"];
    let mut table = StudyTable::new(&heads);
    let of = searches.graph.of;
    let names = ["searched", "printed", "FOGSim", "fitted"];
    let mut series: Vec<(String, Vec<Dot>)> = Vec::new();
    for power in (0..of.scale).step_by(3) {
        let (from, to) = (f64::from(1u32 << power), f64::from(1u32 << (power + 1)));
        let here: Vec<&(f64, Vec<u64>)> =
            searches.found.iter().filter(|(degree, _)| (from..to).contains(degree)).collect();
        if here.is_empty() {
            continue;
        }
        for level in 1..=SHOWN {
            let found = |(_, levels): &&(f64, Vec<u64>)| levels.get(level).copied().unwrap_or(0) as f64 / of.ends();
            let searched = mean(&here.iter().map(found).collect::<Vec<f64>>());
            let of_set = |constants: &Graph500Constants| {
                mean(&here.iter().map(|(degree, _)| share(of, constants, *degree, level)).collect::<Vec<f64>>())
            };
            let shares: Vec<f64> =
                std::iter::once(searched).chain(constants.iter().map(|(_, set)| of_set(set))).collect();
            let cells = shares.iter().map(|share| rounded(100.0 * share));
            let head = [json!(from), json!(here.len()), json!(level)];
            table.push(head.into_iter().chain(cells).chain([Value::Null, Value::Null]));
            if level == 2 {
                for (name, share) in names.iter().zip(&shares) {
                    let at = Dot::at(from, 100.0 * share);
                    match series.iter_mut().find(|(of, _)| of == name) {
                        Some((_, dots)) => dots.push(at),
                        None => series.push((name.to_string(), vec![at])),
                    }
                }
            }
        }
    }
    let title = "Ends of edges explored, by the degree of the root";
    part("explored", title, [Axis::log("degree of the root"), Axis::linear("explored at level 2, %")], table, series)
}

/// Errors by set of constants and level.
fn errors_of_sets(searches: &Searches, constants: &[Named]) -> StudyPart {
    let mut table =
        StudyTable::new(&["constants", "level", "searches", "error %", "within 18 %", "seed", "difference"]);
    let mut series = Vec::new();
    for (name, set) in constants {
        let mut dots = Vec::new();
        for level in 1..=SHOWN {
            let errors = errors(searches, set, level);
            let head = [json!(name), json!(level), json!(errors.len())];
            let cells = [mean(&errors), within(&errors)].map(rounded);
            table.push(head.into_iter().chain(cells).chain([Value::Null, Value::Null]));
            dots.push(Dot::at(level as f64, mean(&errors)));
        }
        series.push((name.to_string(), dots));
    }
    let title = "Mean error of what a level explores, where that is 1 % of all or more";
    part("errors", title, [Axis::linear("level"), Axis::linear("mean error, %")], table, series)
}

/// The constants of the fit.
fn fitted(constants: &[Named]) -> StudyPart {
    let mut table = StudyTable::new(&["level", "a", "b", "c", "deviation", "seed", "difference"]);
    let mut dots = Vec::new();
    for (_, set) in constants {
        let Graph500Constants::Fitted(levels) = set else { continue };
        for (number, level) in levels.iter().enumerate() {
            let cells = [level.a, level.b, level.c, level.deviation].map(rounded);
            let head = std::iter::once(json!(number + 1));
            table.push(head.chain(cells).chain([Value::Null, Value::Null]));
            dots.push(Dot::at(number as f64 + 1.0, level.c));
        }
    }
    let axes = [Axis::linear("level"), Axis::linear("c")];
    part("fit", "Constants fitted to the searches", axes, table, vec![("c".into(), dots)])
}

/// Queries and messages of processes, beside equations 2.2 to 2.4.
fn sent(searches: &Searches) -> StudyPart {
    let heads = ["level", "explored", "queries", "by 2.2", "messages", "by 2.4", "spread %", "seed", "difference"];
    let mut table = StudyTable::new(&heads);
    let mut series = vec![("counted".to_string(), Vec::new()), ("by equation 2.4".to_string(), Vec::new())];
    let explored = crate::graph500::levels(&searches.graph, searches.root);
    let levels = exchange(&searches.graph, searches.root, PROCESSES);
    for (number, (level, explored)) in levels.iter().zip(explored).enumerate().skip(1) {
        let n = PROCESSES as f64;
        let by_equation = queries(explored as f64, PROCESSES);
        let messages_of_all = n * messages(by_equation, COALESCING, PROCESSES);
        let counted = level.messages(u64::from(COALESCING));
        let of = level.of_processes();
        let [least, most] = [of.iter().min(), of.iter().max()].map(|sum| sum.copied().unwrap_or(0) as f64);
        let spread = 100.0 * (most - least) * n / level.queries().max(1) as f64;
        let cells = [json!(number), json!(explored), json!(level.queries())].into_iter();
        let cells = cells.chain([rounded(n * by_equation), json!(counted)]);
        table.push(cells.chain([messages_of_all, spread].map(rounded)).chain([Value::Null, Value::Null]));
        series[0].1.push(Dot::at(number as f64, counted as f64));
        series[1].1.push(Dot::at(number as f64, messages_of_all));
    }
    let title = "Queries and messages of 16 processes";
    part("messages", title, [Axis::linear("level"), Axis::linear("messages")], table, series)
}

fn part(name: &str, title: &str, axes: [Axis; 2], table: StudyTable, series: Vec<(String, Vec<Dot>)>) -> StudyPart {
    let picture = Picture { title: title.into(), axes, legend: None, series, published: Vec::new(), front: None };
    StudyPart { name: format!("{NAME}-{name}"), title: title.into(), table, picture }
}

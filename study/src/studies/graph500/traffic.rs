//! Searches as traffic of a Dragonfly.

use super::{Claims, Origin, Searches, COALESCING, NAME, QUERY_BYTES};
use crate::report::{beside, rounded};
use crate::studies::dragonfly::switch;
use crate::studies::DragonflySize;
use crate::{Seed, StudyPart, StudyTable};
use railyard_bench::traffic::{Graph500Constants, Graph500Level};
use railyard_model::Switch;
use railyard_network::adaptive::{AdaptiveSettings, Mode};
use railyard_network::blueprint::{Blueprint, Plan};
use railyard_network::harness::{Graph500Report, Network, Run, Traffic};
use railyard_network::run::Graph500Traffic;
use railyard_network::topology::{ClassLatency, Dragonfly, Topology};
use railyard_plot::{Axis, Dot, Picture, Published};
use railyard_spec::Config;
use rayon::prelude::*;
use serde_json::{json, Value};

/// Flits of a message.
const MESSAGE: f64 = 8.0;
/// Gigabits of a link in a second, and ns that a node needs for a query.
const RATES: [f64; 2] = [40.0, 100.0];
const QUERY_NS: [f64; 5] = [0.75, 1.5, 3.2, 6.0, 15.0];
/// A node of which the source has a measurement: a Xeon.
const XEON_NS: f64 = 1.5;
/// Cycles after which a search is given up.
const LONGEST: u64 = 10_000_000;
/// Cycles of local and global links: 500 ns and less at 40 Gb/s.
const LATENCY: ClassLatency = ClassLatency { local: Some(1), global: Some(5) };

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Routing {
    Minimal,
    Valiant,
}

impl Routing {
    fn name(self) -> &'static str {
        match self {
            Routing::Minimal => "MIN",
            Routing::Valiant => "VAL",
        }
    }
}

/// A search and what it came to.
pub(super) struct Found {
    routing: Routing,
    constants: &'static str,
    /// Gigabits in a second, and ns of a query.
    rate: f64,
    query: f64,
    /// Groups that have processes; none: all have.
    groups: Option<usize>,
    report: Graph500Report,
}

impl Found {
    /// Its time in microseconds.
    fn time(&self) -> f64 {
        self.report.cycles as f64 * cycle(self.rate) / 1e3
    }
}

/// ns of a flit on a link.
fn cycle(rate: f64) -> f64 {
    let bytes = f64::from(COALESCING) * QUERY_BYTES / MESSAGE;
    bytes * 8.0 / rate
}

fn blueprint(size: DragonflySize, routing: Routing, groups: Option<usize>) -> Blueprint {
    let mut of = switch(size);
    (of["virtual_channels"]["unicast"], of["buffer_flits"]) = (json!(4), json!(128));
    of["routing"]["vcs"]["requests"] = json!("lgllgl");
    of["routing"]["adaptive"] = json!({"valiant": "router"});
    let shape = Config::from_json(&of.to_string()).expect("a legal switch").shape();
    let dragonfly = Dragonfly::new(size.h(), size.routers(), size.h());
    let trunks = groups.map(|_| 1);
    let topology = Topology::Dragonfly(Dragonfly { latency: LATENCY, groups, trunks, ..dragonfly });
    let mode = (routing == Routing::Valiant).then_some(Mode::Valiant);
    let adaptive = AdaptiveSettings { mode, ..AdaptiveSettings::default() };
    Blueprint::new(Plan { adaptive, ..Plan::new(shape, topology) }).expect("each state has an escape")
}

/// Runs all searches, from a root of the same degree.
pub(super) fn run(
    size: DragonflySize,
    searches: &Searches,
    constants: &[(&'static str, Graph500Constants)],
    seed: u64,
) -> Vec<Found> {
    let degree = f64::from(searches.graph.degree(searches.root));
    let fitted = &constants[2];
    let searched = ("searched", as_searched(searches));
    let mut cases: Vec<(Routing, &(&'static str, Graph500Constants), f64, f64, Option<usize>)> = Vec::new();
    for routing in [Routing::Minimal, Routing::Valiant] {
        cases.extend(QUERY_NS.map(|query| (routing, fitted, RATES[0], query, None)));
    }
    cases.extend([QUERY_NS[0], XEON_NS, QUERY_NS[4]].map(|query| (Routing::Minimal, fitted, RATES[1], query, None)));
    let others = constants[..2].iter().chain([&searched]);
    cases.extend(others.map(|set| (Routing::Minimal, set, RATES[0], XEON_NS, None)));
    cases.push((Routing::Minimal, fitted, RATES[0], XEON_NS, Some(2)));
    let graph = searches.graph.of;
    let of = |(routing, (name, set), rate, query, groups): (Routing, &(&'static str, _), f64, f64, _)| {
        let search = Graph500Traffic {
            scale: graph.scale,
            edge_factor: graph.edge_factor,
            coalescing: COALESCING,
            query_cycles: query / cycle(rate),
            processes: None,
            root_degree: Some(degree),
            constants: Graph500Constants::clone(set),
        };
        let run = Run { traffic: Traffic { graph500: Some(search), ..Traffic::default() }, seed, ..Run::default() };
        let network = Network::new(blueprint(size, routing, groups), &run, Switch::new);
        let mut network = network.expect("the run fits the network");
        network.run(LONGEST, |_| ());
        let report = network.report();
        assert!(report.mismatches.is_empty(), "{:#?}", report.mismatches);
        let report = report.graph500.expect("a search is the traffic");
        assert!(report.is_over, "{report:?}");
        Found { routing, constants: name, rate, query, groups, report }
    };
    cases.into_par_iter().map(of).collect()
}

/// A fit that is what the search from the root found.
fn as_searched(searches: &Searches) -> Graph500Constants {
    let explored = crate::graph500::levels(&searches.graph, searches.root);
    let level = |explored: &u64| Graph500Level { a: 0.0, b: 0.0, c: (*explored.max(&1) as f64).ln(), deviation: 0.0 };
    Graph500Constants::Fitted(explored[1..].iter().map(level).collect())
}

/// The search with the fitted constants.
fn of(found: &[Found], routing: Routing, rate: f64, query: f64) -> &Found {
    let is_it =
        |f: &&Found| (f.routing, f.rate, f.query, f.constants, f.groups) == (routing, rate, query, "fitted", None);
    found.iter().find(is_it).expect("it was run")
}

pub(super) fn claims(claims: &mut Claims, found: &[Found]) {
    let fast = QUERY_NS[0];
    let [minimal, valiant] = [Routing::Minimal, Routing::Valiant].map(|routing| of(found, routing, RATES[0], fast));
    let published = Origin::Published;
    claims.add("figure 2.14", "usage of fast nodes, MIN", published, minimal.report.usage, Seed::Below(0.7));
    claims.add("figure 2.15", "usage of fast nodes, VAL", published, valiant.report.usage, Seed::Number(0.4));
    let ratio = valiant.time() / minimal.time();
    claims.add("figure 2.16", "time of fast nodes, VAL over MIN", published, ratio, Seed::Number(2.0));
    let faster = |query| {
        of(found, Routing::Minimal, RATES[0], query).time() / of(found, Routing::Minimal, RATES[1], query).time()
    };
    claims.add("figure 2.13", "time at 40 over 100 Gb/s, 1.5 ns", published, faster(XEON_NS), Seed::Number(2.0));
    claims.add("figure 2.13", "time at 40 over 100 Gb/s, 15 ns", published, faster(QUERY_NS[4]), Seed::Number(1.0));
    let two = found.iter().find(|found| found.groups.is_some()).expect("it was run");
    // Two groups, and one link between them: half of the messages cross it.
    let nodes = two.report.processes as f64 / 2.0;
    let bound = (2.0 * nodes - 1.0) / nodes / nodes;
    claims.add("figure 2.17", "usage on two groups, MIN", Origin::Derived, two.report.usage, Seed::Below(bound));
}

pub(super) fn parts(found: &[Found]) -> Vec<StudyPart> {
    vec![by_node(found), by_constants(found)]
}

/// Usage and time by the speed of nodes.
fn by_node(found: &[Found]) -> StudyPart {
    let heads = ["routing", "Gb/s", "query ns", "offered", "usage", "seed", "difference", "time us", "levels"];
    let mut table = StudyTable::new(&heads);
    let mut series: Vec<(String, Vec<Dot>)> = Vec::new();
    let mut published: Vec<Published> = Vec::new();
    for f in found.iter().filter(|f| f.constants == "fitted" && f.groups.is_none()) {
        let offered = MESSAGE * cycle(f.rate) / (f.query * f64::from(COALESCING));
        let seed = match (f.routing, f.query == QUERY_NS[0], f.rate == RATES[0]) {
            (Routing::Minimal, true, true) => Seed::Below(0.7),
            (Routing::Valiant, true, true) => Seed::Number(0.4),
            _ => Seed::Silent,
        };
        let head = [json!(f.routing.name()), json!(f.rate), json!(f.query), rounded(offered)];
        let tail = [rounded(f.time()), json!(f.report.levels.len())];
        table.push(head.into_iter().chain(beside(f.report.usage, seed)).chain(tail));
        let name = format!("{}, {} Gb/s", f.routing.name(), f.rate);
        published.extend(seed.at(f.query).map(|point| point.of(&name)));
        let dot = Dot::at(f.query, f.report.usage);
        match series.iter_mut().find(|(of, _)| *of == name) {
            Some((_, dots)) => dots.push(dot),
            None => series.push((name, vec![dot])),
        }
    }
    let title = "Usage of a Dragonfly by a search, by the time of a query";
    let axes = [Axis::log("ns of a query"), Axis::linear("flits for each node and cycle")];
    let picture = Picture { title: title.into(), axes, legend: None, series, published, front: None };
    StudyPart { name: format!("{NAME}-usage"), title: title.into(), table, picture }
}

/// The same search by all sets of constants.
fn by_constants(found: &[Found]) -> StudyPart {
    let heads = ["constants", "levels", "messages", "most at a level %", "usage", "time us", "of searched %"];
    let mut table = StudyTable::new(&[&heads[..], &["seed", "difference"]].concat());
    let here = || {
        let is_here =
            |f: &&Found| (f.routing, f.rate, f.query, f.groups) == (Routing::Minimal, RATES[0], XEON_NS, None);
        found.iter().filter(is_here)
    };
    let searched = here().find(|f| f.constants == "searched").expect("it was run").time();
    let mut dots = Vec::new();
    for f in here() {
        let messages: u64 = f.report.levels.iter().map(|level| level.messages).sum();
        let most = f.report.levels.iter().map(|level| level.messages).max().unwrap_or(0);
        let head = [json!(f.constants), json!(f.report.levels.len()), json!(messages)];
        let cells = [100.0 * most as f64 / messages as f64, f.report.usage, f.time(), 100.0 * f.time() / searched];
        table.push(head.into_iter().chain(cells.map(rounded)).chain([Value::Null, Value::Null]));
        dots.push(Dot::at(dots.len() as f64 + 1.0, f.time()));
    }
    let title = "Time of the same search by the constants of its levels, MIN, 40 Gb/s, 1.5 ns";
    let axes = [Axis::rows("row of the table"), Axis::linear("us")];
    let series = vec![("time".to_string(), dots)];
    let picture = Picture { title: title.into(), axes, legend: None, series, published: Vec::new(), front: None };
    StudyPart { name: format!("{NAME}-constants"), title: title.into(), table, picture }
}

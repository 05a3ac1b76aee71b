//! The same Dragonfly, traffic and routing in CAMINOS, a simulator by others: latency of an idle network, and what it
//! accepts at the most.

use super::dawning::{self, Measured, Runs};
use super::dragonfly::{golden, network_of, switch, traffic, BUFFER};
use super::DragonflySize;
use crate::caminos::{Caminos, PeerFigures, PeerPattern, PeerRouter, PeerRouting, PeerRun, VERSION};
use crate::report::rounded;
use crate::{Error, StudyOptions, StudyPart, StudyReport, StudyTable};
use railyard_network::adaptive::{AdaptiveSettings, Mode};
use railyard_network::blueprint::Blueprint;
use railyard_network::harness::Pattern;
use railyard_plot::{Axis, Dot, Interval, Picture};
use rayon::prelude::*;
use serde_json::{json, Value};
use std::sync::Arc;

const NAME: &str = "caminos";
/// Flits of a packet, cycles of a header through a switch, and those of local, global and node links.
const PACKET: usize = 8;
const SWITCH: usize = 5;
const LINKS: [usize; 3] = [10, 100, 1];
/// Cycles measured, if the network is steady; of the smallest network, which is for a quick look.
const CYCLES: u64 = 6_000;
const QUICK: u64 = 1_000;
/// Loads in % at which a network is idle, and more than it takes.
const IDLE: f64 = 1.0;
const FULL: f64 = 100.0;
/// A load in % that minimal ways do not take under ADV+1.
const OVER_MINIMAL: f64 = 40.0;

/// Cycles of a tick of patience, at the most.
const LONGEST_PATIENCE: u32 = 255;

/// A routing under a pattern.
#[derive(Clone, Copy)]
struct Pair {
    routing: PeerRouting,
    pattern: PeerPattern,
}

const PAIRS: [Pair; 4] = [
    Pair { routing: PeerRouting::Minimal, pattern: PeerPattern::Uniform },
    Pair { routing: PeerRouting::Valiant, pattern: PeerPattern::Uniform },
    Pair { routing: PeerRouting::Minimal, pattern: PeerPattern::NextGroup },
    Pair { routing: PeerRouting::Valiant, pattern: PeerPattern::NextGroup },
];

impl Pair {
    fn names(self) -> [Value; 2] {
        let routing = match self.routing {
            PeerRouting::Minimal => "MIN",
            PeerRouting::Valiant => "VAL",
        };
        let pattern = match self.pattern {
            PeerPattern::Uniform => "UN",
            PeerPattern::NextGroup => "ADV+1",
        };
        [json!(routing), json!(pattern)]
    }

    /// A load that is more than it takes, in %.
    fn full(self) -> f64 {
        match (self.routing, self.pattern) {
            (PeerRouting::Minimal, PeerPattern::NextGroup) => OVER_MINIMAL,
            _ => FULL,
        }
    }

    fn of_golden(self) -> Pattern {
        match self.pattern {
            PeerPattern::Uniform => Pattern::Uniform,
            PeerPattern::NextGroup => Pattern::Adversarial { offset: 1 },
        }
    }

    /// The golden network: a fixed VC for each hop, and vias that are routers.
    fn network(self, size: DragonflySize) -> Arc<Blueprint> {
        let mut of = switch(size);
        let (sequence, vcs) = match self.routing {
            PeerRouting::Minimal => ("lgl", 2),
            PeerRouting::Valiant => ("lgllgl", 4),
        };
        (of["virtual_channels"]["unicast"], of["buffer_flits"]) = (json!(vcs), json!(BUFFER));
        of["routing"]["vcs"]["requests"] = json!(sequence);
        if self.routing == PeerRouting::Valiant {
            of["routing"]["adaptive"] = json!({"valiant": "router"});
        }
        let mode = (self.routing == PeerRouting::Valiant).then_some(Mode::Valiant);
        // CAMINOS has no escapes. A packet that waits for long takes its own here; so it waits for as long as it can.
        let patience = mode.map(|_| LONGEST_PATIENCE);
        network_of(size, &of, AdaptiveSettings { mode, patience, ..AdaptiveSettings::default() })
    }

    /// What global links carry at most in %, ours and that of CAMINOS. A node has one of its own on average.
    ///
    /// Our via is in any group but the source's, for packets that leave it. That of CAMINOS is any router.
    fn bounds(self, size: DragonflySize) -> [f64; 2] {
        let (groups, nodes, block) = (size.groups() as f64, size.nodes() as f64, (size.h() * size.routers()) as f64);
        let leaving = (nodes - block) / (nodes - 1.0);
        let most = |links: f64| (100.0 / links).min(100.0);
        match (self.routing, self.pattern) {
            (PeerRouting::Minimal, PeerPattern::Uniform) => [most(leaving); 2],
            (PeerRouting::Minimal, PeerPattern::NextGroup) => [most(block); 2],
            (PeerRouting::Valiant, PeerPattern::Uniform) => {
                let [ours, of_both] = [leaving * (2.0 - 1.0 / (groups - 1.0)), 2.0 * (groups - 1.0) / groups];
                [ours, of_both].map(most)
            }
            // All links but that to the next group carry as much as two links of a node, in ours. In CAMINOS all do.
            (PeerRouting::Valiant, PeerPattern::NextGroup) => {
                [2.0 * block / (groups - 1.0), 2.0 * block / groups].map(most)
            }
        }
    }

    fn peer(self, size: DragonflySize, router: PeerRouter, load: f64, cycles: u64, seed: u64) -> PeerRun {
        PeerRun {
            h: size.h(),
            routing: self.routing,
            pattern: self.pattern,
            router,
            load: load / 100.0,
            packet: PACKET,
            buffer: BUFFER as usize,
            switch_cycles: SWITCH,
            links: LINKS,
            warm_up: 2 * cycles,
            measured: cycles,
            seed,
        }
    }
}

/// Runs of a pair at a load: ours, and those of CAMINOS by router.
struct Found {
    pair: Pair,
    load: f64,
    ours: Runs,
    theirs: [Vec<PeerFigures>; 2],
}

impl Found {
    /// Figures of ours, and of both routers of CAMINOS.
    fn figures(&self, ours: impl Fn(&Measured) -> f64, theirs: impl Fn(&PeerFigures) -> f64) -> [Interval; 3] {
        let of = |figures: &Vec<PeerFigures>| Interval::of(&figures.iter().map(&theirs).collect::<Vec<f64>>());
        let [basic, input_output] = &self.theirs;
        [Interval::of(&self.ours.0.iter().map(ours).collect::<Vec<f64>>()), of(basic), of(input_output)]
    }
}

const ROUTERS: [PeerRouter; 2] = [PeerRouter::Basic, PeerRouter::InputOutput];

pub(super) fn run(options: &StudyOptions) -> Result<StudyReport, Error> {
    let size = options.dragonfly;
    let cycles = if size.h() == 1 { QUICK } else { CYCLES };
    let caminos = Caminos::new()?;
    let loads = |pair: Pair| [IDLE, pair.full()].map(|load| (pair, load));
    let cases: Vec<(Pair, f64)> = PAIRS.into_iter().flat_map(loads).collect();
    let ours = dawning::measure_all(&cases, options.seed, |(pair, load), seed| -> Measured {
        // Packets are few in an idle network.
        let cycles = if *load == IDLE { 4 * cycles } else { cycles };
        let run = golden(&pair.network(size), &traffic(pair.of_golden(), *load), seed).run_until_settled(cycles);
        assert!(run.report.mismatches.is_empty(), "{:#?}", run.report.mismatches);
        run
    });
    let peers = cases.iter().flat_map(|case| ROUTERS.map(|router| (*case, router)));
    let peers: Vec<_> = peers.flat_map(|of| dawning::seeds(options.seed).map(|seed| (of, seed))).collect();
    let measure = |(((pair, load), router), seed): &(((Pair, f64), PeerRouter), u64)| {
        // Its seeds are small numbers.
        let seed = (seed >> 32) + (seed & 0xFFFF);
        caminos.measure(&pair.peer(size, *router, *load, cycles, seed))
    };
    let theirs: Vec<PeerFigures> = peers.par_iter().map(measure).collect::<Result<_, Error>>()?;
    let mut theirs = theirs.chunks(dawning::SEEDS as usize).map(<[PeerFigures]>::to_vec);
    let mut next = || theirs.next().expect("each case was measured");
    let found =
        cases.into_iter().zip(ours).map(|((pair, load), ours)| Found { pair, load, ours, theirs: [next(), next()] });
    let found: Vec<Found> = found.collect();
    let [idle, full]: [Vec<&Found>; 2] =
        [true, false].map(|is_idle| found.iter().filter(|found| (found.load == IDLE) == is_idle).collect());
    let parts = vec![latency(&idle), saturation(&full), of_bounds(size, &full)];
    Ok(StudyReport { study: NAME, seed: options.seed, parts, notes: notes(size) })
}

fn notes(size: DragonflySize) -> Vec<String> {
    vec![
        format!(
            "A Dragonfly of h = {}, {} nodes, palm tree. Links have 10 and 100 cycles, those of nodes 1. Packets have 8 \
             flits, buffers {BUFFER} flits a VC. MIN has 2 local VCs and a global one, VAL 4 and 2. CAMINOS is version \
             {VERSION}; three runs with a seed each, of both.",
            size.h(),
            size.nodes()
        ),
        "Basic and input-output are the router models of CAMINOS. Input-output has a crossbar of five cycles and an iSLIP \
         allocator of two iterations. Basic has no cycles of its own: the five are on its links. Both have buffers of two \
         packets at each output and VC, which our switch has not."
            .into(),
        "Our VAL draws a router of another group, for packets that leave their group. CAMINOS draws any router, those of \
         the groups of source and destination among them. So global links are full at other loads: the bounds."
            .into(),
        "Limits are the differences that we expect at the most. Beyond them, what is accepted of the bound tells whether \
         the bound is the reason."
            .into(),
    ]
}

/// What is accepted: differences in % that are expected at the most.
const LIMIT: f64 = 5.0;
const LIMIT_UNIFORM: f64 = 10.0;

/// A row for each router of CAMINOS: ours, theirs, and by how many % ours is more.
fn rows(found: &Found, figures: [Interval; 3]) -> impl Iterator<Item = Vec<Value>> + use<> {
    let [routing, pattern] = found.pair.names();
    let [ours, theirs @ ..] = figures;
    ROUTERS.into_iter().zip(theirs).map(move |(router, theirs)| {
        let name = match router {
            PeerRouter::Basic => "basic",
            PeerRouter::InputOutput => "input-output",
        };
        let cells = [ours.mean, ours.half, theirs.mean, theirs.half, 100.0 * (ours.mean / theirs.mean - 1.0)];
        let head = [routing.clone(), pattern.clone(), json!(name)];
        head.into_iter().chain(cells.map(rounded)).collect()
    })
}

fn latency(found: &[&Found]) -> StudyPart {
    let heads = ["routing", "traffic", "router", "cycles", "+-", "CAMINOS", "+- of it", "off %", "hops", "its hops"];
    let mut table = StudyTable::new(&[&heads[..], &["seed", "difference"]].concat());
    let mut series = vec![Vec::new(), Vec::new(), Vec::new()];
    for (number, found) in found.iter().enumerate() {
        let figures = found.figures(|run| run.report.unicast.latency_mean, |peer| peer.latency);
        let [hops, their_hops @ ..] = found.figures(|run| run.report.hops, |peer| peer.hops).map(|hops| hops.mean);
        for (row, theirs) in rows(found, figures).zip(their_hops) {
            table.push(row.into_iter().chain([hops, theirs].map(rounded)).chain([Value::Null, Value::Null]));
        }
        series.iter_mut().zip(figures).for_each(|(dots, figure)| dots.push(Dot::of(number as f64 + 1.0, figure)));
    }
    part("latency", "Latency of a packet at a load of 1 %", "cycles", table, series)
}

fn saturation(found: &[&Found]) -> StudyPart {
    let heads = ["routing", "traffic", "router", "accepted %", "+-", "CAMINOS", "+- of it", "off %", "limit %"];
    let mut table = StudyTable::new(&[&heads[..], &["seed", "difference"]].concat());
    let mut series = vec![Vec::new(), Vec::new(), Vec::new()];
    for (number, found) in found.iter().enumerate() {
        let figures = found.figures(|run| 100.0 * run.report.accepted, |peer| 100.0 * peer.accepted);
        let limit = if found.pair.pattern == PeerPattern::Uniform { LIMIT_UNIFORM } else { LIMIT };
        rows(found, figures)
            .for_each(|row| table.push(row.into_iter().chain([json!(limit), Value::Null, Value::Null])));
        series.iter_mut().zip(figures).for_each(|(dots, figure)| dots.push(Dot::of(number as f64 + 1.0, figure)));
    }
    part("saturation", "What a network accepts of more than it takes", "accepted, %", table, series)
}

/// The same over what global links carry.
fn of_bounds(size: DragonflySize, found: &[&Found]) -> StudyPart {
    let heads = ["routing", "traffic", "load %", "bound %", "of CAMINOS", "ours of bound %", "basic", "input-output"];
    let mut table = StudyTable::new(&[&heads[..], &["seed", "difference"]].concat());
    let mut series = vec![Vec::new(), Vec::new(), Vec::new()];
    for (number, found) in found.iter().enumerate() {
        let [bound, theirs] = found.pair.bounds(size);
        let [ours, basic, input_output] =
            found.figures(|run| 100.0 * run.report.accepted, |peer| 100.0 * peer.accepted).map(|figure| figure.mean);
        let shares = [ours / bound, basic / theirs, input_output / theirs].map(|share| 100.0 * share);
        let cells = [found.load, bound, theirs].into_iter().chain(shares).map(rounded);
        table.push(found.pair.names().into_iter().chain(cells).chain([Value::Null, Value::Null]));
        series.iter_mut().zip(shares).for_each(|(dots, share)| dots.push(Dot::at(number as f64 + 1.0, share)));
    }
    part("bounds", "What a network accepts over what its global links carry", "of the bound, %", table, series)
}

fn part(name: &str, title: &str, value: &'static str, table: StudyTable, series: Vec<Vec<Dot>>) -> StudyPart {
    let names = ["ours", "CAMINOS, basic", "CAMINOS, input-output"];
    let picture = Picture {
        title: title.into(),
        axes: [Axis::rows("row of the table"), Axis::linear(value)],
        legend: None,
        series: names.map(String::from).into_iter().zip(series).collect(),
        published: Vec::new(),
        front: None,
    };
    StudyPart { name: format!("{NAME}-{name}"), title: title.into(), table, picture }
}

#[cfg(test)]
mod tests {
    use super::*;
    use railyard_network::harness::Traffic;

    /// Bounds of minimal ways are those that the tables have.
    #[test]
    fn bounds_are_those_of_the_links() {
        for size in DragonflySize::ALL.into_iter().take(2) {
            let pair = PAIRS[2];
            let Blueprint { wiring, tables, .. } = &*pair.network(size);
            let traffic: Traffic = traffic(pair.of_golden(), IDLE);
            let mixture = railyard_network::harness::mixture(&traffic, &traffic.phases()[0], wiring, 1);
            let limit = railyard_network::check::limit(wiring, tables, |from, to| mixture.share(from, to));
            assert!((100.0 * limit.load - pair.bounds(size)[0]).abs() < 1e-6, "{limit:?}");
        }
        let of_h = |pair: Pair| pair.bounds(DragonflySize::default());
        assert_eq!(of_h(PAIRS[3]), [50.0, 56.25]);
    }
}

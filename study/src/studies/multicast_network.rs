//! Seed 004 section 7.3, figure 19: multicast among unicast packets by the selection of roots, and all-to-all multicast.

use super::{dawning, NetworkSize};
use crate::report::{beside, rounded};
use crate::{random, Options, Part, Report, Seed, Table};
use railyard_network::blueprint::Blueprint;
use railyard_network::harness::{self, Pattern, Run, Traffic};
use railyard_network::multicast::{LoadMessages, Selection};
use railyard_plot::{Axis, Dot, Picture};
use rayon::prelude::*;
use serde_json::{json, Value};

const NAME: &str = "multicast-network";
/// Cycles of a run.
const CYCLES: u64 = 3_000;
/// Runs of a row among unicast packets, each with its own seed.
const RUNS: u64 = 3;
/// Load of unicast packets, in %.
const UNICAST: [u32; 3] = [10, 30, 60];
/// The one at which members and load messages are compared.
const COMPARED: u32 = 30;
/// What nodes receive of multicast packets, in %, beside unicast packets.
const MULTICAST: u32 = 20;
/// What nodes would receive of broadcasts, in %, if there is nothing else.
const ALL_TO_ALL: [u32; 6] = [20, 40, 60, 80, 100, 120];
/// Groups that are not all nodes.
const GROUPS: usize = 16;
/// A group has this part of the nodes: all, half, ...
const PARTS: [usize; 4] = [1, 2, 4, 8];
/// Cycles from one load message to the next; it is seen a quarter as many cycles later.
const PERIODS: [u64; 4] = [16, 64, 256, 1_024];
/// How much lower the seed's broadcast latency is with HLSE.
const PRINTED_GAIN: f64 = 3.0;
const PRINTED_THROUGHPUT: f64 = 93.0;

/// How roots are selected.
#[derive(Clone, Copy)]
struct Roots {
    name: &'static str,
    selection: Selection,
    /// There is but one, for all groups.
    is_single: bool,
}

const fn roots(name: &'static str, selection: Selection) -> Roots {
    Roots { name, selection, is_single: false }
}

/// HLSE is the first. In a network of one group "fixed" is one root for all.
const ROOTS: [Roots; 4] = [
    roots("HLSE", Selection::Hlse),
    roots("LLP", Selection::Llp),
    roots("LLP_EC", Selection::LlpEc),
    roots("fixed", Selection::Fixed),
];
const SINGLE: Roots = Roots { name: "single", selection: Selection::Fixed, is_single: true };

pub(super) fn run(options: &Options) -> Report {
    let parts = parts(Bench { size: options.network, seed: options.seed, cycles: CYCLES });
    let notes = vec![
        format!(
            "A fat tree of three levels, {} nodes (the seed's has 1,024: --nodes), switches as in the preset dawning16, packets of 8 flits, \
             {CYCLES} cycles after a third as many. Load and throughput: flits that each node sends (unicast) or receives (multicast) in \
             each cycle, in %. Latency: cycles from when the source has the packet to its tail at the last destination.",
            options.network.nodes()
        ),
        format!(
            "Among uniform unicast packets: multicast packets of which each node receives {MULTICAST} % in the mean. Latency: mean of all packets of {RUNS} runs; least \
             and most: of the means of the runs. Candidate roots: all switches of the top level (of {GROUPS} groups: {GROUPS} of them at most); a load message each \
             256 cycles, seen 64 cycles later, where nothing else is said. Fixed: by the group's number; single: the same one for all groups. \
             Received: flits of both kinds that a node receives in each cycle, in %. Over HLSE: latency over that with HLSE. A latency far above \
             the others is that of a network in which queues grow for as long as the run lasts."
        ),
        "Figure 19 is printed without numbers. The text says nearly three times lower latency with HLSE, not at which load, for which groups and against \
         what: put beside LLP and LLP_EC, with which its section 5.2 compares. Both are only named in the seed; what they measure here is our reading."
            .into(),
    ];
    Report { study: NAME, seed: options.seed, parts, notes }
}

fn parts(bench: Bench) -> Vec<Part> {
    vec![mixed(bench), by_members(bench), by_period(bench), all_to_all(bench)]
}

/// The network, and what runs have in common.
#[derive(Clone, Copy)]
struct Bench {
    size: NetworkSize,
    seed: u64,
    cycles: u64,
}

/// What a row is about.
#[derive(Clone, Copy)]
struct Case {
    /// Loads in %.
    unicast: u32,
    multicast: u32,
    /// A group has this part of the nodes.
    part: usize,
    roots: Roots,
    messages: LoadMessages,
}

/// What the runs of a case come to.
struct Measured {
    packets: u64,
    /// Of multicast packets: mean of all, least and most of the means of the runs.
    latency: f64,
    spread: [f64; 2],
    throughput: f64,
}

impl Bench {
    fn blueprint(self, part: usize, is_single: bool) -> Blueprint {
        let mut plan = dawning::plan(self.size, &dawning::switch(self.size));
        let groups = plan.shape.multicast.expect("there is multicast").groups;
        if part > 1 {
            let mut random = random(self.seed, part as u64);
            let (nodes, members) = (self.size.nodes(), self.members(part));
            let mut set = || rand::seq::index::sample(&mut random, nodes, members).into_vec();
            plan.sets = (0..GROUPS).map(|_| set()).collect();
            plan.candidates = groups / GROUPS;
        }
        if is_single {
            plan.candidates = 1;
        }
        dawning::build(plan)
    }

    fn members(self, part: usize) -> usize {
        self.size.nodes() / part
    }

    /// One run of a case.
    fn run(self, blueprint: &Blueprint, case: &Case, seed: u64) -> harness::Report {
        let copies = (self.members(case.part) - 1) as f64;
        let [unicast, multicast] = [f64::from(case.unicast) / 100.0, f64::from(case.multicast) / 100.0 / copies];
        let load = unicast + multicast;
        let pattern = if unicast > 0.0 { Pattern::Uniform } else { Pattern::Multicast };
        let traffic = Traffic { pattern, load, length: None, multicast: multicast / load };
        let (selection, messages) = (case.roots.selection, case.messages);
        dawning::measure(blueprint, &Run { traffic, selection, messages, seed, ..Run::default() }, self.cycles)
    }

    /// All runs of some cases of groups of that part of the nodes.
    fn measure(self, part: usize, cases: &[Case]) -> Vec<Measured> {
        let blueprints = [false, true].map(|is_single| self.blueprint(part, is_single));
        let runs: Vec<(usize, u64)> = (0..cases.len()).flat_map(|case| (0..RUNS).map(move |run| (case, run))).collect();
        let run = |(case, run): (usize, u64)| {
            let case = &cases[case];
            self.run(&blueprints[usize::from(case.roots.is_single)], case, self.seed.wrapping_add(run << 32))
        };
        let reports: Vec<harness::Report> = runs.into_par_iter().map(run).collect();
        reports.chunks(RUNS as usize).map(Measured::of).collect()
    }
}

impl Measured {
    fn of(runs: &[harness::Report]) -> Measured {
        let means = runs.iter().map(|run| run.multicast.latency_mean);
        let packets = runs.iter().map(|run| run.multicast.packets).sum();
        let sum: f64 = runs.iter().map(|run| run.multicast.latency_mean * run.multicast.packets as f64).sum();
        Measured {
            packets,
            latency: sum / packets as f64,
            spread: [means.clone().fold(f64::INFINITY, f64::min), means.fold(0.0, f64::max)],
            throughput: runs.iter().map(|run| run.throughput).sum::<f64>() / runs.len() as f64,
        }
    }

    /// The cells behind the first ones of a row.
    fn cells(&self, hlse: &Measured, roots: Roots) -> Vec<Value> {
        let is_compared = matches!(roots.selection, Selection::Llp | Selection::LlpEc);
        let printed = if is_compared { Seed::Number(PRINTED_GAIN) } else { Seed::Silent };
        let [least, most] = self.spread;
        let measured = [self.latency, least, most, 100.0 * self.throughput].map(rounded);
        let cells = std::iter::once(json!(self.packets)).chain(measured);
        cells.chain(beside(self.latency / hlse.latency, printed)).collect()
    }
}

/// Heads of the tables among unicast packets, behind the first.
const HEADS: [&str; 9] =
    ["roots", "packets", "latency", "least", "most", "received %", "over HLSE", "seed", "difference"];

/// A table and its picture: for each value of `head` the rows of all kinds of roots, HLSE first.
fn comparison(which: &str, title: &str, head: &'static str, axis: Axis, rows: Vec<(f64, Roots, Measured)>) -> Part {
    let mut table = Table::new(&std::iter::once(head).chain(HEADS).collect::<Vec<_>>());
    let mut series: Vec<(String, Vec<Dot>)> = Vec::new();
    for (at, (value, roots, measured)) in rows.iter().enumerate() {
        let (_, _, hlse) =
            rows[..=at].iter().rfind(|(_, roots, _)| roots.name == ROOTS[0].name).expect("HLSE is first");
        let first = [rounded(*value), json!(roots.name)];
        table.push(first.into_iter().chain(measured.cells(hlse, *roots)));
        let dot = Dot::at(*value, measured.latency);
        match series.iter_mut().find(|(name, _)| name == roots.name) {
            Some((_, dots)) => dots.push(dot),
            None => series.push((roots.name.into(), vec![dot])),
        }
    }
    part(which, title, [axis, Axis::log("mean multicast latency, cycles")], table, series)
}

/// Broadcasts, by the unicast load.
fn mixed(bench: Bench) -> Part {
    let case =
        |unicast, roots| Case { unicast, multicast: MULTICAST, part: 1, roots, messages: LoadMessages::default() };
    let cases: Vec<Case> = UNICAST.into_iter().flat_map(|unicast| ROOTS.map(|roots| case(unicast, roots))).collect();
    let measured = bench.measure(1, &cases);
    let rows = cases.iter().zip(measured).map(|(case, measured)| (case.unicast.into(), case.roots, measured)).collect();
    let title = "Broadcasts to all nodes among unicast packets, by selection of the root";
    comparison("mixed", title, "unicast %", Axis::linear("unicast load, %"), rows)
}

/// Groups of a part of the nodes.
fn by_members(bench: Bench) -> Part {
    let rows = PARTS.into_iter().flat_map(|part| {
        let kinds = ROOTS.into_iter().chain((part > 1).then_some(SINGLE));
        let messages = LoadMessages::default();
        let case = |roots| Case { unicast: COMPARED, multicast: MULTICAST, part, roots, messages };
        let cases: Vec<Case> = kinds.map(case).collect();
        let measured = bench.measure(part, &cases);
        let row = move |(case, measured): (Case, Measured)| (bench.members(part) as f64, case.roots, measured);
        cases.into_iter().zip(measured).map(row).collect::<Vec<_>>()
    });
    let title = format!("Multicast in {GROUPS} groups among {COMPARED} % unicast packets, by their members");
    comparison("members", &title, "members", Axis::log("members of a group"), rows.collect())
}

/// Small groups, by the age of what is known of the load.
fn by_period(bench: Bench) -> Part {
    let smallest = PARTS[PARTS.len() - 1];
    let case = |period: u64, roots| {
        let messages = LoadMessages { period, lag: period / 4 };
        Case { unicast: COMPARED, multicast: MULTICAST, part: smallest, roots, messages }
    };
    let precise = &ROOTS[..3];
    let cases: Vec<Case> =
        PERIODS.into_iter().flat_map(|period| precise.iter().map(move |&roots| case(period, roots))).collect();
    let measured = bench.measure(smallest, &cases);
    let row = |(case, measured): (&Case, Measured)| (case.messages.period as f64, case.roots, measured);
    let rows = cases.iter().zip(measured).map(row).collect();
    let title = format!("The groups of {} nodes, by cycles between load messages", bench.members(smallest));
    comparison("messages", &title, "period", Axis::log("cycles between load messages"), rows)
}

fn all_to_all(bench: Bench) -> Part {
    let mut table = Table::new(&["roots", "load %", "latency", "throughput %", "seed %", "difference"]);
    let mut series = Vec::new();
    let blueprint = bench.blueprint(1, false);
    for roots in ROOTS {
        let mut curve = Vec::new();
        for load in ALL_TO_ALL {
            let case = Case { unicast: 0, multicast: load, part: 1, roots, messages: LoadMessages::default() };
            let run = bench.run(&blueprint, &case, bench.seed);
            let throughput = 100.0 * run.throughput;
            let most = load == ALL_TO_ALL[ALL_TO_ALL.len() - 1];
            let printed = if most { Seed::Number(PRINTED_THROUGHPUT) } else { Seed::Silent };
            let head: [Value; 3] = [json!(roots.name), json!(load), rounded(run.multicast.latency_mean)];
            table.push(head.into_iter().chain(beside(throughput, printed)));
            curve.push(Dot::at(load.into(), throughput));
        }
        series.push((roots.name.to_string(), curve));
    }
    let axes = [Axis::linear("load, %"), Axis::linear("throughput, %")];
    part("all-to-all", "Throughput of all-to-all multicast, by selection of the root", axes, table, series)
}

fn part(which: &str, title: &str, axes: [Axis; 2], table: Table, series: Vec<(String, Vec<Dot>)>) -> Part {
    let legend = Some("roots selected by".into());
    let picture = Picture { title: title.into(), axes, legend, series, front: None };
    Part { name: format!("{NAME}-{which}"), title: title.into(), table, picture }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn bench(nodes: usize, cycles: u64) -> Bench {
        Bench { size: NetworkSize::with_nodes(nodes).unwrap(), seed: 1, cycles }
    }

    #[test]
    fn multicast_fills_the_links() {
        let parts = parts(bench(16, 600));
        let [mixed, members, messages, all_to_all] = &parts[..] else { panic!("four parts") };
        let rows = [mixed, members, messages].map(|part| part.table.rows.len());
        assert_eq!(rows, [UNICAST.len() * ROOTS.len(), 4 + 3 * 5, PERIODS.len() * 3]);
        for row in [mixed, members, messages].into_iter().flat_map(|part| &part.table.rows) {
            assert!(row[2].as_u64().unwrap() > 0 && row[3].as_f64().unwrap() > 8.0, "{row:?}");
        }
        let saturated = all_to_all.table.rows.iter().filter(|row| row[1] == json!(120));
        assert_eq!(saturated.filter(|row| row[3].as_f64().unwrap() > PRINTED_THROUGHPUT).count(), ROOTS.len());
    }

    /// Who selects precisely, all by the same old messages, meets all others at the same root.
    #[test]
    fn hlse_is_ahead_where_many_groups_select_by_old_messages() {
        let messages = LoadMessages { period: 256, lag: 64 };
        let case = |roots| Case { unicast: COMPARED, multicast: MULTICAST, part: 8, roots, messages };
        let measured = bench(128, 400).measure(8, &[case(ROOTS[0]), case(ROOTS[1]), case(SINGLE)]);
        let [hlse, llp, one] = [0, 1, 2].map(|which| measured[which].latency);
        assert!(llp > 1.5 * hlse && one > 1.5 * hlse, "{hlse} {llp} {one}");
    }
}

//! Cao2016, 7.3, figure 19: multicast among unicast packets by the selection of roots, and all-to-all multicast.

use super::dawning::{self, Measured, Runs};
use super::NetworkSize;
use crate::report::{beside, rounded};
use crate::{random, Seed, StudyOptions, StudyPart, StudyReport, StudyTable};
use railyard_network::blueprint::Blueprint;
use railyard_network::harness::{self, BarrierTimers, Pattern, Run, Traffic};
use railyard_network::multicast::{LoadMessages, Selection};
use railyard_plot::{Axis, Dot, Picture, Published};
use serde_json::{json, Value};

const NAME: &str = "multicast-network";
/// Cycles measured, if the network is steady.
const CYCLES: u64 = 4_000;
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

pub(super) fn run(options: &StudyOptions) -> StudyReport {
    let parts = parts(Bench { size: options.network, seed: options.seed, cycles: CYCLES });
    let notes = vec![
        format!(
            "A fat tree of three levels, {} nodes (the paper's has 1,024: --nodes), switches as in the preset dawning16 with four packets a buffer, packets of 8 flits, unicast \
             packets on the mixed VC, too. Load and throughput: flits that each node sends (unicast) or receives (multicast) in each cycle, in %. Latency: cycles from when the \
             source has the packet to its tail at the last destination. A row is {} runs with a seed each: mean and 95 % confidence, measured once nodes receive as much in both \
             halves of the measured cycles.",
            options.network.nodes(),
            dawning::SEEDS
        ),
        format!(
            "Among uniform unicast packets: multicast packets of which each node receives {MULTICAST} % in the mean. Candidate roots: all switches of the top level \
             (of {GROUPS} groups: {GROUPS} of them at most); a load message each 256 cycles, seen 64 cycles later, where nothing else is said. Fixed: by the group's \
             number; single: the same one for all groups. Received: flits of both kinds that a node receives in each cycle, in %. Over HLSE: latency over that with \
             HLSE. No latency: queues grow for as long as the run lasts."
        ),
        "Messages that take link time: each root's load goes through its tree once a period, up and down, as a message on the barrier VC does: a cycle of each link. \
         Fixed roots need no messages."
            .into(),
        "Figure 19 is printed without numbers. The text says nearly three times lower latency with HLSE, not at which load, for which groups and against \
         what: put beside LLP and LLP_EC, with which its section 5.2 compares. The paper only names both; what they measure here is our reading."
            .into(),
    ];
    StudyReport { study: NAME, seed: options.seed, parts, notes }
}

fn parts(bench: Bench) -> Vec<StudyPart> {
    vec![mixed(bench), by_members(bench), by_period(bench, false), by_period(bench, true), all_to_all(bench)]
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
    /// Load messages take link time.
    on_links: bool,
}

/// Switches of the top level.
fn roots_of(size: NetworkSize) -> usize {
    (size.ports() / 2).pow(dawning::LEVELS as u32 - 1)
}

/// Chance in a cycle that a node arrives at a barrier, so that a group has one in each period: the last of all nodes
/// arrives after as many mean waits as the harmonic number says, and a barrier takes some cycles by itself.
fn message_rate(nodes: usize, period: u64) -> f64 {
    const BARRIER: u64 = 29;
    let waits: f64 = (1..=nodes).map(|node| 1.0 / node as f64).sum();
    (waits / period.saturating_sub(BARRIER).max(1) as f64).min(1.0)
}

/// Mean latency of a run's multicast packets.
fn latency(report: &harness::RunReport) -> f64 {
    report.multicast.latency_mean
}

impl Bench {
    /// The network. Load messages travel as those of barriers do, one barrier group for each root.
    fn blueprint(self, part: usize, is_single: bool) -> Blueprint {
        let mut plan = dawning::plan(self.size, dawning::switch(self.size));
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
        let groups = plan.shape.barrier.expect("there are barriers").groups;
        plan.barriers = vec![(0..self.size.nodes()).collect(); roots_of(self.size).min(groups)];
        dawning::build(plan)
    }

    fn members(self, part: usize) -> usize {
        self.size.nodes() / part
    }

    /// One run of a case.
    fn run(self, blueprint: &Blueprint, case: &Case, seed: u64) -> Measured {
        let copies = (self.members(case.part) - 1) as f64;
        let [unicast, multicast] = [f64::from(case.unicast) / 100.0, f64::from(case.multicast) / 100.0 / copies];
        let load = unicast + multicast;
        let pattern = if unicast > 0.0 { Pattern::Uniform } else { Pattern::Multicast };
        let traffic = Traffic { pattern, load, length: None, multicast: multicast / load, ..Traffic::default() };
        let (selection, messages) = (case.roots.selection, case.messages);
        let needs_messages = case.on_links && selection != Selection::Fixed;
        let barriers = if needs_messages { message_rate(self.size.nodes(), messages.period) } else { 0.0 };
        let barrier_timers = BarrierTimers { retransmit: 0, urge: 0, scale: 0 };
        let run = Run { traffic, selection, messages, barriers, barrier_timers, seed, ..Run::default() };
        dawning::measure(blueprint, &run, self.cycles)
    }

    /// All runs of some cases of groups of that part of the nodes.
    fn measure(self, part: usize, cases: &[Case]) -> Vec<Runs> {
        let blueprints = [false, true].map(|is_single| self.blueprint(part, is_single));
        dawning::measure_all(cases, self.seed, |case, seed| {
            self.run(&blueprints[usize::from(case.roots.is_single)], case, seed)
        })
    }
}

/// How many times the latency of HLSE the seed's is with such roots.
fn printed_gain(roots: Roots) -> Seed {
    match roots.selection {
        Selection::Llp | Selection::LlpEc => Seed::Number(PRINTED_GAIN),
        Selection::Hlse | Selection::Fixed => Seed::Silent,
    }
}

/// The cells behind the first ones of a row.
fn cells(runs: &Runs, hlse: &Runs, roots: Roots) -> Vec<Value> {
    let printed = printed_gain(roots);
    let found = runs.latency(latency);
    let gain = match (found[0].as_f64(), hlse.latency(latency)[0].as_f64()) {
        (Some(ours), Some(hlse)) => beside(ours / hlse, printed),
        _ => [Value::Null, Value::Null, Value::Null],
    };
    let received = rounded(runs.throughput().mean);
    found.into_iter().chain([received]).chain(gain).chain(runs.steady()).collect()
}

/// Heads of the tables among unicast packets, behind the first.
const HEADS: [&str; 9] =
    ["roots", "latency", "+-", "received %", "over HLSE", "seed", "difference", Runs::STEADY[0], Runs::STEADY[1]];

/// A table and its picture: for each value of `head` the rows of all kinds of roots, HLSE first.
fn comparison(which: &str, title: &str, head: &'static str, axis: Axis, rows: Vec<(f64, Roots, Runs)>) -> StudyPart {
    let mut table = StudyTable::new(&std::iter::once(head).chain(HEADS).collect::<Vec<_>>());
    let (mut series, mut published): (Vec<(String, Vec<Dot>)>, Vec<Published>) = Default::default();
    for (at, (value, roots, runs)) in rows.iter().enumerate() {
        let (_, _, hlse) =
            rows[..=at].iter().rfind(|(_, roots, _)| roots.name == ROOTS[0].name).expect("HLSE is first");
        let first = [rounded(*value), json!(roots.name)];
        table.push(first.into_iter().chain(cells(runs, hlse, *roots)));
        let dots = runs.latency_dot(*value, latency);
        let ours = hlse.latency_dot(*value, latency);
        let point = ours.and_then(|hlse| printed_gain(*roots).converted(*value, |gain| gain * hlse.y));
        published.extend(point.map(|point| point.of(roots.name)));
        match series.iter_mut().find(|(name, _)| name == roots.name) {
            Some((_, all)) => all.extend(dots),
            None => series.push((roots.name.into(), dots.into_iter().collect())),
        }
    }
    part(which, title, [axis, Axis::log("mean multicast latency, cycles")], table, series, published)
}

/// Broadcasts, by the unicast load.
fn mixed(bench: Bench) -> StudyPart {
    let case = |unicast, roots| Case {
        unicast,
        multicast: MULTICAST,
        part: 1,
        roots,
        messages: LoadMessages::default(),
        on_links: false,
    };
    let cases: Vec<Case> = UNICAST.into_iter().flat_map(|unicast| ROOTS.map(|roots| case(unicast, roots))).collect();
    let measured = bench.measure(1, &cases);
    let rows = cases.iter().zip(measured).map(|(case, measured)| (case.unicast.into(), case.roots, measured)).collect();
    let title = "Broadcasts to all nodes among unicast packets, by selection of the root";
    comparison("mixed", title, "unicast %", Axis::linear("unicast load, %"), rows)
}

/// Groups of a part of the nodes.
fn by_members(bench: Bench) -> StudyPart {
    let rows = PARTS.into_iter().flat_map(|part| {
        let kinds = ROOTS.into_iter().chain((part > 1).then_some(SINGLE));
        let messages = LoadMessages::default();
        let case = |roots| Case { unicast: COMPARED, multicast: MULTICAST, part, roots, messages, on_links: false };
        let cases: Vec<Case> = kinds.map(case).collect();
        let measured = bench.measure(part, &cases);
        let row = move |(case, measured): (Case, Runs)| (bench.members(part) as f64, case.roots, measured);
        cases.into_iter().zip(measured).map(row).collect::<Vec<_>>()
    });
    let title = format!("Multicast in {GROUPS} groups among {COMPARED} % unicast packets, by their members");
    comparison("members", &title, "members", Axis::log("members of a group"), rows.collect())
}

/// Small groups, by the age of what is known of the load. With messages on links, beside roots that need none.
fn by_period(bench: Bench, on_links: bool) -> StudyPart {
    let smallest = PARTS[PARTS.len() - 1];
    let case = |period: u64, roots| {
        let messages = LoadMessages { period, lag: period / 4 };
        Case { unicast: COMPARED, multicast: MULTICAST, part: smallest, roots, messages, on_links }
    };
    let (kinds, periods) = if on_links { (&ROOTS[..], &PERIODS[1..]) } else { (&ROOTS[..3], &PERIODS[..]) };
    let cases: Vec<Case> =
        periods.iter().flat_map(|&period| kinds.iter().map(move |&roots| case(period, roots))).collect();
    let measured = bench.measure(smallest, &cases);
    let row = |(case, measured): (&Case, Runs)| (case.messages.period as f64, case.roots, measured);
    let rows = cases.iter().zip(measured).map(row).collect();
    let (name, taken) = if on_links { ("on-links", ", which take link time") } else { ("messages", "") };
    let title = format!("The groups of {} nodes, by cycles between load messages{taken}", bench.members(smallest));
    comparison(name, &title, "period", Axis::log("cycles between load messages"), rows)
}

fn all_to_all(bench: Bench) -> StudyPart {
    let heads = ["roots", "load %", "latency", "throughput %", "seed %", "difference", "+-"];
    let mut table = StudyTable::new(&[&heads[..], &Runs::STEADY].concat());
    let (mut series, mut published): (Vec<(String, Vec<Dot>)>, Vec<Published>) = Default::default();
    let case = |roots, multicast| Case {
        unicast: 0,
        multicast,
        part: 1,
        roots,
        messages: LoadMessages::default(),
        on_links: false,
    };
    let cases: Vec<Case> = ROOTS.into_iter().flat_map(|roots| ALL_TO_ALL.map(|load| case(roots, load))).collect();
    for (case, runs) in cases.iter().zip(bench.measure(1, &cases)) {
        let most = case.multicast == ALL_TO_ALL[ALL_TO_ALL.len() - 1];
        let printed = if most { Seed::Number(PRINTED_THROUGHPUT) } else { Seed::Silent };
        let [latency, _] = runs.latency(latency);
        let head = [json!(case.roots.name), json!(case.multicast), latency];
        let found = runs.throughput();
        let cells = head.into_iter().chain(beside(found.mean, printed)).chain([rounded(found.half)]);
        table.push(cells.chain(runs.steady()));
        let dot = Dot::of(case.multicast.into(), found).hollow_if(runs.is_saturated());
        // The same of all roots.
        published.extend(printed.at(dot.x).filter(|_| published.is_empty()));
        match series.last_mut().filter(|(name, _)| name == case.roots.name) {
            Some((_, curve)) => curve.push(dot),
            None => series.push((case.roots.name.into(), vec![dot])),
        }
    }
    let axes = [Axis::linear("load, %"), Axis::linear("throughput, %")];
    part("all-to-all", "Throughput of all-to-all multicast, by selection of the root", axes, table, series, published)
}

fn part(
    which: &str,
    title: &str,
    axes: [Axis; 2],
    table: StudyTable,
    series: Vec<(String, Vec<Dot>)>,
    published: Vec<Published>,
) -> StudyPart {
    let legend = Some("roots selected by".into());
    let picture = Picture { title: title.into(), axes, legend, series, published, front: None };
    StudyPart { name: format!("{NAME}-{which}"), title: title.into(), table, picture }
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
        let [mixed, members, messages, on_links, all_to_all] = &parts[..] else { panic!("five parts") };
        assert_eq!(on_links.table.rows.len(), (PERIODS.len() - 1) * ROOTS.len());
        let rows = [mixed, members, messages].map(|part| part.table.rows.len());
        assert_eq!(rows, [UNICAST.len() * ROOTS.len(), 4 + 3 * 5, PERIODS.len() * 3]);
        for row in [mixed, members, messages].into_iter().flat_map(|part| &part.table.rows) {
            assert!(row[2].as_f64().is_none_or(|latency| latency > 8.0), "{row:?}");
        }
        let saturated = all_to_all.table.rows.iter().filter(|row| row[1] == json!(120));
        let throughput: Vec<f64> = saturated.filter_map(|row| row[3].as_f64()).collect();
        assert!(throughput.len() == ROOTS.len() && throughput.iter().all(|found| *found > 80.0), "{throughput:?}");
    }

    /// A message of each root in a period, as far as chance goes.
    #[test]
    fn load_messages_take_link_time() {
        let bench = bench(16, 4_000);
        let messages = LoadMessages { period: 256, lag: 64 };
        let case = Case { unicast: 30, multicast: 20, part: 8, roots: ROOTS[0], messages, on_links: true };
        let report = bench.run(&bench.blueprint(8, false), &case, 1).report;
        let sent = report.barriers.unwrap().groups[0].barriers as f64;
        let meant = roots_of(bench.size) as f64 * report.cycles as f64 / 256.0;
        assert!((sent / meant - 1.0).abs() < 0.3, "{sent} for {meant}");
    }

    /// Who selects precisely, all by the same old messages, meets all others at the same root.
    #[test]
    fn hlse_is_ahead_where_many_groups_select_by_old_messages() {
        let messages = LoadMessages { period: 256, lag: 64 };
        let case = |roots| Case { unicast: COMPARED, multicast: MULTICAST, part: 8, roots, messages, on_links: false };
        let measured = bench(128, 400).measure(8, &[case(ROOTS[0]), case(ROOTS[1]), case(SINGLE)]);
        let [hlse, llp, one] = [0, 1, 2].map(|which| measured[which].interval(latency).mean);
        assert!(llp > 1.5 * hlse && one > 1.5 * hlse, "{hlse} {llp} {one}");
    }
}

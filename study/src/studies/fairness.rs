//! Fuentes2017, chapter 3: how evenly switches inject when h groups are reached by one switch (ADVc).

use super::claims::{Claims, Origin};
use super::dawning::{Measured, Runs};
use super::dragonfly::{bound, measure_all, network, traffic, Case, Routing, BUFFER};
use super::DragonflySize;
use crate::report::{beside, rounded};
use crate::{Seed, StudyOptions, StudyPart, StudyReport, StudyTable};
use railyard_bench::Fairness;
use railyard_network::adaptive::DetourPolicy;
use railyard_network::harness::Pattern;
use railyard_plot::{Axis, Dot, Interval, Picture, Published};
use serde_json::{json, Value};

const NAME: &str = "fairness";
/// Cycles measured, if the network is steady; of the smallest network, which is for a quick look.
const CYCLES: u64 = 3_000;
const QUICK: u64 = 400;
/// Flits of a packet.
const PACKET: f64 = 8.0;
/// Groups that follow one another, and are reached by one switch: h.
const CONSECUTIVE: Pattern = Pattern::AdversarialConsecutive { targets: None };
/// Loads in %: below and above saturation. Minimal ways: of their bound, as in the seed.
const LOADS: [f64; 2] = [40.0, 55.0];
const BELOW_BOUND: f64 = 0.6;

/// A routing with what table 3.2 prints of it below and above saturation: least injected over mean, most over least,
/// and CoV.
struct Row {
    name: &'static str,
    routing: Routing,
    printed: [[f64; 3]; 2],
}

/// Table 3.2: round robin, and no priority of packets in transit. PB is not built; UGAL-L is its decision without the
/// other switches' links.
fn rows() -> Vec<Row> {
    let row = |name, routing, printed| Row { name, routing, printed };
    vec![
        row("minimal", Routing::Minimal, [[0.0275, 1.180, 0.0236], [0.0056, 91.16, 1.3382]]),
        row("Valiant", Routing::Valiant, [[0.3424, 1.047, 0.0068], [0.3237, 1.364, 0.0427]]),
        row("UGAL-L", Routing::Ugal, [[0.1388, 2.207, 0.0668], [0.1409, 3.954, 0.2216]]),
        row("credits, RRG", Routing::Credits(DetourPolicy::Rrg), [[0.2729, 1.496, 0.0701], [0.3092, 1.781, 0.1032]]),
        row("credits, CRG", Routing::Credits(DetourPolicy::Crg), [[0.2683, 1.523, 0.0740], [0.2814, 1.874, 0.1080]]),
        row("credits, MM", Routing::Credits(DetourPolicy::Mm), [[0.2634, 1.551, 0.0741], [0.2829, 1.857, 0.1078]]),
    ]
}

/// The same routing by contention counters, of which the seed has no such table.
const COUNTERS: (&str, Routing) = ("Base, MM", Routing::Base(None));

pub(super) fn run(options: &StudyOptions) -> StudyReport {
    let size = options.dragonfly;
    let cycles = if size.h() == 1 { QUICK } else { CYCLES };
    let notes = vec![
        format!(
            "A Dragonfly of h = {}, {} nodes; the seed's has h = 8 and 16,512 nodes. Links have 10 and 100 cycles, packets 8 flits, buffers {BUFFER} flits a VC. ADVc: nodes send \
             to the {} groups that follow. One switch of the group has the links to all of them, the last one, called R_out.",
            size.h(),
            size.nodes(),
            size.h()
        ),
        "Arbiters are round robin without priority, as for table 3.2. Priority of packets in transit and arbitration by age (tables 3.1 and 3.3) are not built. Nor is PB: UGAL-L \
         stands beside its rows."
            .into(),
        "Least, most over least, CoV and Jain are of the switches of a group. What a switch injects is the mean of all groups, which are alike by symmetry; the seed has one group, \
         for 60,000 cycles. Three runs with a seed each."
            .into(),
        "By chance: the CoV of switches that inject alike, as their sources make packets by chance. The seed's is 0.0065 at load 40 %: 24,000 packets of a switch. The CoV of 0.0068 \
         that it prints of Valiant is that."
            .into(),
        "Printed figures are of the seed's loads: 3 % and 55 % for minimal ways, 30 to 40 % and 55 % for others. Minimal ways take 60 % of their bound here in place of 3 %, \
         which are 60 % of the seed's saturation."
            .into(),
        "One of 2 h switches of a group is R_out: one in four at h = 2, and one in sixteen at h = 8. So the same disadvantage of R_out makes a larger CoV at h = 2."
            .into(),
    ];
    StudyReport { study: NAME, seed: options.seed, parts: parts(size, options.seed, cycles), notes }
}

fn parts(size: DragonflySize, seed: u64, cycles: u64) -> Vec<StudyPart> {
    let (rows, minimal) = (rows(), bound_of(size, Routing::Minimal));
    let loads = |routing| match routing {
        Routing::Minimal => [BELOW_BOUND * minimal, LOADS[1]],
        _ => LOADS,
    };
    let routings: Vec<(&str, Routing)> =
        rows.iter().map(|row| (row.name, row.routing)).chain(std::iter::once(COUNTERS)).collect();
    let cases: Vec<Case> = routings
        .iter()
        .flat_map(|&(_, routing)| {
            let network = network(size, BUFFER, routing);
            loads(routing).map(|load| Case { network: network.clone(), traffic: traffic(CONSECUTIVE, load) })
        })
        .collect();
    let runs = measure_all(&cases, seed, cycles);
    let measured: Vec<Found> = routings
        .iter()
        .flat_map(|&(name, routing)| loads(routing).map(|load| (name, routing, load)))
        .zip(runs)
        .map(|((name, routing, load), runs)| Found { name, load, bound: bound_of(size, routing), runs })
        .collect();
    vec![
        ratio(size, &rows, &measured),
        deviation(size, &rows, &measured),
        routers(size, &measured),
        claims(size, &measured),
    ]
}

fn bound_of(size: DragonflySize, routing: Routing) -> f64 {
    let case = Case { network: network(size, BUFFER, routing), traffic: traffic(CONSECUTIVE, LOADS[1]) };
    bound(&case, size, routing)
}

/// What a routing came to at a load.
struct Found {
    name: &'static str,
    load: f64,
    bound: f64,
    runs: Runs,
}

impl Found {
    /// A figure of what the switches of a group inject.
    fn of_places(&self, size: DragonflySize, figure: impl Fn(&Fairness) -> f64) -> Interval {
        let of_run = |run: &Measured| figure(&Fairness::of(&by_place(run, size)).expect("nodes send"));
        Interval::of(&self.runs.0.iter().map(of_run).collect::<Vec<f64>>())
    }

    /// What a switch injects, by its place in the group: mean of all runs.
    fn by_place(&self, size: DragonflySize) -> Vec<f64> {
        let runs: Vec<Vec<f64>> = self.runs.0.iter().map(|run| by_place(run, size)).collect();
        let mean = |place: usize| runs.iter().map(|run| run[place]).sum::<f64>() / runs.len() as f64;
        (0..size.routers()).map(mean).collect()
    }

    /// The CoV of switches that inject alike: sources make packets by chance, so that their counts differ.
    fn by_chance(&self, size: DragonflySize) -> f64 {
        self.runs
            .interval(|report| {
                let flits = report.accepted * report.cycles as f64 * (size.h() * size.groups()) as f64;
                (PACKET / flits).sqrt()
            })
            .mean
    }
}

/// Flits of each node and cycle, by the switch's place in its group: mean of all groups. By symmetry they are alike.
fn by_place(run: &Measured, size: DragonflySize) -> Vec<f64> {
    let of = |place: usize| {
        let switches = run.injected.iter().skip(place).step_by(size.routers());
        switches.map(|switch| switch.unwrap_or(0.0)).sum::<f64>() / size.groups() as f64
    };
    (0..size.routers()).map(of).collect()
}

/// A switch of which the nodes send nothing starves: the ratio has no end.
fn most_over_least(of: &Fairness) -> f64 {
    of.max / of.min.max(1e-6)
}

/// What is printed of a row.
fn printed(rows: &[Row], number: usize, figure: usize) -> Seed {
    let row = rows.get(number / LOADS.len());
    row.map_or(Seed::Silent, |row| Seed::Number(row.printed[number % LOADS.len()][figure]))
}

/// Table 3.2: most over least.
fn ratio(size: DragonflySize, rows: &[Row], measured: &[Found]) -> StudyPart {
    let heads = ["routing", "load %", "accepted %", "bound %", "most/least", "seed", "difference", "+-"];
    let mut table = StudyTable::new(&[&heads[..], &Runs::STEADY].concat());
    let (mut dots, mut published): (Vec<Dot>, Vec<Published>) = Default::default();
    for (number, found) in measured.iter().enumerate() {
        let (ratio, seed, at) = (found.of_places(size, most_over_least), printed(rows, number, 1), number as f64 + 1.0);
        let accepted = found.runs.interval(|report| 100.0 * report.accepted).mean;
        let head = [json!(found.name), rounded(found.load), rounded(accepted), rounded(found.bound)];
        let cells = head.into_iter().chain(beside(ratio.mean, seed)).chain([rounded(ratio.half)]);
        table.push(cells.chain(found.runs.steady()));
        published.extend(seed.at(at));
        dots.push(Dot::of(at, ratio));
    }
    part("ratio", "Most over least injected at a switch of a group, ADVc", "most over least", table, dots, published)
}

/// Table 3.2: the least, and the deviation.
fn deviation(size: DragonflySize, rows: &[Row], measured: &[Found]) -> StudyPart {
    let heads = ["routing", "load %", "least %", "seed least %", "CoV", "seed", "difference", "by chance", "Jain"];
    let mut table = StudyTable::new(&heads);
    let (mut dots, mut published): (Vec<Dot>, Vec<Published>) = Default::default();
    for (number, found) in measured.iter().enumerate() {
        let [least, jain] =
            [|of: &Fairness| 100.0 * of.min, |of: &Fairness| of.jain].map(|of| found.of_places(size, of).mean);
        let least_seed = match printed(rows, number, 0) {
            Seed::Number(share) => rounded(100.0 * share),
            _ => Value::Null,
        };
        let (cov, seed, at) = (found.of_places(size, |of| of.cov), printed(rows, number, 2), number as f64 + 1.0);
        let head = [json!(found.name), rounded(found.load), rounded(least), least_seed];
        table.push(head.into_iter().chain(beside(cov.mean, seed)).chain([found.by_chance(size), jain].map(rounded)));
        published.extend(seed.at(at));
        dots.push(Dot::of(at, cov));
    }
    part("deviation", "Deviation of what switches of a group inject, ADVc", "CoV", table, dots, published)
}

fn part(which: &str, title: &str, up: &str, table: StudyTable, dots: Vec<Dot>, published: Vec<Published>) -> StudyPart {
    let axes = [Axis::rows("row of the table"), Axis::log(up)];
    let series = vec![("ours".into(), dots)];
    let picture = Picture { title: title.into(), axes, legend: None, series, published, front: None };
    StudyPart { name: format!("{NAME}-{which}"), title: title.into(), table, picture }
}

/// Figure 3.9: by the switch's place in its group.
fn routers(size: DragonflySize, measured: &[Found]) -> StudyPart {
    let heads = ["routing", "switch", "injected %", "of the mean", "seed", "difference"];
    let mut table = StudyTable::new(&heads);
    let mut series = Vec::new();
    for found in measured.iter().filter(|found| found.load == LOADS[0]) {
        let shares = found.by_place(size);
        let mean = shares.iter().sum::<f64>() / shares.len() as f64;
        for (router, share) in shares.iter().enumerate() {
            let cells = [json!(found.name), json!(router), rounded(100.0 * share), rounded(share / mean)];
            table.push(cells.into_iter().chain([Value::Null, Value::Null]));
        }
        let dots = shares.iter().enumerate().map(|(router, share)| Dot::at(router as f64, 100.0 * share));
        series.push((found.name.to_string(), dots.collect()));
    }
    let title = "Injection by the switch's place in its group, ADVc at load 40 %";
    let axes = [Axis::linear("switch of the group; R_out is the last"), Axis::linear("injected load, %")];
    let legend = Some("routing".into());
    let picture = Picture { title: title.into(), axes, legend, series, published: Vec::new(), front: None };
    StudyPart { name: format!("{NAME}-places"), title: title.into(), table, picture }
}

fn claims(size: DragonflySize, measured: &[Found]) -> StudyPart {
    let mut claims = Claims::new();
    let find = |name: &str, above: bool| {
        let found = measured.iter().find(|found| found.name == name && (found.load == LOADS[1]) == above);
        found.expect("it is measured")
    };
    let accepted = |found: &Found| found.runs.interval(|report| 100.0 * report.accepted).mean;
    for name in ["minimal", "Valiant", "credits, MM"] {
        let full = find(name, true);
        let what = format!("ADVc at 55 %: accepted, {name}, %");
        claims.add(
            "1.4",
            &what,
            Origin::Derived,
            accepted(full),
            Seed::Below(rounded(full.bound).as_f64().expect("a number")),
        );
    }
    let r_out = |name: &str| {
        let shares = find(name, false).by_place(size);
        let (last, others) = shares.split_last().expect("a group has switches");
        last / (others.iter().sum::<f64>() / others.len() as f64)
    };
    for (name, what) in [
        ("credits, RRG", "ADVc at 40 %: R_out over others, RRG"),
        ("credits, CRG", "ADVc at 40 %: R_out over others, CRG"),
        ("credits, MM", "ADVc at 40 %: R_out over others, MM"),
    ] {
        claims.add("3.9", what, Origin::Published, r_out(name), Seed::Number(0.7));
    }
    claims.part(NAME)
}

#[cfg(test)]
mod tests {
    use super::*;

    /// With one target group, ADVc is ADV+1: minimal ways share a global link among all nodes of a group.
    #[test]
    fn no_routing_passes_its_bound_and_shares_are_shares() {
        let size = DragonflySize::ALL[0];
        let parts = parts(size, 1, QUICK);
        let number = |row: &[Value], column: usize| row[column].as_f64().unwrap_or_else(|| panic!("{row:?}"));
        for (row, deviation) in parts[0].table.rows.iter().zip(&parts[1].table.rows) {
            assert!(number(row, 2) <= 1.03 * number(row, 3), "{row:?}");
            assert!(number(row, 4) >= 1.0 && (0.5..=1.0).contains(&number(deviation, 8)), "{row:?} {deviation:?}");
        }
        let minimal = |size: DragonflySize| bound_of(size, Routing::Minimal).round();
        assert_eq!(DragonflySize::ALL[..2].iter().map(|&size| minimal(size)).collect::<Vec<_>>(), [50.0, 25.0]);
        assert_eq!(parts[2].table.rows.len(), 6 * size.routers());
    }
}

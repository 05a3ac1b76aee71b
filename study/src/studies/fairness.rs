//! Fuentes2017, chapter 3: how evenly switches inject when h groups are reached by one switch (ADVc).

mod printed;

use super::claims::{Claims, Origin};
use super::dawning::{Measured, Runs};
use super::dragonfly::{bound, measure_all, network, network_in_order, traffic, Case, Order, Routing, BUFFER};
use super::DragonflySize;
use crate::report::{beside, rounded};
use crate::{Seed, StudyOptions, StudyPart, StudyReport, StudyTable};
use printed::{printed, routings, PrintedFigure};
use railyard_bench::Fairness;
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
        "Transit first: packets from other switches go before those from nodes, round robin among them (table 3.1). Round robin: no priority (3.2). Oldest: by age, of 16 bits \
         (3.3). PB is not built: UGAL-L stands beside its rows."
            .into(),
        "Least, most over least, CoV and Jain are of the switches of a group. What a switch injects is the mean of all groups, which are alike by symmetry; the seed has one group, \
         for 60,000 cycles. Three runs with a seed each."
            .into(),
        "In the last table, \"over\" compares two orders: most over least of the one, over most over least of the other."
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

/// Loads of a routing in %, below and above saturation.
fn loads(size: DragonflySize, routing: Routing) -> [f64; 2] {
    match routing {
        Routing::Minimal => [BELOW_BOUND * bound_of(size, Routing::Minimal), LOADS[1]],
        _ => LOADS,
    }
}

fn parts(size: DragonflySize, seed: u64, cycles: u64) -> Vec<StudyPart> {
    let routings = routings();
    let all = Order::ALL.into_iter().flat_map(|order| routings.iter().map(move |routing| (order, *routing)));
    let runs: Vec<(Order, (&'static str, Routing), f64)> =
        all.flat_map(|(order, routing)| loads(size, routing.1).map(|load| (order, routing, load))).collect();
    let case = |(order, (_, routing), load): &(Order, (&str, Routing), f64)| Case {
        network: network_in_order(size, BUFFER, *routing, *order),
        traffic: traffic(CONSECUTIVE, *load),
    };
    let measured = measure_all(&runs.iter().map(case).collect::<Vec<Case>>(), seed, cycles);
    let found = |((order, (name, routing), load), runs)| Found {
        order,
        name,
        load,
        is_above: load == LOADS[1],
        bound: bound_of(size, routing),
        runs,
    };
    let measured: Vec<Found> = runs.into_iter().zip(measured).map(found).collect();
    let of_order = |order| {
        let of_order: Vec<&Found> = measured.iter().filter(|found| found.order == order).collect();
        [ratio(size, order, &of_order), deviation(size, order, &of_order), routers(size, order, &of_order)]
    };
    Order::ALL.into_iter().flat_map(of_order).chain([claims(size, &measured)]).collect()
}

fn bound_of(size: DragonflySize, routing: Routing) -> f64 {
    let case = Case { network: network(size, BUFFER, routing), traffic: traffic(CONSECUTIVE, LOADS[1]) };
    bound(&case, size, routing)
}

/// What a routing came to at a load.
struct Found {
    order: Order,
    name: &'static str,
    load: f64,
    is_above: bool,
    bound: f64,
    runs: Runs,
}

impl Found {
    /// A figure of what the switches of a group inject.
    fn of_places(&self, size: DragonflySize, figure: impl Fn(&Fairness) -> f64) -> Interval {
        let of_run = |run: &Measured| figure(&Fairness::of(&by_place(run, size)).expect("nodes send"));
        Interval::of(&self.runs.0.iter().map(of_run).collect::<Vec<f64>>())
    }

    /// What is printed of it.
    fn printed(&self, figure: PrintedFigure) -> Seed {
        printed(self.name, self.order, self.is_above, figure)
    }

    /// Cells that say what it is.
    fn head(&self) -> [Value; 2] {
        [json!(self.name), rounded(self.load)]
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

/// Tables 3.1 to 3.3: most over least.
fn ratio(size: DragonflySize, order: Order, measured: &[&Found]) -> StudyPart {
    let heads = ["routing", "load %", "accepted %", "bound %", "most/least", "seed", "difference", "+-"];
    let mut table = StudyTable::new(&[&heads[..], &Runs::STEADY].concat());
    let (mut dots, mut published): (Vec<Dot>, Vec<Published>) = Default::default();
    for (number, found) in measured.iter().enumerate() {
        let (ratio, seed, at) =
            (found.of_places(size, most_over_least), found.printed(PrintedFigure::Ratio), number as f64 + 1.0);
        let accepted = found.runs.interval(|report| 100.0 * report.accepted).mean;
        let head = found.head().into_iter().chain([rounded(accepted), rounded(found.bound)]);
        let cells = head.chain(beside(ratio.mean, seed)).chain([rounded(ratio.half)]);
        table.push(cells.chain(found.runs.steady()));
        published.extend(seed.at(at));
        dots.push(Dot::of(at, ratio));
    }
    let title = format!("Most over least injected at a switch of a group, ADVc, {}", order.name());
    part("ratio", order, title, "most over least", (table, dots, published))
}

/// Tables 3.1 to 3.3: the least, and the deviation.
fn deviation(size: DragonflySize, order: Order, measured: &[&Found]) -> StudyPart {
    let heads = ["routing", "load %", "least %", "seed least %", "CoV", "seed", "difference", "by chance", "Jain"];
    let mut table = StudyTable::new(&heads);
    let (mut dots, mut published): (Vec<Dot>, Vec<Published>) = Default::default();
    for (number, found) in measured.iter().enumerate() {
        let [least, jain] =
            [|of: &Fairness| 100.0 * of.min, |of: &Fairness| of.jain].map(|of| found.of_places(size, of).mean);
        let least_seed = match found.printed(PrintedFigure::Least) {
            Seed::Number(share) => rounded(100.0 * share),
            _ => Value::Null,
        };
        let (cov, seed, at) =
            (found.of_places(size, |of| of.cov), found.printed(PrintedFigure::Cov), number as f64 + 1.0);
        let head = found.head().into_iter().chain([rounded(least), least_seed]);
        table.push(head.chain(beside(cov.mean, seed)).chain([found.by_chance(size), jain].map(rounded)));
        published.extend(seed.at(at));
        dots.push(Dot::of(at, cov));
    }
    let title = format!("Deviation of what switches of a group inject, ADVc, {}", order.name());
    part("deviation", order, title, "CoV", (table, dots, published))
}

/// A table of an order, its points and those of the seed.
type Rows = (StudyTable, Vec<Dot>, Vec<Published>);

fn part(which: &str, order: Order, title: String, up: &str, (table, dots, published): Rows) -> StudyPart {
    let axes = [Axis::rows("row of the table"), Axis::log(up)];
    let series = vec![("ours".into(), dots)];
    let picture = Picture { title: title.clone(), axes, legend: None, series, published, front: None };
    StudyPart { name: name_of(which, order), title, table, picture }
}

/// Name of a table of an order; those of round robin came first.
fn name_of(which: &str, order: Order) -> String {
    match order {
        Order::TransitFirst => format!("{NAME}-{which}-transit-first"),
        Order::RoundRobin => format!("{NAME}-{which}"),
        Order::Oldest => format!("{NAME}-{which}-oldest"),
    }
}

/// Figures 3.5, 3.9 and 3.12: by the switch's place in its group.
fn routers(size: DragonflySize, order: Order, measured: &[&Found]) -> StudyPart {
    let heads = ["routing", "load %", "switch", "injected %", "of the mean", "seed", "difference"];
    let mut table = StudyTable::new(&heads);
    let mut series = Vec::new();
    for found in measured.iter().filter(|found| found.name != "minimal" && !found.is_above) {
        let shares = found.by_place(size);
        let mean = shares.iter().sum::<f64>() / shares.len() as f64;
        for (router, share) in shares.iter().enumerate() {
            let cells = [json!(router), rounded(100.0 * share), rounded(share / mean), Value::Null, Value::Null];
            table.push(found.head().into_iter().chain(cells));
        }
        let dots = shares.iter().enumerate().map(|(router, share)| Dot::at(router as f64, 100.0 * share));
        series.push((found.name.to_string(), dots.collect()));
    }
    let title = format!("Injection by the switch's place in its group, ADVc at load 40 %, {}", order.name());
    let axes = [Axis::linear("switch of the group; R_out is the last"), Axis::linear("injected load, %")];
    let legend = Some("routing".into());
    let picture = Picture { title: title.clone(), axes, legend, series, published: Vec::new(), front: None };
    StudyPart { name: name_of("places", order), title, table, picture }
}

/// The run of a routing.
fn find<'a>(measured: &'a [Found], name: &str, order: Order, is_above: bool) -> &'a Found {
    let is_it = |found: &&Found| (found.name, found.order, found.is_above) == (name, order, is_above);
    measured.iter().find(is_it).expect("it is measured")
}

/// Routings in transit, and the policies of their detours.
const IN_TRANSIT: [(&str, &str); 3] = [("credits, RRG", "RRG"), ("credits, CRG", "CRG"), ("credits, MM", "MM")];

fn claims(size: DragonflySize, measured: &[Found]) -> StudyPart {
    let mut claims = Claims::new();
    for name in ["minimal", "Valiant", "credits, MM"] {
        let full = find(measured, name, Order::RoundRobin, true);
        let (accepted, bound) = (full.runs.interval(|report| 100.0 * report.accepted).mean, rounded(full.bound));
        let what = format!("ADVc at 55 %: accepted, {name}, %");
        claims.add("1.4", &what, Origin::Derived, accepted, Seed::Below(bound.as_f64().expect("a number")));
    }
    for (name, policy) in IN_TRANSIT {
        let shares = find(measured, name, Order::RoundRobin, false).by_place(size);
        let (last, others) = shares.split_last().expect("a group has switches");
        let share = last / (others.iter().sum::<f64>() / others.len() as f64);
        let what = format!("ADVc at 40 %: R_out over others, {policy}");
        claims.add("3.9", &what, Origin::Published, share, Seed::Number(0.7));
    }
    of_orders(&mut claims, size, measured);
    claims.part(NAME)
}

/// A number as it is shown.
fn number(value: Value) -> Seed {
    value.as_f64().map_or(Seed::Silent, Seed::Number)
}

/// Most over least of an order over that of the next one, as ours and as printed.
fn of_orders(claims: &mut Claims, size: DragonflySize, measured: &[Found]) {
    for (name, policy) in IN_TRANSIT {
        for (place, less, more) in
            [("3.1, 3.2", Order::TransitFirst, Order::RoundRobin), ("3.2, 3.3", Order::RoundRobin, Order::Oldest)]
        {
            for (load, is_above) in [(40, false), (55, true)] {
                let both = [less, more].map(|order| find(measured, name, order, is_above));
                let [ours_less, ours_more] = both.map(|found| found.of_places(size, most_over_least).mean);
                let printed = match both.map(|found| found.printed(PrintedFigure::Ratio)) {
                    [Seed::Number(less), Seed::Number(more)] => number(rounded(less / more)),
                    _ => Seed::Silent,
                };
                let (less, more) = (less.name(), more.name());
                let what = format!("{policy}, {load} %: {less} over {more}");
                claims.add(place, &what, Origin::Published, ours_less / ours_more, printed);
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use super::super::dragonfly::golden;
    use super::*;
    use railyard_network::adaptive::DetourPolicy;

    /// What switches of a group inject at most over at least, in a network of that size whose detours are over the
    /// switch's own global links.
    fn ratio(size: DragonflySize, order: Order, load: f64, cycles: u64) -> f64 {
        let network = network_in_order(size, BUFFER, Routing::Credits(DetourPolicy::Crg), order);
        let mut network = golden(&network, &traffic(CONSECUTIVE, load), 1);
        network.run(cycles, |_| ());
        network.measure();
        network.run(cycles, |_| ());
        let (report, details) = (network.report(), network.details());
        assert_eq!(report.mismatches, []);
        let run = Measured { report, warm_up: cycles, injected: details.injected };
        let places = by_place(&run, size);
        most_over_least(&Fairness::of(&places).expect("nodes send"))
    }

    /// Table 3.1 over 3.2 over 3.3.
    #[test]
    fn transit_first_is_less_fair_than_round_robin_and_that_less_than_ages() {
        let [transit_first, round_robin, oldest] =
            Order::ALL.map(|order| ratio(DragonflySize::ALL[1], order, LOADS[1], 4_000));
        let all = format!("{transit_first} {round_robin} {oldest}");
        assert!(transit_first > 1.5 * round_robin && round_robin > 1.1 * oldest, "{all}");
    }

    /// With one target group, ADVc is ADV+1: minimal ways share a global link among all nodes of a group.
    #[test]
    fn no_routing_passes_its_bound_and_shares_are_shares() {
        let size = DragonflySize::ALL[0];
        let parts = parts(size, 1, QUICK);
        let number = |row: &[Value], column: usize| row[column].as_f64().unwrap_or_else(|| panic!("{row:?}"));
        for order in parts[..9].chunks(3) {
            for (row, deviation) in order[0].table.rows.iter().zip(&order[1].table.rows) {
                assert!(number(row, 2) <= 1.03 * number(row, 3), "{row:?}");
                assert!(number(row, 4) >= 1.0, "{row:?}");
                assert!((0.5..=1.0).contains(&number(deviation, 8)), "{deviation:?}");
            }
            assert_eq!(order[2].table.rows.len(), 6 * size.routers());
        }
        let minimal = |size: DragonflySize| bound_of(size, Routing::Minimal).round();
        assert_eq!(DragonflySize::ALL[..2].iter().map(|&size| minimal(size)).collect::<Vec<_>>(), [50.0, 25.0]);
    }
}

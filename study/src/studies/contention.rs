//! Fuentes2017, chapter 4: contention counters against credits, figures 4.5 to 4.10.

use super::claims::{Claims, Origin};
use super::dawning::Runs;
use super::dragonfly::{
    self, bound, group_threshold, measure_all, network, thresholds, traffic, Case, Routing, BUFFER,
};
use super::reaction::{self, Reaction};
use super::DragonflySize;
use crate::report::rounded;
use crate::{Seed, StudyOptions, StudyPart, StudyReport, StudyTable};
use railyard_network::adaptive::DetourPolicy;
use railyard_network::harness::{Part, Pattern, RunReport, Traffic};
use railyard_plot::{Axis, Dot, Picture};
use serde_json::{json, Value};

const NAME: &str = "contention";
/// Cycles measured, if the network is steady.
const CYCLES: u64 = 3_000;
const CREDITS: Routing = Routing::Credits(DetourPolicy::Mm);
/// What is compared.
const ROUTINGS: [(&str, Routing); 8] = [
    ("minimal", Routing::Minimal),
    ("Valiant", Routing::Valiant),
    ("PB", Routing::Piggyback),
    ("credits", CREDITS),
    ("Base", Routing::Base(None)),
    ("Filtered", Routing::Filtered),
    ("Hybrid", Routing::Hybrid),
    ("ECtN", Routing::Ectn),
];
/// Contention counters that the seed compares with Base.
const COUNTED: [(&str, Routing); 2] = [("Filtered", Routing::Filtered), ("ECtN", Routing::Ectn)];
/// Offered load of the mixes in %, as in figure 4.7.
const MIX_LOAD: f64 = 35.0;
const NEXT_GROUP: Pattern = Pattern::Adversarial { offset: 1 };

/// How much is run.
struct Extent {
    cycles: u64,
    loads: [&'static [u32]; 3],
    mixes: &'static [u32],
    reactions: u64,
}

const WHOLE: Extent = Extent {
    cycles: CYCLES,
    loads: [&[10, 50, 100], &[5, 15, 30, 100], &[30, 100]],
    mixes: &[25, 50, 75],
    reactions: 8,
};

/// The smallest network, for a quick look.
const QUICK: Extent = Extent { cycles: 400, loads: [&[10, 100], &[100], &[100]], mixes: &[25], reactions: 2 };

pub(super) fn run(options: &StudyOptions) -> StudyReport {
    let size = options.dragonfly;
    let parts = parts(size, options.seed, if size.h() == 1 { &QUICK } else { &WHOLE });
    let ([base, hybrid], group) = (thresholds(size), group_threshold(size));
    let notes = vec![
        format!(
            "A Dragonfly of h = {}, {} nodes; the seed's has h = 8 and 16,512 nodes. Links have 10 and 100 cycles, packets 8 flits, buffers {BUFFER} flits a VC; the seed has 32 \
             at local links. Three VCs a port, sequence lglgl. PB decides at the source, as Valiant does by a group. The others decide in transit with policy MM and local detours. \
             Thresholds: Base and Filtered {base}, Hybrid {hybrid}, ECtN {base} and for a group {group}. Filtered: half of a change counts in each cycle. In PB a link is saturated if its queue is longer than the \
             mean of the switch's links by five packets; the seed takes twice the mean, which no link of h = 2 can reach. ECtN's messages \
             go out every 100 cycles, as in the seed; here they and PB's take cycles of local links.",
            size.h(),
            size.nodes()
        ),
        "Each row has three runs with a seed each. Figures are of steady states: nodes receive as much in both halves of the measured cycles, and send at most 2 % more than they \
         receive. A saturated network has no latency: it grows for as long as a run lasts."
            .into(),
        "Bound: what global links allow. A node has one of its own on average. A minimal way crosses one, and other ways two. The seed's 50 % for Valiant is that bound for many \
         groups: the drawn group is the destination's once in 2 h^2 draws, so few groups allow more."
            .into(),
        "Reaction: UN turns to ADV+1 at load 20 %. Cycles until the share of misrouted packets has done 90 % of its way, in rows of 20 cycles; 2,000 if it does not move by 5 %. \
         Minimal ways carry a load of 12.5 % at h = 2, and of 0.8 % at h = 8: so at h = 2 more than half of the packets need no detour, and at h = 8 nearly all do."
            .into(),
        "Credits: the minimal output has no room for a packet, or it is taken, and the candidate's buffers are no fuller. An output is taken whenever another packet leaves. \
         So this trigger needs no full buffer. Credits, half full: the same, with half a buffer in use at the least; that is how a trigger by places in use acts."
            .into(),
    ];
    StudyReport { study: NAME, seed: options.seed, parts, notes }
}

fn parts(size: DragonflySize, seed: u64, extent: &Extent) -> Vec<StudyPart> {
    let patterns = [
        ("uniform", "uniform traffic (UN)", Pattern::Uniform),
        ("adversarial", "traffic to the next group (ADV+1)", NEXT_GROUP),
        ("adversarial-h", "traffic h groups further on (ADV+h)", Pattern::Adversarial { offset: size.h() }),
    ];
    let curves: Vec<Curves> = patterns
        .iter()
        .zip(extent.loads)
        .map(|((.., pattern), loads)| Curves::new(size, seed, extent.cycles, loads, |load| traffic(*pattern, load)))
        .collect();
    let mixes = Curves::new(size, seed, extent.cycles, extent.mixes, mix);
    let reactions = reaction::measure(size, seed, extent.reactions);
    let mut parts = vec![claims(size, &curves, &mixes, &reactions)];
    for ((name, title, _), curves) in patterns.iter().zip(&curves) {
        parts.push(curves.part(name, &format!("Latency by load, {title}"), "load %"));
    }
    parts.push(mixes.part("mix", "Latency of a mix of UN and ADV+1 at load 35 %", "ADV %"));
    parts.push(scan(size, seed, extent.cycles));
    parts.extend(reaction::parts(NAME, &reactions));
    parts
}

/// UN with a share of ADV+1.
fn mix(share: f64) -> Traffic {
    let part = Part { pattern: NEXT_GROUP, share: share / 100.0 };
    Traffic { mix: vec![part], ..traffic(Pattern::Uniform, MIX_LOAD) }
}

/// All routings at some loads, or shares of a mix.
struct Curves {
    at: &'static [u32],
    bounds: Vec<f64>,
    /// By routing, then by load.
    runs: Vec<Runs>,
}

impl Curves {
    fn new(
        size: DragonflySize,
        seed: u64,
        cycles: u64,
        at: &'static [u32],
        traffic: impl Fn(f64) -> Traffic,
    ) -> Curves {
        let networks = ROUTINGS.map(|(_, routing)| network(size, BUFFER, routing));
        let cases: Vec<Case> = networks
            .iter()
            .flat_map(|network| at.iter().map(|&at| Case { network: network.clone(), traffic: traffic(at.into()) }))
            .collect();
        let routings = ROUTINGS.iter().flat_map(|(_, routing)| at.iter().map(move |_| *routing));
        let bounds = cases.iter().zip(routings).map(|(case, routing)| bound(case, size, routing)).collect();
        Curves { at, bounds, runs: measure_all(&cases, seed, cycles) }
    }

    fn of(&self, routing: Routing) -> &[Runs] {
        let number = ROUTINGS.iter().position(|(_, known)| *known == routing).expect("it is compared");
        &self.runs[number * self.at.len()..][..self.at.len()]
    }

    /// A figure of a routing at the lowest or the highest load.
    fn first(&self, routing: Routing, figure: impl Fn(&RunReport) -> f64) -> f64 {
        self.of(routing)[0].interval(figure).mean
    }

    fn accepted(&self, routing: Routing) -> f64 {
        self.of(routing).last().expect("there are loads").interval(accepted).mean
    }

    fn part(&self, name: &str, title: &str, across: &'static str) -> StudyPart {
        let heads = ["routing", across, "accepted %", "bound %", "latency", "+-", "misrouted", "seed", "difference"];
        let mut table = StudyTable::new(&[&heads[..], &Runs::STEADY].concat());
        let mut series: Vec<(String, Vec<Dot>)> = Vec::new();
        for (number, (routing, _)) in ROUTINGS.iter().enumerate() {
            let mut dots = Vec::new();
            for (step, &at) in self.at.iter().enumerate() {
                let row = number * self.at.len() + step;
                let runs = &self.runs[row];
                dots.extend(runs.latency_dot(at.into(), latency));
                let figures = [runs.interval(accepted).mean, self.bounds[row]].map(rounded);
                let head = [json!(routing), json!(at)].into_iter().chain(figures).chain(runs.latency(latency));
                let tail = [rounded(runs.interval(misrouted).mean), Value::Null, Value::Null];
                table.push(head.chain(tail).chain(runs.steady()));
            }
            series.push((routing.to_string(), dots));
        }
        part(name, title, [Axis::linear(across), Axis::log("mean latency, cycles")], table, series)
    }
}

fn accepted(report: &RunReport) -> f64 {
    100.0 * report.accepted
}

fn misrouted(report: &RunReport) -> f64 {
    report.misrouting.map_or(0.0, |of| of.misrouted)
}

fn latency(report: &RunReport) -> f64 {
    report.unicast.latency_mean
}

fn claims(size: DragonflySize, curves: &[Curves], mixes: &Curves, reactions: &[Reaction]) -> StudyPart {
    use Origin::{Derived, Published};
    let (base, [uniform, adversarial, _]) = (Routing::Base(None), curves) else { unreachable!("three patterns") };
    let mut claims = Claims::new();
    let mut add = |place: &str, what: &str, origin, ours, seed| claims.add(place, what, origin, ours, seed);
    let [minimal, valiant] = [Routing::Minimal, Routing::Valiant];
    let bound_of = |routing| {
        let number = ROUTINGS.iter().position(|(_, known)| *known == routing).expect("it is compared");
        rounded(adversarial.bounds[number * adversarial.at.len()]).as_f64().expect("a number")
    };
    add("4.6a", "UN: accepted, minimal, %", Published, uniform.accepted(minimal), Seed::Below(80.0));
    add("4.6a", "UN: accepted, Base, %", Published, uniform.accepted(base), Seed::Below(80.0));
    let over = uniform.accepted(base) / uniform.accepted(minimal);
    add("4.6a", "UN: accepted, Base over minimal", Published, over, Seed::Above(1.0));
    let over = uniform.first(base, latency) / uniform.first(minimal, latency);
    add("4.6a", "UN at 10 %: latency, Base over minimal", Published, over, Seed::Number(1.0));
    for (name, routing) in COUNTED {
        let over = uniform.first(routing, latency) / uniform.first(minimal, latency);
        add("4.6a", &format!("UN at 10 %: latency, {name} over minimal"), Published, over, Seed::Number(1.0));
    }
    let over = uniform.first(Routing::Hybrid, latency) / uniform.first(CREDITS, latency);
    add("4.6a", "UN at 10 %: latency, Hybrid over credits", Published, over, Seed::Number(1.0));
    add("1.4", "ADV+1: accepted, minimal, %", Derived, adversarial.accepted(minimal), Seed::Below(bound_of(minimal)));
    add("4.6b", "ADV+1: accepted, Valiant, %", Published, adversarial.accepted(valiant), Seed::Number(50.0));
    add("1.4", "ADV+1: accepted, Valiant, %", Derived, adversarial.accepted(valiant), Seed::Below(bound_of(valiant)));
    let over = adversarial.accepted(Routing::Piggyback) / adversarial.accepted(valiant);
    add("4.6b", "ADV+1: accepted, PB over Valiant", Published, over, Seed::Above(1.0));
    add("4.6b", "ADV+1: accepted, Base, %", Published, adversarial.accepted(base), Seed::Above(50.0));
    add("1.4", "ADV+1: accepted, Base, %", Derived, adversarial.accepted(base), Seed::Below(bound_of(base)));
    let over = adversarial.accepted(base) / adversarial.accepted(CREDITS);
    add("4.6b", "ADV+1: accepted, Base over credits", Published, over, Seed::Number(1.0));
    for (name, routing) in COUNTED {
        let over = adversarial.accepted(routing) / adversarial.accepted(CREDITS);
        add("4.6b", &format!("ADV+1: accepted, {name} over credits"), Published, over, Seed::Number(1.0));
    }
    let over = mixes.first(Routing::Ectn, latency) / mixes.first(base, latency);
    add("4.7", "25 % ADV+1 in UN: latency, ECtN over Base", Published, over, Seed::Below(1.0));
    let over = mixes.first(base, latency) / mixes.first(CREDITS, latency);
    add("4.7", "25 % ADV+1 in UN: latency, Base over credits", Published, over, Seed::Number(1.0));
    let find = |name: &str, buffer| {
        reactions.iter().find(|of| of.name == name && of.buffer == buffer).expect("it is measured")
    };
    let [shallow, deep] = [BUFFER, 8 * BUFFER].map(|buffer| find("Base", buffer));
    add("4.8", "reaction, Base, cycles", Published, shallow.cycles, Seed::Number(10.0));
    add("4.8", "ADV+1 at 20 %: misrouted, Base, %", Published, shallow.after, Seed::Number(100.0));
    let least = 100.0 * (1.0 - dragonfly::minimal_share(size, 20.0));
    add("1.4", "ADV+1 at 20 %: misrouted, Base, %", Derived, shallow.after, Seed::Above(least));
    add("4.8", "reaction, ECtN, cycles", Published, find("ECtN", BUFFER).cycles, Seed::Number(10.0));
    add("4.8", "reaction, PB, cycles", Published, find("PB", BUFFER).cycles, Seed::Number(100.0));
    add("4.8", "reaction, credits, cycles", Published, find("credits", BUFFER).cycles, Seed::Number(100.0));
    let half = find("credits, half full", BUFFER).cycles;
    add("4.8", "reaction, credits, half full, cycles", Published, half, Seed::Number(100.0));
    add(
        "4.10",
        "reaction, Base, buffers 8 times as deep over 1",
        Published,
        deep.cycles / shallow.cycles,
        Seed::Number(1.0),
    );
    let half = find("credits, half full", 8 * BUFFER).cycles;
    add("4.10", "the same, buffers 8 times as deep, cycles", Published, half, Seed::Number(700.0));
    claims.part(NAME)
}

/// Figure 4.5: Base by its threshold.
fn scan(size: DragonflySize, seed: u64, cycles: u64) -> StudyPart {
    let heads = ["threshold", "traffic", "load %", "latency", "over minimal", "misrouted"];
    let mut table = StudyTable::new(&[&heads[..], &["seed", "difference"], &Runs::STEADY].concat());
    let base = thresholds(size)[0];
    let mut thresholds = vec![base - 1, base, base + 1, base + 2, 2 * base];
    thresholds.dedup();
    let scanned = thresholds.iter().map(|&threshold| Routing::Base(Some(threshold)));
    let routings: Vec<Routing> = std::iter::once(Routing::Minimal).chain(scanned).collect();
    let traffics = [("UN", Pattern::Uniform, 50.0), ("ADV+1", NEXT_GROUP, 10.0), ("ADV+1", NEXT_GROUP, 30.0)];
    let cases: Vec<Case> = routings
        .iter()
        .flat_map(|&routing| {
            let network = network(size, BUFFER, routing);
            traffics.map(|(_, pattern, load)| Case { network: network.clone(), traffic: traffic(pattern, load) })
        })
        .collect();
    let runs = measure_all(&cases, seed, cycles);
    let (minimal, scanned) = runs.split_at(traffics.len());
    let mut series: Vec<(String, Vec<Dot>)> = Vec::new();
    for (at, (name, _, load)) in traffics.into_iter().enumerate() {
        let mut dots = Vec::new();
        for (routing, runs) in routings[1..].iter().zip(scanned.chunks(traffics.len())) {
            let (Routing::Base(Some(threshold)), runs) = (routing, &runs[at]) else { unreachable!("thresholds") };
            let found = runs.interval(latency);
            dots.extend(runs.latency_dot((*threshold).into(), latency));
            let is_saturated = runs.is_saturated() || minimal[at].is_saturated();
            let over = (!is_saturated).then(|| found.mean / minimal[at].interval(latency).mean);
            let head = [json!(threshold), json!(name), rounded(load)];
            let [mean, _] = runs.latency(latency);
            let head = head.into_iter().chain([mean, over.map_or(Value::Null, rounded)]);
            let tail = [rounded(runs.interval(misrouted).mean), Value::Null, Value::Null];
            table.push(head.chain(tail).chain(runs.steady()));
        }
        series.push((format!("{name}, {load} %"), dots));
    }
    let axes = [Axis::linear("threshold"), Axis::log("mean latency, cycles")];
    part("threshold", "Latency of Base by its threshold", axes, table, series)
}

fn part(name: &str, title: &str, axes: [Axis; 2], table: StudyTable, series: Vec<(String, Vec<Dot>)>) -> StudyPart {
    let legend = Some("routing".into());
    let picture = Picture { title: title.into(), axes, legend, series, published: Vec::new(), front: None };
    StudyPart { name: format!("{NAME}-{name}"), title: title.into(), table, picture }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// No routing passes what links allow, and detours pass the bound of minimal ways.
    #[test]
    fn bounds_hold_and_detours_pay() {
        let size = DragonflySize::ALL[0];
        let curves = Curves::new(size, 1, QUICK.cycles, QUICK.loads[1], |load| traffic(NEXT_GROUP, load));
        for ((name, routing), bound) in ROUTINGS.iter().zip(&curves.bounds) {
            let found = curves.accepted(*routing);
            assert!(found <= 1.03 * bound, "{name}: {found} of {bound}");
        }
        // Six nodes in three groups: a global link for two nodes, and one group to draw but the destination's.
        assert_eq!([curves.bounds[0], curves.bounds[1]].map(|bound| bound.round()), [50.0, 67.0]);
        let uniform =
            Case { network: network(size, BUFFER, Routing::Minimal), traffic: traffic(Pattern::Uniform, 50.0) };
        assert!(bound(&uniform, size, Routing::Minimal) > 80.0);
        assert!(ROUTINGS[2..].iter().all(|(_, routing)| curves.accepted(*routing) > curves.accepted(Routing::Minimal)));
    }
}

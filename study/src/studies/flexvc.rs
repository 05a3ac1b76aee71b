//! Fuentes2017, chapter 5: flexible use of virtual channels against a fixed VC for each hop, figures 5.7 to 5.9, 5.11
//! and 5.16.

mod buffers;

use super::claims::{Claims, Origin};
use super::dawning::Runs;
use super::dragonfly::{measure_all, network_of, piggyback, switch, Case};
use super::DragonflySize;
use crate::report::rounded;
use crate::{Seed, StudyOptions, StudyPart, StudyReport, StudyTable};
use buffers::{Buffers, Memory};
use railyard_network::adaptive::{AdaptiveSettings, Mode, Sense, VcRule};
use railyard_network::harness::{Burst, Pattern, RunReport, Traffic};
use railyard_plot::{Axis, Dot, Interval, Picture, Published};
use serde_json::{json, Value};

const NAME: &str = "flexvc";
/// Cycles measured, if the network is steady; of the smallest network, which is for a quick look.
const CYCLES: u64 = 3_000;
const QUICK: u64 = 400;
/// Load in % at which latencies of bursts are compared.
const MEDIUM: f64 = 40.0;
/// Packets of a burst.
const BURST: f64 = 5.0;
/// Replies that a node holds: as many as it can, as the seed's hold any number; and few.
const MANY_PLACES: u32 = 1024;
const FEW_PLACES: u32 = 4;

pub(super) fn run(options: &StudyOptions) -> StudyReport {
    let size = options.dragonfly;
    let cycles = if size.h() == 1 { QUICK } else { CYCLES };
    let notes = vec![
        format!(
            "A Dragonfly of h = {}, {} nodes; the seed's has h = 8 and 16,512 nodes. Links have 10 and 100 cycles, packets 8 flits. VCs: local/global. Memory: flits of a local/global \
             port. Ports to nodes have as many VCs as local ones, and the memory of global ones.",
            size.h(),
            size.nodes()
        ),
        "Base: a fixed VC for each hop, by distance (rule next). FlexVC: any legal VC with room, by the rule that is named. Flits are those of a VC.".into(),
        "Our switch has a plane for each VC and no internal speedup, so that an input can send a flit of each VC at once. The seed's has one read of an input in half a cycle. \
         Without speedup its gains are larger: up to 37 % in figure 5.15."
            .into(),
        "Each row has three runs with a seed each. A gain is of runs with the same seed.".into(),
    ];
    StudyReport { study: NAME, seed: options.seed, parts: parts(size, options.seed, cycles), notes }
}

fn parts(size: DragonflySize, seed: u64, cycles: u64) -> Vec<StudyPart> {
    let study = |rows: Vec<Row>| Measured::new(size, seed, cycles, rows);
    let memory = study(of_memory());
    let each = study(of_each_vc());
    let bursts = study(of_bursts());
    let replies = study(of_replies());
    let ways = study(of_min_credits());
    let rules = study(of_rules());
    vec![
        claims(&memory, &each, &bursts, &replies, &ways, &rules),
        memory.part("memory", "Throughput with the same memory of a port"),
        each.part("each-vc", "Throughput with the same memory of a VC"),
        bursts.part("bursts", "Latency of bursts at load 40 %, the same memory of a VC"),
        replies.part("replies", "Throughput of requests and replies"),
        ways.part("min-credits", "Throughput of PiggyBack, with requests and replies"),
        rules.part("rules", "Throughput by the rule that chooses a VC"),
    ]
}

/// A row of a table: what is run, and the row to which it is compared.
#[derive(Clone)]
struct Row {
    traffic: &'static str,
    load: f64,
    buffers: Buffers,
    /// PiggyBack, and which packets its decisions go by.
    piggyback: Option<Sense>,
    /// Replies that a node holds, if requests are answered.
    places: u32,
    /// How far back the row of the base stands; 0 in that row.
    base: usize,
    seed: Seed,
}

impl Row {
    fn case(&self, size: DragonflySize) -> Case {
        let mut switch = switch(size);
        self.buffers.build(&mut switch);
        let by_group = self.traffic == "ADV+1";
        let ways = match self.piggyback {
            Some(sense) => AdaptiveSettings { sense: Some(sense), ..piggyback(size) },
            None => AdaptiveSettings { mode: by_group.then_some(Mode::Valiant), ..AdaptiveSettings::default() },
        };
        if let Some(sense) = self.piggyback {
            let min_credits = sense == Sense::Minimal;
            let adaptive = json!({"valiant": "group", "saturation": true, "min_credits": min_credits});
            switch["routing"]["adaptive"] = adaptive;
        } else if by_group {
            switch["routing"]["adaptive"] = json!({"valiant": "group"});
        }
        let adaptive = AdaptiveSettings { vc_rule: Some(self.buffers.rule), ..ways };
        Case { network: network_of(size, &switch, adaptive), traffic: self.traffic() }
    }

    fn traffic(&self) -> Traffic {
        let pattern = match self.traffic {
            "ADV+1" => Pattern::Adversarial { offset: 1 },
            _ => Pattern::Uniform,
        };
        let burst = (self.traffic == "BURSTY-UN").then_some(Burst { packets: BURST });
        let replies = self.buffers.has_replies();
        let reply_places = replies.then_some(self.places);
        Traffic { pattern, load: self.load / 100.0, burst, replies, reply_places, ..Traffic::default() }
    }
}

/// Rows of one traffic, compared with the first one.
fn rows(traffic: &'static str, load: f64, buffers: Vec<Buffers>, seeds: &[Seed]) -> Vec<Row> {
    let of = |(base, buffers): (usize, Buffers)| {
        let seed = seeds.get(base).copied().unwrap_or(Seed::Silent);
        Row { traffic, load, buffers, piggyback: None, places: MANY_PLACES, base, seed }
    };
    buffers.into_iter().enumerate().map(of).collect()
}

/// Figure 5.8: the memory of a port is divided among its VCs.
fn of_memory() -> Vec<Row> {
    let of = |traffic, memory: Memory, seeds: &[Seed]| {
        let flexible = [2, 4, 8].map(|vcs| Buffers::flexible(vcs).of_port(memory));
        rows(traffic, 100.0, [vec![Buffers::base(2).of_port(memory)], flexible.to_vec()].concat(), seeds)
    };
    let printed = [Seed::Silent, Seed::Between(8.0, 12.0)];
    let of_traffic = |traffic| Memory::ALL.map(|memory| (traffic, memory));
    let all = ["UN", "BURSTY-UN"].into_iter().flat_map(of_traffic);
    all.flat_map(|(traffic, memory)| of(traffic, memory, if memory == Memory::ALL[0] { &printed } else { &[] }))
        .collect()
}

/// Figure 5.7: each VC has 32 flits at local ports, and 256 at others.
fn of_each_vc() -> Vec<Row> {
    let of = |base, flexible: &[usize]| {
        let flexible = flexible.iter().map(|&vcs| Buffers::flexible(vcs).of_vc());
        std::iter::once(Buffers::base(base).of_vc()).chain(flexible).collect::<Vec<_>>()
    };
    let minimal = of(2, &[2, 4, 8]);
    let bursts = rows("BURSTY-UN", 100.0, minimal.clone(), &[]);
    [rows("UN", 100.0, minimal, &[]), bursts, rows("ADV+1", 100.0, of(4, &[4, 8]), &[])].concat()
}

/// Figure 5.7b: latency below saturation.
fn of_bursts() -> Vec<Row> {
    let buffers = [Buffers::base(2), Buffers::flexible(2), Buffers::flexible(4), Buffers::flexible(8)];
    let printed = [Seed::Silent, Seed::Number(-11.2), Seed::Number(-23.8), Seed::Number(-27.6)];
    rows("BURSTY-UN", MEDIUM, buffers.map(Buffers::of_vc).to_vec(), &printed)
}

/// Figure 5.9a: requests and replies by minimal ways. The seed's nodes hold any number of replies.
fn of_replies() -> Vec<Row> {
    let flexible = Buffers::flexible(2).with_replies();
    let more = Buffers { requests: "lglglgl", ..flexible };
    let buffers = [Buffers::base(2).with_replies(), flexible, more].map(Buffers::of_vc);
    let many = rows("UN", 100.0, buffers.to_vec(), &[Seed::Silent, Seed::Number(24.6)]);
    let few = rows("UN", 100.0, buffers.to_vec(), &[]).into_iter().map(|row| Row { places: FEW_PLACES, ..row });
    many.into_iter().chain(few).collect()
}

/// Figure 5.11: requests and replies by PiggyBack. Decisions go by all packets, or by minimal ones.
fn of_min_credits() -> Vec<Row> {
    let flexible = Buffers::flexible(4).with_replies().of_vc();
    let base = Buffers { replies: flexible.requests, rule: VcRule::Next, ..flexible };
    let senses = [Sense::All, Sense::All, Sense::Minimal];
    let of = |traffic, seeds: &[Seed]| {
        let rows = rows(traffic, 100.0, vec![base, flexible, flexible], seeds);
        let sensing = rows.into_iter().zip(senses);
        sensing.map(|(row, sense)| Row { piggyback: Some(sense), ..row }).collect::<Vec<_>>()
    };
    [of("UN", &[Seed::Silent, Seed::Silent, Seed::Number(20.4)]), of("ADV+1", &[])].concat()
}

/// Figure 5.16: rules, with the memory of the smallest ports.
fn of_rules() -> Vec<Row> {
    let rules = [VcRule::Room, VcRule::Random, VcRule::Highest, VcRule::Lowest];
    let of = |rule| Buffers { rule, ..Buffers::flexible(8).of_port(Memory::ALL[0]) };
    ["UN", "BURSTY-UN"].into_iter().flat_map(|traffic| rows(traffic, 100.0, rules.map(of).to_vec(), &[])).collect()
}

/// Rows with what they came to.
struct Measured {
    rows: Vec<Row>,
    runs: Vec<Runs>,
}

impl Measured {
    fn new(size: DragonflySize, seed: u64, cycles: u64, rows: Vec<Row>) -> Measured {
        let cases: Vec<Case> = rows.iter().map(|row| row.case(size)).collect();
        let runs = measure_all(&cases, seed, cycles);
        Measured { rows, runs }
    }

    fn accepted(&self, row: usize) -> Interval {
        self.runs[row].interval(|report| 100.0 * report.accepted)
    }

    /// Whether latencies are compared, below saturation.
    fn is_of_latency(&self) -> bool {
        self.rows[0].load == MEDIUM
    }

    /// By how many % a row is above its base: latency if it has one to compare, else accepted load.
    fn gain(&self, row: usize) -> Interval {
        let figure: fn(&RunReport) -> f64 = match self.is_of_latency() {
            true => |report| report.unicast.latency_mean,
            false => |report| report.accepted,
        };
        let (ours, base) = (&self.runs[row].0, &self.runs[row - self.rows[row].base].0);
        let pairs = ours.iter().zip(base);
        Interval::of(
            &pairs.map(|(run, base)| 100.0 * (figure(&run.report) / figure(&base.report) - 1.0)).collect::<Vec<_>>(),
        )
    }

    /// The row with these buffers under that traffic.
    fn find(&self, traffic: &str, buffers: &Buffers) -> usize {
        let is_it = |row: &Row| row.traffic == traffic && row.buffers == *buffers;
        self.rows.iter().position(is_it).expect("it is measured")
    }

    fn part(&self, name: &str, title: &str) -> StudyPart {
        let figure = if self.is_of_latency() { "latency" } else { "accepted %" };
        let by_sense = self.rows[0].piggyback.is_some();
        let heads = ["traffic", "VCs", "rule", "flits"];
        let by_places = !by_sense && self.rows[0].buffers.has_replies();
        let extra: &[&'static str] = match (by_sense, by_places) {
            (true, _) => &["sense"],
            (_, true) => &["places"],
            _ => &[],
        };
        let gains = [figure, "gain %", "+- %", "seed", "difference"];
        let mut table = StudyTable::new(&[&heads[..], extra, &gains, &Runs::STEADY].concat());
        let (mut dots, mut published): (Vec<Dot>, Vec<Published>) = Default::default();
        for (number, (row, runs)) in self.rows.iter().zip(&self.runs).enumerate() {
            let at = number as f64 + 1.0;
            let figure = match self.is_of_latency() {
                true => runs.latency(|report| report.unicast.latency_mean)[0].clone(),
                false => rounded(self.accepted(number).mean),
            };
            let Buffers { rule, .. } = row.buffers;
            let head = [json!(row.traffic), json!(row.buffers.vcs()), json!(rule), json!(row.buffers.depths())];
            let extra = row.piggyback.map(|sense| json!(sense)).or(by_places.then(|| json!(row.places)));
            table.push(
                head.into_iter().chain(extra).chain([figure]).chain(self.gain_cells(number)).chain(runs.steady()),
            );
            if row.base > 0 {
                dots.push(Dot::of(at, self.gain(number)));
                published.extend(row.seed.at(at));
            }
        }
        let up = if self.is_of_latency() { "latency over the base, %" } else { "accepted over the base, %" };
        let axes = [Axis::rows("row of the table"), Axis::linear(up)];
        let series = vec![("ours".into(), dots)];
        let picture = Picture { title: title.into(), axes, legend: None, series, published, front: None };
        StudyPart { name: format!("{NAME}-{name}"), title: title.into(), table, picture }
    }

    /// The gain with its interval, and the seed's.
    fn gain_cells(&self, row: usize) -> [Value; 4] {
        match self.rows[row].base {
            0 => [Value::Null, Value::Null, Value::Null, Value::Null],
            _ => {
                let gain = self.gain(row);
                let [ours, seed, difference] = crate::report::beside(gain.mean, self.rows[row].seed);
                [ours, rounded(gain.half), seed, difference]
            }
        }
    }
}

fn claims(
    memory: &Measured,
    each: &Measured,
    bursts: &Measured,
    replies: &Measured,
    ways: &Measured,
    rules: &Measured,
) -> StudyPart {
    use Origin::Published;
    let mut claims = Claims::new();
    let smallest = |vcs| Buffers::flexible(vcs).of_port(Memory::ALL[0]);
    for traffic in ["UN", "BURSTY-UN"] {
        let gain = memory.gain(memory.find(traffic, &smallest(2))).mean;
        let what = format!("{traffic}: gain of FlexVC 2/1, memory 64/256, %");
        claims.add("5.8", &what, Published, gain, Seed::Between(8.0, 12.0));
    }
    let gain = memory.gain(memory.find("UN", &smallest(8))).mean;
    claims.add("5.8", "UN: gain of FlexVC 8/4, memory 64/256, %", Published, gain, Seed::Number(23.0));
    claims.add("5.15", "UN: gain of FlexVC 8/4, memory 64/256, %", Published, gain, Seed::Number(37.0));
    let large = Buffers::base(2).of_port(Memory::ALL[2]);
    let over = memory.accepted(memory.find("UN", &smallest(8))).mean / memory.accepted(memory.find("UN", &large)).mean;
    claims.add("5.8", "UN: 8/4 over base with 4 times the memory", Published, over, Seed::Above(1.0));
    let wide = Buffers::flexible(8).of_vc();
    claims.add(
        "5.7a",
        "UN: accepted, FlexVC 8/4, %",
        Published,
        each.accepted(each.find("UN", &wide)).mean,
        Seed::Number(90.0),
    );
    let valiant = each.accepted(each.find("ADV+1", &wide)).mean;
    claims.add("5.7c", "ADV+1: accepted, Valiant, FlexVC 8/4, %", Published, valiant, Seed::Number(49.0));
    for (row, printed) in [(1, -11.2), (2, -23.8), (3, -27.6)] {
        let what = format!("BURSTY-UN at 40 %: latency, {} over base, %", bursts.rows[row].buffers.vcs());
        claims.add("5.7b", &what, Published, bursts.gain(row).mean, Seed::Number(printed));
    }
    let what = "requests and replies: gain of FlexVC 4/2, %";
    claims.add("5.9a", what, Published, replies.gain(1).mean, Seed::Number(24.6));
    let what = "PiggyBack, UN: gain of minCred 6/3 over 8/4, %";
    claims.add("5.11", what, Published, ways.gain(2).mean, Seed::Number(20.4));
    let what = "PiggyBack, ADV+1: accepted, minCred 6/3, %";
    claims.add("5.13b", what, Published, ways.accepted(5).mean, Seed::Number(50.0));
    for (number, rule) in [(1, "random"), (3, "lowest")] {
        let what = format!("UN: accepted, {rule} over most room, %");
        claims.add("5.16", &what, Published, rules.gain(number).mean, Seed::Between(-3.4, 0.0));
    }
    claims.part(NAME)
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Section 5.2: any legal VC in place of one for each hop, and more of them with the same memory.
    #[test]
    fn flexible_use_of_vcs_carries_more() {
        let memory = Memory::ALL[0];
        let buffers = vec![Buffers::base(2), Buffers::flexible(2), Buffers::flexible(8)];
        let rows = rows("UN", 100.0, buffers.into_iter().map(|buffers| buffers.of_port(memory)).collect(), &[]);
        let found = Measured::new(DragonflySize::ALL[1], 1, 1_000, rows);
        let [two, eight] = [1, 2].map(|row| found.gain(row));
        assert!(two.mean > 2.0 && eight.mean > two.mean, "{two:?} {eight:?}");
    }

    /// All buffers of a row have the memory that its table says.
    #[test]
    fn memory_is_the_same() {
        for row in of_memory() {
            let Buffers { local, global, .. } = row.buffers;
            let [locals, globals] = row.buffers.counts();
            assert_eq!(globals as u32 * global, 4 * locals as u32 * local, "{row:?}", row = row.buffers);
        }
    }
}

//! Cao2016, 7.2, figure 18: barriers in a network of 1,024 nodes, by what else is sent.

use super::carriage::{latency, Bench, Carriage, Case, Queues, LINK_LATENCY};
use super::dawning::{self, Runs};
use super::NetworkSize;
use crate::report::{beside, rounded};
use crate::{Seed, StudyOptions, StudyPart, StudyReport, StudyTable};
use railyard_network::harness::{Pattern, Run, Traffic};
use railyard_plot::{Axis, Dot, Picture, Published};
use serde_json::json;

const NAME: &str = "barrier-network";
/// Flits of a packet; a buffer holds four of them.
const LENGTHS: [u32; 3] = [8, 32, 128];
const PATTERNS: [(&str, Pattern); 3] =
    [("uniform", Pattern::Uniform), ("hot region", Pattern::HotRegion), ("local", Pattern::Local)];
/// Offered load in %: the network is full.
const LOAD: u32 = 100;
/// How messages travel: before the next flit of any packet, or behind the packets that are being sent.
const CARRIAGES: [(&str, Carriage); 2] = [("next flit", Carriage::Barrier), ("packet", Carriage::Own)];
/// The prototype: clock of the FPGA, and software with interface cards.
const MHZ: f64 = 100.0;
const SOFTWARE_US: f64 = 1.4;
/// The seed's highest latency in us: packets of 1 KiB, hot region.
const PRINTED_US: f64 = 8.23;

/// Cycles in the prototype's time.
pub(super) fn microseconds(cycles: f64) -> f64 {
    SOFTWARE_US + cycles / MHZ
}

/// The same the other way.
fn cycles_of(microseconds: f64) -> f64 {
    MHZ * (microseconds - SOFTWARE_US)
}

pub(super) fn run(options: &StudyOptions) -> StudyReport {
    let cycles = |packet| 3_000 + 50 * u64::from(packet);
    let bench = Bench { size: options.network, seed: options.seed, cycles, barriers: 10 };
    let parts = vec![by_traffic(bench), by_size(options.network, options.seed)];
    let notes = vec![
        format!(
            "A fat tree of three levels, {} nodes (the paper's has 1,024: --nodes). Switches are those of the preset \
             dawning16 with four packets a buffer and {LINK_LATENCY} cycles a link. All nodes go from barrier to \
             barrier without a pause, beside unicast packets at load {LOAD} %. Taken: the share of a cycle in which a \
             node takes a flit of them. Latency: cycles from the last arrival \
             to each completion, both at the node. Three runs with a seed each, mean and 95 % confidence.",
            options.network.nodes()
        ),
        format!(
            "us: at the prototype's {MHZ} MHz, with its {SOFTWARE_US} us of software and interface cards. Flits have 64 bits here: a packet of 128 is 1 KiB. The prototype's links have 16 bits, \
             so that such a packet takes four times as many of its cycles."
        ),
        "Waits for \"next flit\": the barrier VC as it is. A message goes before the next flit of any packet, and needs neither buffer nor credit, so that its latency depends on no packet. \
         Waits for \"packet\": the messages have a VC of their own, and wait for whole packets at each output in turn; the way to the barrier logic and back costs six cycles more in each switch."
            .into(),
        "Figure 18 is printed without numbers. Its text: the latency grows in proportion to the length of unicast packets, is higher with local traffic and highest in a \
         hot region, 8.23 us with packets of 1 KB."
            .into(),
    ];
    StudyReport { study: NAME, seed: options.seed, parts, notes }
}

fn by_traffic(bench: Bench) -> StudyPart {
    let heads = ["traffic", "flits", "waits for", "taken %", "latency", "+-", "us", "seed us", "difference"];
    let mut table = StudyTable::new(&[&heads[..], &Runs::STEADY].concat());
    let kinds: Vec<(&str, Carriage, &str, Pattern)> = PATTERNS
        .iter()
        .flat_map(|&(name, pattern)| CARRIAGES.map(|(waits, carriage)| (waits, carriage, name, pattern)))
        .collect();
    let queues = |packet| Queues { packet, buffer: 4 * packet };
    let cases: Vec<Case> = kinds
        .iter()
        .flat_map(|&(_, carriage, _, pattern)| {
            LENGTHS.map(|packet| Case { carriage, queues: queues(packet), pattern, load: LOAD })
        })
        .collect();
    let (mut series, mut published): (Vec<(String, Vec<Dot>)>, Vec<Published>) = Default::default();
    for (&(waits, carriage, name, pattern), runs) in kinds.iter().zip(bench.measure_all(&cases).chunks(LENGTHS.len())) {
        let mut dots = Vec::new();
        for (packet, runs) in LENGTHS.into_iter().zip(runs) {
            let found = runs.interval(latency);
            let is_printed = carriage == Carriage::Own && pattern == Pattern::HotRegion && packet == 128;
            let printed = if is_printed { Seed::Number(PRINTED_US) } else { Seed::Silent };
            let head = [json!(name), json!(packet), json!(waits)];
            let figures = [runs.throughput().mean, found.mean, found.half].map(rounded);
            let time = beside(microseconds(found.mean), printed);
            table.push(head.into_iter().chain(figures).chain(time).chain(runs.steady()));
            let point = printed.converted(packet.into(), cycles_of);
            published.extend(point.map(|point| point.of(&format!("{name}, {waits}"))));
            dots.push(Dot::of(packet.into(), found));
        }
        series.push((format!("{name}, {waits}"), dots));
    }
    let axes = [Axis::linear("length of a unicast packet, flits"), Axis::linear("mean latency of a barrier, cycles")];
    let legend = Some("traffic, what a message waits for");
    part("traffic", "Latency of a barrier by the packets beside it", axes, legend, table, series, published)
}

/// Barriers alone, in fat trees up to that size.
fn by_size(largest: NetworkSize, seed: u64) -> StudyPart {
    let mut table = StudyTable::new(&["nodes", "by the switch reference", "latency", "us", "seed us", "difference"]);
    let mut dots = Vec::new();
    for size in NetworkSize::ALL.into_iter().filter(|size| size.nodes() <= largest.nodes()) {
        let traffic = Traffic { load: 0.0, ..Traffic::default() };
        let run = Run { traffic, barriers: 1.0, link_latency: LINK_LATENCY, seed, ..Run::default() };
        let cycles = latency(&dawning::measure(&dawning::blueprint(size), &run, 600).report);
        let levels = dawning::LEVELS as f64;
        // Five cycles a switch up to the root and through it, four a switch down, and the links.
        let said = 5.0 * levels + 4.0 * (levels - 1.0) + 2.0 * levels * LINK_LATENCY as f64;
        let head = [json!(size.nodes()), rounded(said), rounded(cycles)];
        table.push(head.into_iter().chain(beside(microseconds(cycles), Seed::Silent)));
        dots.push(Dot::at(size.nodes() as f64, cycles));
    }
    let axes = [Axis::log("nodes"), Axis::linear("latency of a barrier, cycles")];
    part(
        "size",
        "Latency of a barrier alone, three levels",
        axes,
        None,
        table,
        vec![("barriers".into(), dots)],
        Vec::new(),
    )
}

fn part(
    which: &str,
    title: &str,
    axes: [Axis; 2],
    legend: Option<&str>,
    table: StudyTable,
    series: Vec<(String, Vec<Dot>)>,
    published: Vec<Published>,
) -> StudyPart {
    let picture = Picture { title: title.into(), axes, legend: legend.map(Into::into), series, published, front: None };
    StudyPart { name: format!("{NAME}-{which}"), title: title.into(), table, picture }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_barrier_waits_for_a_flit_or_for_packets() {
        let size = NetworkSize::with_nodes(16).unwrap();
        let alone = by_size(size, 1);
        let row = &alone.table.rows[0];
        assert_eq!(row[1].as_f64(), row[2].as_f64(), "{row:?}");
        let alone = row[2].as_f64().unwrap();
        let beside = by_traffic(Bench { size, seed: 1, cycles: |_| 600, barriers: 2 }).table;
        for rows in beside.rows.chunks(LENGTHS.len()) {
            let latencies: Vec<f64> = rows.iter().map(|row| row[4].as_f64().unwrap()).collect();
            let (shortest, longest) = (latencies[0], latencies[LENGTHS.len() - 1]);
            match rows[0][2].as_str().unwrap() {
                "next flit" => assert!(latencies.iter().all(|&latency| latency < alone + 3.0), "{rows:?}"),
                _ => assert!(shortest > alone && longest > 2.0 * shortest, "{rows:?}"),
            }
        }
    }
}

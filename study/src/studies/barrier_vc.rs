//! Cao2016, 4.2, figure 12: what a barrier VC of their own gains barrier messages, under unicast load.

use super::carriage::{latency, Bench, Carriage, Case, Queues, LINK_LATENCY};
use super::dawning::Runs;
use crate::report::{beside, rounded};
use crate::{Seed, StudyOptions, StudyPart, StudyReport, StudyTable};
use indexmap::IndexMap;
use railyard_network::harness::Pattern;
use railyard_plot::{Axis, Dot, Picture, Published};
use serde_json::{json, Value};

const NAME: &str = "barrier-vc";
/// Offered unicast load, in %.
const LOADS: [u32; 8] = [0, 20, 40, 50, 60, 70, 80, 100];
/// Offered unicast load where packets and buffers are compared, in %: a network that is not full, and one that is.
const COMPARED: [u32; 2] = [60, 100];
/// How many times lower the seed's barrier latency is with the barrier VC.
const PRINTED_GAIN: f64 = 7.0;
/// Four packets a buffer, as the prototype has.
const FOUR_PACKETS: Queues = Queues { packet: 8, buffer: 32 };
/// Buffers of four of the longest packets (what the seed finds enough, section 3.3) and of 4 KiB.
const QUEUES: [Queues; 4] = [
    FOUR_PACKETS,
    Queues { packet: 8, buffer: 512 },
    Queues { packet: 32, buffer: 128 },
    Queues { packet: 128, buffer: 512 },
];

pub(super) fn run(options: &StudyOptions) -> StudyReport {
    let cycles = |packet| 3_000 + 50 * u64::from(packet);
    let bench = Bench { size: options.network, seed: options.seed, cycles, barriers: 10 };
    let parts = vec![by_load(bench), by_queues(bench)];
    let notes = vec![
        format!(
            "A fat tree of three levels, {} nodes (--nodes), switches as in the preset dawning16, {LINK_LATENCY} cycles a link, all nodes from barrier to \
             barrier without a pause, uniform unicast packets of 8 flits beside it, four packets a buffer where nothing else is said. Latency: cycles from the last \
             arrival to a completion, both at nodes, mean; what is more than without load is contention (equation 4.1). Three runs with a seed each, mean and 95 % confidence, \
             measured once nodes receive as much in both halves of the measured cycles, and for 10 barriers or more.",
            options.network.nodes()
        ),
        "Barrier VC: the switch as it is. Shared VC: a message is a packet of one flit on VC 0, half of the unicast packets' way: with credit, in the input's \
         buffer behind what is there, at the output in its turn among all inputs and VCs. Own VC: the same on a VC without other packets. Each port has a way of its own \
         to the switch's barrier logic and back, of three cycles each way, so that only packets are waited for; a node sends a message before its next packet, not in the middle of one."
            .into(),
        "Gain: latency on that VC over that on the barrier VC. The seed says nearly 7 times better with a dedicated VC, not at which load and with which packets: its 7 is put beside each. \
         Its text has the highest priority at the output as a second step, so that the ratio of shared to own VC (over own) may be the one that figure 12 shows."
            .into(),
    ];
    StudyReport { study: NAME, seed: options.seed, parts, notes }
}

fn case(carriage: Carriage, queues: Queues, load: u32) -> Case {
    Case { carriage, queues, pattern: Pattern::Uniform, load }
}

/// From no load to a full network.
fn by_load(bench: Bench) -> StudyPart {
    let heads = ["load %", "messages on", "unicast %", "latency", "+-", "gain", "seed", "difference"];
    let mut table = StudyTable::new(&[&heads[..], &Runs::STEADY].concat());
    let cases: Vec<Case> =
        LOADS.into_iter().flat_map(|load| Carriage::ALL.map(|carriage| case(carriage, FOUR_PACKETS, load))).collect();
    let measured = bench.measure_all(&cases);
    let mut published = Vec::new();
    let mut series: Vec<(String, Vec<Dot>)> = Carriage::ALL.map(|carriage| (carriage.name().into(), Vec::new())).into();
    for (load, runs) in LOADS.into_iter().zip(measured.chunks(Carriage::ALL.len())) {
        let on_barrier_vc = runs[0].interval(latency).mean;
        for (which, carriage) in Carriage::ALL.into_iter().enumerate() {
            let found = runs[which].interval(latency);
            let is_compared = carriage == Carriage::Shared && load > 0;
            let printed = if is_compared { Seed::Number(PRINTED_GAIN) } else { Seed::Silent };
            let head = [json!(load), json!(carriage.name())];
            let figures = [runs[which].throughput().mean, found.mean, found.half].map(rounded);
            let gain = beside(found.mean / on_barrier_vc, printed);
            table.push(head.into_iter().chain(figures).chain(gain).chain(runs[which].steady()));
            let point = printed.converted(load.into(), |gain| gain * on_barrier_vc);
            published.extend(point.map(|point| point.of(carriage.name())));
            series[which].1.push(Dot::of(load.into(), found));
        }
    }
    let axes = [Axis::linear("unicast load, %"), Axis::log("mean latency of a barrier, cycles")];
    part("load", "Latency of a barrier by unicast load", "barrier messages on", axes, table, series, published)
}

/// With other packets and buffers.
fn by_queues(bench: Bench) -> StudyPart {
    let columns =
        ["packet", "buffer", "load %", "barrier", "own", "shared", "over own", "gain", "seed", "difference", "steady"];
    let mut table = StudyTable::new(&columns);
    let points: Vec<(Queues, u32)> =
        QUEUES.into_iter().flat_map(|queues| COMPARED.map(|load| (queues, load))).collect();
    let cases: Vec<Case> =
        points.iter().flat_map(|&(queues, load)| Carriage::ALL.map(|carriage| case(carriage, queues, load))).collect();
    let mut published: Vec<Published> = Vec::new();
    let mut series: IndexMap<String, Vec<Dot>> = IndexMap::new();
    for ((queues, load), runs) in points.iter().zip(bench.measure_all(&cases).chunks(Carriage::ALL.len())) {
        let latencies: Vec<f64> = runs.iter().map(|runs| runs.interval(latency).mean).collect();
        let [barrier_vc, own, shared] = latencies[..] else { unreachable!("three ways") };
        let head = [json!(queues.packet), json!(queues.buffer), json!(load)];
        let steady = runs.iter().all(Runs::are_steady);
        let cells = head.into_iter().chain([barrier_vc, own, shared, shared / own].map(rounded));
        let printed = Seed::Number(PRINTED_GAIN);
        let gain = beside(shared / barrier_vc, printed);
        published.extend(printed.at(queues.buffer.into()).filter(|new| !published.contains(new)));
        table.push(cells.chain(gain).chain([Value::from(steady)]));
        let name = format!("{} flits, {load} %", queues.packet);
        series.entry(name).or_default().push(Dot::at(queues.buffer.into(), shared / barrier_vc));
    }
    let axes = [Axis::log("buffer of a VC, flits"), Axis::log("latency on the shared VC over that on the barrier VC")];
    let series = series.into_iter().collect();
    part(
        "queues",
        "Latency of a barrier by packets and buffers, in flits",
        "packets, unicast load",
        axes,
        table,
        series,
        published,
    )
}

fn part(
    which: &str,
    title: &str,
    legend: &str,
    axes: [Axis; 2],
    table: StudyTable,
    series: Vec<(String, Vec<Dot>)>,
    published: Vec<Published>,
) -> StudyPart {
    let picture = Picture { title: title.into(), axes, legend: Some(legend.into()), series, published, front: None };
    StudyPart { name: format!("{NAME}-{which}"), title: title.into(), table, picture }
}

#[cfg(test)]
mod tests {
    use super::super::NetworkSize;
    use super::*;

    fn bench(seed: u64) -> Bench {
        Bench { size: NetworkSize::with_nodes(16).unwrap(), seed, cycles: |_| 600, barriers: 4 }
    }

    /// Without load only the way to the barrier logic and back counts; under load what waits is a message that shares a
    /// VC.
    #[test]
    fn a_message_waits_behind_the_packets_of_its_vc() {
        let queues = Queues { packet: 8, buffer: 512 };
        let cases = [0, 100].map(|load| Carriage::ALL.map(|carriage| case(carriage, queues, load))).concat();
        let latencies: Vec<f64> = bench(1).measure_all(&cases).iter().map(|runs| runs.interval(latency).mean).collect();
        let (idle, full) = latencies.split_at(3);
        // Three levels: five switches, six cycles each.
        assert_eq!(idle[0] + 30.0, idle[1]);
        assert_eq!(idle[1], idle[2]);
        assert_eq!(full[0], idle[0]);
        assert!(full[1] > idle[1] && full[1] < 3.0 * idle[1], "{latencies:?}");
        assert!(full[2] > 2.0 * full[1], "{latencies:?}");
    }

    #[test]
    fn the_same_seed_gives_the_same_numbers() {
        let run = |seed| {
            let runs = &bench(seed).measure_all(&[case(Carriage::Shared, FOUR_PACKETS, 60)])[0];
            (runs.interval(latency).mean, runs.throughput().mean)
        };
        assert_eq!(run(3), run(3));
        assert_ne!(run(3), run(4));
    }
}

//! Cao2016, 4.1, 4.3 and 7: of what the latencies of the prototype are made, beside ours; and figure 13.

use super::barrier_network::microseconds;
use super::dawning::{self, Measured};
use super::{carriage, NetworkSize};
use crate::report::{beside, rounded};
use crate::{Seed, StudyOptions, StudyPart, StudyReport, StudyTable};
use railyard_network::blueprint::{Blueprint, Plan};
use railyard_network::harness::{Pattern, Run, Traffic};
use railyard_network::topology::{FatTree, Topology};
use railyard_plot::{Axis, Dot, Picture, Published};
use serde_json::{json, Value};

const NAME: &str = "latency-budget";
/// Nodes at the one switch: as the prototype's processes.
const NODES: usize = 8;
/// The FPGA's clock, in which a cycle is 10 ns.
const CYCLE_US: f64 = 0.01;
/// Cycles of a link: the prototype's two take 0.2 us, serializers included.
const LINK: u64 = 10;
/// A packet of 1 KiB in 16-bit flits, as the prototype's links have them.
const KIBIBYTE: f64 = 512.0;
const CYCLES: u64 = 4_000;
/// Time-out and delay between switches of figure 13, in cycles.
const TIME_OUT: u64 = 64;

pub(super) fn run(options: &StudyOptions) -> StudyReport {
    let parts = vec![budget(options.seed, CYCLES), recovery()];
    let notes = vec![
        format!(
            "One switch as in the preset dawning16 with {NODES} nodes, {LINK} cycles a link, at 100 MHz; packets of one flit, hardly any load, the median. us: with 1.4 us of \
             software and interface cards where the row has them. Switch: without its two links. A multicast of 1 KiB: {KIBIBYTE} cycles of a 16-bit link over the \
             throughput of all-to-all multicast in a full network of {} nodes.",
            NetworkSize::ALL[0].nodes()
        ),
        format!(
            "Recovery: a message is lost once, {LINK} cycles between switches, time-out {TIME_OUT}, as in figure 13. Retransmit: the sender has no answer. Urge: the receiver has no \
             message, and asks for it; for an arrival its time begins with the operation, for a completion with its own arrival. Railyard retransmits arrivals and urges \
             completions, as the seed decides."
        ),
    ];
    StudyReport { study: NAME, seed: options.seed, parts, notes }
}

fn one_switch() -> Blueprint {
    let mut config = dawning::switch(NetworkSize::ALL[1]);
    config.ports = NODES as u32;
    let plan = dawning::plan(NetworkSize::ALL[1], config);
    let topology = Topology::FatTree(FatTree::new(NODES, 1));
    dawning::build(Plan { topology, sets: vec![(0..NODES).collect()], barriers: vec![(0..NODES).collect()], ..plan })
}

/// Cycles of a unicast packet, a multicast packet and a barrier, both links included.
fn alone(seed: u64, cycles: u64) -> [f64; 3] {
    let blueprint = one_switch();
    let measure = |pattern, load, barriers| {
        let traffic = Traffic { pattern, load, length: Some(1), multicast: 0.0, ..Traffic::default() };
        dawning::measure(&blueprint, &Run { traffic, barriers, link_latency: LINK, seed, ..Run::default() }, cycles)
    };
    let unicast = measure(Pattern::Uniform, 0.005, 0.0);
    let multicast = measure(Pattern::Multicast, 0.002, 0.0);
    let barrier = measure(Pattern::Uniform, 0.0, 1.0);
    let median = |run: &Measured| run.report.unicast.latency_p50 as f64;
    [median(&unicast), multicast.report.multicast.latency_p50 as f64, carriage::latency(&barrier.report)]
}

/// Flits that nodes receive in a network full of broadcasts, for each cycle.
fn broadcast_throughput(seed: u64, cycles: u64) -> f64 {
    let size = NetworkSize::ALL[0];
    let traffic = Traffic { pattern: Pattern::Multicast, load: 1.2 / (size.nodes() - 1) as f64, ..Traffic::default() };
    let run = Run { traffic, seed, ..Run::default() };
    dawning::measure(&dawning::blueprint(size), &run, cycles).report.throughput
}

fn budget(seed: u64, cycles: u64) -> StudyPart {
    let [unicast, multicast, barrier] = alone(seed, cycles);
    let links = 2.0 * LINK as f64;
    let rows: [(&str, f64, f64, Seed); 6] = [
        ("two links", links, CYCLE_US * links, Seed::Number(0.2)),
        ("switch, unicast", unicast - links, CYCLE_US * (unicast - links), Seed::Number(0.13)),
        ("switch, multicast", multicast - links, CYCLE_US * (multicast - links), Seed::Number(0.15)),
        ("single transfer", unicast, microseconds(unicast), Seed::Number(1.73)),
        ("barrier of 8", barrier, microseconds(barrier), Seed::Number(1.78)),
        {
            let each = KIBIBYTE / broadcast_throughput(seed, cycles);
            ("a multicast of 1 KiB, full network", each, CYCLE_US * each, Seed::Number(5.2))
        },
    ];
    let mut table = StudyTable::new(&["what", "cycles", "us", "seed us", "difference"]);
    let (mut dots, mut published) = (Vec::new(), Vec::new());
    for (at, (name, cycles, time, printed)) in rows.into_iter().enumerate() {
        table.push([json!(name), rounded(cycles)].into_iter().chain(beside(time, printed)));
        published.extend(printed.at(at as f64 + 1.0));
        dots.push(Dot::at(at as f64 + 1.0, time));
    }
    part(
        "",
        "Latencies of one switch in the prototype's time",
        ["row of the table", "time, us"],
        table,
        dots,
        published,
    )
}

/// Figure 13: when a lost message is made good, after it was sent first.
fn recovery() -> StudyPart {
    let mut table = StudyTable::new(&["lost", "mechanism", "cycles", "seed", "difference"]);
    let (time_out, delay) = (TIME_OUT, LINK);
    let rows = [
        // The sender's time begins as it sends, and the message takes the way once.
        ("arrival", "retransmit", time_out + delay),
        // The receiver's time begins with the operation; an urge and the message follow.
        ("arrival", "urge", time_out + 2 * delay),
        ("completion", "retransmit", time_out + delay),
        // The receiver's time began with its own arrival, a delay before the completion is sent.
        ("completion", "urge", time_out + 2 * delay - delay),
    ];
    let mut dots = Vec::new();
    for (at, (lost, mechanism, cycles)) in rows.into_iter().enumerate() {
        table.push([json!(lost), json!(mechanism), json!(cycles), Value::Null, Value::Null]);
        dots.push(Dot::at(at as f64 + 1.0, cycles as f64));
    }
    part(
        "-recovery",
        "Recovery of a lost barrier message",
        ["row of the table", "time, cycles"],
        table,
        dots,
        Vec::new(),
    )
}

fn part(
    which: &str,
    title: &str,
    axes: [&str; 2],
    table: StudyTable,
    dots: Vec<Dot>,
    published: Vec<Published>,
) -> StudyPart {
    let picture = Picture {
        title: title.into(),
        axes: [Axis::rows(axes[0]), Axis::linear(axes[1])],
        legend: None,
        series: vec![("ours".into(), dots)],
        published,
        front: None,
    };
    StudyPart { name: format!("{NAME}{which}"), title: title.into(), table, picture }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Three cycles through an idle switch, and what the switch reference says of barriers and multicast.
    #[test]
    fn a_switch_takes_what_the_switch_reference_says() {
        let [unicast, multicast, barrier] = alone(1, 2_000);
        let links = 2.0 * LINK as f64;
        assert_eq!(unicast - links, 3.0);
        assert_eq!(barrier - links, 5.0);
        assert!((3.0..=8.0).contains(&(multicast - links)), "{multicast}");
    }

    #[test]
    fn arrivals_are_made_good_earlier_by_retransmission_and_completions_by_either() {
        let rows = recovery().table.rows;
        let cycles: Vec<u64> = rows.iter().map(|row| row[2].as_u64().unwrap()).collect();
        assert!(cycles[0] < cycles[1] && cycles[2] == cycles[3], "{cycles:?}");
    }
}

//! Output queues: what they give a 16-port switch, by virtual channels, depth and length of packets.

mod ideal;

use super::one_switch::{OneSwitch, PORTS};
use crate::report::rounded;
use crate::{StudyOptions, StudyPart, StudyReport, StudyTable};
use ideal::IdealQueues;
use railyard_plot::{Axis, Dot, Picture};
use railyard_testbench::simulate::Simulation;
use rayon::prelude::*;
use serde_json::{json, Value};

const NAME: &str = "output-queues";
const VCS: [u32; 4] = [1, 2, 3, 4];
const QUEUES: [Option<u32>; 4] = [None, Some(8), Some(16), Some(32)];
/// Flits of a packet, and of a VC's buffer.
const FLITS: u32 = 8;
const BUFFER: u32 = 32;
/// VCs of the tables that do not go by them.
const FEW_VCS: u32 = 3;
/// Cycles of a run at saturation, of one at any other load, and of the ideal switch.
const SATURATED_CYCLES: u64 = 60_000;
const CYCLES: u64 = 12_000;
const IDEAL_CYCLES: u64 = 40_000;

pub(super) fn run(options: &StudyOptions) -> StudyReport {
    let parts = vec![
        saturation(options.seed, SATURATED_CYCLES),
        lengths(options.seed, SATURATED_CYCLES),
        latency(options.seed, CYCLES),
    ];
    let notes = vec![
        format!(
            "A {PORTS}-port switch, buffers of {BUFFER} flits a VC, uniform traffic. Throughput: flits for each port and \
             cycle, in %. Latency: cycles from when the source has the packet to its tail at the output."
        ),
        "Ideal: the same planes, queues and arbiters, without routes, credits and pipelines; independent of the golden model."
            .into(),
        "Gain: over the same switch without queues.".into(),
    ];
    StudyReport { study: NAME, seed: options.seed, parts, notes }
}

fn measure(vcs: u32, flits: u32, queue: Option<u32>, load: f64, cycles: u64, seed: u64) -> Simulation {
    let switch = OneSwitch { buffer: BUFFER, queue, ..OneSwitch::new(vcs, flits, 1) };
    switch.measure(load, cycles / u64::from(flits), seed)
}

fn saturated(vcs: u32, flits: u32, queue: Option<u32>, cycles: u64, seed: u64) -> f64 {
    100.0 * measure(vcs, flits, queue, 1.0, cycles, seed).accepted_load
}

fn ideal(vcs: u32, flits: u32, queue: Option<u32>, seed: u64) -> f64 {
    let queue = queue.unwrap_or(0) as usize;
    100.0 * IdealQueues { ports: PORTS, vcs: vcs as usize, flits, buffer: BUFFER, queue }.saturation(IDEAL_CYCLES, seed)
}

/// Depth of the queues as a cell of a table.
fn depth(queue: Option<u32>) -> Value {
    json!(queue.map_or("none".into(), |flits| flits.to_string()))
}

fn saturation(seed: u64, cycles: u64) -> StudyPart {
    let mut table = StudyTable::new(&["VCs", "queue flits", "ideal %", "railyard %", "against ideal %", "gain %"]);
    let cases: Vec<(u32, Option<u32>)> = VCS.into_iter().flat_map(|vcs| QUEUES.map(|queue| (vcs, queue))).collect();
    let measured: Vec<[f64; 2]> = cases
        .par_iter()
        .map(|&(vcs, queue)| [ideal(vcs, FLITS, queue, seed), saturated(vcs, FLITS, queue, cycles, seed)])
        .collect();
    let mut series: Vec<(String, Vec<Dot>)> = Vec::new();
    for (vcs, found) in VCS.into_iter().zip(measured.chunks(QUEUES.len())) {
        for (queue, [ideal, ours]) in QUEUES.into_iter().zip(found) {
            let against = rounded(100.0 * (ours / ideal - 1.0));
            let gain = queue.map_or(Value::Null, |_| rounded(100.0 * (ours / found[0][1] - 1.0)));
            table.push([json!(vcs), depth(queue), rounded(*ideal), rounded(*ours), against, gain]);
        }
        let curve = QUEUES.into_iter().zip(found).map(|(queue, pair)| Dot::at(queue.unwrap_or(0).into(), pair[1]));
        series.push((vcs.to_string(), curve.collect()));
    }
    let title = "Throughput at saturation, 16 ports, packets of 8 flits, by output queues";
    part("saturation", title, table, "flits of a queue", "virtual channels", series)
}

fn lengths(seed: u64, cycles: u64) -> StudyPart {
    let mut table =
        StudyTable::new(&["packet flits", "queue flits", "ideal %", "railyard %", "against ideal %", "gain %"]);
    let lengths = [1, 2, 4, 8, 16];
    let queues = [None, Some(8)];
    let cases: Vec<(u32, Option<u32>)> =
        lengths.into_iter().flat_map(|flits| queues.map(|queue| (flits, queue))).collect();
    let measured: Vec<[f64; 2]> = cases
        .par_iter()
        .map(|&(flits, queue)| [ideal(FEW_VCS, flits, queue, seed), saturated(FEW_VCS, flits, queue, cycles, seed)])
        .collect();
    let mut series: Vec<(String, Vec<Dot>)> = queues.map(|queue| (name(queue), Vec::new())).into();
    for (flits, found) in lengths.into_iter().zip(measured.chunks(queues.len())) {
        for (which, [ideal, ours]) in found.iter().enumerate() {
            let against = rounded(100.0 * (ours / ideal - 1.0));
            let gain = queues[which].map_or(Value::Null, |_| rounded(100.0 * (ours / found[0][1] - 1.0)));
            table.push([json!(flits), depth(queues[which]), rounded(*ideal), rounded(*ours), against, gain]);
            series[which].1.push(Dot::at(flits.into(), *ours));
        }
    }
    let title = "Throughput at saturation, 16 ports, 3 virtual channels, by length of packets";
    part("lengths", title, table, "flits of a packet", "output queues", series)
}

/// Depth of the queues as a name.
fn name(queue: Option<u32>) -> String {
    queue.map_or("none".into(), |flits| format!("{flits} flits"))
}

fn latency(seed: u64, cycles: u64) -> StudyPart {
    let mut table = StudyTable::new(&["queue flits", "load %", "throughput %", "latency"]);
    let queues = [None, Some(8), Some(32)];
    let runs: Vec<(usize, u32)> =
        (0..queues.len()).flat_map(|which| [10, 30, 50, 70, 80, 85].map(|load| (which, load))).collect();
    let measured: Vec<Simulation> = runs
        .par_iter()
        .map(|&(which, load)| measure(FEW_VCS, FLITS, queues[which], f64::from(load) / 100.0, cycles, seed))
        .collect();
    let mut series: Vec<(String, Vec<Dot>)> = queues.map(|queue| (name(queue), Vec::new())).into();
    for ((which, load), run) in runs.into_iter().zip(measured) {
        let (throughput, latency) = (100.0 * run.accepted_load, run.latency_mean.expect("packets at every load"));
        table.push([depth(queues[which]), json!(load), rounded(throughput), rounded(latency)]);
        series[which].1.push(Dot::at(throughput, latency).hollow_if(run.saturated));
    }
    let title = "Latency by throughput, 16 ports, 3 virtual channels, by output queues";
    let mut part = part("latency", title, table, "throughput, %", "output queues", series);
    part.picture.axes[1] = Axis::log("mean latency, cycles");
    part
}

fn part(
    which: &str,
    title: &str,
    table: StudyTable,
    across: &str,
    legend: &str,
    series: Vec<(String, Vec<Dot>)>,
) -> StudyPart {
    let picture = Picture {
        title: title.into(),
        axes: [Axis::linear(across), Axis::linear("throughput, %")],
        legend: Some(legend.into()),
        series,
        published: Vec::new(),
        front: None,
    };
    StudyPart { name: format!("{NAME}-{which}"), title: title.into(), table, picture }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// The golden model is within 1 % of the ideal switch.
    #[test]
    fn queues_give_what_is_planned() {
        for (vcs, queue) in [(1, Some(8)), (2, Some(8)), (3, Some(16)), (4, Some(8))] {
            let (ideal, ours) = (ideal(vcs, FLITS, queue, 1), saturated(vcs, FLITS, queue, 24_000, 1));
            assert!((ours / ideal - 1.0).abs() < 0.01, "{vcs} VCs, {queue:?}: {ours}, ideal {ideal}");
        }
    }
}

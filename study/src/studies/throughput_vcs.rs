//! Cao2016, 3.3, figure 9: the throughput of a 16-port switch by its virtual channels.

use super::one_switch::{OneSwitch, PORTS};
use crate::report::{beside, rounded};
use crate::{Seed, StudyOptions, StudyPart, StudyReport, StudyTable};
use railyard_plot::{Axis, Dot, Picture};
use railyard_spec::{Crossbar, LinkArbitration};
use railyard_testbench::ideal::Ideal;
use railyard_testbench::simulate::Simulation;
use rayon::prelude::*;
use serde_json::{json, Value};

const NAME: &str = "throughput-vcs";
const VCS: [u32; 4] = [1, 2, 3, 4];
/// Packets of the default switch, and packets that a VC's buffer holds.
const FLITS: u32 = 8;
const PACKETS: u32 = 4;
/// Packet times of a run at saturation, and at any other load.
const SATURATED_TIMES: u64 = 7_500;
const TIMES: u64 = 1_500;
/// Packet times of a run of the scan.
const SCANNED_TIMES: u64 = 3_000;

pub(super) fn run(options: &StudyOptions) -> StudyReport {
    let parts = vec![saturation(options.seed), scan(options.seed, SCANNED_TIMES), curves(options.seed)];
    let notes = vec![
        format!(
            "A {PORTS}-port switch, packets of {FLITS} flits, buffers of {PACKETS} packets a VC, uniform traffic. Load and throughput: \
             flits for each port and cycle, in %. Latency: cycles from when the source has the packet to its tail at the output."
        ),
        "Ideal: packet by packet, a plane for each VC, no arbitration losses; independent of the golden model. Gain: over one VC less."
            .into(),
        "Scan: other switches of the same ports. \"Base\" is the switch of the first table; each row changes one thing. No row has all the printed gains."
            .into(),
        "Figure 9 is printed without numbers; the text has the gains, and that latencies at low load hardly differ.".into(),
    ];
    StudyReport { study: NAME, seed: options.seed, parts, notes }
}

fn measure(vcs: u32, load: f64, times: u64, seed: u64) -> Simulation {
    OneSwitch::new(vcs, FLITS, PACKETS).measure(load, times, seed)
}

/// Gain of that many VCs over one less, in %, as the seed prints it.
fn printed(vcs: u32) -> Seed {
    match vcs {
        2 => Seed::Number(27.0),
        3 => Seed::Number(7.9),
        4 => Seed::Number(2.9),
        _ => Seed::Silent,
    }
}

fn saturation(seed: u64) -> StudyPart {
    let columns = ["VCs", "ideal %", "railyard %", "against ideal %", "ideal gain %", "gain %", "seed %", "difference"];
    let mut table = StudyTable::new(&columns);
    let throughput: Vec<[f64; 2]> = VCS
        .into_par_iter()
        .map(|vcs| {
            let ideal = Ideal { ports: PORTS, vcs: vcs as usize, packets_per_vc: PACKETS as usize };
            [ideal.saturation(20_000, seed), measure(vcs, 1.0, SATURATED_TIMES, seed).accepted_load]
        })
        .collect();
    let gain = |number: usize, which: usize| 100.0 * (throughput[number][which] / throughput[number - 1][which] - 1.0);
    for (number, (vcs, [ideal, ours])) in VCS.into_iter().zip(&throughput).enumerate() {
        let head = [json!(vcs), rounded(100.0 * ideal), rounded(100.0 * ours), rounded(100.0 * (ours / ideal - 1.0))];
        let gains = match number {
            0 => vec![Value::Null; 4],
            _ => std::iter::once(rounded(gain(number, 0))).chain(beside(gain(number, 1), printed(vcs))).collect(),
        };
        table.push(head.into_iter().chain(gains));
    }
    let curve = |which: usize| {
        VCS.into_iter().zip(&throughput).map(|(vcs, pair)| Dot::at(vcs.into(), 100.0 * pair[which])).collect()
    };
    // Gains are printed, not throughputs: each is put on ours with one VC.
    let mut height = 100.0 * throughput[0][1];
    let published = VCS.into_iter().filter_map(|vcs| {
        printed(vcs).converted(vcs.into(), |gain| {
            height *= 1.0 + gain / 100.0;
            height
        })
    });
    let published = published.map(|point| point.of("railyard")).collect();
    let title = "Throughput at saturation, 16 ports, by virtual channels";
    let picture = Picture {
        title: title.into(),
        axes: [Axis::linear("virtual channels"), Axis::linear("throughput, %")],
        legend: Some("switch".into()),
        series: vec![("ideal".into(), curve(0)), ("railyard".into(), curve(1))],
        published,
        front: None,
    };
    StudyPart { name: format!("{NAME}-saturation"), title: title.into(), table, picture }
}

/// Switches by which the printed gains were looked for.
fn scanned() -> Vec<(&'static str, fn(OneSwitch) -> OneSwitch)> {
    vec![
        ("base", |switch| switch),
        ("links shared flit by flit", |switch| OneSwitch { arbitration: LinkArbitration::Flit, ..switch }),
        ("one kN x N plane", |switch| OneSwitch { crossbar: Crossbar::Single, ..switch }),
        ("buffers of 2 packets", |switch| OneSwitch { buffer: 2 * switch.flits, ..switch }),
        ("buffers of 16 packets", |switch| OneSwitch { buffer: 16 * switch.flits, ..switch }),
        ("packets of 1 flit", |switch| OneSwitch::new(switch.vcs, 1, PACKETS)),
        ("packets of 2 flits", |switch| OneSwitch::new(switch.vcs, 2, PACKETS)),
        ("packets of 64 flits", |switch| OneSwitch::new(switch.vcs, 64, PACKETS)),
    ]
}

/// Gains of other switches.
fn scan(seed: u64, times: u64) -> StudyPart {
    let mut table = StudyTable::new(&["switch", "VCs", "throughput %", "gain %", "seed %", "difference"]);
    let changes = scanned();
    let cases: Vec<(usize, u32)> = (0..changes.len()).flat_map(|change| VCS.map(|vcs| (change, vcs))).collect();
    let throughput = |&(change, vcs): &(usize, u32)| {
        100.0 * changes[change].1(OneSwitch::new(vcs, FLITS, PACKETS)).measure(1.0, times, seed).accepted_load
    };
    let measured: Vec<f64> = cases.par_iter().map(throughput).collect();
    let mut series: Vec<(String, Vec<Dot>)> = Vec::new();
    for ((name, _), found) in changes.iter().zip(measured.chunks(VCS.len())) {
        for (number, (vcs, throughput)) in VCS.into_iter().zip(found).enumerate() {
            let gain = match number {
                0 => [Value::Null, Value::Null, Value::Null],
                _ => beside(100.0 * (throughput / found[number - 1] - 1.0), printed(vcs)),
            };
            table.push([json!(name), json!(vcs), rounded(*throughput)].into_iter().chain(gain));
        }
        series.push((name.to_string(), VCS.into_iter().zip(found).map(|(vcs, y)| Dot::at(vcs.into(), *y)).collect()));
    }
    let title = "Throughput at saturation of other switches, 16 ports";
    let picture = Picture {
        title: title.into(),
        axes: [Axis::linear("virtual channels"), Axis::linear("throughput, %")],
        legend: Some("switch".into()),
        series,
        published: Vec::new(),
        front: None,
    };
    StudyPart { name: format!("{NAME}-scan"), title: title.into(), table, picture }
}

fn curves(seed: u64) -> StudyPart {
    let mut table = StudyTable::new(&["VCs", "load %", "throughput %", "latency", "seed", "difference"]);
    let runs: Vec<(u32, u32)> =
        VCS.into_iter().flat_map(|vcs| [10, 30, 50, 60, 70, 80, 90].map(|load| (vcs, load))).collect();
    let measured: Vec<Simulation> =
        runs.par_iter().map(|&(vcs, load)| measure(vcs, f64::from(load) / 100.0, TIMES, seed)).collect();
    let mut series: Vec<(String, Vec<Dot>)> = VCS.map(|vcs| (vcs.to_string(), Vec::new())).into();
    for ((vcs, load), run) in runs.into_iter().zip(measured) {
        let throughput = 100.0 * run.accepted_load;
        let latency = run.latency_mean.expect("packets at every load");
        let head = [json!(vcs), json!(load), rounded(throughput)];
        table.push(head.into_iter().chain(beside(latency, Seed::Silent)));
        series[vcs as usize - 1].1.push(Dot::at(throughput, latency).hollow_if(run.saturated));
    }
    let title = "Latency by throughput, 16 ports";
    let picture = Picture {
        title: title.into(),
        axes: [Axis::linear("throughput, %"), Axis::log("mean latency, cycles")],
        legend: Some("virtual channels".into()),
        series,
        published: Vec::new(),
        front: None,
    };
    StudyPart { name: format!("{NAME}-latency"), title: title.into(), table, picture }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// The switch is within 2 % of the ideal one, and gains nearly what is printed.
    #[test]
    fn gains_with_each_virtual_channel() {
        let part = saturation(1);
        for row in &part.table.rows {
            assert!(row[3].as_f64().unwrap().abs() < 2.0, "{row:?}");
            assert!(row[7].as_f64().unwrap_or(0.0).abs() < 2.5, "{row:?}");
        }
        let gains: Vec<f64> = part.table.rows[1..].iter().map(|row| row[5].as_f64().unwrap()).collect();
        assert!(gains[0] > 3.0 * gains[1] && gains[1] > 1.5 * gains[2], "{gains:?}");
    }

    /// What the page says of the scan: no switch of it has all the printed gains, not even roughly.
    #[test]
    fn no_scanned_switch_has_the_printed_gains() {
        let rows = scan(1, 1_000).table.rows;
        assert_eq!(rows.len(), scanned().len() * VCS.len());
        for rows in rows.chunks(VCS.len()) {
            let furthest = rows.iter().filter_map(|row| row[5].as_f64()).map(f64::abs).fold(0.0, f64::max);
            assert!(furthest > 0.7, "{rows:?}");
        }
    }

    #[test]
    fn latencies_hardly_differ_at_low_load() {
        let latency = |vcs| measure(vcs, 0.1, TIMES, 1).latency_mean.expect("packets");
        assert!((latency(4) / latency(1) - 1.0).abs() < 0.1, "{} {}", latency(4), latency(1));
    }
}

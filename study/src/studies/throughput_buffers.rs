//! Cao2016, 3.3, figure 10: the throughput of a 16-port switch by the size of its buffers.

use super::one_switch::{OneSwitch, PORTS};
use crate::report::{beside, rounded};
use crate::{Seed, StudyOptions, StudyPart, StudyReport, StudyTable};
use railyard_plot::{Axis, Dot, Picture, Published};
use railyard_testbench::ideal::Ideal;
use rayon::prelude::*;
use serde_json::{json, Value};

const NAME: &str = "throughput-buffers";
const VCS: u32 = 3;
const FLIT_BYTES: u32 = 8;
/// Lengths of packets in bytes, those of the seed and two between them.
const BYTES: [u32; 6] = [128, 192, 256, 512, 768, 1024];
/// Packets of the largest buffer.
const MOST: u32 = 8;
/// Packet times of a run.
const TIMES: u64 = 1_500;
/// Packet times of the ideal switch.
const IDEAL_TIMES: u64 = 20_000;

pub(super) fn run(options: &StudyOptions) -> StudyReport {
    let parts = vec![by_length(options.seed), ideal(options.seed)];
    let notes = vec![
        format!(
            "A {PORTS}-port switch with {VCS} VCs and flits of {FLIT_BYTES} bytes, uniform traffic, saturated. Throughput: flits for each \
             port and cycle, in %. Of most: against the largest buffer."
        ),
        "A buffer is a power of two in flits and holds two maximum packets at least, so there is none of one packet, and \
         fractions (2.7, 5.3) stand for 3, 5, 6 and 7; the ideal switch shows 1 to 8."
            .into(),
        "Figure 10 is printed without numbers. The text says that throughput has converged with four packets: taken as 100 % of the most."
            .into(),
    ];
    StudyReport { study: NAME, seed: options.seed, parts, notes }
}

/// Share of the most in % that the seed says of such a buffer.
fn printed(packets: f64) -> Seed {
    if packets >= 4.0 {
        Seed::Number(100.0)
    } else {
        Seed::Silent
    }
}

/// Legal buffers in flits for packets of that length, up to [`MOST`] packets.
fn buffers(flits: u32) -> impl Iterator<Item = u32> {
    let least = (2 * flits).next_power_of_two();
    std::iter::successors(Some(least), |buffer| Some(2 * buffer)).take_while(move |buffer| *buffer <= MOST * flits)
}

fn measure(flits: u32, buffer: u32, times: u64, seed: u64) -> f64 {
    let switch = OneSwitch { buffer, ..OneSwitch::new(VCS, flits, 2) };
    100.0 * switch.measure(1.0, times, seed).accepted_load
}

fn by_length(seed: u64) -> StudyPart {
    let columns = ["packet bytes", "buffer bytes", "packets", "throughput %", "of most %", "seed %", "difference"];
    let mut table = StudyTable::new(&columns);
    let (mut series, mut published) = (Vec::new(), Vec::new());
    for bytes in BYTES {
        let flits = bytes / FLIT_BYTES;
        let buffers: Vec<u32> = buffers(flits).collect();
        let throughput: Vec<f64> = buffers.par_iter().map(|&buffer| measure(flits, buffer, TIMES, seed)).collect();
        let most = throughput[throughput.len() - 1];
        let mut curve = Vec::new();
        for (buffer, throughput) in buffers.into_iter().zip(throughput) {
            let packets = f64::from(buffer) / f64::from(flits);
            let head = [json!(bytes), json!(buffer * FLIT_BYTES), rounded(packets), rounded(throughput)];
            table.push(head.into_iter().chain(beside(100.0 * throughput / most, printed(packets))));
            let point = printed(packets).converted(packets, |percent| most * percent / 100.0);
            published.extend(point.map(|point| point.of(&bytes.to_string())));
            curve.push(Dot::at(packets, throughput));
        }
        series.push((bytes.to_string(), curve));
    }
    let title = "Throughput at saturation by buffer size, 16 ports, 3 virtual channels";
    let picture = picture(title, Some("packet, bytes"), series, published);
    StudyPart { name: format!("{NAME}-by-length"), title: title.into(), table, picture }
}

fn ideal(seed: u64) -> StudyPart {
    let mut table = StudyTable::new(&["packets", "throughput %", "of most %", "seed %", "difference"]);
    let sizes: Vec<u32> = (1..=MOST).collect();
    let saturation = |packets: &u32| {
        let ideal = Ideal { ports: PORTS, vcs: VCS as usize, packets_per_vc: *packets as usize };
        100.0 * ideal.saturation(IDEAL_TIMES, seed)
    };
    let throughput: Vec<f64> = sizes.par_iter().map(saturation).collect();
    let most = throughput[throughput.len() - 1];
    let (mut curve, mut published) = (Vec::new(), Vec::new());
    for (packets, throughput) in sizes.into_iter().zip(throughput) {
        let head: [Value; 2] = [json!(packets), rounded(throughput)];
        table.push(head.into_iter().chain(beside(100.0 * throughput / most, printed(packets.into()))));
        let packets = f64::from(packets);
        published.extend(printed(packets).converted(packets, |percent| most * percent / 100.0));
        curve.push(Dot::at(packets, throughput));
    }
    let title = "Throughput of the ideal switch by buffer size, 16 ports, 3 virtual channels";
    let picture = picture(title, None, vec![(String::new(), curve)], published);
    StudyPart { name: format!("{NAME}-ideal"), title: title.into(), table, picture }
}

fn picture(title: &str, legend: Option<&str>, series: Vec<(String, Vec<Dot>)>, published: Vec<Published>) -> Picture {
    let axes = [Axis::linear("packets that a buffer holds"), Axis::linear("throughput, %")];
    Picture { title: title.into(), axes, legend: legend.map(Into::into), series, published, front: None }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn buffers_are_legal() {
        assert_eq!(buffers(16).collect::<Vec<_>>(), [32, 64, 128]);
        assert_eq!(buffers(24).collect::<Vec<_>>(), [64, 128]);
    }

    /// Nearly all of the throughput is there with four packets, of any length.
    #[test]
    fn converges_with_four_packets() {
        for flits in [16, 64] {
            let [four, most] = [4, MOST].map(|packets| measure(flits, packets * flits, 300, 1));
            assert!((four / most - 1.0).abs() < 0.03, "{flits}: {four} {most}");
        }
    }

    #[test]
    fn the_ideal_switch_gains_less_with_each_packet() {
        let part = ideal(1);
        let throughput = |packets: usize| part.table.rows[packets - 1][1].as_f64().unwrap();
        assert!(throughput(2) - throughput(1) > 3.0 * (throughput(4) - throughput(2)));
        assert!((throughput(8) - throughput(4)).abs() < 1.0);
    }
}

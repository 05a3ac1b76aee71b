//! Cao2016, 3.1, equations 3.1 to 3.3, figure 6: several slow networks side by side against a fast one.

use crate::report::{beside, rounded};
use crate::{Seed, StudyOptions, StudyPart, StudyReport, StudyTable};
use railyard_plot::{Axis, Dot, Picture};
use serde_json::json;

const NAME: &str = "multi-rail";
const HOPS: f64 = 5.0;
const SWITCH_NS: f64 = 50.0;
const LINE_NS: f64 = 50.0;
/// Gbit/s (bits a nanosecond) of a rail's links.
const RAIL: f64 = 2.5;
/// k: bandwidth of the network interface over that of a rail.
const K: usize = 4;
/// Gbit/s of the links of the one fast network: all that the interface delivers.
const FAST: f64 = K as f64 * RAIL;
const PACKETS: f64 = 10_000.0;
const RAILS: std::ops::RangeInclusive<usize> = 1..=8;
const BYTES: [u32; 9] = [8, 16, 32, 48, 64, 128, 256, 512, 1024];

pub(super) fn run(options: &StudyOptions) -> StudyReport {
    let parts = vec![
        part("sustained", "Gain of several rails over one fast network, 10,000 packets", sustained),
        part("as-printed", "The same by equations 3.1 to 3.3 as they are printed", as_printed),
    ];
    let notes = vec![
        format!(
            "A gain is the time of the high-bandwidth strategy (one network of {FAST} Gbit/s) over that of the multi-port strategy \
             (rails of {RAIL} Gbit/s). {HOPS} hops, {SWITCH_NS} ns a switch, {LINE_NS} ns a line, k = {K}."
        ),
        "The equations in the paper have neither the number of packets nor the time of a line, of which the text speaks; what \
         they say of one packet is no gain with any number of rails. Sustained is our reading: the first packet takes what equation 3.1 \
         says, and lines; each later one follows as soon as a stage is free, which is after its length or the switch's time; rails \
         take turns, and the interface feeds no more than k of them."
            .into(),
        "Figure 6 is printed without numbers. The text says that with k rails the gain is not below 1 for any length (\"> 1\" below), and above \
         1 for short packets. The difference is the head start of the first packet on the fast network."
            .into(),
    ];
    StudyReport { study: NAME, seed: options.seed, parts, notes }
}

/// Time from one packet to the next through a stage of that bandwidth.
fn stage(bits: f64, bandwidth: f64) -> f64 {
    (bits / bandwidth).max(SWITCH_NS)
}

/// Equation 3.1, as printed.
fn fast_as_printed(bits: f64) -> f64 {
    stage(bits, FAST) * HOPS + bits / FAST
}

/// Equation 3.2, as printed.
fn rails_as_printed(bits: f64, rails: f64) -> f64 {
    HOPS * (stage(bits, RAIL) + bits / (K as f64 * RAIL)) + rails * bits / RAIL
}

/// Equation 3.3 of what is printed.
fn as_printed(bits: f64, rails: f64) -> f64 {
    fast_as_printed(bits) / rails_as_printed(bits, rails)
}

/// Equation 3.3 for many packets in a row.
fn sustained(bits: f64, rails: f64) -> f64 {
    let first = |bandwidth: f64| HOPS * (stage(bits, bandwidth) + LINE_NS) + bits / bandwidth;
    let fast = first(FAST) + (PACKETS - 1.0) * stage(bits, FAST);
    let interval = (stage(bits, RAIL) / rails).max(bits / (K as f64 * RAIL));
    fast / (first(RAIL) + (PACKETS - 1.0) * interval)
}

fn part(which: &str, title: &str, gain: impl Fn(f64, f64) -> f64) -> StudyPart {
    let mut table = StudyTable::new(&["rails", "packet bytes", "gain", "seed", "difference"]);
    let (mut series, mut published) = (Vec::new(), Vec::new());
    for rails in RAILS {
        let mut curve = Vec::new();
        for bytes in BYTES {
            let gain = gain(8.0 * f64::from(bytes), rails as f64);
            let seed = if rails == K { Seed::Above(1.0) } else { Seed::Silent };
            table.push([json!(rails), rounded(bytes.into())].into_iter().chain(beside(gain, seed)));
            published.extend(seed.at(bytes.into()).map(|point| point.of(&rails.to_string())));
            curve.push(Dot::at(bytes.into(), gain));
        }
        series.push((rails.to_string(), curve));
    }
    let picture = Picture {
        title: title.into(),
        axes: [Axis::log("packet, bytes"), Axis::linear("gain")],
        legend: Some("rails".into()),
        series,
        published,
        front: None,
    };
    StudyPart { name: format!("{NAME}-{which}"), title: title.into(), table, picture }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn k_rails_are_no_slower_and_short_packets_gain() {
        for bytes in BYTES {
            let gain = sustained(8.0 * f64::from(bytes), K as f64);
            assert!(gain > 0.998 && (gain > 1.2) == (bytes < 64), "{bytes}: {gain}");
        }
    }

    #[test]
    fn fewer_rails_lose_and_more_than_k_win_nothing_for_long_packets() {
        let gain = |rails: usize| sustained(8192.0, rails as f64);
        assert!((1..K).all(|rails| (gain(rails) - rails as f64 / K as f64).abs() < 0.01));
        assert!((K..=8).all(|rails| (gain(rails) - 1.0).abs() < 0.01));
    }

    /// 64 bits: 5 x 50 + 6.4 = 256.4 ns, and 5 x (50 + 6.4) + 4 x 25.6 = 384.4 ns.
    #[test]
    fn equations_as_printed() {
        assert!((fast_as_printed(64.0) - 256.4).abs() < 1e-9);
        assert!((rails_as_printed(64.0, 4.0) - 384.4).abs() < 1e-9);
    }
}

//! Figure 4.12: power of the table lookups of a switch, by load.

use crate::report::beside;
use crate::{Seed, StudyOptions, StudyPart, StudyReport, StudyTable};
use railyard_plot::{Axis, Dot, Picture};
use serde_json::json;

const NAME: &str = "lookup-energy";
/// The shortest Ethernet frame with its gap: one lookup.
const PACKET_BITS: f64 = 672.0;
const CACHE_J: f64 = 0.039e-9;
const CACHE_W: f64 = 13e-3;
const CAM_J: f64 = 42e-9;
const CAM_W: f64 = 36e-3;
/// Ports of a switch of a 3-D torus, each with a cache.
const PORTS: f64 = 7.0;
/// Gbps through all ports: none, half and all of seven links of 200 Gbps.
const LOADS: [f64; 3] = [0.0, 700.0, 1400.0];

/// Equation 4.5 in watts, at `rate` packets a second.
fn with_cache(rate: f64, miss_ratio: f64) -> f64 {
    rate * (CACHE_J + CAM_J * miss_ratio) + PORTS * CACHE_W + CAM_W
}

/// The same without a cache: every packet asks the CAM.
fn conventional(rate: f64) -> f64 {
    rate * CAM_J + CAM_W
}

pub(super) fn run(options: &StudyOptions) -> StudyReport {
    let mut table = StudyTable::new(&["table", "load Gbps", "Mpps", "power W", "seed W", "difference"]);
    let mut series = Vec::new();
    for (name, power) in [
        ("conventional", (|rate| conventional(rate)) as fn(f64) -> f64),
        ("cache, 1 % misses", |rate| with_cache(rate, 0.01)),
        ("cache, 0 % misses", |rate| with_cache(rate, 0.0)),
    ] {
        let at = |gbps: f64| power(gbps * 1e9 / PACKET_BITS);
        for gbps in LOADS {
            let mpps = crate::report::rounded(gbps * 1e3 / PACKET_BITS);
            table.push([json!(name), json!(gbps), mpps].into_iter().chain(beside(at(gbps), Seed::Silent)));
        }
        series.push((
            name.to_string(),
            (0..=14).map(|i| Dot::at(f64::from(i) * 100.0, at(f64::from(i) * 100.0))).collect(),
        ));
    }
    let title = "Power of table lookups in a 7-port switch";
    let picture = Picture {
        title: title.into(),
        axes: [Axis::linear("load, Gbps"), Axis::log("power, W")],
        legend: Some("table".into()),
        series,
        published: Vec::new(),
        front: None,
    };
    let notes = vec![
        "A lookup for each 672 bit; cache 0.039 nJ and 13 mW a port (7 ports), CAM 42 nJ and 36 mW: all printed.".into(),
        "The seed prints the figure without numbers, but says that at half load the static power of the caches is 1 %. Hirasawa2020, 7.1, says of what: of \
         the conventional switch, \"about\"."
            .into(),
    ];
    let part = StudyPart { name: NAME.into(), title: title.into(), table, picture };
    StudyReport { study: NAME, seed: options.seed, parts: vec![part, shares()], notes }
}

/// What the cache switch takes at half load, of the conventional switch's power.
fn shares() -> StudyPart {
    let rate = LOADS[1] * 1e9 / PACKET_BITS;
    let whole = conventional(rate);
    let mut table = StudyTable::new(&["of the cache switch", "W", "of conventional %", "seed %", "difference"]);
    let (mut dots, mut published) = (Vec::new(), Vec::new());
    let statics = PORTS * CACHE_W;
    for (at, (name, watts, seed)) in [
        ("static power of the caches", statics, Seed::Number(1.0)),
        ("static power, caches and CAM", statics + CAM_W, Seed::Silent),
        ("all at 0 % misses", with_cache(rate, 0.0), Seed::Silent),
        ("all at 1 % misses", with_cache(rate, 0.01), Seed::Silent),
    ]
    .into_iter()
    .enumerate()
    {
        let share = 100.0 * watts / whole;
        table.push([json!(name), crate::report::rounded(watts)].into_iter().chain(beside(share, seed)));
        published.extend(seed.at(at as f64 + 1.0));
        dots.push(Dot::at(at as f64 + 1.0, share));
    }
    let title = "Power at 700 Gbps over that of the conventional table";
    let picture = Picture {
        title: title.into(),
        axes: [Axis::rows("row of the table"), Axis::linear("of conventional, %")],
        legend: None,
        series: vec![("share".into(), dots)],
        published,
        front: None,
    };
    StudyPart { name: format!("{NAME}-shares"), title: title.into(), table, picture }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn agrees_with_equation_4_5() {
        let rate = 700e9 / PACKET_BITS;
        for (ours, expected) in
            [(conventional(rate), 43.8), (with_cache(rate, 0.01), 0.61), (with_cache(rate, 0.0), 0.17)]
        {
            assert!((ours - expected).abs() < 0.5 * if expected > 1.0 { 0.1 } else { 0.01 }, "{ours} for {expected}");
        }
    }
}

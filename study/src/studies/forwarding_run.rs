//! The forwarding rate of a port of this switch, measured on the golden model cycle by cycle.

use railyard_input::InputSource;
use railyard_spec::Config;
use railyard_testbench::simulate::{simulate, WarmUp};
use railyard_testbench::stimulus::{Cam, Scenario};
use railyard_testbench::traffic::{Arrival, LegalTraffic, Trace, ANY_VC};
use std::sync::Arc;

/// Two ports, of which one sends; packets of one flit; buffers as deep as the default's.
const SWITCH: &str = r#"{"name": "forwarding", "ports": 2, "packet": {"max_flits": 1}, "buffer_flits": 32, "routing": {"kind": "table"}}"#;
/// Cycles in which caches and queues fill.
const WARM_UP: u64 = 2_000;
const CYCLES: u64 = 50_000;

/// What was measured.
pub(super) struct Run {
    /// Packets a cycle.
    pub rate: f64,
    /// Share of the lookups that missed.
    pub misses: f64,
}

/// Port 0 has a packet in each cycle, all for port 1. A share `fresh` of the addresses is drawn from millions, so that
/// they miss, the others from 16. The CAM takes 25 cycles and a request every `interval` cycles.
pub(super) fn run(fresh: f64, interval: u64, seed: u64) -> Run {
    let shape = Config::from_json(SWITCH).expect("a legal switch").shape();
    let packet = |cycle| Arrival { cycle, source: 0, destination: 1, flits: 1, vc: ANY_VC };
    let packets = (0..WARM_UP + CYCLES).map(packet).collect();
    let trace = Trace { file: InputSource::File("a packet a cycle".into()), sources: vec![packets, Vec::new()] };
    let traffic =
        LegalTraffic { trace: Some(Arc::new(trace)), addresses_per_port: 16, fresh, ..LegalTraffic::default() };
    let cam = Cam { interval, ..Cam::default() };
    let scenario = Scenario { seed, traffic, cam, ..Scenario::default() };
    let simulation = simulate(&shape, &scenario, WarmUp::Cycles(WARM_UP), CYCLES, |_| {})
        .expect("the model keeps the rules of packets");
    Run {
        rate: simulation.packets as f64 / CYCLES as f64,
        misses: 1.0 - simulation.hit_rate.expect("there were lookups"),
    }
}

#[cfg(test)]
mod tests {
    use super::super::forwarding_rate::with_cache;
    use super::*;

    #[test]
    fn one_lookup_at_a_time_does_what_equation_4_7_allows() {
        for fresh in [0.06, 0.1, 0.2] {
            let run = run(fresh, 25, 1);
            let of_allowed = run.rate / with_cache(run.misses);
            // At 6 % the CAM still stands idle now and then, for want of queues without end.
            assert!((if fresh < 0.1 { 0.95 } else { 0.995 }..1.001).contains(&of_allowed), "{fresh}: {of_allowed}");
        }
    }

    #[test]
    fn a_pipelined_cam_does_more() {
        let run = run(0.1, 1, 1);
        assert!(run.rate > 1.9 * with_cache(run.misses), "{}", run.rate);
    }

    #[test]
    fn a_miss_takes_three_lookup_cycles_and_a_hit_one() {
        assert!(run(0.0, 1, 1).rate > 0.999);
        let run = run(0.04, 1, 1);
        assert!((run.rate * (1.0 + 2.0 * run.misses) - 1.0).abs() < 0.005, "{} {}", run.rate, run.misses);
    }
}

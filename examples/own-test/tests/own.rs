//! The tests that the page "Write a test of your own" shows.

use railyard::commands::verify::generated;
use railyard_own_test::flits_by_output;
use railyard_spec::{CheckedConfig, Config};
use railyard_testbench::lockstep::Verify;
use railyard_testbench::stimulus::Scenario;
use railyard_testbench::traffic::Pattern;

fn config() -> CheckedConfig {
    let json = r#"{"name": "first", "ports": 4, "flit_bits": 32, "routing": {"kind": "source", "hops": 4}}"#;
    Config::from_json(json).expect("a legal description")
}

#[test]
fn saturated_outputs_are_used_alike() {
    let scenario = Scenario::new(1, Pattern::Uniform, 1.0);
    let flits = flits_by_output(&config(), &scenario, 50_000);
    let (least, most) = (flits.iter().min().unwrap(), flits.iter().max().unwrap());
    assert!(*least as f64 > 0.97 * *most as f64, "{flits:?}");
}

#[test]
fn tornado_with_gaps_passes_in_lock_step() {
    let mut scenario = Scenario::new(7, Pattern::Tornado, 0.9);
    scenario.traffic.bubbles = 0.2;
    let verilog = generated(&config()).expect("the Verilog");
    let run = Verify::new(&config().shape(), verilog, scenario, 20_000);
    let verdict = run.run(|_| {}).expect("the run can be made");
    assert!(verdict.passed(), "{verdict}");
}

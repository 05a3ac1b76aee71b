//! A limit that holds, and one that does not.

use railyard::commands::verify::generated;
use railyard_own_check::LongestStay;
use railyard_spec::Config;
use railyard_testbench::lockstep::{FailureKind, Verification, Verify};
use railyard_testbench::stimulus::Scenario;
use railyard_testbench::traffic::Pattern;

/// A run at a third of the load in which no packet may stay for more than `most` cycles.
fn run(most: u64) -> Verification {
    let json = r#"{"name": "first", "ports": 4, "flit_bits": 32, "routing": {"kind": "source", "hops": 4}}"#;
    let config = Config::from_json(json).expect("a legal description");
    let verilog = generated(&config).expect("the Verilog");
    let scenario = Scenario::new(3, Pattern::Uniform, 0.3);
    let mut verify = Verify::new(&config.shape(), verilog, scenario, 5_000);
    verify.checks.push(Box::new(LongestStay::new(most)));
    verify.run(|_| {}).expect("the run can be made")
}

#[test]
fn a_limit_that_holds() {
    let verdict = run(500);
    assert!(verdict.passed(), "{verdict}");
}

#[test]
fn a_limit_that_does_not_hold() {
    let failure = run(20).failure.expect("some packet waits for longer");
    println!("{failure}");
    assert_eq!(failure.kind, FailureKind::Check);
    assert!(failure.messages[0].contains("longest stay: ") && failure.messages[0].contains("at most 20"), "{failure}");
}

//! The arbiter against its model, alone and in a switch.

use railyard_hdl::rtl::Bench;
use railyard_model::parts::arbiter::Arbiter;
use railyard_own_block::{golden, matrix_arbiter, verilog, LeastRecentlyServed};
use railyard_spec::{CheckedConfig, Config};
use railyard_testbench::lockstep::{FailureKind, Verification, Verify};
use railyard_testbench::random::Random;
use railyard_testbench::stimulus::Scenario;
use railyard_testbench::traffic::Pattern;

fn config() -> CheckedConfig {
    let json = r#"{"name": "matrix", "ports": 4, "flit_bits": 32, "routing": {"kind": "source", "hops": 4}}"#;
    Config::from_json(json).expect("a legal description")
}

#[test]
fn the_block_is_its_model() {
    for requesters in [1, 2, 3, 8] {
        let mut bench = Bench::new(matrix_arbiter(requesters), |block| &mut block.clock);
        let (mut model, mut random) = (LeastRecentlyServed::new(requesters), Random::new(1, 0));
        for cycle in 0..500 {
            let reset = cycle == 0 || random.below(100) == 0;
            let requests = random.bits() & ((1 << requesters) - 1);
            let winner = (requests != 0).then(|| model.pick(requests));
            bench.reset.next = reset;
            bench.request.next = requests.into();
            bench.take.next = winner.is_some() && random.below(4) > 0;
            bench.settle();
            assert!(cycle == 0 || bench.grant.val() == winner.map_or(0, |winner| 1 << winner), "cycle {cycle}");
            if let Some(winner) = winner.filter(|_| bench.take.val()) {
                model.advance(winner);
            }
            bench.cycle();
            if reset {
                model.reset();
            }
        }
    }
}

/// A run of the switch with matrix arbiters. Without a golden model of its own, that of the description stands beside
/// it.
fn run(own_golden: bool) -> Verification {
    let verilog = verilog(&config()).expect("the blocks fit");
    let scenario = Scenario::new(1, Pattern::Uniform, 0.9);
    let mut verify = Verify::new(&config().shape(), verilog, scenario, 20_000);
    verify.golden = own_golden.then(|| golden(&config()));
    verify.run(|_| {}).expect("the run can be made")
}

#[test]
fn the_switch_passes_beside_its_own_model() {
    let verdict = run(true);
    assert!(verdict.passed() && verdict.packets_delivered > 1_000, "{verdict}");
}

#[test]
fn the_model_of_another_arbiter_is_a_mismatch() {
    let failure = run(false).failure.expect("round robin serves in another order");
    assert_eq!(failure.kind, FailureKind::Mismatch, "{failure}");
}

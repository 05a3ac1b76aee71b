//! Tests of a switch from outside: a check of one's own on the golden model, and a lock-step run with a stimulus of
//! one's own. The page "Write a test of your own" explains them.

use railyard_model::Switch;
use railyard_spec::CheckedConfig;
use railyard_testbench::bench::SwitchBench;
use railyard_testbench::stimulus::Scenario;

/// Counts the flits that leave by each output, while a stimulus drives the golden model.
///
/// # Panics
/// A packet is lost, damaged, repeated or overtaken.
pub fn flits_by_output(config: &CheckedConfig, scenario: &Scenario, cycles: u64) -> Vec<u64> {
    let shape = config.shape();
    let mut switch = Switch::new(&shape);
    let mut bench = SwitchBench::new(&shape, scenario);
    let mut flits = vec![0; shape.ports];
    while bench.since_set_up() < cycles {
        let inputs = bench.cycle(switch.outputs());
        switch.step(inputs);
        let valid = switch.outputs().tx_valid;
        for (port, count) in flits.iter_mut().enumerate() {
            *count += valid >> port & 1;
        }
    }
    assert!(!bench.is_faulty(), "{:?}", bench.faults());
    flits
}

//! Bugs that show only at a limit of the description, planted in the generated Verilog: the runs that `verify` makes by
//! default must catch each of them, whatever the seed.

mod common;

use common::{config, mutated, preset, run_built};
use railyard_spec::CheckedConfig;
use railyard_testbench::stimulus::Scenario;
use railyard_testbench::traffic::Pattern;
use railyard_verilated::Build;

const CYCLES: u64 = 20_000;

/// The runs of `verify`, those of directed phases first: they are meant to find these bugs.
fn runs(seed: u64) -> impl Iterator<Item = Scenario> {
    let directed = [Scenario::limits(seed), Scenario::faults(seed), Scenario::new(seed, Pattern::Uniform, 0.7)];
    directed.into_iter().chain((0..8).map(move |mix| Scenario::any(seed.wrapping_add(mix))))
}

fn is_caught(config: &CheckedConfig, module: &str, from: &str, to: &str, seeds: &[u64]) {
    let mutant = mutated(config, module, from, to);
    for &seed in seeds {
        let caught = runs(seed).any(|scenario| !run_built(config, &mutant, scenario, CYCLES, Build::quick()).passed());
        assert!(caught, "not caught with seed {seed}: {module}: {from} -> {to}");
    }
}

/// Multicast and barriers, small.
fn collective() -> CheckedConfig {
    config(
        r#"{"name": "collective", "ports": 3, "flit_bits": 32, "virtual_channels": {"unicast": 1, "mixed": 1, "barrier": 1},
            "multicast": {"groups": 8}, "barrier": {"groups": 2}, "packet": {"max_flits": 4}, "counters": {"bits": 8}, "routing": {"kind": "source", "hops": 2}}"#,
    )
}

const SEEDS: [u64; 4] = [1, 2, 4, 11];

/// Nothing but a buffer that is filled from the reset on, without a report in between, shows it: reports make the count
/// right.
#[test]
fn credit_that_is_one_short_from_the_reset_on() {
    let (from, to) = ("outstanding_q <= 11'd0", "outstanding_q <= 11'd1");
    is_caught(&preset("dawning16"), "credit_counter_v2", from, to, &SEEDS);
}

#[test]
fn flags_of_senders_lost_in_the_cycle_of_the_clear() {
    is_caught(&preset("tiny"), "sticky_flags_4", "seen_q <= raise;", "seen_q <= 4'd0;", &SEEDS);
}

#[test]
fn the_flag_of_credit_or_cam_lost_in_the_cycle_of_the_clear() {
    is_caught(&preset("tiny"), "sticky_flags_1", "seen_q <= raise;", "seen_q <= 1'b0;", &SEEDS);
}

#[test]
fn faults_of_a_barrier_group_lost_in_the_cycle_of_the_clear() {
    is_caught(&collective(), "sticky_flags_3", "seen_q <= raise;", "seen_q <= 3'd0;", &SEEDS);
}

#[test]
fn faults_of_a_port_of_barriers_lost_in_the_cycle_of_the_clear() {
    is_caught(&collective(), "sticky_flags_2", "seen_q <= raise;", "seen_q <= 2'd0;", &SEEDS);
}

macro_rules! mutants {
    ($switch:expr; $($name:ident: $module:literal, $from:literal => $to:literal;)*) => {
        $(
            #[test]
            fn $name() {
                is_caught(&$switch, $module, $from, $to, &[1]);
            }
        )*
    };
}

mutants! {
    preset("dawning16");
    deep_buffers_full_a_flit_early: "vc_buffer", "queue_stored >= (DEPTH - 10'd1)" => "queue_stored >= (DEPTH - 10'd2)";
    credit_totals_a_bit_short: "credit_return", "report_q <= report_q + freed" => "report_q <= {1'b0, report_q[9:0]} + freed";
}

mutants! {
    preset("tiny");
    full_buffers_take_another_flit: "vc_buffer", "full = queue_stored == DEPTH" => "full = 1'b0";
    the_last_miss_slot_is_skipped: "miss_table", "if (tail_q == (SLOTS_PER_VC[1:0] - 2'd1))" => "if (tail_q == (SLOTS_PER_VC[1:0] - 2'd2))";
    sent_totals_a_bit_short: "counter", "total_q + 5'd1" => "{1'b0, total_q[3:0]} + 5'd1";
}

mutants! {
    collective();
    barrier_numbers_a_bit_short: "barrier_group", "number_q <= number_q + 8'd1" => "number_q <= {1'b0, number_q[6:0] + 7'd1}";
    the_longest_time_out_is_never: "barrier_timer", "after >= limit" => "after > limit";
    event_counts_a_bit_short: "counter_bank", "total_q[i*8 +: 8] + step[i*8 +: 8]" => "{1'b0, total_q[i*8 +: 7]} + step[i*8 +: 8]";
}

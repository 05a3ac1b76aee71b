//! Test of the assertions: bugs planted in the generated Verilog, each of which the assertion of its kind must report.
//!
//! `mutants/` holds that lock-step catches bugs by their effect at the pins. Here the verdict names the property that
//! broke, and the instance in which it did.

mod common;

use common::{config, mutated, run};
use railyard_spec::CheckedConfig;
use railyard_testbench::stimulus::Scenario;
use railyard_testbench::traffic::{Lengths, Pattern};

const CYCLES: u64 = 20_000;

/// A switch of three ports with this buffer and these further parts.
fn switch(name: &str, buffer_flits: u32, more: &str) -> CheckedConfig {
    config(&format!(
        r#"{{"name": "{name}", "ports": 3, "flit_bits": 32, "packet": {{"max_flits": 4}}, "buffer_flits": {buffer_flits},
            {more}, "registers": false}}"#
    ))
}

const TABLE: &str = r#""virtual_channels": {"unicast": 2},
    "routing": {"kind": "table", "address_bits": 20, "lookups_per_vc": 3, "cache": {"entries": 16, "ways": 2}}"#;
const MULTICAST: &str = r#""virtual_channels": {"unicast": 1, "mixed": 1}, "multicast": {"groups": 8},
    "routing": {"kind": "source", "hops": 2}"#;
const BARRIER: &str = r#""virtual_channels": {"unicast": 1, "barrier": 1}, "barrier": {"groups": 3},
    "routing": {"kind": "source", "hops": 2}"#;

fn table() -> CheckedConfig {
    switch("asserted", 8, TABLE)
}

/// Queues that are memories.
fn deep() -> CheckedConfig {
    switch("asserted_deep", 32, TABLE)
}

fn multicast() -> CheckedConfig {
    config(&format!(
        r#"{{"name": "asserted_multicast", "ports": 3, "flit_bits": 32, "packet": {{"max_flits": 4}}, "buffer_flits": 8,
            {MULTICAST}}}"#
    ))
}

fn barrier() -> CheckedConfig {
    config(&format!(
        r#"{{"name": "asserted_barrier", "ports": 3, "flit_bits": 32, "packet": {{"max_flits": 4}}, {BARRIER}}}"#
    ))
}

/// Busy traffic, with and without senders that break the rules.
fn scenarios() -> [Scenario; 2] {
    let mut busy = Scenario::new(1, Pattern::Uniform, 0.95);
    busy.traffic.lengths = Lengths::Uniform;
    busy.traffic.addresses_per_port = 8;
    busy.traffic.bubbles = 0.3;
    busy.traffic.multicast = 0.3; // where there is a mixed VC
    busy.sink.delay_max = 30;
    let hostile = Scenario { mischief: 0.05, seed: 2, ..busy.clone() };
    [busy, hostile]
}

fn reported(config: &CheckedConfig, module: &str, from: &str, to: &str, property: &str) {
    let mutant = mutated(config, module, from, to);
    let mut results = scenarios().into_iter().map(|scenario| run(config, &mutant, scenario, CYCLES));
    let failed = results.find(|result| !result.passed()).unwrap_or_else(|| panic!("not caught: {module}: {from}"));
    let report = failed.to_string();
    let text = report.split_whitespace().collect::<Vec<_>>().join(" ");
    assert!(text.contains(&format!(": {property}")) && text.contains("assertion failed: "), "{report}");
}

#[test]
fn sound_designs_break_no_property() {
    for config in [table(), deep(), multicast(), barrier()] {
        let verilog = common::verilog(&config);
        for scenario in scenarios() {
            let result = run(&config, &verilog, scenario, CYCLES);
            assert!(result.passed(), "{}: {result}", config.name);
        }
    }
}

macro_rules! reported {
    ($($name:ident: $switch:expr, $module:literal, $from:literal => $to:literal, $property:literal;)*) => {
        $(
            #[test]
            fn $name() {
                reported(&$switch, $module, $from, $to, $property);
            }
        )*
    };
}

reported! {
    queue_pushed_while_full: table(), "vc_buffer", "full = queue_stored ==" => "full = queue_stored >", "an entry is pushed only while there is room";
    queue_popped_while_empty: table(), "connection", "pop = active_q & ready" => "pop = active_q", "an entry is popped only while front_valid";
    queue_bypassed_while_not_empty: deep(), "result_fifo", "bypass = load & empty" => "bypass = load", "only an entry that comes to an empty queue is bypassed";
    two_requesters_granted: table(), "round_robin_arbiter_3", "grant_first = request & ~(upto" => "grant_first = request | ~(upto", "at most one requester has the grant";
    two_vcs_on_an_output: table(), "packet_allocator", "sending_q <= win" => "sending_q <= sending_q | win", "one VC at a time has the output";
    flits_outstanding_beyond_the_buffer: table(), "credit_counter", "left = outstanding_q" => "left = ~outstanding_q", "no more flits are outstanding than buffer, packet and two flits on their way";
    two_outputs_requested: table(), "route_queue", "fifo_next_routed & (next_port ==" => "fifo_next_routed & (next_port >=", "the head requests at most one output";
    result_taken_that_is_not_there: table(), "connection", "take = take_drop | granted" => "take = ready", "a result is taken only while there is one";
    miss_slots_taken_twice: table(), "lookup_issue", "admitted[v] = used_q[v*2 +: 2] <" => "admitted[v] = used_q[v*2 +: 2] <=", "a miss takes a slot that is free";
    two_ways_filled: table(), "lowest_bit_2", "lowest = bits & ~(" => "lowest = bits | ~(", "a fill writes one way";
    fan_out_loaded_while_it_waits: multicast(), "fan_out", "load = follows & (vacant_q | let_go)" => "load = follows", "the fan-out register has one state at a time";
    multicast_started_twice: multicast(), "multicast_grant", "is_granted_q <= (is_granted_q & ~start) |" => "is_granted_q <= is_granted_q |", "a multicast packet starts";
    flits_beside_barrier_messages: barrier(), "barrier_hold", "if (message_next[o])" => "if (1'b0)", "a barrier message leaves only while no flit does";
}

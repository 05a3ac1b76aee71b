//! Bugs of events, error correction and parity.

use crate::common::config;
use crate::{caught, passes};
use railyard_spec::CheckedConfig;

/// All events, and a reset that is active low.
fn eventful() -> CheckedConfig {
    config(
        r#"{"name": "mutant_events", "ports": 3, "flit_bits": 32, "virtual_channels": {"unicast": 1, "barrier": 1},
            "barrier": {"groups": 2}, "packet": {"max_flits": 4}, "buffer_flits": 8, "events": true, "reset": {"active": "low"},
            "routing": {"kind": "table", "address_bits": 12, "lookups_per_vc": 2, "cache": null}}"#,
    )
}

/// Error correction of the buffers, and barrier messages, which are no code words.
fn correcting() -> CheckedConfig {
    config(
        r#"{"name": "mutant_ecc", "ports": 3, "flit_bits": 32, "virtual_channels": {"unicast": 2, "barrier": 1},
            "barrier": {"groups": 2}, "packet": {"max_flits": 4}, "buffer_flits": 8, "buffer_ecc": {"fault_pins": true},
            "routing": {"kind": "source", "hops": 2}}"#,
    )
}

/// Parity of the routing cache, of a forwarding table that no CAM stands behind, and of group tables.
fn checking() -> CheckedConfig {
    config(
        r#"{"name": "mutant_parity", "ports": 3, "flit_bits": 32, "virtual_channels": {"unicast": 1, "mixed": 1},
            "multicast": {"groups": 4, "parity": {"fault_pins": true}}, "packet": {"max_flits": 2}, "buffer_flits": 8, "events": true,
            "routing": {"kind": "table", "address_bits": 12, "cache": {"entries": 16, "ways": 2}, "external_cam": false,
                        "forwarding_table": {"entries": 64, "ways": 4}, "parity": {"fault_pins": true}}}"#,
    )
}

#[test]
fn events_without_bugs_pass() {
    passes(&eventful());
}

mutants! {
    eventful();
    events_lose_to_a_clear: "event_flags_8", "raise | (seen_q & ~clear)" => "(raise | seen_q) & ~clear";
    ports_of_events_lose_to_a_clear: "event_flags_3", "raise | (seen_q & ~clear)" => "(raise | seen_q) & ~clear";
    events_lose_to_error_clear: "event_flags_8", "seen_q <= raise;" => "seen_q <= 8'd0;";
    enabled_events_are_cleared: "event_registers", "cleared = was_events_q" => "cleared = enable_setting";
    a_zero_clears: "event_registers", "cleared = was_events_q" => "cleared = ~was_events_q";
    all_events_interrupt: "event_registers", "pending = kept_flags & enable_setting" => "pending = kept_flags";
    enabled_events_interrupt_at_once: "event_registers", "interrupting_q <= |pending" => "interrupting_q <= |enable_setting";
    interrupts_are_pulses: "event_registers", "interrupting_q <= |pending" => "interrupting_q <= |(raise & enable_setting)";
    one_module_is_reset_by_the_wrong_level: "packet_check", "if (!reset_n) begin" => "if (reset_n) begin";
}

mutants! {
    correcting();
    the_wrong_bit_is_corrected: "wrong_bit", "wrong[31] = syndrome == 7'd98" => "wrong[30] = syndrome == 7'd98";
    two_wrong_bits_pass: "flit_decoder", "| ((|syndrome_check) & ~is_corrected)" => "";
    bad_flits_do_not_mark_the_tail: "flit_decoder", "spoiled_after[v] = is_bad & ~tail" => "spoiled_after[v] = 1'b0";
    bad_packets_mark_the_next: "flit_decoder", "spoiled_after[v] = is_bad & ~tail" => "spoiled_after[v] = is_bad";
    messages_are_decoded: "flit_decoder", "is_coded = valid & ~message" => "is_coded = valid";
    bad_packets_are_forgotten: "input_unit", "data = {rx_bad, stored_flit}" => "data = {1'b0, stored_flit}";
}

mutants! {
    checking();
    words_with_wrong_parity_hit: "routing_cache", "matching = matching & ~wrong" => "matching = matching";
    words_with_wrong_parity_stay: "routing_cache", "valid = valid & ~wrong" => "valid = valid";
    words_of_the_table_with_wrong_parity_count: "forwarding_table", "matching = matching & ~wrong" => "matching = matching";
    groups_with_wrong_parity_count: "fan_out", "if (wrong) begin" => "if (1'b0) begin";
}

//! Bugs of a Dragonfly's router.

use crate::common::config;
use crate::{caught, passes};
use railyard_spec::CheckedConfig;

/// A router of a Dragonfly with all that chooses ways.
fn dragonfly() -> CheckedConfig {
    config(
        r#"{"name": "mutant_dragonfly", "ports": 4, "flit_bits": 24, "virtual_channels": {"unicast": 3},
            "packet": {"max_flits": 4}, "buffer_flits": 8,
            "routing": {"kind": "dragonfly", "group_bits": 2, "router_bits": 2, "node_bits": 1,
                        "port_classes": {"node": {"ports": 1}, "local": {"ports": 2}, "global": {"ports": 1}},
                        "vcs": {"requests": "lglgl"}, "flexible_vcs": true,
                        "adaptive": {"valiant": "router", "in_transit": true, "contention": true}}}"#,
    )
}

/// The same with buffers by the kind of port.
fn depths() -> CheckedConfig {
    config(
        r#"{"name": "mutant_depths", "ports": 4, "flit_bits": 24, "virtual_channels": {"unicast": 3},
            "packet": {"max_flits": 4},
            "routing": {"kind": "dragonfly", "group_bits": 2, "router_bits": 2, "node_bits": 1,
                        "port_classes": {"node": {"ports": 1, "buffer_flits": 4}, "local": {"ports": 2, "buffer_flits": 8},
                                         "global": {"ports": 1, "buffer_flits": 16}},
                        "vcs": {"requests": "lglgl"}, "flexible_vcs": true}}"#,
    )
}

/// A router of a Dragonfly whose neighbours tell what they sense, with filtered counters and VCs by chance.
fn telling() -> CheckedConfig {
    config(
        r#"{"name": "mutant_telling", "ports": 5, "flit_bits": 32, "virtual_channels": {"unicast": 3}, "counters": {"bits": 16},
            "packet": {"max_flits": 4}, "buffer_flits": 8,
            "routing": {"kind": "dragonfly", "group_bits": 3, "router_bits": 2, "node_bits": 1,
                        "port_classes": {"node": {"ports": 1}, "local": {"ports": 2}, "global": {"ports": 2}},
                        "vcs": {"requests": "lglgl"}, "flexible_vcs": true, "random_vcs": true,
                        "adaptive": {"valiant": "group", "in_transit": true, "contention": true, "filter": true,
                                     "ectn": true, "saturation": true}}}"#,
    )
}

/// A router of a Dragonfly with that policy, packets in transit first, and ages.
fn arbitrating(policy: &str) -> CheckedConfig {
    config(&format!(
        r#"{{"name": "mutant_{policy}", "ports": 4, "flit_bits": 24, "virtual_channels": {{"unicast": 3}},
            "packet": {{"max_flits": 4}}, "buffer_flits": 8,
            "routing": {{"kind": "dragonfly", "group_bits": 2, "router_bits": 2, "node_bits": 1,
                        "port_classes": {{"node": {{"ports": 1}}, "local": {{"ports": 2}}, "global": {{"ports": 1}}}},
                        "arbitration": {{"policy": "{policy}", "transit_first": true}}, "age_bits": 5}}}}"#
    ))
}

/// A router whose packets carry the mark of minimal ones, with VCs by the kind of port.
fn minimal() -> CheckedConfig {
    config(
        r#"{"name": "mutant_minimal", "ports": 5, "flit_bits": 32, "virtual_channels": {"unicast": 4},
            "packet": {"max_flits": 4}, "buffer_flits": 8,
            "routing": {"kind": "dragonfly", "group_bits": 3, "router_bits": 2, "node_bits": 1,
                        "port_classes": {"node": {"ports": 1, "vcs": 2}, "local": {"ports": 2},
                                         "global": {"ports": 2, "vcs": 3}},
                        "vcs": {"requests": "lglgl"}, "flexible_vcs": true,
                        "adaptive": {"valiant": "group", "in_transit": true, "contention": true, "saturation": true,
                                     "min_credits": true}}}"#,
    )
}

#[test]
fn dragonfly_without_bugs_passes() {
    passes(&dragonfly());
}

mutants! {
    dragonfly();
    phases_beyond_the_last_count: "arrival_phase", "header_phase > SETTLED" => "1'b0";
    detoured_packets_stay_so_at_their_destination: "arrival_phase", "arrived <= DETOURED" => "arrived < DETOURED";
    detoured_packets_need_a_trigger: "way_decision_1", "(phase == DETOURED) & (is_reply == 1'b0)" => "1'b0";
    detours_need_a_place_more: "output_sense_1", "full_q <= (wide >= least)" => "full_q <= (wide > least)";
    detoured_packets_go_minimally: "way_decision_1", "(phase == DETOURED) & (port < FIRST_GLOBAL)" => "1'b0";
    candidates_are_busy: "detour_candidate", "detour_ports[port] & ~sensed_busy[port]" => "detour_ports[port]";
    detours_go_to_the_minimal_output: "detour_candidate", "usable[c*4 +: 4] = ~drawn" => "usable[c*4 +: 4] = {4{1'b1}}";
    contended_candidates_are_taken: "detour_candidate", "if (~sensed_hot[port])" => "if (1'b1)";
    equal_queues_are_too_long: "comparisons_8_3", "number} <=" => "number} <";
    vias_are_others: "via_candidate", "target_q <= drawn_via" => "target_q <= drawn_via ^ 4'd1";
    packets_to_vias_stay_home: "way_decision_0", "other_phase = TO_VIA" => "other_phase = HOME";
    contention_is_felt_a_cycle_early: "contention_counter", "count_q >= threshold" => "sum >= threshold";
    packets_that_left_count_no_more: "hop_register_1", "counted = kept_q" => "counted = minimal";
    packets_lose_patience_a_tick_early: "hop_register_1", "waits_q == PATIENT_TICKS" => "waits_q >= 2'd2";
    phases_leave_as_decided_later: "hop_register_1", "departure_phase_q <= leaving_phase_q" => "departure_phase_q <= by_held_phase";
    equal_queues_send_away: "comparisons_11_4", "number} <=" => "number} <";
    draws_are_others: "port_draws_0", "state_q << 13" => "state_q << 12";
    destinations_without_a_way_have_a_via: "dragonfly_route", "~valid | ~via_way_valid" => "~via_way_valid";
    outputs_are_busy_when_available: "output_sense_1", "taken_q <= ~available" => "taken_q <= available";
    of_equal_room_the_lowest: "vc_choice", "<= least[" => "< least[";
}

#[test]
fn telling_without_bugs_passes() {
    passes(&telling());
}

mutants! {
    telling();
    filtered_counts_do_not_rise: "contention_filter", "filtered_q + step" => "filtered_q - step";
    greater_keys_are_preferred: "vc_choice", "<= least_key[" => ">= least_key[";
    rounds_are_sent_unasked: "ectn", "sending_q <= fires | asked_q" => "sending_q <= 1'b1";
    other_routers_do_not_count: "ectn", "all = others_q + {5'd0, count}" => "all = {5'd0, count}";
    hot_groups_need_a_packet_more: "ectn", "all >= threshold" => "all > threshold";
    corrupt_router_messages_count: "message_receiver", "whole_q & (word_q[23:16] == crc_index)" => "whole_q";
    counts_are_not_sent_after_saturation: "message_sender", "due_counts | (counts_due_q & ~sends_counts)" => "due_counts";
    changes_are_told_late: "saturation", "pause_q >= gap" => "pause_q > gap";
    equal_queues_are_saturated: "saturation", "level_q > bar_q" => "level_q >= bar_q";
    saturated_links_send_no_packet_away: "way_decision_0", "(longer | is_saturated)" => "longer";
    hot_groups_spread_nothing: "way_decision_0", "(phase == HOME) & hot_group" => "1'b0 & hot_group";
}

#[test]
fn policies_without_bugs_pass() {
    passes(&arbitrating("oldest"));
    passes(&arbitrating("least_recent"));
}

mutants! {
    arbitrating("oldest");
    new_packets_stand_before_others: "age_ranking", "fresh[j] | (ranked_q" => "~fresh[j] & (ranked_q";
    of_equal_ages_the_new_goes_before: "age_ranking", "age[i*5 +: 5] > age[j*5 +: 5]" => "age[i*5 +: 5] >= age[j*5 +: 5]";
    nodes_do_not_wait_for_transit: "age_ranking", "if (transit_first)" => "if (1'b0)";
    old_packets_look_young: "age_register", "if (elapsed[5])" => "if (1'b0)";
    links_take_no_time: "age_register", "delay | link_delay[o*8 +: 8]" => "delay";
}

mutants! {
    arbitrating("least_recent");
    winners_stay_first: "least_recent_arbiter_4", "grant[j] | (before_q" => "1'b0 | (before_q";
    winners_go_before_others: "least_recent_arbiter_3", "& ~grant[i]" => "& 1'b1";
    transit_goes_first_unasked: "priority_allocator", "if (transit_first)" => "if (1'b1)";
}

#[test]
fn depths_without_bugs_pass() {
    passes(&depths());
}

mutants! {
    depths();
    local_outputs_have_the_credit_of_global_ones: "output_unit_8", "credit_counter_8" => "credit_counter_16";
    global_inputs_have_the_buffers_of_local_ones: "input_unit_16", "vc_buffer_16" => "vc_buffer_8";
    rules_take_nodes_for_links: "vc_choice_16", "LIMIT = 6'd12" => "LIMIT = 6'd4";
}

#[test]
fn minimal_credits_without_bugs_pass() {
    passes(&minimal());
}

mutants! {
    minimal();
    packets_that_turn_stay_minimal: "input_unit_3", "[v*32 + 9] & ~departure_turned[v]" => "[v*32 + 9]";
    all_packets_use_minimal_places: "minimal_use_4", "counts = minimal;" => "counts = 1'b1;";
    minimal_packets_are_one_flit: "minimal_use_4", "counts = is_minimal_q" => "counts = 1'b0";
    impossible_minimal_reports_are_believed: "minimal_use_4", "& (reported[v*5 +: 5] <= DEPTH)" => "";
    minimal_places_are_not_weighed: "output_sense_1", "weighed_q <= minimal_sum" => "weighed_q <= sum";
    all_packets_give_minimal_places_back: "minimal_return", "counts = minimal" => "counts = 1'b1";
    minimal_packets_give_one_place_back: "minimal_return", "counts = is_minimal_q" => "counts = 1'b0";
    flits_of_vcs_that_are_not_built_are_no_error: "packet_check_3", "error_vc = rx_valid & ~(|here)" => "error_vc = 1'b0";
    packets_leave_on_the_vc_below: "next_vcs_1_0_4", "4'd6, 4'd6, 4'd6, 4'd6" => "4'd7, 4'd7, 4'd7, 4'd7";
}

//! Test of the test: bugs planted in the generated Verilog, each of which lock-step must catch.
//!
//! A mutant is a small edit of one module of a 3-port switch. It counts as caught if one of a few scenarios fails; the
//! unedited design passes all of them.

mod common;

use common::{config, mutated, run, run_built, verilog};
use railyard_spec::CheckedConfig;
use railyard_testbench::stimulus::Scenario;
use railyard_testbench::traffic::{Lengths, Pattern};
use railyard_verilated::Build;

const CYCLES: u64 = 20_000;

fn switch() -> CheckedConfig {
    config(
        r#"{"name": "mutant", "ports": 3, "flit_bits": 16, "virtual_channels": {"unicast": 2},
            "packet": {"max_flits": 4}, "buffer_flits": 8,
            "routing": {"kind": "table", "address_bits": 20, "lookups_per_vc": 3, "cache": {"entries": 16, "ways": 2}}, "registers": false}"#,
    )
}

/// The same with buffers, and so queues, that are memories.
fn deep() -> CheckedConfig {
    config(
        r#"{"name": "mutant_deep", "ports": 3, "flit_bits": 16, "virtual_channels": {"unicast": 2},
            "packet": {"max_flits": 4}, "buffer_flits": 32,
            "routing": {"kind": "table", "address_bits": 20, "lookups_per_vc": 3, "cache": {"entries": 16, "ways": 2}}, "registers": false}"#,
    )
}

/// The same with four ways and this replacement policy.
fn replacing(policy: &str) -> CheckedConfig {
    config(&format!(
        r#"{{"name": "mutant_{policy}", "ports": 3, "flit_bits": 16, "virtual_channels": {{"unicast": 2}},
            "packet": {{"max_flits": 4}}, "buffer_flits": 8,
            "routing": {{"kind": "table", "address_bits": 20, "lookups_per_vc": 3,
                         "cache": {{"entries": 16, "ways": 4, "replacement": "{policy}"}}}}, "registers": false}}"#
    ))
}

/// The same with node reduction in place of table and cache.
fn reducing() -> CheckedConfig {
    config(
        r#"{"name": "mutant_reducing", "ports": 3, "flit_bits": 16, "virtual_channels": {"unicast": 2},
            "packet": {"max_flits": 4}, "buffer_flits": 8,
            "routing": {"kind": "algorithmic", "address_bits": 12,
                        "node_reduction": {"topologies": ["cube", "fat_tree", "dragonfly"], "chunk_bits": [2, 3, 4], "stages": 2}}}"#,
    )
}

/// Node reduction with full radix and the dateline, VCs in pairs.
fn full_radix() -> CheckedConfig {
    config(
        r#"{"name": "mutant_full_radix", "ports": 3, "flit_bits": 16, "virtual_channels": {"unicast": 4},
            "packet": {"max_flits": 4}, "buffer_flits": 8,
            "routing": {"kind": "algorithmic", "address_bits": 12,
                        "node_reduction": {"chunk_bits": [3], "stages": 2, "radix": "full"}, "next_vc": true, "vc_pairs": true}}"#,
    )
}

/// Node reduction in front of the cache, caches that can be flushed and disabled, and routes that name the VC of the
/// next link.
fn controlled() -> CheckedConfig {
    config(
        r#"{"name": "mutant_controlled", "ports": 3, "flit_bits": 40, "virtual_channels": {"unicast": 2},
            "packet": {"max_flits": 4}, "buffer_flits": 8,
            "routing": {"kind": "table", "address_bits": 12, "lookups_per_vc": 3, "cache": {"entries": 16, "ways": 2},
                        "node_reduction": {"topologies": ["cube", "fat_tree"], "chunk_bits": [3]}, "next_vc": true}}"#,
    )
}

/// Link aggregation and candidate ports.
fn selecting() -> CheckedConfig {
    config(
        r#"{"name": "mutant_selecting", "ports": 3, "flit_bits": 32, "virtual_channels": {"unicast": 2},
            "packet": {"max_flits": 4}, "buffer_flits": 8,
            "routing": {"kind": "table", "address_bits": 12, "lookups_per_vc": 3, "cache": {"entries": 16, "ways": 2},
                        "candidates": 3, "link_aggregation": {"groups": 2, "links": 3}}}"#,
    )
}

/// Forwarding table on the chip before a CAM, default route, counters.
fn chip() -> CheckedConfig {
    config(
        r#"{"name": "mutant_chip", "ports": 3, "flit_bits": 32, "virtual_channels": {"unicast": 2},
            "packet": {"max_flits": 4}, "buffer_flits": 8, "counters": {"bits": 16},
            "routing": {"kind": "table", "address_bits": 12, "lookups_per_vc": 3, "cache": {"entries": 16, "ways": 2},
                        "forwarding_table": {"entries": 64, "ways": 4}, "default_route": true}}"#,
    )
}

/// Multicast, on a mixed VC; short packets, so that room is saved soon.
fn multicast() -> CheckedConfig {
    config(
        r#"{"name": "mutant_multicast", "ports": 4, "flit_bits": 32, "virtual_channels": {"unicast": 1, "mixed": 1},
            "multicast": {"groups": 8}, "packet": {"max_flits": 2}, "buffer_flits": 8, "counters": {"bits": 16},
            "routing": {"kind": "source", "hops": 2}}"#,
    )
}

/// Barriers.
fn barrier() -> CheckedConfig {
    config(
        r#"{"name": "mutant_barrier", "ports": 4, "flit_bits": 32, "virtual_channels": {"unicast": 1, "barrier": 1},
            "barrier": {"groups": 3}, "packet": {"max_flits": 4}, "routing": {"kind": "source", "hops": 2}}"#,
    )
}

/// Multicast and barriers, and a route field with a port that does not exist, so that packets are dropped.
fn collective() -> CheckedConfig {
    config(
        r#"{"name": "mutant_collective", "ports": 3, "flit_bits": 32, "virtual_channels": {"unicast": 1, "mixed": 1, "barrier": 1},
            "multicast": {"groups": 8}, "barrier": {"groups": 3}, "packet": {"max_flits": 4}, "buffer_flits": 16,
            "routing": {"kind": "source", "hops": 2}}"#,
    )
}

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

/// Output queues, routes that name the VC of the next link, and barriers.
fn queueing() -> CheckedConfig {
    config(
        r#"{"name": "mutant_queues", "ports": 3, "flit_bits": 32, "virtual_channels": {"unicast": 2, "barrier": 1},
            "barrier": {"groups": 2}, "output_queue_flits": 4, "packet": {"max_flits": 4}, "buffer_flits": 8,
            "routing": {"kind": "table", "address_bits": 12, "lookups_per_vc": 3, "cache": {"entries": 16, "ways": 2},
                        "next_vc": true}}"#,
    )
}

/// Output queues in a Dragonfly's router whose packets go around busy outputs.
fn queueing_in_transit() -> CheckedConfig {
    config(
        r#"{"name": "mutant_queued", "ports": 4, "flit_bits": 24, "virtual_channels": {"unicast": 3},
            "output_queue_flits": 4, "packet": {"max_flits": 4}, "buffer_flits": 8,
            "routing": {"kind": "dragonfly", "group_bits": 2, "router_bits": 2, "node_bits": 1,
                        "port_classes": {"node": {"ports": 1}, "local": {"ports": 2}, "global": {"ports": 1}},
                        "vcs": {"requests": "lglgl"}, "flexible_vcs": true, "adaptive": {"in_transit": true},
                        "arbitration": {"transit_first": true}}}"#,
    )
}

/// Busy traffic, the same with illegal senders, and mixes.
fn scenarios() -> Vec<Scenario> {
    let mut busy = Scenario::new(1, Pattern::Uniform, 0.95);
    busy.traffic.lengths = Lengths::Uniform;
    busy.traffic.addresses_per_port = 8;
    busy.traffic.unroutable = 0.02;
    busy.traffic.multicast = 0.3; // where there is a mixed VC
    busy.sink.delay_max = 30;
    let hostile = Scenario { mischief: 0.05, seed: 2, ..busy.clone() };
    let moving = Scenario { moves: 0.005, seed: 10, ..busy.clone() };
    let mut list = vec![busy, hostile, moving];
    let mut neighbours = Scenario::new(9, Pattern::Uniform, 0.5);
    neighbours.traffic.twins = 0.5;
    neighbours.traffic.addresses_per_port = 2;
    list.push(neighbours);
    list.extend((3..9).map(Scenario::any));
    // Buffers further on that are full most of the time.
    let mut slow = Scenario { seed: 11, ..list[0].clone() };
    (slow.sink.delay_min, slow.sink.delay_max) = (40, 90);
    let mut mostly_unicast = Scenario { seed: 12, ..slow.clone() };
    mostly_unicast.traffic.multicast = 0.1;
    list.extend([slow, mostly_unicast]);
    list
}

/// Assertions are off: what is caught differs at the pins. Most runs are short, so the build is, too.
fn caught(config: &CheckedConfig, module: &str, from: &str, to: &str) {
    let mutant = mutated(config, module, from, to);
    let build = Build { assertions: false, ..Build::quick() };
    let found = scenarios()
        .into_iter()
        .map(|scenario| run_built(config, &mutant, scenario, CYCLES, build.clone()))
        .find(|result| !result.passed());
    let report = found.unwrap_or_else(|| panic!("not caught: {module}: {from} -> {to}")).to_string();
    assert!(report.contains("again: the same program"), "{report}");
}

fn passes(config: &CheckedConfig) {
    let verilog = verilog(config);
    for scenario in scenarios() {
        let result = run(config, &verilog, scenario, CYCLES);
        assert!(result.passed(), "{}: {result}", config.name);
    }
}

#[test]
fn the_design_without_bugs_passes() {
    passes(&switch());
}

#[test]
fn deep_buffers_without_bugs_pass() {
    passes(&deep());
}

#[test]
fn every_replacement_policy_without_bugs_passes() {
    ["pseudo_lru", "round_robin", "random"].iter().for_each(|policy| passes(&replacing(policy)));
}

#[test]
fn node_reduction_without_bugs_passes() {
    passes(&reducing());
}

#[test]
fn full_radix_without_bugs_passes() {
    passes(&full_radix());
}

#[test]
fn controlled_caches_without_bugs_pass() {
    passes(&controlled());
}

#[test]
fn output_selection_without_bugs_passes() {
    passes(&selecting());
}

#[test]
fn tables_and_counters_without_bugs_pass() {
    passes(&chip());
}

#[test]
fn multicast_without_bugs_passes() {
    passes(&multicast());
}

/// Words read while they are written go wrong in simulation: without that, a design that takes the old word passes.
#[test]
fn without_poison_collided_words_would_pass() {
    let config = switch();
    let mut mutant =
        mutated(&config, "lru", "(use_index == read_index)", "(use_index == read_index) & (order_after != read)");
    for (name, text) in mutant.files.iter_mut().filter(|(name, _)| name.contains("_ram_1r1w_")) {
        let (before, rest) = text.split_once("`ifndef SYNTHESIS").unwrap_or_else(|| panic!("{name}: no poison"));
        let (_, after) = rest.split_once("`endif\n`endif").expect("its end");
        *text = [before, after].concat();
    }
    let result = run(&config, &mutant, scenarios().swap_remove(0), CYCLES);
    assert!(result.passed(), "{result}");
}

macro_rules! mutants {
    ($switch:expr; $($name:ident: $module:literal, $from:literal => $to:literal;)*) => {
        $(
            #[test]
            fn $name() {
                caught(&$switch, $module, $from, $to);
            }
        )*
    };
}

mutants! {
    switch();
    credit_room_one_too_many: "credit_counter", "fits_q <= (outstanding_q <= LIMIT)" => "fits_q <= (outstanding_q <= LIMIT + 5'd1)";
    credit_tail_not_counted: "credit_counter", "fits_sending_q <= (one_more < LIMIT)" => "fits_sending_q <= (one_more <= LIMIT)";
    discarded_flits_not_credited: "credit_return", "fresh_q <= popped | discarded" => "fresh_q <= popped";
    equal_addresses_not_merged: "miss_table", "merged = |(same & primary_q)" => "merged = 1'b0";
    done_slots_finished_again: "miss_table", "same & valid_q & ~done_q" => "same & valid_q";
    miss_slots_compare_a_bit_less: "miss_table", "address_q[i*20 +: 20] == resolve_address" => "address_q[i*20 +: 19] == resolve_address[18:0]";
    cache_compares_a_tag_bit_less: "routing_cache", "way_read_data[i*20 +: 17] == tag" => "way_read_data[i*20 +: 16] == tag[15:0]";
    old_lru_order_used: "lru", "if (forward_q)" => "if (1'b0)";
    collided_word_taken_as_it_was: "lru", "(use_index == read_index)" => "(use_index == read_index) & (order_after != read)";
    no_pause_after_fill: "lookup_issue", "issue_fill = fill_waiting & ~fill_ahead" => "issue_fill = fill_waiting";
    one_lookup_too_many: "lookup_issue", "used_q[v*2 +: 2] < LOOKUPS" => "used_q[v*2 +: 2] <= LOOKUPS";
    last_place_not_kept_for_a_tail: "packet_check", "refused = store_head & (is_full | (is_almost_full & ~rx_tail))" => "refused = store_head & is_full";
    full_buffer_overrun: "packet_check", "(is_full | (is_almost_full & ~rx_tail))" => "(is_full & (is_almost_full & ~rx_tail))";
    credit_room_one_too_few: "credit_counter", "fits_sending_q <= (one_more < LIMIT)" => "fits_sending_q <= (one_more < LIMIT - 5'd1)";
    packets_cut_one_flit_early: "packet_check", "(number == LAST_PLACE)" => "(number == LAST_PLACE - 2'd1)";
    missing_tail_ignored: "packet_check", "cut_framing = continues & rx_head" => "cut_framing = 1'b0";
    may_start_without_a_tail: "connection", "may_start_q <= ~active_after | ending_next" => "may_start_q <= 1'b1";
    tail_ahead_ignored: "connection", "~active_after | ending_next" => "~active_after";
    tail_ahead_of_time: "vc_buffer", "tail_after & queue_front_valid_next" => "tail_after";
    bubble_at_the_output: "packet_allocator", "available = ~(|sending_q) | (|finishing)" => "available = ~(|sending_q)";
    results_overtake: "result_fifo", "bypass = load & empty" => "bypass = load";
    half_of_the_words_written_twice: "register_file_8x17", "word[write_address]" => "word[{1'b0, write_address[1:0]}]";
    queue_empty_too_early: "fifo_8x21", "none_q <= ~front_valid_next & ~push" => "none_q <= ~front_valid_next";
    buffer_almost_full_too_early: "vc_buffer", "queue_stored >= (DEPTH - 4'd1)" => "queue_stored >= (DEPTH - 4'd2)";
    hash_misses_a_bit: "crc_hash", "20'h81911" => "20'h81910";
    flags_cannot_be_cleared: "cam_port", "error_q & ~error_clear" => "error_q";
    arbiter_moves_without_grant: "round_robin_arbiter_3", "if (take)" => "if (1'b1)";
}

mutants! {
    deep();
    memory_not_read_behind_a_pop: "fifo_32x17", ".read_enable(front_valid_next)" => ".read_enable(front_valid_next & ~pop)";
    memory_read_where_it_was: "fifo_32x17", ".read_address(read_next)" => ".read_address(read_pointer_q)";
    results_fetched_into_nowhere: "prefetch_fifo_32x4", "fetch = stored & ~two" => "fetch = stored";
    results_end_too_early: "prefetch_fifo_32x4", "none_q <= ~left & (~push | bypassed)" => "none_q <= ~left";
    bypassed_results_are_fetched_too: "prefetch_fifo_32x4", "& ~hollow_q" => "";
}

mutants! {
    replacing("pseudo_lru");
    uses_of_the_upper_half_move_no_pointer: "pseudo_lru", "(read[k] & ~use_under[2*k + 2])" => "read[k]";
}

mutants! {
    replacing("round_robin");
    turn_passes_to_the_wrong_way: "round_robin_way", "written | 2'd3" => "written | 2'd2";
}

mutants! {
    replacing("random");
    random_way_drawn_in_every_cycle: "random_way", "if (evicted)" => "if (1'b1)";
}

mutants! {
    reducing();
    wrap_around_links_forgotten: "cube_select", "chosen_outside ^ wrap_of[dimension]" => "chosen_outside";
    fat_tree_compares_below_its_level: "fat_tree_reduction", "differs_1 & above_level[3:0]" => "differs_1";
    groups_not_compared: "dragonfly_reduction", "if (differing[2])" => "if (1'b0)";
    keys_without_a_map_entry_pass: "port_map", "assign valid = entry[2]" => "assign valid = 1'b1";
    illegal_writes_happen: "apb_decoder", "write_q <= setup & legal & pwrite" => "write_q <= setup & pwrite";
    writes_without_an_access_phase: "apb_decoder", "write_q <= setup & legal & pwrite" => "write_q <= write_q | (setup & legal & pwrite)";
}

mutants! {
    full_radix();
    half_a_ring_away_is_minus: "ring_compare", "low_above[j] = word[j*3];" => "low_above[j] = word[j*3] | ~reference[j*3];";
    ties_all_go_plus: "ring_compare", "low_above[j] = word[j*3];" => "low_above[j] = word[j*3] & ~reference[j*3];";
    named_vcs_leave_their_pair: "algorithmic_route", "stage_vc_q[3], port_map_port[2:0]" => "port_map_port[3:0]";
    meshes_are_tori: "cube_select", "chosen_outside ^ (chosen_over & ~torus)" => "chosen_outside";
    meshes_cross_a_dateline: "cube_select", "dateline & torus & chosen_over" => "dateline & chosen_over";
}

mutants! {
    controlled();
    flushed_slots_fill: "miss_table", "if (flush) begin
                fresh_q <= 6'd0" => "if (flush) begin
                fresh_q <= fresh_q";
    flush_passes_the_pipeline_by: "lookup_pipeline", "compare_fresh_q <= read_fresh_q & ~flush" => "compare_fresh_q <= read_fresh_q";
    disabled_caches_hit: "route_unit", "issue_fresh = enable" => "issue_fresh = 1'b1";
    stale_slots_take_others_in: "miss_table", "same = same & fresh_q" => "same = same & valid_q";
    settings_change_without_a_flush: "cache_registers", "flush = flushing_q" => "flush = 1'b0";
    every_way_crosses_the_dateline: "cube_reduction", "dateline & search_any" => "search_any";
    room_of_the_wrong_vc: "packet_allocator", "(sending_q & room_sending) | (~sending_q & room)" => "room";
    packets_lose_their_own_vc: "route_queue", "push_vc = own_vc" => "push_vc = 1'b0";
}

mutants! {
    selecting();
    the_last_of_equal_candidates_wins: "output_choice", "in_use_of[i*5 +: 5] <= in_use_of[j*5 +: 5]" => "in_use_of[i*5 +: 5] < in_use_of[j*5 +: 5]";
    candidates_that_do_not_count_are_taken: "output_choice", "counts[j] = candidates >= j[1:0]" => "counts[j] = 1'b1";
    order_forgotten: "output_choice", "if (in_order)" => "if (1'b0)";
    waiting_packets_keep_their_link: "selection_register", "wanted_q <= held_choice_request" => "wanted_q <= wanted_q";
    turns_never_taken: "selection_register", "chosen_selector = turn_q" => "chosen_selector = head_selector";
    candidates_need_not_exist: "cam_port", "& ~candidate_exists[j]" => "& 1'b0";
}

mutants! {
    chip();
    default_route_ignored: "cam_port", "answer_drop = ~default_route[2]" => "answer_drop = 1'b1";
    default_route_of_another_port: "cam_port", "answer_port = default_route[1:0]" => "answer_port = answer_route_q";
    table_answers_push_those_of_the_cam_aside: "table_port", "response_tag = cam_response_tag" => "response_tag = found ? forwarding_table_result_tag : cam_response_tag";
    table_answers_lost_behind_those_of_the_cam: "table_port", "(found & ~cam_response_valid)" => "found";
    requests_to_the_cam_overrun: "table_port", "(lacking & free)" => "lacking";
    highest_way_counts: "forwarding_table", "if (lowest_way_lowest[i])" => "if (matching[i] & ((matching >> i) == 4'd1))";
    writes_seen_late: "forwarding_table", "(~done_valid_q | leave) & ~written_q" => "(~done_valid_q | leave)";
    writes_seen_early: "forwarding_table", "assign knows = (|matching) & ~sweeping" => "assign knows = ((|matching) | (table_write & table_valid & (table_address == compare_address_q))) & ~sweeping";
    waiting_requests_not_read_again: "forwarding_table", "read_index = compare_index_q" => "read_index = hash_index";
    sweeping_tables_know: "forwarding_table", "(|matching) & ~sweeping" => "(|matching)";
    cleared_tables_know: "forwarding_table", "if (table_clear)" => "if (1'b0)";
    table_compares_a_bit_less: "forwarding_table", "way_read_data[i*15 +: 12] == compare_address_q" => "way_read_data[i*15 +: 11] == compare_address_q[10:0]";
    sweeping_tables_are_written: "table_registers", "place_exists & ~sweeping" => "place_exists";
    snapshot_of_the_next_cycle: "counter_bank_21", "held_q[i*16 +: 16] <= total_q[i*16 +: 16]" => "held_q[i*16 +: 16] <= (clear ? 16'd0 : total_q[i*16 +: 16]) + step[i*16 +: 16]";
    restart_loses_an_event: "counter_bank_21", "total_q[i*16 +: 16] <= step[i*16 +: 16]" => "total_q[i*16 +: 16] <= 16'd0";
    counts_survive_a_restart: "counter_bank_4", "if (clear)" => "if (1'b0)";
    finished_misses_stay_outstanding: "port_counters", "outstanding_q <= outstanding_q - {1'b0, were_freed_q}" => "outstanding_q <= outstanding_q";
    granted_packets_count_as_stalled: "port_counters", "with_room[v] & ~granted[v]" => "with_room[v]";
    stalls_for_credit_count_with_room: "port_counters", "asking[v] & ~with_room[v]" => "asking[v]";
    merged_misses_count_hits: "miss_table", "joined = resolve_miss & merged" => "joined = merged";
    fills_count_as_evictions: "routing_cache", "evicts = fill & ~is_sweeping & (&valid)" => "evicts = fill & ~is_sweeping";
    counters_of_the_wrong_vc: "port_counters", "vc_kind[c] & vc_select[v]" => "vc_kind[c] & vc_select[1 - v]";
}

mutants! {
    multicast();
    reserved_outputs_stay_on_the_bulletin: "multicast_grant", "room & ~is_reserved_q &" => "room &";
    unicast_grants_stay_on_the_bulletin: "multicast_grant", "& ~newly_reserved & ~mixed_grant" => "& ~newly_reserved";
    bulletin_without_credit: "multicast_grant", "bulletin_q <= room &" => "bulletin_q <=";
    turns_are_not_asked_for: "multicast_grant", "offered = bulletin_q & is_turn_q" => "offered = bulletin_q";
    unicast_never_has_its_turn: "multicast_grant", "(is_turn_q | (claim_q & is_saved_q) | ~unicast_waits | mixed_grant)" => "4'd15";
    claims_count_for_nobody: "multicast_grant", "withheld = claim_q |" => "withheld =";
    room_is_saved_without_waiting: "multicast_grant", "if (~waited_long) begin
                is_saved_q <= 4'd0;" => "if (~waited_long) begin";
    room_is_saved_a_cycle_early: "multicast_grant", "waited_q == LONG" => "waited_q == LONG - 8'd1";
    the_next_favoured_has_waited_too: "multicast_grant", "waited_q <= 8'd0;
                claim_q" => "waited_q <= waited_q;
                claim_q";
    room_is_saved_a_cycle_too_long: "multicast_grant", "is_saved_q <= 4'd0;
                favoured_q" => "favoured_q";
    nothing_is_saved: "multicast_grant", "is_saved_q <= favoured_wants" => "is_saved_q <= 4'd0";
    multicast_takes_saved_room: "multicast_grant", "(is_saved_q & ~spare_q)" => "4'd0";
    others_hold_with_room_for_one: "multicast_grant", "(is_saved_q & ~credit_two)" => "4'd0";
    the_favoured_packet_needs_room_for_two: "multicast_grant", "& ~credit;" => "& (~credit | (is_saved_q & ~credit_two));";
    room_for_one_will_do: "multicast_grant", "(is_saved_q & ~credit_two)" => "(is_saved_q & ~credit)";
    saved_turns_wait_for_unicast: "multicast_grant", "| (claim_q & is_saved_q)" => "";
    turns_come_at_once_without_waiting: "multicast_grant", "(claim_q & is_saved_q)" => "claim_q";
    turns_come_at_once_without_a_claim: "multicast_grant", "(claim_q & is_saved_q)" => "is_saved_q";
    saved_room_shuts_multicast_out: "multicast_grant", "(is_saved_q & ~spare_q)" => "is_saved_q";
    nobody_else_is_favoured: "multicast_grant", "favoured_q <= next_favoured" => "favoured_q <= favoured_q";
    multicast_starts_on_a_busy_output: "multicast_start", "blocked = outputs & ~{4{free}}" => "blocked = 16'd0";
    reservations_stay: "multicast_grant", "(is_reserved_q & ~started)" => "is_reserved_q";
    packets_come_back: "fan_out", "& ~group_table_read_data[4]" => "& 1'b0";
    groups_written_while_they_are_read: "fan_out", "follows = head_multicast & ~write" => "follows = head_multicast";
    groups_left_from_before_the_reset: "fan_out", "if (sweeping) begin
            read_mask = 4'd0" => "if (1'b0) begin
            read_mask = 4'd0";
    multicast_routes_are_shifted: "input_unit", "& ~arrive_multicast & ~arrive_unknown" => "& ~arrive_unknown";
    unicast_takes_reserved_outputs: "packet_allocator", "available = available & ~reserved" => "available = available";
    unicast_pushes_in_on_the_mixed_vc: "packet_allocator", "multicast_turn | (saved & ~mixed_spare)" => "saved & ~mixed_spare";
    unicast_takes_saved_room: "packet_allocator", "multicast_turn | (saved & ~mixed_spare)" => "multicast_turn";
    saved_room_shuts_unicast_out: "packet_allocator", "(saved & ~mixed_spare)" => "saved";
    room_is_spare_while_it_is_filled: "packet_allocator", "mixed_spare = ~sending_q[1] & room_two" => "mixed_spare = room_two";
    room_for_one_is_spare: "packet_allocator", "mixed_spare = ~sending_q[1] & room_two" => "mixed_spare = ~sending_q[1] & room[1]";
    followers_are_promised_no_room: "packet_allocator", "mixed_room = room_two" => "mixed_room = room[1]";
    groups_written_during_the_sweep: "multicast_registers", "write_fits = write_word_fits & ~sweeping" => "write_fits = write_word_fits";
}

mutants! {
    barrier();
    barriers_complete_with_the_first: "barrier_group", "~(|(leaves & ~has_arrived_q))" => "(|(leaves & has_arrived_q))";
    arrivals_survive_the_completion: "barrier_group", "has_arrived_q <= 4'd0;
                is_waiting_q" => "has_arrived_q <= has_arrived_q & leaves;
                is_waiting_q";
    barriers_keep_their_number: "barrier_group", "number_q <= number_q + 8'd1" => "number_q <= number_q";
    arrivals_are_not_acknowledged: "barrier_group", "(sent & ~to_complete_q)) | arriving" => "(sent & ~to_complete_q))";
    lost_completions_stay_lost: "barrier_group", "(to_complete_q & ~sent) | repeating" => "to_complete_q & ~sent";
    lost_arrivals_stay_lost: "barrier_group", "reports | retransmit_timer_fire" => "reports";
    acknowledged_arrivals_are_sent_again: "barrier_group", "awaits & ~is_acknowledged_q & ~acknowledging" => "awaits & ~acknowledging";
    completions_are_not_urged: "barrier_group", "| urge_timer_fire" => "| 1'b0";
    parents_among_the_leaves_pass: "barrier_group", "& ~(|(leaves & parent_port))" => "";
    acknowledgements_outlive_the_barrier: "barrier_group", "to_acknowledge_q <= 4'd0;
                to_arrive_q" => "to_acknowledge_q <= to_acknowledge_q;
                to_arrive_q";
    the_first_barrier_has_one_before: "barrier_group", "has_previous_q <= 1'b0" => "has_previous_q <= 1'b1";
    groups_go_on_with_new_settings: "barrier_unit", "group_reset = {3{reset}} | restart" => "group_reset = {3{reset}}";
    timers_run_in_every_cycle: "barrier_unit", "tick = ~(|(low_bits & ~cycles_count))" => "tick = 1'b1";
    timers_start_late: "barrier_timer", "if (clear)" => "if (1'b0)";
    timers_without_limit_fire: "barrier_timer", "ends = (|limit) & (after >= limit)" => "ends = after >= limit";
    damaged_messages_pass: "barrier_receiver", "(word_q[31:24] ==
            crc_index)" => "1'b1";
    half_packets_pass: "barrier_receiver", "valid_q & whole_q &" => "valid_q &";
    anybody_is_a_leaf: "barrier_receiver", "taken & from_child &" => "taken &";
    anybody_is_the_parent: "barrier_receiver", "taken & from_parent &" => "taken &";
    completions_nobody_awaits: "barrier_receiver", "is_completion & current & is_waiting" => "is_completion & current";
    old_messages_raise_faults: "barrier_receiver", "(upward & ~current & ~last)" => "(upward & ~current)";
    sleeping_groups_are_silent: "barrier_receiver", "inactive = intact & (|to) & ~is_active" => "inactive = 1'b0";
    completions_of_the_next_barrier: "barrier_sender", "number_q <= chosen_sequence - 8'd1" => "number_q <= chosen_sequence";
    urges_before_arrivals: "barrier_sender", "if (|(sent & arrive))" => "if (|(sent & arrive & ~urge))";
    packets_pass_through_messages: "input_unit", "ready = front_valid & ~held" => "ready = front_valid";
    connections_end_under_a_message: "connection", "(ending_next & ~held_after)" => "ending_next";
    messages_hold_nobody_who_stays: "connection", "held_after = stays_held & ~take_drop" => "held_after = 1'b0";
    messages_hold_nobody_who_starts: "connection", "held_after = |(head_request & message_next)" => "held_after = 1'b0";
}

mutants! {
    collective();
    messages_hold_what_is_dropped: "connection", "stays_held & ~take_drop" => "stays_held";
    messages_hold_no_multicast_packet: "connection_v2", "starting = head_request | outputs" => "starting = head_request";
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

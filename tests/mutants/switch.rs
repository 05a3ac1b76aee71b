//! Bugs of storing, routing, allocating and counting.

use crate::common::{config, mutated, run};
use crate::{caught, passes, scenarios, CYCLES};
use railyard_spec::CheckedConfig;

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

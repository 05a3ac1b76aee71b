//! Bugs of output queues.

use crate::common::config;
use crate::{caught, passes};
use railyard_spec::CheckedConfig;

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

#[test]
fn queues_without_bugs_pass() {
    passes(&queueing());
    passes(&queueing_in_transit());
}

mutants! {
    queueing();
    the_link_changes_inside_packets: "output_queues", "if (leaves[32]) begin" => "if (1'b1) begin";
    packets_keep_the_link: "output_queues", "if (leaves[32]) begin" => "if (1'b0) begin";
    new_flits_go_beside_stored_ones: "output_queues", "if (~(|filled)) begin" => "if (1'b1) begin";
    flits_pass_their_queue: "output_queues", "link_q & ~filled & popped" => "link_q & popped";
    messages_do_not_take_the_link: "output_queues", "may_send = ~message_valid" => "may_send = 1'b1";
    room_that_was_not_needed_is_kept: "room_return", "if (finished[v])" => "if (1'b0)";
    room_comes_back_on_another_vc: "room_return", "left_on_q <= leaving" => "left_on_q <= {leaving[1:0], leaving[3:2]}";
    planes_are_given_away_late: "plane_allocator", "available = ~busy_q | finished" => "available = ~busy_q";
    winners_take_room_on_their_plane: "plane_allocator", "taken[u] = 1'b1" => "taken[v] = 1'b1";
    queues_fill_a_place_early: "plane_queue_4x36", "(count_q == (DEPTH - 3'd1))" => "(count_q == (DEPTH - 3'd2))";
    full_queues_hold_all_planes: "queue_hold", "if (full_next[o*2 + v])" => "if (|full_next[o*2 +: 2])";
    promised_room_is_free: "promise_counter", "committed = outstanding_q + kept" => "committed = outstanding_q";
    room_is_promised_twice: "promise_counter", "fits_q <= (committed <= LIMIT_TAKEN)" => "fits_q <= (committed <= LIMIT)";
}

mutants! {
    queueing_in_transit();
    packets_that_wait_make_no_output_busy: "output_queues", "waits = |(filled & ~link_q)" => "waits = 1'b0";
    packets_on_the_link_make_outputs_busy: "output_queues", "waits = |(filled & ~link_q)" => "waits = |filled";
}

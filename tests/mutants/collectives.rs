//! Bugs of multicast and barriers.

use crate::common::config;
use crate::{caught, passes};
use railyard_spec::CheckedConfig;

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

#[test]
fn multicast_without_bugs_passes() {
    passes(&multicast());
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

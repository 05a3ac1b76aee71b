//! Switches with output queues.

use crate::common::{must_pass, verilog};
use crate::{busy, described, CYCLES};
use railyard_testbench::stimulus::Scenario;

grid! {
    // Output queues: with every kind of routing, one VC, shallow and deep queues, packets of one flit and buffers of
    // one packet, named VCs, candidates, barriers, error correction; and in a Dragonfly with each policy and with
    // messages.
    queues: r#""ports": 4, "flit_bits": 32, "virtual_channels": {"unicast": 3}, "output_queue_flits": 8, "counters": {"bits": 16}, "events": true, "routing": {"kind": "source", "hops": 3}"#,
    queues_vcs_1: r#""ports": 3, "flit_bits": 24, "virtual_channels": {"unicast": 1}, "output_queue_flits": 2, "flow_control": "relative", "packet": {"max_flits": 4}, "buffer_flits": 8, "routing": {"kind": "source", "hops": 3}"#,
    queues_packets_of_1: r#""ports": 4, "flit_bits": 32, "virtual_channels": {"unicast": 2}, "output_queue_flits": 4, "packet": {"max_flits": 1}, "buffer_flits": 2, "routing": {"kind": "source", "hops": 3}"#,
    queues_table: r#""ports": 5, "flit_bits": 48, "virtual_channels": {"unicast": 3}, "output_queue_flits": 4, "packet": {"max_flits": 5}, "counters": {"bits": 12}, "routing": {"kind": "table", "address_bits": 16, "cache": {"entries": 32, "ways": 2}, "next_vc": true, "candidates": 3}"#,
    queues_dateline: r#""ports": 5, "flit_bits": 36, "virtual_channels": {"unicast": 2}, "output_queue_flits": 32, "packet": {"max_flits": 4}, "flow_control": "relative", "routing": {"kind": "algorithmic", "address_bits": 12, "node_reduction": {"chunk_bits": [2, 3], "stages": 2}, "next_vc": true}"#,
    queues_barrier: r#""ports": 4, "flit_bits": 64, "virtual_channels": {"unicast": 2, "barrier": 1}, "output_queue_flits": 2, "barrier": {"groups": 3}, "packet": {"max_flits": 4}, "buffer_flits": 8, "buffer_ecc": {"fault_pins": true}, "counters": {"bits": 12}, "events": true, "routing": {"kind": "source", "hops": 3}"#,
    queues_deep: r#""ports": 3, "flit_bits": 32, "virtual_channels": {"unicast": 4}, "output_queue_flits": 64, "packet": {"max_flits": 3}, "buffer_flits": 64, "routing": {"kind": "table", "address_bits": 12, "cache": null}"#,
    queues_dragonfly: r#""ports": 7, "flit_bits": 48, "virtual_channels": {"unicast": 5}, "output_queue_flits": 4, "packet": {"max_flits": 4}, "routing": {"kind": "dragonfly", "port_classes": {"node": {"ports": 2}, "local": {"ports": 3}, "global": {"ports": 2}}, "vcs": {"requests": "lglgl", "replies": "lgl"}, "flexible_vcs": true, "adaptive": {"valiant": "router", "in_transit": true, "contention": true}}"#,
    queues_least_recent: r#""ports": 7, "flit_bits": 32, "virtual_channels": {"unicast": 3}, "output_queue_flits": 8, "packet": {"max_flits": 4}, "buffer_flits": 4, "routing": {"kind": "dragonfly", "port_classes": {"node": {"ports": 2}, "local": {"ports": 3}, "global": {"ports": 2}}, "arbitration": {"policy": "least_recent", "transit_first": true}}"#,
    queues_transit_first: r#""ports": 7, "flit_bits": 48, "virtual_channels": {"unicast": 3, "barrier": 1}, "barrier": {"groups": 2}, "output_queue_flits": 4, "packet": {"max_flits": 4}, "buffer_flits": 8, "counters": {"bits": 12}, "routing": {"kind": "dragonfly", "port_classes": {"node": {"ports": 2}, "local": {"ports": 3}, "global": {"ports": 2}}, "arbitration": {"transit_first": true}}"#,
    queues_oldest: r#""ports": 7, "flit_bits": 64, "virtual_channels": {"unicast": 3}, "output_queue_flits": 2, "packet": {"max_flits": 4}, "buffer_flits": 8, "routing": {"kind": "dragonfly", "port_classes": {"node": {"ports": 2}, "local": {"ports": 3}, "global": {"ports": 2}}, "vcs": {"requests": "lglgl"}, "adaptive": {"valiant": "group", "in_transit": true, "contention": true, "ectn": true, "saturation": true}, "arbitration": {"policy": "oldest", "transit_first": true}, "age_bits": 8}"#,
    queues_min_credits: r#""ports": 7, "flit_bits": 64, "virtual_channels": {"unicast": 5}, "output_queue_flits": 8, "counters": {"bits": 12}, "packet": {"max_flits": 4}, "buffer_flits": 16, "routing": {"kind": "dragonfly", "port_classes": {"node": {"ports": 2, "buffer_flits": 4}, "local": {"ports": 3, "buffer_flits": 8}, "global": {"ports": 2, "buffer_flits": 32}}, "vcs": {"requests": "lglgl", "replies": "lgl"}, "flexible_vcs": true, "random_vcs": true, "adaptive": {"valiant": "router", "in_transit": true, "contention": true, "filter": true, "ectn": true, "saturation": true, "min_credits": true}}"#,
}

/// Routes change while packets wait in queues: which packet is dropped is seen when the others have left.
#[test]
fn routes_change_under_queues() {
    for (name, json) in GRID.iter().filter(|(name, _)| ["queues_dateline", "queues_table"].contains(name)) {
        let config = described(name, json);
        let verilog = verilog(&config);
        for seed in [1, 7] {
            must_pass(&config, &verilog, Scenario { moves: 0.005, ..busy(seed) }, CYCLES);
        }
    }
}

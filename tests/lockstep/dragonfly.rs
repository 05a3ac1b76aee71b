//! Routers of Dragonflies.

use crate::common::{must_pass, verilog};
use crate::{described, CYCLES};
use railyard_testbench::stimulus::Scenario;

/// A router of a Dragonfly with all that chooses ways.
const DRAGONFLY: &str = r#""ports": 7, "flit_bits": 48, "virtual_channels": {"unicast": 5}, "packet": {"max_flits": 4}, "routing": {"kind": "dragonfly", "port_classes": {"node": {"ports": 2}, "local": {"ports": 3}, "global": {"ports": 2}}, "vcs": {"requests": "lglgl", "replies": "lgl"}, "flexible_vcs": true, "adaptive": {"valiant": "router", "in_transit": true, "contention": true}}"#;

grid! {
    // Routing in a Dragonfly: tables alone; everything that chooses ways; vias of groups beside barriers.
    dragonfly_minimal: r#""ports": 7, "flit_bits": 32, "virtual_channels": {"unicast": 2}, "packet": {"max_flits": 4}, "routing": {"kind": "dragonfly", "port_classes": {"node": {"ports": 2}, "local": {"ports": 3}, "global": {"ports": 2}}}"#,
    dragonfly_adaptive: DRAGONFLY,
    dragonfly_via_group: r#""ports": 5, "flit_bits": 33, "virtual_channels": {"unicast": 4, "barrier": 1}, "barrier": {"groups": 2}, "flow_control": "relative", "counters": {"bits": 12}, "packet": {"max_flits": 2}, "routing": {"kind": "dragonfly", "port_classes": {"node": {"ports": 1}, "local": {"ports": 2}, "global": {"ports": 2}}, "group_bits": 4, "router_bits": 2, "node_bits": 1, "vcs": {"requests": "lglgl"}, "adaptive": {"valiant": "group", "in_transit": true}}"#,

    // Buffers by the kind of port: all depths, one of them a maximum packet; and no more than that anywhere.
    dragonfly_depths: r#""ports": 7, "flit_bits": 48, "virtual_channels": {"unicast": 5}, "packet": {"max_flits": 4}, "buffer_flits": 16, "routing": {"kind": "dragonfly", "port_classes": {"node": {"ports": 2, "buffer_flits": 4}, "local": {"ports": 3, "buffer_flits": 8}, "global": {"ports": 2, "buffer_flits": 64}}, "vcs": {"requests": "lglgl", "replies": "lgl"}, "flexible_vcs": true, "adaptive": {"valiant": "router", "in_transit": true, "contention": true}}"#,
    dragonfly_shallow: r#""ports": 5, "flit_bits": 32, "virtual_channels": {"unicast": 2}, "flow_control": "relative", "packet": {"max_flits": 2}, "buffer_flits": 2, "routing": {"kind": "dragonfly", "port_classes": {"node": {"ports": 1, "buffer_flits": 4}, "local": {"ports": 2}, "global": {"ports": 2}}, "group_bits": 4, "router_bits": 2, "node_bits": 1}"#,

    // Policies of arbitration and ages: each alone, and with packets in transit first; barriers beside them.
    dragonfly_ages: r#""ports": 5, "flit_bits": 24, "virtual_channels": {"unicast": 2}, "flow_control": "relative", "packet": {"max_flits": 3}, "buffer_flits": 8, "routing": {"kind": "dragonfly", "port_classes": {"node": {"ports": 1}, "local": {"ports": 2}, "global": {"ports": 2}}, "group_bits": 4, "router_bits": 2, "node_bits": 1, "age_bits": 4}"#,
    dragonfly_transit_first: r#""ports": 7, "flit_bits": 64, "virtual_channels": {"unicast": 3}, "counters": {"bits": 12}, "packet": {"max_flits": 4}, "routing": {"kind": "dragonfly", "port_classes": {"node": {"ports": 2}, "local": {"ports": 3}, "global": {"ports": 2}}, "vcs": {"requests": "lglgl"}, "adaptive": {"valiant": "router", "in_transit": true, "contention": true}, "arbitration": {"transit_first": true}, "age_bits": 9}"#,
    dragonfly_least_recent: r#""ports": 7, "flit_bits": 32, "virtual_channels": {"unicast": 2}, "packet": {"max_flits": 4}, "routing": {"kind": "dragonfly", "port_classes": {"node": {"ports": 2}, "local": {"ports": 3}, "global": {"ports": 2}}, "arbitration": {"policy": "least_recent"}}"#,
    dragonfly_least_recent_transit: r#""ports": 7, "flit_bits": 48, "virtual_channels": {"unicast": 4, "barrier": 1}, "barrier": {"groups": 2}, "packet": {"max_flits": 4}, "routing": {"kind": "dragonfly", "port_classes": {"node": {"ports": 2}, "local": {"ports": 3}, "global": {"ports": 2}}, "flexible_vcs": true, "arbitration": {"policy": "least_recent", "transit_first": true}}"#,
    dragonfly_oldest: r#""ports": 7, "flit_bits": 33, "virtual_channels": {"unicast": 2}, "packet": {"max_flits": 4}, "routing": {"kind": "dragonfly", "port_classes": {"node": {"ports": 2}, "local": {"ports": 3}, "global": {"ports": 2}}, "arbitration": {"policy": "oldest"}, "age_bits": 6}"#,
    dragonfly_oldest_transit: r#""ports": 7, "flit_bits": 64, "virtual_channels": {"unicast": 3, "barrier": 1}, "barrier": {"groups": 2}, "counters": {}, "packet": {"max_flits": 4}, "routing": {"kind": "dragonfly", "port_classes": {"node": {"ports": 2}, "local": {"ports": 3}, "global": {"ports": 2}}, "vcs": {"requests": "lglgl"}, "adaptive": {"valiant": "router", "in_transit": true, "contention": true}, "flexible_vcs": true, "arbitration": {"policy": "oldest", "transit_first": true}, "age_bits": 10}"#,

    // Filtered counters of contention, and VCs by chance; counts of groups and saturated links that routers tell each
    // other: each alone, and all together beside barriers.
    dragonfly_filtered: r#""ports": 7, "flit_bits": 32, "virtual_channels": {"unicast": 3}, "packet": {"max_flits": 4}, "routing": {"kind": "dragonfly", "port_classes": {"node": {"ports": 2}, "local": {"ports": 3}, "global": {"ports": 2}}, "vcs": {"requests": "lglgl"}, "adaptive": {"in_transit": true, "contention": true, "filter": true}}"#,
    dragonfly_random: r#""ports": 7, "flit_bits": 32, "virtual_channels": {"unicast": 6}, "packet": {"max_flits": 4}, "routing": {"kind": "dragonfly", "port_classes": {"node": {"ports": 2}, "local": {"ports": 3}, "global": {"ports": 2}}, "vcs": {"requests": "llglgl", "replies": "lgl"}, "flexible_vcs": true, "random_vcs": true, "adaptive": {"valiant": "group"}}"#,
    dragonfly_ectn: r#""ports": 7, "flit_bits": 48, "virtual_channels": {"unicast": 3}, "counters": {"bits": 12}, "packet": {"max_flits": 4}, "routing": {"kind": "dragonfly", "port_classes": {"node": {"ports": 2}, "local": {"ports": 3}, "global": {"ports": 2}}, "vcs": {"requests": "lglgl"}, "adaptive": {"in_transit": true, "contention": true, "ectn": true}}"#,
    dragonfly_piggyback: r#""ports": 7, "flit_bits": 32, "virtual_channels": {"unicast": 5}, "counters": {"bits": 12}, "packet": {"max_flits": 4}, "routing": {"kind": "dragonfly", "port_classes": {"node": {"ports": 2}, "local": {"ports": 3}, "global": {"ports": 2}}, "vcs": {"requests": "llgllgl"}, "adaptive": {"valiant": "router", "saturation": true}}"#,
    dragonfly_messages: r#""ports": 7, "flit_bits": 64, "virtual_channels": {"unicast": 5, "barrier": 1}, "barrier": {"groups": 2}, "counters": {}, "events": true, "packet": {"max_flits": 4}, "routing": {"kind": "dragonfly", "port_classes": {"node": {"ports": 2}, "local": {"ports": 3}, "global": {"ports": 2}}, "vcs": {"requests": "lglgl", "replies": "lgl"}, "flexible_vcs": true, "random_vcs": true, "adaptive": {"valiant": "router", "in_transit": true, "contention": true, "filter": true, "ectn": true, "saturation": true}, "age_bits": 8}"#,

    // Credits of minimal packets: with UGAL-L, in transit by credits, with saturated links and buffers by the kind of
    // port; with all that chooses ways.
    dragonfly_min_ugal: r#""ports": 5, "flit_bits": 32, "virtual_channels": {"unicast": 3}, "packet": {"max_flits": 3}, "buffer_flits": 8, "routing": {"kind": "dragonfly", "port_classes": {"node": {"ports": 1}, "local": {"ports": 2}, "global": {"ports": 2}}, "group_bits": 4, "router_bits": 2, "node_bits": 1, "vcs": {"requests": "lglgl"}, "adaptive": {"valiant": "group", "min_credits": true}}"#,
    dragonfly_min_piggyback: r#""ports": 7, "flit_bits": 33, "virtual_channels": {"unicast": 5}, "counters": {"bits": 12}, "packet": {"max_flits": 4}, "buffer_flits": 16, "routing": {"kind": "dragonfly", "port_classes": {"node": {"ports": 2, "buffer_flits": 4}, "local": {"ports": 3, "buffer_flits": 8}, "global": {"ports": 2, "buffer_flits": 32}}, "vcs": {"requests": "llgllgl"}, "flexible_vcs": true, "adaptive": {"valiant": "router", "saturation": true, "min_credits": true}}"#,
    dragonfly_min_all: r#""ports": 7, "flit_bits": 64, "virtual_channels": {"unicast": 5, "barrier": 1}, "barrier": {"groups": 2}, "events": true, "packet": {"max_flits": 4}, "routing": {"kind": "dragonfly", "port_classes": {"node": {"ports": 2}, "local": {"ports": 3}, "global": {"ports": 2}}, "vcs": {"requests": "lglgl", "replies": "lgl"}, "flexible_vcs": true, "adaptive": {"valiant": "router", "in_transit": true, "contention": true, "ectn": true, "saturation": true, "min_credits": true}, "age_bits": 8}"#,

    // VCs by the kind of port: fewer at nodes and global ports; fewer at local ones, with depths, ages, ranking,
    // messages and credits of minimal packets.
    dragonfly_vcs: r#""ports": 7, "flit_bits": 48, "virtual_channels": {"unicast": 5}, "counters": {"bits": 12}, "events": true, "packet": {"max_flits": 4}, "routing": {"kind": "dragonfly", "port_classes": {"node": {"ports": 2, "vcs": 2}, "local": {"ports": 3}, "global": {"ports": 2, "vcs": 3}}, "vcs": {"requests": "lglgl", "replies": "lgl"}, "flexible_vcs": true, "adaptive": {"valiant": "router", "in_transit": true, "contention": true}}"#,
    dragonfly_vcs_relative: r#""ports": 5, "flit_bits": 32, "virtual_channels": {"unicast": 4, "barrier": 1}, "barrier": {"groups": 2}, "flow_control": "relative", "packet": {"max_flits": 2}, "routing": {"kind": "dragonfly", "port_classes": {"node": {"ports": 1}, "local": {"ports": 2, "vcs": 2}, "global": {"ports": 2, "vcs": 1}}, "group_bits": 4, "router_bits": 2, "node_bits": 1}"#,
    dragonfly_vcs_all: r#""ports": 7, "flit_bits": 64, "virtual_channels": {"unicast": 4, "barrier": 1}, "barrier": {"groups": 2}, "counters": {}, "events": true, "packet": {"max_flits": 4}, "buffer_flits": 16, "routing": {"kind": "dragonfly", "port_classes": {"node": {"ports": 2, "vcs": 4}, "local": {"ports": 3, "vcs": 3, "buffer_flits": 8}, "global": {"ports": 2, "vcs": 2, "buffer_flits": 32}}, "vcs": {"requests": "lglgl"}, "flexible_vcs": true, "random_vcs": true, "adaptive": {"valiant": "router", "in_transit": true, "contention": true, "filter": true, "ectn": true, "saturation": true, "min_credits": true}, "arbitration": {"policy": "oldest", "transit_first": true}, "age_bits": 8}"#,
}

/// Place, tables and settings of a Dragonfly's router that change under traffic.
#[test]
fn dragonfly_moves() {
    let config = described("dragonfly_adaptive", DRAGONFLY);
    let verilog = verilog(&config);
    for seed in [21, 30, 45] {
        must_pass(&config, &verilog, Scenario::any(seed), CYCLES);
    }
}

//! Whole switches over the space of parameters: hardware and golden model agree in every output and cycle, with legal
//! traffic at high load (the scoreboard watching) and with whatever a seed brings: gaps, starved credits, lost reports,
//! a slow and unordered CAM, illegal senders, resets.

mod common;

use common::{config, must_pass, preset, verilog};
use railyard_spec::CheckedConfig;
use railyard_testbench::stimulus::{Scenario, Stalls};
use railyard_testbench::traffic::{Lengths, Pattern};

const CYCLES: u64 = 20_000;

/// Legal traffic: mixed lengths, high load, more addresses than a small cache holds, some without a route, multicast
/// packets if there is a mixed VC.
fn busy(seed: u64) -> Scenario {
    let mut scenario = Scenario::new(seed, Pattern::Uniform, 0.95);
    scenario.traffic.lengths = Lengths::Uniform;
    scenario.traffic.addresses_per_port = 32;
    scenario.traffic.unroutable = 0.02;
    scenario.traffic.multicast = 0.2;
    scenario
}

/// Illegal senders at all pins.
fn hostile(seed: u64) -> Scenario {
    let mut scenario = busy(seed);
    scenario.mischief = 0.05;
    scenario
}

fn agree(config: &CheckedConfig, cycles: u64) {
    let verilog = verilog(config);
    must_pass(config, &verilog, busy(1), cycles);
    must_pass(config, &verilog, hostile(2), cycles);
    must_pass(config, &verilog, Scenario::limits(1), cycles / 2);
    must_pass(config, &verilog, Scenario::faults(2), cycles / 2);
    for seed in 3..=5 {
        must_pass(config, &verilog, Scenario::any(seed), cycles / 2);
    }
}

/// A router of a Dragonfly with all that chooses ways.
const DRAGONFLY: &str = r#""ports": 7, "flit_bits": 48, "virtual_channels": {"unicast": 5}, "packet": {"max_flits": 4}, "routing": {"kind": "dragonfly", "port_classes": {"node": {"ports": 2}, "local": {"ports": 3}, "global": {"ports": 2}}, "vcs": {"requests": "lglgl", "replies": "lgl"}, "flexible_vcs": true, "adaptive": {"valiant": "router", "in_transit": true, "contention": true}}"#;

macro_rules! grid {
    ($($name:ident: $json:expr,)*) => {
        $(
            #[test]
            fn $name() {
                let json = format!(r#"{{"name": "{}", {}}}"#, stringify!($name), $json);
                agree(&config(&json), CYCLES);
            }
        )*
    };
}

grid! {
    // Ports: the ends, powers of two and not.
    ports_2: r#""ports": 2, "flit_bits": 16, "routing": {"kind": "source", "hops": 4}"#,
    ports_3: r#""ports": 3, "flit_bits": 24, "routing": {"kind": "source", "hops": 3}"#,
    ports_5: r#""ports": 5, "flit_bits": 32, "routing": {"kind": "table", "address_bits": 12, "cache": {"entries": 32, "ways": 2}}"#,
    ports_7: r#""ports": 7, "flit_bits": 17, "virtual_channels": {"unicast": 3}, "routing": {"kind": "table", "address_bits": 17, "cache": null}"#,
    ports_12: r#""ports": 12, "flit_bits": 32, "virtual_channels": {"unicast": 1}, "routing": {"kind": "source", "hops": 2}"#,

    // Virtual channels.
    vcs_1: r#""ports": 4, "flit_bits": 32, "virtual_channels": {"unicast": 1}, "routing": {"kind": "table", "address_bits": 16, "cache": {"entries": 64, "ways": 4}}"#,
    vcs_3: r#""ports": 4, "flit_bits": 32, "virtual_channels": {"unicast": 3}, "routing": {"kind": "table", "address_bits": 16, "cache": {"entries": 64, "ways": 1}}"#,
    vcs_4_single: r#""ports": 4, "flit_bits": 32, "virtual_channels": {"unicast": 4}, "crossbar": "single", "routing": {"kind": "source", "hops": 3}"#,
    vcs_5_flit: r#""ports": 3, "flit_bits": 20, "virtual_channels": {"unicast": 5}, "link_arbitration": "flit", "routing": {"kind": "source", "hops": 2}"#,
    vcs_8: r#""ports": 2, "flit_bits": 16, "virtual_channels": {"unicast": 8}, "routing": {"kind": "table", "address_bits": 8, "cache": {"entries": 16, "ways": 2}}"#,

    // Flits: narrow, odd, wide; headers of several flits.
    flit_16_address_64: r#""ports": 3, "flit_bits": 16, "routing": {"kind": "table", "address_bits": 64, "cache": {"entries": 64, "ways": 4}}"#,
    flit_33_address_40: r#""ports": 4, "flit_bits": 33, "routing": {"kind": "table", "address_bits": 40, "lookups_per_vc": 2, "cache": {"entries": 32, "ways": 4}}"#,
    flit_100: r#""ports": 3, "flit_bits": 100, "link_arbitration": "flit", "routing": {"kind": "table", "address_bits": 24, "cache": {"entries": 16, "ways": 1}}"#,
    flit_512: r#""ports": 2, "flit_bits": 512, "routing": {"kind": "table", "address_bits": 32, "cache": {"entries": 32, "ways": 2}}"#,

    // Buffers and packets.
    packets_of_1: r#""ports": 4, "flit_bits": 32, "packet": {"max_flits": 1}, "buffer_flits": 2, "routing": {"kind": "source", "hops": 4}"#,
    packets_of_2_deep: r#""ports": 3, "flit_bits": 32, "packet": {"max_flits": 2}, "buffer_flits": 64, "routing": {"kind": "table", "address_bits": 20, "lookups_per_vc": 16, "cache": {"entries": 16, "ways": 4}}"#,
    packets_of_5: r#""ports": 4, "flit_bits": 32, "packet": {"max_flits": 5}, "buffer_flits": 16, "flow_control": "relative", "routing": {"kind": "table", "address_bits": 16, "cache": {"entries": 64, "ways": 8}}"#,
    packets_of_64: r#""ports": 2, "flit_bits": 48, "packet": {"max_flits": 64}, "buffer_flits": 128, "routing": {"kind": "source", "hops": 1}"#,

    // Credits, crossbar, link.
    relative_flit: r#""ports": 4, "flit_bits": 32, "flow_control": "relative", "link_arbitration": "flit", "routing": {"kind": "source", "hops": 2}"#,
    relative_single: r#""ports": 5, "flit_bits": 32, "flow_control": "relative", "crossbar": "single", "routing": {"kind": "table", "address_bits": 16, "cache": null}"#,
    flit_wise_table: r#""ports": 5, "flit_bits": 32, "virtual_channels": {"unicast": 4}, "link_arbitration": "flit", "routing": {"kind": "table", "address_bits": 16, "cache": {"entries": 64, "ways": 2}}"#,
    single_table: r#""ports": 6, "flit_bits": 40, "virtual_channels": {"unicast": 3}, "crossbar": "single", "routing": {"kind": "table", "address_bits": 24, "cache": {"entries": 128, "ways": 4}}"#,

    // Routing cache: one set, one way, many ways; hashes; few and many lookups in flight.
    one_set: r#""ports": 3, "flit_bits": 32, "routing": {"kind": "table", "address_bits": 16, "cache": {"entries": 16, "ways": 16}}"#,
    sixteen_ways: r#""ports": 3, "flit_bits": 32, "routing": {"kind": "table", "address_bits": 24, "cache": {"entries": 64, "ways": 16}}"#,
    direct_mapped: r#""ports": 4, "flit_bits": 32, "virtual_channels": {"unicast": 1}, "routing": {"kind": "table", "address_bits": 24, "lookups_per_vc": 1, "cache": {"entries": 64, "ways": 1}}"#,
    other_hash: r#""ports": 4, "flit_bits": 64, "routing": {"kind": "table", "address_bits": 48, "lookups_per_vc": 5, "cache": {"entries": 64, "ways": 2, "hash": {"crc_bits": 32, "polynomial": "0x04C11DB7"}}}"#,
    pseudo_lru: r#""ports": 3, "flit_bits": 32, "routing": {"kind": "table", "address_bits": 16, "cache": {"entries": 16, "ways": 4, "replacement": "pseudo_lru"}}"#,
    round_robin: r#""ports": 4, "flit_bits": 32, "virtual_channels": {"unicast": 3}, "routing": {"kind": "table", "address_bits": 24, "cache": {"entries": 16, "ways": 2, "replacement": "round_robin"}}"#,
    random_replacement: r#""ports": 3, "flit_bits": 24, "routing": {"kind": "table", "address_bits": 20, "lookups_per_vc": 2, "cache": {"entries": 32, "ways": 16, "replacement": "random"}}"#,
    // Algorithmic routing: all functions, chunks and stages; a partial last chunk; headers of several flits; few ports.
    cube: r#""ports": 7, "flit_bits": 32, "routing": {"kind": "algorithmic", "address_bits": 12, "node_reduction": {"chunk_bits": [4]}}"#,
    cube_of_all_chunks: r#""ports": 16, "flit_bits": 40, "routing": {"kind": "algorithmic", "address_bits": 24, "node_reduction": {"chunk_bits": [8, 2, 6, 3, 4], "stages": 3}}"#,
    cube_partial_chunk: r#""ports": 5, "flit_bits": 16, "virtual_channels": {"unicast": 1}, "routing": {"kind": "algorithmic", "address_bits": 35, "node_reduction": {"chunk_bits": [3, 8], "stages": 2}}"#,
    fat_tree: r#""ports": 8, "flit_bits": 32, "link_arbitration": "flit", "routing": {"kind": "algorithmic", "address_bits": 20, "node_reduction": {"topologies": ["fat_tree"], "chunk_bits": [4, 3], "stages": 2}}"#,
    dragonfly: r#""ports": 12, "flit_bits": 24, "flow_control": "relative", "routing": {"kind": "algorithmic", "address_bits": 13, "node_reduction": {"topologies": ["dragonfly"], "chunk_bits": [4], "stages": 1}}"#,
    all_topologies: r#""ports": 6, "flit_bits": 16, "crossbar": "single", "routing": {"kind": "algorithmic", "address_bits": 64, "node_reduction": {"topologies": ["dragonfly", "cube", "fat_tree"], "chunk_bits": [2, 3, 4], "stages": 3}}"#,
    full_radix: r#""ports": 9, "flit_bits": 40, "virtual_channels": {"unicast": 4}, "routing": {"kind": "algorithmic", "address_bits": 12, "node_reduction": {"chunk_bits": [4, 2, 3, 6], "stages": 3, "radix": "full"}, "next_vc": true, "vc_pairs": true}"#,

    // Node reduction in front of the cache: each function, each depth, sets that keys collide in; and without registers
    // at all.
    reduced_cube: r#""ports": 6, "flit_bits": 32, "routing": {"kind": "table", "address_bits": 12, "cache": {"entries": 16, "ways": 4}, "node_reduction": {"chunk_bits": [3]}}"#,
    reduced_all: r#""ports": 7, "flit_bits": 24, "virtual_channels": {"unicast": 3}, "routing": {"kind": "table", "address_bits": 33, "lookups_per_vc": 6, "cache": {"entries": 32, "ways": 2, "replacement": "round_robin"}, "node_reduction": {"topologies": ["fat_tree", "dragonfly", "cube"], "chunk_bits": [2, 4, 8], "stages": 3}, "next_vc": true}"#,
    reduced_fat_tree: r#""ports": 8, "flit_bits": 40, "crossbar": "single", "routing": {"kind": "table", "address_bits": 16, "lookups_per_vc": 2, "cache": {"entries": 16, "ways": 16}, "node_reduction": {"topologies": ["fat_tree"], "chunk_bits": [4], "stages": 2}}"#,
    reduced_full_radix: r#""ports": 7, "flit_bits": 32, "routing": {"kind": "table", "address_bits": 16, "cache": {"entries": 16, "ways": 2}, "node_reduction": {"topologies": ["cube", "fat_tree"], "chunk_bits": [4, 2], "radix": "full"}}"#,
    reduced_dragonfly: r#""ports": 5, "flit_bits": 32, "virtual_channels": {"unicast": 1}, "routing": {"kind": "table", "address_bits": 8, "cache": {"entries": 64, "ways": 1}, "node_reduction": {"topologies": ["dragonfly"], "chunk_bits": [8, 3]}}"#,
    no_registers: r#""ports": 4, "flit_bits": 32, "routing": {"kind": "table", "address_bits": 16, "cache": {"entries": 32, "ways": 4}}, "registers": false"#,

    // Routes that name the VC of the next link: with cache and without, both crossbars, numbers of VCs that are no
    // power of two, one VC.
    next_vc: r#""ports": 5, "flit_bits": 48, "virtual_channels": {"unicast": 3}, "routing": {"kind": "table", "address_bits": 16, "cache": {"entries": 32, "ways": 2}, "next_vc": true}"#,
    next_vc_single: r#""ports": 4, "flit_bits": 24, "virtual_channels": {"unicast": 4}, "crossbar": "single", "flow_control": "relative", "routing": {"kind": "table", "address_bits": 16, "cache": null, "next_vc": true}"#,
    next_vc_of_one: r#""ports": 3, "flit_bits": 32, "virtual_channels": {"unicast": 1}, "routing": {"kind": "table", "address_bits": 16, "cache": {"entries": 16, "ways": 2}, "next_vc": true}"#,
    dateline: r#""ports": 9, "flit_bits": 36, "virtual_channels": {"unicast": 2}, "packet": {"max_flits": 4}, "routing": {"kind": "algorithmic", "address_bits": 12, "node_reduction": {"chunk_bits": [2, 3], "stages": 2}, "next_vc": true}"#,
    dateline_single: r#""ports": 5, "flit_bits": 20, "virtual_channels": {"unicast": 5}, "crossbar": "single", "routing": {"kind": "algorithmic", "address_bits": 8, "node_reduction": {"topologies": ["cube", "fat_tree"], "chunk_bits": [4]}, "next_vc": true}"#,

    // Link aggregation and candidate ports: with and without cache, every crossbar and arbitration, together and with
    // named VCs.
    groups: r#""ports": 6, "flit_bits": 32, "routing": {"kind": "table", "address_bits": 16, "cache": {"entries": 32, "ways": 2}, "link_aggregation": {"groups": 3, "links": 5}}"#,
    groups_of_24: r#""ports": 5, "flit_bits": 32, "routing": {"kind": "table", "address_bits": 16, "cache": {"entries": 32, "ways": 2}, "link_aggregation": {"groups": 2, "links": 24}}"#,
    groups_algorithmic: r#""ports": 9, "flit_bits": 48, "virtual_channels": {"unicast": 4}, "routing": {"kind": "algorithmic", "address_bits": 12, "node_reduction": {"topologies": ["cube", "dragonfly"], "chunk_bits": [3, 4]}, "next_vc": true, "vc_pairs": true, "link_aggregation": {"groups": 16, "links": 16, "hash": {"crc_bits": 5, "polynomial": "0x5"}}}"#,
    candidates: r#""ports": 5, "flit_bits": 48, "virtual_channels": {"unicast": 3}, "routing": {"kind": "table", "address_bits": 16, "cache": {"entries": 32, "ways": 4}, "candidates": 4, "next_vc": true}"#,
    candidates_flit: r#""ports": 4, "flit_bits": 32, "virtual_channels": {"unicast": 4}, "link_arbitration": "flit", "flow_control": "relative", "routing": {"kind": "table", "address_bits": 12, "cache": null, "candidates": 2}"#,
    candidates_and_groups: r#""ports": 7, "flit_bits": 40, "virtual_channels": {"unicast": 2}, "crossbar": "single", "routing": {"kind": "table", "address_bits": 24, "cache": {"entries": 16, "ways": 1}, "node_reduction": {"topologies": ["fat_tree", "cube"], "chunk_bits": [4], "stages": 2}, "candidates": 3, "link_aggregation": {"groups": 2, "links": 2}}"#,

    // Forwarding table on the chip: alone and before a CAM, every number of ways, with everything that a route can say,
    // without a cache, behind keys; default route; event counters with every kind of routing and arbitration.
    chip_2_ways: r#""ports": 4, "flit_bits": 32, "events": true, "routing": {"kind": "table", "address_bits": 16, "cache": {"entries": 32, "ways": 2}, "forwarding_table": {"entries": 64, "ways": 2}, "external_cam": false}"#,
    chip_and_all: r#""ports": 6, "flit_bits": 48, "virtual_channels": {"unicast": 3}, "counters": {}, "routing": {"kind": "table", "address_bits": 16, "cache": {"entries": 32, "ways": 4}, "forwarding_table": {"entries": 64, "ways": 4}, "default_route": true, "next_vc": true, "candidates": 3, "link_aggregation": {"groups": 3, "links": 4}}"#,
    chip_without_cache: r#""ports": 5, "flit_bits": 32, "counters": {"bits": 16}, "crossbar": "single", "routing": {"kind": "table", "address_bits": 20, "cache": null, "forwarding_table": {"entries": 128, "ways": 4}, "default_route": true}"#,
    chip_alone_without_cache: r#""ports": 3, "flit_bits": 24, "virtual_channels": {"unicast": 1}, "routing": {"kind": "table", "address_bits": 12, "lookups_per_vc": 1, "cache": null, "forwarding_table": {"entries": 32, "ways": 1}, "external_cam": false, "default_route": true}"#,
    chip_8_ways: r#""ports": 7, "flit_bits": 33, "routing": {"kind": "table", "address_bits": 24, "lookups_per_vc": 5, "cache": {"entries": 16, "ways": 1}, "forwarding_table": {"entries": 64, "ways": 8}, "candidates": 2}"#,
    chip_smallest: r#""ports": 2, "flit_bits": 32, "routing": {"kind": "table", "address_bits": 8, "cache": {"entries": 16, "ways": 2}, "forwarding_table": {"entries": 16, "ways": 8, "hash": {"crc_bits": 8, "polynomial": "0x7"}}, "external_cam": false}"#,
    chip_flit_16_address_40: r#""ports": 3, "flit_bits": 16, "flow_control": "relative", "counters": {"bits": 12}, "routing": {"kind": "table", "address_bits": 40, "cache": {"entries": 16, "ways": 2}, "forwarding_table": {"entries": 64, "ways": 4}, "external_cam": false, "default_route": true}"#,
    chip_behind_keys: r#""ports": 7, "flit_bits": 32, "counters": {}, "routing": {"kind": "table", "address_bits": 16, "cache": {"entries": 16, "ways": 4}, "node_reduction": {"topologies": ["cube", "fat_tree"], "chunk_bits": [4, 3], "stages": 2}, "forwarding_table": {"entries": 128, "ways": 4}, "external_cam": false, "default_route": true}"#,
    chip_and_cam_behind_keys: r#""ports": 6, "flit_bits": 40, "routing": {"kind": "table", "address_bits": 12, "cache": {"entries": 32, "ways": 2}, "node_reduction": {"topologies": ["dragonfly", "cube"], "chunk_bits": [4]}, "forwarding_table": {"entries": 64, "ways": 2}, "default_route": true, "next_vc": true}"#,
    default_route_alone: r#""ports": 4, "flit_bits": 32, "routing": {"kind": "table", "address_bits": 16, "cache": {"entries": 32, "ways": 4}, "default_route": true, "candidates": 2}"#,
    counters_source: r#""ports": 5, "flit_bits": 32, "counters": {"bits": 20}, "routing": {"kind": "source", "hops": 3}"#,
    counters_flit: r#""ports": 4, "flit_bits": 32, "virtual_channels": {"unicast": 3}, "link_arbitration": "flit", "counters": {}, "routing": {"kind": "table", "address_bits": 16, "cache": {"entries": 32, "ways": 4}}"#,
    counters_wrap: r#""ports": 3, "flit_bits": 24, "counters": {"bits": 8}, "routing": {"kind": "table", "address_bits": 16, "cache": {"entries": 16, "ways": 2, "replacement": "random"}}"#,
    counters_single: r#""ports": 5, "flit_bits": 32, "crossbar": "single", "counters": {"bits": 9}, "routing": {"kind": "algorithmic", "address_bits": 12, "next_vc": true}"#,

    // Multicast on the mixed VC: every kind of routing, both crossbars, the smallest buffers, VCs named by routes,
    // output selection in front, the multicast bit in a flit of its own, ports beyond 32.
    multicast: r#""ports": 4, "flit_bits": 32, "virtual_channels": {"unicast": 1, "mixed": 1}, "multicast": {"groups": 8}, "packet": {"max_flits": 4}, "routing": {"kind": "table", "address_bits": 12, "cache": {"entries": 16, "ways": 2}}"#,
    multicast_single: r#""ports": 5, "flit_bits": 32, "virtual_channels": {"unicast": 2, "mixed": 1}, "crossbar": "single", "multicast": {"groups": 6}, "flow_control": "relative", "routing": {"kind": "source", "hops": 3}"#,
    multicast_source: r#""ports": 6, "flit_bits": 48, "virtual_channels": {"unicast": 2, "mixed": 1}, "multicast": {"groups": 16}, "counters": {"bits": 16}, "routing": {"kind": "source", "hops": 4}"#,
    multicast_long_route: r#""ports": 3, "flit_bits": 128, "virtual_channels": {"unicast": 1, "mixed": 1}, "multicast": {"groups": 3}, "packet": {"max_flits": 2}, "routing": {"kind": "source", "hops": 45}"#,
    multicast_algorithmic: r#""ports": 5, "flit_bits": 32, "virtual_channels": {"unicast": 1, "mixed": 1}, "multicast": {"groups": 12}, "routing": {"kind": "algorithmic", "address_bits": 12, "node_reduction": {"chunk_bits": [4], "stages": 3}}"#,
    multicast_next_vc: r#""ports": 4, "flit_bits": 48, "virtual_channels": {"unicast": 2, "mixed": 1}, "multicast": {"groups": 10}, "packet": {"max_flits": 4}, "counters": {"bits": 12}, "routing": {"kind": "table", "address_bits": 16, "cache": null, "next_vc": true}"#,
    multicast_next_vc_single: r#""ports": 4, "flit_bits": 40, "virtual_channels": {"unicast": 1, "mixed": 1}, "crossbar": "single", "multicast": {"groups": 4}, "routing": {"kind": "algorithmic", "address_bits": 8, "node_reduction": {"topologies": ["cube"], "chunk_bits": [4]}, "next_vc": true}"#,
    multicast_selection: r#""ports": 6, "flit_bits": 48, "virtual_channels": {"unicast": 2, "mixed": 1}, "multicast": {"groups": 7}, "packet": {"max_flits": 4}, "routing": {"kind": "table", "address_bits": 16, "cache": {"entries": 16, "ways": 2}, "candidates": 3, "next_vc": true, "link_aggregation": {"groups": 2, "links": 3}}"#,
    multicast_packets_of_1: r#""ports": 4, "flit_bits": 32, "virtual_channels": {"unicast": 1, "mixed": 1}, "multicast": {"groups": 8}, "packet": {"max_flits": 1}, "buffer_flits": 2, "routing": {"kind": "source", "hops": 2}"#,
    multicast_small_buffers: r#""ports": 4, "flit_bits": 32, "virtual_channels": {"unicast": 1, "mixed": 1}, "multicast": {"groups": 8}, "packet": {"max_flits": 8}, "buffer_flits": 16, "flow_control": "relative", "routing": {"kind": "table", "address_bits": 10, "cache": {"entries": 16, "ways": 1}}"#,
    multicast_bit_behind: r#""ports": 3, "flit_bits": 16, "virtual_channels": {"unicast": 1, "mixed": 1}, "multicast": {"groups": 5}, "packet": {"max_flits": 4}, "counters": {"bits": 8}, "routing": {"kind": "table", "address_bits": 16, "cache": {"entries": 16, "ways": 4}}"#,
    multicast_wide: r#""ports": 34, "flit_bits": 32, "virtual_channels": {"unicast": 1, "mixed": 1}, "multicast": {"groups": 4}, "packet": {"max_flits": 2}, "routing": {"kind": "source", "hops": 2}"#,
    multicast_vcs_9: r#""ports": 2, "flit_bits": 32, "virtual_channels": {"unicast": 8, "mixed": 1}, "multicast": {"groups": 2}, "packet": {"max_flits": 2}, "routing": {"kind": "table", "address_bits": 8, "lookups_per_vc": 16, "cache": {"entries": 16, "ways": 2}, "next_vc": true}"#,

    // Barriers beside all kinds of traffic: few and many groups and ports, the mixed VC, flit-wise arbitration, the
    // single crossbar. Events of all kinds, and of ports beyond 32.
    barrier: r#""ports": 5, "flit_bits": 32, "virtual_channels": {"unicast": 1, "barrier": 1}, "barrier": {"groups": 3}, "routing": {"kind": "source", "hops": 3}"#,
    barrier_mixed: r#""ports": 5, "flit_bits": 40, "virtual_channels": {"unicast": 1, "mixed": 1, "barrier": 1}, "multicast": {"groups": 6}, "barrier": {"groups": 4}, "packet": {"max_flits": 4}, "counters": {"bits": 12}, "events": true, "routing": {"kind": "table", "address_bits": 12, "cache": {"entries": 16, "ways": 2}}"#,
    barrier_flit: r#""ports": 4, "flit_bits": 64, "virtual_channels": {"unicast": 2, "barrier": 1}, "link_arbitration": "flit", "flow_control": "relative", "barrier": {"groups": 5}, "routing": {"kind": "source", "hops": 3}"#,
    barrier_single: r#""ports": 6, "flit_bits": 33, "virtual_channels": {"unicast": 2, "mixed": 1, "barrier": 1}, "crossbar": "single", "multicast": {"groups": 5}, "barrier": {"groups": 7}, "counters": {}, "routing": {"kind": "source", "hops": 3}"#,
    barrier_one_group: r#""ports": 2, "flit_bits": 32, "virtual_channels": {"unicast": 1, "barrier": 1}, "barrier": {"groups": 1}, "routing": {"kind": "algorithmic", "address_bits": 8, "node_reduction": {"topologies": ["cube"], "chunk_bits": [4]}}"#,
    barrier_wide: r#""ports": 34, "flit_bits": 32, "virtual_channels": {"unicast": 1, "barrier": 1}, "barrier": {"groups": 64}, "packet": {"max_flits": 2}, "events": true, "routing": {"kind": "source", "hops": 2}"#,
    barrier_dawning: r#""ports": 16, "flit_bits": 64, "virtual_channels": {"unicast": 2, "mixed": 1, "barrier": 1}, "multicast": {"groups": 16}, "barrier": {"groups": 32}, "counters": {}, "routing": {"kind": "source", "hops": 8}"#,

    // Events, with all of them: drops, errors, a CAM, barriers. In the style of reset of many chips.
    events: r#""ports": 3, "flit_bits": 32, "virtual_channels": {"unicast": 1, "barrier": 1}, "barrier": {"groups": 2}, "events": true, "reset": {"kind": "asynchronous", "active": "low"}, "packet": {"max_flits": 4}, "routing": {"kind": "table", "address_bits": 12, "cache": {"entries": 16, "ways": 1}, "node_reduction": {"topologies": ["cube"], "chunk_bits": [4]}}"#,

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

    // Error correction of buffers under upsets: all of the code's widths, interleaved VCs, block RAM, barrier messages
    // and multicast packets beside it. Parity of cache and table.
    ecc_flit_wise: r#""ports": 3, "flit_bits": 33, "virtual_channels": {"unicast": 3}, "link_arbitration": "flit", "packet": {"max_flits": 4}, "buffer_flits": 8, "buffer_ecc": {"fault_pins": true}, "events": true, "routing": {"kind": "table", "address_bits": 12, "cache": {"entries": 16, "ways": 2}, "forwarding_table": {"entries": 32, "ways": 2}, "parity": {"fault_pins": true}}"#,
    ecc_collective: r#""ports": 4, "flit_bits": 64, "virtual_channels": {"unicast": 1, "mixed": 1, "barrier": 1}, "multicast": {"groups": 5, "parity": {"fault_pins": true}}, "barrier": {"groups": 3}, "packet": {"max_flits": 4}, "buffer_flits": 32, "counters": {"bits": 12}, "events": true, "buffer_ecc": {"fault_pins": true}, "routing": {"kind": "source", "hops": 3}"#,

    degenerate_hash: r#""ports": 3, "flit_bits": 32, "routing": {"kind": "table", "address_bits": 16, "lookups_per_vc": 3, "cache": {"entries": 32, "ways": 2, "hash": {"crc_bits": 4, "polynomial": "0x8"}}}"#,
}

/// Place, tables and settings of a Dragonfly's router that change under traffic.
#[test]
fn dragonfly_moves() {
    let config = config(&format!(r#"{{"name": "dragonfly_adaptive", {DRAGONFLY}}}"#));
    let verilog = verilog(&config);
    for seed in [21, 30, 45] {
        must_pass(&config, &verilog, Scenario::any(seed), CYCLES);
    }
}

/// The other styles of reset, with resets under way.
#[test]
fn reset_styles() {
    for (kind, active) in [("synchronous", "low"), ("asynchronous", "high")] {
        let json = format!(
            r#"{{"name": "{kind}_{active}", "ports": 2, "flit_bits": 32, "virtual_channels": {{"unicast": 1, "barrier": 1}},
                 "barrier": {{"groups": 2}}, "reset": {{"kind": "{kind}", "active": "{active}"}},
                 "packet": {{"max_flits": 2}}, "routing": {{"kind": "source", "hops": 2}}}}"#
        );
        let config = config(&json);
        let verilog = verilog(&config);
        for scenario in [busy(1), hostile(2), Scenario::any(3)] {
            must_pass(&config, &verilog, Scenario { resets: 0.005, ..scenario }, CYCLES / 2);
        }
    }
}

#[test]
fn tiny() {
    agree(&preset("tiny"), 100_000);
}

#[test]
fn hpc16() {
    agree(&preset("hpc16"), CYCLES);
}

#[test]
fn noc5() {
    agree(&preset("noc5"), CYCLES);
}

#[test]
fn torus16() {
    agree(&preset("torus16"), CYCLES);
}

/// Node reduction in front of a cache, told of another place (or table) in mid-traffic again and again.
#[test]
fn reduced_presets() {
    for name in ["fattree16", "dragonfly16", "reduced16"] {
        let config = preset(name);
        let verilog = verilog(&config);
        for seed in [1, 2] {
            must_pass(&config, &verilog, Scenario { moves: 0.002, ..busy(seed) }, CYCLES);
        }
        must_pass(&config, &verilog, Scenario::any(3), CYCLES);
    }
}

/// The same with a forwarding table on the chip: alone, before a CAM, and without a cache.
#[test]
fn tables_change_on_the_chip() {
    let others = [
        r#"{"name": "chip_and_cam", "ports": 6, "flit_bits": 48, "counters": {}, "routing": {"kind": "table", "address_bits": 16, "cache": {"entries": 32}, "forwarding_table": {"entries": 64}, "default_route": true, "next_vc": true, "candidates": 2, "link_aggregation": {"groups": 2}}}"#,
        r#"{"name": "chip_uncached", "ports": 5, "flit_bits": 32, "routing": {"kind": "table", "address_bits": 16, "cache": null, "forwarding_table": {"entries": 64}, "external_cam": false, "default_route": true}}"#,
    ];
    for config in std::iter::once(preset("table16")).chain(others.map(config)) {
        let verilog = verilog(&config);
        for seed in [1, 2] {
            must_pass(&config, &verilog, Scenario { moves: 0.002, ..busy(seed) }, CYCLES);
        }
    }
}

/// Groups (and tables) rewritten in mid-traffic again and again.
#[test]
fn multicast_groups_move() {
    for json in [
        r#""ports": 5, "flit_bits": 40, "virtual_channels": {"unicast": 1, "mixed": 1}, "multicast": {"groups": 12}, "routing": {"kind": "source", "hops": 4}"#,
        r#""ports": 4, "flit_bits": 40, "virtual_channels": {"unicast": 2, "mixed": 1}, "multicast": {"groups": 6}, "routing": {"kind": "table", "address_bits": 12, "cache": {"entries": 16, "ways": 2}, "next_vc": true}"#,
    ] {
        let config = config(&format!(r#"{{"name": "multicast_moves", {json}}}"#));
        let verilog = verilog(&config);
        for seed in [1, 2] {
            must_pass(&config, &verilog, Scenario { moves: 0.005, ..busy(seed) }, CYCLES);
        }
    }
}

/// Outputs that get no credit for long, so that multicast packets for several of them have room saved.
#[test]
fn multicast_where_room_is_saved() {
    for json in [
        r#""packet": {"max_flits": 1}, "buffer_flits": 2, "crossbar": "single", "flow_control": "relative""#,
        r#""packet": {"max_flits": 2}, "buffer_flits": 8"#,
    ] {
        let config = config(&format!(
            r#"{{"name": "multicast_saved", "ports": 4, "flit_bits": 32, "virtual_channels": {{"unicast": 1, "mixed": 1}},
                "multicast": {{"groups": 8}}, "routing": {{"kind": "source", "hops": 2}}, {json}}}"#
        ));
        let verilog = verilog(&config);
        for seed in [1, 2] {
            let mut scenario = Scenario::new(seed, Pattern::Uniform, 1.0);
            (scenario.traffic.lengths, scenario.traffic.multicast) = (Lengths::Uniform, 0.1);
            scenario.sink.stalls = Some(Stalls { share: 0.9, cycles: 60.0 });
            must_pass(&config, &verilog, scenario, CYCLES);
        }
    }
}

#[test]
fn table16() {
    agree(&preset("table16"), CYCLES);
}

#[test]
fn dawning16() {
    agree(&preset("dawning16"), CYCLES);
}

#[test]
fn source16() {
    agree(&preset("source16"), CYCLES);
}

/// A conflict-free permutation at full load leaves no gap on any link, in the hardware as in the model.
#[test]
fn full_throughput() {
    for name in ["tiny", "noc5", "source16"] {
        let config = preset(name);
        let scenario = Scenario::new(1, Pattern::Complement, 1.0);
        let result = must_pass(&config, &verilog(&config), scenario, CYCLES);
        let shape = config.shape();
        let flits = result.packets_delivered * shape.max_flits as u64;
        let possible = CYCLES * shape.ports as u64;
        // The table switch starts with an empty cache; nothing else may cost a cycle.
        assert!(flits as f64 > 0.98 * possible as f64, "{name}: {flits} of {possible}");
    }
}

/// The long campaign: every preset, a million cycles, three seeds.
mod long {
    use super::*;

    fn campaign(name: &str) {
        let config = preset(name);
        let verilog = verilog(&config);
        for seed in 1..=3 {
            let mut scenario = Scenario::new(seed, Pattern::Uniform, 0.7);
            scenario.traffic.multicast = 0.2; // where there is a mixed VC; and barriers where there is a barrier VC
            must_pass(&config, &verilog, scenario, 1_000_000);
            must_pass(&config, &verilog, Scenario::any(seed), 100_000);
        }
    }

    /// The same, with moves to other places in mid-traffic.
    fn moving_campaign(name: &str) {
        let config = preset(name);
        let verilog = verilog(&config);
        for seed in 1..=3 {
            let scenario = Scenario { moves: 0.0005, ..Scenario::new(seed, Pattern::Uniform, 0.7) };
            must_pass(&config, &verilog, scenario, 1_000_000);
        }
    }

    #[test]
    #[ignore = "long"]
    fn moves() {
        ["noc5", "torus16", "fattree16", "dragonfly15", "dragonfly16", "reduced16", "table16", "dawning16"]
            .iter()
            .for_each(|name| moving_campaign(name));
    }

    /// Wrong bits in buffers, caches and tables (also of groups), with events of all of them.
    #[test]
    #[ignore = "long"]
    fn wrong_bits() {
        let config = config(
            r#"{"name": "wrong_bits", "ports": 4, "flit_bits": 64, "virtual_channels": {"unicast": 2, "mixed": 1}, "events": true, "counters": {},
                "multicast": {"groups": 16, "parity": {"fault_pins": true}}, "buffer_ecc": {"fault_pins": true},
                "routing": {"kind": "table", "address_bits": 16, "cache": {"entries": 64, "ways": 4}, "next_vc": true, "candidates": 2,
                            "forwarding_table": {"entries": 64}, "default_route": true, "parity": {"fault_pins": true}}}"#,
        );
        let verilog = verilog(&config);
        for seed in 1..=3 {
            must_pass(&config, &verilog, Scenario { moves: 0.0005, ..busy(seed) }, 1_000_000);
            must_pass(&config, &verilog, hostile(seed), 1_000_000);
        }
    }

    #[test]
    #[ignore = "long"]
    fn tiny() {
        campaign("tiny");
    }

    #[test]
    #[ignore = "long"]
    fn table16() {
        campaign("table16");
    }

    #[test]
    #[ignore = "long"]
    fn noc5() {
        campaign("noc5");
    }

    #[test]
    #[ignore = "long"]
    fn torus16() {
        campaign("torus16");
    }

    #[test]
    #[ignore = "long"]
    fn source16() {
        campaign("source16");
    }

    #[test]
    #[ignore = "long"]
    fn dawning16() {
        campaign("dawning16");
    }

    #[test]
    #[ignore = "long"]
    fn dragonfly15() {
        campaign("dragonfly15");
    }

    #[test]
    #[ignore = "long"]
    fn dragonfly31() {
        campaign("dragonfly31");
    }

    #[test]
    #[ignore = "long"]
    fn hpc16() {
        campaign("hpc16");
    }

    #[test]
    #[ignore = "long"]
    fn hpc64() {
        campaign("hpc64");
    }
}

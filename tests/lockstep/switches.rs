//! Switches over the space of parameters, with every kind of routing but that of Dragonflies.

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

    // Error correction of buffers under upsets: all of the code's widths, interleaved VCs, block RAM, barrier messages
    // and multicast packets beside it. Parity of cache and table.
    ecc_flit_wise: r#""ports": 3, "flit_bits": 33, "virtual_channels": {"unicast": 3}, "link_arbitration": "flit", "packet": {"max_flits": 4}, "buffer_flits": 8, "buffer_ecc": {"fault_pins": true}, "events": true, "routing": {"kind": "table", "address_bits": 12, "cache": {"entries": 16, "ways": 2}, "forwarding_table": {"entries": 32, "ways": 2}, "parity": {"fault_pins": true}}"#,
    ecc_collective: r#""ports": 4, "flit_bits": 64, "virtual_channels": {"unicast": 1, "mixed": 1, "barrier": 1}, "multicast": {"groups": 5, "parity": {"fault_pins": true}}, "barrier": {"groups": 3}, "packet": {"max_flits": 4}, "buffer_flits": 32, "counters": {"bits": 12}, "events": true, "buffer_ecc": {"fault_pins": true}, "routing": {"kind": "source", "hops": 3}"#,

    degenerate_hash: r#""ports": 3, "flit_bits": 32, "routing": {"kind": "table", "address_bits": 16, "lookups_per_vc": 3, "cache": {"entries": 32, "ways": 2, "hash": {"crc_bits": 4, "polynomial": "0x8"}}}"#,
}

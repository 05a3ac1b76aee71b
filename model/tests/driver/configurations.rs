//! Spreads of configurations over all that can be chosen.

use super::{small_cache, source, table};
use railyard_spec::{
    AlgorithmicRouting, Cache, Config, Counters, Crossbar, FlowControl, ForwardingTable, Hash, LinkAggregation,
    LinkArbitration, NodeReduction, Polynomial, Radix, Routing, SourceRouting, Topology,
};

/// Configurations with settings, or with routes that name the VC on which a packet leaves.
pub fn configurations_with_settings() -> Vec<Config> {
    let all = [Topology::Cube, Topology::FatTree, Topology::Dragonfly];
    let mut list = Vec::new();
    for (ports, vcs, reduction, next_vc, cached, crossbar) in [
        (16, 2, None, false, true, Crossbar::Parallel),
        (4, 3, None, true, true, Crossbar::Parallel),
        (5, 2, None, true, false, Crossbar::Single),
        (6, 3, Some((1, 2)), false, true, Crossbar::Parallel),
        (4, 2, Some((2, 3)), true, true, Crossbar::Parallel),
        (4, 5, Some((3, 1)), true, true, Crossbar::Single),
    ] {
        let cache = cached.then(|| Cache { entries: 16, ways: 4, ..Cache::default() });
        let mut c = table(ports, cache);
        (c.virtual_channels.unicast, c.crossbar) = (vcs, crossbar);
        if let Routing::Table(t) = &mut c.routing {
            t.next_vc = next_vc;
            t.node_reduction = reduction.map(|(stages, topologies)| NodeReduction {
                topologies: all[..topologies].to_vec(),
                chunk_bits: vec![4, 3],
                stages,
                radix: if stages == 2 { Radix::Full } else { Radix::Any },
            });
        }
        list.push(c);
    }
    let mut c = list[3].clone();
    c.link_arbitration = LinkArbitration::Flit;
    list.push(c);
    let mut c = table(4, Some(Cache { entries: 16, ways: 2, ..Cache::default() }));
    c.registers = false;
    list.push(c);
    for (ports, vcs, stages, next_vc, topologies, radix, crossbar) in [
        (4, 2, 1, true, &all[..], Radix::Any, Crossbar::Parallel),
        (5, 4, 2, true, &all[..1], Radix::Full, Crossbar::Single),
        (7, 3, 3, false, &all[1..], Radix::Any, Crossbar::Parallel),
    ] {
        let mut c = table(ports, None);
        (c.virtual_channels.unicast, c.crossbar, c.flit_bits) = (vcs, crossbar, 32);
        let node_reduction = NodeReduction { topologies: topologies.to_vec(), chunk_bits: vec![4, 3], stages, radix };
        c.routing = Routing::Algorithmic(AlgorithmicRouting {
            address_bits: 24,
            node_reduction,
            next_vc,
            vc_pairs: vcs == 4,
            link_aggregation: None,
        });
        list.push(c);
    }
    list
}

/// Configurations whose routes name link aggregation groups or several candidates.
pub fn configurations_with_selection() -> Vec<Config> {
    let [cached, bare] = [small_cache(), None];
    let mut list = Vec::new();
    // Ports, VCs, cache, candidates, groups, links, VC of the next link, crossbar, link arbitration, flow control.
    use {Crossbar::*, FlowControl::*, LinkArbitration::*};
    for (ports, vcs, cache, candidates, groups, links, next_vc, crossbar, link_arbitration, flow_control) in [
        (4, 3, &cached, 3, 0, 0, true, Parallel, Packet, Absolute),
        (6, 2, &bare, 1, 3, 5, false, Single, Packet, Relative),
        (5, 2, &cached, 4, 2, 3, false, Parallel, Flit, Absolute),
        (16, 2, &cached, 2, 1, 2, true, Parallel, Packet, Relative),
        (3, 8, &cached, 4, 0, 0, false, Parallel, Packet, Absolute),
        (5, 1, &bare, 2, 5, 2, false, Single, Packet, Absolute),
    ] {
        let mut c = table(ports, cache.clone());
        (c.virtual_channels.unicast, c.crossbar, c.link_arbitration) = (vcs, crossbar, link_arbitration);
        c.flow_control = flow_control;
        if let Routing::Table(t) = &mut c.routing {
            (t.candidates, t.next_vc) = (candidates, next_vc);
            t.link_aggregation = (groups > 0).then(|| LinkAggregation { groups, links, ..Default::default() });
            t.node_reduction = (ports == 16).then(NodeReduction::default);
        }
        c.registers = groups > 0;
        list.push(c);
    }
    for (ports, vcs, groups, links, next_vc, link_arbitration) in
        [(7, 2, 4, 3, true, Packet), (4, 3, 2, 16, false, Flit)]
    {
        let mut c = table(ports, None);
        (c.virtual_channels.unicast, c.link_arbitration) = (vcs, link_arbitration);
        let hash = Hash { crc_bits: 5, polynomial: Polynomial(0x15) };
        let link_aggregation = Some(LinkAggregation { groups, links, hash });
        c.routing = Routing::Algorithmic(AlgorithmicRouting { next_vc, link_aggregation, ..Default::default() });
        list.push(c);
    }
    list
}

/// Configurations with a forwarding table on the chip, a default route, or event counters.
pub fn configurations_with_table() -> Vec<Config> {
    let mut list = Vec::new();
    let [cached, bare] = [Some(Cache { entries: 16, ways: 2, ..Cache::default() }), None];
    use {Crossbar::*, LinkArbitration::*};
    // Ports, VCs, cache, entries and ways, external CAM, default route, candidates, groups, VC of the next link,
    // reduction, counters.
    for (
        ports,
        vcs,
        cache,
        entries,
        ways,
        external_cam,
        default_route,
        candidates,
        groups,
        next_vc,
        reduced,
        counters,
    ) in [
        (4, 2, &cached, 16, 2, false, false, 1, 0, false, false, 8),
        (5, 3, &bare, 16, 4, true, true, 3, 2, true, false, 32),
        (3, 1, &bare, 32, 1, false, true, 1, 0, false, false, 12),
        (6, 2, &cached, 64, 8, true, false, 1, 3, false, true, 0),
        (4, 2, &cached, 32, 4, false, true, 2, 0, true, true, 9),
        (16, 2, &cached, 128, 4, true, true, 1, 0, false, false, 16),
        (4, 2, &cached, 0, 0, true, true, 1, 0, false, false, 8),
    ] {
        let mut c = table(ports, cache.clone());
        c.virtual_channels.unicast = vcs;
        c.counters = (counters > 0).then_some(Counters { bits: counters });
        if let Routing::Table(t) = &mut c.routing {
            t.forwarding_table = (ways > 0).then(|| ForwardingTable { entries, ways, ..ForwardingTable::default() });
            (t.external_cam, t.default_route, t.candidates, t.next_vc) =
                (external_cam, default_route, candidates, next_vc);
            t.link_aggregation = (groups > 0).then(|| LinkAggregation { groups, links: 3, ..Default::default() });
            t.node_reduction = reduced.then(NodeReduction::default);
        }
        list.push(c);
    }
    (list[0].flit_bits, list[0].link_arbitration) = (16, Flit);
    if let Routing::Table(t) = &mut list[0].routing {
        t.address_bits = 40;
    }
    for (crossbar, link_arbitration) in [(Parallel, Packet), (Parallel, Flit), (Single, Packet)] {
        let mut c = source(5);
        (c.crossbar, c.link_arbitration, c.counters) = (crossbar, link_arbitration, Some(Counters { bits: 10 }));
        list.push(c);
    }
    let mut c = table(4, None);
    c.routing = Routing::Algorithmic(AlgorithmicRouting::default());
    c.counters = Some(Counters { bits: 32 });
    list.push(c);
    list
}

/// Configurations with a mixed VC.
pub fn configurations_with_multicast() -> Vec<Config> {
    let [cached, bare] = [Some(Cache { entries: 16, ways: 2, ..Cache::default() }), None];
    let mut list = Vec::new();
    use {Crossbar::*, FlowControl::*};
    // Ports, unicast VCs, cache, VC of the next link, candidates, groups of links, crossbar, flow control, longest
    // packet, buffer, counters.
    for (ports, unicast, cache, next_vc, candidates, links, crossbar, flow_control, max_flits, depth, counters) in [
        (4, 1, &cached, false, 1, 0, Parallel, Absolute, 4, 16, 12),
        (4, 1, &bare, true, 1, 0, Single, Relative, 4, 8, 32),
        (6, 2, &cached, true, 3, 2, Parallel, Absolute, 2, 4, 9),
        (3, 8, &bare, true, 1, 0, Parallel, Absolute, 3, 8, 0),
        (5, 2, &cached, false, 2, 3, Single, Relative, 8, 16, 8),
    ] {
        let mut c = table(ports, cache.clone());
        (c.virtual_channels.unicast, c.crossbar, c.flow_control) = (unicast, crossbar, flow_control);
        (c.packet.max_flits, c.buffer_flits) = (max_flits, Some(depth));
        c.counters = (counters > 0).then_some(Counters { bits: counters });
        if let Routing::Table(t) = &mut c.routing {
            (t.next_vc, t.candidates) = (next_vc, candidates);
            t.lookups_per_vc = (unicast == 8).then_some(16);
            t.link_aggregation = (links > 0).then(|| LinkAggregation { groups: 2, links, ..Default::default() });
        }
        list.push(c);
    }
    // The multicast bit alone in the second flit, and in the middle of the third.
    for (flit_bits, address_bits) in [(32, 32), (16, 40)] {
        let mut c = list[0].clone();
        c.flit_bits = flit_bits;
        if let Routing::Table(t) = &mut c.routing {
            t.address_bits = address_bits;
        }
        list.push(c);
    }
    for (ports, unicast, hops, crossbar, flow_control, max_flits, depth) in [
        (5, 2, 1, Parallel, Relative, 1, 2),
        (4, 1, 40, Single, Absolute, 4, 8),
        (40, 1, 2, Parallel, Absolute, 4, 8),
        (2, 1, 3, Parallel, Absolute, 2, 4),
    ] {
        let mut c = source(ports);
        (c.virtual_channels.unicast, c.crossbar, c.flow_control) = (unicast, crossbar, flow_control);
        (c.packet.max_flits, c.buffer_flits) = (max_flits, Some(depth));
        c.flit_bits = if hops == 40 { 128 } else { 64 };
        c.routing = Routing::Source(SourceRouting { hops });
        c.counters = (ports == 40).then_some(Counters { bits: 16 });
        list.push(c);
    }
    for (stages, links) in [(1, 0), (3, 3)] {
        let mut c = table(5, None);
        let node_reduction = NodeReduction { stages, ..NodeReduction::default() };
        let link_aggregation = (links > 0).then(|| LinkAggregation { groups: 2, links, ..Default::default() });
        let next_vc = links > 0;
        let routing = AlgorithmicRouting { node_reduction, link_aggregation, next_vc, ..Default::default() };
        c.routing = Routing::Algorithmic(routing);
        list.push(c);
    }
    for (i, c) in list.iter_mut().enumerate() {
        c.virtual_channels.mixed = 1;
        c.multicast.groups = [5, 2, 8, 6][i % 4];
    }
    list
}

/// Configurations with a barrier VC.
pub fn configurations_with_barrier() -> Vec<Config> {
    let multicast = configurations_with_multicast();
    let mut list = Vec::new();
    for (mut c, groups) in [
        (source(3), 3),
        (source(5), 1),
        (table(4, small_cache()), 5),
        (multicast[0].clone(), 4),
        (multicast[1].clone(), 2),
        (multicast[7].clone(), 3),
        (source(40), 64),
    ] {
        (c.virtual_channels.barrier, c.barrier.groups) = (1, groups);
        c.flit_bits = c.flit_bits.max(32);
        list.push(c);
    }
    list[1].crossbar = Crossbar::Single;
    (list[2].link_arbitration, list[2].counters) = (LinkArbitration::Flit, Some(Counters { bits: 9 }));
    list[0].flit_bits = 33;
    list
}

/// Configurations with events: the kinds of routing, with and without external CAM, barrier VC and ports beyond 32.
pub fn configurations_with_events() -> Vec<Config> {
    let (tables, barriers) = (configurations_with_table(), configurations_with_barrier());
    let mut list = vec![
        source(3),
        table(4, small_cache()),
        tables[0].clone(),
        tables[1].clone(),
        barriers[3].clone(),
        barriers[6].clone(),
    ];
    list[0].virtual_channels.unicast = 3;
    // Counters would take the register port's time.
    list.iter_mut().for_each(|config| (config.events, config.counters) = (true, None));
    list
}

/// All of them.
pub fn all_configurations() -> Vec<Config> {
    let lists = [configurations(), configurations_with_settings(), configurations_with_selection()];
    let further = [configurations_with_table(), configurations_with_multicast(), configurations_with_barrier()];
    [lists.concat(), further.concat()].concat()
}

/// A spread of configurations over all that can be chosen.
pub fn configurations() -> Vec<Config> {
    let mut list = Vec::new();
    for (n, config) in [source(16), table(16, small_cache()), table(5, None)].into_iter().enumerate() {
        for (crossbar, link_arbitration) in [
            (Crossbar::Parallel, LinkArbitration::Packet),
            (Crossbar::Parallel, LinkArbitration::Flit),
            (Crossbar::Single, LinkArbitration::Packet),
        ] {
            for flow_control in [FlowControl::Absolute, FlowControl::Relative] {
                let mut c = config.clone();
                (c.crossbar, c.link_arbitration, c.flow_control) = (crossbar, link_arbitration, flow_control);
                c.virtual_channels.unicast = [2, 3, 8, 1][(list.len() + n) % 4];
                c.packet.max_flits = [8, 4, 5][list.len() % 3];
                c.buffer_flits = Some([16, 32][list.len() % 2]);
                list.push(c);
            }
        }
    }
    // Headers of several flits, few lookups, one way, the smallest and the largest.
    for (ports, flit_bits, address_bits, lookups_per_vc, ways) in
        [(2, 16, 64, 1, 1), (7, 16, 40, 3, 16), (64, 512, 24, 4, 2), (3, 33, 64, 5, 8), (4, 64, 24, 4, 2)]
    {
        let mut c = table(ports, Some(Cache { entries: 16, ways, ..Cache::default() }));
        c.flit_bits = flit_bits;
        if let Routing::Table(t) = &mut c.routing {
            (t.address_bits, t.lookups_per_vc) = (address_bits, Some(lookups_per_vc));
        }
        list.push(c);
    }
    let mut c = source(2);
    (c.packet.max_flits, c.buffer_flits) = (1, Some(2));
    list.push(c);
    list
}

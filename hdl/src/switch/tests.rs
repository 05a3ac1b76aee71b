//! The top as Verilog: pins as the contract says, for the whole grid of structures.

use super::*;
use crate::rtl::verilog::PortDirection;
use railyard_spec::pins::{pins, Direction};
use railyard_spec::CheckedConfig;
use railyard_spec::Parity;
use railyard_spec::{
    presets, AlgorithmicRouting, Cache, Config, Counters, Crossbar, FlowControl, ForwardingTable, LinkAggregation,
    LinkArbitration, MemoryPins, NodeReduction, Radix, Routing, SourceRouting, TableRouting, Topology,
};

mod at_pins;
mod barrier;
mod dragonfly;
mod multicast;

fn elaborated(config: &CheckedConfig) -> Design {
    let errors = |errors: Vec<ElaborationError>| errors.iter().map(|error| format!("{error}\n")).collect::<String>();
    let design = elaborate(config).unwrap_or_else(|e| panic!("{config:?}\n{}", errors(e)));
    if let Ok(folder) = std::env::var("RAILYARD_KEEP_VERILOG") {
        std::fs::create_dir_all(&folder).unwrap();
        std::fs::write(format!("{folder}/{}.v", config.name), design.text()).unwrap();
    }
    design
}

fn check_pins(config: &CheckedConfig) {
    let design = elaborated(config);
    let expected = pins(&config.shape());
    let top = design.top();
    assert_eq!(top.name, format!("{}_switch", config.name));
    let names: Vec<&str> = top.ports.iter().map(|port| port.name.as_str()).collect();
    assert_eq!(names, expected.iter().map(|pin| pin.name).collect::<Vec<_>>());
    for (port, pin) in top.ports.iter().zip(&expected) {
        assert_eq!(port.width, pin.width() as usize, "{}", pin.name);
        assert_eq!(port.direction == PortDirection::Input, pin.direction == Direction::Input, "{}", pin.name);
    }
}

/// Node reduction, another one for each pair of numbers.
fn some_reduction(index: usize, c: usize) -> NodeReduction {
    NodeReduction {
        topologies: [
            vec![Topology::FatTree],
            vec![Topology::Dragonfly, Topology::Cube],
            vec![Topology::Cube, Topology::FatTree, Topology::Dragonfly],
            vec![Topology::Dragonfly],
        ][(index + c) % 4]
            .clone(),
        chunk_bits: [vec![2], vec![4, 2, 3], vec![3], vec![2, 4, 3]][(index + 2 * c) % 4].clone(),
        stages: 1 + c as u32,
        ..NodeReduction::default()
    }
}

/// Configurations that between them have every structure.
fn grid() -> Vec<CheckedConfig> {
    let mut list = vec![];
    for (index, &(ports, vcs, flit_bits, max_flits)) in
        [(2, 1, 16, 1), (3, 8, 16, 4), (5, 3, 32, 8), (8, 2, 512, 5)].iter().enumerate()
    {
        for (c, (crossbar, link)) in [
            (Crossbar::Parallel, LinkArbitration::Packet),
            (Crossbar::Parallel, LinkArbitration::Flit),
            (Crossbar::Single, LinkArbitration::Packet),
        ]
        .into_iter()
        .enumerate()
        {
            let flow_control = if (index + c) % 2 == 0 { FlowControl::Absolute } else { FlowControl::Relative };
            for routing in ["source", "cache", "cam", "algorithmic", "reduced"] {
                let mut config = Config::named(&format!("s{index}{c}_{routing}"));
                (config.ports, config.flit_bits, config.packet.max_flits) = (ports, flit_bits, max_flits);
                config.virtual_channels.unicast = vcs;
                (config.crossbar, config.link_arbitration, config.flow_control) = (crossbar, link, flow_control);
                match (&mut config.routing, routing) {
                    (routing, "source") => *routing = Routing::Source(SourceRouting { hops: 1 + c as u32 }),
                    (routing, "algorithmic") => {
                        let mut algorithmic = AlgorithmicRouting {
                            address_bits: [8, 24, 40, 64][index],
                            ..AlgorithmicRouting::default()
                        };
                        algorithmic.node_reduction = some_reduction(index, c);
                        *routing = Routing::Algorithmic(algorithmic);
                    }
                    (Routing::Table(table), kind) => {
                        table.address_bits = if max_flits == 1 { 10 } else { 40 };
                        match kind {
                            "cam" => table.cache = None,
                            "reduced" => table.node_reduction = Some(some_reduction(index, c)),
                            _ => config.registers = c > 0,
                        }
                    }
                    _ => unreachable!(),
                }
                list.push(config.check().unwrap());
            }
        }
    }
    list
}

#[test]
fn presets_have_the_pins_of_the_contract() {
    for preset in presets::PRESETS {
        check_pins(&Config::from_json(preset.json).unwrap());
    }
}

#[test]
fn every_structure_has_the_pins_of_the_contract() {
    grid().iter().for_each(check_pins);
}

/// Configurations with `next_vc`: each crossbar, k from 1 to 8, tables with and without cache, the cube with its
/// dateline and functions without.
fn next_vc_grid() -> Vec<CheckedConfig> {
    let mut list = vec![];
    for (c, crossbar) in [Crossbar::Parallel, Crossbar::Single].into_iter().enumerate() {
        for (ports, vcs) in [(2, 1), (4, 2), (5, 3), (3, 8)] {
            for (r, routing) in ["cache", "cam", "reduced", "cube", "cubes", "digits"].into_iter().enumerate() {
                let mut config = Config::named(&format!("u{c}{vcs}_{routing}"));
                (config.ports, config.virtual_channels.unicast, config.crossbar) = (ports, vcs, crossbar);
                config.routing = match routing {
                    "cache" | "cam" | "reduced" => {
                        config.registers = routing != "cache" || vcs > 2;
                        let cache = (routing != "cam").then(Cache::default);
                        let stages = 1 + vcs % 3;
                        let node_reduction =
                            (routing == "reduced").then(|| NodeReduction { stages, ..NodeReduction::default() });
                        let next_vc = true;
                        let parity = cache.is_some().then_some(Parity { fault_pins: vcs > 2 });
                        let table = TableRouting { cache, node_reduction, next_vc, parity, ..TableRouting::default() };
                        Routing::Table(table)
                    }
                    _ => {
                        let (topologies, chunk_bits) = match routing {
                            "cube" => (vec![Topology::Cube], vec![4]),
                            "cubes" => (vec![Topology::Cube, Topology::FatTree], vec![3, 4]),
                            _ => (vec![Topology::Dragonfly, Topology::FatTree], vec![2]),
                        };
                        let stages = 1 + (vcs + r as u32) % 3;
                        Routing::Algorithmic(AlgorithmicRouting {
                            address_bits: 8 + 4 * vcs,
                            node_reduction: NodeReduction {
                                topologies,
                                chunk_bits,
                                stages,
                                ..NodeReduction::default()
                            },
                            next_vc: true,
                            ..Default::default()
                        })
                    }
                };
                list.push(config.check().unwrap());
            }
        }
    }
    list
}

/// Configurations with full radix: 1 to 3 stages, with a cache behind and without, cubes alone and beside other
/// topologies, with and without the dateline.
fn full_radix_grid() -> Vec<CheckedConfig> {
    let mut list = vec![];
    let kinds = [
        (vec![Topology::Cube], vec![4]),
        (vec![Topology::Cube, Topology::FatTree], vec![6, 3]),
        (vec![Topology::Dragonfly, Topology::Cube], vec![2, 4]),
    ];
    for (k, (topologies, chunk_bits)) in kinds.into_iter().enumerate() {
        for (stages, next_vc) in (1..=3).flat_map(|stages| [(stages, false), (stages, true)]) {
            for routing in ["reduced", "algorithmic"] {
                let mut config = Config::named(&format!("f{k}{stages}_{routing}{}", u32::from(next_vc)));
                config.ports = 3;
                let radix = Radix::Full;
                let node_reduction =
                    NodeReduction { topologies: topologies.clone(), chunk_bits: chunk_bits.clone(), stages, radix };
                let address_bits = 24;
                config.routing = match routing {
                    "reduced" => {
                        let node_reduction = Some(node_reduction);
                        Routing::Table(TableRouting {
                            address_bits,
                            node_reduction,
                            next_vc,
                            ..TableRouting::default()
                        })
                    }
                    _ => Routing::Algorithmic(AlgorithmicRouting {
                        address_bits,
                        node_reduction,
                        next_vc,
                        ..AlgorithmicRouting::default()
                    }),
                };
                list.push(config.check().unwrap());
            }
        }
    }
    list
}

/// Configurations with output selection: groups and candidates, alone and together, with and without `next_vc`, each
/// crossbar and unit of link sharing, each kind of routing that can have them.
fn selection_grid() -> Vec<CheckedConfig> {
    let mut list = vec![];
    let choices =
        [(1, Some((4, 4))), (2, None), (3, None), (4, None), (3, Some((3, 5))), (4, Some((16, 16))), (2, Some((1, 2)))];
    for (index, (candidates, groups)) in choices.into_iter().enumerate() {
        for (s, (crossbar, link)) in [
            (Crossbar::Parallel, LinkArbitration::Packet),
            (Crossbar::Parallel, LinkArbitration::Flit),
            (Crossbar::Single, LinkArbitration::Packet),
        ]
        .into_iter()
        .enumerate()
        {
            for routing in ["cache", "cam", "reduced", "algorithmic"] {
                if routing == "algorithmic" && (candidates > 2 || groups.is_none()) {
                    continue;
                }
                // The most links there can be, once.
                if groups == Some((16, 16)) && (s > 0 || routing != "cam") {
                    continue;
                }
                let mut config = Config::named(&format!("o{index}{s}_{routing}"));
                (config.ports, config.virtual_channels.unicast) = [(4, 1), (5, 2), (9, 3), (3, 8)][(index + s) % 4];
                (config.crossbar, config.link_arbitration) = (crossbar, link);
                config.registers = groups.is_some() || routing != "cache";
                let next_vc = link == LinkArbitration::Packet && index % 2 == 0;
                let link_aggregation =
                    groups.map(|(groups, links)| LinkAggregation { groups, links, ..LinkAggregation::default() });
                let address_bits = [8, 10, 24, 40][(index + s) % 4];
                config.routing = match routing {
                    "algorithmic" => Routing::Algorithmic(AlgorithmicRouting {
                        address_bits,
                        next_vc,
                        link_aggregation,
                        ..Default::default()
                    }),
                    _ => Routing::Table(TableRouting {
                        address_bits,
                        cache: (routing != "cam").then(|| Cache { entries: 16, ways: 2, ..Cache::default() }),
                        node_reduction: (routing == "reduced").then(NodeReduction::default),
                        next_vc,
                        candidates,
                        link_aggregation,
                        ..Default::default()
                    }),
                };
                list.push(config.check().unwrap());
            }
        }
    }
    list
}

/// Configurations with forwarding table, default route and counters: each alone and together, with and without external
/// CAM, cache, and what routes can have.
fn table_grid() -> Vec<CheckedConfig> {
    let mut list = vec![];
    for index in 0..24 {
        let bit = |place: u32| index >> place & 1 == 1;
        let (chip, default_route, counted) = (bit(0), bit(1), bit(2));
        if !chip && !default_route && !counted {
            continue;
        }
        let mut config = Config::named(&format!("t{index}"));
        (config.ports, config.virtual_channels.unicast) = [(4, 2), (5, 1), (3, 3)][index % 3];
        let address_bits = [12, 40, 8][index % 3];
        let ways = [4, 1, 8][index % 3];
        config.routing = Routing::Table(TableRouting {
            address_bits,
            cache: (index % 5 != 0).then(|| Cache { entries: 16, ways: 2, ..Cache::default() }),
            node_reduction: (index % 5 == 1).then(NodeReduction::default),
            next_vc: bit(3),
            candidates: 1 + index as u32 / 7,
            link_aggregation: (index % 4 > 1).then(LinkAggregation::default),
            forwarding_table: chip.then(|| ForwardingTable { entries: 16 * ways, ways, ..Default::default() }),
            external_cam: !chip || index % 3 > 0,
            default_route,
            parity: (chip && counted).then_some(Parity { fault_pins: bit(3) }),
            ..Default::default()
        });
        config.counters = counted.then(|| Counters { bits: [32, 8, 17][index % 3] });
        config.memory_pins = bit(3).then(|| MemoryPins { test_bits: 1 + index as u32 });
        list.push(config.check().unwrap());
    }
    // Counters of switches without tables, and with each kind of allocator.
    for (index, (crossbar, link)) in [
        (Crossbar::Parallel, LinkArbitration::Packet),
        (Crossbar::Parallel, LinkArbitration::Flit),
        (Crossbar::Single, LinkArbitration::Packet),
    ]
    .into_iter()
    .enumerate()
    {
        for (routing, name) in [
            (Routing::Source(SourceRouting::default()), "source"),
            (Routing::Algorithmic(AlgorithmicRouting::default()), "algorithmic"),
        ] {
            let mut config = Config::named(&format!("c{index}_{name}"));
            (config.ports, config.counters, config.routing) = (5, Some(Counters::default()), routing);
            (config.crossbar, config.link_arbitration) = (crossbar, link);
            list.push(config.check().unwrap());
        }
    }
    list
}

#[test]
fn tables_and_counters_have_the_pins_of_the_contract() {
    table_grid().iter().for_each(check_pins);
}

/// There is a memory where the contract says so; with pins, they reach it.
#[test]
fn memories_are_where_the_contract_says() {
    for (max_flits, routing, mixed) in
        [(4, "source", 0), (8, "source", 0), (4, "cam", 0), (4, "cache", 0), (4, "source", 1)]
    {
        let mut config = Config::named("m");
        (config.ports, config.packet.max_flits, config.virtual_channels.mixed) = (3, max_flits, mixed);
        config.multicast.groups = 16;
        config.routing = match routing {
            "source" => Routing::Source(SourceRouting::default()),
            _ => {
                let cache = (routing == "cache").then(Cache::default);
                Routing::Table(TableRouting { cache, ..TableRouting::default() })
            }
        };
        let (plain, shape) = (elaborated(&config.clone().check().unwrap()), config.clone().check().unwrap().shape());
        let has_memory = plain.modules.iter().any(|module| module.name.contains("_ram_1r1w_"));
        assert_eq!(has_memory, shape.has_memory(), "{routing}, {max_flits} flits, {mixed} mixed");
        if has_memory {
            config.memory_pins = Some(MemoryPins { test_bits: 3 });
            check_pins(&config.check().unwrap());
        }
    }
}

#[test]
fn output_selection_has_the_pins_of_the_contract() {
    selection_grid().iter().for_each(check_pins);
}

#[test]
fn full_radix_has_the_pins_of_the_contract() {
    full_radix_grid().iter().for_each(check_pins);
}

#[test]
fn next_vc_has_the_pins_of_the_contract() {
    next_vc_grid().iter().for_each(check_pins);
}

/// Configurations with the mixed VC: each crossbar and kind of routing, with and without `next_vc`, output selection in
/// front, headers of one flit and of several, groups more and fewer than a power of two.
fn multicast_grid() -> Vec<CheckedConfig> {
    let mut list = vec![];
    for (c, crossbar) in [Crossbar::Parallel, Crossbar::Single].into_iter().enumerate() {
        for (s, (ports, unicast, groups, address_bits)) in
            [(2, 1, 2, 16), (5, 2, 6, 15), (9, 7, 256, 40), (33, 1, 300, 24)].into_iter().enumerate()
        {
            for routing in ["source", "cache", "cam", "reduced", "cubes", "linked", "candidates"] {
                if ports == 33 && (c > 0 || routing != "cam") {
                    continue;
                }
                let mut config = Config::named(&format!("m{c}{s}_{routing}"));
                (config.ports, config.flit_bits, config.packet.max_flits) = (ports, 16, 4);
                (config.virtual_channels.unicast, config.virtual_channels.mixed) = (unicast, 1);
                (config.crossbar, config.multicast.groups) = (crossbar, groups);
                let next_vc = (c + s) % 2 == 1;
                let node_reduction = NodeReduction {
                    topologies: vec![Topology::Cube],
                    chunk_bits: vec![4],
                    stages: 1 + s as u32,
                    ..NodeReduction::default()
                };
                let table = TableRouting { address_bits, next_vc, node_reduction: None, ..TableRouting::default() };
                config.routing = match routing {
                    "source" => Routing::Source(SourceRouting { hops: 3 }),
                    "cache" => Routing::Table(table),
                    "cam" => Routing::Table(TableRouting { cache: None, ..table }),
                    "reduced" => Routing::Table(TableRouting { node_reduction: Some(node_reduction), ..table }),
                    "candidates" => Routing::Table(TableRouting { candidates: 3, ..table }),
                    "linked" => {
                        let link_aggregation = Some(LinkAggregation::default());
                        Routing::Table(TableRouting { link_aggregation, ..table })
                    }
                    _ => Routing::Algorithmic(AlgorithmicRouting {
                        address_bits,
                        node_reduction,
                        next_vc,
                        link_aggregation: (s == 1).then(LinkAggregation::default),
                        ..AlgorithmicRouting::default()
                    }),
                };
                list.push(config.check().unwrap());
            }
        }
    }
    list
}

/// Configurations with the barrier VC: each crossbar and unit of link sharing, with and without mixed VC, numbers of
/// VCs that the barrier VC makes wider and others.
fn barrier_grid() -> Vec<CheckedConfig> {
    let mut list = vec![];
    for (c, (crossbar, link, mixed)) in [
        (Crossbar::Parallel, LinkArbitration::Packet, 0),
        (Crossbar::Parallel, LinkArbitration::Packet, 1),
        (Crossbar::Parallel, LinkArbitration::Flit, 0),
        (Crossbar::Single, LinkArbitration::Packet, 1),
    ]
    .into_iter()
    .enumerate()
    {
        for (s, (ports, unicast, groups)) in [(2, 1, 1), (5, 2, 6), (9, 4, 32), (33, 3, 5)].into_iter().enumerate() {
            for routing in ["source", "cam", "linked", "cubes"] {
                if ports == 33 && routing != "source" {
                    continue;
                }
                let mut config = Config::named(&format!("b{c}{s}_{routing}"));
                (config.ports, config.flit_bits) = (ports, [32, 64][s % 2]);
                (config.virtual_channels.unicast, config.virtual_channels.mixed) = (unicast, mixed);
                (config.virtual_channels.barrier, config.barrier.groups) = (1, groups);
                config.multicast.groups = 3;
                (config.crossbar, config.link_arbitration) = (crossbar, link);
                config.counters = (s == 1).then(Counters::default);
                let next_vc = link == LinkArbitration::Packet && s > 0;
                let table = TableRouting { next_vc, ..TableRouting::default() };
                config.routing = match routing {
                    "source" => Routing::Source(SourceRouting { hops: 2 }),
                    "cam" => Routing::Table(TableRouting { cache: None, default_route: true, ..table }),
                    "linked" => Routing::Table(TableRouting {
                        link_aggregation: Some(LinkAggregation::default()),
                        forwarding_table: Some(ForwardingTable { entries: 64, ways: 4, ..Default::default() }),
                        candidates: 2,
                        ..table
                    }),
                    _ => Routing::Algorithmic(AlgorithmicRouting { next_vc, ..Default::default() }),
                };
                list.push(config.check().unwrap());
            }
        }
    }
    list
}

#[test]
fn barriers_have_the_pins_of_the_contract() {
    barrier_grid().iter().for_each(check_pins);
}

#[test]
fn multicast_has_the_pins_of_the_contract() {
    multicast_grid().iter().for_each(check_pins);
}

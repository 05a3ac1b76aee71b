//! Switches whose registers are tried.

use super::*;
use railyard_spec::Radix;

pub fn config(ports: u32, address_bits: u32, topologies: &[Topology], chunk_bits: &[u32]) -> Shape {
    with_vcs(ports, address_bits, topologies, chunk_bits, None)
}

/// With `next_vc` and this many VCs, if any are given.
pub fn with_vcs(
    ports: u32,
    address_bits: u32,
    topologies: &[Topology],
    chunk_bits: &[u32],
    next_vcs: Option<u32>,
) -> Shape {
    let node_reduction =
        NodeReduction { topologies: topologies.to_vec(), chunk_bits: chunk_bits.to_vec(), ..NodeReduction::default() };
    let mut config = Config::named("test");
    config.ports = ports;
    let next_vc = next_vcs.is_some();
    config.routing =
        Routing::Algorithmic(AlgorithmicRouting { address_bits, node_reduction, next_vc, ..Default::default() });
    config.virtual_channels.unicast = next_vcs.unwrap_or(config.virtual_channels.unicast);
    config.check().unwrap().shape()
}

/// With full radix, and `next_vc` or not; in front of a cache, or without one.
pub fn full_radix(
    address_bits: u32,
    topologies: &[Topology],
    chunk_bits: &[u32],
    next_vc: bool,
    cached: bool,
) -> Shape {
    let node_reduction = NodeReduction {
        topologies: topologies.to_vec(),
        chunk_bits: chunk_bits.to_vec(),
        radix: Radix::Full,
        ..NodeReduction::default()
    };
    let mut config = Config::named("test");
    config.routing = match cached {
        true => {
            let node_reduction = Some(node_reduction);
            Routing::Table(TableRouting { address_bits, node_reduction, next_vc, ..Default::default() })
        }
        false => {
            Routing::Algorithmic(AlgorithmicRouting { address_bits, node_reduction, next_vc, ..Default::default() })
        }
    };
    config.check().unwrap().shape()
}

/// A table-routed switch whose caches stand behind node reduction, if any topology is built in.
pub fn cached(address_bits: u32, topologies: &[Topology], chunk_bits: &[u32]) -> Shape {
    let node_reduction = (!topologies.is_empty()).then(|| NodeReduction {
        topologies: topologies.to_vec(),
        chunk_bits: chunk_bits.to_vec(),
        ..NodeReduction::default()
    });
    let mut config = Config::named("test");
    let cache = Some(Cache { entries: 16, ways: 2, ..Default::default() });
    config.routing = Routing::Table(TableRouting { address_bits, node_reduction, cache, ..Default::default() });
    config.check().unwrap().shape()
}

/// A switch with groups of links, routed by table or not, with or without cache and node reduction.
pub fn linked(routing: Routing, (groups, links): (u32, u32)) -> Shape {
    let mut config = Config::named("test");
    (config.ports, config.virtual_channels.unicast) = (5, 3);
    let link_aggregation = Some(LinkAggregation { groups, links, ..Default::default() });
    config.routing = match routing {
        Routing::Table(table) => Routing::Table(TableRouting { link_aggregation, ..table }),
        Routing::Algorithmic(algorithmic) => {
            Routing::Algorithmic(AlgorithmicRouting { link_aggregation, ..algorithmic })
        }
        source => source,
    };
    config.check().unwrap().shape()
}

/// A switch with a forwarding table, a default route, counters, or any of them.
pub fn tabled(table: TableRouting, counter_bits: Option<u32>) -> Shape {
    let mut config = Config::named("test");
    (config.ports, config.virtual_channels.unicast) = (5, 3);
    config.routing = Routing::Table(table);
    config.counters = counter_bits.map(|bits| Counters { bits });
    config.check().unwrap().shape()
}

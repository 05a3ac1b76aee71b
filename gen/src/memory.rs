//! The memories of a switch: RAMs, and register files where a queue is too shallow for one.

use railyard_spec::{CacheShape, Replacement, RoutingShape, Shape};
use serde::Serialize;

/// Bits of all memories of the switch, RAMs and register files alike, by what they hold.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize)]
pub struct MemoryBits {
    /// Input buffers: flit and head mark of each place (tail marks are flip-flops).
    pub input_buffers: u64,
    /// Headers and their results in front of the allocators.
    pub queues: u64,
    /// Routing caches: tag, route and valid bit of each entry, and the order of use of each set.
    pub routing_caches: u64,
    /// The forwarding table on the chip: address, route and valid bit of each entry.
    pub forwarding_table: u64,
    /// The multicast group table of each port.
    pub group_tables: u64,
}

/// Bits with which output selection tells the packets of a route apart.
const SELECTOR_BITS: u64 = 8;

impl MemoryBits {
    /// Those of a switch.
    pub fn of(shape: &Shape) -> MemoryBits {
        let ports = shape.ports as u64;
        let places = ports * u64::from(shape.buffer_flits);
        let route = route_bits(shape);
        let mut bits = MemoryBits {
            input_buffers: places * shape.vcs as u64 * (u64::from(shape.flit_bits) + 1),
            queues: places * (0..shape.vcs).map(|vc| queue_bits(shape, vc)).sum::<u64>(),
            group_tables: shape.multicast.map_or(0, |built| ports * built.groups as u64 * (ports + 1)),
            ..MemoryBits::default()
        };
        if let RoutingShape::Table(table) = &shape.routing {
            let address = u64::from(table.address_bits);
            bits.forwarding_table = table
                .forwarding_table
                .as_ref()
                .map_or(0, |built| (built.ways * built.sets) as u64 * (address + route + 1));
            bits.routing_caches = table.cache.as_ref().map_or(0, |cache| {
                let set = cache.ways as u64 * (u64::from(cache.tag_bits) + route + 1) + order_bits(cache);
                ports * cache.sets as u64 * set
            });
        }
        bits
    }

    /// All of them.
    pub fn total(&self) -> u64 {
        let MemoryBits { input_buffers, queues, routing_caches, forwarding_table, group_tables } = self;
        input_buffers + queues + routing_caches + forwarding_table + group_tables
    }
}

/// Bits of a route, as entries hold it.
fn route_bits(shape: &Shape) -> u64 {
    let mut bits = shape.port_bits;
    if shape.next_vc {
        bits += shape.vc_bits + 1;
    }
    if let Some(groups) = &shape.link_aggregation {
        bits += groups.group_bits + 1;
    }
    if shape.candidates > 1 {
        bits += (shape.candidates as u32 - 1) * shape.port_bits + shape.candidates_bits() + 1;
    }
    bits.into()
}

/// Bits for each place of a VC's buffer in its queues of headers, of results and of selectors.
fn queue_bits(shape: &Shape, vc: usize) -> u64 {
    let group = shape.multicast.filter(|built| built.vc == vc).map(|built| u64::from(built.group_bits));
    let or_group = |bits: u64| group.map_or(bits, |group| bits.max(group) + 1);
    let pending = u64::from(shape.table().is_some());
    let results = match shape.output_selection() {
        // Route, drop and pending, and beside them the selector.
        true => or_group(route_bits(shape)) + 2 + SELECTOR_BITS,
        false => {
            let next_vc = if shape.next_vc { shape.vc_bits } else { 0 };
            or_group(u64::from(shape.port_bits + next_vc)) + 1 + pending
        }
    };
    let multicast_bit = u64::from(shape.multicast.is_some());
    let headers = shape.table().map_or(0, |table| u64::from(table.address_bits) + multicast_bit + 1);
    headers + results
}

/// What a set remembers of the use of its entries.
fn order_bits(cache: &CacheShape) -> u64 {
    let ways = cache.ways as u64;
    match cache.replacement {
        Replacement::Lru => ways * (ways - 1) / 2,
        Replacement::PseudoLru => ways - 1,
        Replacement::RoundRobin => ways.ilog2().into(),
        Replacement::Random => 0,
    }
}

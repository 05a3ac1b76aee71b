//! Table routing, as numbers: tables, caches, parity.

use super::{index_width, ReductionShape};
use crate::config::{pipeline_lookups, Replacement, TableRouting};
use crate::crc::Crc;
use serde::Serialize;

/// Table routing, as numbers.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
pub struct TableShape {
    /// Address width in bits, A.
    pub address_bits: u32,
    /// Flits that carry the address, and the multicast bit if there is one, counted from the head flit.
    pub header_flits: u32,
    /// Lookups in flight for each VC of a port, m; also the miss slots of that VC.
    pub lookups_per_vc: usize,
    /// Bits of a miss slot's number: ceil(log2 m), at least 1.
    pub slot_bits: u32,
    /// Bits of a CAM tag: port, VC and slot number, from the most significant end.
    pub tag_bits: u32,
    /// The routing cache of each port, if there is one.
    pub cache: Option<CacheShape>,
    /// Node reduction in front of the cache, if there is any.
    pub reduction: Option<ReductionShape>,
    /// The forwarding table on the chip, if there is one.
    pub forwarding_table: Option<ForwardingTableShape>,
    /// Whether there are pins to an external CAM.
    pub external_cam: bool,
    /// Whether there is a default route.
    pub default_route: bool,
    /// Words of the routing caches, if they have parity.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub cache_parity: Option<ParityShape>,
    /// Words of the forwarding table, if they have parity.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub table_parity: Option<ParityShape>,
}

/// Words of a memory with parity, as numbers.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize)]
pub struct ParityShape {
    /// Bits of a word: address or tag, route, valid bit, parity bit; of a group: mask, `loopback`, parity bit.
    pub bits: u32,
    /// Whether there is a pin that inverts a stored bit.
    pub fault_pins: bool,
}

/// A forwarding table on the chip, as numbers.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
pub struct ForwardingTableShape {
    /// Ways, w: memories that are read side by side.
    pub ways: usize,
    /// Entries of a way, S = entries / ways.
    pub sets: usize,
    /// Bits that select an entry of a way: ceil(log2 S), at least 1.
    pub index_bits: u32,
    /// The hash; its bits i * `index_bits` and up select the entry of way i.
    pub crc: Crc,
}

impl ForwardingTableShape {
    /// Where way `way` keeps the address that hashes to `hash`.
    pub fn index(&self, hash: u64, way: usize) -> usize {
        (hash >> (way as u32 * self.index_bits)) as usize & (self.sets - 1)
    }
}

/// A routing cache, as numbers.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
pub struct CacheShape {
    /// Sets, S = entries / ways.
    pub sets: usize,
    /// log2 S.
    pub index_bits: u32,
    /// Ways of a set.
    pub ways: usize,
    /// Which entry of a full set makes room.
    pub replacement: Replacement,
    /// The hash; its `index_bits` low bits select the set.
    pub crc: Crc,
    /// Width of an entry's tag as the memory stores it: the address bits that do not follow from the set, at least 1;
    /// or the key of node reduction, if that is wider.
    pub tag_bits: u32,
}

impl TableShape {
    /// Lookups of a VC that keep the lookup pipeline full: the cycles from the issue of a lookup to the next in its
    /// place.
    pub fn pipeline_lookups(&self) -> u32 {
        pipeline_lookups(self.reduction.as_ref().map_or(0, |reduction| reduction.stages))
    }
}

/// Bits of a route in a word of table or cache: port, and what else it may name.
fn route_bits(t: &TableRouting, port_bits: u32, vc_bits: u32) -> u32 {
    let vc = if t.next_vc { vc_bits + 1 } else { 0 };
    let group = t.link_aggregation.as_ref().map_or(0, |l| index_width(l.groups as usize) + 1);
    let more = t.candidates.saturating_sub(1);
    let named = more.saturating_mul(port_bits).saturating_add(index_width(t.candidates as usize) + 1);
    let candidates = if more > 0 { named } else { 0 };
    candidates.saturating_add(port_bits + vc + group)
}

/// Numbers of table routing.
pub(super) fn table_shape(
    t: &TableRouting,
    flit_bits: u32,
    multicast_bits: u32,
    port_bits: u32,
    vc_bits: u32,
) -> TableShape {
    let lookups_per_vc = t.lookups() as usize;
    let slot_bits = index_width(lookups_per_vc);
    let reduction = t.node_reduction.as_ref().map(|r| ReductionShape::new(r, t.address_bits, t.next_vc));
    let cache = t.cache.as_ref().map(|c| {
        let sets = (c.entries / c.ways) as usize;
        let (index_bits, crc) = (sets.trailing_zeros(), c.hash.crc());
        let hashed = crc.tag_positions(t.address_bits, index_bits).len() as u32;
        CacheShape {
            sets,
            index_bits,
            ways: c.ways as usize,
            replacement: c.replacement,
            crc,
            tag_bits: reduction.as_ref().map_or(1, |r| r.key_bits).max(hashed),
        }
    });
    // Behind the route stand valid and parity bit.
    let behind = route_bits(t, port_bits, vc_bits).saturating_add(2);
    let word = |bits: u32| bits.saturating_add(behind);
    let parity = |bits| t.parity.as_ref().map(|p| ParityShape { bits: word(bits), fault_pins: p.fault_pins });
    TableShape {
        address_bits: t.address_bits,
        header_flits: (t.address_bits + multicast_bits).div_ceil(flit_bits),
        lookups_per_vc,
        slot_bits,
        tag_bits: port_bits + vc_bits + slot_bits,
        cache_parity: cache.as_ref().and_then(|c| parity(c.tag_bits)),
        table_parity: t.forwarding_table.as_ref().and_then(|_| parity(t.address_bits)),
        cache,
        reduction,
        forwarding_table: t.forwarding_table.as_ref().map(|f| {
            let sets = (f.entries / f.ways) as usize;
            ForwardingTableShape { ways: f.ways as usize, sets, index_bits: index_width(sets), crc: f.hash.crc() }
        }),
        external_cam: t.external_cam,
        default_route: t.default_route,
    }
}

//! What every kind of lookup pipeline has at its pins, as a bundle.
//!
//! Source: switch reference, sections 4.2 to 4.5.

use crate::rtl::prelude::*;
use crate::units::multicast::multicast_header::header_bits;
use crate::units::route::layout::route_bits;
use crate::units::route::reduction::reduction_settings::{reduction_settings, ReductionSettings};
use railyard_spec::{Shape, TableShape};

/// Operations as they are issued, and as they resolve.
#[bundle]
pub struct LookupPorts<D: Side> {
    /// A lookup is issued.
    pub issue_lookup: Flag<D>,
    /// A fill is issued.
    pub issue_fill: Flag<D>,
    /// The lookup's packet is malformed.
    pub issue_malformed: Flag<D>,
    /// The lookup's VC.
    pub issue_vc: Sig<D>,
    /// The operation's address.
    pub issue_address: Sig<D>,
    /// The fill's result is drop.
    pub issue_drop: Flag<D>,
    /// Output port that is the fill's result.
    pub issue_port: Sig<D>,
    /// A fill was issued in the cycle before.
    pub fill_ahead: Flag<Opposite<D>>,
    /// A lookup resolves.
    pub resolve_lookup: Flag<Opposite<D>>,
    /// A fill resolves.
    pub resolve_fill: Flag<Opposite<D>>,
    /// The lookup's VC.
    pub resolve_vc: Sig<Opposite<D>>,
    /// The operation's address.
    pub resolve_address: Sig<Opposite<D>>,
    /// A lookup of a malformed packet resolves.
    pub resolve_malformed: Flag<Opposite<D>>,
    /// A lookup resolves as hit.
    pub resolve_hit: Flag<Opposite<D>>,
    /// A lookup resolves as miss.
    pub resolve_miss: Flag<Opposite<D>>,
    /// The fill's result is drop.
    pub resolve_drop: Flag<Opposite<D>>,
    /// Output port that is the fill's result.
    pub resolve_port: Sig<Opposite<D>>,
    /// The hit's output port.
    pub hit_port: Sig<Opposite<D>>,
    #[bare]
    pub control: Option<LookupControl<D>>,
    #[bare]
    pub reduction_settings: Option<ReductionSettings<D>>,
    #[bare]
    pub tags: Option<LookupTags<D>>,
    #[bare]
    pub writes: Option<CacheWrites<Opposite<D>>>,
    /// A lookup of a multicast packet resolves.
    pub resolve_multicast: Option<Flag<Opposite<D>>>,
}

/// What there is to a cache that can be flushed.
#[bundle]
pub struct LookupControl<D: Side> {
    /// The cache is flushed in the current cycle.
    pub flush: Flag<D>,
    /// The cache sweeps in the current cycle.
    pub sweeping: Flag<Opposite<D>>,
    /// The operation is fresh, unless a flush is in the current cycle.
    pub issue_fresh: Flag<D>,
    /// Number of the fill's miss slot.
    pub issue_number: Sig<D>,
    /// The operation is fresh.
    pub resolve_fresh: Flag<Opposite<D>>,
    /// Number of the fill's miss slot.
    pub resolve_number: Sig<Opposite<D>>,
}

/// Tags of the cache, which with node reduction are keys.
#[bundle]
pub struct LookupTags<D: Side> {
    /// The operation's set and tag.
    pub resolve_tag: Sig<Opposite<D>>,
    /// Number of the miss slot whose fill enters the read stage.
    pub tag_number: Sig<Opposite<D>>,
    /// Set and tag of the miss slot whose fill enters the read stage.
    pub fill_tag: Sig<D>,
}

/// What counters count of the cache.
#[bundle]
pub struct CacheWrites<D: Side> {
    /// A fill writes its entry.
    pub fills: Flag<D>,
    /// A fill evicts an entry.
    pub evicts: Flag<D>,
}

/// Bits of a miss slot's number v * m + s.
pub fn slot_number_bits(shape: &Shape, table: &TableShape) -> usize {
    clog2(shape.vcs * table.lookups_per_vc).max(1)
}

/// Bits of `resolve_tag`: the cache's set number, and the tag beside it.
pub fn resolve_tag_bits(table: &TableShape) -> Option<usize> {
    table.cache.as_ref().map(|cache| cache.index_bits.max(1) as usize + cache.tag_bits as usize)
}

/// The ports of a lookup pipeline.
pub fn lookup_ports<D: Side>(shape: &Shape, table: &TableShape) -> LookupPorts<D> {
    let (vc_bits, port_bits) = (shape.vc_bits as usize, route_bits(shape));
    let (address_bits, number_bits) = (table.address_bits as usize, slot_number_bits(shape, table));
    let tag_bits = table.reduction.as_ref().and_then(|_| resolve_tag_bits(table));
    LookupPorts {
        issue_vc: sig(vc_bits),
        issue_address: sig(header_bits(shape, address_bits)),
        issue_port: sig(port_bits),
        resolve_vc: sig(vc_bits),
        resolve_address: sig(address_bits),
        resolve_port: sig(port_bits),
        hit_port: sig(port_bits),
        control: shape.cache_control().then(|| LookupControl {
            issue_number: sig(number_bits),
            resolve_number: sig(number_bits),
            ..LookupControl::plain()
        }),
        reduction_settings: table.reduction.as_ref().map(|built| reduction_settings(address_bits, built)),
        tags: tag_bits.map(|bits| LookupTags {
            resolve_tag: sig(bits),
            tag_number: sig(number_bits),
            fill_tag: sig(bits),
        }),
        writes: shape.counter_bits.and(table.cache.as_ref()).map(|_| CacheWrites::plain()),
        resolve_multicast: shape.multicast.map(|_| flag()),
        ..LookupPorts::plain()
    }
}

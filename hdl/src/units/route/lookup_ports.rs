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
    /// a lookup is issued
    pub issue_lookup: Flag<D>,
    /// a fill is issued
    pub issue_fill: Flag<D>,
    /// the lookup's packet is malformed
    pub issue_malformed: Flag<D>,
    /// the lookup's VC
    pub issue_vc: Sig<D>,
    /// the operation's address
    pub issue_address: Sig<D>,
    /// the fill's result: no route
    pub issue_drop: Flag<D>,
    /// the fill's result: output port
    pub issue_port: Sig<D>,
    /// a fill was issued in the cycle before
    pub fill_ahead: Flag<Opposite<D>>,
    /// a lookup resolves
    pub resolve_lookup: Flag<Opposite<D>>,
    /// a fill resolves
    pub resolve_fill: Flag<Opposite<D>>,
    /// the lookup's VC
    pub resolve_vc: Sig<Opposite<D>>,
    /// the operation's address
    pub resolve_address: Sig<Opposite<D>>,
    /// a lookup of a malformed packet resolves
    pub resolve_malformed: Flag<Opposite<D>>,
    /// a lookup resolves as hit
    pub resolve_hit: Flag<Opposite<D>>,
    /// a lookup resolves as miss
    pub resolve_miss: Flag<Opposite<D>>,
    /// the fill's result: no route
    pub resolve_drop: Flag<Opposite<D>>,
    /// the fill's result: output port
    pub resolve_port: Sig<Opposite<D>>,
    /// the hit's output port
    pub hit_port: Sig<Opposite<D>>,
    #[bare]
    pub control: Option<LookupControl<D>>,
    #[bare]
    pub reduction_settings: Option<ReductionSettings<D>>,
    #[bare]
    pub tags: Option<LookupTags<D>>,
    #[bare]
    pub writes: Option<CacheWrites<Opposite<D>>>,
    /// a lookup of a multicast packet resolves
    pub resolve_multicast: Option<Flag<Opposite<D>>>,
}

/// What there is to a cache that can be flushed.
#[bundle]
pub struct LookupControl<D: Side> {
    /// a flush is in this cycle
    pub flush: Flag<D>,
    /// the cache sweeps in this cycle
    pub sweeping: Flag<Opposite<D>>,
    /// the operation is fresh, if no flush is in this cycle
    pub issue_fresh: Flag<D>,
    /// number of the fill's miss slot
    pub issue_number: Sig<D>,
    /// the operation is fresh
    pub resolve_fresh: Flag<Opposite<D>>,
    /// number of the fill's miss slot
    pub resolve_number: Sig<Opposite<D>>,
}

/// Tags of the cache, which with node reduction are keys.
#[bundle]
pub struct LookupTags<D: Side> {
    /// the operation's set and tag
    pub resolve_tag: Sig<Opposite<D>>,
    /// number of the miss slot whose fill enters the read stage
    pub tag_number: Sig<Opposite<D>>,
    /// its set and tag
    pub fill_tag: Sig<D>,
}

/// What counters count of the cache.
#[bundle]
pub struct CacheWrites<D: Side> {
    /// a fill writes its entry
    pub fills: Flag<D>,
    /// and evicts another one
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

//! What every kind of lookup pipeline has at its pins, as a bundle.
//!
//! Source: switch reference, sections 4.2 to 4.5.

use crate::units::prelude::*;

/// Operations as they are issued, and as they resolve.
#[bundle(shape: &Shape, table: &TableShape)]
pub struct LookupPorts<D: Side> {
    pub issue: Operation<
        D,
        { shape.vc_bits as usize },
        { header_bits(shape, table.address_bits as usize) },
        { route_bits(shape) },
    >,
    /// A fill was issued in the cycle before.
    pub fill_ahead: Flag<Opposite<D>>,
    /// A lookup resolves.
    pub resolve_lookup: Flag<Opposite<D>>,
    /// A fill resolves.
    pub resolve_fill: Flag<Opposite<D>>,
    /// The lookup's VC.
    pub resolve_vc: Sig<Opposite<D>, { shape.vc_bits as usize }>,
    /// The operation's address.
    pub resolve_address: Sig<Opposite<D>, { table.address_bits as usize }>,
    /// A lookup of a malformed packet resolves.
    pub resolve_malformed: Flag<Opposite<D>>,
    /// A lookup resolves as hit.
    pub resolve_hit: Flag<Opposite<D>>,
    /// A lookup resolves as miss.
    pub resolve_miss: Flag<Opposite<D>>,
    /// The fill's result is drop.
    pub resolve_drop: Flag<Opposite<D>>,
    /// Output port that is the fill's result.
    pub resolve_port: Sig<Opposite<D>, { route_bits(shape) }>,
    /// The hit's output port.
    pub hit_port: Sig<Opposite<D>, { route_bits(shape) }>,
    pub control: Bare<Option<LookupControl<D, { slot_number_bits(shape, table) }>, { shape.cache_control() }>>,
    #[made(table.reduction.as_ref().map(|built| reduction_wires(table.address_bits as usize, built)))]
    pub reduction_settings: Bare<Option<ReductionWires<D>>>,
    #[made({
        let tag_bits = table.reduction.as_ref().and(resolve_tag_bits(table));
        tag_bits.map(|bits| lookup_tags(bits, slot_number_bits(shape, table)))
    })]
    pub tags: Bare<Option<LookupTags<D>>>,
    pub writes: Bare<Option<CacheWrites<Opposite<D>>, { shape.counter_bits.and(table.cache.as_ref()).is_some() }>>,
    /// Bit of the cache's word that is stored inverted.
    pub flip: Option<Sig<D, { shape.cache_parity().map_or(1, |word| word.bits as usize) }>, { has_cache_flip(shape) }>,
    /// A lookup that resolves has read a word of the cache with wrong parity.
    pub resolve_faulty: Option<Flag<Opposite<D>>, { shape.cache_parity().is_some() }>,
    /// A lookup of a multicast packet resolves.
    pub resolve_multicast: Option<Flag<Opposite<D>>, { shape.multicast.is_some() }>,
}

/// An operation on its way through a lookup pipeline: a lookup, or a fill with its result.
#[bundle(vc_bits: usize, address_bits: usize, port_bits: usize)]
pub struct Operation<D: Side> {
    /// A lookup is issued.
    pub lookup: Flag<D>,
    /// A fill is issued.
    pub fill: Flag<D>,
    /// The lookup's packet is malformed.
    pub malformed: Flag<D>,
    /// The lookup's VC.
    pub vc: Sig<D, vc_bits>,
    /// The operation's address.
    pub address: Sig<D, address_bits>,
    /// The fill's result is drop.
    pub drop: Flag<D>,
    /// Output port that is the fill's result.
    pub port: Sig<D, port_bits>,
}

/// What there is to a cache that can be flushed.
#[bundle(number_bits: usize)]
pub struct LookupControl<D: Side> {
    /// The cache is flushed in the current cycle.
    pub flush: Flag<D>,
    /// The cache sweeps in the current cycle.
    pub sweeping: Flag<Opposite<D>>,
    /// The operation is fresh, unless a flush is in the current cycle.
    pub issue_fresh: Flag<D>,
    /// Number of the fill's miss slot.
    pub issue_number: Sig<D, number_bits>,
    /// The operation is fresh.
    pub resolve_fresh: Flag<Opposite<D>>,
    /// Number of the fill's miss slot.
    pub resolve_number: Sig<Opposite<D>, number_bits>,
}

/// Tags of the cache, which with node reduction are keys.
#[bundle(tag_bits: usize, number_bits: usize)]
pub struct LookupTags<D: Side> {
    /// The operation's set and tag.
    pub resolve_tag: Sig<Opposite<D>, tag_bits>,
    /// Number of the miss slot whose fill enters the read stage.
    pub tag_number: Sig<Opposite<D>, number_bits>,
    /// Set and tag of the miss slot whose fill enters the read stage.
    pub fill_tag: Sig<D, tag_bits>,
}

/// What counters count of the cache.
#[bundle]
pub struct CacheWrites<D: Side> {
    /// A fill writes its entry.
    pub fills: Flag<D>,
    /// A fill evicts an entry.
    pub evicts: Flag<D>,
}

/// Whether there is a pin that inverts a bit of what is written into the cache.
pub fn has_cache_flip(shape: &Shape) -> bool {
    shape.cache_parity().is_some_and(|word| word.fault_pins)
}

/// Bits of a miss slot's number v * m + s.
pub fn slot_number_bits(shape: &Shape, table: &TableShape) -> usize {
    clog2(shape.vcs * table.lookups_per_vc).max(1)
}

/// Bits of `resolve_tag`: the cache's set number, and the tag beside it.
pub fn resolve_tag_bits(table: &TableShape) -> Option<usize> {
    table.cache.as_ref().map(|cache| cache.index_bits.max(1) as usize + cache.tag_bits as usize)
}

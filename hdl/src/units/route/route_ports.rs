//! What every kind of route computation has at its pins, as a bundle. Each kind has those parts that it has a use for.
//!
//! Source: switch reference, sections 4 and 5.

use crate::units::prelude::*;

/// From the packets that arrive at a port to the results at the heads of its route queues.
#[bundle(shape: &Shape)]
pub struct RoutePorts<D: Side> {
    pub arrival: Bare<HeaderArrival<D, shape>>,
    pub head: RouteHead<Opposite<D>, shape>,
    /// The head is taken.
    pub take: Sig<D, { shape.vcs }>,
    #[made(shape.table().map(|table| cam_access(shape, table)))]
    pub cam: Bare<Option<CamAccess<Opposite<D>>>>,
    pub lookups: Bare<Option<Lookups<Opposite<D>, shape>, { shape.table().is_some() }>>,
    /// Bit of the cache's word that is stored inverted.
    pub flip: Option<Sig<D, { shape.cache_parity().map_or(1, |word| word.bits as usize) }>, { has_cache_flip(shape) }>,
    #[made(shape.cache_control().then(|| CacheControl {
        enable: flag().doc("The cache is enabled."),
        flush: flag().doc("The cache is flushed in the current cycle."),
        sweeping: flag().doc("The cache sweeps in the current cycle."),
    }))]
    pub control: Bare<Option<CacheControl<D>>>,
    #[made(shape.reduction().zip(shape.address_bits()).map(|(built, bits)| reduction_wires(bits as usize, built)))]
    pub reduction_settings: Bare<Option<ReductionWires<D>>>,
    /// Port map: {valid, port} of each key.
    #[made(many(shape.algorithmic().map_or(0, |a| 1 << a.reduction.key_bits), || {
        sig(route_bits(shape) + 1).doc(match (shape.next_vc, shape.link_aggregation.is_some()) {
            (_, true) => "Port map: {valid, route} of each key.",
            (true, false) => "Port map: {valid, vc_set, vc, port} of each key.",
            (false, false) => "Port map: {valid, port} of each key.",
        })
    }))]
    pub map_entries: Vec<Sig<D>>,
    #[made(shape.dragonfly().map(|built| route_tables(shape, built)))]
    pub route_tables: Bare<Option<RouteTables<D>>>,
    /// The port leads to a node.
    pub from_node: Option<Flag<D>, { is_adaptive(shape) }>,
    /// The port leads to another group.
    pub from_global: Option<Flag<D>, { is_adaptive(shape) }>,
    /// Cycles since reset.
    pub now: Option<Sig<D, { shape.dragonfly().map_or(1, birth_bits_of) }>, { has_ages(shape) }>,
    pub events:
        Bare<Option<LookupEvents<Opposite<D>, shape>, { shape.table().is_some() && shape.counter_bits.is_some() }>>,
}

/// How lookups resolve, at the pins.
#[bundle(shape: &Shape)]
pub struct Lookups<D: Side> {
    /// A lookup hit in the cycle before.
    pub lookup_hit: Flag<D>,
    /// A lookup missed in the cycle before.
    pub lookup_miss: Flag<D>,
    /// A lookup read a word of the cache with wrong parity in the cycle before.
    pub lookup_parity: Option<Flag<D>, { shape.cache_parity().is_some() }>,
}

/// What counters count of lookups.
#[bundle(shape: &Shape)]
pub struct LookupEvents<D: Side> {
    /// The VC's oldest packet has a pending result.
    pub pending_now: Sig<D, { shape.vcs }>,
    /// A lookup hits.
    pub hit_now: Flag<D>,
    /// A lookup misses.
    pub miss_now: Flag<D>,
    /// A lookup misses and joins a miss that is under way.
    pub merged_now: Flag<D>,
    /// A fill writes its entry into the cache.
    pub fill_now: Option<Flag<D>, { has_cache(shape) }>,
    /// A fill evicts an entry of the cache.
    pub evict_now: Option<Flag<D>, { has_cache(shape) }>,
    /// The VC's oldest miss slot is freed.
    pub freed_now: Sig<D, { shape.vcs }>,
}

/// Whether packets have phases.
fn is_adaptive(shape: &Shape) -> bool {
    shape.dragonfly().is_some_and(|built| built.adaptive())
}

/// Whether each port has a routing cache.
fn has_cache(shape: &Shape) -> bool {
    shape.table().is_some_and(|table| table.cache.is_some())
}

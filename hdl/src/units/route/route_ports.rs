//! What every kind of route computation has at its pins, as a bundle. Each kind has those parts that it has a use for.
//!
//! Source: switch reference, sections 4 and 5.

use crate::rtl::prelude::*;
use crate::units::route::arrival::{arrival, Arrival};
use crate::units::route::cache_control::CacheControl;
use crate::units::route::cam_wires::{cam_access, CamAccess};
use crate::units::route::layout::route_bits;
use crate::units::route::reduction::reduction_settings::{reduction_settings, ReductionSettings};
use crate::units::route::route_head::{route_head, RouteHead};
use railyard_spec::Shape;

/// From the packets that arrive at a port to the results at the heads of its route queues.
#[bundle]
pub struct RoutePorts<D: Side> {
    #[bare]
    pub arrival: Arrival<D>,
    pub head: RouteHead<Opposite<D>>,
    /// The head is taken.
    pub take: Sig<D>,
    #[bare]
    pub cam: Option<CamAccess<Opposite<D>>>,
    #[bare]
    pub lookups: Option<Lookups<Opposite<D>>>,
    #[bare]
    pub control: Option<CacheControl<D>>,
    #[bare]
    pub reduction_settings: Option<ReductionSettings<D>>,
    /// Port map: {valid, port} of each key.
    pub map_entries: Vec<Sig<D>>,
    #[bare]
    pub events: Option<LookupEvents<Opposite<D>>>,
}

/// How lookups resolve, at the pins.
#[bundle]
pub struct Lookups<D: Side> {
    /// A lookup hit in the cycle before.
    pub lookup_hit: Flag<D>,
    /// A lookup missed in the cycle before.
    pub lookup_miss: Flag<D>,
}

/// What counters count of lookups.
#[bundle]
pub struct LookupEvents<D: Side> {
    /// The VC's oldest packet has a pending result.
    pub pending_now: Sig<D>,
    /// A lookup hits.
    pub hit_now: Flag<D>,
    /// A lookup misses.
    pub miss_now: Flag<D>,
    /// A lookup misses and joins a miss that is under way.
    pub merged_now: Flag<D>,
    /// A fill writes its entry into the cache.
    pub fill_now: Option<Flag<D>>,
    /// A fill evicts an entry of the cache.
    pub evict_now: Option<Flag<D>>,
    /// The VC's oldest miss slot is freed.
    pub freed_now: Sig<D>,
}

/// The ports of route computation in a switch of the given shape.
pub fn route_ports<D: Side>(shape: &Shape) -> RoutePorts<D> {
    let (table, algorithmic) = (shape.table(), shape.algorithmic());
    let map_doc = match (shape.next_vc, shape.link_aggregation.is_some()) {
        (_, true) => "Port map: {valid, route} of each key.",
        (true, false) => "Port map: {valid, vc_set, vc, port} of each key.",
        (false, false) => "Port map: {valid, port} of each key.",
    };
    let cached = table.is_some_and(|table| table.cache.is_some());
    RoutePorts {
        arrival: arrival(shape),
        head: route_head(shape),
        take: sig(shape.vcs),
        cam: table.map(|table| cam_access(shape, table)),
        lookups: table.map(|_| Lookups::plain()),
        control: shape.cache_control().then(|| CacheControl {
            enable: flag().doc("The cache is enabled."),
            flush: flag().doc("The cache is flushed in the current cycle."),
            sweeping: flag().doc("The cache sweeps in the current cycle."),
        }),
        reduction_settings: shape
            .reduction()
            .zip(shape.address_bits())
            .map(|(reduction, bits)| reduction_settings(bits as usize, reduction)),
        map_entries: many(algorithmic.map_or(0, |a| 1 << a.reduction.key_bits), || {
            sig(route_bits(shape) + 1).doc(map_doc)
        }),
        events: table.and(shape.counter_bits).map(|_| LookupEvents {
            pending_now: sig(shape.vcs),
            fill_now: cached.then(flag),
            evict_now: cached.then(flag),
            freed_now: sig(shape.vcs),
            ..LookupEvents::plain()
        }),
    }
}

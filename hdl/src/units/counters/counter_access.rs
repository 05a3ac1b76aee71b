//! Access to the counters, as bundles: which of them the registers read, and when all are sampled.
//!
//! Source: switch reference, section 9.1.

use crate::rtl::prelude::*;
use railyard_spec::Shape;

/// When all counters are sampled, and when they restart.
#[bundle]
pub struct Sampling<D: Side> {
    /// The snapshot takes all counts.
    pub snapshot: Flag<D>,
    /// The counts start again from 0.
    pub clear: Flag<D>,
}

/// Kinds of counters of a port. Those that the switch does not count are not there.
#[bundle]
pub struct PortKinds<D: Side> {
    /// Kind of counter of lookups to read.
    pub lookup_kind: Option<Sig<D>>,
    /// Kind of counter of fills to read.
    pub fill_kind: Option<Sig<D>>,
    /// Number of multicast packets to read.
    pub multicast_kind: Option<Flag<D>>,
    /// Number of misses under way to read.
    pub outstanding_kind: Option<Flag<D>>,
}

/// Kinds of counters of the switch. Those that the switch does not count are not there.
#[bundle]
pub struct SwitchKinds<D: Side> {
    /// Counter of the forwarding table to read.
    pub table_kind: Option<Sig<D>>,
    /// Counter of the CAM to read.
    pub cam_kind: Option<Sig<D>>,
}

/// All of these, and what is read, as the registers have them.
#[bundle]
pub struct CounterAccess<D: Side> {
    #[bare]
    pub sampling: Sampling<D>,
    /// Kind of counter of a VC to read.
    pub vc_kind: Sig<D>,
    /// Port and VC of the counter: VC v of port p is bit p * k + v.
    pub vc_select: Sig<D>,
    #[bare]
    pub of_port: PortKinds<D>,
    /// Port of the counter.
    pub port_select: Option<Sig<D>>,
    #[bare]
    pub of_switch: SwitchKinds<D>,
    /// Counter selected in each port, and in the switch.
    pub count: Vec<Sig<Opposite<D>>>,
}

/// Kinds of counters of lookups.
pub const LOOKUP_KINDS: usize = 3;
/// Kinds of counters of fills.
pub const FILL_KINDS: usize = 2;
/// Kinds of counters of the forwarding table.
pub const TABLE_KINDS: usize = 2;
/// Kinds of counters of the CAM.
pub const CAM_KINDS: usize = 2;

/// Kinds of counters of a VC in this switch.
pub fn vc_kinds(shape: &Shape) -> usize {
    7 + usize::from(shape.table().is_some())
}

/// [`PortKinds`] of a switch of the given shape.
pub fn port_kinds<D: Side>(shape: &Shape) -> PortKinds<D> {
    let (by_table, cached) = (shape.table().is_some(), shape.table().is_some_and(|table| table.cache.is_some()));
    PortKinds {
        lookup_kind: by_table.then(|| sig(LOOKUP_KINDS)),
        fill_kind: cached.then(|| sig(FILL_KINDS)),
        multicast_kind: shape.multicast.is_some().then(flag),
        outstanding_kind: by_table.then(flag),
    }
}

/// [`SwitchKinds`] of a switch of the given shape.
pub fn switch_kinds<D: Side>(shape: &Shape) -> SwitchKinds<D> {
    SwitchKinds {
        table_kind: shape.forwarding_table().is_some().then(|| sig(TABLE_KINDS)),
        cam_kind: shape.external_cam().then(|| sig(CAM_KINDS)),
    }
}

/// [`CounterAccess`] of a switch of the given shape, which has counters of `bits` bits.
pub fn counter_access<D: Side>(shape: &Shape, bits: usize) -> CounterAccess<D> {
    let (ports, by_table) = (shape.ports, shape.table().is_some());
    CounterAccess {
        vc_kind: sig(vc_kinds(shape)),
        vc_select: sig(ports * shape.vcs),
        of_port: port_kinds(shape),
        port_select: (by_table || shape.multicast.is_some()).then(|| sig(ports)),
        of_switch: switch_kinds(shape),
        count: many(ports + usize::from(by_table), || sig(bits)),
        ..CounterAccess::plain()
    }
}

//! Access to the counters, as bundles: which of them the registers read, and when all are sampled.
//!
//! Source: switch reference, section 9.1.

use crate::units::prelude::*;

/// When all counters are sampled, and when they restart.
#[bundle]
pub struct Sampling<D: Side> {
    /// The snapshot takes all counts.
    pub snapshot: Flag<D>,
    /// The counts start again from 0.
    pub clear: Flag<D>,
}

/// Kinds of counters of a port. Those that the switch does not count are not there.
#[bundle(shape: &Shape)]
pub struct PortKinds<D: Side> {
    /// Kind of counter of lookups to read.
    pub lookup_kind: Option<Sig<D, LOOKUP_KINDS>, { shape.table().is_some() }>,
    /// Kind of counter of fills to read.
    pub fill_kind: Option<Sig<D, FILL_KINDS>, { shape.table().is_some_and(|table| table.cache.is_some()) }>,
    /// Number of multicast packets to read.
    pub multicast_kind: Option<Flag<D>, { shape.multicast.is_some() }>,
    /// Number of misses under way to read.
    pub outstanding_kind: Option<Flag<D>, { shape.table().is_some() }>,
    /// Kind of counter of router messages to read.
    pub message_kind: Option<Sig<D, MESSAGE_KINDS>, { shape.router_messages().is_some() }>,
}

/// Kinds of counters of the switch. Those that the switch does not count are not there.
#[bundle(shape: &Shape)]
pub struct SwitchKinds<D: Side> {
    /// Counter of the forwarding table to read.
    pub table_kind: Option<Sig<D, TABLE_KINDS>, { shape.forwarding_table().is_some() }>,
    /// Counter of the CAM to read.
    pub cam_kind: Option<Sig<D, CAM_KINDS>, { shape.external_cam() }>,
}

/// All of these, and what is read, as the registers have them.
#[bundle(shape: &Shape, bits: usize)]
pub struct CounterAccess<D: Side> {
    pub sampling: Bare<Sampling<D>>,
    /// Kind of counter of a VC to read.
    pub vc_kind: Sig<D, { vc_kinds(shape) }>,
    /// Port and VC of the counter: VC v of port p is bit p * k + v.
    pub vc_select: Sig<D, { shape.ports * shape.vcs }>,
    pub of_port: Bare<PortKinds<D, shape>>,
    /// Port of the counter.
    pub port_select: Option<Sig<D, { shape.ports }>, { counts_by_port(shape) }>,
    pub of_switch: Bare<SwitchKinds<D, shape>>,
    /// Counter selected in each port, and in the switch.
    pub count: Vec<Sig<Opposite<D>, bits>, { shape.ports + usize::from(shape.table().is_some()) }>,
}

/// Kinds of counters of lookups.
pub const LOOKUP_KINDS: usize = 3;
/// Kinds of counters of fills.
pub const FILL_KINDS: usize = 2;
/// Kinds of counters of router messages.
pub const MESSAGE_KINDS: usize = 3;
/// Kinds of counters of the forwarding table.
pub const TABLE_KINDS: usize = 2;
/// Kinds of counters of the CAM.
pub const CAM_KINDS: usize = 2;

/// Whether there are counters of ports that are not of VCs.
pub fn counts_by_port(shape: &Shape) -> bool {
    shape.table().is_some() || shape.multicast.is_some() || shape.router_messages().is_some()
}

/// Kinds of counters of a VC in this switch.
pub fn vc_kinds(shape: &Shape) -> usize {
    7 + usize::from(shape.table().is_some())
}

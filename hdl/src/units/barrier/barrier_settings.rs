//! Settings and state of barriers, as bundles: between the registers and the barrier unit.
//!
//! Source: switch reference, sections 9 and 11.

use crate::units::prelude::*;

/// Bits of `scale`.
pub const SCALE_BITS: usize = 4;

/// What all groups share: the timers; and the commands that clear faults.
#[bundle(built: &BarrierShape)]
pub struct BarrierControl<D: Side> {
    /// Ticks after which an arrival is sent again.
    pub retransmit_limit: Sig<D, BYTE>,
    /// Ticks after which the completion is urged.
    pub urge_limit: Sig<D, BYTE>,
    /// A tick is 2^scale cycles.
    pub scale: Sig<D, SCALE_BITS>,
    /// The faults of barrier group g are cleared.
    pub clear_group: Sig<D, { built.groups }>,
    /// The faults of all ports are cleared.
    pub clear_ports: Flag<D>,
}

/// Sticky faults of the ports.
#[bundle(shape: &Shape)]
pub struct BarrierFaults<D: Side> {
    /// A corrupt message came to port p.
    pub corrupt: Sig<D, { shape.ports }>,
    /// A message came to port p for a group that is not built.
    pub no_group: Sig<D, { shape.ports }>,
}

/// Settings of each group: the place of this switch in its tree.
#[bundle(shape: &Shape, built: &BarrierShape)]
pub struct TreeSettings<D: Side> {
    /// Leaves of barrier group g.
    pub leaves: Vec<Sig<D, { shape.ports }>, { built.groups }>,
    /// Barrier group g takes part.
    pub enable: Sig<D, { built.groups }>,
    /// The switch is the root of barrier group g.
    pub root: Sig<D, { built.groups }>,
    /// Port toward the root of barrier group g.
    pub parent: Vec<Sig<D, { shape.port_bits as usize }>, { built.groups }>,
    /// Settings of barrier group g are written.
    pub restart: Sig<D, { built.groups }>,
}

/// State of each group, to be read.
#[bundle(shape: &Shape, built: &BarrierShape)]
pub struct BarrierState<D: Side> {
    /// State and faults of barrier group g.
    pub status: Vec<Sig<D, STATUS_BITS>, { built.groups }>,
    /// Leaves of barrier group g that have arrived.
    pub arrived: Vec<Sig<D, { shape.ports }>, { built.groups }>,
    /// Counters of barrier group g.
    pub counts: Vec<Sig<D, COUNT_BITS>, { built.groups }>,
}

/// All of these, as the registers have them.
#[bundle(shape: &Shape, built: &BarrierShape)]
pub struct BarrierSettings<D: Side> {
    pub control: Bare<BarrierControl<D, built>>,
    pub faults: Bare<BarrierFaults<Opposite<D>, shape>>,
    pub tree: Bare<TreeSettings<D, shape, built>>,
    pub state: Bare<BarrierState<Opposite<D>, shape, built>>,
}

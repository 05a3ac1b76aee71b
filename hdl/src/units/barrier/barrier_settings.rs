//! Settings and state of barriers, as bundles: between the registers and the barrier unit.
//!
//! Source: switch reference, sections 9 and 11.

use super::barrier_group::{COUNT_BITS, STATUS_BITS};
use super::barrier_message::BYTE;
use crate::rtl::prelude::*;
use railyard_spec::{BarrierShape, Shape};

/// Bits of `scale`.
pub const SCALE_BITS: usize = 4;

/// What all groups share: the timers; and the commands that clear faults.
#[bundle]
pub struct BarrierControl<D: Side> {
    /// Ticks after which an arrival is sent again.
    pub retransmit_limit: Sig<D>,
    /// Ticks after which the completion is urged.
    pub urge_limit: Sig<D>,
    /// A tick is 2^scale cycles.
    pub scale: Sig<D>,
    /// The faults of barrier group g are cleared.
    pub clear_group: Sig<D>,
    /// The faults of all ports are cleared.
    pub clear_ports: Flag<D>,
}

/// [`BarrierControl`] of the groups of a switch.
pub fn barrier_control<D: Side>(built: &BarrierShape) -> BarrierControl<D> {
    BarrierControl {
        retransmit_limit: sig(BYTE),
        urge_limit: sig(BYTE),
        scale: sig(SCALE_BITS),
        clear_group: sig(built.groups),
        ..BarrierControl::plain()
    }
}

/// Sticky faults of the ports.
#[bundle]
pub struct BarrierFaults<D: Side> {
    /// A corrupt message came to port p.
    pub corrupt: Sig<D>,
    /// A message came to port p for a group that is not built.
    pub no_group: Sig<D>,
}

/// [`BarrierFaults`] of a switch of the given shape.
pub fn barrier_faults<D: Side>(shape: &Shape) -> BarrierFaults<D> {
    BarrierFaults { corrupt: sig(shape.ports), no_group: sig(shape.ports) }
}

/// Settings of each group: the place of this switch in its tree.
#[bundle]
pub struct BarrierTree<D: Side> {
    /// Leaves of barrier group g.
    pub leaves: Vec<Sig<D>>,
    /// Barrier group g takes part.
    pub enable: Sig<D>,
    /// The switch is the root of barrier group g.
    pub root: Sig<D>,
    /// Port toward the root of barrier group g.
    pub parent: Vec<Sig<D>>,
    /// Settings of barrier group g are written.
    pub restart: Sig<D>,
}

/// [`BarrierTree`] of the groups of a switch.
pub fn barrier_tree<D: Side>(shape: &Shape, built: &BarrierShape) -> BarrierTree<D> {
    let groups = built.groups;
    BarrierTree {
        leaves: many(groups, || sig(shape.ports)),
        enable: sig(groups),
        root: sig(groups),
        parent: many(groups, || sig(shape.port_bits as usize)),
        restart: sig(groups),
    }
}

/// State of each group, to be read.
#[bundle]
pub struct BarrierState<D: Side> {
    /// State and faults of barrier group g.
    pub status: Vec<Sig<D>>,
    /// Leaves of barrier group g that have arrived.
    pub arrived: Vec<Sig<D>>,
    /// Counters of barrier group g.
    pub counts: Vec<Sig<D>>,
}

/// [`BarrierState`] of the groups of a switch.
pub fn barrier_state<D: Side>(shape: &Shape, built: &BarrierShape) -> BarrierState<D> {
    let groups = built.groups;
    BarrierState {
        status: many(groups, || sig(STATUS_BITS)),
        arrived: many(groups, || sig(shape.ports)),
        counts: many(groups, || sig(COUNT_BITS)),
    }
}

/// All of these, as the registers have them.
#[bundle]
pub struct BarrierSettings<D: Side> {
    #[bare]
    pub control: BarrierControl<D>,
    #[bare]
    pub faults: BarrierFaults<Opposite<D>>,
    #[bare]
    pub tree: BarrierTree<D>,
    #[bare]
    pub state: BarrierState<Opposite<D>>,
}

/// [`BarrierSettings`] of the groups of a switch.
pub fn barrier_settings<D: Side>(shape: &Shape, built: &BarrierShape) -> BarrierSettings<D> {
    BarrierSettings {
        control: barrier_control(built),
        faults: barrier_faults(shape),
        tree: barrier_tree(shape, built),
        state: barrier_state(shape, built),
    }
}

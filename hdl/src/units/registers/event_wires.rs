//! Events of a switch on their way to the registers, and the interrupt on its way back, as a bundle.
//!
//! Source: switch reference, section 9.2.

use crate::units::prelude::*;

/// Events of the current cycle.
#[bundle(shape: &Shape)]
pub struct EventWires<D: Side> {
    /// A flit comes to port p on a VC that does not exist.
    pub vc: Sig<D, { shape.ports }>,
    /// A head comes to port p inside a packet, or a flit outside one.
    pub framing: Sig<D, { shape.ports }>,
    /// A flit comes to port p without credit.
    pub overflow: Sig<D, { shape.ports }>,
    /// A packet at port p is over the maximum, or shorter than its header.
    pub length: Sig<D, { shape.ports }>,
    /// A credit report for port p is for flits that were never sent.
    pub credit: Sig<D, { shape.ports }>,
    /// A packet without a route was dropped at port p.
    pub drop: Sig<D, { shape.ports }>,
    /// The barrier message that is taken at port p is a fault.
    pub barrier: Option<Sig<D, { shape.ports }>, { shape.barrier.is_some() }>,
    /// A wrong bit of the flit that leaves port p was corrected.
    pub corrected: Option<Sig<D, { shape.ports }>, { shape.buffer_code.is_some() }>,
    /// The packet whose tail leaves port p has an error that was not corrected.
    pub bad: Option<Sig<D, { shape.ports }>, { shape.buffer_code.is_some() }>,
    /// A lookup of port p read a word of the cache with wrong parity.
    pub parity: Option<Sig<D, { shape.ports }>, { shape.cache_parity().is_some() }>,
    /// A request read a word of the forwarding table with wrong parity.
    pub table_parity: Option<Flag<D>, { shape.table_parity().is_some() }>,
    /// A packet at port p read a word of the group table with wrong parity.
    pub group_parity: Option<Sig<D, { shape.ports }>, { shape.group_parity().is_some() }>,
    /// An answer of the CAM matches no request, or names a route that does not exist.
    pub cam: Option<Flag<D>, { shape.external_cam() }>,
    /// All events are cleared.
    pub clear: Flag<D>,
    /// An event that is enabled has happened, and is not yet cleared.
    pub interrupt: Flag<Opposite<D>>,
}

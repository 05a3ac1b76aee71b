//! Events of a switch on their way to the registers, and the interrupt on its way back, as a bundle.
//!
//! Source: switch reference, section 9.2.

use crate::rtl::prelude::*;
use railyard_spec::Shape;

/// Events of the current cycle.
#[bundle]
pub struct EventWires<D: Side> {
    /// A flit comes to port p on a VC that does not exist.
    pub vc: Sig<D>,
    /// A head comes to port p inside a packet, or a flit outside one.
    pub framing: Sig<D>,
    /// A flit comes to port p without credit.
    pub overflow: Sig<D>,
    /// A packet at port p is over the maximum, or shorter than its header.
    pub length: Sig<D>,
    /// A credit report for port p is for flits that were never sent.
    pub credit: Sig<D>,
    /// A packet without a route was dropped at port p.
    pub drop: Sig<D>,
    /// The barrier message that is taken at port p is a fault.
    pub barrier: Option<Sig<D>>,
    /// An answer of the CAM matches no request, or names a route that does not exist.
    pub cam: Option<Flag<D>>,
    /// All events are cleared.
    pub clear: Flag<D>,
    /// An event that is enabled has happened, and is not yet cleared.
    pub interrupt: Flag<Opposite<D>>,
}

/// [`EventWires`] of a switch.
pub fn event_wires<D: Side>(shape: &Shape) -> EventWires<D> {
    let n = shape.ports;
    EventWires {
        vc: sig(n),
        framing: sig(n),
        overflow: sig(n),
        length: sig(n),
        credit: sig(n),
        drop: sig(n),
        barrier: shape.barrier.map(|_| sig(n)),
        cam: shape.external_cam().then(flag),
        ..EventWires::plain()
    }
}

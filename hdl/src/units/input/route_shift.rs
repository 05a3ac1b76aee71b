//! Route shift: takes the output port from a source-routed head flit and moves the next hop's into its place.
//!
//! No state; combinational.
//!
//! Source: switch reference, section 3 (source routing); packet format.

use crate::units::prelude::*;

/// Takes the output port from a head flit and moves the next hop's into its place.
#[block(shape: &Shape, source: &SourceShape)]
pub struct RouteShift {
    /// Arriving flit.
    pub flit: Sig<In, flit_bits>,
    /// The flit is the head of a packet.
    pub head: Flag<In>,
    /// Output port of the current hop.
    pub port: Sig<Out, port_bits>,
    /// Flit as stored.
    pub stored: Sig<Out, flit_bits>,

    /// Route, with the current hop's port lowest.
    route: Sig<Local, route_bits>,

    route_field: Field<0, route_bits>,

    flit_bits: Param<{ shape.flit_bits as usize }>,
    port_bits: Param<{ shape.port_bits as usize }>,
    route_bits: Param<{ source.route_bits as usize }>,
}

#[kernel]
impl RouteShift {
    fn update(&mut self) {
        self.route.next = unsigned_cast(self.flit.val());
        self.port.next = unsigned_cast(self.route.val());
        self.stored.next = self.flit.val();
        if self.head.val() {
            self.stored.set(self.route_field.val(), self.route.val() >> self.port_bits);
        }
    }
}

//! Route shift: takes the output port from a source-routed head flit and moves the next hop's into its place.
//!
//! No state; combinational.
//!
//! Source: switch reference, section 3 (source routing); packet format.

use crate::rtl::prelude::*;
use railyard_spec::{Shape, SourceShape};

/// Takes the output port from a head flit and moves the next hop's into its place.
#[block]
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

    flit_bits: Param,
    port_bits: Param,
    route_bits: Param,
}

/// Route shift of one port.
pub fn route_shift(shape: &Shape, source: &SourceShape) -> RouteShift {
    sized(RouteShift {
        port_bits: shape.port_bits as usize,
        flit_bits: shape.flit_bits as usize,
        route_bits: source.route_bits as usize,
        ..RouteShift::plain()
    })
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

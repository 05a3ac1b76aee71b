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
    pub flit: Sig<In>,
    /// The flit is the head of a packet.
    pub head: Flag<In>,
    /// Output port of the current hop.
    pub port: Sig<Out>,
    /// Flit as stored.
    pub stored: Sig<Out>,

    /// Route, with the current hop's port lowest.
    route: Sig<Local>,

    route_field: Field,

    flit_bits: Param,
    port_bits: Param,
    route_bits: Param,
}

/// Route shift of one port.
pub fn route_shift(shape: &Shape, source: &SourceShape) -> RouteShift {
    let (w, b, r) = (shape.flit_bits as usize, shape.port_bits as usize, source.route_bits as usize);
    RouteShift {
        flit: sig(w),
        port: sig(b),
        stored: sig(w),
        route: sig(r),
        route_field: field(0, r),
        port_bits: b,
        flit_bits: w,
        route_bits: r,
        ..RouteShift::plain()
    }
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

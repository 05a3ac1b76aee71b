//! Route shift: takes the output port from a source-routed head flit and moves the next hop's into its place.
//!
//! | port | width | meaning |
//! | --- | --- | --- |
//! | `flit` | W | an arriving flit |
//! | `head` | 1 | it is the head of a packet |
//! | `port` | `port_bits` | the lowest field of its route: this hop's output port |
//! | `stored` | W | the flit as it is stored: a head with its route shifted down by one field |
//!
//! No state; combinational.
//!
//! Source: switch reference, section 3 (source routing); packet format.

use crate::rtl::prelude::*;
use railyard_spec::{Shape, SourceShape};

/// Shifts the route of a head flit; see the head of this file.
#[block]
pub struct RouteShift {
    pub flit: Sig<In>,
    pub head: Flag<In>,
    pub port: Sig<Out>,
    pub stored: Sig<Out>,

    route: Sig<Local>,

    route_field: Field,
    port_bits: Param,
    about: About,
}

/// Route shift of one port.
pub fn route_shift(shape: &Shape, source: &SourceShape) -> RouteShift {
    let (w, b, r) = (shape.flit_bits as usize, shape.port_bits as usize, source.route_bits as usize);
    RouteShift {
        flit: sig(w).doc("an arriving flit"),
        head: flag().doc("it is the head of a packet"),
        port: sig(b).doc("this hop's output port"),
        stored: sig(w).doc("the flit as it is stored"),
        route: sig(r).doc("route, this hop's port lowest"),
        route_field: field(0, r),
        port_bits: param(b),
        about: about("route_shift", "Takes the output port from a head flit and moves the next hop's into its place.")
            .param("flit_bits", w)
            .param("port_bits", b)
            .param("route_bits", r),
    }
}

#[kernel]
impl RouteShift {
    fn update(&mut self) {
        self.route.next = unsigned_cast(self.flit.val());
        self.port.next = unsigned_cast(self.route.val());
        self.stored.next = self.flit.val();
        if self.head.val() {
            self.stored.next =
                self.stored.val().replace_bit(self.route_field.val(), self.route.val() >> self.port_bits.val());
        }
    }
}

//! Route: what an entry of CAM, cache or port map says of a packet's way on, as one word.
//!
//! | bits | meaning |
//! | --- | --- |
//! | `port`, port bits | output port |
//! | `vc`, VC bits (with `next_vc` only) | VC on which the packet leaves, if `vc_set` |
//! | `vc_set`, 1 (with `next_vc` only) | 1: it leaves on `vc`; 0: on its own |
//!
//! From the lowest bit, in signals named `*_port` of the blocks between an entry and the route queue: they hand a route on and do
//! not look into it. The route queue, which knows the packet's own VC, makes the VC on which it leaves of it.
//!
//! Source: switch reference, section 4.

use railyard_spec::Shape;

/// Width of a route.
pub fn route_bits(shape: &Shape) -> usize {
    (shape.port_bits + if shape.next_vc { shape.vc_bits + 1 } else { 0 }) as usize
}

/// What the width of a route is called among the parameters of a block: that of a port where it is nothing else.
pub fn width_name(shape: &Shape) -> &'static str {
    match shape.next_vc {
        true => "route_bits",
        false => "port_bits",
    }
}

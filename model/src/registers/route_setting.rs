//! Routes as registers hold them: in the port map, the default route, and the entry of the forwarding table to be
//! written.

use crate::bits::MAX_CANDIDATES;
use crate::route::route_queue::{Candidates, PacketRoute};

/// The route of a register, and of the one with its further candidate ports.
pub(super) fn route(word: u32, candidates: u32) -> PacketRoute {
    let bit = |at: u32| word >> at & 1 == 1;
    let port = word as u8;
    let vc = bit(24).then_some((word >> 16 & 15) as u8);
    let further = (word >> 26 & 3) as u8;
    if bit(25) {
        PacketRoute::Group((word >> 12 & 15) as u8, vc)
    } else if further > 0 {
        let mut ports = [port; MAX_CANDIDATES];
        for (at, candidate) in ports[1..].iter_mut().enumerate() {
            *candidate = (candidates >> (8 * at)) as u8;
        }
        PacketRoute::Candidates(Candidates::new(ports, further, bit(28), vc))
    } else {
        PacketRoute::new(port, vc)
    }
}

/// The same, in a register that says in bit 8 whether there is a route.
pub(super) fn valid_route(word: u32, candidates: u32) -> PacketRoute {
    match word >> 8 & 1 {
        1 => route(word, candidates),
        _ => PacketRoute::Drop,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn fields_are_where_the_registers_have_them() {
        assert_eq!(route(0x0000_0005, 0), PacketRoute::Port(5));
        assert_eq!(route(0x0103_0005, 0), PacketRoute::PortVc(5, 3));
        assert_eq!(route(0x0108_0005, 0), PacketRoute::PortVc(5, 8));
        assert_eq!(route(0x0200_C005, 0), PacketRoute::Group(12, None));
        assert_eq!(route(0x0F07_1005, 0x060708), PacketRoute::Group(1, Some(7)), "a group counts before candidates");
        let candidates =
            |ports, further, in_order, vc| PacketRoute::Candidates(Candidates::new(ports, further, in_order, vc));
        assert_eq!(route(0x0800_0005, 0x3F_0708), candidates([5, 8, 7, 0], 2, false, None));
        assert_eq!(route(0x1D02_0005, 0x3F_0708), candidates([5, 8, 7, 63], 3, true, Some(2)));
        assert_eq!(route(0x1000_0005, 0x3F_0708), PacketRoute::Port(5));
        assert_eq!([valid_route(5, 0), valid_route(0x105, 0)], [PacketRoute::Drop, PacketRoute::Port(5)]);
    }
}

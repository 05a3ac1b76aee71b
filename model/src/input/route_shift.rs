//! Source routing: the route at the low end of a head flit, shifted by one hop on its way through a switch.
//!
//! Source: switch reference, section 3 (Source routing); `spec/src/packet.rs`.

/// Where the route sits.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct SourceRoute {
    /// Width of the whole route.
    pub route_bits: u32,
    /// Width of one hop's field.
    pub port_bits: u32,
}

impl SourceRoute {
    /// Takes the lowest field out of the route in `flit`: the others move down, zeroes come in at the top of the route,
    /// the rest of the flit stays.
    #[inline]
    pub fn shift(&self, flit: &mut [u32]) {
        let words = self.words();
        for w in 0..words {
            let mask = self.mask(w);
            let above = if w + 1 < words { flit[w + 1] & self.mask(w + 1) } else { 0 };
            let pair = (above as u64) << 32 | (flit[w] & mask) as u64;
            flit[w] = flit[w] & !mask | (pair >> self.port_bits) as u32 & mask;
        }
    }

    /// The whole route in `flit` as a number: a multicast packet's group. One of more than 64 bits is the largest there
    /// is.
    #[inline]
    pub fn number(&self, flit: &[u32]) -> u64 {
        (0..self.words()).rev().fold(0, |number, w| match number >> 32 {
            0 => number << 32 | (flit[w] & self.mask(w)) as u64,
            _ => u64::MAX,
        })
    }

    /// Words that hold some of the route.
    #[inline]
    fn words(&self) -> usize {
        self.route_bits.div_ceil(32) as usize
    }

    /// The bits of word `w` that belong to it.
    #[inline]
    fn mask(&self, w: usize) -> u32 {
        let bits = self.route_bits - 32 * w as u32;
        if bits < 32 {
            (1 << bits) - 1
        } else {
            !0
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use railyard_spec::packet::{field, set_field};

    #[test]
    fn agrees_with_the_bit_by_bit_definition() {
        let mut seed = 5u64;
        for (port_bits, hops) in [(1, 1), (4, 5), (6, 64), (5, 13), (4, 16), (6, 1), (4, 8), (3, 11)] {
            let route = SourceRoute { route_bits: port_bits * hops, port_bits };
            let mut flit: Vec<u32> = (0..16)
                .map(|_| {
                    seed = seed.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1_442_695_040_888_963_407);
                    (seed >> 32) as u32
                })
                .collect();
            let mut expected = flit.clone();
            for bit in 0..route.route_bits {
                let from = bit + port_bits;
                let value = if from < route.route_bits { field(&flit, from, 1) } else { 0 };
                set_field(&mut expected, bit, 1, value);
            }
            route.shift(&mut flit);
            assert_eq!(flit, expected, "{route:?}");
        }
    }

    #[test]
    fn the_list_of_ports_as_a_number() {
        let route = |port_bits, hops| SourceRoute { route_bits: port_bits * hops, port_bits };
        let flit = [0x1234_5678, 0x9abc_def0, 1, 0];
        let numbers = [(4, 2), (4, 8), (4, 9), (4, 16), (4, 17), (5, 20)].map(|(b, h)| route(b, h).number(&flit));
        let all = 0x9abc_def0_1234_5678;
        assert_eq!(numbers, [0x78, 0x1234_5678, all & 0xf_ffff_ffff, all, u64::MAX, u64::MAX]);
        assert_eq!(route(5, 20).number(&[7, 0, 0, 0xff00]), 7);
    }
}

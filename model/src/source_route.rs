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
        let full = (self.route_bits / 32) as usize;
        let top_bits = self.route_bits % 32;
        let words = full + (top_bits != 0) as usize;
        let route_mask = |w: usize| if w < full { !0u32 } else { (1 << top_bits) - 1 };
        for w in 0..words {
            let above = if w + 1 < words { flit[w + 1] & route_mask(w + 1) } else { 0 };
            let pair = (above as u64) << 32 | (flit[w] & route_mask(w)) as u64;
            flit[w] = flit[w] & !route_mask(w) | (pair >> self.port_bits) as u32 & route_mask(w);
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
}

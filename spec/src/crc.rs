//! The hash of the routing cache: a plain CRC, any width up to 64 bits, any polynomial.

use crate::polynomial::Polynomial;

/// A CRC as the routing cache uses it: most significant address bit first, register starts at zero, nothing
/// reflected, nothing added at the end. Linear: the CRC of `a ^ b` is the CRC of `a` xor the CRC of `b`, so each bit
/// of the result is the parity of a fixed selection of address bits. Source: Hirasawa2022, 4.2.
#[derive(Clone, Copy, Debug, PartialEq, Eq, serde::Serialize)]
pub struct Crc {
    /// Width in bits, 1 to 64.
    pub bits: u32,
    /// Generator polynomial without its leading term.
    #[serde(serialize_with = "in_hexadecimal")]
    pub polynomial: u64,
}

fn in_hexadecimal<S: serde::Serializer>(polynomial: &u64, serializer: S) -> Result<S::Ok, S::Error> {
    serializer.collect_str(&Polynomial(*polynomial))
}

impl Crc {
    /// The remainder of the `address_bits` low bits of `address`.
    pub fn of(&self, address: u64, address_bits: u32) -> u64 {
        let top = 1u64 << (self.bits - 1);
        let mask = top | (top - 1);
        let mut remainder = 0u64;
        for i in (0..address_bits).rev() {
            let feedback = (remainder & top != 0) ^ (address >> i & 1 == 1);
            remainder = remainder << 1 & mask;
            if feedback {
                remainder ^= self.polynomial & mask;
            }
        }
        remainder
    }

    /// For each of the `index_bits` low bits of the CRC, the address bits whose parity it is, as a mask.
    pub fn parity_masks(&self, address_bits: u32, index_bits: u32) -> Vec<u64> {
        let columns: Vec<u64> = (0..address_bits).map(|i| self.of(1 << i, address_bits)).collect();
        (0..index_bits)
            .map(|row| (0..address_bits).filter(|&i| columns[i as usize] >> row & 1 == 1).fold(0, |m, i| m | 1 << i))
            .collect()
    }

    /// The positions of address bits, ascending, that together with the `index_bits` low bits of the CRC tell any two
    /// addresses apart: what a cache must keep as tag. The other bits follow from these and the index, because the
    /// index's parities can be solved for them; there are as many of them as parities that do not depend on each other.
    pub fn tag_positions(&self, address_bits: u32, index_bits: u32) -> Vec<u32> {
        let mut open = self.parity_masks(address_bits, index_bits);
        let mut positions = Vec::new();
        for position in 0..address_bits {
            // A parity that contains this bit determines it; it is then eliminated from the others.
            match open.iter().position(|mask| mask >> position & 1 == 1) {
                None => positions.push(position),
                Some(at) => {
                    let solved = open.swap_remove(at);
                    open.iter_mut().filter(|mask| **mask >> position & 1 == 1).for_each(|mask| *mask ^= solved);
                }
            }
        }
        positions
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// The catalogue's check value of CRC-16/XMODEM (CCITT polynomial, start at zero) is that of "123456789".
    #[test]
    fn agrees_with_the_catalogue() {
        let crc = Crc { bits: 16, polynomial: 0x1021 };
        let text = b"123456789";
        let (head, tail) = text.split_at(1);
        let low = tail.iter().fold(0u64, |a, &b| a << 8 | b as u64);
        // 72 bits do not fit one address: by linearity the ninth byte's share is that of the byte followed by zeroes.
        let mut share = crc.of(head[0] as u64, 8);
        for _ in 0..64 {
            let feedback = share & 0x8000 != 0;
            share = share << 1 & 0xffff;
            if feedback {
                share ^= 0x1021;
            }
        }
        assert_eq!(crc.of(low, 64) ^ share, 0x31c3);
    }

    #[test]
    fn masks_are_the_same_function() {
        for crc in [
            Crc { bits: 16, polynomial: 0x1021 },
            Crc { bits: 9, polynomial: 0x119 },
            Crc { bits: 64, polynomial: 0x1b },
        ] {
            for address_bits in [8, 24, 64] {
                let index_bits = crc.bits.min(9);
                let masks = crc.parity_masks(address_bits, index_bits);
                for k in 0..200u64 {
                    let address = k.wrapping_mul(0x9e37_79b9_7f4a_7c15) >> (64 - address_bits);
                    let by_mask = (masks.iter().enumerate())
                        .fold(0, |x, (b, m)| x | ((address & m).count_ones() as u64 & 1) << b);
                    assert_eq!(by_mask, crc.of(address, address_bits) & ((1 << index_bits) - 1));
                }
            }
        }
    }

    /// By linearity, index and tag tell all addresses apart if no address but 0 has both zero.
    #[test]
    fn index_and_tag_tell_addresses_apart() {
        for crc in [
            Crc { bits: 16, polynomial: 0x1021 },
            Crc { bits: 14, polynomial: 0x2 },
            Crc { bits: 64, polynomial: 0x1b },
        ] {
            for (address_bits, index_bits) in [(8, 0), (8, 5), (8, 14), (24, 9), (24, 14), (64, 14)] {
                let tag = crc.tag_positions(address_bits, index_bits);
                let others: Vec<u32> = (0..address_bits).filter(|p| !tag.contains(p)).collect();
                assert!(others.len() <= index_bits as usize);
                for k in 1..1u64 << others.len() {
                    let address = others.iter().enumerate().fold(0, |a, (i, p)| a | (k >> i & 1) << p);
                    assert_ne!(crc.of(address, address_bits) & ((1 << index_bits) - 1), 0, "address {address:x}");
                }
            }
        }
        let crc = Crc { bits: 16, polynomial: 0x1021 };
        assert_eq!(crc.tag_positions(24, 9).len(), 15);
    }

    /// The worked examples of the page on the packet format.
    #[test]
    fn examples_of_the_page_are_right() {
        let page = include_str!("../../docs/src/packet-format.md");
        for address in [0x000001, 0x123456] {
            let short = Crc { bits: 16, polynomial: 0x1021 }.of(address, 24);
            let long = Crc { bits: 64, polynomial: 0xAD93_D235_94C9_35A9 }.of(address, 24);
            let ways: Vec<String> = (0..4).map(|way| format!("{:#04x}", long >> (8 * way) & 0xff)).collect();
            let row = format!("| 0x{address:06x} | {short:#x} | {long:#x} | {} |", ways.join(", "));
            assert!(page.contains(&row), "{row}");
        }
    }
}

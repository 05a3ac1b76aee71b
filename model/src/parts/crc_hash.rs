//! Address hash: the set of the routing cache in which an address belongs, its entry in a way of the forwarding table,
//! or the link of a group.
//!
//! The CRC is linear, so that of an address is the xor of those of its bytes, read from tables.
//! Source: switch reference, sections 4.5 and 4.7; Hirasawa2022, 4.2.

use railyard_spec::{CacheShape, Crc};

/// The tables: one of 256 values for each byte of an address.
#[derive(Clone, Debug)]
pub struct AddressHash {
    tables: Vec<[u32; 256]>,
}

impl AddressHash {
    /// The hash of the caches of that shape.
    pub fn new(cache: &CacheShape, address_bits: u32) -> Self {
        AddressHash::of(cache.crc, cache.sets as u64 - 1, address_bits)
    }

    /// The low bits of a CRC, those in `mask`.
    pub fn of(crc: Crc, mask: u64, address_bits: u32) -> Self {
        AddressHash::slice(crc, 0, mask, address_bits)
    }

    /// The bits of a CRC from `low` on, those in `mask`.
    pub fn slice(crc: Crc, low: u32, mask: u64, address_bits: u32) -> Self {
        let table = |byte: u32| {
            let crc_of_bit = |bit: u32| {
                let at = byte * 8 + bit;
                if at < address_bits {
                    (crc.of(1 << at, address_bits) >> low & mask) as u32
                } else {
                    0
                }
            };
            let bits: Vec<u32> = (0..8).map(crc_of_bit).collect();
            std::array::from_fn(|value| (0..8).filter(|bit| value >> bit & 1 == 1).fold(0, |crc, bit| crc ^ bits[bit]))
        };
        AddressHash { tables: (0..address_bits.div_ceil(8)).map(table).collect() }
    }

    /// The set of `address`.
    #[inline]
    pub fn set(&self, address: u64) -> usize {
        let byte = |b: usize| (address >> (8 * b) & 0xff) as usize;
        self.tables.iter().enumerate().fold(0, |set, (b, table)| set ^ table[byte(b)]) as usize
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use railyard_spec::Crc;

    #[test]
    fn is_the_low_end_of_the_crc() {
        for (crc, index_bits) in [(Crc { bits: 16, polynomial: 0x1021 }, 9), (Crc { bits: 64, polynomial: 0x1b }, 14)] {
            for address_bits in [8, 13, 24, 64] {
                for index_bits in [0, 1, index_bits] {
                    let (sets, replacement) = (1 << index_bits, Default::default());
                    let shape = CacheShape { sets, index_bits, ways: 1, replacement, crc, tag_bits: address_bits };
                    let hash = AddressHash::new(&shape, address_bits);
                    for k in 0..300u64 {
                        let address = k.wrapping_mul(0x9e37_79b9_7f4a_7c15) >> (64 - address_bits);
                        assert_eq!(hash.set(address) as u64, crc.of(address, address_bits) % (1 << index_bits));
                    }
                }
            }
        }
    }
}

//! The hash of the routing cache: a plain CRC, any width up to 64 bits, any polynomial.

/// A CRC as the routing cache uses it: most significant address bit first, register starts at zero, nothing
/// reflected, nothing added at the end. Linear: the CRC of `a ^ b` is the CRC of `a` xor the CRC of `b`, so each bit
/// of the result is the parity of a fixed selection of address bits. Source: seed 000 section 4.2.
#[derive(Clone, Copy, Debug, PartialEq, Eq, serde::Serialize)]
pub struct Crc {
    /// Width in bits, 1 to 64.
    pub bits: u32,
    /// Generator polynomial without its leading term.
    pub polynomial: u64,
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
        for crc in [Crc { bits: 16, polynomial: 0x1021 }, Crc { bits: 9, polynomial: 0x119 }, Crc { bits: 64, polynomial: 0x1b }] {
            for address_bits in [8, 24, 64] {
                let index_bits = crc.bits.min(9);
                let masks = crc.parity_masks(address_bits, index_bits);
                for k in 0..200u64 {
                    let address = k.wrapping_mul(0x9e37_79b9_7f4a_7c15) >> (64 - address_bits);
                    let by_mask = (masks.iter().enumerate()).fold(0, |x, (b, m)| x | ((address & m).count_ones() as u64 & 1) << b);
                    assert_eq!(by_mask, crc.of(address, address_bits) & ((1 << index_bits) - 1));
                }
            }
        }
    }
}

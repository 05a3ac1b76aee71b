//! CRC hash: the set index of a routing cache from an address.
//!
//! | port | width | meaning |
//! | --- | --- | --- |
//! | `address` | A | address to hash |
//! | `index` | index bits, at least 1 | the low bits of the address's CRC; 0 for a cache of one set |
//!
//! No state. A CRC is linear, so each bit of it is the parity of a fixed selection of address bits: one exclusive-or
//! tree of about A / 2 inputs a bit.
//!
//! Source: switch reference, section 4.5; seed 000 section 4.2.

use crate::rtl::prelude::*;
use railyard_spec::Crc;

/// Hashes an address; see the head of this file.
#[derive(LogicBlock)]
pub struct CrcHash {
    pub address: Sig<In>,
    pub index: Sig<Out>,

    mask: Vec<Konst>,
    about: About,
}

/// A hash of `address_bits` to the `index_bits` low bits of `crc` (to one bit, always 0, if `index_bits` is 0).
pub fn crc_hash(address_bits: usize, index_bits: usize, crc: Crc) -> CrcHash {
    let mut masks = crc.parity_masks(address_bits as u32, index_bits as u32);
    if masks.is_empty() {
        masks.push(0);
    }
    let doc = "Set index of an address: the low bits of its CRC, each the parity of a selection of address bits.";
    CrcHash {
        address: sig(address_bits).doc("address to hash"),
        index: sig(masks.len()).doc("low bits of its CRC"),
        mask: masks.into_iter().map(|m| konst(address_bits, m)).collect(),
        about: about("crc_hash", doc)
            .param("address_bits", address_bits)
            .param("index_bits", index_bits)
            .param("crc_bits", crc.bits as usize)
            .param("polynomial", crc.polynomial as usize),
    }
}

impl Logic for CrcHash {
    #[hdl_gen]
    fn update(&mut self) {
        self.index.next = 0.into();
        for i in 0..self.mask.len() {
            self.index.next = self.index.val().replace_bit(i, (self.address.val() & self.mask[i].val()).xor());
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn is_the_crc_of_the_contract() {
        let ccitt = Crc { bits: 16, polynomial: 0x1021 };
        for (address_bits, index_bits) in [(8, 4), (24, 9), (24, 0), (64, 14)] {
            let mut hash = crc_hash(address_bits, index_bits, ccitt);
            hash.connect_all();
            for k in 1..50u64 {
                let address = k.wrapping_mul(0x9e37_79b9_7f4a_7c15) >> (64 - address_bits);
                hash.address.next = address.into();
                assert!(rust_hdl::core::prelude::simulate(&mut hash, 10));
                let expected = ccitt.of(address, address_bits as u32) & ((1 << index_bits) - 1);
                assert_eq!(hash.index.val().to_u128(), expected as u128);
            }
        }
    }
}

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

    about: About,
    _masks: Vec<Value>,
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
        about: about("crc_hash", doc)
            .param("address_bits", address_bits)
            .param("index_bits", index_bits)
            .param("crc_bits", crc.bits as usize)
            .param("polynomial", crc.polynomial as usize),
        _masks: masks.into_iter().map(|m| Value::new(address_bits, m)).collect(),
    }
}

/// By hand, not by a kernel, because each bit has a constant of its own: `index[i] = ^(address & mask)`.
impl Logic for CrcHash {
    fn update(&mut self) {
        let address = self.address.val();
        let mut index = Value::zero(self._masks.len());
        for (i, mask) in self._masks.iter().enumerate() {
            index = index.replace_bit(i, (address.clone() & mask.clone()).xor());
        }
        self.index.next = index;
    }

    fn connect(&mut self) {
        self.index.connect();
    }

    fn hdl(&self) -> Verilog {
        use ast::{VerilogExpression as E, VerilogOp, VerilogOpUnary, VerilogStatement};
        let signal = |name: &str| Box::new(E::Signal(name.into()));
        let assign = |value| VerilogStatement::Assignment(E::Signal("index$next".into()), value);
        let bits = self._masks.iter().enumerate().map(|(i, mask)| {
            let mask = Box::new(E::Literal(mask.to_u128().into()));
            let selected = E::Paren(Box::new(E::Binary(signal("address"), VerilogOp::BitAnd, mask)));
            let parity = Box::new(E::Unary(VerilogOpUnary::Xor, Box::new(selected)));
            assign(E::IndexReplace(signal("index"), Box::new(E::Literal((i as u64).into())), parity))
        });
        Verilog::Combinatorial(std::iter::once(assign(E::Literal(0u64.into()))).chain(bits).collect())
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

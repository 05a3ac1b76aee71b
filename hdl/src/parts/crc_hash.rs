//! CRC hash: the set index and the tag of an address in a routing cache.
//!
//! No state. A CRC is linear, so each bit of it is the parity of a fixed selection of address bits: one exclusive-or
//! tree of about A / 2 inputs a bit.
//!
//! Source: switch reference, section 4.5; Hirasawa2022, 4.2.

use crate::rtl::prelude::*;
use railyard_spec::Crc;

/// A run of address bits that lie side by side in the tag as well.
#[derive(Clone, Copy)]
struct Run {
    address_lsb: usize,
    tag_lsb: usize,
    width: usize,
}

/// Set index and tag of an address. The index is the low bits of its CRC, each the parity of a selection of address
/// bits; the tag, the address bits that do not follow from index and tag.
#[block]
pub struct CrcHash {
    /// Address to hash.
    pub address: Sig<In, address_bits>,
    /// Low bits of the address's CRC.
    pub index: Sig<Out>,
    /// Address bits that tell apart addresses of equal index.
    pub tag: Sig<Out>,

    _masks: Vec<Value>,
    _runs: Vec<Run>,

    address_bits: Param,
    index_bits: Param,
    crc_bits: Param,
    #[hex]
    polynomial: Param,
}

/// The tag's positions in the address: at least one, also where the index tells all.
fn tag_positions(address_bits: usize, index_bits: usize, crc: &Crc) -> Vec<usize> {
    let positions = crc.tag_positions(address_bits as u32, index_bits as u32);
    if positions.is_empty() {
        return vec![0];
    }
    positions.into_iter().map(|p| p as usize).collect()
}

/// Bits of the tag.
pub fn tag_bits(address_bits: usize, index_bits: usize, crc: &Crc) -> usize {
    tag_positions(address_bits, index_bits, crc).len()
}

/// Positions gathered into runs.
fn runs(positions: &[usize]) -> Vec<Run> {
    let mut runs: Vec<Run> = vec![];
    for (tag_lsb, &address_lsb) in positions.iter().enumerate() {
        match runs.last_mut() {
            Some(run) if run.address_lsb + run.width == address_lsb => run.width += 1,
            _ => runs.push(Run { address_lsb, tag_lsb, width: 1 }),
        }
    }
    runs
}

/// A hash of `address_bits` to the `index_bits` low bits of `crc` (to one bit, always 0, if `index_bits` is 0).
pub fn crc_hash(address_bits: usize, index_bits: usize, crc: Crc) -> CrcHash {
    let mut masks = crc.parity_masks(address_bits as u32, index_bits as u32);
    if masks.is_empty() {
        masks.push(0);
    }
    let positions = tag_positions(address_bits, index_bits, &crc);
    sized(CrcHash {
        index: sig(masks.len()),
        tag: sig(positions.len()),
        _masks: masks.into_iter().map(|m| Value::new(address_bits, m)).collect(),
        _runs: runs(&positions),
        address_bits,
        index_bits,
        crc_bits: crc.bits as usize,
        polynomial: crc.polynomial as usize,
        ..CrcHash::plain()
    })
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
        let mut tag = Value::zero(self.tag.width());
        for run in &self._runs {
            tag = tag.replace_bit(run.tag_lsb, bit_cast_to(address.clone() >> run.address_lsb, run.width));
        }
        self.tag.next = tag;
    }

    fn connect(&mut self) {
        self.index.connect();
        self.tag.connect();
    }

    fn hdl(&self) -> Verilog {
        use ast::{VerilogExpression as E, VerilogOp, VerilogOpUnary, VerilogStatement};
        let signal = |name: &str| Box::new(E::Signal(name.into()));
        let number = |n: usize| Box::new(E::Literal((n as u64).into()));
        let set = |name: &str, value| VerilogStatement::Assignment(E::Signal(format!("{name}$next")), value);
        let part = |name: &str, lsb, value| set(name, E::IndexReplace(signal(name), number(lsb), Box::new(value)));
        let mut kernel = vec![set("index", *number(0))];
        for (i, mask) in self._masks.iter().enumerate() {
            let mask = Box::new(E::Literal(mask.to_u128().into()));
            let selected = E::Paren(Box::new(E::Binary(signal("address"), VerilogOp::BitAnd, mask)));
            kernel.push(part("index", i, E::Unary(VerilogOpUnary::Xor, Box::new(selected))));
        }
        kernel.push(set("tag", *number(0)));
        for run in &self._runs {
            let shifted = E::Binary(signal("address"), VerilogOp::Shr, number(run.address_lsb));
            kernel.push(part("tag", run.tag_lsb, E::Cast(Box::new(shifted), run.width)));
        }
        Verilog::Combinatorial(kernel)
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
                assert!(rust_hdl_core::prelude::simulate(&mut hash, 10));
                let expected = ccitt.of(address, address_bits as u32) & ((1 << index_bits) - 1);
                assert_eq!(hash.index.val().to_u128(), expected as u128);
                let positions = tag_positions(address_bits, index_bits, &ccitt);
                let tag = positions.iter().enumerate().fold(0, |t, (i, p)| t | (address >> p & 1) << i);
                assert_eq!(hash.tag.val().to_u128(), tag as u128);
            }
        }
    }
}

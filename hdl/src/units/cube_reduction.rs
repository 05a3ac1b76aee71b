//! Cube reduction: the key of a destination in a k-ary n-mesh or n-torus, dimension-order routing.
//!
//! | port | width | meaning |
//! | --- | --- | --- |
//! | `number` | for each chunk width, clog2(chunks + 1) | 1 + the lowest chunk in which destination and switch differ; 0: none |
//! | `outside` | for each chunk width, 1 | in this chunk: the destination is above both `coordinate` and `bound`, or above neither |
//! | `chunk_select` | chunk widths | width at work, one-hot (only where there are several) |
//! | `wrap` | most chunks | setting of this name |
//! | `key` | 1 + clog2(most chunks + 1) | 0 here; 2 (i + 1) plus direction of dimension i; 2 (i + 1) + 1 minus direction |
//!
//! No state: the second half of the function; the first half, independent of the chunk width at work, is `chunk_compare` and
//! `lowest_number`.
//!
//! Source: switch reference, section 4.6; seed 000 section 5.2 (Algorithms 2 and 3).

use crate::rtl::prelude::*;

/// Key in a mesh or torus; see the head of this file.
#[derive(LogicBlock)]
pub struct CubeReduction {
    pub number: Vec<Sig<In>>,
    pub outside: Sig<In>,
    pub chunk_select: Vec<Sig<In>>,
    pub wrap: Sig<In>,
    pub key: Sig<Out>,

    dimension: Sig<Local>,
    minus: Flag<Local>,
    wraps: Flag<Local>,

    chunks: Param,
    dimension_field: Field,
    about: About,
}

/// Width of the key where an address has up to `chunks` chunks.
pub fn cube_key_bits(chunks: usize) -> usize {
    1 + clog2(chunks + 1)
}

/// For addresses of `address_bits` and chunk widths `widths`, ascending.
pub fn cube_reduction(address_bits: usize, widths: &[usize]) -> CubeReduction {
    let chunks = address_bits.div_ceil(widths[0]);
    let number = |w: &usize| sig(clog2(address_bits.div_ceil(*w) + 1)).doc("1 + lowest chunk that differs; 0: none");
    let number_bits = clog2(chunks + 1);
    CubeReduction {
        number: widths.iter().map(number).collect(),
        outside: sig(widths.len()).doc("destination above both coordinate and bound, or neither, by chunk width"),
        chunk_select: many(usize::from(widths.len() > 1), || sig(widths.len()).doc("chunk width at work")),
        wrap: sig(chunks).doc("dimensions whose plus way leads over the wrap-around link"),
        key: sig(cube_key_bits(chunks)).doc("0: here; else 2 (dimension + 1), + 1 in minus direction"),
        dimension: sig(number_bits).doc("1 + dimension of the next hop; 0: none"),
        wraps: flag().doc("the dimension's way leads over the wrap-around"),
        minus: flag().doc("minus direction, but for the wrap-around"),
        chunks: param(chunks),
        dimension_field: field(1, number_bits),
        about: about("cube_reduction", "Key of a destination in a mesh or torus: dimension and direction of the next hop.")
            .param("address_bits", address_bits)
            .param("chunks", chunks),
    }
}

impl Logic for CubeReduction {
    #[hdl_gen]
    fn update(&mut self) {
        self.dimension.next = unsigned_cast(self.number[0].val());
        self.minus.next = self.outside.val().any();
        for s in 0..self.chunk_select.len() {
            self.dimension.next = 0.into();
            self.minus.next = (self.outside.val() & self.chunk_select[s].val()).any();
            for u in 0..self.number.len() {
                if self.chunk_select[s].val().get_bit(u) {
                    self.dimension.next = self.dimension.val() | unsigned_cast(self.number[u].val());
                }
            }
        }
        self.wraps.next = false;
        for i in 0..self.chunks.val() {
            if self.dimension.val() == i + 1 {
                self.wraps.next = self.wrap.val().get_bit(i);
            }
        }
        self.key.next = 0.into();
        self.key.next = self.key.val().replace_bit(0, self.minus.val() ^ self.wraps.val());
        self.key.next = self.key.val().replace_bit(self.dimension_field.val(), self.dimension.val());
    }
}

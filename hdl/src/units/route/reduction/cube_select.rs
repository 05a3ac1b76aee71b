//! Cube select: last stage of the cube function where it has several.
//!
//! | port | width | meaning |
//! | --- | --- | --- |
//! | `number` | for each chunk width, clog2(chunks + 1) | 1 + the lowest chunk in which destination and switch differ; 0: none |
//! | `outside` | chunk widths | in this chunk: `above` and `over` of `cube_reduction` are equal (0 if there is none) |
//! | `chunk_select` | chunk widths | width at work, one-hot (only where there are several) |
//! | `wrap` | most chunks | setting of this name (not with full radix) |
//! | `torus` | 1 | setting of this name (with full radix only) |
//! | `over` | chunk widths | in this chunk: `over` of `cube_reduction` (with `dateline` or full radix only; 0 if there is none) |
//! | `dateline` | 1 | setting of this name (only where it is built in) |
//! | `key` | 1 + clog2(most chunks + 1), 1 more with `dateline` | as in `cube_reduction` |
//!
//! No state. The stages before compare and search for all chunk widths, because settings act in the last stage; what is left of
//! each width is a number and a bit (two with `dateline` or full radix), so that few registers lie between.
//!
//! Source: switch reference, section 4.6; seed 000 section 5.2 (Algorithms 2 and 3).

use crate::rtl::prelude::*;
use crate::units::route::reduction::cube_reduction::{cube_key_bits, reduction_params};
use railyard_spec::ReductionShape;

/// Key in a mesh or torus, from what was found for each chunk width; see the head of this file.
#[block]
pub struct CubeSelect {
    pub number: Vec<Sig<In>>,
    pub outside: Sig<In>,
    pub chunk_select: Vec<Sig<In>>,
    pub wrap: Vec<Sig<In>>,
    pub torus: Vec<Flag<In>>,
    pub over: Vec<Sig<In>>,
    pub dateline: Vec<Flag<In>>,
    pub key: Sig<Out>,

    dimension: Sig<Local>,
    chosen_outside: Flag<Local>,
    wrap_of: Vec<Sig<Local>>,
    chosen_over: Vec<Flag<Local>>,

    dimension_field: Field,
    crossing_bit: Param,
    about: About,
}

/// For addresses of `address_bits`.
pub fn cube_select(address_bits: usize, reduction: &ReductionShape) -> CubeSelect {
    let widths: Vec<usize> = reduction.chunk_bits.iter().map(|w| *w as usize).collect();
    let (chunks, datelines) = (reduction.max_chunks as usize, usize::from(reduction.dateline));
    let (any_radix, full_radix) = (usize::from(reduction.any_radix()), usize::from(reduction.full_radix));
    let overs = datelines.max(full_radix);
    let number = |w: &usize| sig(clog2(address_bits.div_ceil(*w) + 1)).doc("1 + lowest chunk that differs; 0: none");
    let number_bits = clog2(chunks + 1);
    let doc = "Key of a destination in a mesh or torus, from what was found for each chunk width.";
    let about = about("cube_select", doc).param("address_bits", address_bits).param("chunks", chunks);
    let (outside_doc, over_doc) = match reduction.full_radix {
        false => (
            "destination above both coordinate and bound, or neither, by chunk width",
            "destination above bound, by chunk width; 0 if no chunk differs",
        ),
        true => (
            "minus is shorter around the ring, by chunk width; 0 if no chunk differs",
            "the shorter way leads over the ring's end, by chunk width; 0 if no chunk differs",
        ),
    };
    CubeSelect {
        number: widths.iter().map(number).collect(),
        outside: sig(widths.len()).doc(outside_doc),
        chunk_select: many(usize::from(widths.len() > 1), || sig(widths.len()).doc("chunk width at work")),
        wrap: many(any_radix, || sig(chunks).doc("dimensions whose plus way leads over the wrap-around link")),
        torus: many(full_radix, || flag().doc("the wrap-around links are there")),
        over: many(overs, || sig(widths.len()).doc(over_doc)),
        dateline: many(datelines, || flag().doc("ways over the wrap-around link have keys of their own")),
        key: sig(cube_key_bits(chunks) + datelines).doc("0: here; else 2 (dimension + 1), + 1 in minus direction"),
        dimension: sig(number_bits).doc("1 + dimension of the next hop; 0: none"),
        chosen_outside: flag().doc("outside, of the width at work; 0 if there is no next hop"),
        wrap_of: many(any_radix, || sig(1 << number_bits).doc("wrap, by 1 + dimension")),
        chosen_over: many(overs, || flag().doc("over, of the width at work; 0 if there is no next hop")),
        dimension_field: field(1, number_bits),
        crossing_bit: param(cube_key_bits(chunks)),
        about: reduction_params(about, reduction),
    }
}

#[kernel]
impl CubeSelect {
    fn update(&mut self) {
        self.dimension.next = unsigned_cast(self.number[0].val());
        self.chosen_outside.next = self.outside.val().any();
        for s in 0..self.chunk_select.len() {
            self.dimension.next = 0.into();
            self.chosen_outside.next = (self.outside.val() & self.chunk_select[s].val()).any();
            for u in 0..self.number.len() {
                if self.chunk_select[s].val().get_bit(u) {
                    self.dimension.next = self.dimension.val() | unsigned_cast(self.number[u].val());
                }
            }
        }
        for w in 0..self.wrap.len() {
            self.wrap_of[w].next = unsigned_cast(self.wrap[w].val()) << 1;
        }
        self.key.next = 0.into();
        self.key.next = self.key.val().replace_bit(self.dimension_field.val(), self.dimension.val());
        for c in 0..self.over.len() {
            self.chosen_over[c].next = self.over[c].val().any();
            for s in 0..self.chunk_select.len() {
                self.chosen_over[c].next = (self.over[c].val() & self.chunk_select[s].val()).any();
            }
        }
        for w in 0..self.wrap.len() {
            self.key.next = self
                .key
                .val()
                .replace_bit(0, self.chosen_outside.val() ^ self.wrap_of[w].val().get_bit(self.dimension.val()));
        }
        for t in 0..self.torus.len() {
            self.key.next = self
                .key
                .val()
                .replace_bit(0, self.chosen_outside.val() ^ (self.chosen_over[t].val() & !self.torus[t].val()));
        }
        for c in 0..self.dateline.len() {
            for w in 0..self.wrap.len() {
                self.key.next = self.key.val().replace_bit(
                    self.crossing_bit.val(),
                    self.dateline[c].val()
                        & (self.chosen_over[c].val() ^ self.wrap_of[w].val().get_bit(self.dimension.val())),
                );
            }
            for t in 0..self.torus.len() {
                self.key.next = self.key.val().replace_bit(
                    self.crossing_bit.val(),
                    self.dateline[c].val() & self.torus[t].val() & self.chosen_over[c].val(),
                );
            }
        }
    }
}

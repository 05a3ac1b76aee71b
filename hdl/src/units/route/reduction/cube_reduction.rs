//! Cube reduction: the key of a destination in a k-ary n-mesh or n-torus, dimension-order routing.
//!
//! | port | width | meaning |
//! | --- | --- | --- |
//! | `differs` | for each chunk width, its chunks | destination and switch differ in this chunk |
//! | `above` | the same | if so: chunk of the destination > that of `coordinate` |
//! | `over` | the same | chunk of the destination > that of `bound`; with full radix: the shorter way around the ring leads over its end, from the last position to 0 or back |
//! | `chunk_select` | chunk widths | width at work, one-hot (only where there are several) |
//! | `wrap` | most chunks | setting of this name (not with full radix) |
//! | `torus` | 1 | setting of this name (with full radix only) |
//! | `dateline` | 1 | setting of this name (only where it is built in) |
//! | `key` | 1 + clog2(most chunks + 1) | 0 here; 2 (i + 1) plus direction of dimension i; 2 (i + 1) + 1 minus direction |
//! | its highest bit | 1 more (with `dateline` only) | `dateline` is 1 and the way crosses the wrap-around link of dimension i |
//!
//! No state. The function in one stage: the chunk width is chosen first, so that there is one search. With several stages
//! the search comes before the choice: `cube_select`.
//!
//! Each cycle: in the lowest chunk that differs, the way crosses the wrap-around link if `over` xor `wrap`; with full radix, if `over` and `torus`.
//! Plus is `above` if it doesn't cross, else not `above`.
//!
//! Source: switch reference, section 4.6; seed 000 section 5.2 (Algorithms 2 and 3).

use crate::parts::lowest_number::{lowest_number, lowest_number_of_three, LowestNumber};
use crate::rtl::prelude::*;
use railyard_spec::ReductionShape;

/// Key in a mesh or torus; see the head of this file.
#[block]
pub struct CubeReduction {
    pub differs: Vec<Sig<In>>,
    pub above: Vec<Sig<In>>,
    pub over: Vec<Sig<In>>,
    pub chunk_select: Vec<Sig<In>>,
    pub wrap: Vec<Sig<In>>,
    pub torus: Vec<Flag<In>>,
    pub dateline: Vec<Flag<In>>,
    pub key: Sig<Out>,

    search: LowestNumber,

    chosen_differs: Sig<Local>,
    chosen_above: Sig<Local>,
    chosen_over: Sig<Local>,

    dimension_field: Field,
    crossing_bit: Param,
    about: About,
}

/// Width of the key, without the dateline's bit, where an address has up to `chunks` chunks.
pub fn cube_key_bits(chunks: usize) -> usize {
    1 + clog2(chunks + 1)
}

/// Adds what is built in beyond the plain function to the parameters.
pub fn reduction_params(about: About, reduction: &ReductionShape) -> About {
    let about = if reduction.dateline { about.param("dateline", 1) } else { about };
    if reduction.full_radix {
        about.param("full_radix", 1)
    } else {
        about
    }
}

/// For addresses of `address_bits`.
pub fn cube_reduction(address_bits: usize, reduction: &ReductionShape) -> CubeReduction {
    let widths: Vec<usize> = reduction.chunk_bits.iter().map(|w| *w as usize).collect();
    let (chunks, dateline) = (reduction.max_chunks as usize, reduction.dateline);
    let by_width = |doc: &'static str| widths.iter().map(|w| sig(address_bits.div_ceil(*w)).doc(doc)).collect();
    let about =
        about("cube_reduction", "Key of a destination in a mesh or torus: dimension and direction of the next hop.")
            .param("address_bits", address_bits)
            .param("chunks", chunks);
    CubeReduction {
        differs: by_width("destination and switch differ in this chunk"),
        above: by_width("if so: the destination is above the coordinate"),
        over: by_width(if reduction.full_radix {
            "the shorter way leads over the ring's end"
        } else {
            "the destination is above the bound"
        }),
        chunk_select: many(usize::from(widths.len() > 1), || sig(widths.len()).doc("chunk width at work")),
        wrap: many(usize::from(reduction.any_radix()), || {
            sig(chunks).doc("dimensions whose plus way leads over the wrap-around link")
        }),
        torus: many(usize::from(reduction.full_radix), || flag().doc("the wrap-around links are there")),
        dateline: many(usize::from(dateline), || flag().doc("ways over the wrap-around link have keys of their own")),
        key: sig(cube_key_bits(chunks) + usize::from(dateline))
            .doc("0: here; else 2 (dimension + 1), + 1 in minus direction"),
        search: if dateline { lowest_number_of_three(chunks) } else { lowest_number(chunks) },
        chosen_differs: sig(chunks).doc("differs, of the width at work"),
        chosen_above: sig(chunks).doc("above, of the width at work"),
        chosen_over: sig(chunks).doc("over, of the width at work"),
        dimension_field: field(1, clog2(chunks + 1)),
        crossing_bit: param(cube_key_bits(chunks)),
        about: reduction_params(about, reduction),
    }
}

#[kernel]
impl CubeReduction {
    fn update(&mut self) {
        self.chosen_differs.next = unsigned_cast(self.differs[0].val());
        self.chosen_above.next = unsigned_cast(self.above[0].val());
        self.chosen_over.next = unsigned_cast(self.over[0].val());
        for s in 0..self.chunk_select.len() {
            self.chosen_differs.next = 0.into();
            self.chosen_above.next = 0.into();
            self.chosen_over.next = 0.into();
            for u in 0..self.differs.len() {
                if self.chunk_select[s].val().get_bit(u) {
                    self.chosen_differs.next = self.chosen_differs.val() | unsigned_cast(self.differs[u].val());
                    self.chosen_above.next = self.chosen_above.val() | unsigned_cast(self.above[u].val());
                    self.chosen_over.next = self.chosen_over.val() | unsigned_cast(self.over[u].val());
                }
            }
        }
        self.search.bits.next = self.chosen_differs.val();
        for w in 0..self.wrap.len() {
            self.search.marks.next = self.chosen_above.val() ^ (self.chosen_over.val() ^ self.wrap[w].val());
        }
        for t in 0..self.torus.len() {
            self.search.marks.next = self.chosen_above.val();
            if self.torus[t].val() {
                self.search.marks.next = self.chosen_above.val() ^ self.chosen_over.val();
            }
        }
        self.key.next = 0.into();
        self.key.next = self.key.val().replace_bit(0, self.search.any.val() & !self.search.mark.val());
        self.key.next = self.key.val().replace_bit(self.dimension_field.val(), self.search.number.val());
        for c in 0..self.dateline.len() {
            for w in 0..self.wrap.len() {
                self.search.more_marks[c].next = self.chosen_over.val() ^ self.wrap[w].val();
            }
            for _full in 0..self.torus.len() {
                self.search.more_marks[c].next = self.chosen_over.val();
            }
            self.key.next = self.key.val().replace_bit(
                self.crossing_bit.val(),
                self.dateline[c].val() & self.search.any.val() & self.search.more_mark[c].val(),
            );
            for t in 0..self.torus.len() {
                if !self.torus[t].val() {
                    self.key.next = self.key.val().replace_bit(self.crossing_bit.val(), false);
                }
            }
        }
    }
}

//! Chunk join: from comparisons of narrow chunks to comparisons of chunks that are `factor` times as wide.
//!
//! | port | width | meaning |
//! | --- | --- | --- |
//! | `part_differs`, `differs` | n x factor, n | the word and its first reference differ in this chunk |
//! | `part_above`, `above` | the same | word > first reference; don't care where they do not differ |
//! | `part_over`, `over` | the same | word > second reference |
//! | `part_under`, `under` | the same | word < second reference in every bit that decides; don't care where `over` |
//!
//! All but `differs` only where order is asked for. No state.
//!
//! Each output chunk is made of `factor` input chunks, lowest first. `over` and `under` work like the generate and
//! (inverted) propagate of a carry chain.

use crate::rtl::prelude::*;

/// Joins neighbouring chunks; see the head of this file.
#[block]
pub struct ChunkJoin {
    pub part_differs: Sig<In>,
    pub part_above: Vec<Sig<In>>,
    pub part_over: Vec<Sig<In>>,
    pub part_under: Vec<Sig<In>>,
    pub differs: Sig<Out>,
    pub above: Vec<Sig<Out>>,
    pub over: Vec<Sig<Out>>,
    pub under: Vec<Sig<Out>>,

    chunks: Param,
    factor: Param,
    about: About,
}

/// Makes `chunks` chunks out of `factor` (2 or more) times as many.
pub fn chunk_join(chunks: usize, factor: usize, ordered: bool) -> ChunkJoin {
    let order = usize::from(ordered);
    let parts = chunks * factor;
    ChunkJoin {
        part_differs: sig(parts).doc("word and first reference differ in this narrow chunk"),
        part_above: many(order, || sig(parts).doc("if so: the word is above")),
        part_over: many(order, || sig(parts).doc("the word is above the second reference")),
        part_under: many(order, || sig(parts).doc("it is below, as far as it matters")),
        differs: sig(chunks).doc("word and first reference differ in this chunk"),
        above: many(order, || sig(chunks).doc("if so: the word is above")),
        over: many(order, || sig(chunks).doc("the word is above the second reference")),
        under: many(order, || sig(chunks).doc("it is below, as far as it matters")),
        chunks: param(chunks),
        factor: param(factor),
        about: about("chunk_join", "Comparisons of wide chunks from comparisons of narrow ones.")
            .param("chunks", chunks)
            .param("factor", factor)
            .param("ordered", order),
    }
}

#[kernel]
impl ChunkJoin {
    fn update(&mut self) {
        self.differs.next = 0.into();
        for j in 0..self.chunks.val() {
            for m in 0..self.factor.val() {
                if self.part_differs.val().get_bit(j * self.factor.val() + m) {
                    self.differs.next = self.differs.val().replace_bit(j, true);
                }
            }
        }
        for o in 0..self.above.len() {
            self.above[o].next = 0.into();
            self.over[o].next = 0.into();
            self.under[o].next = 0.into();
            for j in 0..self.chunks.val() {
                for m in 0..self.factor.val() {
                    if self.part_differs.val().get_bit(j * self.factor.val() + m) | (m == 0) {
                        self.above[o].next = self.above[o]
                            .val()
                            .replace_bit(j, self.part_above[o].val().get_bit(j * self.factor.val() + m));
                    }
                    if self.part_under[o].val().get_bit(j * self.factor.val() + m) {
                        self.under[o].next = self.under[o].val().replace_bit(j, true);
                        self.over[o].next = self.over[o].val().replace_bit(j, false);
                    }
                    if self.part_over[o].val().get_bit(j * self.factor.val() + m) {
                        self.over[o].next = self.over[o].val().replace_bit(j, true);
                    }
                }
            }
        }
    }
}

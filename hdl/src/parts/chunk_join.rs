//! Chunk join: from comparisons of narrow chunks to comparisons of chunks that are `factor` times as wide.
//!
//! All but `differs` only where order is asked for. No state.
//!
//! Each output chunk is made of `factor` input chunks, lowest first. `over` and `under` work like the generate and
//! (inverted) propagate of a carry chain.

use crate::rtl::prelude::*;

/// Comparisons of wide chunks from comparisons of narrow ones.
#[block]
pub struct ChunkJoin {
    /// word and first reference differ in this narrow chunk
    pub part_differs: Sig<In>,
    /// if so: the word is above
    pub part_above: Vec<Sig<In>>,
    /// the word is above the second reference
    pub part_over: Vec<Sig<In>>,
    /// it is below, as far as it matters
    pub part_under: Vec<Sig<In>>,
    /// word and first reference differ in this chunk
    pub differs: Sig<Out>,
    /// if so: the word is above
    pub above: Vec<Sig<Out>>,
    /// the word is above the second reference
    pub over: Vec<Sig<Out>>,
    /// it is below, as far as it matters
    pub under: Vec<Sig<Out>>,

    #[param]
    chunks: usize,
    #[param]
    factor: usize,
    #[param]
    ordered: usize,
}

/// Makes `chunks` chunks out of `factor` (2 or more) times as many.
pub fn chunk_join(chunks: usize, factor: usize, ordered: bool) -> ChunkJoin {
    let order = usize::from(ordered);
    let parts = chunks * factor;
    ChunkJoin {
        part_differs: sig(parts),
        part_above: many(order, || sig(parts)),
        part_over: many(order, || sig(parts)),
        part_under: many(order, || sig(parts)),
        differs: sig(chunks),
        above: many(order, || sig(chunks)),
        over: many(order, || sig(chunks)),
        under: many(order, || sig(chunks)),
        chunks,
        factor,
        ordered: order,
        ..ChunkJoin::plain()
    }
}

#[kernel]
impl ChunkJoin {
    fn update(&mut self) {
        self.differs.next = 0.into();
        for j in 0..self.chunks {
            for m in 0..self.factor {
                if self.part_differs.val().get_bit(j * self.factor + m) {
                    self.differs.next = self.differs.val().replace_bit(j, true);
                }
            }
        }
        for o in 0..self.above.len() {
            self.above[o].next = 0.into();
            self.over[o].next = 0.into();
            self.under[o].next = 0.into();
            for j in 0..self.chunks {
                for m in 0..self.factor {
                    if self.part_differs.val().get_bit(j * self.factor + m) | (m == 0) {
                        self.above[o].next =
                            self.above[o].val().replace_bit(j, self.part_above[o].val().get_bit(j * self.factor + m));
                    }
                    if self.part_under[o].val().get_bit(j * self.factor + m) {
                        self.under[o].next = self.under[o].val().replace_bit(j, true);
                        self.over[o].next = self.over[o].val().replace_bit(j, false);
                    }
                    if self.part_over[o].val().get_bit(j * self.factor + m) {
                        self.over[o].next = self.over[o].val().replace_bit(j, true);
                    }
                }
            }
        }
    }
}

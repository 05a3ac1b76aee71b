//! Chunk join: from comparisons of narrow chunks to comparisons of chunks that are `factor` times as wide.
//!
//! All but `differs` only where order is asked for. No state.
//!
//! Each output chunk is made of `factor` input chunks, lowest first. `over` and `under` work like the generate and
//! (inverted) propagate of a carry chain.

use crate::rtl::prelude::*;

/// Comparisons of the chunks of a word with two references. Order only where it is asked for.
#[bundle]
pub struct Chunks<D: Side> {
    /// Word and first reference differ in this chunk.
    pub differs: Sig<D>,
    pub order: Bare<Option<ChunkOrder<D>>>,
}

/// Order of chunks.
#[bundle]
pub struct ChunkOrder<D: Side> {
    /// The word is above the first reference. Meaningful where the two differ.
    pub above: Sig<D>,
    /// The word is above the second reference.
    pub over: Sig<D>,
    /// The word is below the second reference, as far as the result depends on that.
    pub under: Sig<D>,
}

fn chunks_of<D: Side>(count: usize, ordered: bool) -> Chunks<D> {
    let order = || ChunkOrder { above: sig(count), over: sig(count), under: sig(count) };
    Chunks { differs: sig(count), order: ordered.then(order) }
}

/// Comparisons of wide chunks from comparisons of narrow ones.
#[block]
pub struct ChunkJoin {
    pub part: Chunks<In>,
    pub whole: Bare<Chunks<Out>>,

    chunks: Param,
    factor: Param,
    ordered: Param<bool>,
}

/// Makes `chunks` chunks out of `factor` (2 or more) times as many.
pub fn chunk_join(chunks: usize, factor: usize, ordered: bool) -> ChunkJoin {
    let mut part = chunks_of(chunks * factor, ordered);
    part.differs = part.differs.doc("Word and first reference differ in the narrow chunk.");
    ChunkJoin { part, whole: chunks_of(chunks, ordered), chunks, factor, ordered }
}

#[kernel]
impl ChunkJoin {
    fn update(&mut self) {
        self.whole.differs.next = 0.into();
        for j in 0..self.chunks {
            for m in 0..self.factor {
                if self.part.differs.val().get_bit(j * self.factor + m) {
                    self.whole.differs.set(j, true);
                }
            }
        }
        if let (Some(part), Some(whole)) = (&self.part.order, &mut self.whole.order) {
            whole.above.next = 0.into();
            whole.over.next = 0.into();
            whole.under.next = 0.into();
            for j in 0..self.chunks {
                for m in 0..self.factor {
                    if self.part.differs.val().get_bit(j * self.factor + m) | (m == 0) {
                        whole.above.set(j, part.above.val().get_bit(j * self.factor + m));
                    }
                    if part.under.val().get_bit(j * self.factor + m) {
                        whole.under.set(j, true);
                        whole.over.set(j, false);
                    }
                    if part.over.val().get_bit(j * self.factor + m) {
                        whole.over.set(j, true);
                    }
                }
            }
        }
    }
}

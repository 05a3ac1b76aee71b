//! Chunk pick: one chunk of a word, by one-hot select.
//!
//! Bits beyond A count as 0. No state.

use crate::rtl::prelude::*;

/// Picks one chunk of a word by one-hot select.
#[block]
pub struct ChunkPick {
    /// Word of chunks.
    pub word: Sig<In>,
    /// Chunk to pick, one-hot.
    pub select: Sig<In>,
    /// Chunk that is picked.
    pub chunk: Sig<Out>,

    word_bits: Param,
    chunks: Param,
    width: Param,
}

/// Picks one of the `chunks` lowest chunks of `width` bits of a word of `word_bits`.
pub fn chunk_pick(word_bits: usize, chunks: usize, width: usize) -> ChunkPick {
    ChunkPick { word: sig(word_bits), select: sig(chunks), chunk: sig(width), word_bits, chunks, width }
}

#[kernel]
impl ChunkPick {
    fn update(&mut self) {
        self.chunk.next = 0.into();
        for j in 0..self.chunks {
            if self.select.val().get_bit(j) {
                self.chunk.next = self.chunk.val() | unsigned_cast(self.word.val() >> (j * self.width));
            }
        }
    }
}

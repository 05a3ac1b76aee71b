//! Chunk pick: one chunk of a word, by one-hot select.
//!
//! Bits beyond A count as 0. No state.

use crate::rtl::prelude::*;

/// Picks one chunk of a word by one-hot select.
#[block(word_bits: usize, chunks: usize, width: usize)]
pub struct ChunkPick {
    /// Word of chunks.
    pub word: Sig<In, word_bits>,
    /// Chunk to pick, one-hot.
    pub select: Sig<In, chunks>,
    /// Chunk that is picked.
    pub chunk: Sig<Out, width>,

    word_bits: Param,
    chunks: Param,
    width: Param,
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

//! Chunk pick: one chunk of a word, by one-hot select.
//!
//! | port | width | meaning |
//! | --- | --- | --- |
//! | `word` | A | word |
//! | `select` | n | chunk to pick, one-hot |
//! | `chunk` | w | that chunk; 0 if none is selected |
//!
//! Bits beyond A count as 0. No state.

use crate::rtl::prelude::*;

/// Picks a chunk; see the head of this file.
#[block]
pub struct ChunkPick {
    pub word: Sig<In>,
    pub select: Sig<In>,
    pub chunk: Sig<Out>,

    chunks: Param,
    width: Param,
    about: About,
}

/// Picks one of the `chunks` lowest chunks of `width` bits of a word of `word_bits`.
pub fn chunk_pick(word_bits: usize, chunks: usize, width: usize) -> ChunkPick {
    ChunkPick {
        word: sig(word_bits).doc("word"),
        select: sig(chunks).doc("chunk to pick, one-hot"),
        chunk: sig(width).doc("that chunk"),
        chunks: param(chunks),
        width: param(width),
        about: about("chunk_pick", "Picks one chunk of a word by one-hot select.")
            .param("word_bits", word_bits)
            .param("chunks", chunks)
            .param("width", width),
    }
}

#[kernel]
impl ChunkPick {
    fn update(&mut self) {
        self.chunk.next = 0.into();
        for j in 0..self.chunks.val() {
            if self.select.val().get_bit(j) {
                self.chunk.next = self.chunk.val() | unsigned_cast(self.word.val() >> (j * self.width.val()));
            }
        }
    }
}

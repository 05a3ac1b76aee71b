//! Chunk option: one of the chunk widths that can be set, and the levels that go with it.
//!
//! | port | width | meaning |
//! | --- | --- | --- |
//! | `chunk_bits` | 4 | value of the field of this name |
//! | `level` | 5 | value of the field of this name |
//! | `chosen` | 1 | it is this width |
//! | `fits` | 1 | it is this width, and an address has a chunk of the number `level` |
//!
//! No state.
//!
//! Source: `spec/src/registers.rs`, register `reduction`.

use crate::rtl::prelude::*;

/// Recognises a chunk width; see the head of this file.
#[block]
pub struct ChunkOption {
    pub chunk_bits: Sig<In>,
    pub level: Sig<In>,
    pub chosen: Flag<Out>,
    pub fits: Flag<Out>,

    width: Param,
    chunks: Param,
    about: About,
}

/// The option of chunks of `width` bits, of which an address has `chunks`; the fields have `chunk_bits_width` and
/// `level_width` bits.
pub fn chunk_option(width: usize, chunks: usize, chunk_bits_width: usize, level_width: usize) -> ChunkOption {
    ChunkOption {
        chunk_bits: sig(chunk_bits_width).doc("width of a chunk"),
        level: sig(level_width).doc("number of a chunk"),
        chosen: flag().doc("the width is this one"),
        fits: flag().doc("and there is such a chunk"),
        width: param(width),
        chunks: param(chunks),
        about: about("chunk_option", "One of the chunk widths that can be set.")
            .param("width", width)
            .param("chunks", chunks),
    }
}

#[kernel]
impl ChunkOption {
    fn update(&mut self) {
        self.chosen.next = self.chunk_bits.val() == self.width.val();
        self.fits.next = false;
        for j in 0..self.chunks.val() {
            if self.level.val() == j {
                self.fits.next = self.chosen.val();
            }
        }
    }
}

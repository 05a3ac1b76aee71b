//! Chunk option: one of the chunk widths that can be set, and the levels that go with it.
//!
//! No state.
//!
//! Source: `spec/src/registers.rs`, register `reduction`.

use crate::rtl::prelude::*;

/// One of the chunk widths that can be set.
#[block]
pub struct ChunkOption {
    /// Width of a chunk.
    pub chunk_bits: Sig<In>,
    /// Number of a chunk.
    pub level: Sig<In>,
    /// The width is the one of the option.
    pub chosen: Flag<Out>,
    /// The option's width is chosen, and the chunk exists.
    pub fits: Flag<Out>,

    width: Param,
    chunks: Param,
}

/// The option of chunks of `width` bits, of which an address has `chunks`; the fields have `chunk_bits_width` and
/// `level_width` bits.
pub fn chunk_option(width: usize, chunks: usize, chunk_bits_width: usize, level_width: usize) -> ChunkOption {
    ChunkOption { chunk_bits: sig(chunk_bits_width), level: sig(level_width), width, chunks, ..ChunkOption::plain() }
}

#[kernel]
impl ChunkOption {
    fn update(&mut self) {
        self.chosen.next = self.chunk_bits.val() == self.width;
        self.fits.next = false;
        for j in 0..self.chunks {
            if self.level.val() == j {
                self.fits.next = self.chosen.val();
            }
        }
    }
}

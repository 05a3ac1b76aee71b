//! Chunk option: one of the chunk widths that can be set, and the levels that go with it.
//!
//! No state.
//!
//! Source: `spec/src/registers.rs`, register `reduction`.

use crate::units::prelude::*;

/// One of the chunk widths that can be set.
#[block(width: usize, chunks: usize, chunk_bits_width: usize, level_width: usize)]
pub struct ChunkOption {
    /// Width of a chunk.
    pub chunk_bits: Sig<In, chunk_bits_width>,
    /// Number of a chunk.
    pub level: Sig<In, level_width>,
    /// The width is the one of the option.
    pub chosen: Flag<Out>,
    /// The option's width is chosen, and the chunk exists.
    pub fits: Flag<Out>,

    width: Param,
    chunks: Param,
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

//! Node reduction, as numbers.

use super::index_width;
use crate::config::{NodeReduction, Radix, Topology};
use serde::Serialize;

/// Node reduction, as numbers.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
pub struct ReductionShape {
    /// Families of topologies built in, in the order of [`Topology`].
    pub topologies: Vec<Topology>,
    /// Chunk widths built in, ascending.
    pub chunk_bits: Vec<u32>,
    /// Pipeline stages, s.
    pub stages: u32,
    /// Most chunks of an address: ceil(A / narrowest chunk).
    pub max_chunks: u32,
    /// Width of a digit in a key: the widest chunk.
    pub digit_bits: u32,
    /// Width of a cube's key without the dateline's bit, which is the next one.
    pub cube_key_bits: u32,
    /// Whether a cube's key can tell if the way leads over the wrap-around link.
    pub dateline: bool,
    /// Whether each dimension of a torus has as many positions as a chunk has values. Settings are then mesh or torus,
    /// and no bound or wrap.
    pub full_radix: bool,
    /// Width of a key.
    pub key_bits: u32,
}

impl ReductionShape {
    /// Derives the numbers of a unit, which may stand outside a switch: with more or fewer address bits or stages than
    /// a legal switch has.
    pub fn new(reduction: &NodeReduction, address_bits: u32, next_vc: bool) -> ReductionShape {
        let (mut topologies, mut chunk_bits) = (reduction.topologies.clone(), reduction.chunk_bits.clone());
        topologies.sort();
        chunk_bits.sort();
        let narrowest = chunk_bits.first().copied().unwrap_or(1).max(1);
        let digit_bits = chunk_bits.last().copied().unwrap_or(1);
        let max_chunks = address_bits.div_ceil(narrowest);
        let cube_key_bits = index_width(2 * max_chunks as usize + 2);
        let dateline = next_vc && topologies.contains(&Topology::Cube);
        let bits = |topology: &Topology| match topology {
            Topology::Cube => cube_key_bits + u32::from(dateline),
            Topology::FatTree => 1 + digit_bits,
            Topology::Dragonfly => 2 + digit_bits,
        };
        let key_bits = topologies.iter().map(bits).max().unwrap_or(1);
        let stages = reduction.stages;
        let full_radix = reduction.radix == Radix::Full;
        ReductionShape {
            topologies,
            chunk_bits,
            stages,
            max_chunks,
            digit_bits,
            cube_key_bits,
            dateline,
            full_radix,
            key_bits,
        }
    }

    /// Whether each dimension of a cube has a radix of its own: the settings `bound` and `wrap`.
    pub fn any_radix(&self) -> bool {
        self.has(Topology::Cube) && !self.full_radix
    }

    /// Whether the functions of this family are built in.
    pub fn has(&self, topology: Topology) -> bool {
        self.topologies.contains(&topology)
    }
}

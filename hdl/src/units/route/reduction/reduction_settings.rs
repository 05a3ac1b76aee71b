//! Settings of node reduction, as a bundle: from the registers to where keys are made.
//!
//! Source: switch reference, section 4.6.

use crate::units::prelude::*;

/// Where the switch is, and which function is at work there.
#[bundle(address_bits: usize, reduction: &ReductionShape)]
pub struct ReductionWires<D: Side> {
    /// Place of the switch.
    pub coordinate: Sig<D, address_bits>,
    /// Farthest coordinate in plus direction, by chunk.
    pub bound: Option<Sig<D, address_bits>, { reduction.any_radix() }>,
    /// Node reduction function at work; zero if none.
    pub topology_select: Sig<D, { reduction.topologies.len() }>,
    /// Chunk width at work.
    pub chunk_select: Option<Sig<D, { reduction.chunk_bits.len() }>, { reduction.chunk_bits.len() > 1 }>,
    /// Dimensions whose plus way leads over the wrap-around link.
    pub wrap: Option<Sig<D, { reduction.max_chunks as usize }>, { reduction.any_radix() }>,
    /// The network has wrap-around links.
    pub torus: Option<Flag<D>, { reduction.full_radix }>,
    /// Ways over the wrap-around link have keys of their own.
    pub dateline: Option<Flag<D>, { reduction.dateline }>,
    /// Level of the switch, one-hot.
    pub level_select: Option<Sig<D, { reduction.max_chunks as usize }>, { reduction.has(Topology::FatTree) }>,
    /// Chunks above the level of the switch.
    pub above_level: Option<Sig<D, { reduction.max_chunks as usize }>, { reduction.has(Topology::FatTree) }>,
}

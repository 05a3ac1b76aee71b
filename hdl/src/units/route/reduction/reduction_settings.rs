//! Settings of node reduction, as a bundle: from the registers to where keys are made.
//!
//! Source: switch reference, section 4.6.

use crate::rtl::prelude::*;
use railyard_spec::{ReductionShape, Topology};

/// Where the switch is, and which function is at work there.
#[bundle]
pub struct ReductionSettings<D: Side> {
    /// Place of the switch.
    pub coordinate: Sig<D>,
    /// Farthest coordinate in plus direction, by chunk.
    pub bound: Option<Sig<D>>,
    /// Node reduction function at work; zero if none.
    pub topology_select: Sig<D>,
    /// Chunk width at work.
    pub chunk_select: Option<Sig<D>>,
    /// Dimensions whose plus way leads over the wrap-around link.
    pub wrap: Option<Sig<D>>,
    /// The network has wrap-around links.
    pub torus: Option<Flag<D>>,
    /// Ways over the wrap-around link have keys of their own.
    pub dateline: Option<Flag<D>>,
    /// Level of the switch, one-hot.
    pub level_select: Option<Sig<D>>,
    /// Chunks above the level of the switch.
    pub above_level: Option<Sig<D>>,
}

/// [`ReductionSettings`] of the given shape.
pub fn reduction_settings<D: Side>(address_bits: usize, reduction: &ReductionShape) -> ReductionSettings<D> {
    let (widths, most) = (reduction.chunk_bits.len(), reduction.max_chunks as usize);
    let (any_radix, fat_tree) = (reduction.any_radix(), reduction.has(Topology::FatTree));
    ReductionSettings {
        coordinate: sig(address_bits),
        bound: any_radix.then(|| sig(address_bits)),
        topology_select: sig(reduction.topologies.len()),
        chunk_select: (widths > 1).then(|| sig(widths)),
        wrap: any_radix.then(|| sig(most)),
        torus: reduction.full_radix.then(flag),
        dateline: reduction.dateline.then(flag),
        level_select: fat_tree.then(|| sig(most)),
        above_level: fat_tree.then(|| sig(most)),
    }
}

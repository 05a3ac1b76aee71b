//! Settings of node reduction, as a bundle: from the registers to where keys are made.
//!
//! Source: switch reference, section 4.6.

use crate::rtl::prelude::*;
use railyard_spec::{ReductionShape, Topology};

/// Settings of node reduction. Those that the built functions have no use for are not there.
#[bundle]
pub struct ReductionSettings<D: Side> {
    /// place of this switch
    pub coordinate: Sig<D>,
    /// farthest coordinate in plus direction, by chunk
    pub bound: Vec<Sig<D>>,
    /// node reduction function at work; zero: none
    pub topology_select: Sig<D>,
    /// chunk width at work
    pub chunk_select: Vec<Sig<D>>,
    /// dimensions whose plus way leads over the wrap-around link
    pub wrap: Vec<Sig<D>>,
    /// the wrap-around links are there
    pub torus: Vec<Flag<D>>,
    /// ways over the wrap-around link have keys of their own
    pub dateline: Vec<Flag<D>>,
    /// level of this switch, one-hot
    pub level_select: Vec<Sig<D>>,
    /// chunks above this level
    pub above_level: Vec<Sig<D>>,
}

/// [`ReductionSettings`] of the given shape.
pub fn reduction_settings<D: Side>(address_bits: usize, reduction: &ReductionShape) -> ReductionSettings<D> {
    let (widths, most) = (reduction.chunk_bits.len(), reduction.max_chunks as usize);
    let (any_radix, fat_tree) = (usize::from(reduction.any_radix()), usize::from(reduction.has(Topology::FatTree)));
    ReductionSettings {
        coordinate: sig(address_bits),
        bound: many(any_radix, || sig(address_bits)),
        topology_select: sig(reduction.topologies.len()),
        chunk_select: many(usize::from(widths > 1), || sig(widths)),
        wrap: many(any_radix, || sig(most)),
        torus: many(usize::from(reduction.full_radix), flag),
        dateline: many(usize::from(reduction.dateline), flag),
        level_select: many(fat_tree, || sig(most)),
        above_level: many(fat_tree, || sig(most)),
    }
}

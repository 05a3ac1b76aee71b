//! Settings of node reduction, as a bundle: from the registers to where keys are made.
//!
//! | field | width | meaning |
//! | --- | --- | --- |
//! | `coordinate` | A | place of this switch |
//! | `topology_select` | functions | function at work, one-hot in the order of the configuration; 0: none |
//! | `chunk_select` | chunk widths | chunk width at work, one-hot (only where there are several) |
//! | `bound`, `wrap` | A, most chunks | of the cube: farthest coordinates, and dimensions whose plus way wraps around (not with full radix) |
//! | `torus` | 1 | of the cube: the wrap-around links are there (with full radix only) |
//! | `dateline` | 1 | of the cube: ways over these links have keys of their own (only where it is built in) |
//! | `level_select`, `above_level` | most chunks | of the fat tree: level of this switch, one-hot; chunks above it |
//!
//! Source: switch reference, section 4.6.

use crate::rtl::prelude::*;
use railyard_spec::{ReductionShape, Topology};

/// Settings; see the head of this file.
#[derive(LogicInterface)]
#[join = "ReductionSettingsEnd"]
pub struct ReductionSettings<D: Side> {
    pub coordinate: Sig<D>,
    pub bound: Array<Sig<D>>,
    pub topology_select: Sig<D>,
    pub chunk_select: Array<Sig<D>>,
    pub wrap: Array<Sig<D>>,
    pub torus: Array<Flag<D>>,
    pub dateline: Array<Flag<D>>,
    pub level_select: Array<Sig<D>>,
    pub above_level: Array<Sig<D>>,
}
type ReductionSettingsEnd<D> = ReductionSettings<Opposite<D>>;

/// [`ReductionSettings`] of the given shape.
pub fn reduction_settings<D: Side>(address_bits: usize, reduction: &ReductionShape) -> ReductionSettings<D> {
    let (widths, most) = (reduction.chunk_bits.len(), reduction.max_chunks as usize);
    let (any_radix, fat_tree) = (usize::from(reduction.any_radix()), usize::from(reduction.has(Topology::FatTree)));
    ReductionSettings {
        coordinate: sig(address_bits).doc("place of this switch"),
        bound: many(any_radix, || sig(address_bits).doc("farthest coordinate in plus direction, by chunk")),
        topology_select: sig(reduction.topologies.len()).doc("node reduction function at work; zero: none"),
        chunk_select: many(usize::from(widths > 1), || sig(widths).doc("chunk width at work")),
        wrap: many(any_radix, || sig(most).doc("dimensions whose plus way leads over the wrap-around link")),
        torus: many(usize::from(reduction.full_radix), || flag().doc("the wrap-around links are there")),
        dateline: many(usize::from(reduction.dateline), || {
            flag().doc("ways over the wrap-around link have keys of their own")
        }),
        level_select: many(fat_tree, || sig(most).doc("level of this switch, one-hot")),
        above_level: many(fat_tree, || sig(most).doc("chunks above this level")),
    }
}

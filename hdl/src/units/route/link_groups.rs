//! Settings of link aggregation, as bundles: from the registers to where an output is chosen.
//!
//! Source: switch reference, section 5.1.

use crate::units::prelude::*;

/// Bits of `method`.
const METHOD_BITS: usize = 2;

/// Groups of links. Without link aggregation there is nothing in it.
#[bundle(shape: &Shape)]
pub struct LinkGroups<D: Side> {
    /// Links in use of group g.
    pub links: Vec<Sig<D, { clog2(link_counts(shape).1 + 1).max(1) }>, { link_counts(shape).0 }>,
    /// Port of link j of group g, element g * L + j.
    pub group_link: Vec<Sig<D, { shape.port_bits as usize }>, { link_counts(shape).0 * link_counts(shape).1 }>,
}

/// Groups of links, and the most links that one has.
pub fn link_counts(shape: &Shape) -> (usize, usize) {
    shape.link_aggregation.as_ref().map_or((0, 0), |built| (built.groups, built.links))
}

/// Settings of link aggregation.
#[bundle(shape: &Shape)]
pub struct LinkSettings<D: Side> {
    /// Method of link selection: 0 CRC, 1 residue, 2 in turn.
    pub method: Sig<D, METHOD_BITS>,
    pub groups: Bare<LinkGroups<D, shape>>,
}

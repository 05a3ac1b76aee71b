//! Settings of link aggregation, as bundles: from the registers to where an output is chosen.
//!
//! Source: switch reference, section 5.1.

use crate::rtl::prelude::*;
use railyard_spec::Shape;

/// Bits of `method`.
const METHOD_BITS: usize = 2;

/// Groups of links. Without link aggregation there is nothing in it.
#[bundle]
pub struct LinkGroups<D: Side> {
    /// Links in use of group g.
    pub links: Vec<Sig<D>>,
    /// Port of link j of group g, element g * L + j.
    pub group_link: Vec<Sig<D>>,
}

/// [`LinkGroups`] of the given shape.
pub fn link_groups<D: Side>(shape: &Shape) -> LinkGroups<D> {
    let (groups, most) = shape.link_aggregation.as_ref().map_or((0, 0), |l| (l.groups, l.links));
    LinkGroups {
        links: many(groups, || sig(clog2(most + 1).max(1))),
        group_link: many(groups * most, || sig(shape.port_bits as usize)),
    }
}

/// Settings of link aggregation.
#[bundle]
pub struct LinkSettings<D: Side> {
    /// Method of link selection: 0 CRC, 1 residue, 2 in turn.
    pub method: Sig<D>,
    #[bare]
    pub groups: LinkGroups<D>,
}

/// [`LinkSettings`] of a switch of the given shape, which has link aggregation.
pub fn link_settings<D: Side>(shape: &Shape) -> LinkSettings<D> {
    LinkSettings { method: sig(METHOD_BITS), groups: link_groups(shape) }
}

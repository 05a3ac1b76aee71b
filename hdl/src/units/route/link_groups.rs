//! Groups of links, as a bundle: from the registers to where an output is chosen. Without link aggregation there is nothing in it.
//!
//! | field | width | meaning |
//! | --- | --- | --- |
//! | `links` | G x link bits | links in use of each group |
//! | `group_link` | G x L x port bits | port of link j of group g, element g * L + j |
//!
//! Source: switch reference, section 5.1.

use crate::rtl::prelude::*;
use railyard_spec::Shape;

/// Groups of links; see the head of this file.
#[derive(LogicInterface)]
#[join = "LinkGroupsEnd"]
pub struct LinkGroups<D: Side> {
    pub links: Array<Sig<D>>,
    pub group_link: Array<Sig<D>>,
}
type LinkGroupsEnd<D> = LinkGroups<Opposite<D>>;

/// [`LinkGroups`] of the given shape.
pub fn link_groups<D: Side>(shape: &Shape) -> LinkGroups<D> {
    let (groups, most) = shape.link_aggregation.as_ref().map_or((0, 0), |l| (l.groups, l.links));
    LinkGroups {
        links: many(groups, || sig(clog2(most + 1).max(1)).doc("links in use of group g")),
        group_link: many(groups * most, || {
            sig(shape.port_bits as usize).doc("port of link j of group g, element g * L + j")
        }),
    }
}

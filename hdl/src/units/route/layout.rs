//! Route: what an entry of CAM, cache or port map says of a packet's way on, as one word.
//!
//! From the lowest bit, in signals named `*_port` of the blocks between an entry and the route queue: they hand a route
//! on and do not look into it. The route queue, which knows the packet's own VC, makes the VC on which it leaves of it;
//! with link aggregation or candidates the route queue hands it on too, and output selection reads it.
//!
//! A result of the mixed VC has one bit more, the highest: 1 makes it a multicast packet's, with the number of its
//! group in the low bits.
//!
//! Source: switch reference, sections 4 and 5.1.

use super::dragonfly_settings::way_result_bits;
use railyard_spec::Shape;

/// Where the parts of a route lie: the lowest bit of each, and the width of all.
pub struct RouteLayout {
    /// Lowest bit of `port`.
    pub port: usize,
    /// Lowest bit of `vc`.
    pub vc: usize,
    /// Bit `vc_set`.
    pub vc_set: usize,
    /// Lowest bit of `group`.
    pub group: usize,
    /// Bit `group_set`.
    pub group_set: usize,
    /// Lowest bit of candidate 1.
    pub candidate: usize,
    /// Lowest bit of `candidates`.
    pub candidates: usize,
    /// Bit `in_order`.
    pub in_order: usize,
    /// Bits of a route.
    pub bits: usize,
}

/// Where the parts of a route lie; of parts that are not built in, the place where they would.
pub fn route_layout(shape: &Shape) -> RouteLayout {
    let (port_bits, vc_bits) = (shape.port_bits as usize, shape.vc_bits as usize);
    let vc = port_bits;
    let vc_set = vc + vc_bits;
    let group = if shape.next_vc { vc_set + 1 } else { port_bits };
    let group_bits = shape.link_aggregation.as_ref().map(|l| l.group_bits as usize);
    let group_set = group + group_bits.unwrap_or(1);
    let candidate = if group_bits.is_some() { group_set + 1 } else { group };
    let candidates = candidate + (shape.candidates - 1) * port_bits;
    let in_order = candidates + shape.candidates_bits() as usize;
    let bits = if shape.candidates > 1 { in_order + 1 } else { candidate };
    RouteLayout { port: 0, vc, vc_set, group, group_set, candidate, candidates, in_order, bits }
}

/// Width of a route; of a result of Dragonfly routing.
pub fn route_bits(shape: &Shape) -> usize {
    shape.dragonfly().map_or_else(|| route_layout(shape).bits, |built| way_result_bits(shape, built))
}

/// Whether what is at the head of a route queue is a route, of which a register behind it makes a request.
pub fn heads_are_routes(shape: &Shape) -> bool {
    shape.output_selection() || shape.dragonfly().is_some()
}

/// VCs among which a route may name one; 1 where it names none.
pub fn named_vcs(shape: &Shape) -> usize {
    match shape.next_vc {
        true => shape.vcs,
        false => 1,
    }
}

/// Where the parts of a result of the mixed VC lie that is a multicast packet's.
pub struct MixedLayout {
    /// The mixed VC.
    pub vc: usize,
    /// Bits of the number of a group, which is lowest.
    pub group_bits: usize,
    /// The bit that tells such a result from a route.
    pub multicast: usize,
    /// Bits of a result.
    pub bits: usize,
}

/// Where the parts of a result of the mixed VC lie, if there is one, for routes of `route_bits`.
pub fn mixed_layout(shape: &Shape, route_bits: usize) -> Option<MixedLayout> {
    let built = shape.multicast?;
    let group_bits = built.group_bits as usize;
    let multicast = route_bits.max(group_bits);
    Some(MixedLayout { vc: built.vc, group_bits, multicast, bits: multicast + 1 })
}

/// Bits of the results of VC `vc`.
pub fn result_bits(shape: &Shape, vc: usize) -> usize {
    let route = route_bits(shape);
    mixed_layout(shape, route).filter(|mixed| mixed.vc == vc).map_or(route, |mixed| mixed.bits)
}

/// Whether a block lists the width of a route as that: it is that of a port where a route is nothing else.
pub fn names_route(shape: &Shape) -> bool {
    shape.next_vc || shape.output_selection()
}

#[cfg(test)]
mod tests {
    use super::*;
    use railyard_spec::{Config, LinkAggregation, Routing, TableRouting};

    #[test]
    fn parts_lie_side_by_side() {
        for n in 0..16 {
            let (next_vc, candidates) = (n & 1 == 1, 1 + (n >> 1 & 3));
            let link_aggregation = (n >> 3 == 1).then(LinkAggregation::default);
            let mut config = Config::named("test");
            config.routing =
                Routing::Table(TableRouting { next_vc, candidates, link_aggregation, ..Default::default() });
            let shape = config.clone().check().unwrap().shape();
            let layout = route_layout(&shape);
            let mut places = vec![(layout.port, shape.port_bits)];
            if next_vc {
                places.extend([(layout.vc, shape.vc_bits), (layout.vc_set, 1)]);
            }
            if let Some(groups) = &shape.link_aggregation {
                places.extend([(layout.group, groups.group_bits), (layout.group_set, 1)]);
            }
            if candidates > 1 {
                places.push((layout.candidate, (candidates - 1) * shape.port_bits));
                places.extend([(layout.candidates, shape.candidates_bits()), (layout.in_order, 1)]);
            }
            let end = places.iter().fold(0, |end, (low, bits)| {
                assert_eq!(*low, end);
                low + *bits as usize
            });
            assert_eq!((layout.bits, route_bits(&shape)), (end, end));
            assert_eq!(result_bits(&shape, 0), end);

            config.virtual_channels.mixed = 1;
            let shape = config.check().unwrap().shape();
            let route = route_bits(&shape);
            let mixed = mixed_layout(&shape, route).unwrap();
            assert_eq!((mixed.vc, mixed.multicast, mixed.bits), (shape.vcs - 1, route.max(8), route.max(8) + 1));
            assert_eq!((result_bits(&shape, 0), result_bits(&shape, mixed.vc)), (route, mixed.bits));
        }
    }
}

//! What all stations share and none changes within a cycle.

use super::exchange::Sizes;
use super::format::Format;
use super::terminal::Target;
use super::traffic::Destinations;
use crate::blueprint::Blueprint;
use crate::multicast::Selector;
use crate::placement::node_address;
use railyard_sampling::random::{Chance, Geometric};
use railyard_spec::{RoutingShape, Shape};

/// Blueprint, traffic, faults.
#[derive(Clone, Debug)]
pub struct Setting {
    /// The network.
    pub blueprint: Blueprint,
    /// Sizes of a switch.
    pub sizes: Sizes,
    /// Cycles from one end of a link to the other.
    pub latency: u64,
    /// Cycles from a CAM request to its answer.
    pub cam_latency: u64,
    /// How packets are made.
    pub format: Format,
    /// Length of packets in flits.
    pub length: usize,
    /// Cycles from one packet of a node to its next; none with no load.
    pub arrivals: Option<Geometric>,
    /// Destinations of unicast packets.
    pub destinations: Destinations,
    /// Share of multicast packets.
    pub multicast: Chance,
    /// Groups of each node.
    pub groups_of: Vec<Vec<usize>>,
    /// Selection of a tree, for each group.
    pub selectors: Vec<Selector>,
    /// VCs of unicast packets, as a mask.
    pub unicast: u64,
    /// VC of multicast packets, as a mask.
    pub mixed: u64,
    /// Share of credit reports that get lost.
    pub lost: Chance,
}

impl Setting {
    /// The switches' shape.
    pub fn shape(&self) -> &Shape {
        &self.blueprint.plan.shape
    }

    /// What a header says of a packet's target, and whether it is a multicast packet.
    pub fn header(&self, source: usize, target: Target) -> (u64, bool) {
        match target {
            Target::Group { group, tree } => ((self.blueprint.groups[group].first + tree) as u64, true),
            Target::Node(node) => match &self.shape().routing {
                RoutingShape::Source(_) => {
                    let bits = self.shape().port_bits;
                    let hops = self.blueprint.route(source, node).enumerate();
                    (hops.fold(0, |route, (i, port)| route | (port as u64) << (i as u32 * bits)), false)
                }
                RoutingShape::Table(_) | RoutingShape::Algorithmic(_) => {
                    (node_address(&self.blueprint.plan, node), false)
                }
            },
        }
    }
}

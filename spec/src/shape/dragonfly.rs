//! Dragonfly routing, as numbers.

use super::index_width;
use crate::config::{ArbitrationPolicy, DragonflyRouting, Via};
use crate::legal::{Letter, Masks, PacketClass, Reference};
use crate::misrouting::PortKind;
use serde::Serialize;

/// Bits of a port's draw.
const DRAW_BITS: usize = 32;

/// Most bits of a key.
const MOST_KEY_BITS: usize = 8;

/// Dragonfly routing, as numbers.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
pub struct DragonflyShape {
    /// Ports to nodes, p: from port 0 on.
    pub node_ports: usize,
    /// Ports to other switches of the group, a - 1: behind those to nodes.
    pub local_ports: usize,
    /// Ports to other groups, h: behind those to switches.
    pub global_ports: usize,
    /// Depths of the buffers of ports to nodes, to other switches of the group, and to other groups, if they differ.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub buffer_flits: Option<[u32; 3]>,
    /// Virtual channels of the same ports, if they differ.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub vcs: Option<[usize; 3]>,
    /// Entries of the group table.
    pub groups: usize,
    /// Bits of the destination's node.
    pub node_bits: u32,
    /// Bits of the destination's router.
    pub router_bits: u32,
    /// Bits of the destination's group.
    pub group_bits: u32,
    /// The reference sequence of virtual channels; none for texts that are no sequence, which no legal description has.
    pub reference: Option<Reference>,
    /// Whether there are rules that choose virtual channels by their room.
    pub flexible_vcs: bool,
    /// Whether there is one that chooses them by chance.
    #[serde(skip_serializing_if = "std::ops::Not::not")]
    pub random_vcs: bool,
    /// What packets go over that a switch sends away from their source; none if they are not sent.
    pub valiant: Option<Via>,
    /// Whether packets can go around their minimal port on the way.
    pub in_transit: bool,
    /// Whether there are contention counters.
    pub contention: bool,
    /// Whether their counts are filtered.
    #[serde(skip_serializing_if = "std::ops::Not::not")]
    pub filter: bool,
    /// Whether routers tell each other how many packets are for each group.
    #[serde(skip_serializing_if = "std::ops::Not::not")]
    pub ectn: bool,
    /// Whether routers tell each other which global links are saturated.
    #[serde(skip_serializing_if = "std::ops::Not::not")]
    pub saturation: bool,
    /// Whether credit reports count flits of minimal packets, too.
    #[serde(skip_serializing_if = "std::ops::Not::not")]
    pub min_credits: bool,
    /// Policy of the arbiters.
    #[serde(skip_serializing_if = "is_round_robin")]
    pub policy: ArbitrationPolicy,
    /// Whether packets from other switches can go before those from nodes.
    #[serde(skip_serializing_if = "std::ops::Not::not")]
    pub transit_first: bool,
    /// Bits of a packet's age, if there are ages.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub age_bits: Option<u32>,
}

fn is_round_robin(policy: &ArbitrationPolicy) -> bool {
    *policy == ArbitrationPolicy::RoundRobin
}

impl DragonflyShape {
    pub(super) fn new(d: &DragonflyRouting, buffer_flits: u32, vcs: usize) -> DragonflyShape {
        let classes = &d.port_classes;
        let built_vcs = classes.all().map(|(_, class)| class.vcs.map_or(vcs, |vcs| vcs as usize));
        let depths = classes.all().map(|(_, class)| class.buffer_flits.unwrap_or(buffer_flits));
        let adaptive = d.adaptive.clone().unwrap_or_default();
        DragonflyShape {
            node_ports: classes.node.ports as usize,
            local_ports: classes.local.ports as usize,
            global_ports: classes.global.ports as usize,
            buffer_flits: depths.iter().any(|&depth| depth != depths[0]).then_some(depths),
            vcs: built_vcs.iter().any(|&built| built != vcs).then_some(built_vcs),
            groups: d.most_groups() as usize,
            node_bits: d.node_bits,
            router_bits: d.router_bits,
            group_bits: d.group_bits,
            reference: Reference::new(&d.vcs.requests, &d.vcs.replies).ok(),
            flexible_vcs: d.flexible_vcs,
            random_vcs: d.random_vcs,
            valiant: adaptive.valiant,
            in_transit: adaptive.in_transit,
            contention: adaptive.contention,
            filter: adaptive.filter,
            ectn: adaptive.ectn,
            saturation: adaptive.saturation,
            min_credits: adaptive.min_credits,
            policy: d.arbitration.policy,
            transit_first: d.arbitration.transit_first,
            age_bits: d.age_bits,
        }
    }

    /// Whether there are ways other than the minimal one.
    pub fn adaptive(&self) -> bool {
        self.valiant.is_some() || self.in_transit
    }

    /// Whether there are messages between routers.
    pub fn sends_messages(&self) -> bool {
        self.ectn || self.saturation
    }

    /// Bits of a global link's number at its switch.
    pub fn link_bits(&self) -> u32 {
        index_width(self.global_ports)
    }

    /// Bits of a VC's key, by which the random rule chooses: all keys together fit a draw.
    pub fn key_bits(vcs: usize) -> usize {
        (DRAW_BITS / vcs).min(MOST_KEY_BITS)
    }

    /// Switches of a group, a.
    pub fn routers(&self) -> usize {
        self.local_ports + 1
    }

    /// Kind of a port.
    pub fn kind(&self, port: usize) -> PortKind {
        match port {
            port if port < self.node_ports => PortKind::Node,
            port if port < self.node_ports + self.local_ports => PortKind::Local,
            _ => PortKind::Global,
        }
    }

    /// The reference sequence.
    ///
    /// # Panics
    /// The description was not checked.
    pub fn reference(&self) -> &Reference {
        self.reference.as_ref().expect("a checked description has a reference sequence")
    }

    /// Classes of packets: one, or requests and replies.
    pub fn packet_classes(&self) -> &'static [PacketClass] {
        match self.reference().has_replies() {
            true => &PacketClass::ALL,
            false => &PacketClass::ALL[..1],
        }
    }

    /// Legal VCs after reset.
    pub fn masks(&self) -> Masks {
        Masks::of_dragonfly(self.reference())
    }

    /// The letter of a kind of port; none of ports to nodes.
    pub fn letter(kind: PortKind) -> Option<Letter> {
        match kind {
            PortKind::Node => None,
            PortKind::Local => Some(Letter::Local),
            PortKind::Global => Some(Letter::Global),
        }
    }

    /// Bits of a destination: node, router and group.
    pub fn destination_bits(&self) -> u32 {
        self.node_bits + self.router_bits + self.group_bits
    }
}

//! Widths, depths and counts that follow from a configuration.

mod dragonfly;
mod reduction;
mod table;

pub use dragonfly::DragonflyShape;
pub use reduction::ReductionShape;
pub use table::{CacheShape, ForwardingTableShape, ParityShape, TableShape};

use crate::config::{Config, Crossbar, DragonflyRouting, FlowControl, LinkArbitration, Routing};
use crate::crc::Crc;
use crate::misrouting::PortKind;
use crate::reset::Reset;
use serde::Serialize;
use table::table_shape;

/// Everything that hardware, model and test bench need to know of a switch, as plain numbers.
///
/// Made only of a [`CheckedConfig`](crate::CheckedConfig): the numbers of a configuration that breaks rules mean
/// nothing.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
pub struct Shape {
    /// Ports, N.
    pub ports: usize,
    /// Bits of a port number: ceil(log2 N), at least 1.
    pub port_bits: u32,
    /// Flit width in bits.
    pub flit_bits: u32,
    /// Virtual channels of a link that carry packets, k.
    pub vcs: usize,
    /// Bits of a VC number, that of the control VC included: at least 1.
    pub vc_bits: u32,
    /// Longest packet in flits, M.
    pub max_flits: u32,
    /// Depth of a VC's input buffer in flits, D: a power of two. Of ports with buffers of different depths the
    /// greatest; see [`Shape::at_port`].
    pub buffer_flits: u32,
    /// log2 of the greatest depth.
    pub buffer_bits: u32,
    /// VCs of the port that has most. Behind them is the control VC.
    #[serde(skip)]
    pub most_vcs: usize,
    /// Credit scheme.
    pub flow_control: FlowControl,
    /// Width of one credit report: log2 of the greatest depth + 2 (absolute) or 2 (relative).
    pub credit_bits: u32,
    /// Crossbar structure.
    pub crossbar: Crossbar,
    /// Unit of link sharing.
    pub link_arbitration: LinkArbitration,
    /// Depth of the output queues in flits, Q: a power of two; of each output one for each VC. `None` without queues.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub output_queue_flits: Option<u32>,
    /// Route computation.
    pub routing: RoutingShape,
    /// Whether an entry may name the VC on which the packet leaves.
    pub next_vc: bool,
    /// Candidate ports of an entry, c.
    pub candidates: usize,
    /// Groups of links, if there are any.
    pub link_aggregation: Option<LinkAggregationShape>,
    /// Whether the APB port and its registers are built, if there is anything to set.
    pub registers: bool,
    /// Multicast, if there is a mixed VC.
    pub multicast: Option<MulticastShape>,
    /// Barriers, if there is a barrier VC.
    pub barrier: Option<BarrierShape>,
    /// Width of an event counter in bits, if counters are built.
    pub counter_bits: Option<u32>,
    /// Whether there are registers of events, and the pin `event_interrupt`.
    pub events: bool,
    /// How all registers are reset.
    pub reset: Reset,
    /// Code words of the VC buffers, if they are built with error correction.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub buffer_code: Option<CodeShape>,
    /// Width of `memory_test`, if the memories have pins.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub memory_test_bits: Option<u32>,
}

/// Code words of the VC buffers, as numbers.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize)]
pub struct CodeShape {
    /// Check bits, c.
    pub check_bits: u32,
    /// Bits of a code word, n: flit, bad, check bits.
    pub bits: u32,
    /// Whether there is the pin `rx_flip`.
    pub fault_pins: bool,
}

impl CodeShape {
    /// The code words of flits of that width.
    fn new(flit_bits: u32, fault_pins: bool) -> CodeShape {
        let data = flit_bits + 1;
        let check_bits = (3..).find(|c| (1 << (c - 1)) - c >= data).expect("some width is enough");
        CodeShape { check_bits, bits: data + check_bits, fault_pins }
    }
}

/// Barriers, as numbers.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize)]
pub struct BarrierShape {
    /// The barrier VC's number: it is behind the VCs that have buffers.
    pub vc: usize,
    /// Groups, B.
    pub groups: usize,
    /// Bits of a group's number: ceil(log2 B), at least 1.
    pub group_bits: u32,
}

/// Multicast, as numbers.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize)]
pub struct MulticastShape {
    /// The mixed VC's number.
    pub vc: usize,
    /// Groups, K.
    pub groups: usize,
    /// Bits of a group's number: ceil(log2 K).
    pub group_bits: u32,
    /// Words of the group tables, if they have parity.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub parity: Option<ParityShape>,
}

/// Route computation, as numbers.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
#[serde(tag = "kind", rename_all = "snake_case")]
pub enum RoutingShape {
    /// Cache and CAM, or CAM alone.
    Table(TableShape),
    /// Route in the header.
    Source(SourceShape),
    /// Node reduction and a port map.
    Algorithmic(AlgorithmicShape),
    /// Digits of a Dragonfly and three tables.
    Dragonfly(DragonflyShape),
}

/// Link aggregation, as numbers.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
pub struct LinkAggregationShape {
    /// Groups, G.
    pub groups: usize,
    /// Bits of a group's number: ceil(log2 G), at least 1.
    pub group_bits: u32,
    /// Links of a group, at most; L.
    pub links: usize,
    /// The hash; its 8 low bits select the link.
    pub crc: Crc,
}

/// Source routing, as numbers.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
pub struct SourceShape {
    /// Output ports listed in a header.
    pub hops: u32,
    /// Width of the route field at the low end of the head flit: hops x port bits.
    pub route_bits: u32,
}

/// Algorithmic routing, as numbers.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
pub struct AlgorithmicShape {
    /// Address width in bits, A.
    pub address_bits: u32,
    /// Flits that carry the address, and the multicast bit if there is one, counted from the head flit.
    pub header_flits: u32,
    /// Node reduction.
    pub reduction: ReductionShape,
    /// A route names one of the packet's pair of VCs.
    #[serde(skip_serializing_if = "std::ops::Not::not")]
    pub vc_pairs: bool,
}

/// Whether there are messages between routers.
fn sends_messages(routing: &Routing) -> bool {
    let Routing::Dragonfly(DragonflyRouting { adaptive: Some(built), .. }) = routing else { return false };
    built.ectn || built.saturation
}

/// Bits that can count `n` things: ceil(log2 n), at least 1.
fn index_width(n: usize) -> u32 {
    n.next_power_of_two().trailing_zeros().max(1)
}

/// Queues of up to so many words are flip-flops, deeper ones memories.
const MOST_FLIP_FLOP_WORDS: u32 = 16;

/// Depth in flits with which one VC keeps a link full whatever the route computation and the length of its packets.
const LEAST_DEFAULT_DEPTH: u32 = 16;

impl Config {
    /// Depth of each input buffer in flits: as given, or four maximum packets rounded up to a power of two, at least 16
    /// flits.
    pub fn buffer_depth(&self) -> u32 {
        self.buffer_flits.unwrap_or_else(|| (4 * self.packet.max_flits).next_power_of_two().max(LEAST_DEFAULT_DEPTH))
    }

    /// Depth of the deepest input buffer in flits: kinds of ports can have depths of their own.
    fn greatest_depth(&self) -> u32 {
        match &self.routing {
            Routing::Dragonfly(d) => {
                let depths = d.port_classes.all().map(|(_, class)| class.buffer_flits.unwrap_or(self.buffer_depth()));
                depths.into_iter().max().expect("there are kinds of ports")
            }
            _ => self.buffer_depth(),
        }
    }
}

impl Shape {
    /// Derives the numbers; those of a configuration that is yet to be checked serve its rules only.
    pub(crate) fn of(config: &Config) -> Shape {
        let ports = config.ports as usize;
        let (unicast, mixed) = (config.virtual_channels.unicast as usize, config.virtual_channels.mixed as usize);
        let vcs = unicast + mixed;
        // The multicast bit of a header.
        let multicast_bits = mixed as u32;
        let barrier = config.virtual_channels.barrier as usize;
        let control = barrier.max(usize::from(sends_messages(&config.routing)));
        let (port_bits, vc_bits) = (index_width(ports), index_width(vcs + control));
        let buffer_flits = config.greatest_depth();
        let buffer_bits = buffer_flits.trailing_zeros();
        let routing = match &config.routing {
            Routing::Source(s) => RoutingShape::Source(SourceShape { hops: s.hops, route_bits: s.hops * port_bits }),
            Routing::Algorithmic(a) => RoutingShape::Algorithmic(AlgorithmicShape {
                address_bits: a.address_bits,
                header_flits: (a.address_bits + multicast_bits).div_ceil(config.flit_bits),
                reduction: ReductionShape::new(&a.node_reduction, a.address_bits, a.next_vc),
                vc_pairs: a.vc_pairs,
            }),
            Routing::Dragonfly(d) => RoutingShape::Dragonfly(DragonflyShape::new(d, config.buffer_depth(), vcs)),
            Routing::Table(t) => {
                RoutingShape::Table(table_shape(t, config.flit_bits, multicast_bits, port_bits, vc_bits))
            }
        };
        let (candidates, link_aggregation) = match &config.routing {
            Routing::Source(_) | Routing::Dragonfly(_) => (1, None),
            Routing::Table(t) => (t.candidates as usize, t.link_aggregation.as_ref()),
            Routing::Algorithmic(a) => (1, a.link_aggregation.as_ref()),
        };
        Shape {
            ports,
            port_bits,
            flit_bits: config.flit_bits,
            vcs,
            vc_bits,
            max_flits: config.packet.max_flits,
            buffer_flits,
            buffer_bits,
            most_vcs: vcs,
            flow_control: config.flow_control,
            credit_bits: match config.flow_control {
                FlowControl::Absolute => buffer_bits + 2,
                FlowControl::Relative => 2,
            },
            crossbar: config.crossbar,
            link_arbitration: config.link_arbitration,
            output_queue_flits: config.output_queue_flits,
            routing,
            next_vc: match &config.routing {
                Routing::Source(_) => false,
                Routing::Table(t) => t.next_vc,
                Routing::Algorithmic(a) => a.next_vc,
                Routing::Dragonfly(_) => true,
            },
            candidates,
            link_aggregation: link_aggregation.map(|l| LinkAggregationShape {
                groups: l.groups as usize,
                group_bits: index_width(l.groups as usize),
                links: l.links as usize,
                crc: l.hash.crc(),
            }),
            registers: config.registers,
            multicast: (mixed > 0).then(|| {
                let groups = config.multicast.groups as usize;
                let parity = config.multicast.parity.as_ref();
                let parity = parity.map(|p| ParityShape { bits: config.ports + 2, fault_pins: p.fault_pins });
                MulticastShape { vc: unicast, groups, group_bits: index_width(groups), parity }
            }),
            barrier: (barrier > 0).then(|| {
                let groups = config.barrier.groups as usize;
                BarrierShape { vc: vcs, groups, group_bits: index_width(groups) }
            }),
            counter_bits: config.counters.as_ref().map(|c| c.bits),
            events: config.events,
            reset: config.reset,
            buffer_code: config.buffer_ecc.as_ref().map(|ecc| CodeShape::new(config.flit_bits, ecc.fault_pins)),
            memory_test_bits: config.memory_pins.as_ref().map(|pins| pins.test_bits),
        }
    }

    /// The same with the depth that buffers have at a port, and at the far end of its link, and with the VCs that are
    /// built there. Widths stay those of the deepest buffer and of the port with most VCs.
    pub fn at_port(&self, port: usize) -> Shape {
        Shape { vcs: self.vcs_at(port), ..self.with_depth_at(port) }
    }

    /// The same with the depth that buffers have at a port, and with the VCs of the port that has most.
    pub fn with_depth_at(&self, port: usize) -> Shape {
        Shape { buffer_flits: self.depth_at(port), ..self.clone() }
    }

    /// VCs that are built at a port: from VC 0 on.
    pub fn vcs_at(&self, port: usize) -> usize {
        match self.dragonfly().and_then(|built| Some((built.kind(port), built.vcs?))) {
            Some((kind, vcs)) => vcs[kind as usize],
            None => self.vcs,
        }
    }

    /// The same with each depth that buffers have, and the kind of ports with such buffers; one without a kind if all
    /// ports have the same depth.
    pub fn by_depth(&self) -> Vec<(Option<PortKind>, Shape)> {
        match self.dragonfly().and_then(|built| built.buffer_flits) {
            None => vec![(None, self.clone())],
            Some(depths) => {
                let shape = |(kind, buffer_flits)| (Some(kind), Shape { buffer_flits, ..self.clone() });
                PortKind::ALL.into_iter().zip(depths).map(shape).collect()
            }
        }
    }

    /// Depth of the buffers at a port in flits, and of those at the far end of its link.
    pub fn depth_at(&self, port: usize) -> u32 {
        match self.dragonfly().and_then(|built| Some((built.kind(port), built.buffer_flits?))) {
            Some((kind, depths)) => depths[kind as usize],
            None => self.buffer_flits,
        }
    }

    /// Whether there is a memory: not all that is stored is in flip-flops.
    pub fn has_memory(&self) -> bool {
        let in_table = self.table().is_some_and(|t| t.cache.is_some() || t.forwarding_table.is_some());
        self.buffer_flits > MOST_FLIP_FLOP_WORDS || in_table || self.multicast.is_some()
    }

    /// Number of the control VC, which carries barrier messages and router messages, if it is built.
    pub fn control_vc(&self) -> Option<usize> {
        (self.barrier.is_some() || self.router_messages().is_some()).then_some(self.most_vcs)
    }

    /// Bits that a VC buffer stores of a flit, without its marks: the flit, or its code word.
    pub fn stored_bits(&self) -> u32 {
        self.buffer_code.map_or(self.flit_bits, |code| code.bits)
    }

    /// Flits of a packet that are read as header: at least 1.
    pub fn header_flits(&self) -> u32 {
        match &self.routing {
            RoutingShape::Table(t) => t.header_flits,
            RoutingShape::Algorithmic(a) => a.header_flits,
            RoutingShape::Source(_) | RoutingShape::Dragonfly(_) => 1,
        }
    }

    /// Table routing's numbers, if that is how this switch routes.
    pub fn table(&self) -> Option<&TableShape> {
        match &self.routing {
            RoutingShape::Table(t) => Some(t),
            _ => None,
        }
    }

    /// Algorithmic routing's numbers, if that is how this switch routes.
    pub fn algorithmic(&self) -> Option<&AlgorithmicShape> {
        match &self.routing {
            RoutingShape::Algorithmic(a) => Some(a),
            _ => None,
        }
    }

    /// Dragonfly routing's numbers, if that is how this switch routes.
    pub fn dragonfly(&self) -> Option<&DragonflyShape> {
        match &self.routing {
            RoutingShape::Dragonfly(d) => Some(d),
            _ => None,
        }
    }

    /// Node reduction's numbers, in front of a cache or in place of a table, if there is any.
    pub fn reduction(&self) -> Option<&ReductionShape> {
        match &self.routing {
            RoutingShape::Table(t) => t.reduction.as_ref(),
            RoutingShape::Algorithmic(a) => Some(&a.reduction),
            RoutingShape::Source(_) | RoutingShape::Dragonfly(_) => None,
        }
    }

    /// Whether there is a selection register behind each route queue.
    pub fn output_selection(&self) -> bool {
        self.candidates > 1 || self.link_aggregation.is_some()
    }

    /// Bits that count the further candidates of an entry: ceil(log2 c), at least 1.
    pub fn candidates_bits(&self) -> u32 {
        index_width(self.candidates)
    }

    /// Whether the caches can be enabled, disabled and flushed at run time.
    pub fn cache_control(&self) -> bool {
        self.registers && self.table().is_some_and(|t| t.cache.is_some())
    }

    /// The forwarding table on the chip, if there is one.
    pub fn forwarding_table(&self) -> Option<&ForwardingTableShape> {
        self.table().and_then(|t| t.forwarding_table.as_ref())
    }

    /// Words of the routing caches, if they have parity.
    pub fn cache_parity(&self) -> Option<ParityShape> {
        self.table().and_then(|t| t.cache_parity)
    }

    /// Words of the forwarding table, if they have parity.
    pub fn table_parity(&self) -> Option<ParityShape> {
        self.table().and_then(|t| t.table_parity)
    }

    /// Words of the multicast group tables, if they have parity.
    pub fn group_parity(&self) -> Option<ParityShape> {
        self.multicast.as_ref().and_then(|multicast| multicast.parity)
    }

    /// Whether there are pins to an external CAM.
    pub fn external_cam(&self) -> bool {
        self.table().is_some_and(|t| t.external_cam)
    }

    /// Whether there is a default route.
    pub fn default_route(&self) -> bool {
        self.table().is_some_and(|t| t.default_route)
    }

    /// Width of the destination address that headers carry, if they do.
    pub fn address_bits(&self) -> Option<u32> {
        match &self.routing {
            RoutingShape::Table(t) => Some(t.address_bits),
            RoutingShape::Algorithmic(a) => Some(a.address_bits),
            RoutingShape::Dragonfly(d) => Some(d.destination_bits()),
            RoutingShape::Source(_) => None,
        }
    }
}

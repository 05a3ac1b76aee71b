//! What decisions of adaptive ways depend on, as bundles: settings, what is sensed at the outputs, what is drawn, and
//! what becomes of a packet's header.
//!
//! Source: reference of Dragonfly routing, adaptive ways.

use crate::units::prelude::*;
use railyard_spec::dragonfly::PHASE_BITS as PHASE;
use railyard_spec::misrouting::PortKind;
use railyard_spec::Via;

/// Bits of a phase.
pub const PHASE_BITS: usize = PHASE as usize;

/// Bits of a number of groups in a register.
pub const GROUPS_BITS: usize = 9;

/// Bits of a threshold of contention.
pub const THRESHOLD_BITS: usize = 7;

/// Bits of a number of routers in a register.
pub const ROUTERS_BITS: usize = 6;

/// Settings of adaptive ways, as far as they matter for packets that come by such a port.
#[bundle(shape: &Shape, built: &DragonflyShape, from: PortKind)]
pub struct MisroutingSettings<D: Side> {
    /// Mode: 0 minimal, 1 Valiant, 2 UGAL-L, 3 in transit.
    #[made(decides(built, from).then(|| mode_of_ways(built)))]
    pub mode: Option<Sig<D>>,
    /// Policy of detours: 0 CRG, 1 NRG, 2 RRG, 3 MM.
    pub policy: Option<Sig<D, 2>, { built.in_transit }>,
    /// Local detours behind a global hop.
    pub local_detour: Option<Flag<D>, { built.in_transit }>,
    /// Trigger of detours: 0 credits, 1 contention, 2 both.
    #[made(built.contention.then(|| trigger_of_detours(built)))]
    pub trigger: Option<Sig<D>>,
    /// Ports that detours may take.
    pub detour_ports: Option<Sig<D, { shape.ports }>, { built.in_transit }>,
}

/// Settings of what is sensed at an output.
#[bundle(built: &DragonflyShape, leads_on: bool)]
pub struct SenseSettings<D: Side> {
    /// Factor of UGAL-L, in quarters.
    pub factor: Option<Sig<D, 4>, { built.valiant.is_some() }>,
    /// Offset of UGAL-L.
    pub offset: Option<Sig<D, 10>, { built.valiant.is_some() }>,
    /// Least number of places in use at an output that packets go around.
    pub least: Option<Sig<D, 12>, { built.in_transit && leads_on }>,
    /// Share of these places that a detour may have in use, in 128ths.
    pub share: Option<Sig<D, 8>, { built.in_transit && leads_on }>,
    /// Of a minimal output, only the places that minimal packets use count.
    pub of_minimal: Option<Flag<D>, { built.min_credits && leads_on }>,
}

/// Settings of the draws at such a port.
#[bundle(built: &DragonflyShape, from: PortKind)]
pub struct DrawSettings<D: Side> {
    /// Seed of all draws.
    pub seed: Sig<D, 32>,
    /// Draws of 256 that are local.
    pub local_share: Option<Sig<D, 9>, { built.in_transit }>,
    /// Groups of the network.
    pub groups: Option<Sig<D, GROUPS_BITS>, { sends_to_vias(built, from) }>,
    /// Switches of a group.
    pub routers: Option<Sig<D, ROUTERS_BITS>, { sends_to_vias(built, from) && built.valiant == Some(Via::Router) }>,
}

/// Thresholds of contention counters.
#[bundle(bits: usize, filters: bool)]
pub struct Thresholds<D: Side> {
    /// Packets for a port from which on packets go around it.
    pub threshold: Sig<D, bits>,
    /// The same, with credits as a second trigger.
    pub hybrid: Sig<D, bits>,
    /// Of a change, one part in 2^shift counts in each cycle.
    pub shift: Option<Sig<D, SHIFT_BITS>, filters>,
    /// Filtered counts count, in place of those of the cycle.
    pub filtered: Option<Flag<D>, filters>,
}

/// What is sensed at all outputs, for detours.
#[bundle(shape: &Shape, built: &DragonflyShape)]
pub struct Sensed<D: Side> {
    /// Room for a detour by output o, of class q: bit 2 q + 1 if it has case 3, or else bit 2 q.
    pub fits: Vec<Sig<D, { detour_cases(built) }>, { shape.ports }, { built.in_transit }>,
    /// By credits, packets of class and case may go around link m: bit 4 class + case of element m.
    pub stuffed: Vec<Sig<D, { cases(built) }>, { link_ports(built) }, { built.in_transit }>,
    /// By credits, packets may go around link m by output o: bit m of element o; link 0 is the first local output.
    pub light: Vec<Sig<D, { link_ports(built) }>, { shape.ports }, { built.in_transit }>,
    /// Output o is not available.
    pub busy: Option<Sig<D, { shape.ports }>, { built.in_transit }>,
    /// Many packets have output o as their minimal one.
    pub hot: Option<Sig<D, { shape.ports }>, { built.contention }>,
    /// The same, for the threshold with credits as a second trigger.
    pub hot_hybrid: Option<Sig<D, { shape.ports }>, { built.contention }>,
}

/// What is drawn at a port.
#[bundle(shape: &Shape, built: &DragonflyShape, from: PortKind)]
pub struct Draws<D: Side> {
    /// A global port.
    pub to_global: Option<Sig<D, { shape.port_bits as usize }>, { built.in_transit }>,
    /// A local port.
    pub to_local: Option<Sig<D, { shape.port_bits as usize }>, { built.in_transit }>,
    /// A local port in place of a global one.
    pub is_local: Option<Flag<D>, { built.in_transit }>,
    #[made(sends_to_vias(built, from).then(|| via_draws(shape, built)))]
    pub via: Option<ViaDraws<D>>,
}

/// Ways to other groups and to other routers of this group, for vias.
#[bundle(shape: &Shape, built: &DragonflyShape)]
pub struct ViaTables<D: Side> {
    /// Number of this switch's group.
    pub group: Sig<D, { built.group_bits as usize }>,
    /// Number of this switch in its group.
    pub router: Option<Sig<D, { built.router_bits as usize }>, { built.valiant == Some(Via::Router) }>,
    /// Way to group g: {valid, port}.
    pub group_way: Vec<Sig<D, { shape.port_bits as usize + 1 }>, { built.groups }>,
    /// Way to router r of this group: {valid, port}.
    pub router_way:
        Vec<Sig<D, { shape.port_bits as usize + 1 }>, { built.routers() }, { built.valiant == Some(Via::Router) }>,
}

/// Vias drawn at a node's port.
#[bundle(shape: &Shape, built: &DragonflyShape)]
pub struct ViaDraws<D: Side> {
    /// There is a way to the via in another group.
    pub out_there: Flag<D>,
    /// Port of that way.
    pub out_port: Sig<D, { shape.port_bits as usize }>,
    /// There is a way to the via in this group.
    pub in_there: Option<Flag<D>, { built.valiant == Some(Via::Router) }>,
    /// Port of that way.
    pub in_port: Option<Sig<D, { shape.port_bits as usize }>, { built.valiant == Some(Via::Router) }>,
    /// The via in another group, as in a header.
    pub out_via: Sig<D, { via_bits(built) }>,
    /// The via in this group, as in a header.
    pub in_via: Option<Sig<D, { via_bits(built) }>, { built.valiant == Some(Via::Router) }>,
}

/// What the candidates of a port, and decisions, depend on besides the packet.
#[bundle(shape: &Shape, built: &DragonflyShape, from: PortKind)]
pub struct AdaptiveWires<D: Side> {
    pub settings: Bare<MisroutingSettings<D, shape, built, from>>,
    pub sensed: Sensed<D, shape, built>,
    /// Link m has no more places in use than would send packets to a via by output o: bit o of element m.
    pub short: Vec<Sig<D, { shape.ports }>, { link_ports(built) }, { sends_to_vias(built, from) }>,
    pub draws: Draws<D, shape, built, from>,
    /// Many packets of this group's routers are for group g.
    pub hot_group: Option<Sig<D, { built.groups }>, { spreads_by_group(built, from) }>,
    /// Global link j behind port p is saturated: bit j of element p.
    pub saturated: Vec<Sig<D, { built.global_ports }>, { shape.ports }, { sees_saturation(built, from) }>,
}

/// How packets decide, as far as it matters for those that come by such a port.
#[bundle(built: &DragonflyShape, from: PortKind)]
pub struct DecisionSettings<D: Side> {
    /// Mode: 0 minimal, 1 Valiant, 2 UGAL-L, 3 in transit.
    #[made(decides(built, from).then(|| mode_of_ways(built)))]
    pub mode: Option<Sig<D>>,
    /// Policy of detours: 0 CRG, 1 NRG, 2 RRG, 3 MM.
    pub policy: Option<Sig<D, 2>, { built.in_transit }>,
    /// Local detours behind a global hop.
    pub local_detour: Option<Flag<D>, { built.in_transit }>,
}

/// What routers of the group have told each other, as far as it matters for packets that come by such a port.
#[bundle(shape: &Shape, built: &DragonflyShape, from: PortKind)]
pub struct ToldByRouters<D: Side> {
    /// Many packets of this group's routers are for group g.
    pub hot_group: Option<Sig<D, { built.groups }>, { spreads_by_group(built, from) }>,
    /// Global link j behind port p is saturated: bit j of element p.
    pub saturated: Vec<Sig<D, { built.global_ports }>, { shape.ports }, { sees_saturation(built, from) }>,
}

/// What a detour by an output that was drawn means for all packets of a port.
#[bundle(shape: &Shape, built: &DragonflyShape)]
pub struct DetourWays<D: Side> {
    /// The output, one-hot.
    pub request: Sig<D, { shape.ports }>,
    /// Packets whose minimal output is m may take it: bit m of element 4 class + case.
    pub detour: Vec<Sig<D, { shape.ports }>, { cases(built) }>,
}

/// What the way to a via that was drawn means for all packets of a port.
#[bundle(shape: &Shape, built: &DragonflyShape)]
pub struct ViaWays<D: Side> {
    /// There is a way.
    pub there: Flag<D>,
    /// The output, one-hot.
    pub request: Sig<D, { shape.ports }>,
    /// The via, as in a header.
    pub via: Sig<D, { via_bits(built) }>,
    /// UGAL-L sends packets there whose minimal output is m: bit m.
    pub longer: Sig<D, { shape.ports }>,
    /// VC for class q.
    pub leave: Vec<Sig<D, { shape.vcs }>, { built.packet_classes().len() }>,
}

/// The candidates of a port.
#[bundle(shape: &Shape, built: &DragonflyShape, from: PortKind)]
pub struct Candidates<D: Side> {
    #[made(built.in_transit.then(|| detour_ways(shape, built)))]
    pub local: Option<DetourWays<D>>,
    #[made(built.in_transit.then(|| detour_ways(shape, built)))]
    pub global: Option<DetourWays<D>>,
    /// Packets of class q whose minimal output is m may take the global candidate without a trigger: bit m of
    /// element q.
    pub open: Vec<Sig<D, { shape.ports }>, { built.packet_classes().len() }, { built.in_transit }>,
    /// Packets of class q whose minimal output is m may take the local candidate if their group is hot: bit m of
    /// element q.
    pub local_away: Vec<Sig<D, { shape.ports }>, { built.packet_classes().len() }, { spreads_by_group(built, from) }>,
    /// The same for the global candidate.
    pub global_away: Vec<Sig<D, { shape.ports }>, { built.packet_classes().len() }, { spreads_by_group(built, from) }>,
    /// The local candidate takes the place of the global one.
    pub is_local: Option<Flag<D>, { built.in_transit }>,
    #[made(sends_to_vias(built, from).then(|| via_ways(shape, built)))]
    pub out: Option<ViaWays<D>>,
    #[made((sends_to_vias(built, from) && built.valiant == Some(Via::Router)).then(|| via_ways(shape, built)))]
    pub inside: Option<ViaWays<D>>,
}

/// What the switch writes into the headers of packets that leave, for each VC of an input.
#[bundle(shape: &Shape, built: &DragonflyShape)]
pub struct HeaderRewrite<D: Side> {
    /// Phase of VC v's packet.
    pub phase: Vec<Sig<D, PHASE_BITS>, { shape.vcs }, { built.adaptive() }>,
    /// VC v's packet gets a via.
    pub via_set: Vec<Flag<D>, { shape.vcs }, { built.valiant.is_some() }>,
    /// Via of VC v's packet.
    pub via: Vec<Sig<D, { via_bits(built) }>, { shape.vcs }, { built.valiant.is_some() }>,
    /// VC v's packet turns away from its minimal way.
    pub turned: Vec<Flag<D>, { shape.vcs }, { built.min_credits }>,
    /// Age of VC v's packet.
    pub age: Vec<Sig<D, { built.age_bits.unwrap_or(1) as usize }>, { shape.vcs }, { built.age_bits.is_some() }>,
}

/// Bits of the number of a mode.
pub fn mode_bits(built: &DragonflyShape) -> usize {
    if built.saturation {
        3
    } else {
        2
    }
}

/// The number of the mode.
pub fn mode_of_ways<D: Side>(built: &DragonflyShape) -> Sig<D> {
    sig(mode_bits(built)).doc(match built.saturation {
        false => "Mode: 0 minimal, 1 Valiant, 2 UGAL-L, 3 in transit.",
        true => "Mode: 0 minimal, 1 Valiant, 2 UGAL-L, 3 in transit, 4 PiggyBack.",
    })
}

/// Bits of the number of a trigger.
pub fn trigger_bits(built: &DragonflyShape) -> usize {
    if built.ectn {
        3
    } else {
        2
    }
}

/// The number of the trigger of detours.
pub fn trigger_of_detours<D: Side>(built: &DragonflyShape) -> Sig<D> {
    sig(trigger_bits(built)).doc(match (built.filter, built.ectn) {
        (false, false) => "Trigger of detours: 0 credits, 1 contention, 2 both.",
        (true, false) => "Trigger of detours: 0 credits, 1 contention, 2 both, 3 filtered contention.",
        (false, true) => "Trigger of detours: 0 credits, 1 contention, 2 both, 4 ECtN.",
        (true, true) => "Trigger of detours: 0 credits, 1 contention, 2 both, 3 filtered contention, 4 ECtN.",
    })
}

/// Whether packets that come by a port of this kind can be sent to a via.
pub fn sends_to_vias(built: &DragonflyShape, from: PortKind) -> bool {
    built.valiant.is_some() && from == PortKind::Node
}

/// Whether packets that come by a port of this kind are counted by their groups: those that enter this switch's group.
pub fn counts_groups(built: &DragonflyShape, from: PortKind) -> bool {
    built.ectn && from != PortKind::Local
}

/// Whether packets that come by a port of this kind leave their minimal way by the counts of their groups.
pub fn spreads_by_group(built: &DragonflyShape, from: PortKind) -> bool {
    built.ectn && from == PortKind::Node
}

/// Whether packets that come by a port of this kind go to a via if their global link is saturated.
pub fn sees_saturation(built: &DragonflyShape, from: PortKind) -> bool {
    built.saturation && from == PortKind::Node
}

/// Whether there is something to decide for packets that come by a port of this kind.
pub fn decides(built: &DragonflyShape, from: PortKind) -> bool {
    built.in_transit || sends_to_vias(built, from)
}

/// Bits of a via in a header.
pub fn via_bits(built: &DragonflyShape) -> usize {
    match built.valiant {
        Some(Via::Router) => (built.router_bits + built.group_bits) as usize,
        _ => built.group_bits as usize,
    }
}

/// Lowest bit of a via's group in a via.
pub fn via_group_low(built: &DragonflyShape) -> usize {
    via_bits(built) - built.group_bits as usize
}

/// Bits of the places in use behind an output, of all VCs.
pub fn queue_bits(shape: &Shape) -> usize {
    in_use_bits(shape) + clog2(shape.vcs)
}

/// Bits of the places that a detour may have in use.
pub fn limit_bits(shape: &Shape) -> usize {
    queue_bits(shape) + 1
}

/// Bits of the places in use by which packets go to vias.
pub fn bound_bits(shape: &Shape) -> usize {
    (queue_bits(shape) + 2).max(10) + 1
}

/// Detours of a packet, for all classes: in the destination's group, or anywhere else.
pub fn detour_cases(built: &DragonflyShape) -> usize {
    2 * built.packet_classes().len()
}

/// Ports to other switches.
pub fn link_ports(built: &DragonflyShape) -> usize {
    built.local_ports + built.global_ports
}

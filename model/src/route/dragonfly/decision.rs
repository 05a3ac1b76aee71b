//! The decision for a packet: output, virtual channel, and the phase with which it leaves.
//!
//! Source: reference page of Dragonfly routing, "Decision".

use super::candidates::Candidates;
use super::choice_registers::{link, ChoiceRegisters};
use super::draws::Draws;
use super::router_messages::RouterMessageUnit;
use super::ways::{DragonflyRoute, Way};
use crate::registers::dragonfly_registers::DragonflySettings;
use crate::route::route_queue::PacketRoute;
use railyard_spec::misrouting::{HopKind, PortKind, RoutePhase};
use railyard_spec::{DragonflyShape, Via};

/// What a head flit is rewritten with.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct HeaderRewrite {
    /// Phase.
    pub phase: RoutePhase,
    /// Group and router of a new via.
    pub via: Option<(u8, u8)>,
    /// The packet leaves its minimal way.
    pub turns_away: bool,
}

impl HeaderRewrite {
    /// Of a packet that keeps its way.
    fn stay(phase: RoutePhase) -> Self {
        HeaderRewrite { phase, via: None, turns_away: false }
    }
}

/// What a packet asks for.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Choice {
    /// An output and a VC, or drop.
    pub route: PacketRoute,
    /// How it leaves.
    pub departure: HeaderRewrite,
    /// What the hop is. Nothing depends on it.
    pub hop: HopKind,
}

/// The packet that decides.
#[derive(Clone, Copy, Debug)]
pub struct RoutedPacket {
    /// Port by which it came.
    pub port: usize,
    /// VC on which it came.
    pub vc: usize,
    /// Its result of route computation.
    pub route: DragonflyRoute,
    /// It has waited long.
    pub is_impatient: bool,
}

/// What all decisions of a cycle read.
#[derive(Clone, Copy, Debug)]
pub struct Decision<'a> {
    /// The switch.
    pub built: &'a DragonflyShape,
    /// Its settings.
    pub settings: &'a DragonflySettings,
    /// Rules of VCs.
    pub choices: &'a ChoiceRegisters,
    /// What candidates are good for.
    pub candidates: &'a Candidates,
    /// Candidates of the ports.
    pub draws: &'a Draws,
    /// What other routers of the group have told.
    pub messages: Option<&'a RouterMessageUnit>,
}

impl Decision<'_> {
    /// The choice of a packet that is not dropped; none: it asks for nothing.
    pub fn choose(&self, packet: &RoutedPacket) -> Option<Choice> {
        let DragonflyRoute { minimal, escape, phase, .. } = packet.route;
        let stay = HeaderRewrite::stay(phase);
        if self.kind(minimal.port) == PortKind::Node {
            return self.hop(packet, minimal, stay, HopKind::Minimal);
        }
        if packet.is_impatient {
            let phase = if phase == RoutePhase::ToVia { RoutePhase::Settled } else { phase };
            return self.hop(packet, escape, HeaderRewrite::stay(phase), HopKind::Escape);
        }
        let from_node = self.kind(packet.port as u8) == PortKind::Node;
        match self.settings.mode {
            1 | 2 | 4 if from_node => self.at_source(packet),
            3 => match self.detour(packet) {
                Some((way, phase)) => self.go_around(packet, way, phase),
                None if phase == RoutePhase::Detoured && self.kind(minimal.port) == PortKind::Local => None,
                None => self.hop(packet, minimal, stay, HopKind::Minimal),
            },
            _ => self.hop(packet, minimal, stay, HopKind::Minimal),
        }
    }

    fn kind(&self, port: u8) -> PortKind {
        self.built.kind(port as usize)
    }

    /// A hop on the VC of the rule.
    fn hop(
        &self,
        packet: &RoutedPacket,
        Way { port, case }: Way,
        departure: HeaderRewrite,
        hop: HopKind,
    ) -> Option<Choice> {
        let class = packet.route.class;
        let vc = match self.kind(port) {
            PortKind::Node => class as u8,
            kind if packet.is_impatient || self.settings.rule == 0 => {
                let legal = self.settings.legal(class, link(kind), case);
                let first = self.choices.first_index(packet.port, packet.vc, class);
                self.choices.next(legal, link(kind), first)?
            }
            _ => self.choices.best(port as usize, case, class)?,
        };
        Some(Choice { route: PacketRoute::PortVc(port, vc), departure, hop })
    }

    /// Valiant, UGAL-L and PiggyBack.
    fn at_source(&self, packet: &RoutedPacket) -> Option<Choice> {
        let DragonflyRoute { minimal, phase, .. } = packet.route;
        let stays_minimal = || self.hop(packet, minimal, HeaderRewrite::stay(phase), HopKind::Minimal);
        let is_inside = minimal.case == 0;
        if is_inside && self.built.valiant == Some(Via::Group) {
            return stays_minimal();
        }
        let via = self.draws.via(packet.port);
        let (candidate, group) = if is_inside { (via.inside, via.own_group) } else { (via.out, via.group) };
        match candidate {
            Some(port) if self.goes_to_via(packet, port) => {
                let vc = self.candidates.via_vc(port, packet.route.class)?;
                let departure =
                    HeaderRewrite { phase: RoutePhase::ToVia, via: Some((group, via.router)), turns_away: true };
                Some(Choice { route: PacketRoute::PortVc(port, vc), departure, hop: HopKind::ToVia })
            }
            None if self.settings.mode == 1 => None,
            _ => stays_minimal(),
        }
    }

    /// Whether a packet from a node takes the way to its via.
    fn goes_to_via(&self, packet: &RoutedPacket, candidate: u8) -> bool {
        match self.settings.mode {
            1 => true,
            2 => self.candidates.is_long(packet.route.minimal.port, candidate),
            _ => self.candidates.is_long(packet.route.minimal.port, candidate) || self.is_saturated(packet),
        }
    }

    /// Whether the global link of a packet's minimal way is saturated.
    fn is_saturated(&self, packet: &RoutedPacket) -> bool {
        let DragonflyRoute { minimal, link, .. } = packet.route;
        let Some(of) = self.messages.and_then(RouterMessageUnit::saturation) else { return false };
        match minimal.case {
            1 => of.is_saturated(minimal.port.into()),
            2 => of.is_saturated_behind(minimal.port.into(), link),
            _ => false,
        }
    }

    /// The detour that is possible, if one is, and the phase behind it.
    fn detour(&self, packet: &RoutedPacket) -> Option<(Way, RoutePhase)> {
        let DragonflyRoute { minimal, phase, class, .. } = packet.route;
        let is_local = self.candidate_is_local(packet)?;
        let drawn = self.draws.candidates(packet.port);
        let port = if is_local { drawn.local } else { drawn.global };
        let is_possible = match phase {
            RoutePhase::Detoured => self.candidates.is_open(port, minimal, class),
            _ => self.candidates.is_detour(port, minimal, class) || self.is_away(packet, port),
        };
        let behind = match (is_local, phase) {
            (false, phase) => phase,
            (true, RoutePhase::Home) => RoutePhase::Detoured,
            (true, _) => RoutePhase::Settled,
        };
        is_possible.then_some((Way { port, case: if minimal.case == 0 { 1 } else { 3 } }, behind))
    }

    /// Whether a packet from a node leaves its minimal way because many packets are for its group.
    fn is_away(&self, packet: &RoutedPacket, candidate: u8) -> bool {
        let DragonflyRoute { minimal, phase, class, group, .. } = packet.route;
        phase == RoutePhase::Home
            && self.kind(packet.port as u8) == PortKind::Node
            && self.messages.is_some_and(|messages| messages.is_hot_group(group.into()))
            && self.candidates.is_away(candidate, minimal, class)
    }

    /// The hop of a detour.
    fn go_around(&self, packet: &RoutedPacket, way: Way, phase: RoutePhase) -> Option<Choice> {
        let departure = HeaderRewrite { phase, via: None, turns_away: true };
        let hop = HopKind::Detour(self.kind(way.port));
        if self.settings.rule == 0 {
            return self.hop(packet, way, departure, hop);
        }
        let vc = self.candidates.best(way.port, way.case, packet.route.class)?;
        Some(Choice { route: PacketRoute::PortVc(way.port, vc), departure, hop })
    }

    /// Whether the candidate is a local link; none: there is no candidate.
    fn candidate_is_local(&self, packet: &RoutedPacket) -> Option<bool> {
        let from_node = self.kind(packet.port as u8) == PortKind::Node;
        match (packet.route.phase, self.settings.policy) {
            (RoutePhase::ToVia | RoutePhase::Settled, _) => None,
            (RoutePhase::Crossed, _) => {
                let minimal_is_local = self.kind(packet.route.minimal.port) == PortKind::Local;
                (self.settings.local_detour && minimal_is_local).then_some(true)
            }
            (RoutePhase::Detoured, _) | (RoutePhase::Home, 0) => Some(false),
            (RoutePhase::Home, 1) => Some(true),
            (RoutePhase::Home, 2) => Some(self.draws.candidates(packet.port).is_local),
            (RoutePhase::Home, _) => Some(!from_node),
        }
    }
}

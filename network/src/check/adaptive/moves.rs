//! Where a packet can go from a switch, by its target and phase.

use super::super::Channel;
use super::{AdaptiveRouting, SourceChoice, WaitingPlace};
use crate::topology::{DragonflyPort, Exits};
use crate::wiring::{Peer, Port};
use railyard_model::bits::ones;
use railyard_spec::legal::{Letter, PacketClass};
use railyard_spec::misrouting::{case, HopKind, PortKind, Reach, RoutePhase};

/// A hop that a packet can make: the port by which it leaves, its VCs as a mask, and its phase then.
#[derive(Clone, Copy, Debug)]
pub struct Move {
    pub port: usize,
    pub letter: Letter,
    pub vcs: u16,
    pub phase: RoutePhase,
}

/// A packet in front of a switch: where it is going, in which phase, and by which kind of port it came.
#[derive(Clone, Copy, Debug)]
pub struct WaitingPacket {
    pub switch: usize,
    pub from: PortKind,
    pub class: PacketClass,
    pub phase: RoutePhase,
    /// The switch of the destination, or that of the via in phase [`RoutePhase::ToVia`].
    pub target: usize,
}

/// The choices of a network, and the numbers of its places: those of links by switch, port and VC, then those from
/// nodes, then those to nodes.
pub struct Moves<'a> {
    pub adaptive: &'a AdaptiveRouting<'a>,
    exits: &'a Exits,
    pub vcs: usize,
}

impl<'a> Moves<'a> {
    pub fn new(adaptive: &'a AdaptiveRouting<'a>, exits: &'a Exits) -> Moves<'a> {
        let vcs = Letter::ALL.map(|letter| adaptive.reference.vcs(letter)).into_iter().max().unwrap_or(1);
        Moves { adaptive, exits, vcs }
    }

    pub fn switches(&self) -> usize {
        self.adaptive.wiring.switches()
    }

    fn links(&self) -> usize {
        self.switches() * self.adaptive.wiring.ports() * self.vcs
    }

    pub fn places(&self) -> usize {
        self.links() + 4 * self.switches()
    }

    pub fn link(&self, from: Port, vc: usize) -> usize {
        (from.switch * self.adaptive.wiring.ports() + from.port) * self.vcs + vc
    }

    pub fn injection(&self, switch: usize, class: PacketClass) -> usize {
        let has_own = self.adaptive.choices.replies_from_nodes;
        self.links() + 2 * switch + usize::from(class == PacketClass::Reply && has_own)
    }

    pub fn ejection(&self, switch: usize, class: PacketClass) -> usize {
        self.links() + 2 * self.switches() + 2 * switch + class as usize
    }

    pub fn place(&self, number: usize) -> WaitingPlace {
        match number.checked_sub(self.links()) {
            None => {
                let (port, ports) = (number / self.vcs, self.adaptive.wiring.ports());
                let from = Port { switch: port / ports, port: port % ports };
                WaitingPlace::Link(Channel { from, vc: number % self.vcs })
            }
            Some(node) if node < 2 * self.switches() => WaitingPlace::FromNodes { switch: node / 2, vc: node % 2 },
            Some(node) => {
                let node = node - 2 * self.switches();
                WaitingPlace::ToNodes { switch: node / 2, vc: node % 2 }
            }
        }
    }

    /// The place that a group's turn brings a place to: all groups look alike in a palm tree.
    pub fn turned(&self, number: usize, by: usize) -> usize {
        let fly = self.adaptive.fly;
        let switch = |switch: usize| {
            let (group, router) = fly.place(switch);
            fly.switch((group + by) % fly.groups(), router)
        };
        match self.place(number) {
            WaitingPlace::Link(Channel { from, vc }) => {
                self.link(Port { switch: switch(from.switch), port: from.port }, vc)
            }
            WaitingPlace::FromNodes { switch: at, vc } => self.links() + 2 * switch(at) + vc,
            WaitingPlace::ToNodes { switch: at, vc } => self.links() + 2 * self.switches() + 2 * switch(at) + vc,
        }
    }

    /// The place that a turn to group 0 brings a place to.
    pub fn at_group_0(&self, number: usize) -> usize {
        let fly = self.adaptive.fly;
        let switch = match self.place(number) {
            WaitingPlace::Link(channel) => channel.from.switch,
            WaitingPlace::FromNodes { switch, .. } | WaitingPlace::ToNodes { switch, .. } => switch,
        };
        self.turned(number, fly.groups() - fly.place(switch).0)
    }

    pub fn kind(&self, at: Port) -> PortKind {
        match self.adaptive.fly.class(self.adaptive.fly.place(at.switch).1, at.port) {
            Some(DragonflyPort::Local(_)) => PortKind::Local,
            Some(DragonflyPort::Global(_)) => PortKind::Global,
            Some(DragonflyPort::Node(_)) | None => PortKind::Node,
        }
    }

    /// Whether a packet on the way to a via has reached it at a switch.
    pub fn via_is_here(&self, switch: usize, via: usize) -> bool {
        let group = |switch| self.adaptive.fly.place(switch).0;
        switch == via || self.adaptive.choices.valiant == Some(SourceChoice::Group) && group(switch) == group(via)
    }

    /// The port of the minimal way to another switch.
    fn minimal_port(&self, switch: usize, target: usize) -> usize {
        let fly = self.adaptive.fly;
        let ((group, router), (to_group, to_router)) = (fly.place(switch), fly.place(target));
        if group == to_group {
            return fly.local_port(router, to_router);
        }
        let (owner, port) = self.exits.of_switch(group, router, to_group).expect("minimal ways are whole");
        if owner == router {
            port
        } else {
            fly.local_port(router, owner)
        }
    }

    /// The hop by a port; none if nothing is wired to it.
    fn hop(&self, packet: WaitingPacket, port: usize, hop: HopKind) -> Option<Move> {
        let at = Port { switch: packet.switch, port };
        let Peer::Switch(far) = self.adaptive.wiring.peer(at) else { return None };
        let letter = if self.kind(at) == PortKind::Global { Letter::Global } else { Letter::Local };
        let group = |switch| self.adaptive.fly.place(switch).0;
        // A switch tells cases by tables: behind a global link they know the group alone.
        let reach = match (packet.target, letter) {
            (target, Letter::Local) if far.switch == target => Reach::Switch,
            (_, Letter::Global) if matches!(hop, HopKind::Detour(_)) => Reach::Elsewhere,
            (target, _) if group(far.switch) == group(target) => Reach::Group,
            _ => Reach::Elsewhere,
        };
        let vcs = self.adaptive.masks.get(packet.class, letter, case(hop, reach));
        Some(Move { port, letter, vcs, phase: packet.phase.after(hop) })
    }

    /// The minimal hop to the target. The switch is not that of the target.
    pub fn minimal(&self, packet: WaitingPacket) -> Move {
        let kind = if packet.phase == RoutePhase::ToVia { HopKind::ToVia } else { HopKind::Minimal };
        self.hop(packet, self.minimal_port(packet.switch, packet.target), kind).expect("minimal ways are whole")
    }

    /// The minimal hop to a destination, which is the packet's target, with any via given up.
    pub fn escape(&self, packet: WaitingPacket) -> Move {
        let port = self.minimal_port(packet.switch, packet.target);
        self.hop(packet, port, HopKind::Escape).expect("minimal ways are whole")
    }

    /// The detours that a packet can take.
    pub fn detours(&self, packet: WaitingPacket) -> Vec<Move> {
        let Some(policy) = self.adaptive.choices.policy else { return Vec::new() };
        let fly = self.adaptive.fly;
        let minimal = self.minimal_port(packet.switch, packet.target);
        let kind = self.kind(Port { switch: packet.switch, port: minimal });
        let allowed = policy.detours(packet.from, packet.phase, kind, self.adaptive.choices.local_detour);
        let local = (fly.p..fly.global_port(0)).filter(|_| allowed.local).map(|port| (port, PortKind::Local));
        let global = (0..fly.h).filter(|_| allowed.global).map(|link| (fly.global_port(link), PortKind::Global));
        let ports = local.chain(global).filter(|(port, _)| *port != minimal);
        ports.filter_map(|(port, kind)| self.hop(packet, port, HopKind::Detour(kind))).collect()
    }

    /// The vias to which the source of a packet can send it, and the first hop to each.
    pub fn vias(&self, packet: WaitingPacket) -> Vec<(usize, Move)> {
        let Some(via) = self.adaptive.choices.valiant else { return Vec::new() };
        let fly = self.adaptive.fly;
        let (own, to) = (fly.place(packet.switch).0, fly.place(packet.target).0);
        // Inside a group the via is another switch of it.
        let is_among =
            |group: &usize| if own == to { *group == own && via == SourceChoice::Switch } else { *group != own };
        let routers = if via == SourceChoice::Group { 1 } else { fly.a };
        let groups = (0..fly.groups()).filter(is_among);
        let all = groups.flat_map(|group| (0..routers).map(move |router| fly.switch(group, router)));
        let others = all.filter(|&via| via != packet.switch);
        others
            .map(|via| (via, self.minimal(WaitingPacket { target: via, phase: RoutePhase::ToVia, ..packet })))
            .collect()
    }

    /// The place of a blocked packet's way on: the VC by the rule `next`, or all VCs of the link if that one has no
    /// room of its own.
    pub fn waits_for(&self, packet: WaitingPacket, came: Option<(Letter, usize)>, hop: Move) -> Option<Vec<usize>> {
        let AdaptiveRouting { reference, choices, .. } = self.adaptive;
        let vc = reference.next(packet.class, came, hop.letter, hop.vcs)?;
        let all = (1u64 << reference.vcs(hop.letter)) - 1;
        let vcs = if choices.reserved[hop.letter as usize] >> vc & 1 == 1 { 1 << vc } else { all };
        let from = Port { switch: packet.switch, port: hop.port };
        Some(ones(vcs).map(|vc| self.link(from, vc)).collect())
    }
}

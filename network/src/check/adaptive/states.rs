//! The states that packets can reach, and what each waits for.

use super::moves::{Move, Moves, WaitingPacket};
use super::{AdaptiveFault, WaitingPlace, Waits};
use crate::topology::Arrangement;
use crate::wiring::{Peer, Port};
use railyard_model::bits::ones;
use railyard_spec::legal::{Letter, PacketClass};
use railyard_spec::misrouting::{PortKind, RoutePhase};
use std::collections::HashSet;

/// States at most, reached or not.
const MOST: usize = 1 << 31;

/// A packet at the front of a place, after its arrival at the switch behind it.
#[derive(Clone, Copy, Debug)]
pub struct FrontState {
    place: usize,
    class: PacketClass,
    phase: RoutePhase,
    target: usize,
}

pub struct States<'a> {
    moves: &'a Moves<'a>,
    /// Groups look alike: only targets in group 0 are followed.
    is_symmetric: bool,
    /// Switches that are followed as targets.
    targets: usize,
    seen: Vec<u64>,
    left: Vec<FrontState>,
    /// Places whose packets on the way to a via have been followed on their escapes, by class.
    escaped: HashSet<(usize, PacketClass)>,
    found: usize,
    waits: Waits,
    choices: Waits,
}

impl<'a> States<'a> {
    /// No state yet.
    ///
    /// # Errors
    /// There are too many.
    pub fn new(moves: &'a Moves<'a>) -> Result<States<'a>, AdaptiveFault> {
        let fly = moves.adaptive.fly;
        let wiring = moves.adaptive.wiring;
        let is_whole = fly.wiring(wiring.ports()).is_ok_and(|whole| whole.links().eq(wiring.links()));
        let places = moves.places();
        let is_symmetric = is_whole && fly.arrangement == Arrangement::PalmTree;
        let targets = if is_symmetric { fly.a } else { moves.switches() };
        let states = places * 2 * RoutePhase::ALL.len() * targets;
        if states > MOST {
            return Err(AdaptiveFault::TooLarge { states });
        }
        Ok(States {
            moves,
            is_symmetric,
            targets,
            seen: vec![0; states.div_ceil(64)],
            left: Vec::new(),
            escaped: HashSet::new(),
            found: 0,
            waits: Waits::new(places),
            choices: Waits::new(places),
        })
    }

    fn classes(&self) -> &'static [PacketClass] {
        &PacketClass::ALL[..1 + usize::from(self.moves.adaptive.choices.replies)]
    }

    /// All packets at their sources.
    pub fn start(&mut self) {
        for switch in 0..self.moves.switches() {
            for &class in self.classes() {
                let place = self.moves.injection(switch, class);
                (0..self.targets)
                    .for_each(|target| self.add(FrontState { place, class, phase: RoutePhase::Home, target }));
            }
        }
    }

    fn add(&mut self, mut state: FrontState) {
        if self.is_symmetric {
            let (group, router) = self.moves.adaptive.fly.place(state.target);
            let by = (self.moves.adaptive.fly.groups() - group) % self.moves.adaptive.fly.groups();
            state = FrontState { place: self.moves.turned(state.place, by), target: router, ..state };
        }
        let FrontState { place, class, phase, target } = state;
        let number = ((place * 2 + class as usize) * RoutePhase::ALL.len() + phase as usize) * self.targets + target;
        if self.seen[number / 64] >> (number % 64) & 1 == 0 {
            self.seen[number / 64] |= 1 << (number % 64);
            self.found += 1;
            self.left.push(state);
        }
    }

    pub fn next(&mut self) -> Option<FrontState> {
        self.left.pop()
    }

    /// Where the packet of a state is: its switch, the kind of port by which it came, and the VC.
    fn packet(&self, state: FrontState) -> (WaitingPacket, Option<(Letter, usize)>) {
        let FrontState { class, phase, target, .. } = state;
        match self.moves.place(state.place) {
            WaitingPlace::Link(channel) => {
                let Peer::Switch(far) = self.moves.adaptive.wiring.peer(channel.from) else {
                    unreachable!("packets go over links")
                };
                let from = self.moves.kind(channel.from);
                let letter = if from == PortKind::Global { Letter::Global } else { Letter::Local };
                (WaitingPacket { switch: far.switch, from, class, phase, target }, Some((letter, channel.vc)))
            }
            WaitingPlace::FromNodes { switch, .. } | WaitingPlace::ToNodes { switch, .. } => {
                (WaitingPacket { switch, from: PortKind::Node, class, phase, target }, None)
            }
        }
    }

    /// Follows all choices of a state, and notes what it waits for.
    ///
    /// # Errors
    /// It has no way on.
    pub fn expand(&mut self, state: FrontState) -> Result<(), AdaptiveFault> {
        let (mut packet, came) = self.packet(state);
        if state.phase == RoutePhase::ToVia {
            return self.expand_to_via(state, packet, came);
        }
        if packet.switch == packet.target {
            self.arrive(state, packet);
            return Ok(());
        }
        let group = |switch| self.moves.adaptive.fly.place(switch).0;
        packet.phase = state.phase.acting(group(packet.switch) == group(packet.target));
        let minimal = self.moves.minimal(packet);
        let detours = self.moves.detours(packet);
        for hop in detours.iter().chain([&minimal]) {
            self.follow(state, packet, *hop, packet.target);
        }
        if packet.from == PortKind::Node {
            for (via, hop) in self.moves.vias(packet) {
                self.follow(state, packet, hop, via);
            }
        }
        let is_held = packet.phase == RoutePhase::Detoured && minimal.letter != Letter::Global;
        match is_held && !self.moves.adaptive.choices.escapes {
            // Without an escape it waits for the global links of its switch, whichever.
            true => detours.into_iter().try_for_each(|hop| self.wait(state, packet, came, hop)),
            false => self.wait(state, packet, came, minimal),
        }
    }

    /// On the way to a via nothing is chosen but VCs; the escape is that of any destination.
    fn expand_to_via(
        &mut self,
        state: FrontState,
        packet: WaitingPacket,
        came: Option<(Letter, usize)>,
    ) -> Result<(), AdaptiveFault> {
        let hop = self.moves.minimal(packet);
        self.follow(state, packet, hop, packet.target);
        if !self.moves.adaptive.choices.escapes {
            return self.wait(state, packet, came, hop);
        }
        if !self.escaped.insert((state.place, state.class)) {
            return Ok(());
        }
        for destination in (0..self.moves.switches()).filter(|&destination| destination != packet.switch) {
            let packet = WaitingPacket { target: destination, ..packet };
            let hop = self.moves.escape(packet);
            self.follow(state, packet, hop, destination);
            self.wait(state, packet, came, hop)?;
        }
        Ok(())
    }

    /// The packet is at the switch of its destination: it waits for the node, and a node for room for the reply to a
    /// request.
    fn arrive(&mut self, state: FrontState, packet: WaitingPacket) {
        if !self.moves.adaptive.choices.replies {
            return;
        }
        let to_nodes = self.moves.ejection(packet.switch, packet.class);
        self.waits.add(state.place, to_nodes);
        if packet.class == PacketClass::Request {
            self.waits.add(to_nodes, self.moves.injection(packet.switch, PacketClass::Reply));
        }
    }

    /// A packet can go by a hop: on all its VCs.
    fn follow(&mut self, state: FrontState, packet: WaitingPacket, hop: Move, target: usize) {
        let from = Port { switch: packet.switch, port: hop.port };
        let Peer::Switch(far) = self.moves.adaptive.wiring.peer(from) else { return };
        let is_here = hop.phase == RoutePhase::ToVia && self.moves.via_is_here(far.switch, target);
        let phase = hop.phase.on_arrival(self.moves.kind(from), is_here);
        for vc in ones(u64::from(hop.vcs)) {
            let place = self.moves.link(from, vc);
            self.choices.add(state.place, place);
            let next = FrontState { place, class: state.class, phase, target };
            match is_here {
                // From a via packets go on to any destination.
                true => (0..self.moves.switches()).for_each(|target| self.add(FrontState { target, ..next })),
                false => self.add(next),
            }
        }
    }

    fn wait(
        &mut self,
        state: FrontState,
        packet: WaitingPacket,
        came: Option<(Letter, usize)>,
        hop: Move,
    ) -> Result<(), AdaptiveFault> {
        let Some(places) = self.moves.waits_for(packet, came, hop) else {
            let FrontState { class, phase, .. } = state;
            let place = self.moves.place(state.place);
            return Err(AdaptiveFault::NoWayOn { class, place, phase, destination: packet.target });
        };
        places.into_iter().for_each(|place| self.waits.add(state.place, place));
        Ok(())
    }

    /// States that were found.
    pub fn found(&self) -> usize {
        self.found
    }

    /// Whether all choices together close a ring.
    pub fn choices_close_rings(&self) -> bool {
        !self.of_one_group(&self.choices).are_free_of_rings()
    }

    /// A ring of places that wait for each other.
    pub fn ring(&self) -> Option<Vec<usize>> {
        match self.of_one_group(&self.waits).are_free_of_rings() {
            true => None,
            false => self.of_all_groups(&self.waits).ring(),
        }
    }

    /// Groups that look alike put on top of each other. A ring there is one of the whole network, once round or more
    /// often.
    fn of_one_group(&self, waits: &Waits) -> Waits {
        waits.renumbered(|place| if self.is_symmetric { self.moves.at_group_0(place) } else { place })
    }

    fn of_all_groups(&self, waits: &Waits) -> Waits {
        if !self.is_symmetric {
            return waits.clone();
        }
        let mut all = Waits::new(self.moves.places());
        for (place, next) in waits.pairs() {
            for by in 0..self.moves.adaptive.fly.groups() {
                all.add(self.moves.turned(place, by), self.moves.turned(next, by));
            }
        }
        all
    }
}

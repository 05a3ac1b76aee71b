//! The selection register behind each route queue: a packet asks for one output and virtual channel, chosen anew in
//! each cycle until it is taken. With its patience, and with the departure register from which heads are rewritten.
//!
//! Source: reference page of Dragonfly routing, "Selection register" and "Departure".

use super::ages::AgeRegisters;
use super::candidates::Candidates;
use super::choice_registers::ChoiceRegisters;
use super::decision::{Choice, Decision, HeaderRewrite, RoutedPacket};
use super::draws::Draws;
use super::header_field::{is_set, put};
use super::hop_counts::HopCounts;
use super::router_messages::RouterMessageUnit;
use super::sensed::{OutputCounts, Sensed};
use crate::allocate::allocator::Allocator;
use crate::bits::{ones, MAX_PORTS, MAX_VCS};
use crate::input::input_unit::HeaderArrival;
use crate::output::credit_counter::Credits;
use crate::output::crossbar::Crossbar;
use crate::registers::dragonfly_registers::DragonflySettings;
use crate::route::route_queue::{PacketRoute, RouteResult};
use railyard_spec::dragonfly::HeaderLayout;
use railyard_spec::misrouting::{HopKind, PortKind, RoutePhase};
use railyard_spec::{DragonflyShape, Shape};

/// `waits` of a packet that requests its escape only.
const IMPATIENT: u8 = 3;

/// One VC's registers.
#[derive(Clone, Copy, Debug)]
struct SelectionVc {
    /// Head register of the route queue, while it is ready.
    head: PacketRoute,
    /// Contents of the selection register, while it holds a packet.
    held: PacketRoute,
    choice: Option<Choice>,
    waits: u8,
    departure: HeaderRewrite,
    /// Minimal port of the connected packet, and group of its destination.
    connected: Option<(u8, u8)>,
}

const EMPTY: SelectionVc = SelectionVc {
    head: PacketRoute::Drop,
    held: PacketRoute::Drop,
    choice: None,
    waits: 0,
    departure: HeaderRewrite { phase: RoutePhase::Home, via: None, turns_away: false },
    connected: None,
};

/// What decisions read beside the selection registers.
#[derive(Clone, Copy, Debug)]
pub struct Known<'a> {
    /// The settings.
    pub settings: &'a DragonflySettings,
    /// What other routers of the group have told.
    pub messages: Option<&'a RouterMessageUnit>,
    /// Flits of minimal packets behind each output, if these are told apart.
    pub minimal: Option<&'a [i32]>,
}

/// The selection registers of all (port, VC), and what they read.
#[derive(Clone, Debug)]
pub struct SelectionRegisters {
    built: DragonflyShape,
    header: HeaderLayout,
    ages: Option<Box<AgeRegisters>>,
    vcs: usize,
    /// At `port * vcs + vc`.
    slots: Vec<SelectionVc>,
    /// Mask over ports whose head register of VC v holds a result.
    ready: [u64; MAX_VCS],
    /// Mask over ports whose selection register of VC v holds a packet.
    holding: [u64; MAX_VCS],
    /// Free places of each output and VC in the last cycle, and the settings by which they were looked at.
    rooms: Vec<i32>,
    looked_by: Option<([[u32; 2]; 2], u32)>,
    choices: ChoiceRegisters,
    sensed: Sensed,
    candidates: Candidates,
    draws: Draws,
    /// Cycles since the last tick.
    ticking: u32,
    /// In this cycle: outputs that are available, and packets counted for each.
    available: u64,
    counted: [u32; MAX_PORTS],
    /// In this cycle: packets of node and global ports that are counted for the group that is scanned.
    of_group: u32,
    hops: HopCounts,
}

impl SelectionRegisters {
    /// Of a switch of that shape, if it routes in a Dragonfly.
    pub fn new(shape: &Shape) -> Option<Self> {
        let built = shape.dragonfly()?;
        Some(SelectionRegisters {
            header: built.header(),
            ages: AgeRegisters::new(shape, built).map(Box::new),
            vcs: shape.vcs,
            slots: vec![EMPTY; shape.ports * shape.vcs],
            ready: [0; MAX_VCS],
            holding: [0; MAX_VCS],
            rooms: vec![0; shape.ports * shape.vcs],
            looked_by: None,
            choices: ChoiceRegisters::new(shape, built),
            sensed: Sensed::new(shape, built),
            candidates: Candidates::new(shape, built),
            draws: Draws::new(shape.ports, built),
            ticking: 0,
            available: 0,
            counted: [0; MAX_PORTS],
            of_group: 0,
            hops: HopCounts::default(),
            built: built.clone(),
        })
    }

    /// Packets arrive in cycle `now`, of which the route queues will have a result each.
    #[inline]
    pub fn arrive(&mut self, now: u64, arriving: u64, arrivals: &[Option<HeaderArrival>; MAX_PORTS]) {
        let Some(ages) = &mut self.ages else { return };
        for port in ones(arriving) {
            if let Some(HeaderArrival { vc, address, .. }) = arrivals[port] {
                ages.arrive(now, port * self.vcs + vc as usize, address);
            }
        }
    }

    /// The head register of (port, VC) was written.
    #[inline]
    pub fn head_changed(&mut self, port: usize, vc: usize, head: Option<RouteResult>) {
        if let Some(RouteResult::Known(route)) = head {
            self.slots[port * self.vcs + vc].head = route;
            self.ready[vc] |= 1 << port;
        }
    }

    /// What was taken since reset.
    pub fn hops(&self) -> HopCounts {
        self.hops
    }

    /// Whether the selection register of (port, VC) holds a packet.
    pub fn holds(&self, port: usize, vc: usize) -> bool {
        self.holding[vc] >> port & 1 == 1
    }

    /// Before allocation: the connections as they are in this cycle, in which the packets for the group `scanned` are
    /// counted, too. `waiting` is the mask over outputs with a packet that waits for the link.
    pub fn sense(&mut self, crossbar: &Crossbar, waiting: u64, scanned: Option<usize>) {
        if !self.built.adaptive() {
            return;
        }
        self.available = crossbar.partly_free_outputs() & !waiting;
        self.counted = [0; MAX_PORTS];
        self.of_group = 0;
        for vc in 0..self.vcs {
            let active = crossbar.active_inputs(vc);
            for port in ones(self.holding[vc] & !active) {
                if let PacketRoute::Dragonfly(route) = self.slots[port * self.vcs + vc].held {
                    self.count(port, route.minimal.port, route.group, scanned);
                }
            }
            for port in ones(active) {
                if let Some((minimal, group)) = self.slots[port * self.vcs + vc].connected {
                    self.count(port, minimal, group, scanned);
                }
            }
        }
    }

    /// Counts a front packet.
    fn count(&mut self, port: usize, minimal: u8, group: u8, scanned: Option<usize>) {
        self.counted[minimal as usize] += 1;
        let is_of_group = scanned == Some(group.into()) && self.built.kind(port) != PortKind::Local;
        self.of_group += u32::from(is_of_group);
    }

    /// Packets of node and global ports that were counted for the scanned group.
    pub fn of_group(&self) -> u32 {
        self.of_group
    }

    /// Places in use by which links are saturated, in the cycle of the last step.
    pub fn weights(&self) -> &[i32] {
        self.sensed.weights()
    }

    /// One cycle, after allocation in it: `gone` is the mask over ports whose selection register of VC v is taken.
    /// Gives the mask over ports whose head register of VC v is taken.
    pub fn step(
        &mut self,
        now: u64,
        gone: [u64; MAX_VCS],
        known: Known<'_>,
        credits: &Credits,
        allocator: &mut Allocator,
    ) -> [u64; MAX_VCS] {
        let settings = known.settings;
        let tick = self.tick(settings.tick);
        let mut taken = [0; MAX_VCS];
        for vc in 0..self.vcs {
            for port in ones(gone[vc]) {
                self.depart(port, vc, settings);
            }
            self.holding[vc] &= !gone[vc];
            for port in ones(self.holding[vc]) {
                self.wait(port, vc, tick, known, allocator);
            }
            taken[vc] = self.ready[vc] & !self.holding[vc];
            for port in ones(taken[vc]) {
                self.load(now, port, vc, known, allocator);
            }
            self.ready[vc] &= !taken[vc];
            self.holding[vc] |= taken[vc];
        }
        if self.built.adaptive() {
            self.candidates.step(settings, &self.sensed, &self.choices);
        }
        let changed = self.look(now, settings, credits);
        let (rooms, vcs) = (&self.rooms, self.vcs);
        let room = |output: usize, vc: usize| rooms[output * vcs + vc];
        let draws = &self.draws;
        self.choices.step(settings, changed, room, |output| draws.state(output));
        if self.built.adaptive() {
            let counted = OutputCounts { packets: self.counted, minimal: known.minimal };
            self.sensed.step(settings, changed, room, self.available, counted);
            self.draws.step(settings);
        }
        taken
    }

    /// Takes the free places of this cycle. Gives the mask over outputs for which they, or settings, are others than in
    /// the last one.
    fn look(&mut self, now: u64, settings: &DragonflySettings, credits: &Credits) -> u64 {
        let by = Some((settings.masks, settings.rule));
        let mut changed = if std::mem::replace(&mut self.looked_by, by) == by { 0 } else { u64::MAX };
        for (output, rooms) in self.rooms.chunks_mut(self.vcs).enumerate() {
            for (vc, room) in rooms.iter_mut().enumerate() {
                let free = credits.room(output * self.vcs + vc, now);
                changed |= u64::from(std::mem::replace(room, free) != free) << output;
            }
        }
        changed & u64::MAX >> (64 - self.rooms.len() / self.vcs)
    }

    /// Whether there is a tick of patience in this cycle.
    fn tick(&mut self, cycles: u32) -> bool {
        let tick = cycles > 0 && self.ticking + 1 >= cycles;
        self.ticking = if cycles == 0 || tick { 0 } else { self.ticking + 1 };
        tick
    }

    /// What is in the selection register is taken.
    fn depart(&mut self, port: usize, vc: usize, settings: &DragonflySettings) {
        let slot = &mut self.slots[port * self.vcs + vc];
        let choice = slot.choice.expect("only what was chosen is taken");
        slot.departure = choice.departure;
        if let (Some(ages), PacketRoute::PortVc(output, _)) = (&mut self.ages, choice.route) {
            ages.depart(port * self.vcs + vc, settings.link_delay[output as usize]);
        }
        self.hops.count(&choice, port, &self.built);
        slot.connected = match slot.held {
            PacketRoute::Dragonfly(route) => Some((route.minimal.port, route.group)),
            _ => None,
        };
        slot.waits = 0;
    }

    /// What is in the selection register is not taken: it is chosen anew.
    fn wait(&mut self, port: usize, vc: usize, tick: bool, known: Known<'_>, allocator: &mut Allocator) {
        let at = port * self.vcs + vc;
        let chosen = self.choose(port, vc, self.slots[at].waits == IMPATIENT, known);
        let slot = &mut self.slots[at];
        slot.waits = (slot.waits + u8::from(tick)).min(IMPATIENT);
        let (from, to) = (slot.choice.map(|choice| choice.route), chosen.map(|choice| choice.route));
        slot.choice = chosen;
        if from != to {
            if let Some(from) = from {
                allocator.give_up(port, vc, from);
            }
            allocator.head_changed(port, vc, to.map(RouteResult::Known));
        }
    }

    /// The head register goes into the selection register.
    fn load(&mut self, now: u64, port: usize, vc: usize, known: Known<'_>, allocator: &mut Allocator) {
        let at = port * self.vcs + vc;
        self.slots[at].held = self.slots[at].head;
        if let Some(ages) = &mut self.ages {
            let made = ages.select(now + 1, at);
            allocator.rank(port, vc, made, now + 1);
        }
        let chosen = self.choose(port, vc, false, known);
        self.slots[at].choice = chosen;
        allocator.head_changed(port, vc, chosen.map(|choice| RouteResult::Known(choice.route)));
    }

    fn choose(&self, port: usize, vc: usize, is_impatient: bool, known: Known<'_>) -> Option<Choice> {
        let SelectionRegisters { built, choices, candidates, draws, .. } = self;
        let Known { settings, messages, .. } = known;
        let decision = Decision { built, settings, choices, candidates, draws, messages };
        match self.slots[port * self.vcs + vc].held {
            PacketRoute::Dragonfly(route) => decision.choose(&RoutedPacket { port, vc, route, is_impatient }),
            _ => Some(Choice { route: PacketRoute::Drop, departure: EMPTY.departure, hop: HopKind::Minimal }),
        }
    }

    /// Rewrites a head that is popped from (port, VC) in cycle `now`.
    pub fn rewrite(&self, now: u64, port: usize, vc: usize, flit: &mut [u32]) {
        let at = port * self.vcs + vc;
        if let Some(ages) = &self.ages {
            ages.rewrite(now, at, flit);
        }
        let HeaderRewrite { phase, via, turns_away } = self.slots[at].departure;
        if let Some(field) = self.header.phase {
            put(flit, field, phase as u32);
        }
        if let Some(field) = self.header.minimal {
            let was_minimal = self.built.kind(port) == PortKind::Node || is_set(flit, field);
            put(flit, field, u32::from(was_minimal && !turns_away));
        }
        if let (Some((group, router)), Some(field)) = (via, self.header.via_group) {
            put(flit, field, group.into());
            if let Some(field) = self.header.via_router {
                put(flit, field, router.into());
            }
        }
    }

    /// Reset: all registers empty.
    pub fn reset(&mut self, shape: &Shape) {
        *self = SelectionRegisters::new(shape).expect("a Dragonfly");
    }
}

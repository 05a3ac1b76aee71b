//! Barriers: the nodes and switches at the ends of the links of the barrier VC, the links with all that goes wrong on
//! them, and the groups' settings, written again now and then.
//!
//! All peers keep to the protocol, so that the [`BarrierBoard`] knows what the switch may say; what is lost, repeated,
//! corrupted or forged on the links can raise faults, but must not complete a barrier too early, or twice.

mod drill;
mod link;
mod peers;
mod settings;

use super::Programmer;
use crate::check::BarrierBoard;
use crate::random::{Chance, Geometric, Random};
use drill::{Drill, Stage};
use link::{Noise, PeerLinks};
use peers::Peers;
use railyard_model::barrier::barrier_group::GroupSettings;
use railyard_model::bits::ones;
use railyard_model::{Inputs, Outputs};
use railyard_spec::barrier::Message;
use railyard_spec::registers::address::{
    BARRIER_CLEAR, BARRIER_CORRUPT_HIGH, BARRIER_CORRUPT_LOW, BARRIER_NO_GROUP_HIGH, BARRIER_NO_GROUP_LOW,
    BARRIER_STATUS, BARRIER_TIMERS,
};
use railyard_spec::router_message::RouterMessages;
use railyard_spec::Shape;

/// Peers of a group look at the time in one of so many cycles.
const TICK: u64 = 8;

/// Cycles in which nothing is sent about a group before its settings change, and after.
const QUIET: u64 = 32;

/// Mean cycles between two changes of a group, and between two other writes.
const CHANGE: f64 = 800.0;
const WRITE: f64 = 300.0;

/// So many groups keep the links of the barrier VC busy without taking them from packets; of more, each does less.
const CROWD: usize = 4;

/// Time-outs with which a run ends: what was lost is made good soon.
const LAST_TIMERS: u32 = 4 | 8 << 8 | 3 << 16;

/// How far a group is.
#[derive(Clone, Debug)]
enum Phase {
    /// Its settings are to be written as soon as nothing of it is on its way, from this cycle on.
    Quiet(u64, GroupSettings),
    /// They are being written.
    Writing(GroupSettings),
    /// They are written, and its peers begin in this cycle.
    Written(u64, GroupSettings),
    /// It is at work.
    Working(Peers),
}

/// The peers of all groups of a switch.
#[derive(Clone, Debug)]
pub struct BarrierPeers {
    shape: Shape,
    vc: u8,
    /// Router messages, which go on the same VC.
    routers: Option<RouterMessages>,
    phases: Vec<Phase>,
    links: PeerLinks,
    noise: Noise,
    /// Chance that a node arrives, each tick; and at once when it is told of a completion.
    arrives: Chance,
    hurries: Chance,
    /// How many times as long each group waits.
    crowd: u32,
    changes: Geometric,
    next_change: u64,
    writes: Geometric,
    next_write: u64,
    /// None if illegal senders are at work.
    board: Option<BarrierBoard>,
    random: Random,
    draining: bool,
    /// What the last group is led through, if phases are directed.
    drill: Option<Drill>,
    /// What peers send in this cycle.
    out: Vec<(usize, Message)>,
}

impl BarrierPeers {
    /// For a switch with a barrier VC; up to four groups: `rate` arrivals for each node and cycle in which it does not
    /// wait. `watched`: all senders are legal. `directed`: the last group is led to its limits.
    pub fn new(shape: &Shape, rate: f64, watched: bool, directed: bool, seed: u64) -> Option<BarrierPeers> {
        let built = shape.barrier.filter(|_| rate > 0.0)?;
        let mut random = Random::new(seed, 10);
        let crowd = (built.groups / CROWD).max(1);
        let first = |random: &mut Random| match directed {
            true => settings::draw_active(shape, random),
            false => settings::draw(shape, random),
        };
        Some(BarrierPeers {
            vc: built.vc as u8,
            routers: shape.router_messages(),
            phases: (0..built.groups).map(|_| Phase::Quiet(0, first(&mut random))).collect(),
            links: PeerLinks::new(shape, built.vc),
            noise: Noise::draw(&mut random),
            arrives: Chance::new((rate * TICK as f64).min(1.0) / crowd as f64),
            hurries: Chance::new([0.0, 0.5, 1.0][random.below(3) as usize] / crowd as f64),
            crowd: crowd as u32,
            changes: Geometric::with_mean(CHANGE),
            next_change: 0,
            writes: Geometric::with_mean(WRITE),
            next_write: 0,
            board: watched.then(|| BarrierBoard::new(built.groups)),
            random,
            draining: false,
            drill: directed.then(Drill::new),
            out: Vec::new(),
            shape: shape.clone(),
        })
    }

    /// The account, if there is one.
    pub fn board(&self) -> Option<&BarrierBoard> {
        self.board.as_ref()
    }

    /// Barrier groups.
    pub fn groups(&self) -> usize {
        self.phases.len()
    }

    /// Barriers completed by groups as they are set up now.
    pub fn completed(&self) -> u64 {
        let at_work = |phase: &Phase| match phase {
            Phase::Working(peers) => peers.completed(),
            _ => 0,
        };
        self.phases.iter().map(at_work).sum()
    }

    /// The switch is reset: every group is to be set up again.
    pub fn reset(&mut self) {
        self.links.clear();
        if let Some(drill) = &mut self.drill {
            drill.restart();
        }
        for group in 0..self.phases.len() {
            let settings = *self.settings(group);
            self.phases[group] = Phase::Quiet(0, settings);
            self.end(group);
        }
    }

    /// From now on nothing goes wrong, and only what is begun is ended.
    pub fn drain(&mut self, programmer: &mut Programmer) {
        self.draining = true;
        self.drill = None;
        self.noise = Noise::NONE;
        programmer.write_beside(vec![(BARRIER_TIMERS, LAST_TIMERS)]);
    }

    /// Whether all groups that work are between two barriers, and nothing is on its way.
    pub fn is_idle(&self) -> bool {
        let is_idle = |phase: &Phase| match phase {
            Phase::Working(peers) => !peers.settings().is_active() || peers.are_idle(),
            _ => false,
        };
        self.links.are_empty() && self.phases.iter().all(is_idle)
    }

    /// Whether a flit on the control VC is a router message, and none of barriers.
    fn is_of_routers(&self, flit: &[u32]) -> bool {
        let bits = flit.iter().take(4).rev().fold(0, |bits, &word| bits << 32 | u128::from(word));
        self.routers.is_some_and(|sizes| sizes.decode(bits).is_some())
    }

    /// Looks at what the switch sends in this cycle.
    #[inline]
    pub fn receive(&mut self, now: u64, outputs: &Outputs) {
        for port in ones(outputs.tx_valid) {
            if outputs.tx_vc[port] != self.vc {
                continue;
            }
            let flit = outputs.flit(port);
            if self.is_of_routers(flit) {
                continue;
            }
            if let Some(board) = &mut self.board {
                let whole = (outputs.tx_head & outputs.tx_tail) >> port & 1 == 1;
                board.left(now, port, whole, flit);
            }
            let Some(message) = Message::decode(flit[0]) else { continue };
            let stage = self.drilled(message.group as usize);
            let is_lost = match stage {
                None => self.random.happens(self.noise.lost),
                Some(Stage::Deaf { .. }) => port == Drill::PARENT,
                Some(Stage::Sprint | Stage::Faults(_)) => false,
            };
            if is_lost {
                continue;
            }
            let hurries = if stage.is_some() { Chance::new(1.0) } else { self.hurries };
            if let Some(Phase::Working(peers)) = self.phases.get_mut(message.group as usize) {
                let (random, draining) = (&mut self.random, self.draining);
                peers.receive(port, message, || !draining && random.happens(hurries), &mut self.out);
            }
        }
    }

    /// One cycle of the peers; not while noise is at the pins. Barrier messages are put to the pins before anybody
    /// else's flits.
    #[inline]
    pub fn act(&mut self, now: u64, programmer: &mut Programmer, inputs: &mut Inputs) {
        self.set_up(now, programmer);
        self.drill(now, programmer);
        let mut group = (now % TICK) as usize;
        while group < self.phases.len() {
            self.tick(now, group);
            group += TICK as usize;
        }
        let drilled = self.drill.map(|_| self.phases.len() as u8 - 1);
        for (port, message) in self.out.drain(..) {
            match drilled == Some(message.group) {
                true => self.links.send_at_once(now, port, message),
                false => self.links.send(now, port, message, &self.noise, &mut self.random),
            }
        }
        let board = &mut self.board;
        self.links.drive(now, inputs, &mut self.random, |port, message| {
            if let Some(board) = board {
                board.sent(port, message);
            }
        });
    }

    fn tick(&mut self, now: u64, group: usize) {
        let groups = self.phases.len();
        let Phase::Working(peers) = &mut self.phases[group] else { return };
        if self.draining {
            if peers.settings().is_active() {
                peers.finish(&mut self.out);
            }
            return;
        }
        let is_drilled = self.drill.is_some() && group + 1 == groups;
        let arrives = if is_drilled { Chance::new(1.0) } else { self.arrives };
        let random = &mut self.random;
        peers.tick(|| random.happens(arrives), &mut self.out);
        if self.random.happens(self.noise.forged) {
            let (settings, completed) = (*peers.settings(), peers.completed());
            self.links.forge(now, group, groups, &settings, completed, &mut self.random);
        }
    }

    /// The stage of a group, if it is the one that is led through stages.
    fn drilled(&self, group: usize) -> Option<Stage> {
        self.drill.filter(|_| group + 1 == self.phases.len()).map(|drill| drill.stage())
    }

    /// What directed stages do beyond the peers.
    fn drill(&mut self, now: u64, programmer: &mut Programmer) {
        let groups = self.phases.len();
        let Some(drill) = &mut self.drill else { return };
        if drill.step(now) {
            let settings = drill.settings();
            self.phases[groups - 1] = Phase::Quiet(now + QUIET, settings);
            self.end(groups - 1);
            return;
        }
        if drill.strikes(now) && programmer.has_written_beside() {
            let group = drill.strikes % groups as u64;
            programmer.write_beside(vec![(BARRIER_CLEAR, group as u32 | 1 << 16)]);
            let high = |address: u32| (self.shape.ports > 32).then_some(address);
            let faults = [
                Some(BARRIER_CORRUPT_LOW),
                high(BARRIER_CORRUPT_HIGH),
                Some(BARRIER_NO_GROUP_LOW),
                high(BARRIER_NO_GROUP_HIGH),
            ];
            let status = BARRIER_STATUS + 4 * group as u32;
            programmer.read_beside(faults.into_iter().flatten().chain([status]).collect());
        }
        if programmer.next_beside() == Some(BARRIER_CLEAR) {
            let group = (drill.strikes % groups as u64) as usize;
            if let Phase::Working(peers) = &self.phases[group] {
                let (settings, completed) = (*peers.settings(), peers.completed());
                self.links.strike(now, group, groups, &settings, completed, &mut self.random);
            }
        }
    }

    /// Leads groups from one setting to the next.
    fn set_up(&mut self, now: u64, programmer: &mut Programmer) {
        if !self.draining && now >= self.next_change {
            self.next_change = now + self.changes.draw(&mut self.random);
            let group = self.random.below(self.phases.len() as u64) as usize;
            if let (Phase::Working(_), None) = (&self.phases[group], self.drilled(group)) {
                self.phases[group] = Phase::Quiet(now + QUIET, settings::draw(&self.shape, &mut self.random));
                self.end(group);
            }
        }
        if !self.draining && now >= self.next_write {
            self.next_write = now + self.writes.draw(&mut self.random);
            let group = self.random.below(self.phases.len() as u64) as u32;
            let write = match self.random.below(3) {
                0 => settings::timers(self.crowd, &mut self.random),
                _ => (BARRIER_CLEAR, group | (self.random.below(2) as u32) << 16),
            };
            // Directed stages have their own.
            if self.drill.is_none() {
                programmer.write_beside(vec![write]);
            }
        }
        for group in 0..self.phases.len() {
            match self.phases[group] {
                Phase::Quiet(from, settings) if now >= from => {
                    self.links.forget(group as u8);
                    programmer.write_beside(settings::writes(&self.shape, group, &settings));
                    let drill = self.drill.filter(|_| group + 1 == self.phases.len());
                    let timers = drill.and_then(|drill| drill.timers()).map(|timers| (BARRIER_TIMERS, timers));
                    programmer.write_beside(timers.into_iter().collect());
                    self.phases[group] = Phase::Writing(settings);
                }
                Phase::Writing(settings) if programmer.has_written_beside() => {
                    self.phases[group] = Phase::Written(now + QUIET, settings);
                }
                Phase::Written(from, settings) if now >= from => self.begin(group, settings),
                _ => {}
            }
        }
    }

    fn begin(&mut self, group: usize, settings: GroupSettings) {
        self.phases[group] = Phase::Working(Peers::new(group, settings, self.crowd, &mut self.random));
        if let Some(board) = &mut self.board {
            // Without leaves nothing may be said.
            let leaves = if settings.is_active() { settings.leaves } else { 0 };
            board.begin(group, GroupSettings { leaves, root: settings.root || leaves == 0, ..settings });
        }
    }

    fn end(&mut self, group: usize) {
        if let Some(board) = &mut self.board {
            board.end(group);
        }
    }

    fn settings(&self, group: usize) -> &GroupSettings {
        match &self.phases[group] {
            Phase::Quiet(_, settings) | Phase::Writing(settings) | Phase::Written(_, settings) => settings,
            Phase::Working(peers) => peers.settings(),
        }
    }
}

#[cfg(test)]
mod tests;

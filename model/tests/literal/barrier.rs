//! Section 11: barriers.

use super::state::*;
use super::*;
use railyard_spec::barrier::{Message, MessageKind};

const KINDS: [MessageKind; 4] =
    [MessageKind::Arrival, MessageKind::Acknowledgement, MessageKind::Completion, MessageKind::Urge];

/// A set of ports, one bool for each.
type Ports = Vec<bool>;

#[derive(Clone, Default)]
pub struct Group {
    pub sequence: u32,
    pub previous: bool,
    pub arrived: Ports,
    pub waiting: bool,
    pub acknowledged: bool,
    pub retransmit_timer: u32,
    pub urge_timer: u32,
    pub inactive: bool,
    pub port: bool,
    pub number: bool,
    pub completed: u32,
    pub retransmissions: u32,
    pub urges: u32,
    pub acknowledge: Ports,
    pub complete: Ports,
    pub arrive: bool,
    pub urge: bool,
}

#[derive(Clone, Default)]
pub struct Barriers {
    pub groups: Vec<Group>,
    /// By port: head and tail both, and the low word.
    pub receive: Vec<Option<(bool, u32)>>,
    pub message: Vec<Option<Message>>,
    pub pointers: Vec<usize>,
    pub counter: u32,
    pub corrupt: Ports,
    pub no_group: Ports,
    /// Ports whose message was taken in the cycle before and was an event.
    pub faulty: Ports,
}

/// The settings of a group.
struct Settings {
    leaves: Ports,
    enable: bool,
    root: bool,
    parent: usize,
}

impl Settings {
    fn is_active(&self) -> bool {
        self.enable && self.leaves.contains(&true) && (self.root || !self.leaves[self.parent])
    }
}

/// A fresh group of a switch with n ports.
fn fresh(n: usize) -> Group {
    Group { arrived: vec![false; n], acknowledge: vec![false; n], complete: vec![false; n], ..Group::default() }
}

pub fn barriers(shape: &Shape) -> Barriers {
    let n = shape.ports;
    Barriers {
        groups: vec![fresh(n); shape.barrier.map_or(0, |built| built.groups)],
        receive: vec![None; n],
        message: vec![None; n],
        pointers: vec![0; n],
        counter: 0,
        corrupt: vec![false; n],
        no_group: vec![false; n],
        faulty: vec![false; n],
    }
}

fn word(ports: &[bool], low: usize) -> u32 {
    ports.iter().skip(low).take(32).rev().fold(0, |word, &port| word << 1 | port as u32)
}

impl Literal {
    fn settings(&self, g: usize) -> Settings {
        let mask = self.field_of("barrier_leaves_low", g, "ports") as u64
            | (self.field_of("barrier_leaves_high", g, "ports") as u64) << 32;
        Settings {
            leaves: (0..self.shape.ports).map(|p| mask >> p & 1 == 1).collect(),
            enable: self.field_of("barrier_group", g, "enable") == 1,
            root: self.field_of("barrier_group", g, "root") == 1,
            parent: self.field_of("barrier_group", g, "parent") as usize,
        }
    }

    pub fn is_barrier_vc(&self, v: usize) -> bool {
        self.shape.barrier.is_some() && v == self.shape.vcs
    }

    /// The message register of an output is full.
    pub fn has_message(&self, o: usize) -> bool {
        self.barriers.message[o].is_some()
    }

    /// Leave.
    pub fn send_messages(&mut self, old: &Literal, words: usize) {
        for (o, message) in old.barriers.message.iter().enumerate() {
            let Some(message) = message else { continue };
            let bit = 1u64 << o;
            self.out.tx_valid |= bit;
            self.out.tx_head |= bit;
            self.out.tx_tail |= bit;
            self.out.tx_vc[o] = old.shape.vcs as u8;
            let flit = &mut self.out.tx_flit[o * words..(o + 1) * words];
            flit.fill(0);
            flit[0] = message.encode();
        }
    }

    /// A legal write with its access phase in this cycle: register, entry, value.
    fn written(&self, pins: &Inputs) -> Option<(&str, usize, u32)> {
        let (r, entry, value) = self.write.filter(|_| pins.apb.psel && pins.apb.penable)?;
        Some((self.registers[r].0.name, entry, value))
    }

    pub fn synchronize(&mut self, old: &Literal, pins: &Inputs) {
        let Some(built) = old.shape.barrier else { return };
        let n = old.shape.ports;
        let (was, written) = (&old.barriers, old.written(pins));
        let now = &mut self.barriers;
        now.counter = (was.counter + 1) % (1 << 15);

        // Faults are cleared first, as those of this cycle win.
        if let Some(("barrier_clear", _, value)) = written {
            let group = &mut now.groups[(value & 0xFFFF) as usize];
            (group.inactive, group.port, group.number) = (false, false, false);
            if value >> 16 == 1 {
                (now.corrupt, now.no_group) = (vec![false; n], vec![false; n]);
            }
        }

        // Receive.
        now.faulty = vec![false; n];
        let mut taken: Vec<(usize, Message)> = Vec::new();
        for p in 0..n {
            let on_barrier_vc = pins.rx_valid >> p & 1 == 1 && pins.rx_vc[p] as usize == built.vc;
            now.receive[p] = on_barrier_vc
                .then(|| ((pins.rx_head >> p & 1 == 1) && (pins.rx_tail >> p & 1 == 1), pins.rx_flit[p * pins.words]));
            let Some((whole, word)) = was.receive[p] else { continue };
            match Message::decode(word).filter(|_| whole) {
                None => (now.corrupt[p], now.faulty[p]) = (true, true),
                Some(message) if message.group as usize >= built.groups => {
                    (now.no_group[p], now.faulty[p]) = (true, true);
                }
                Some(message) if !old.settings(message.group as usize).is_active() => {
                    (now.groups[message.group as usize].inactive, now.faulty[p]) = (true, true);
                }
                Some(message) => taken.push((p, message)),
            }
        }

        let limit = |field: &str| old.field("barrier_timers", field);
        let (retransmit, urge, scale) = (limit("retransmit"), limit("urge"), limit("scale"));
        let tick = (0..scale).all(|bit| was.counter >> bit & 1 == 1);

        // Send: by port, the group and the kind.
        let sends: Vec<Option<(usize, MessageKind)>> = (0..n)
            .map(|p| {
                let kind_of = |g: usize| {
                    let (group, settings) = (&was.groups[g], old.settings(g));
                    let upward = p == settings.parent && !settings.root;
                    let there_is = [
                        (group.complete[p], MessageKind::Completion),
                        (group.acknowledge[p], MessageKind::Acknowledgement),
                        (upward && group.arrive, MessageKind::Arrival),
                        (upward && group.urge, MessageKind::Urge),
                    ];
                    there_is.into_iter().find(|(is, _)| *is && settings.is_active()).map(|(_, kind)| kind)
                };
                let g = round_robin(built.groups, was.pointers[p], |g| kind_of(g).is_some())?;
                now.pointers[p] = (g + 1) % built.groups;
                kind_of(g).map(|kind| (g, kind))
            })
            .collect();
        for p in 0..n {
            now.message[p] = sends[p].map(|(g, kind)| {
                let sequence = was.groups[g].sequence + if kind == MessageKind::Completion { 255 } else { 0 };
                Message { kind, group: g as u8, sequence: (sequence % 256) as u8 }
            });
            match sends[p] {
                Some((g, MessageKind::Completion)) => now.groups[g].complete[p] = false,
                Some((g, MessageKind::Acknowledgement)) => now.groups[g].acknowledge[p] = false,
                Some((g, MessageKind::Arrival)) => now.groups[g].arrive = false,
                Some((g, MessageKind::Urge)) => now.groups[g].urge = false,
                None => {}
            }
        }

        for g in 0..built.groups {
            let (was, settings) = (&was.groups[g], old.settings(g));
            let group = &mut now.groups[g];
            let n_minus_1 = (was.sequence + 255) % 256;
            let mut completes = false;
            for &(p, message) in taken.iter().filter(|(_, message)| message.group as usize == g) {
                let s = message.sequence as u32;
                let (is_n, is_last) = (s == was.sequence, s == n_minus_1 && was.previous);
                let from_leaf = settings.leaves[p];
                let from_parent = p == settings.parent && !settings.root;
                match message.kind {
                    MessageKind::Arrival | MessageKind::Urge if !from_leaf => {
                        (group.port, now.faulty[p]) = (true, true)
                    }
                    MessageKind::Acknowledgement | MessageKind::Completion if !from_parent => {
                        (group.port, now.faulty[p]) = (true, true);
                    }
                    MessageKind::Arrival if is_n => (group.arrived[p], group.acknowledge[p]) = (true, true),
                    MessageKind::Urge if is_n => {}
                    MessageKind::Arrival | MessageKind::Urge if is_last => group.complete[p] = true,
                    MessageKind::Acknowledgement if is_n && was.waiting => {
                        (group.acknowledged, group.arrive) = (true, false)
                    }
                    MessageKind::Completion if is_n && was.waiting => completes = true,
                    MessageKind::Acknowledgement | MessageKind::Completion if is_last => {}
                    _ => (group.number, now.faulty[p]) = (true, true),
                }
            }
            let acknowledged_now = group.acknowledged;
            if settings.is_active() && !was.waiting && was.arrived == settings.leaves {
                if settings.root {
                    completes = true;
                } else {
                    (group.waiting, group.arrive, group.acknowledged) = (true, true, false);
                    (group.retransmit_timer, group.urge_timer) = (0, 0);
                }
            }
            if tick && settings.is_active() && was.waiting && !completes {
                if !acknowledged_now && retransmit != 0 {
                    group.retransmit_timer += 1;
                    if group.retransmit_timer >= retransmit {
                        (group.retransmit_timer, group.arrive) = (0, true);
                        group.retransmissions = (group.retransmissions + 1) % 256;
                    }
                }
                if urge != 0 {
                    group.urge_timer += 1;
                    if group.urge_timer >= urge {
                        (group.urge_timer, group.urge) = (0, true);
                        group.urges = (group.urges + 1) % 256;
                    }
                }
            }
            if completes {
                group.sequence = (was.sequence + 1) % 256;
                group.previous = true;
                group.complete.clone_from(&settings.leaves);
                (group.arrived, group.acknowledge) = (vec![false; n], vec![false; n]);
                (group.waiting, group.acknowledged, group.arrive, group.urge) = (false, false, false, false);
                group.completed = (group.completed + 1) % 65536;
            }
            let starts = matches!(written, Some(("barrier_leaves_low" | "barrier_leaves_high" | "barrier_group", at, _)) if at == g);
            if starts {
                *group = fresh(n);
            }
        }
    }

    /// What a register shows of the barriers, if it does.
    pub fn barrier_register(&self, name: &str, g: usize) -> Option<u32> {
        let barriers = &self.barriers;
        Some(match name {
            "barrier_corrupt_low" => word(&barriers.corrupt, 0),
            "barrier_corrupt_high" => word(&barriers.corrupt, 32),
            "barrier_no_group_low" => word(&barriers.no_group, 0),
            "barrier_no_group_high" => word(&barriers.no_group, 32),
            "barrier_arrived_low" => word(&barriers.groups[g].arrived, 0),
            "barrier_arrived_high" => word(&barriers.groups[g].arrived, 32),
            "barrier_counts" => {
                let group = &barriers.groups[g];
                group.completed | group.retransmissions << 16 | group.urges << 24
            }
            "barrier_status" => {
                let (group, settings) = (&barriers.groups[g], self.settings(g));
                let bits = [
                    (8, group.waiting),
                    (9, group.acknowledged),
                    (16, settings.enable && !settings.is_active()),
                    (17, group.inactive),
                    (18, group.port),
                    (19, group.number),
                ];
                bits.iter().fold(group.sequence, |status, &(at, bit)| status | (bit as u32) << at)
            }
            _ => return None,
        })
    }

    /// A message that may mean something now, or nearly, from the port that it comes by: what a node or switch could
    /// say, often enough to complete barriers.
    pub fn some_message(&self, p: usize, random: &mut Random) -> u32 {
        let built = self.shape.barrier.expect("a barrier VC");
        let g = random.below(built.groups as u64) as usize;
        let settings = self.settings(g);
        let usual = if settings.leaves[p] {
            [MessageKind::Arrival, MessageKind::Arrival, MessageKind::Arrival, MessageKind::Urge]
        } else {
            [
                MessageKind::Acknowledgement,
                MessageKind::Completion,
                MessageKind::Completion,
                MessageKind::Acknowledgement,
            ]
        };
        let from = if random.chance(30) { KINDS } else { usual };
        let kind = from[random.below(4) as usize];
        let ages = if random.chance(4) { 8 } else { 5 };
        let older = [0, 0, 0, 0, 0, 255, 1, 2][random.below(ages) as usize];
        let sequence = ((self.barriers.groups[g].sequence + older) % 256) as u8;
        let group = if random.chance(50) { random.below(256) as u8 } else { g as u8 };
        let word = Message { kind, group, sequence }.encode();
        word ^ if random.chance(40) { 1 << random.below(32) } else { 0 }
    }
}

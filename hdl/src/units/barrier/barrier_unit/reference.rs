//! Section 11 of the switch reference said once more in plain Rust: one group, and who sends next.

use railyard_spec::barrier::{Message, MessageKind};

pub const KINDS: [MessageKind; 4] =
    [MessageKind::Arrival, MessageKind::Acknowledgement, MessageKind::Completion, MessageKind::Urge];

/// Settings of a group; sets of ports are masks.
#[derive(Clone, Copy, Debug, Default)]
pub struct Settings {
    pub leaves: u64,
    pub enable: bool,
    pub root: bool,
    pub parent: usize,
}

impl Settings {
    pub fn active(&self) -> bool {
        self.enable && self.leaves != 0 && (self.root || self.leaves >> self.parent & 1 == 0)
    }
}

/// What a message does.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Effect {
    Nothing,
    Arrives,
    Repeats,
    Acknowledges,
    Completes,
    Inactive,
    WrongPort,
    WrongNumber,
}

/// A group with its settings.
#[derive(Clone, Debug, Default)]
pub struct Group {
    pub settings: Settings,
    pub sequence: u8,
    pub previous: bool,
    pub arrived: u64,
    pub waiting: bool,
    pub acknowledged: bool,
    pub retransmit_timer: u32,
    pub urge_timer: u32,
    pub inactive: bool,
    pub wrong_port: bool,
    pub wrong_number: bool,
    pub completed: u16,
    pub retransmissions: u8,
    pub urges: u8,
    pub acknowledge: u64,
    pub complete: u64,
    pub arrive: bool,
    pub urge: bool,
}

/// What comes from outside the group in a cycle.
#[derive(Clone, Debug, Default)]
pub struct Cycle {
    /// Messages that are taken: port, and what it does.
    pub effects: Vec<(usize, Effect)>,
    /// Ports that send a message of this group.
    pub sent: u64,
    pub tick: bool,
    pub retransmit_limit: u8,
    pub urge_limit: u8,
    pub clear_faults: bool,
}

impl Group {
    pub fn new(settings: Settings) -> Group {
        Group { settings, ..Default::default() }
    }

    pub fn is_leaf(&self, port: usize) -> bool {
        self.settings.leaves >> port & 1 == 1
    }

    pub fn is_parent(&self, port: usize) -> bool {
        !self.settings.root && self.settings.parent == port
    }

    /// What a message of this group does that comes to this port.
    pub fn effect(&self, port: usize, message: Message) -> Effect {
        if !self.settings.active() {
            return Effect::Inactive;
        }
        let from = match message.kind {
            MessageKind::Arrival | MessageKind::Urge => self.is_leaf(port),
            MessageKind::Acknowledgement | MessageKind::Completion => self.is_parent(port),
        };
        if !from {
            return Effect::WrongPort;
        }
        if message.sequence == self.sequence.wrapping_sub(1) && self.previous {
            return match message.kind {
                MessageKind::Arrival | MessageKind::Urge => Effect::Repeats,
                MessageKind::Acknowledgement | MessageKind::Completion => Effect::Nothing,
            };
        }
        if message.sequence != self.sequence {
            return Effect::WrongNumber;
        }
        match message.kind {
            MessageKind::Arrival => Effect::Arrives,
            MessageKind::Urge => Effect::Nothing,
            MessageKind::Acknowledgement if self.waiting => Effect::Acknowledges,
            MessageKind::Completion if self.waiting => Effect::Completes,
            _ => Effect::WrongNumber,
        }
    }

    /// The first message for this port.
    pub fn first(&self, port: usize) -> Option<MessageKind> {
        let up = self.settings.active() && self.is_parent(port);
        let bit = |mask: u64| self.settings.active() && mask >> port & 1 == 1;
        if bit(self.complete) {
            Some(MessageKind::Completion)
        } else if bit(self.acknowledge) {
            Some(MessageKind::Acknowledgement)
        } else if up && self.arrive {
            Some(MessageKind::Arrival)
        } else if up && self.urge {
            Some(MessageKind::Urge)
        } else {
            None
        }
    }

    /// The state of the next cycle.
    pub fn step(&mut self, ports: usize, cycle: &Cycle) {
        let old = self.clone();
        let has = |effect| cycle.effects.iter().any(|(_, one)| *one == effect);

        for port in (0..ports).filter(|port| cycle.sent >> port & 1 == 1) {
            match old.first(port).expect("only what there is is sent") {
                MessageKind::Completion => self.complete &= !(1 << port),
                MessageKind::Acknowledgement => self.acknowledge &= !(1 << port),
                MessageKind::Arrival => self.arrive = false,
                MessageKind::Urge => self.urge = false,
            }
        }
        for (port, effect) in &cycle.effects {
            match effect {
                Effect::Arrives => {
                    self.arrived |= 1 << port;
                    self.acknowledge |= 1 << port;
                }
                Effect::Repeats => self.complete |= 1 << port,
                Effect::Acknowledges => self.acknowledged = true,
                _ => {}
            }
        }
        let gathered = old.settings.active() && !old.waiting && old.settings.leaves & !old.arrived == 0;
        let completes = gathered && old.settings.root || has(Effect::Completes);
        if gathered && !old.settings.root {
            (self.waiting, self.arrive, self.acknowledged) = (true, true, false);
            (self.retransmit_timer, self.urge_timer) = (0, 0);
        }
        if cycle.tick && old.settings.active() && old.waiting && !completes {
            if !old.acknowledged && !has(Effect::Acknowledges) && cycle.retransmit_limit != 0 {
                self.retransmit_timer += 1;
                if self.retransmit_timer >= cycle.retransmit_limit.into() {
                    (self.retransmit_timer, self.arrive) = (0, true);
                    self.retransmissions = self.retransmissions.wrapping_add(1);
                }
            }
            if cycle.urge_limit != 0 {
                self.urge_timer += 1;
                if self.urge_timer >= cycle.urge_limit.into() {
                    (self.urge_timer, self.urge) = (0, true);
                    self.urges = self.urges.wrapping_add(1);
                }
            }
        }
        if has(Effect::Acknowledges) {
            self.arrive = false;
        }
        if completes {
            self.sequence = old.sequence.wrapping_add(1);
            self.completed = old.completed.wrapping_add(1);
            (self.previous, self.complete) = (true, old.settings.leaves);
            (self.arrived, self.acknowledge) = (0, 0);
            (self.waiting, self.acknowledged, self.arrive, self.urge) = (false, false, false, false);
        }
        self.inactive = self.inactive && !cycle.clear_faults || has(Effect::Inactive);
        self.wrong_port = self.wrong_port && !cycle.clear_faults || has(Effect::WrongPort);
        self.wrong_number = self.wrong_number && !cycle.clear_faults || has(Effect::WrongNumber);
    }

    /// `barrier_status`, its fields without gaps.
    pub fn status(&self) -> u128 {
        let misconfigured = self.settings.enable && !self.settings.active();
        let flags = [self.waiting, self.acknowledged, misconfigured, self.inactive, self.wrong_port, self.wrong_number];
        let flags = flags.iter().enumerate().map(|(i, flag)| u128::from(*flag) << i).sum::<u128>();
        u128::from(self.sequence) | flags << 8
    }

    /// `barrier_counts`.
    pub fn counts(&self) -> u128 {
        u128::from(self.completed) | u128::from(self.retransmissions) << 16 | u128::from(self.urges) << 24
    }
}

/// The round robin of a port: group and message that it sends; the pointer moves.
pub fn send(groups: &[Group], port: usize, pointer: &mut usize) -> Option<(usize, Message)> {
    let g =
        (0..groups.len()).map(|step| (*pointer + step) % groups.len()).find(|g| groups[*g].first(port).is_some())?;
    *pointer = (g + 1) % groups.len();
    let kind = groups[g].first(port)?;
    let back = u8::from(kind == MessageKind::Completion);
    Some((g, Message { kind, group: g as u8, sequence: groups[g].sequence.wrapping_sub(back) }))
}

/// Numbers that look random.
pub struct Random(pub u64);

impl Random {
    pub fn bits(&mut self, n: usize) -> u64 {
        self.0 = self.0.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1_442_695_040_888_963_407);
        let high = self.0 >> 32;
        self.0 = self.0.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1_442_695_040_888_963_407);
        let both = high << 32 | self.0 >> 32;
        if n == 64 {
            both
        } else {
            both & ((1 << n) - 1)
        }
    }

    pub fn below(&mut self, n: usize) -> usize {
        (self.bits(30) % n as u64) as usize
    }

    pub fn one_in(&mut self, n: usize) -> bool {
        self.below(n) == 0
    }

    /// Settings, most of which make sense.
    pub fn settings(&mut self, ports: usize) -> Settings {
        let (root, parent) = (self.one_in(2), self.below(ports));
        let mut leaves = self.bits(ports) & self.bits(ports) | 1 << self.below(ports);
        if !root && !self.one_in(8) {
            leaves &= !(1 << parent);
        }
        if self.one_in(20) {
            leaves = 0;
        }
        Settings { leaves, enable: !self.one_in(16), root, parent }
    }

    /// A message to that port that the group mostly can do something with.
    pub fn message(&mut self, group: &Group, number: usize, port: usize) -> Message {
        let likely = match (group.is_leaf(port), group.is_parent(port)) {
            (true, _) => [MessageKind::Arrival, MessageKind::Arrival, MessageKind::Arrival, MessageKind::Urge],
            (_, true) => [
                MessageKind::Acknowledgement,
                MessageKind::Acknowledgement,
                MessageKind::Completion,
                MessageKind::Completion,
            ],
            _ => KINDS,
        };
        let kind = if self.one_in(12) { KINDS[self.below(4)] } else { likely[self.below(4)] };
        let sequence = match self.below(16) {
            0 => self.bits(8) as u8,
            1 => group.sequence.wrapping_add(1),
            2..=4 => group.sequence.wrapping_sub(1),
            _ => group.sequence,
        };
        Message { kind, group: number as u8, sequence }
    }
}

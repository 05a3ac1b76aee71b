//! A barrier group: its settings, its place in the barrier under way, and what it has to send.
//!
//! Source: switch reference, section 11; Cao2016, 4.2 and 4.3.

use railyard_spec::barrier::{Message, MessageKind};

/// The settings of a group.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct GroupSettings {
    /// Ports with a node or a switch below them, bit p for port p.
    pub leaves: u64,
    /// The group takes part.
    pub enable: bool,
    /// This switch completes its barriers.
    pub root: bool,
    /// The port toward the root, if this is not it.
    pub parent: usize,
}

impl GroupSettings {
    /// Whether the group works with them.
    #[inline]
    pub fn is_active(&self) -> bool {
        self.enable && self.leaves != 0 && (self.root || self.leaves >> self.parent & 1 == 0)
    }

    /// The port toward the root, if there is one.
    #[inline]
    fn upward(&self) -> Option<usize> {
        (!self.root).then_some(self.parent)
    }
}

/// The time-outs of all groups.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Timers {
    /// Ticks without acknowledgement after which an arrival is sent again; 0: never.
    pub retransmit: u8,
    /// Ticks without completion after which it is urged; 0: never.
    pub urge: u8,
    /// A tick is 2^scale cycles.
    pub scale: u32,
}

impl Timers {
    /// From the register `barrier_timers`.
    pub fn read(word: u32) -> Timers {
        Timers { retransmit: word as u8, urge: (word >> 8) as u8, scale: word >> 16 & 15 }
    }
}

/// What the messages of a cycle do to a group: those that come, and those that it sends.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Happened {
    /// Leaves that arrive, each of which is to be acknowledged.
    arrived: u64,
    /// Leaves that are to be told of the last completion again.
    behind: u64,
    /// The parent acknowledges the arrival.
    acknowledged: bool,
    /// The parent tells of the completion.
    completed: bool,
    /// Ports to which a message goes, by kind (arrival and urge: the parent alone).
    sent: [u64; 4],
}

/// The state of a group.
#[derive(Clone, Debug, Default)]
pub struct BarrierGroup {
    settings: GroupSettings,
    /// Number of the barrier under way.
    sequence: u8,
    /// A barrier has been completed.
    previous: bool,
    /// Leaves that have arrived at it.
    arrived: u64,
    /// All of them have, and the completion is awaited.
    waiting: bool,
    acknowledged: bool,
    retransmit_timer: u8,
    urge_timer: u8,
    /// Sticky: a message came while the group was not active.
    fault_inactive: bool,
    /// Sticky: a message came from a wrong port.
    fault_port: bool,
    /// Sticky: a message came with a wrong number.
    fault_number: bool,
    completions: u16,
    retransmissions: u8,
    urges: u8,
    /// Leaves that an acknowledgement, a completion is to be sent to.
    acknowledge: u64,
    complete: u64,
    /// An arrival, an urge is to be sent to the parent.
    arrive: bool,
    urge: bool,
}

impl BarrierGroup {
    /// A group with these settings, as after reset.
    pub fn new(settings: GroupSettings) -> Self {
        BarrierGroup { settings, ..BarrierGroup::default() }
    }

    /// Clears the faults.
    pub fn clear_faults(&mut self) {
        (self.fault_inactive, self.fault_port, self.fault_number) = (false, false, false);
    }

    /// A message of this group came by `port`: a fault is set at once, all else is noted in `happened`. Gives whether
    /// it raised a fault.
    pub fn take(&mut self, port: usize, message: Message, happened: &mut Happened) -> bool {
        if !self.settings.is_active() {
            self.fault_inactive = true;
            return true;
        }
        let is_from_below = matches!(message.kind, MessageKind::Arrival | MessageKind::Urge);
        let may_come_from =
            if is_from_below { self.settings.leaves >> port & 1 == 1 } else { self.settings.upward() == Some(port) };
        if !may_come_from {
            self.fault_port = true;
            return true;
        }
        let is_current = message.sequence == self.sequence;
        let is_last = self.previous && message.sequence == self.sequence.wrapping_sub(1);
        match message.kind {
            MessageKind::Arrival if is_current => happened.arrived |= 1 << port,
            MessageKind::Urge if is_current => {}
            MessageKind::Arrival | MessageKind::Urge if is_last => happened.behind |= 1 << port,
            MessageKind::Acknowledgement if is_current && self.waiting => happened.acknowledged = true,
            MessageKind::Completion if is_current && self.waiting => happened.completed = true,
            MessageKind::Acknowledgement | MessageKind::Completion if is_last => {}
            _ => {
                self.fault_number = true;
                return true;
            }
        }
        false
    }

    /// Whether all leaves have arrived, and nothing has been done about it yet.
    #[inline]
    pub fn is_gathered(&self) -> bool {
        self.settings.is_active() && !self.waiting && self.arrived == self.settings.leaves
    }

    /// Whether its timers run.
    #[inline]
    pub fn is_waiting(&self) -> bool {
        self.waiting
    }

    /// The ports for which there is something to send.
    #[inline]
    pub fn ports_to_send(&self) -> u64 {
        self.acknowledge | self.complete | ((self.arrive || self.urge) as u64) << self.settings.parent
    }

    /// The message that is sent to `port`, for which there is something to send, in this cycle. `group` is the group's
    /// number.
    pub fn send(&self, port: usize, group: u8, happened: &mut Happened) -> Message {
        let (kind, sequence) = if self.complete >> port & 1 == 1 {
            (MessageKind::Completion, self.sequence.wrapping_sub(1))
        } else if self.acknowledge >> port & 1 == 1 {
            (MessageKind::Acknowledgement, self.sequence)
        } else if self.arrive {
            (MessageKind::Arrival, self.sequence)
        } else {
            (MessageKind::Urge, self.sequence)
        };
        happened.sent[kind as usize - 1] |= 1 << port;
        Message { kind, group, sequence }
    }

    /// Goes on to the next cycle. `tick`: the time-outs, if there is a tick in this one.
    pub fn step(&mut self, happened: &Happened, tick: Option<&Timers>) {
        let is_gathered = self.is_gathered();
        if happened.completed || is_gathered && self.settings.root {
            self.finish();
            return;
        }
        let sent = |kind: MessageKind| happened.sent[kind as usize - 1];
        self.acknowledge = self.acknowledge & !sent(MessageKind::Acknowledgement) | happened.arrived;
        self.complete = self.complete & !sent(MessageKind::Completion) | happened.behind;
        self.arrive &= sent(MessageKind::Arrival) == 0 && !happened.acknowledged;
        self.urge &= sent(MessageKind::Urge) == 0;
        self.arrived |= happened.arrived;
        self.acknowledged |= happened.acknowledged;
        if is_gathered {
            (self.waiting, self.arrive, self.acknowledged) = (true, true, false);
            (self.retransmit_timer, self.urge_timer) = (0, 0);
        } else if let (true, Some(timers)) = (self.waiting, tick) {
            self.run_timers(timers);
        }
    }

    /// The barrier under way completes.
    fn finish(&mut self) {
        self.sequence = self.sequence.wrapping_add(1);
        self.previous = true;
        self.completions = self.completions.wrapping_add(1);
        (self.complete, self.acknowledge, self.arrived) = (self.settings.leaves, 0, 0);
        (self.waiting, self.acknowledged, self.arrive, self.urge) = (false, false, false, false);
    }

    /// A tick while the completion is awaited.
    fn run_timers(&mut self, timers: &Timers) {
        if !self.acknowledged && expires(&mut self.retransmit_timer, timers.retransmit) {
            self.arrive = true;
            self.retransmissions = self.retransmissions.wrapping_add(1);
        }
        if expires(&mut self.urge_timer, timers.urge) {
            self.urge = true;
            self.urges = self.urges.wrapping_add(1);
        }
    }

    /// `barrier_status`.
    pub fn status(&self) -> u32 {
        let bit = |value: bool, at: u32| (value as u32) << at;
        self.sequence as u32
            | bit(self.waiting, 8)
            | bit(self.acknowledged, 9)
            | bit(self.settings.enable && !self.settings.is_active(), 16)
            | bit(self.fault_inactive, 17)
            | bit(self.fault_port, 18)
            | bit(self.fault_number, 19)
    }

    /// `barrier_arrived`, both halves.
    pub fn arrived(&self) -> u64 {
        self.arrived
    }

    /// `barrier_counts`.
    pub fn counts(&self) -> u32 {
        self.completions as u32 | (self.retransmissions as u32) << 16 | (self.urges as u32) << 24
    }
}

/// A timer counts a tick, and starts again at its limit. A limit of 0 stops it.
fn expires(timer: &mut u8, limit: u8) -> bool {
    if limit == 0 {
        return false;
    }
    let expired = *timer as u32 + 1 >= limit as u32;
    *timer = if expired { 0 } else { *timer + 1 };
    expired
}

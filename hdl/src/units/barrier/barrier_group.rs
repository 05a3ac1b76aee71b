//! Barrier group: the state of one group in this switch, and what it has to send.
//!
//! | port | width | meaning |
//! | --- | --- | --- |
//! | `reset` | 1 | reset of the switch, or a write to the group's settings: the group starts anew |
//! | `leaves`, `enable`, `root`, `parent` | N, 1, 1, port bits | its settings |
//! | `retransmit_limit`, `urge_limit` | 8, 8 | limits of the timers, in ticks |
//! | `tick` | 1 | a tick is in this cycle |
//! | `to_here` | N | the message in the receive register of port p names this group |
//! | `arrival` .. `wrong_number` | N each | what that message says, see [`barrier_receiver`](super::barrier_receiver) |
//! | `clear_faults` | 1 | the sticky faults are cleared |
//! | `sent` | N | port p sends the first message that this group has for it |
//! | `active`, `waiting`, `previous`, `sequence_number` | 1, 1, 1, 8 | its state, for the receivers |
//! | `parent_port` | N | `parent`, one-hot; none of a root |
//! | `complete`, `acknowledge` | N, N | port p is to get a completion, an acknowledgement |
//! | `arrive`, `urge` | 1, 1 | the parent is to get an arrival, an urge |
//! | `arrived` | N | leaves that have arrived |
//! | `status` | 14 | {number, port, inactive, misconfigured, acknowledged, waiting, sequence}, as its register names them |
//! | `counts` | 32 | {urges, retransmissions, completed} |
//!
//! State: as the reference names it.
//!
//! Each cycle: messages set and clear bits; what is sent clears its bit, unless something sets it; a tick lets the timers run; and if
//! all leaves have arrived, the root completes, another switch sends its own arrival. A group that completes is set anew, whatever else
//! happens to it. While a group is not active nothing but a fault is ever set: a write to its settings clears all, and messages are faults.
//!
//! Source: switch reference, section 11; seed 004 sections 4.2 and 4.3.

use super::barrier_message::BYTE;
use crate::parts::counter::{counter, Counter};
use crate::parts::sticky_flags::{sticky_flags, StickyFlags};
use crate::rtl::prelude::*;
use crate::units::barrier::barrier_timer::{barrier_timer, BarrierTimer};
use railyard_spec::Shape;

/// Bits of the counter of completed barriers.
const COMPLETED_BITS: usize = 16;

// Where the state lies in `status`, and the counters in `counts`.
const WAITING: usize = BYTE;
const ACKNOWLEDGED: usize = WAITING + 1;
const MISCONFIGURED: usize = ACKNOWLEDGED + 1;
const FAULTS: usize = MISCONFIGURED + 1;
const FAULT_COUNT: usize = 3;
const RETRANSMISSIONS: usize = COMPLETED_BITS;
const URGES: usize = RETRANSMISSIONS + BYTE;

/// The fields of a group's status, as `status` has them from bit 0 on.
pub const STATUS: [(&str, usize); 7] = [
    ("sequence", BYTE),
    ("waiting", 1),
    ("acknowledged", 1),
    ("misconfigured", 1),
    ("inactive", 1),
    ("port", 1),
    ("number", 1),
];
/// Bits of `status`.
pub const STATUS_BITS: usize = FAULTS + FAULT_COUNT;
/// The fields of a group's counters, as `counts` has them from bit 0 on.
pub const COUNTS: [(&str, usize); 3] = [("completed", COMPLETED_BITS), ("retransmissions", BYTE), ("urges", BYTE)];
/// Bits of `counts`.
pub const COUNT_BITS: usize = URGES + BYTE;

/// State of a group; see the head of this file.
#[block]
pub struct BarrierGroup {
    pub clock: ClockIn,
    pub reset: Flag<In>,
    pub leaves: Sig<In>,
    pub enable: Flag<In>,
    pub root: Flag<In>,
    pub parent: Sig<In>,
    pub retransmit_limit: Sig<In>,
    pub urge_limit: Sig<In>,
    pub tick: Flag<In>,
    pub to_here: Sig<In>,
    pub arrival: Sig<In>,
    pub repetition: Sig<In>,
    pub acknowledgement: Sig<In>,
    pub completion: Sig<In>,
    pub inactive: Sig<In>,
    pub wrong_port: Sig<In>,
    pub wrong_number: Sig<In>,
    pub clear_faults: Flag<In>,
    pub sent: Sig<In>,
    pub active: Flag<Out>,
    pub waiting: Flag<Out>,
    pub previous: Flag<Out>,
    pub sequence_number: Sig<Out>,
    pub parent_port: Sig<Out>,
    pub complete: Sig<Out>,
    pub acknowledge: Sig<Out>,
    pub arrive: Flag<Out>,
    pub urge: Flag<Out>,
    pub arrived: Sig<Out>,
    pub status: Sig<Out>,
    pub counts: Sig<Out>,

    number: Reg,
    has_previous: FlagReg,
    has_arrived: Reg,
    is_waiting: FlagReg,
    is_acknowledged: FlagReg,
    to_complete: Reg,
    to_acknowledge: Reg,
    to_arrive: FlagReg,
    to_urge: FlagReg,
    retransmit_timer: BarrierTimer,
    urge_timer: BarrierTimer,
    completed: Counter,
    retransmissions: Counter,
    urges: Counter,
    faults: StickyFlags,

    parent_select: Sig<Local>,
    is_active: Flag<Local>,
    arriving: Sig<Local>,
    repeating: Sig<Local>,
    acknowledging: Flag<Local>,
    gathered: Flag<Local>,
    reports: Flag<Local>,
    completes: Flag<Local>,
    sent_up: Flag<Local>,
    awaits: Flag<Local>,
    raise: Sig<Local>,

    ports: Param,
    about: About,
}

/// A group of a switch of the given shape.
pub fn barrier_group(shape: &Shape) -> BarrierGroup {
    let n = shape.ports;
    let doc = "State of one barrier group in this switch, and what it has to send.";
    BarrierGroup {
        clock: clock(),
        reset: flag().doc("reset, or the group starts anew; synchronous, active high"),
        leaves: sig(n).doc("setting: ports with a node or a switch below them"),
        enable: flag().doc("setting: the group takes part"),
        root: flag().doc("setting: this switch is the root"),
        parent: sig(shape.port_bits as usize).doc("setting: port toward the root"),
        retransmit_limit: sig(BYTE).doc("ticks after which an arrival is sent again"),
        urge_limit: sig(BYTE).doc("ticks after which the completion is urged"),
        tick: flag().doc("the timers run"),
        to_here: sig(n).doc("the message that came to port p names this group"),
        arrival: sig(n).doc("it says that the leaf has arrived"),
        repetition: sig(n).doc("it says that the leaf has missed the last completion"),
        acknowledgement: sig(n).doc("it says that the parent has acknowledged the arrival"),
        completion: sig(n).doc("it says that all have arrived"),
        inactive: sig(n).doc("fault: it came while the group is not active"),
        wrong_port: sig(n).doc("fault: it cannot come by that port"),
        wrong_number: sig(n).doc("fault: it cannot have its number"),
        clear_faults: flag().doc("the sticky faults are cleared"),
        sent: sig(n).doc("port p sends the first message that is for it"),
        active: flag().doc("the group takes part, and its settings make sense"),
        waiting: flag().doc("all leaves have arrived, and the completion is awaited"),
        previous: flag().doc("a barrier has been completed"),
        sequence_number: sig(BYTE).doc("number of the barrier under way"),
        parent_port: sig(n).doc("port toward the root, one-hot; none of the root itself"),
        complete: sig(n).doc("port p is to get a completion"),
        acknowledge: sig(n).doc("port p is to get an acknowledgement"),
        arrive: flag().doc("the parent is to get an arrival"),
        urge: flag().doc("the parent is to get an urge"),
        arrived: sig(n).doc("leaves that have arrived"),
        status: sig(STATUS_BITS).doc("faults number, port, inactive, misconfigured; acknowledged, waiting, sequence"),
        counts: sig(COUNT_BITS).doc("urges, retransmissions, completed"),
        number: reg(BYTE, 0u8).doc("number of the barrier under way"),
        has_previous: flag_reg(false).doc("a barrier has been completed"),
        has_arrived: reg(n, 0u8).doc("leaves that have arrived"),
        is_waiting: flag_reg(false).doc("all leaves have arrived, and the completion is awaited"),
        is_acknowledged: flag_reg(false).doc("the parent has acknowledged the arrival"),
        to_complete: reg(n, 0u8).doc("ports that are to get a completion"),
        to_acknowledge: reg(n, 0u8).doc("ports that are to get an acknowledgement"),
        to_arrive: flag_reg(false).doc("the parent is to get an arrival"),
        to_urge: flag_reg(false).doc("the parent is to get an urge"),
        retransmit_timer: barrier_timer(),
        urge_timer: barrier_timer(),
        completed: counter(COMPLETED_BITS),
        retransmissions: counter(BYTE),
        urges: counter(BYTE),
        faults: sticky_flags(FAULT_COUNT),
        parent_select: sig(n).doc("port toward the root, one-hot"),
        is_active: flag().doc("the group takes part, and its settings make sense"),
        arriving: sig(n).doc("leaves that arrive"),
        repeating: sig(n).doc("leaves that have missed the last completion"),
        acknowledging: flag().doc("the arrival is acknowledged"),
        gathered: flag().doc("the last leaf has arrived"),
        reports: flag().doc("this switch arrives at its parent"),
        completes: flag().doc("the barrier is completed"),
        sent_up: flag().doc("a message to the parent is sent"),
        awaits: flag().doc("a tick while the completion is awaited"),
        raise: sig(FAULT_COUNT).doc("faults of this cycle: number, port, inactive"),
        ports: param(n),
        about: about("barrier_group", doc)
            .param("ports", n)
            .constant("WAITING", WAITING)
            .constant("ACKNOWLEDGED", ACKNOWLEDGED)
            .constant("MISCONFIGURED", MISCONFIGURED)
            .constant("FAULTS", FAULTS)
            .constant("RETRANSMISSIONS", RETRANSMISSIONS)
            .constant("URGES", URGES),
    }
}

#[kernel]
impl BarrierGroup {
    fn update(&mut self) {
        // Settings.
        self.parent_select.next = 0.into();
        for p in 0..self.ports.val() {
            self.parent_select.next =
                self.parent_select.val().replace_bit(p, (self.parent.val() == p) & !self.root.val());
        }
        self.is_active.next =
            self.enable.val() & self.leaves.val().any() & !(self.leaves.val() & self.parent_select.val()).any();

        // Messages.
        self.arriving.next = self.to_here.val() & self.arrival.val();
        self.repeating.next = self.to_here.val() & self.repetition.val();
        self.acknowledging.next = (self.to_here.val() & self.acknowledgement.val()).any();

        // Gather and complete.
        self.gathered.next =
            self.is_active.val() & !self.is_waiting.q.val() & !(self.leaves.val() & !self.has_arrived.q.val()).any();
        self.reports.next = self.gathered.val() & !self.root.val();
        self.completes.next =
            (self.gathered.val() & self.root.val()) | (self.to_here.val() & self.completion.val()).any();

        // Timers.
        self.awaits.next = self.tick.val() & self.is_waiting.q.val() & !self.completes.val();
        self.retransmit_timer.run.next = self.awaits.val() & !self.is_acknowledged.q.val() & !self.acknowledging.val();
        self.retransmit_timer.clear.next = self.reports.val();
        self.retransmit_timer.limit.next = self.retransmit_limit.val();
        self.urge_timer.run.next = self.awaits.val();
        self.urge_timer.clear.next = self.reports.val();
        self.urge_timer.limit.next = self.urge_limit.val();

        // State of the barrier under way.
        self.has_arrived.d.next = self.has_arrived.q.val() | self.arriving.val();
        self.is_waiting.d.next = self.is_waiting.q.val() | self.reports.val();
        self.is_acknowledged.d.next = (self.is_acknowledged.q.val() & !self.reports.val()) | self.acknowledging.val();

        // What is to be sent.
        self.sent_up.next = (self.sent.val() & self.parent_select.val()).any();
        self.to_complete.d.next = (self.to_complete.q.val() & !self.sent.val()) | self.repeating.val();
        self.to_acknowledge.d.next =
            (self.to_acknowledge.q.val() & !(self.sent.val() & !self.to_complete.q.val())) | self.arriving.val();
        self.to_arrive.d.next =
            ((self.to_arrive.q.val() & !self.sent_up.val()) | self.reports.val() | self.retransmit_timer.fire.val())
                & !self.acknowledging.val();
        self.to_urge.d.next =
            (self.to_urge.q.val() & !(self.sent_up.val() & !self.to_arrive.q.val())) | self.urge_timer.fire.val();

        if self.completes.val() {
            self.number.d.next = self.number.q.val() + 1;
            self.has_previous.d.next = true;
            self.has_arrived.d.next = 0.into();
            self.is_waiting.d.next = false;
            self.is_acknowledged.d.next = false;
            self.to_complete.d.next = self.leaves.val();
            self.to_acknowledge.d.next = 0.into();
            self.to_arrive.d.next = false;
            self.to_urge.d.next = false;
        }

        // Counters and faults.
        self.completed.step.next = self.completes.val();
        self.retransmissions.step.next = self.retransmit_timer.fire.val();
        self.urges.step.next = self.urge_timer.fire.val();
        self.raise.next = 0.into();
        self.raise.next = self.raise.val().replace_bit(0, (self.to_here.val() & self.inactive.val()).any());
        self.raise.next = self.raise.val().replace_bit(1, (self.to_here.val() & self.wrong_port.val()).any());
        self.raise.next = self.raise.val().replace_bit(2, (self.to_here.val() & self.wrong_number.val()).any());
        self.faults.raise.next = self.raise.val();
        self.faults.clear.next = self.clear_faults.val();

        self.active.next = self.is_active.val();
        self.waiting.next = self.is_waiting.q.val();
        self.previous.next = self.has_previous.q.val();
        self.sequence_number.next = self.number.q.val();
        self.parent_port.next = self.parent_select.val();
        self.complete.next = self.to_complete.q.val();
        self.acknowledge.next = self.to_acknowledge.q.val();
        self.arrive.next = self.to_arrive.q.val();
        self.urge.next = self.to_urge.q.val();
        self.arrived.next = self.has_arrived.q.val();
        self.status.next = unsigned_cast(self.number.q.val());
        self.status.next = self.status.val().replace_bit(WAITING, self.is_waiting.q.val());
        self.status.next = self.status.val().replace_bit(ACKNOWLEDGED, self.is_acknowledged.q.val());
        self.status.next = self.status.val().replace_bit(MISCONFIGURED, self.enable.val() & !self.is_active.val());
        self.status.next = self.status.val().replace_bit(FAULTS, self.faults.flags.val());
        self.counts.next = unsigned_cast(self.completed.count.val());
        self.counts.next = self.counts.val().replace_bit(RETRANSMISSIONS, self.retransmissions.count.val());
        self.counts.next = self.counts.val().replace_bit(URGES, self.urges.count.val());
    }
}

#[cfg(test)]
mod tests;

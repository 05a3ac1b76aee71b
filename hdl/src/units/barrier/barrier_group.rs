//! Barrier group: the state of one group in this switch, and what it has to send.
//!
//! State: as the reference names it.
//!
//! Each cycle: messages set and clear bits; what is sent clears its bit, unless something sets it; a tick lets the
//! timers run; and if all leaves have arrived, the root completes, another switch sends its own arrival. A group that
//! completes is set anew, whatever else happens to it. While a group is not active nothing but a fault is ever set: a
//! write to its settings clears all, and messages are faults.
//!
//! Source: switch reference, section 11; Cao2016, 4.2 and 4.3.

use crate::units::prelude::*;

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

/// State of one barrier group in this switch, and what it has to send.
#[block(shape: &Shape)]
pub struct BarrierGroup {
    pub clock: ClockIn,
    /// Synchronous reset, active high; also active when the group starts anew.
    #[made(flag().doc(match separate {
        false => "Synchronous reset, active high; also active when the group starts anew.",
        true => "Synchronous reset, active high.",
    }))]
    pub reset: Flag<In>,
    /// The group starts anew.
    pub restart: Option<Flag<In>, separate>,
    /// Setting: ports with a node or a switch below them.
    pub leaves: Sig<In, ports>,
    /// Setting: the group takes part.
    pub enable: Flag<In>,
    /// Setting: the switch is the root.
    pub root: Flag<In>,
    /// Setting: port toward the root.
    pub parent: Sig<In, { shape.port_bits as usize }>,
    /// Ticks after which an arrival is sent again.
    pub retransmit_limit: Sig<In, BYTE>,
    /// Ticks after which the completion is urged.
    pub urge_limit: Sig<In, BYTE>,
    /// The timers run.
    pub tick: Flag<In>,
    /// The message that came to port p names this group.
    pub to_here: Sig<In, ports>,
    /// The message says that the leaf has arrived.
    pub arrival: Sig<In, ports>,
    /// The message says that the leaf has missed the last completion.
    pub repetition: Sig<In, ports>,
    /// The message says that the parent has acknowledged the arrival.
    pub acknowledgement: Sig<In, ports>,
    /// The message says that all have arrived.
    pub completion: Sig<In, ports>,
    /// Fault: the message came while the group is not active.
    pub inactive: Sig<In, ports>,
    /// Fault: no message of its kind can come by that port.
    pub wrong_port: Sig<In, ports>,
    /// Fault: no message of its kind can have its number.
    pub wrong_number: Sig<In, ports>,
    /// The sticky faults are cleared.
    pub clear_faults: Flag<In>,
    /// Port p sends the group's first message for the port.
    pub sent: Sig<In, ports>,
    /// The group takes part, and the settings are consistent.
    pub active: Flag<Out>,
    /// All leaves have arrived, and the group waits for the completion.
    pub waiting: Flag<Out>,
    /// A barrier has been completed.
    pub previous: Flag<Out>,
    /// Number of the barrier under way.
    pub sequence_number: Sig<Out, BYTE>,
    /// Port toward the root, one-hot; zero at the root.
    pub parent_port: Sig<Out, ports>,
    /// A completion waits to be sent to port p.
    pub complete: Sig<Out, ports>,
    /// An acknowledgement waits to be sent to port p.
    pub acknowledge: Sig<Out, ports>,
    /// An arrival waits to be sent to the parent.
    pub arrive: Flag<Out>,
    /// An urge waits to be sent to the parent.
    pub urge: Flag<Out>,
    /// Leaves that have arrived.
    pub arrived: Sig<Out, ports>,
    /// Faults (number, port, inactive, misconfigured), acknowledged, waiting and sequence number.
    pub status: Sig<Out, STATUS_BITS>,
    /// Counts of urges, retransmissions and completed barriers.
    pub counts: Sig<Out, COUNT_BITS>,

    /// Number of the barrier under way.
    number: Reg<BYTE>,
    /// A barrier has been completed.
    has_previous: FlagReg,
    /// Leaves that have arrived.
    has_arrived: Reg<ports>,
    /// All leaves have arrived, and the group waits for the completion.
    is_waiting: FlagReg,
    /// The parent has acknowledged the arrival.
    is_acknowledged: FlagReg,
    /// Ports to which a completion waits to be sent.
    to_complete: Reg<ports>,
    /// Ports to which an acknowledgement waits to be sent.
    to_acknowledge: Reg<ports>,
    /// An arrival waits to be sent to the parent.
    to_arrive: FlagReg,
    /// An urge waits to be sent to the parent.
    to_urge: FlagReg,
    #[made(barrier_timer())]
    retransmit_timer: BarrierTimer,
    #[made(barrier_timer())]
    urge_timer: BarrierTimer,
    #[made(count(shape, COMPLETED_BITS))]
    completed: Counter,
    #[made(count(shape, BYTE))]
    retransmissions: Counter,
    #[made(count(shape, BYTE))]
    urges: Counter,
    faults: StickyFlags<FAULT_COUNT>,

    /// Port toward the root, one-hot.
    parent_select: Sig<Local, ports>,
    /// The group takes part, and the settings are consistent.
    is_active: Flag<Local>,
    /// Leaves that arrive.
    arriving: Sig<Local, ports>,
    /// Leaves that have missed the last completion.
    repeating: Sig<Local, ports>,
    /// The arrival is acknowledged.
    acknowledging: Flag<Local>,
    /// The last leaf has arrived.
    gathered: Flag<Local>,
    /// The switch arrives at its parent.
    reports: Flag<Local>,
    /// The barrier is completed.
    completes: Flag<Local>,
    /// A message to the parent is sent.
    sent_up: Flag<Local>,
    /// A tick passes while the group waits for the completion.
    awaits: Flag<Local>,
    /// Faults of the current cycle: number, port, inactive.
    raise: Sig<Local, FAULT_COUNT>,

    separate: Number<bool, { shape.reset.is_asynchronous() }>,
    ports: Param<{ shape.ports }>,
}

/// A counter that starts anew with its group. An asynchronous reset can't be made of a write to a register.
fn count(shape: &Shape, bits: usize) -> Counter {
    match shape.reset.is_asynchronous() {
        true => clearable_counter(bits),
        false => counter(bits),
    }
}

#[kernel]
impl BarrierGroup {
    fn update(&mut self) {
        self.apply_settings();
        self.gather();
        self.run_timers();
        self.step();
        self.choose_messages();
        self.complete();
        self.count();
        self.start_anew();
        self.show();
    }

    fn apply_settings(&mut self) {
        self.parent_select.next = 0.into();
        for p in 0..self.ports {
            self.parent_select.set(p, (self.parent.val() == p) & !self.root.val());
        }
        self.is_active.next =
            self.enable.val() & self.leaves.val().any() & !(self.leaves.val() & self.parent_select.val()).any();
    }

    /// Messages; and whether the barrier completes.
    fn gather(&mut self) {
        self.arriving.next = self.to_here.val() & self.arrival.val();
        self.repeating.next = self.to_here.val() & self.repetition.val();
        self.acknowledging.next = (self.to_here.val() & self.acknowledgement.val()).any();

        self.gathered.next =
            self.is_active.val() & !self.is_waiting.q.val() & !(self.leaves.val() & !self.has_arrived.q.val()).any();
        self.reports.next = self.gathered.val() & !self.root.val();
        self.completes.next =
            (self.gathered.val() & self.root.val()) | (self.to_here.val() & self.completion.val()).any();
    }

    fn run_timers(&mut self) {
        self.awaits.next = self.tick.val() & self.is_waiting.q.val() & !self.completes.val();
        self.retransmit_timer.run.next = self.awaits.val() & !self.is_acknowledged.q.val() & !self.acknowledging.val();
        self.retransmit_timer.clear.next = self.reports.val();
        self.retransmit_timer.limit.next = self.retransmit_limit.val();
        self.urge_timer.run.next = self.awaits.val();
        self.urge_timer.clear.next = self.reports.val();
        self.urge_timer.limit.next = self.urge_limit.val();
    }

    /// State of the barrier under way.
    fn step(&mut self) {
        self.has_arrived.d.next = self.has_arrived.q.val() | self.arriving.val();
        self.is_waiting.d.next = self.is_waiting.q.val() | self.reports.val();
        self.is_acknowledged.d.next = (self.is_acknowledged.q.val() & !self.reports.val()) | self.acknowledging.val();
    }

    /// What is to be sent.
    fn choose_messages(&mut self) {
        self.sent_up.next = (self.sent.val() & self.parent_select.val()).any();
        self.to_complete.d.next = (self.to_complete.q.val() & !self.sent.val()) | self.repeating.val();
        self.to_acknowledge.d.next =
            (self.to_acknowledge.q.val() & !(self.sent.val() & !self.to_complete.q.val())) | self.arriving.val();
        self.to_arrive.d.next =
            ((self.to_arrive.q.val() & !self.sent_up.val()) | self.reports.val() | self.retransmit_timer.fire.val())
                & !self.acknowledging.val();
        self.to_urge.d.next =
            (self.to_urge.q.val() & !(self.sent_up.val() & !self.to_arrive.q.val())) | self.urge_timer.fire.val();
    }

    /// A barrier that is completed sets all anew.
    fn complete(&mut self) {
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
    }

    /// Counters and faults.
    fn count(&mut self) {
        self.completed.step.next = self.completes.val();
        self.retransmissions.step.next = self.retransmit_timer.fire.val();
        self.urges.step.next = self.urge_timer.fire.val();
        self.raise.next = 0.into();
        self.raise.set(0, (self.to_here.val() & self.inactive.val()).any());
        self.raise.set(1, (self.to_here.val() & self.wrong_port.val()).any());
        self.raise.set(2, (self.to_here.val() & self.wrong_number.val()).any());
        self.faults.raise.next = self.raise.val();
        self.faults.clear.next = self.clear_faults.val();
    }

    /// All state becomes that after reset, where reset itself does not do so.
    fn start_anew(&mut self) {
        if let (Some(restart), Some(clear_completed), Some(clear_retransmissions), Some(clear_urges)) =
            (&self.restart, &mut self.completed.clear, &mut self.retransmissions.clear, &mut self.urges.clear)
        {
            clear_completed.next = restart.val();
            clear_retransmissions.next = restart.val();
            clear_urges.next = restart.val();
            if restart.val() {
                self.retransmit_timer.clear.next = true;
                self.urge_timer.clear.next = true;
                self.faults.raise.next = 0.into();
                self.faults.clear.next = true;
                self.number.d.next = 0.into();
                self.has_previous.d.next = false;
                self.has_arrived.d.next = 0.into();
                self.is_waiting.d.next = false;
                self.is_acknowledged.d.next = false;
                self.to_complete.d.next = 0.into();
                self.to_acknowledge.d.next = 0.into();
                self.to_arrive.d.next = false;
                self.to_urge.d.next = false;
            }
        }
    }

    /// The state, to the other blocks and to the registers.
    fn show(&mut self) {
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
        self.status.set(WAITING, self.is_waiting.q.val());
        self.status.set(ACKNOWLEDGED, self.is_acknowledged.q.val());
        self.status.set(MISCONFIGURED, self.enable.val() & !self.is_active.val());
        self.status.set(FAULTS, self.faults.flags.val());
        self.counts.next = unsigned_cast(self.completed.count.val());
        self.counts.set(RETRANSMISSIONS, self.retransmissions.count.val());
        self.counts.set(URGES, self.urges.count.val());
    }
}

#[cfg(test)]
mod tests;

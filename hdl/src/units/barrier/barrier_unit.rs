//! Barrier unit: the barrier groups of a switch, and their messages at all ports.
//!
//! | port | width | meaning |
//! | --- | --- | --- |
//! | `rx_*`, `rx_message` | N x .. | pins of the ports; the low bits of their flits |
//! | `leaves`, `enable`, `root`, `parent` | B x N, B, B, B x port bits | settings of the groups |
//! | `restart` | B | settings of group g are written in this cycle: it starts anew |
//! | `retransmit_limit`, `urge_limit`, `scale` | 8, 8, 4 | limits of the timers in ticks; a tick is 2^scale cycles |
//! | `clear_group`, `clear_ports` | B, 1 | the faults of group g are cleared; those of all ports are |
//! | `status`, `arrived`, `counts` | B x 14, B x N, B x 32 | for the registers, see [`barrier_group`](super::barrier_group) |
//! | `corrupt`, `no_group` | N, N | sticky faults of the ports |
//! | `message_valid`, `message` | N, N x 32 | the message register of port p is full; its message, which leaves in the next cycle |
//! | `message_next` | N | it is full in the next cycle |
//! | `owner` | N x k x N | input i is connected to output o on VC v, element o * k + v |
//! | `stays_held` | N x k | VC v of input i is connected to an output that sends a message in the next cycle |
//!
//! State: a counter of cycles, and that of the blocks it holds: a receiver and a sender for each port, a group for each group. A hold without state.
//!
//! Each cycle: a message that came in the cycle before is taken; groups complete and set what is to be sent; each port sends a message.
//! This block joins them: what they have by port, the others have by group. And it finds the ticks.
//!
//! Source: switch reference, section 11; seed 004 sections 4.2 and 4.3.

use super::barrier_message::{BYTE, MESSAGE};
use crate::parts::counter::{counter, Counter};
use crate::rtl::prelude::*;
use crate::units::barrier::barrier_group::{barrier_group, BarrierGroup, COUNT_BITS, STATUS_BITS};
use crate::units::barrier::barrier_hold::{barrier_hold, BarrierHold};
use crate::units::barrier::barrier_receiver::{barrier_receiver, BarrierReceiver};
use crate::units::barrier::barrier_sender::{barrier_sender, BarrierSender};
use railyard_spec::{BarrierShape, Shape};

/// Bits of the counter of cycles, of which `scale` are looked at.
const CYCLE_BITS: usize = 15;
/// Bits of `scale`.
pub const SCALE_BITS: usize = 4;

/// Barriers of a switch; see the head of this file.
#[block]
pub struct BarrierUnit {
    pub clock: ClockIn,
    pub reset: Flag<In>,
    pub rx_valid: Vec<Flag<In>>,
    pub rx_vc: Vec<Sig<In>>,
    pub rx_head: Vec<Flag<In>>,
    pub rx_tail: Vec<Flag<In>>,
    pub rx_message: Vec<Sig<In>>,
    pub leaves: Vec<Sig<In>>,
    pub enable: Sig<In>,
    pub root: Sig<In>,
    pub parent: Vec<Sig<In>>,
    pub restart: Sig<In>,
    pub retransmit_limit: Sig<In>,
    pub urge_limit: Sig<In>,
    pub scale: Sig<In>,
    pub clear_group: Sig<In>,
    pub clear_ports: Flag<In>,
    pub status: Vec<Sig<Out>>,
    pub arrived: Vec<Sig<Out>>,
    pub counts: Vec<Sig<Out>>,
    pub corrupt: Sig<Out>,
    pub no_group: Sig<Out>,
    pub message_valid: Sig<Out>,
    pub message: Vec<Sig<Out>>,
    pub message_next: Sig<Out>,
    pub owner: Vec<Sig<In>>,
    pub stays_held: Vec<Sig<Out>>,

    cycles: Counter,
    receiver: Vec<BarrierReceiver>,
    group: Vec<BarrierGroup>,
    sender: Vec<BarrierSender>,
    hold: BarrierHold,

    low_bits: Sig<Local>,
    tick: Flag<Local>,
    active: Sig<Local>,
    waiting: Sig<Local>,
    previous: Sig<Local>,
    arrive: Sig<Local>,
    urge: Sig<Local>,
    leaf_of: Vec<Sig<Local>>,
    parent_of: Vec<Sig<Local>>,
    to_complete: Vec<Sig<Local>>,
    to_acknowledge: Vec<Sig<Local>>,
    to_group: Vec<Sig<Local>>,
    sent_of: Vec<Sig<Local>>,
    arrival: Sig<Local>,
    repetition: Sig<Local>,
    acknowledgement: Sig<Local>,
    completion: Sig<Local>,
    inactive: Sig<Local>,
    wrong_port: Sig<Local>,
    wrong_number: Sig<Local>,

    ports: Param,
    groups: Param,
    cycle_bits: Param,
    about: About,
}

/// The barrier unit of a switch.
pub fn barrier_unit(shape: &Shape, built: &BarrierShape) -> BarrierUnit {
    let (n, groups) = (shape.ports, built.groups);
    let doc = "The barrier groups of a switch, and their messages at all ports.";
    BarrierUnit {
        clock: clock(),
        reset: flag().doc("synchronous reset, active high"),
        rx_valid: many(n, || flag().doc("a flit arrives")),
        rx_vc: many(n, || sig(shape.vc_bits as usize).doc("its virtual channel")),
        rx_head: many(n, || flag().doc("it is the first of a packet")),
        rx_tail: many(n, || flag().doc("it is the last of a packet")),
        rx_message: many(n, || sig(MESSAGE).doc("its low bits")),
        leaves: many(groups, || sig(n).doc("ports with a node or a switch of group g below them")),
        enable: sig(groups).doc("group g takes part"),
        root: sig(groups).doc("this switch is the root of group g"),
        parent: many(groups, || sig(shape.port_bits as usize).doc("port toward the root of group g")),
        restart: sig(groups).doc("group g starts anew"),
        retransmit_limit: sig(BYTE).doc("ticks after which an arrival is sent again"),
        urge_limit: sig(BYTE).doc("ticks after which the completion is urged"),
        scale: sig(SCALE_BITS).doc("a tick is 2^scale cycles"),
        clear_group: sig(groups).doc("the faults of group g are cleared"),
        clear_ports: flag().doc("the faults of all ports are cleared"),
        status: many(groups, || sig(STATUS_BITS).doc("state and faults of group g")),
        arrived: many(groups, || sig(n).doc("leaves of group g that have arrived")),
        counts: many(groups, || sig(COUNT_BITS).doc("counters of group g")),
        corrupt: sig(n).doc("sticky: a corrupt message came to port p"),
        no_group: sig(n).doc("sticky: a message came to port p for a group that is not built"),
        message_valid: sig(n).doc("the message register of port p is full"),
        message: many(n, || sig(MESSAGE).doc("its message")),
        message_next: sig(n).doc("the message register of port p is full in the next cycle"),
        owner: many(n * shape.vcs, || sig(n).doc("input i is connected to output o on VC v, element o * k + v")),
        stays_held: many(n, || sig(shape.vcs).doc("VC v of input i is connected to such an output")),
        cycles: counter(CYCLE_BITS),
        receiver: many(n, || barrier_receiver(shape, built)),
        group: many(groups, || barrier_group(shape)),
        sender: many(n, || barrier_sender(built)),
        hold: barrier_hold(shape),
        low_bits: sig(CYCLE_BITS).doc("the scale low bits"),
        tick: flag().doc("a tick is in this cycle"),
        active: sig(groups).doc("group g is active"),
        waiting: sig(groups).doc("group g awaits its completion"),
        previous: sig(groups).doc("group g has completed a barrier"),
        arrive: sig(groups).doc("group g has an arrival for its parent"),
        urge: sig(groups).doc("group g has an urge for its parent"),
        leaf_of: many(n, || sig(groups).doc("port p is a leaf of group g")),
        parent_of: many(n, || sig(groups).doc("port p leads to the parent of group g")),
        to_complete: many(n, || sig(groups).doc("group g has a completion for port p")),
        to_acknowledge: many(n, || sig(groups).doc("group g has an acknowledgement for port p")),
        to_group: many(groups, || sig(n).doc("the message that came to port p names group g")),
        sent_of: many(groups, || sig(n).doc("port p sends a message of group g")),
        arrival: sig(n).doc("the message that came to port p is an arrival"),
        repetition: sig(n).doc("it asks for the last completion"),
        acknowledgement: sig(n).doc("it is an acknowledgement"),
        completion: sig(n).doc("it is a completion"),
        inactive: sig(n).doc("fault: its group is not active"),
        wrong_port: sig(n).doc("fault: it cannot come by this port"),
        wrong_number: sig(n).doc("fault: it cannot have this number"),
        ports: param(n),
        groups: param(groups),
        cycle_bits: param(CYCLE_BITS),
        about: about("barrier_unit", doc).param("ports", n).param("groups", groups),
    }
}

#[kernel]
impl BarrierUnit {
    fn update(&mut self) {
        // Ticks.
        self.cycles.step.next = true;
        self.low_bits.next = 0.into();
        for b in 0..self.cycle_bits.val() {
            self.low_bits.next = self.low_bits.val().replace_bit(b, self.scale.val() > b);
        }
        self.tick.next = !(self.low_bits.val() & !self.cycles.count.val()).any();

        // State of the groups, by group and by port.
        self.active.next = 0.into();
        self.waiting.next = 0.into();
        self.previous.next = 0.into();
        self.arrive.next = 0.into();
        self.urge.next = 0.into();
        for g in 0..self.groups.val() {
            self.active.next = self.active.val().replace_bit(g, self.group[g].active.val());
            self.waiting.next = self.waiting.val().replace_bit(g, self.group[g].waiting.val());
            self.previous.next = self.previous.val().replace_bit(g, self.group[g].previous.val());
            self.arrive.next = self.arrive.val().replace_bit(g, self.group[g].arrive.val());
            self.urge.next = self.urge.val().replace_bit(g, self.group[g].urge.val());
        }
        for p in 0..self.ports.val() {
            self.leaf_of[p].next = 0.into();
            self.parent_of[p].next = 0.into();
            self.to_complete[p].next = 0.into();
            self.to_acknowledge[p].next = 0.into();
            for g in 0..self.groups.val() {
                self.leaf_of[p].next = self.leaf_of[p].val().replace_bit(g, self.leaves[g].val().get_bit(p));
                self.parent_of[p].next =
                    self.parent_of[p].val().replace_bit(g, self.group[g].parent_port.val().get_bit(p));
                self.to_complete[p].next =
                    self.to_complete[p].val().replace_bit(g, self.group[g].complete.val().get_bit(p));
                self.to_acknowledge[p].next =
                    self.to_acknowledge[p].val().replace_bit(g, self.group[g].acknowledge.val().get_bit(p));
            }
        }

        // Receivers.
        self.arrival.next = 0.into();
        self.repetition.next = 0.into();
        self.acknowledgement.next = 0.into();
        self.completion.next = 0.into();
        self.inactive.next = 0.into();
        self.wrong_port.next = 0.into();
        self.wrong_number.next = 0.into();
        self.corrupt.next = 0.into();
        self.no_group.next = 0.into();
        for p in 0..self.ports.val() {
            self.receiver[p].rx_valid.next = self.rx_valid[p].val();
            self.receiver[p].rx_vc.next = self.rx_vc[p].val();
            self.receiver[p].rx_head.next = self.rx_head[p].val();
            self.receiver[p].rx_tail.next = self.rx_tail[p].val();
            self.receiver[p].rx_message.next = self.rx_message[p].val();
            self.receiver[p].active.next = self.active.val();
            self.receiver[p].waiting.next = self.waiting.val();
            self.receiver[p].previous.next = self.previous.val();
            self.receiver[p].leaf.next = self.leaf_of[p].val();
            self.receiver[p].parent.next = self.parent_of[p].val();
            self.receiver[p].clear.next = self.clear_ports.val();
            for g in 0..self.groups.val() {
                self.receiver[p].sequence_number[g].next = self.group[g].sequence_number.val();
            }
            self.arrival.next = self.arrival.val().replace_bit(p, self.receiver[p].arrival.val());
            self.repetition.next = self.repetition.val().replace_bit(p, self.receiver[p].repetition.val());
            self.acknowledgement.next =
                self.acknowledgement.val().replace_bit(p, self.receiver[p].acknowledgement.val());
            self.completion.next = self.completion.val().replace_bit(p, self.receiver[p].completion.val());
            self.inactive.next = self.inactive.val().replace_bit(p, self.receiver[p].inactive.val());
            self.wrong_port.next = self.wrong_port.val().replace_bit(p, self.receiver[p].wrong_port.val());
            self.wrong_number.next = self.wrong_number.val().replace_bit(p, self.receiver[p].wrong_number.val());
            self.corrupt.next = self.corrupt.val().replace_bit(p, self.receiver[p].corrupt.val());
            self.no_group.next = self.no_group.val().replace_bit(p, self.receiver[p].no_group.val());
        }

        // Groups.
        for g in 0..self.groups.val() {
            self.to_group[g].next = 0.into();
            self.sent_of[g].next = 0.into();
            for p in 0..self.ports.val() {
                self.to_group[g].next = self.to_group[g].val().replace_bit(p, self.receiver[p].to.val().get_bit(g));
                self.sent_of[g].next = self.sent_of[g].val().replace_bit(p, self.sender[p].sent.val().get_bit(g));
            }
            self.group[g].reset.next = self.reset.val() | self.restart.val().get_bit(g);
            self.group[g].leaves.next = self.leaves[g].val();
            self.group[g].enable.next = self.enable.val().get_bit(g);
            self.group[g].root.next = self.root.val().get_bit(g);
            self.group[g].parent.next = self.parent[g].val();
            self.group[g].retransmit_limit.next = self.retransmit_limit.val();
            self.group[g].urge_limit.next = self.urge_limit.val();
            self.group[g].tick.next = self.tick.val();
            self.group[g].to_here.next = self.to_group[g].val();
            self.group[g].arrival.next = self.arrival.val();
            self.group[g].repetition.next = self.repetition.val();
            self.group[g].acknowledgement.next = self.acknowledgement.val();
            self.group[g].completion.next = self.completion.val();
            self.group[g].inactive.next = self.inactive.val();
            self.group[g].wrong_port.next = self.wrong_port.val();
            self.group[g].wrong_number.next = self.wrong_number.val();
            self.group[g].clear_faults.next = self.clear_group.val().get_bit(g);
            self.group[g].sent.next = self.sent_of[g].val();
            self.status[g].next = self.group[g].status.val();
            self.arrived[g].next = self.group[g].arrived.val();
            self.counts[g].next = self.group[g].counts.val();
        }

        // Senders.
        self.message_valid.next = 0.into();
        self.message_next.next = 0.into();
        for p in 0..self.ports.val() {
            self.sender[p].complete.next = self.to_complete[p].val();
            self.sender[p].acknowledge.next = self.to_acknowledge[p].val();
            self.sender[p].parent.next = self.parent_of[p].val();
            self.sender[p].arrive.next = self.arrive.val();
            self.sender[p].urge.next = self.urge.val();
            for g in 0..self.groups.val() {
                self.sender[p].sequence_number[g].next = self.group[g].sequence_number.val();
            }
            self.message_valid.next = self.message_valid.val().replace_bit(p, self.sender[p].message_valid.val());
            self.message_next.next = self.message_next.val().replace_bit(p, self.sender[p].message_next.val());
            self.message[p].next = self.sender[p].message.val();
        }
        self.hold.message_next.next = self.message_next.val();
        for c in 0..self.owner.len() {
            self.hold.owner[c].next = self.owner[c].val();
        }
        for i in 0..self.ports.val() {
            self.stays_held[i].next = self.hold.stays_held[i].val();
        }
    }
}

#[cfg(test)]
pub mod reference;
#[cfg(test)]
mod tests;

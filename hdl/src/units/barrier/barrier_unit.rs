//! Barrier unit: the barrier groups of a switch, and their messages at all ports.
//!
//! State: a counter of cycles, and the state of the blocks inside: a receiver and a sender for each port, and a block
//! for each barrier group. The block `barrier_hold` has no state.
//!
//! Each cycle: a message that came in the cycle before is taken. Groups complete, and choose the messages to send. Each
//! port sends a message. Signals of receivers and senders are by port, and signals of groups are by group: the barrier
//! unit connects the two. It also makes the ticks.
//!
//! Source: switch reference, section 11; Cao2016, 4.2 and 4.3.

use crate::units::prelude::*;

/// Bits of the counter of cycles, of which `scale` are looked at.
const CYCLE_BITS: usize = 15;

/// The barrier groups of a switch, and their messages at all ports.
#[block(shape: &Shape, built: &BarrierShape)]
pub struct BarrierUnit {
    pub clock: ClockIn,
    pub reset: Flag<In>,
    pub rx: Vec<MessagePins<In, shape>, ports>,
    #[made(TreeSettings {
        leaves: many(groups, || sig(ports).doc("Ports with a node or a switch of group g below them.")),
        enable: sig(groups).doc("Group g takes part."),
        root: sig(groups).doc("The switch is the root of group g."),
        parent: many(groups, || sig(shape.port_bits as usize).doc("Port toward the root of group g.")),
        restart: sig(groups).doc("Group g starts anew."),
    })]
    pub tree: Bare<TreeSettings<In>>,
    #[made(BarrierControl {
        clear_group: sig(groups).doc("The faults of group g are cleared."),
        ..barrier_control(built)
    })]
    pub control: Bare<BarrierControl<In>>,
    #[made(BarrierState {
        status: many(groups, || sig(STATUS_BITS).doc("State and faults of group g.")),
        arrived: many(groups, || sig(ports).doc("Leaves of group g that have arrived.")),
        counts: many(groups, || sig(COUNT_BITS).doc("Counters of group g.")),
    })]
    pub state: Bare<BarrierState<Out>>,
    #[made(BarrierFaults {
        corrupt: sig(ports).doc("Sticky: a corrupt message came to port p."),
        no_group: sig(ports).doc("Sticky: a message came to port p for a group that is not built."),
    })]
    pub faults: Bare<BarrierFaults<Out>>,
    /// The message that is taken at port p is a fault of the port or of its group.
    pub faulty: Option<Sig<Out, ports>, { shape.events }>,
    /// The message register of port p is full.
    pub message_valid: Sig<Out, ports>,
    /// Message of port p.
    pub message: Vec<Sig<Out, MESSAGE>, ports>,
    /// The message register of port p is full in the next cycle.
    pub message_next: Sig<Out, ports>,
    /// Input i is connected to output o on VC v, element o * k + v.
    pub owner: Vec<Sig<In, ports>, { ports * shape.vcs }, alone>,
    /// VC v of input i is connected to an output that sends a barrier message in the next cycle.
    pub stays_held: Vec<Sig<Out, { shape.vcs }>, ports, alone>,

    cycles: Counter<CYCLE_BITS>,
    receiver: Vec<BarrierReceiver<shape, built>, ports>,
    group: Vec<BarrierGroup<shape>, groups>,
    sender: Vec<BarrierSender<built>, ports>,
    hold: Option<BarrierHold<shape>, alone>,

    /// Lowest `scale` bits of the cycle counter.
    low_bits: Sig<Local, cycle_bits>,
    /// A tick passes in the current cycle.
    tick: Flag<Local>,
    /// Group g is active.
    active: Sig<Local, groups>,
    /// Group g waits for its completion.
    waiting: Sig<Local, groups>,
    /// Group g has completed a barrier.
    previous: Sig<Local, groups>,
    /// Group g has an arrival for its parent.
    arrive: Sig<Local, groups>,
    /// Group g has an urge for its parent.
    urge: Sig<Local, groups>,
    /// Port p is a leaf of group g.
    leaf_of: Vec<Sig<Local, groups>, ports>,
    /// Port p leads to the parent of group g.
    parent_of: Vec<Sig<Local, groups>, ports>,
    /// Group g has a completion for port p.
    to_complete: Vec<Sig<Local, groups>, ports>,
    /// Group g has an acknowledgement for port p.
    to_acknowledge: Vec<Sig<Local, groups>, ports>,
    /// The message that came to port p names group g.
    to_group: Vec<Sig<Local, ports>, groups>,
    /// Port p sends a message of group g.
    sent_of: Vec<Sig<Local, ports>, groups>,
    /// The message that came to port p is an arrival.
    arrival: Sig<Local, ports>,
    /// The message that came to port p requests the last completion.
    repetition: Sig<Local, ports>,
    /// The message that came to port p is an acknowledgement.
    acknowledgement: Sig<Local, ports>,
    /// The message that came to port p is a completion.
    completion: Sig<Local, ports>,
    /// Fault: the group of the message is not active.
    inactive: Sig<Local, ports>,
    /// Fault: the message cannot come by the port.
    wrong_port: Sig<Local, ports>,
    /// Fault: the message cannot have its number.
    wrong_number: Sig<Local, ports>,

    /// There are no router messages, with which barrier messages share the outputs.
    alone: Number<bool, { shape.router_messages().is_none() && !has_queues(shape) }>,
    cycle_bits: Number<CYCLE_BITS>,
    ports: Param<{ shape.ports }>,
    groups: Param<{ built.groups }>,
}

#[kernel]
impl BarrierUnit {
    fn update(&mut self) {
        self.find_ticks();
        self.gather_by_group();
        self.gather_by_port();
        self.receive();
        for g in 0..self.groups {
            self.run_group(g);
        }
        self.send();
    }

    fn find_ticks(&mut self) {
        self.cycles.step.next = true;
        self.low_bits.next = 0.into();
        for b in 0..self.cycle_bits {
            self.low_bits.set(b, self.control.scale.val() > b);
        }
        self.tick.next = !(self.low_bits.val() & !self.cycles.count.val()).any();
    }

    /// State of the groups, by group.
    fn gather_by_group(&mut self) {
        self.active.next = 0.into();
        self.waiting.next = 0.into();
        self.previous.next = 0.into();
        self.arrive.next = 0.into();
        self.urge.next = 0.into();
        for g in 0..self.groups {
            self.active.set(g, self.group[g].active.val());
            self.waiting.set(g, self.group[g].waiting.val());
            self.previous.set(g, self.group[g].previous.val());
            self.arrive.set(g, self.group[g].arrive.val());
            self.urge.set(g, self.group[g].urge.val());
        }
    }

    /// State of the groups, by port.
    fn gather_by_port(&mut self) {
        for p in 0..self.ports {
            self.leaf_of[p].next = 0.into();
            self.parent_of[p].next = 0.into();
            self.to_complete[p].next = 0.into();
            self.to_acknowledge[p].next = 0.into();
            for g in 0..self.groups {
                self.leaf_of[p].set(g, self.tree.leaves[g].val().get_bit(p));
                self.parent_of[p].set(g, self.group[g].parent_port.val().get_bit(p));
                self.to_complete[p].set(g, self.group[g].complete.val().get_bit(p));
                self.to_acknowledge[p].set(g, self.group[g].acknowledge.val().get_bit(p));
            }
        }
    }

    fn receive(&mut self) {
        self.arrival.next = 0.into();
        self.repetition.next = 0.into();
        self.acknowledgement.next = 0.into();
        self.completion.next = 0.into();
        self.inactive.next = 0.into();
        self.wrong_port.next = 0.into();
        self.wrong_number.next = 0.into();
        self.faults.corrupt.next = 0.into();
        self.faults.no_group.next = 0.into();
        if let Some(faulty) = &mut self.faulty {
            faulty.next = 0.into();
        }
        for p in 0..self.ports {
            self.rx[p].link(&mut self.receiver[p].rx);
            self.receiver[p].active.next = self.active.val();
            self.receiver[p].waiting.next = self.waiting.val();
            self.receiver[p].previous.next = self.previous.val();
            self.receiver[p].leaf.next = self.leaf_of[p].val();
            self.receiver[p].parent.next = self.parent_of[p].val();
            self.receiver[p].clear.next = self.control.clear_ports.val();
            for g in 0..self.groups {
                self.receiver[p].sequence_number[g].next = self.group[g].sequence_number.val();
            }
            self.arrival.set(p, self.receiver[p].arrival.val());
            self.repetition.set(p, self.receiver[p].repetition.val());
            self.acknowledgement.set(p, self.receiver[p].acknowledgement.val());
            self.completion.set(p, self.receiver[p].completion.val());
            self.inactive.set(p, self.receiver[p].inactive.val());
            self.wrong_port.set(p, self.receiver[p].wrong_port.val());
            self.wrong_number.set(p, self.receiver[p].wrong_number.val());
            self.faults.corrupt.set(p, self.receiver[p].corrupt.val());
            self.faults.no_group.set(p, self.receiver[p].no_group.val());
            if let (Some(faulty), Some(here)) = (&mut self.faulty, &self.receiver[p].faulty) {
                faulty.set(p, here.val());
            }
        }
    }

    fn run_group(&mut self, g: usize) {
        self.to_group[g].next = 0.into();
        self.sent_of[g].next = 0.into();
        for p in 0..self.ports {
            self.to_group[g].set(p, self.receiver[p].to.val().get_bit(g));
            self.sent_of[g].set(p, self.sender[p].sent.val().get_bit(g));
        }
        if let Some(restart) = &mut self.group[g].restart {
            restart.next = self.tree.restart.val().get_bit(g);
        } else {
            self.group[g].reset.next = self.reset.val() | self.tree.restart.val().get_bit(g);
        }
        self.group[g].leaves.next = self.tree.leaves[g].val();
        self.group[g].enable.next = self.tree.enable.val().get_bit(g);
        self.group[g].root.next = self.tree.root.val().get_bit(g);
        self.group[g].parent.next = self.tree.parent[g].val();
        self.group[g].retransmit_limit.next = self.control.retransmit_limit.val();
        self.group[g].urge_limit.next = self.control.urge_limit.val();
        self.group[g].tick.next = self.tick.val();
        self.group[g].to_here.next = self.to_group[g].val();
        self.group[g].arrival.next = self.arrival.val();
        self.group[g].repetition.next = self.repetition.val();
        self.group[g].acknowledgement.next = self.acknowledgement.val();
        self.group[g].completion.next = self.completion.val();
        self.group[g].inactive.next = self.inactive.val();
        self.group[g].wrong_port.next = self.wrong_port.val();
        self.group[g].wrong_number.next = self.wrong_number.val();
        self.group[g].clear_faults.next = self.control.clear_group.val().get_bit(g);
        self.group[g].sent.next = self.sent_of[g].val();
        self.state.status[g].next = self.group[g].status.val();
        self.state.arrived[g].next = self.group[g].arrived.val();
        self.state.counts[g].next = self.group[g].counts.val();
    }

    fn send(&mut self) {
        self.message_valid.next = 0.into();
        self.message_next.next = 0.into();
        for p in 0..self.ports {
            self.sender[p].complete.next = self.to_complete[p].val();
            self.sender[p].acknowledge.next = self.to_acknowledge[p].val();
            self.sender[p].parent.next = self.parent_of[p].val();
            self.sender[p].arrive.next = self.arrive.val();
            self.sender[p].urge.next = self.urge.val();
            for g in 0..self.groups {
                self.sender[p].sequence_number[g].next = self.group[g].sequence_number.val();
            }
            self.message_valid.set(p, self.sender[p].message_valid.val());
            self.message_next.set(p, self.sender[p].message_next.val());
            self.message[p].next = self.sender[p].message.val();
        }
        if let Some(hold) = &mut self.hold {
            hold.message_next.next = self.message_next.val();
            self.owner.link(&mut hold.owner);
            self.stays_held.link(&mut hold.stays_held);
        }
    }
}

#[cfg(test)]
pub(crate) mod reference;
#[cfg(test)]
mod tests;

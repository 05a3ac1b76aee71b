//! Barrier sender: chooses the barrier messages that leave by one port, one a cycle.
//!
//! State: the message register, without CRC; the round robin pointer over groups.
//!
//! Each cycle: a round robin over the groups that have something for this port chooses one; its first message, of the
//! order completion, acknowledgement, arrival, urge, is in the message register in the next cycle. There its CRC is
//! made, on the way to the output register. A group's leaves and its parent are different ports, so it has messages of
//! two kinds for a port at most.
//!
//! Source: switch reference, section 11 (send).

use crate::units::prelude::*;
use railyard_spec::barrier::MESSAGE_CRC;

/// Chooses the barrier messages that leave by one port, one a cycle.
#[block(built: &BarrierShape)]
pub struct BarrierSender {
    pub clock: ClockIn,
    pub reset: Flag<In>,
    /// Group g has a completion for the port.
    pub complete: Sig<In, groups>,
    /// Group g has an acknowledgement for the port.
    pub acknowledge: Sig<In, groups>,
    /// The port leads to the parent of group g.
    pub parent: Sig<In, groups>,
    /// Group g has an arrival for its parent.
    pub arrive: Sig<In, groups>,
    /// Group g has an urge for its parent.
    pub urge: Sig<In, groups>,
    /// Number of the barrier of group g that is under way.
    pub sequence_number: Vec<Sig<In, BYTE>, groups>,
    /// The first message of group g is sent.
    pub sent: Sig<Out, groups>,
    /// The message register is full.
    pub message_valid: Flag<Out>,
    /// Message in the message register.
    pub message: Sig<Out, MESSAGE>,
    /// The message register is full in the next cycle.
    pub message_next: Flag<Out>,

    /// The message register is full.
    valid: FlagReg,
    /// Kind of the message.
    kind: Reg<KIND_BITS, NoReset>,
    /// Group of the message.
    group: Reg<group_bits, NoReset>,
    /// Sequence number of the message.
    number: Reg<BYTE, NoReset>,
    arbiter: Option<RoundRobinArbiter<groups>, { groups > 1 }>,
    crc: CrcHash<BODY, CRC_BITS, MESSAGE_CRC>,

    /// Group g has a message.
    asking: Sig<Local, groups>,
    /// Group that sends.
    chosen_group: Sig<Local, group_bits>,
    /// Number of the barrier under way of the group that sends.
    chosen_sequence: Sig<Local, BYTE>,
    /// Message without its CRC.
    body: Sig<Local, BODY>,

    kind_field: Field<KIND_LOW, KIND_BITS>,
    group_field: Field<GROUP_LOW, group_bits>,
    number_field: Field<NUMBER_LOW, BYTE>,
    body_field: Field<0, BODY>,
    crc_field: Field<BODY, CRC_BITS>,
    group_bits: Number<{ built.group_bits as usize }>,

    groups: Param<{ built.groups }>,
}

#[kernel]
impl BarrierSender {
    fn update(&mut self) {
        self.choose_group();
        self.choose_message();
        self.send();
    }

    fn choose_group(&mut self) {
        self.asking.next =
            self.complete.val() | self.acknowledge.val() | (self.parent.val() & (self.arrive.val() | self.urge.val()));
        self.sent.next = self.asking.val();
        if let Some(arbiter) = &mut self.arbiter {
            arbiter.request.next = self.asking.val();
            arbiter.take.next = arbiter.grant.val().any();
            self.sent.next = arbiter.grant.val();
        }
        self.chosen_group.next = 0.into();
        self.chosen_sequence.next = 0.into();
        for g in 0..self.groups {
            if self.sent.val().get_bit(g) {
                self.chosen_group.next = self.chosen_group.val() | g;
                self.chosen_sequence.next = self.chosen_sequence.val() | self.sequence_number[g].val();
            }
        }
    }

    /// Which message of the group.
    fn choose_message(&mut self) {
        self.valid.d.next = self.asking.val().any();
        self.message_next.next = self.asking.val().any();
        self.group.d.next = self.chosen_group.val();
        self.number.d.next = self.chosen_sequence.val();
        self.kind.d.next = URGE.into();
        if (self.sent.val() & self.arrive.val()).any() {
            self.kind.d.next = ARRIVAL.into();
        }
        if (self.sent.val() & self.acknowledge.val()).any() {
            self.kind.d.next = ACKNOWLEDGEMENT.into();
        }
        if (self.sent.val() & self.complete.val()).any() {
            self.kind.d.next = COMPLETION.into();
            self.number.d.next = self.chosen_sequence.val() - 1;
        }
    }

    /// The message, with its CRC.
    fn send(&mut self) {
        self.body.next = 0.into();
        self.body.set(self.kind_field.val(), self.kind.q.val());
        self.body.set(self.group_field.val(), self.group.q.val());
        self.body.set(self.number_field.val(), self.number.q.val());
        self.crc.address.next = self.body.val();
        self.message_valid.next = self.valid.q.val();
        self.message.next = 0.into();
        self.message.set(self.body_field.val(), self.body.val());
        self.message.set(self.crc_field.val(), self.crc.index.val());
    }
}

#[cfg(test)]
mod tests;

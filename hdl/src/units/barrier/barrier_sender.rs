//! Barrier sender: chooses the barrier messages that leave by one port, one a cycle.
//!
//! | port | width | meaning |
//! | --- | --- | --- |
//! | `complete`, `acknowledge` | B | group g has a completion, an acknowledgement for this port |
//! | `parent` | B | this port leads to the parent of group g |
//! | `arrive`, `urge` | B | group g has an arrival, an urge for its parent |
//! | `sequence_number` | B x 8 | number of the barrier of group g that is under way |
//! | `sent` | B | the first message that group g has for this port is sent (one-hot, or none) |
//! | `message_valid`, `message` | 1, 32 | the message register is full: this message, which leaves in the next cycle |
//! | `message_next` | 1 | it is full in the next cycle |
//!
//! State: the message register, without CRC; the round robin pointer over groups.
//!
//! Each cycle: a round robin over the groups that have something for this port chooses one; its first message, of the order
//! completion, acknowledgement, arrival, urge, is in the message register in the next cycle. There its CRC is made, on the way to the
//! output register. A group's leaves and its parent are different ports, so it has messages of two kinds for a port at most.
//!
//! Source: switch reference, section 11 (send).

use super::barrier_message::{
    ACKNOWLEDGEMENT, ARRIVAL, BODY, BYTE, COMPLETION, CRC_BITS, GROUP_LOW, KIND_BITS, KIND_LOW, MESSAGE, NUMBER_LOW,
    URGE,
};
use crate::parts::crc_hash::{crc_hash, CrcHash};
use crate::parts::round_robin_arbiter::{round_robin_arbiter, RoundRobinArbiter};
use crate::rtl::prelude::*;
use railyard_spec::barrier::MESSAGE_CRC;
use railyard_spec::BarrierShape;

/// Sends messages by a port; see the head of this file.
#[block]
pub struct BarrierSender {
    pub clock: ClockIn,
    pub reset: Flag<In>,
    pub complete: Sig<In>,
    pub acknowledge: Sig<In>,
    pub parent: Sig<In>,
    pub arrive: Sig<In>,
    pub urge: Sig<In>,
    pub sequence_number: Vec<Sig<In>>,
    pub sent: Sig<Out>,
    pub message_valid: Flag<Out>,
    pub message: Sig<Out>,
    pub message_next: Flag<Out>,

    valid: FlagReg,
    kind: Reg,
    group: Reg,
    number: Reg,
    arbiter: RoundRobinArbiter,
    crc: CrcHash,

    chosen_group: Sig<Local>,
    chosen_sequence: Sig<Local>,
    body: Sig<Local>,

    groups: Param,
    kind_field: Field,
    group_field: Field,
    number_field: Field,
    body_field: Field,
    crc_field: Field,
    about: About,
}

/// The sender of a port.
pub fn barrier_sender(built: &BarrierShape) -> BarrierSender {
    let (groups, group_bits) = (built.groups, built.group_bits as usize);
    BarrierSender {
        clock: clock(),
        reset: flag().doc("synchronous reset, active high"),
        complete: sig(groups).doc("group g has a completion for this port"),
        acknowledge: sig(groups).doc("group g has an acknowledgement for this port"),
        parent: sig(groups).doc("this port leads to the parent of group g"),
        arrive: sig(groups).doc("group g has an arrival for its parent"),
        urge: sig(groups).doc("group g has an urge for its parent"),
        sequence_number: many(groups, || sig(BYTE).doc("number of the barrier of group g that is under way")),
        sent: sig(groups).doc("the first message of group g is sent"),
        message_valid: flag().doc("the message register is full"),
        message: sig(MESSAGE).doc("the message in it"),
        message_next: flag().doc("it is full in the next cycle"),
        valid: flag_reg(false).doc("the message register is full"),
        kind: reg_no_reset(KIND_BITS).doc("kind of its message"),
        group: reg_no_reset(group_bits).doc("group of its message"),
        number: reg_no_reset(BYTE).doc("sequence number of its message"),
        arbiter: round_robin_arbiter(groups),
        crc: crc_hash(BODY, CRC_BITS, MESSAGE_CRC),
        chosen_group: sig(group_bits).doc("the group that sends"),
        chosen_sequence: sig(BYTE).doc("number of its barrier under way"),
        body: sig(BODY).doc("the message without its CRC"),
        groups: param(groups),
        kind_field: field(KIND_LOW, KIND_BITS),
        group_field: field(GROUP_LOW, group_bits),
        number_field: field(NUMBER_LOW, BYTE),
        body_field: field(0, BODY),
        crc_field: field(BODY, CRC_BITS),
        about: about("barrier_sender", "Chooses the barrier messages that leave by one port, one a cycle.")
            .param("groups", groups)
            .constant("ARRIVAL", ARRIVAL)
            .constant("ACKNOWLEDGEMENT", ACKNOWLEDGEMENT)
            .constant("COMPLETION", COMPLETION)
            .constant("URGE", URGE),
    }
}

#[kernel]
impl BarrierSender {
    fn update(&mut self) {
        // Which group.
        self.arbiter.request.next =
            self.complete.val() | self.acknowledge.val() | (self.parent.val() & (self.arrive.val() | self.urge.val()));
        self.arbiter.take.next = self.arbiter.grant.val().any();
        self.sent.next = self.arbiter.grant.val();
        self.chosen_group.next = 0.into();
        self.chosen_sequence.next = 0.into();
        for g in 0..self.groups.val() {
            if self.arbiter.grant.val().get_bit(g) {
                self.chosen_group.next = self.chosen_group.val() | g;
                self.chosen_sequence.next = self.chosen_sequence.val() | self.sequence_number[g].val();
            }
        }

        // Which message of it.
        self.valid.d.next = self.arbiter.request.val().any();
        self.message_next.next = self.arbiter.request.val().any();
        self.group.d.next = self.chosen_group.val();
        self.number.d.next = self.chosen_sequence.val();
        self.kind.d.next = URGE.into();
        if (self.arbiter.grant.val() & self.arrive.val()).any() {
            self.kind.d.next = ARRIVAL.into();
        }
        if (self.arbiter.grant.val() & self.acknowledge.val()).any() {
            self.kind.d.next = ACKNOWLEDGEMENT.into();
        }
        if (self.arbiter.grant.val() & self.complete.val()).any() {
            self.kind.d.next = COMPLETION.into();
            self.number.d.next = self.chosen_sequence.val() - 1;
        }

        // The message.
        self.body.next = 0.into();
        self.body.next = self.body.val().replace_bit(self.kind_field.val(), self.kind.q.val());
        self.body.next = self.body.val().replace_bit(self.group_field.val(), self.group.q.val());
        self.body.next = self.body.val().replace_bit(self.number_field.val(), self.number.q.val());
        self.crc.address.next = self.body.val();
        self.message_valid.next = self.valid.q.val();
        self.message.next = 0.into();
        self.message.next = self.message.val().replace_bit(self.body_field.val(), self.body.val());
        self.message.next = self.message.val().replace_bit(self.crc_field.val(), self.crc.index.val());
    }
}

#[cfg(test)]
mod tests;

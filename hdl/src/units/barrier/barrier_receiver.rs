//! Barrier receiver: takes the barrier messages that come to one port, and says what each does to its group.
//!
//! | port | width | meaning |
//! | --- | --- | --- |
//! | `rx_valid`, `rx_vc`, `rx_head`, `rx_tail` | 1, VC bits, 1, 1 | pins of this port |
//! | `rx_message` | 32 | low bits of its flit |
//! | `active`, `waiting`, `previous` | B | group g is active; awaits its completion; has completed a barrier |
//! | `sequence_number` | B x 8 | number of the barrier of group g that is under way |
//! | `leaf`, `parent` | B | this port is a leaf of group g; it leads to the parent of group g (never of a root) |
//! | `to` | B | the message in the receive register names this group (one-hot, or none; also if there is no message) |
//! | `arrival` | 1 | that group: this port has arrived |
//! | `repetition` | 1 | that group: this port has missed the last completion |
//! | `acknowledgement`, `completion` | 1, 1 | that group: the parent has acknowledged the arrival; all have arrived |
//! | `inactive`, `wrong_port`, `wrong_number` | 1 each | faults of that group |
//! | `clear` | 1 | the faults of the port are cleared |
//! | `corrupt`, `no_group` | 1, 1 | sticky: the port's faults |
//!
//! State: the receive register; the sticky faults.
//!
//! Each cycle, side by side: the CRC of the message is checked, and the state of the group that it names selected, by AND-OR; then
//! its number is compared. At most one of the seven outputs from `arrival` to `wrong_number` is 1.
//!
//! Source: switch reference, section 11 (receive); seed 004 sections 4.2 and 4.3.

use super::barrier_message::{
    ACKNOWLEDGEMENT, ARRIVAL, BODY, BYTE, COMPLETION, CRC_BITS, GROUP_LOW, KIND_LOW, MESSAGE, NUMBER_LOW, URGE,
};
use crate::parts::crc_hash::{crc_hash, CrcHash};
use crate::parts::sticky_flags::{sticky_flags, StickyFlags};
use crate::rtl::prelude::*;
use railyard_spec::barrier::MESSAGE_CRC;
use railyard_spec::{BarrierShape, Shape};

/// Takes messages at a port; see the head of this file.
#[block]
pub struct BarrierReceiver {
    pub clock: ClockIn,
    pub reset: Flag<In>,
    pub rx_valid: Flag<In>,
    pub rx_vc: Sig<In>,
    pub rx_head: Flag<In>,
    pub rx_tail: Flag<In>,
    pub rx_message: Sig<In>,
    pub active: Sig<In>,
    pub waiting: Sig<In>,
    pub previous: Sig<In>,
    pub sequence_number: Vec<Sig<In>>,
    pub leaf: Sig<In>,
    pub parent: Sig<In>,
    pub to: Sig<Out>,
    pub arrival: Flag<Out>,
    pub repetition: Flag<Out>,
    pub acknowledgement: Flag<Out>,
    pub completion: Flag<Out>,
    pub inactive: Flag<Out>,
    pub wrong_port: Flag<Out>,
    pub wrong_number: Flag<Out>,
    pub clear: Flag<In>,
    pub corrupt: Flag<Out>,
    pub no_group: Flag<Out>,

    valid: FlagReg,
    whole: FlagReg,
    word: Reg,
    crc: CrcHash,
    faults: StickyFlags,

    kind: Sig<Local>,
    group: Sig<Local>,
    number: Sig<Local>,
    is_arrival: Flag<Local>,
    is_acknowledgement: Flag<Local>,
    is_completion: Flag<Local>,
    is_urge: Flag<Local>,
    intact: Flag<Local>,
    named: Sig<Local>,
    expected: Sig<Local>,
    is_active: Flag<Local>,
    is_waiting: Flag<Local>,
    from_child: Flag<Local>,
    from_parent: Flag<Local>,
    current: Flag<Local>,
    last: Flag<Local>,
    taken: Flag<Local>,
    upward: Flag<Local>,
    downward: Flag<Local>,
    raise: Sig<Local>,

    groups: Param,
    barrier_vc: Param,
    body_field: Field,
    kind_field: Field,
    group_field: Field,
    number_field: Field,
    crc_field: Field,
    about: About,
}

/// The receiver of a port.
pub fn barrier_receiver(shape: &Shape, built: &BarrierShape) -> BarrierReceiver {
    let groups = built.groups;
    let doc = "Takes the barrier messages that come to one port, and says what each does to its group.";
    BarrierReceiver {
        clock: clock(),
        reset: flag().doc("synchronous reset, active high"),
        rx_valid: flag().doc("a flit arrives"),
        rx_vc: sig(shape.vc_bits as usize).doc("its virtual channel"),
        rx_head: flag().doc("it is the first of a packet"),
        rx_tail: flag().doc("it is the last of a packet"),
        rx_message: sig(MESSAGE).doc("its low bits"),
        active: sig(groups).doc("group g is active"),
        waiting: sig(groups).doc("group g awaits its completion"),
        previous: sig(groups).doc("group g has completed a barrier"),
        sequence_number: many(groups, || sig(BYTE).doc("number of the barrier of group g that is under way")),
        leaf: sig(groups).doc("this port is a leaf of group g"),
        parent: sig(groups).doc("this port leads to the parent of group g"),
        to: sig(groups).doc("the message names group g"),
        arrival: flag().doc("it says that this port has arrived"),
        repetition: flag().doc("it says that this port has missed the last completion"),
        acknowledgement: flag().doc("it says that the parent has acknowledged the arrival"),
        completion: flag().doc("it says that all have arrived"),
        inactive: flag().doc("fault: the group is not active"),
        wrong_port: flag().doc("fault: it cannot come by this port"),
        wrong_number: flag().doc("fault: it cannot have this number"),
        clear: flag().doc("the faults of the port are cleared"),
        corrupt: flag().doc("sticky: a message came with a wrong CRC, of no kind, or not as a packet of one flit"),
        no_group: flag().doc("sticky: a message came for a group that is not built"),
        valid: flag_reg(false).doc("there is a message in the receive register"),
        whole: flag_reg_no_reset().doc("it is a packet of one flit"),
        word: reg_no_reset(MESSAGE).doc("its bits"),
        crc: crc_hash(BODY, CRC_BITS, MESSAGE_CRC),
        faults: sticky_flags(2),
        kind: sig(BYTE).doc("kind of the message"),
        group: sig(BYTE).doc("group of the message"),
        number: sig(BYTE).doc("sequence number of the message"),
        is_arrival: flag().doc("it is an arrival"),
        is_acknowledgement: flag().doc("it is an acknowledgement"),
        is_completion: flag().doc("it is a completion"),
        is_urge: flag().doc("it is an urge"),
        intact: flag().doc("there is a message, and it is not corrupt"),
        named: sig(groups).doc("its group, one-hot"),
        expected: sig(BYTE).doc("number of the barrier of its group that is under way"),
        is_active: flag().doc("its group is active"),
        is_waiting: flag().doc("its group awaits its completion"),
        from_child: flag().doc("this port is a leaf of its group"),
        from_parent: flag().doc("this port leads to the parent of its group"),
        current: flag().doc("it is about the barrier under way"),
        last: flag().doc("it is about the barrier before"),
        taken: flag().doc("it is intact, and its group is active"),
        upward: flag().doc("it goes up the tree, and comes from a leaf"),
        downward: flag().doc("it goes down the tree, and comes from the parent"),
        raise: sig(2).doc("faults of this cycle: no_group, corrupt"),
        groups: param(groups),
        barrier_vc: param(built.vc),
        body_field: field(0, BODY),
        kind_field: field(KIND_LOW, BYTE),
        group_field: field(GROUP_LOW, BYTE),
        number_field: field(NUMBER_LOW, BYTE),
        crc_field: field(BODY, CRC_BITS),
        about: about("barrier_receiver", doc)
            .param("groups", groups)
            .param("barrier_vc", built.vc)
            .constant("ARRIVAL", ARRIVAL)
            .constant("ACKNOWLEDGEMENT", ACKNOWLEDGEMENT)
            .constant("COMPLETION", COMPLETION)
            .constant("URGE", URGE),
    }
}

#[kernel]
impl BarrierReceiver {
    fn update(&mut self) {
        self.valid.d.next = self.rx_valid.val() & (self.rx_vc.val() == self.barrier_vc.val());
        self.whole.d.next = self.rx_head.val() & self.rx_tail.val();
        self.word.d.next = self.rx_message.val();

        // The message.
        self.kind.next = self.word.q.val() >> self.kind_field.val();
        self.group.next = self.word.q.val() >> self.group_field.val();
        self.number.next = self.word.q.val() >> self.number_field.val();
        self.is_arrival.next = self.kind.val() == ARRIVAL;
        self.is_acknowledgement.next = self.kind.val() == ACKNOWLEDGEMENT;
        self.is_completion.next = self.kind.val() == COMPLETION;
        self.is_urge.next = self.kind.val() == URGE;
        self.crc.address.next = self.word.q.val() >> self.body_field.val();
        self.intact.next = self.valid.q.val()
            & self.whole.q.val()
            & (self.is_arrival.val() | self.is_acknowledgement.val() | self.is_completion.val() | self.is_urge.val())
            & ((self.word.q.val() >> self.crc_field.val()) == self.crc.index.val());

        // The state of its group.
        self.named.next = 0.into();
        self.expected.next = 0.into();
        for g in 0..self.groups.val() {
            self.named.next = self.named.val().replace_bit(g, self.group.val() == g);
            if self.group.val() == g {
                self.expected.next = self.expected.val() | self.sequence_number[g].val();
            }
        }
        self.is_active.next = (self.active.val() & self.named.val()).any();
        self.is_waiting.next = (self.waiting.val() & self.named.val()).any();
        self.from_child.next = (self.leaf.val() & self.named.val()).any();
        self.from_parent.next = (self.parent.val() & self.named.val()).any();
        self.current.next = self.number.val() == self.expected.val();
        self.last.next =
            ((self.number.val() + 1) == self.expected.val()) & (self.previous.val() & self.named.val()).any();

        // What it does.
        self.taken.next = self.intact.val() & self.is_active.val();
        self.upward.next = self.taken.val() & self.from_child.val() & (self.is_arrival.val() | self.is_urge.val());
        self.downward.next =
            self.taken.val() & self.from_parent.val() & (self.is_acknowledgement.val() | self.is_completion.val());
        self.to.next = self.named.val();
        self.arrival.next = self.upward.val() & self.is_arrival.val() & self.current.val();
        self.repetition.next = self.upward.val() & self.last.val();
        self.acknowledgement.next =
            self.downward.val() & self.is_acknowledgement.val() & self.current.val() & self.is_waiting.val();
        self.completion.next =
            self.downward.val() & self.is_completion.val() & self.current.val() & self.is_waiting.val();

        // Its faults.
        self.inactive.next = self.intact.val() & self.named.val().any() & !self.is_active.val();
        self.wrong_port.next = self.taken.val() & !self.upward.val() & !self.downward.val();
        self.wrong_number.next = (self.upward.val() & !self.current.val() & !self.last.val())
            | (self.downward.val() & !(self.current.val() & self.is_waiting.val()) & !self.last.val());
        self.raise.next = 0.into();
        self.raise.next = self.raise.val().replace_bit(0, self.valid.q.val() & !self.intact.val());
        self.raise.next = self.raise.val().replace_bit(1, self.intact.val() & !self.named.val().any());
        self.faults.raise.next = self.raise.val();
        self.faults.clear.next = self.clear.val();
        self.corrupt.next = self.faults.flags.val().get_bit(0);
        self.no_group.next = self.faults.flags.val().get_bit(1);
    }
}

#[cfg(test)]
mod tests;

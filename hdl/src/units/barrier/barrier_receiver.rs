//! Barrier receiver: takes the barrier messages that come to one port, and says what each does to its group.
//!
//! State: the receive register; the sticky faults.
//!
//! Each cycle, side by side: the CRC of the message is checked, and the state of the group that it names selected, by
//! AND-OR; then its number is compared. At most one of the seven outputs from `arrival` to `wrong_number` is 1.
//!
//! Source: switch reference, section 11 (receive); Cao2016, 4.2 and 4.3.

use crate::units::prelude::*;
use railyard_spec::barrier::MESSAGE_CRC;

/// Takes the barrier messages that come to one port, and says what each does to its group.
#[block(shape: &Shape, built: &BarrierShape)]
pub struct BarrierReceiver {
    pub clock: ClockIn,
    pub reset: Flag<In>,
    pub rx: MessagePins<In, shape>,
    /// Group g is active.
    pub active: Sig<In, groups>,
    /// Group g waits for its completion.
    pub waiting: Sig<In, groups>,
    /// Group g has completed a barrier.
    pub previous: Sig<In, groups>,
    /// Number of the barrier of group g that is under way.
    pub sequence_number: Vec<Sig<In, BYTE>, groups>,
    /// The port is a leaf of group g.
    pub leaf: Sig<In, groups>,
    /// The port leads to the parent of group g.
    pub parent: Sig<In, groups>,
    /// The message names group g.
    pub to: Sig<Out, groups>,
    /// The message says that the port has arrived.
    pub arrival: Flag<Out>,
    /// The message says that the port has missed the last completion.
    pub repetition: Flag<Out>,
    /// The message says that the parent has acknowledged the arrival.
    pub acknowledgement: Flag<Out>,
    /// The message says that all have arrived.
    pub completion: Flag<Out>,
    /// Fault: the group is not active.
    pub inactive: Flag<Out>,
    /// Fault: the message cannot come by the port.
    pub wrong_port: Flag<Out>,
    /// Fault: the message cannot have its number.
    pub wrong_number: Flag<Out>,
    /// The faults of the port are cleared.
    pub clear: Flag<In>,
    /// Sticky: a message came with a wrong CRC, of no kind, or not as a packet of one flit.
    pub corrupt: Flag<Out>,
    /// Sticky: a message came for a group that is not built.
    pub no_group: Flag<Out>,
    /// The message in the receive register is a fault of the port or of its group.
    pub faulty: Option<Flag<Out>, { shape.events }>,

    /// The receive register holds a message.
    valid: FlagReg,
    /// The message is a packet of one flit.
    whole: FlagReg<NoReset>,
    /// Bits of the message.
    word: Reg<MESSAGE, NoReset>,
    crc: CrcHash<BODY, CRC_BITS, MESSAGE_CRC>,
    faults: StickyFlags<2>,

    /// Kind of the message.
    kind: Sig<Local, BYTE>,
    /// Group of the message.
    group: Sig<Local, BYTE>,
    /// Sequence number of the message.
    number: Sig<Local, BYTE>,
    /// The message is an arrival.
    is_arrival: Flag<Local>,
    /// The message is an acknowledgement.
    is_acknowledgement: Flag<Local>,
    /// The message is a completion.
    is_completion: Flag<Local>,
    /// The message is an urge.
    is_urge: Flag<Local>,
    /// The receive register holds a message that is not corrupt.
    intact: Flag<Local>,
    /// Group of the message, one-hot.
    named: Sig<Local, groups>,
    /// Number of the barrier of the message's group that is under way.
    expected: Sig<Local, BYTE>,
    /// The message's group is active.
    is_active: Flag<Local>,
    /// The message's group waits for its completion.
    is_waiting: Flag<Local>,
    /// The port is a leaf of the message's group.
    from_child: Flag<Local>,
    /// The port leads to the parent of the message's group.
    from_parent: Flag<Local>,
    /// The message is about the barrier under way.
    current: Flag<Local>,
    /// The message is about the barrier before the one under way.
    last: Flag<Local>,
    /// The message is intact, and its group is active.
    taken: Flag<Local>,
    /// The message goes up the tree, and comes from a leaf.
    upward: Flag<Local>,
    /// The message goes down the tree, and comes from the parent.
    downward: Flag<Local>,
    /// Faults of the current cycle: no_group, corrupt.
    raise: Sig<Local, 2>,

    body_field: Field<0, BODY>,
    kind_field: Field<KIND_LOW, BYTE>,
    group_field: Field<GROUP_LOW, BYTE>,
    number_field: Field<NUMBER_LOW, BYTE>,
    crc_field: Field<BODY, CRC_BITS>,

    groups: Param<{ built.groups }>,
    barrier_vc: Param<{ built.vc }>,
}

#[kernel]
impl BarrierReceiver {
    fn update(&mut self) {
        self.valid.d.next = self.rx.valid.val() & (self.rx.vc.val() == self.barrier_vc);
        self.whole.d.next = self.rx.head.val() & self.rx.tail.val();
        self.word.d.next = self.rx.message.val();
        self.read();
        self.find_group();
        self.act();
        self.report();
    }

    /// The message.
    fn read(&mut self) {
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
    }

    /// The state of its group.
    fn find_group(&mut self) {
        self.named.next = 0.into();
        self.expected.next = 0.into();
        for g in 0..self.groups {
            self.named.set(g, self.group.val() == g);
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
    }

    /// What it does.
    fn act(&mut self) {
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
    }

    /// Its faults.
    fn report(&mut self) {
        self.inactive.next = self.intact.val() & self.named.val().any() & !self.is_active.val();
        self.wrong_port.next = self.taken.val() & !self.upward.val() & !self.downward.val();
        self.wrong_number.next = (self.upward.val() & !self.current.val() & !self.last.val())
            | (self.downward.val() & !(self.current.val() & self.is_waiting.val()) & !self.last.val());
        self.raise.next = 0.into();
        self.raise.set(0, self.valid.q.val() & !self.intact.val());
        self.raise.set(1, self.intact.val() & !self.named.val().any());
        self.faults.raise.next = self.raise.val();
        if let Some(faulty) = &mut self.faulty {
            faulty.next =
                self.raise.val().any() | self.inactive.val() | self.wrong_port.val() | self.wrong_number.val();
        }
        self.faults.clear.next = self.clear.val();
        self.corrupt.next = self.faults.flags.val().get_bit(0);
        self.no_group.next = self.faults.flags.val().get_bit(1);
    }
}

#[cfg(test)]
mod tests;

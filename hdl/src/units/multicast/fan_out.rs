//! Fan-out of a port: the group table, and the register behind the head of the mixed VC in which a multicast packet
//! waits for its outputs.
//!
//! State: the fan-out register (`vacant`, `reading`, `waits`, `to_drop`: exactly one of the four; `fan_out`), the group
//! table, a memory of K words, and its sweep counter.
//!
//! Each cycle: the result of a unicast packet at the head passes through. A multicast packet goes into the fan-out
//! register, if the register is vacant or its packet leaves, and if the table is not written. In the next cycle the
//! word of the table is the fan-out. Without loopback the own port is taken out of the fan-out. A packet without
//! outputs is dropped. While the register holds a packet, no result passes. `start` and the grant of a `request` come
//! late in the cycle, and both take the head. The connection joins them with `take_now` and `follows`.
//!
//! The sweep writes zero to one word after the other, for K + 1 cycles. The last cycle writes nothing, so that no word
//! is read while it is written. Words that are read before the end of the sweep count as zero. So do words with wrong
//! parity, if there is parity.
//!
//! Source: switch reference, sections 5.2 and 13; Cao2016, 5.1.

use crate::units::prelude::*;

/// Which port this is; writes to its group table, and the sweep after reset.
#[bundle(shape: &Shape, built: &MulticastShape)]
pub struct GroupTable<D: Side> {
    /// Number of the port.
    pub own_port: Sig<D, { shape.port_bits as usize }>,
    /// An entry of the group table is written.
    pub write: Flag<D>,
    /// Group of the entry that is written.
    pub write_group: Sig<D, { built.group_bits as usize }>,
    /// Entry to write: loopback, mask of outputs.
    pub write_entry: Sig<D, { shape.ports + 1 }>,
    /// The group table is being emptied.
    pub sweeping: Flag<Opposite<D>>,
}

/// Bits of a word: loopback, mask, and with parity the parity bit.
pub fn group_word_bits(shape: &Shape, built: &MulticastShape) -> usize {
    shape.ports + 1 + usize::from(built.parity.is_some())
}

/// Whether there is a pin that inverts stored bits.
pub fn has_group_flip(built: &MulticastShape) -> bool {
    built.parity.is_some_and(|word| word.fault_pins)
}

/// Group table of a port, and the register in which a multicast packet waits for its outputs.
#[block(shape: &Shape, built: &MulticastShape)]
pub struct FanOut {
    pub clock: ClockIn,
    pub reset: Flag<In>,
    /// The result of the mixed VC's oldest packet is drop.
    pub head_drop: Flag<In>,
    /// Output port of the mixed VC's oldest packet, one-hot.
    pub head_request: Sig<In, ports>,
    /// The mixed VC's oldest packet is a multicast packet.
    pub head_multicast: Flag<In>,
    /// Group of the mixed VC's oldest packet.
    pub head_group: Sig<In, { built.group_bits as usize }>,
    /// The head is taken, whatever is granted or starts.
    pub take_now: Flag<Out>,
    /// The head is taken if the multicast packet starts.
    pub follows: Flag<Out>,
    /// The VC's next packet is dropped.
    pub drop_now: Flag<Out>,
    /// Output port by which the VC's next packet leaves, one-hot.
    pub request: Sig<Out, ports>,
    /// The VC's next packet is a multicast packet that waits for its outputs.
    pub waiting: Flag<Out>,
    /// Outputs for which the multicast packet waits.
    pub outputs: Sig<Out, ports>,
    /// The VC may be connected anew, and a drop is taken at once.
    pub may_connect: Flag<In>,
    /// The multicast packet is connected to all its outputs.
    pub start: Flag<In>,
    pub table: Bare<GroupTable<In, shape, built>>,
    /// Bit of the word that is stored inverted.
    pub flip: Option<Sig<In, word_bits>, { has_group_flip(built) }>,
    /// The packet that was read last had a word with wrong parity.
    pub group_parity: Option<Flag<Out>, { built.parity.is_some() }>,

    /// The fan-out register is empty.
    vacant: FlagReg<true>,
    /// The fan-out of the packet in the fan-out register is read.
    reading: FlagReg,
    /// The packet in the fan-out register waits for its outputs.
    waits: FlagReg,
    /// The packet in the fan-out register has no outputs and is dropped.
    to_drop: FlagReg,
    /// Outputs of the packet in the fan-out register.
    fan_out: Reg<ports, NoReset>,
    /// Sweep counter; groups + 1 when the sweep is over.
    sweep: Reg<{ clog2(groups + 2) }>,
    /// The packet that was read last had a word with wrong parity.
    faulty: Option<FlagReg, { built.parity.is_some() }>,
    group_table: Ram<groups, word_bits>,

    /// The head can be loaded into the fan-out register.
    loadable: Flag<Local>,
    /// The packet without outputs is dropped.
    dropped: Flag<Local>,
    /// The packet leaves the fan-out register.
    let_go: Flag<Local>,
    /// The fan-out register is loaded from the head.
    load: Flag<Local>,
    /// Outputs in the table, with or without the own port.
    read_mask: Sig<Local, ports>,
    /// The sweep writes in this cycle.
    clearing: Flag<Local>,
    /// The sweep after reset is under way, and all entries count as zero.
    is_sweeping: Flag<Local>,
    /// Word to write, with its parity bit.
    write_even: Option<Sig<Local, word_bits>, { built.parity.is_some() }>,
    /// The word that was read has wrong parity.
    wrong: Option<Flag<Local>, { built.parity.is_some() }>,

    parity_bit: Number<{ ports + 1 }>,
    word_bits: Number<{ group_word_bits(shape, built) }>,
    loopback_bit: Number<ports>,
    mask_field: Field<0, ports>,

    ports: Param<{ shape.ports }>,
    groups: Param<{ built.groups }>,
}

#[kernel]
impl FanOut {
    fn update(&mut self) {
        self.pass();
        self.wait();
        self.read();
        self.check_parity();
        self.hold();
        self.look_up();
        self.write_parity();
        self.state_properties();
    }

    /// What goes by.
    fn pass(&mut self) {
        self.drop_now.next = self.to_drop.q.val() | (self.vacant.q.val() & self.head_drop.val());
        self.request.next = 0.into();
        if self.vacant.q.val() {
            self.request.next = self.head_request.val();
        }
    }

    /// The fan-out register.
    fn wait(&mut self) {
        self.loadable.next = self.head_multicast.val() & !self.table.write.val();
        self.dropped.next = self.may_connect.val() & self.to_drop.q.val();
        self.let_go.next = self.start.val() | self.dropped.val();
        self.load.next = self.loadable.val() & (self.vacant.q.val() | self.let_go.val());
        self.take_now.next = (self.loadable.val() & (self.vacant.q.val() | self.dropped.val()))
            | (self.vacant.q.val() & self.may_connect.val() & self.head_drop.val());
        self.follows.next = self.loadable.val();
        self.reading.d.next = self.load.val();
        if self.load.val() {
            self.vacant.d.next = false;
        } else if self.let_go.val() {
            self.vacant.d.next = true;
        }
    }

    /// The fan-out in the table.
    fn read(&mut self) {
        self.read_mask.next = self.group_table.read_data.val() >> self.mask_field.val();
        for o in 0..self.ports {
            if (self.table.own_port.val() == o) & !self.group_table.read_data.val().get_bit(self.loopback_bit) {
                self.read_mask.set(o, false);
            }
        }
        if self.is_sweeping.val() {
            self.read_mask.next = 0.into();
        }
    }

    /// A word with wrong parity has no outputs.
    fn check_parity(&mut self) {
        if let (Some(wrong), Some(faulty), Some(pin)) = (&mut self.wrong, &mut self.faulty, &mut self.group_parity) {
            wrong.next = self.group_table.read_data.val().xor();
            if wrong.val() {
                self.read_mask.next = 0.into();
            }
            faulty.d.next = self.reading.q.val() & wrong.val() & !self.is_sweeping.val();
            pin.next = faulty.q.val();
        }
    }

    /// The fan-out of the packet in the register.
    fn hold(&mut self) {
        if self.reading.q.val() {
            self.fan_out.d.next = self.read_mask.val();
            self.waits.d.next = self.read_mask.val().any();
            self.to_drop.d.next = !self.read_mask.val().any();
        } else if self.let_go.val() {
            self.waits.d.next = false;
            self.to_drop.d.next = false;
        }
        self.waiting.next = self.waits.q.val();
        self.outputs.next = self.fan_out.q.val();
    }

    /// The group table.
    fn look_up(&mut self) {
        self.clearing.next = self.sweep.q.val() < self.groups;
        self.is_sweeping.next = self.sweep.q.val() <= self.groups;
        self.table.sweeping.next = self.is_sweeping.val();
        if self.is_sweeping.val() {
            self.sweep.d.next = self.sweep.q.val() + 1;
        }
        self.group_table.read_enable.next = self.loadable.val();
        self.group_table.read_address.next = self.head_group.val();
        self.group_table.write_enable.next = self.clearing.val() | self.table.write.val();
        self.group_table.write_address.next = self.table.write_group.val();
        self.group_table.write_data.next = unsigned_cast(self.table.write_entry.val());
        if self.clearing.val() {
            self.group_table.write_address.next = unsigned_cast(self.sweep.q.val());
            self.group_table.write_data.next = 0.into();
        }
    }

    /// The parity bit of what is written; zeros have the right one.
    fn write_parity(&mut self) {
        if let Some(write_even) = &mut self.write_even {
            write_even.next = unsigned_cast(self.table.write_entry.val());
            write_even.set(self.parity_bit, self.table.write_entry.val().xor());
            if let Some(flip) = &self.flip {
                write_even.next = write_even.val() ^ flip.val();
            }
            if self.clearing.val() {
                write_even.next = 0.into();
            }
            self.group_table.write_data.next = write_even.val();
        }
    }

    /// What holds in each cycle.
    fn state_properties(&self) {
        assert!(
            self.vacant.q.val() | self.reading.q.val() | self.waits.q.val() | self.to_drop.q.val(),
            "the fan-out register has a state"
        );
        assert!(
            !((self.vacant.q.val() & (self.reading.q.val() | self.waits.q.val() | self.to_drop.q.val()))
                | (self.reading.q.val() & (self.waits.q.val() | self.to_drop.q.val()))
                | (self.waits.q.val() & self.to_drop.q.val())),
            "the fan-out register has one state at a time"
        );
        if self.waits.q.val() {
            assert!(self.fan_out.q.val().any(), "a multicast packet that waits has outputs");
        }
        if self.start.val() {
            assert!(self.waits.q.val(), "a multicast packet starts only while it waits");
        }
    }
}

#[cfg(test)]
mod tests;

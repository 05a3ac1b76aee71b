//! Fan-out of a port: the group table, and the register behind the head of the mixed VC in which a multicast packet waits for its outputs.
//!
//! State: the fan-out register (`vacant`, `reading`, `waits`, `to_drop`: exactly one of the four; `fan_out`), the group table, a memory of K
//! words, and its sweep counter.
//!
//! Each cycle: what is at the head goes by, unless it is a multicast packet's: that goes into the fan-out register, if it is vacant or let go
//! and the table is not written. The cycle behind, the table's word is there, and becomes the fan-out, without this port if the group has no
//! loopback; a packet without outputs is dropped. While there is one, nothing goes by. `start` comes late, and so
//! does the grant of a `request`, with which the head is taken, too: the connection joins them with `take_now` and `follows`.
//!
//! The sweep writes zero to one word after the other, for K + 1 cycles; the last of them writes nothing, so that what is read in it is not
//! just being written. What is read before it counts as zero.
//!
//! Source: switch reference, section 5.2; seed 004 section 5.1.

use crate::rtl::prelude::*;
use railyard_spec::{MulticastShape, Shape};

/// Which port this is; writes to its group table, and the sweep after reset.
#[bundle]
pub struct GroupTable<D: Side> {
    /// this port
    pub own_port: Sig<D>,
    /// an entry of the group table is written
    pub write: Flag<D>,
    /// that of this group
    pub write_group: Sig<D>,
    /// loopback, mask of outputs
    pub write_entry: Sig<D>,
    /// the group table is being emptied
    pub sweeping: Flag<Opposite<D>>,
}

/// [`GroupTable`] of a port of a switch of the given shape.
pub fn group_table<D: Side>(shape: &Shape, built: &MulticastShape) -> GroupTable<D> {
    GroupTable {
        own_port: sig(shape.port_bits as usize),
        write_group: sig(built.group_bits as usize),
        write_entry: sig(shape.ports + 1),
        ..GroupTable::plain()
    }
}

/// Group table of a port, and the register in which a multicast packet waits for its outputs.
#[block]
pub struct FanOut {
    pub clock: ClockIn,
    pub reset: Flag<In>,
    /// the mixed VC's oldest packet has a result: drop
    pub head_drop: Flag<In>,
    /// or this output port, one-hot
    pub head_request: Sig<In>,
    /// or it is a multicast packet
    pub head_multicast: Flag<In>,
    /// of this group
    pub head_group: Sig<In>,
    /// it is taken, whatever is granted or starts
    pub take_now: Flag<Out>,
    /// it is taken if the multicast packet starts
    pub follows: Flag<Out>,
    /// the VC's next packet is dropped
    pub drop_now: Flag<Out>,
    /// or it leaves by this output port, one-hot
    pub request: Sig<Out>,
    /// or it is a multicast packet that waits for its outputs
    pub waiting: Flag<Out>,
    /// these
    pub outputs: Sig<Out>,
    /// the VC may be connected anew: a drop is taken at once
    pub may_connect: Flag<In>,
    /// it is connected to all its outputs
    pub start: Flag<In>,
    #[bare]
    pub table: GroupTable<In>,

    /// fan-out register: empty
    vacant: FlagReg,
    /// fan-out register: its fan-out is read
    reading: FlagReg,
    /// fan-out register: waits for its outputs
    waits: FlagReg,
    /// fan-out register: has no outputs, is dropped
    to_drop: FlagReg,
    /// fan-out register: its outputs
    fan_out: Reg,
    /// sweep counter: groups + 1 when the sweep is over
    sweep: Reg,
    group_table: Ram,

    /// at the head is what the fan-out register can be loaded with
    loadable: Flag<Local>,
    /// the packet without outputs is dropped
    dropped: Flag<Local>,
    /// the fan-out register is let go
    let_go: Flag<Local>,
    /// it is loaded from the head
    load: Flag<Local>,
    /// outputs that the table has, with or without this port
    read_mask: Sig<Local>,
    /// the sweep writes in this cycle
    clearing: Flag<Local>,
    /// after reset: all entries count as zero
    is_sweeping: Flag<Local>,

    loopback_bit: usize,
    mask_field: Field,

    #[param]
    ports: usize,
    #[param]
    groups: usize,
}

/// The fan-out of a port of a switch of the given shape, which has multicast built in.
pub fn fan_out(shape: &Shape, built: &MulticastShape) -> FanOut {
    let (n, groups, group_bits) = (shape.ports, built.groups, built.group_bits as usize);
    FanOut {
        head_request: sig(n),
        head_group: sig(group_bits),
        request: sig(n),
        outputs: sig(n),
        table: group_table(shape, built),
        vacant: flag_reg(true),
        fan_out: reg_no_reset(n),
        sweep: reg(clog2(groups + 2), 0u8),
        group_table: ram(groups, n + 1),
        read_mask: sig(n),
        loopback_bit: n,
        mask_field: field(0, n),
        ports: n,
        groups,
        ..FanOut::plain()
    }
}

#[kernel]
impl FanOut {
    fn update(&mut self) {
        self.pass();
        self.wait();
        self.look_up();
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
        self.read_mask.next = self.group_table.read_data.val() >> self.mask_field.val();
        for o in 0..self.ports {
            if (self.table.own_port.val() == o) & !self.group_table.read_data.val().get_bit(self.loopback_bit) {
                self.read_mask.next = self.read_mask.val().replace_bit(o, false);
            }
        }
        if self.is_sweeping.val() {
            self.read_mask.next = 0.into();
        }
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
        self.group_table.read_address.next = self.head_group.val();
        self.group_table.write_enable.next = self.clearing.val() | self.table.write.val();
        self.group_table.write_address.next = self.table.write_group.val();
        self.group_table.write_data.next = self.table.write_entry.val();
        if self.clearing.val() {
            self.group_table.write_address.next = unsigned_cast(self.sweep.q.val());
            self.group_table.write_data.next = 0.into();
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

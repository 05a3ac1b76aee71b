//! Fan-out of a port: the group table, and the register behind the head of the mixed VC in which a multicast packet waits for its outputs.
//!
//! | port | width | meaning |
//! | --- | --- | --- |
//! | `head_drop`, `head_request` | 1, N | oldest result of the mixed VC: drop, or an output port (one-hot) |
//! | `head_multicast`, `head_group` | 1, group bits | or it is a multicast packet's, of this group |
//! | `take_now` | 1 | it is taken, whatever is granted or starts |
//! | `follows` | 1 | it is taken if the multicast packet starts |
//! | `drop_now`, `request` | 1, N | the VC's next packet: drop, or an output port (one-hot) |
//! | `waiting`, `outputs` | 1, N | or a multicast packet, with these outputs (only while `waiting`) |
//! | `may_connect` | 1 | the VC is not active or is finishing: what is to be dropped is taken at once |
//! | `start` | 1 | the multicast packet is connected to all its outputs (only while `waiting`) |
//! | `own_port` | port bits | this port (a constant) |
//! | `write`, `write_group`, `write_entry` | 1, group bits, N + 1 | the group table's entry of this group is written: {loopback, mask} |
//! | `sweeping` | 1 | the group table is being emptied, after reset |
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

/// Group table and fan-out register; see the head of this file.
#[block]
pub struct FanOut {
    pub clock: ClockIn,
    pub reset: Flag<In>,
    pub head_drop: Flag<In>,
    pub head_request: Sig<In>,
    pub head_multicast: Flag<In>,
    pub head_group: Sig<In>,
    pub take_now: Flag<Out>,
    pub follows: Flag<Out>,
    pub drop_now: Flag<Out>,
    pub request: Sig<Out>,
    pub waiting: Flag<Out>,
    pub outputs: Sig<Out>,
    pub may_connect: Flag<In>,
    pub start: Flag<In>,
    pub own_port: Sig<In>,
    pub write: Flag<In>,
    pub write_group: Sig<In>,
    pub write_entry: Sig<In>,
    pub sweeping: Flag<Out>,

    vacant: FlagReg,
    reading: FlagReg,
    waits: FlagReg,
    to_drop: FlagReg,
    fan_out: Reg,
    sweep: Reg,
    group_table: Ram,

    loadable: Flag<Local>,
    dropped: Flag<Local>,
    let_go: Flag<Local>,
    load: Flag<Local>,
    read_mask: Sig<Local>,
    clearing: Flag<Local>,
    is_sweeping: Flag<Local>,

    ports: Param,
    groups: Param,
    loopback_bit: Param,
    mask_field: Field,
    about: About,
}

/// The fan-out of a port of a switch of the given shape, which has multicast built in.
pub fn fan_out(shape: &Shape, built: &MulticastShape) -> FanOut {
    let (n, port_bits, groups, group_bits) =
        (shape.ports, shape.port_bits as usize, built.groups, built.group_bits as usize);
    let doc = "Group table of a port, and the register in which a multicast packet waits for its outputs.";
    FanOut {
        clock: clock(),
        reset: flag().doc("synchronous reset, active high"),
        head_drop: flag().doc("the mixed VC's oldest packet has a result: drop"),
        head_request: sig(n).doc("or this output port, one-hot"),
        head_multicast: flag().doc("or it is a multicast packet"),
        head_group: sig(group_bits).doc("of this group"),
        take_now: flag().doc("it is taken, whatever is granted or starts"),
        follows: flag().doc("it is taken if the multicast packet starts"),
        drop_now: flag().doc("the VC's next packet is dropped"),
        request: sig(n).doc("or it leaves by this output port, one-hot"),
        waiting: flag().doc("or it is a multicast packet that waits for its outputs"),
        outputs: sig(n).doc("these"),
        may_connect: flag().doc("the VC may be connected anew: a drop is taken at once"),
        start: flag().doc("it is connected to all its outputs"),
        own_port: sig(port_bits).doc("this port"),
        write: flag().doc("an entry of the group table is written"),
        write_group: sig(group_bits).doc("that of this group"),
        write_entry: sig(n + 1).doc("loopback, mask of outputs"),
        sweeping: flag().doc("the group table is being emptied"),
        vacant: flag_reg(true).doc("fan-out register: empty"),
        reading: flag_reg(false).doc("fan-out register: its fan-out is read"),
        waits: flag_reg(false).doc("fan-out register: waits for its outputs"),
        to_drop: flag_reg(false).doc("fan-out register: has no outputs, is dropped"),
        fan_out: reg_no_reset(n).doc("fan-out register: its outputs"),
        sweep: reg(clog2(groups + 2), 0u8).doc("sweep counter: groups + 1 when the sweep is over"),
        group_table: ram(groups, n + 1),
        loadable: flag().doc("at the head is what the fan-out register can be loaded with"),
        dropped: flag().doc("the packet without outputs is dropped"),
        let_go: flag().doc("the fan-out register is let go"),
        load: flag().doc("it is loaded from the head"),
        read_mask: sig(n).doc("outputs that the table has, with or without this port"),
        clearing: flag().doc("the sweep writes in this cycle"),
        is_sweeping: flag().doc("after reset: all entries count as zero"),
        ports: param(n),
        groups: param(groups),
        loopback_bit: param(n),
        mask_field: field(0, n),
        about: about("fan_out", doc).param("ports", n).param("groups", groups),
    }
}

#[kernel]
impl FanOut {
    fn update(&mut self) {
        // What goes by.
        self.drop_now.next = self.to_drop.q.val() | (self.vacant.q.val() & self.head_drop.val());
        self.request.next = 0.into();
        if self.vacant.q.val() {
            self.request.next = self.head_request.val();
        }

        // The fan-out register.
        self.loadable.next = self.head_multicast.val() & !self.write.val();
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
        for o in 0..self.ports.val() {
            if (self.own_port.val() == o) & !self.group_table.read_data.val().get_bit(self.loopback_bit.val()) {
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

        // The group table.
        self.clearing.next = self.sweep.q.val() < self.groups.val();
        self.is_sweeping.next = self.sweep.q.val() <= self.groups.val();
        self.sweeping.next = self.is_sweeping.val();
        if self.is_sweeping.val() {
            self.sweep.d.next = self.sweep.q.val() + 1;
        }
        self.group_table.read_address.next = self.head_group.val();
        self.group_table.write_enable.next = self.clearing.val() | self.write.val();
        self.group_table.write_address.next = self.write_group.val();
        self.group_table.write_data.next = self.write_entry.val();
        if self.clearing.val() {
            self.group_table.write_address.next = unsigned_cast(self.sweep.q.val());
            self.group_table.write_data.next = 0.into();
        }
    }
}

#[cfg(test)]
mod tests;

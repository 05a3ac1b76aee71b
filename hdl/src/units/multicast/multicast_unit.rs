//! Multicast unit: gives multicast packets all their outputs at once, by the global resource bulletin.
//!
//! | port | width | meaning |
//! | --- | --- | --- |
//! | `waiting`, `outputs` | N, N x N | input i has a multicast packet; it is for these outputs |
//! | `may_connect` | N | the mixed VC of input i is not active or is finishing |
//! | `free` | N | output o is not busy, or its owner is finishing |
//! | `room` | N | the next buffer of output o, mixed VC, has room for a packet behind what is being sent |
//! | `credit` | N | the next buffer of output o, mixed VC, has room for a packet of maximum length |
//! | `credit_two` | N | the next buffer of output o, mixed VC, has room for two of them |
//! | `mixed_spare` | N | output o is not sending on the mixed VC, and two packets have room there |
//! | `mixed_waiting` | N x N | unicast packets at heads of input i that leave on the mixed VC wait for these outputs |
//! | `mixed_grant` | N | such a packet gets output o |
//! | `passed_over` | N | a unicast packet requests output o, on whichever VC, and none gets it |
//! | `turn`, `reserved` | N, N | it is the turn of multicast packets at output o; it is reserved for one |
//! | `saved` | N | room is saved at output o: others start on the mixed VC only if room for a packet remains |
//! | `start`, `start_to` | N, N x N | the packet of input i starts; output o is connected to input i (one-hot, or none) |
//! | `stalled` | N | that of input i waits in vain: it is neither granted in this cycle nor starts (with counters only) |
//!
//! Joins [`multicast_grant`](super::multicast_grant), which grants packets their outputs, and
//! [`multicast_start`](super::multicast_start), which starts them when these are free. `free` depends on the tails that leave in this cycle: it
//! reaches the start only, and no choice.
//!
//! Source: switch reference, section 6.1; seed 004 section 5.1 (global resource bulletin).

use crate::rtl::prelude::*;
use crate::units::multicast::multicast_grant::{multicast_grant, MulticastGrant};
use crate::units::multicast::multicast_start::{multicast_start, MulticastStart};
use railyard_spec::Shape;

/// Grants outputs to multicast packets, and starts these; see the head of this file.
#[block]
pub struct MulticastUnit {
    pub clock: ClockIn,
    pub reset: Flag<In>,
    pub waiting: Sig<In>,
    pub outputs: Vec<Sig<In>>,
    pub may_connect: Sig<In>,
    pub free: Sig<In>,
    pub room: Sig<In>,
    pub credit: Sig<In>,
    pub credit_two: Sig<In>,
    pub mixed_spare: Sig<In>,
    pub mixed_waiting: Vec<Sig<In>>,
    pub mixed_grant: Sig<In>,
    pub passed_over: Sig<In>,
    pub turn: Sig<Out>,
    pub reserved: Sig<Out>,
    pub saved: Sig<Out>,
    pub start: Sig<Out>,
    pub start_to: Vec<Sig<Out>>,
    pub stalled: Vec<Sig<Out>>,

    granter: MulticastGrant,
    starter: MulticastStart,

    ports: Param,
    about: About,
}

/// The multicast unit of a switch.
pub fn multicast_unit(shape: &Shape) -> MulticastUnit {
    let n = shape.ports;
    let doc = "Gives multicast packets all their outputs at once, by the global resource bulletin.";
    MulticastUnit {
        clock: clock(),
        reset: flag().doc("synchronous reset, active high"),
        waiting: sig(n).doc("input i has a multicast packet that waits for its outputs"),
        outputs: many(n, || sig(n).doc("these")),
        may_connect: sig(n).doc("the mixed VC of input i may be connected anew"),
        free: sig(n).doc("output o is not busy, or its owner is finishing"),
        room: sig(n).doc("output o has room for a packet on the mixed VC behind what is being sent"),
        credit: sig(n).doc("the next buffer of output o has room for a packet on the mixed VC"),
        credit_two: sig(n).doc("the next buffer of output o has room for two packets on the mixed VC"),
        mixed_spare: sig(n).doc("output o is not sending on the mixed VC, and two packets have room there"),
        mixed_waiting: many(n, || sig(n).doc("unicast packets of input i, to leave on the mixed VC, wait for these")),
        mixed_grant: sig(n).doc("such a packet gets output o"),
        passed_over: sig(n).doc("a unicast packet requests output o, and none gets it"),
        turn: sig(n).doc("it is the turn of multicast packets at output o"),
        reserved: sig(n).doc("output o is reserved for a multicast packet"),
        saved: sig(n).doc("others start on the mixed VC at output o only if room for a packet remains"),
        start: sig(n).doc("the multicast packet of input i starts"),
        start_to: many(n, || sig(n).doc("output o is connected to input i")),
        stalled: many(usize::from(shape.counter_bits.is_some()), || {
            sig(n).doc("the multicast packet of input i is neither granted now nor starts")
        }),
        granter: multicast_grant(shape),
        starter: multicast_start(shape),
        ports: param(n),
        about: about("multicast_unit", doc).param("ports", n).param("max_flits", shape.max_flits as usize),
    }
}

#[kernel]
impl MulticastUnit {
    fn update(&mut self) {
        self.granter.waiting.next = self.waiting.val();
        self.granter.room.next = self.room.val();
        self.granter.credit.next = self.credit.val();
        self.granter.credit_two.next = self.credit_two.val();
        self.granter.mixed_spare.next = self.mixed_spare.val();
        self.granter.mixed_grant.next = self.mixed_grant.val();
        self.granter.passed_over.next = self.passed_over.val();
        self.granter.start.next = self.starter.start.val();
        self.granter.started.next = self.starter.started.val();
        self.turn.next = self.granter.turn.val();
        self.reserved.next = self.granter.reserved.val();
        self.saved.next = self.granter.saved.val();
        for c in 0..self.stalled.len() {
            self.stalled[c].next = self.granter.stalled[c].val();
        }

        self.starter.granted.next = self.granter.granted.val();
        self.starter.may_connect.next = self.may_connect.val();
        self.starter.free.next = self.free.val();
        self.start.next = self.starter.start.val();
        for i in 0..self.ports.val() {
            self.granter.outputs[i].next = self.outputs[i].val();
            self.granter.mixed_waiting[i].next = self.mixed_waiting[i].val();
            self.starter.outputs[i].next = self.outputs[i].val();
            self.start_to[i].next = self.starter.start_to[i].val();
        }
    }
}

#[cfg(test)]
mod tests;

//! Single allocator: gives one output of the single kN x N crossbar to a packet at a time.
//!
//! | port | width | meaning |
//! | --- | --- | --- |
//! | `request` | k x N | input i asks for this output on VC v |
//! | `leave` | k x k x N | the packet at the head of VC v of input i leaves on VC u, element v * k + u (with `next_vc` only) |
//! | `room`, `room_sending` | k | the next buffer of VC v has room for a packet; the same while VC v is sending |
//! | `ready`, `ending` | k x N | the buffer of VC v of input i has a flit to pop; it is a tail |
//! | `grant` | k x N | input i is connected to this output on VC v (one-hot over all) |
//! | `owner` | k x N | the connection (one-hot over all; all zero while idle) |
//! | `with_room` | k x N | the requests that have room where they leave (with counters only) |
//! | `sent` | k | a flit that leaves on VC v is popped to this output |
//! | `multicast_turn` | 1 | it is the turn of multicast packets: none other may start on the mixed VC (with the mixed VC only, as all below) |
//! | `saved` | 1 | room is saved here: none other may start on the mixed VC, unless `mixed_spare` |
//! | `reserved` | 1 | the output is reserved for a multicast packet |
//! | `start` | N | a multicast packet of input i is connected to this output, among others (one-hot, or none) |
//! | `room_two` | 1 | the next buffer of the mixed VC has room for two packets |
//! | `free` | 1 | the output is not busy, or its owner is finishing |
//! | `mixed_room` | 1 | a multicast packet has room behind what is being sent |
//! | `mixed_spare` | 1 | the output is not sending on the mixed VC, and two packets have room there |
//! | `mixed_grant` | 1 | a unicast packet that leaves on the mixed VC is connected |
//! | `passed_over` | 1 | a unicast packet requests the output, and none is connected |
//!
//! State: `connected`, k x N (the owner, one-hot), `sending`, k (VC on which its packet leaves, one-hot; zero while idle).
//!
//! Each cycle: one arbiter chooses among all requesters that have room where they leave, number i * k + v; it is connected if the output is
//! *available*: idle, or its owner's tail leaves.
//!
//! Source: switch reference, section 6 (single crossbar).

use crate::parts::round_robin_arbiter::{round_robin_arbiter, RoundRobinArbiter};
use crate::rtl::prelude::*;
use railyard_spec::Shape;

/// Allocates one output of a single crossbar; see the head of this file.
#[block]
pub struct SingleAllocator {
    pub clock: ClockIn,
    pub reset: Flag<In>,
    pub request: Vec<Sig<In>>,
    pub leave: Vec<Sig<In>>,
    pub room: Sig<In>,
    pub room_sending: Sig<In>,
    pub ready: Vec<Sig<In>>,
    pub ending: Vec<Sig<In>>,
    pub grant: Vec<Sig<Out>>,
    pub owner: Vec<Sig<Out>>,
    pub with_room: Vec<Sig<Out>>,
    pub sent: Sig<Out>,
    pub multicast_turn: Vec<Flag<In>>,
    pub saved: Vec<Flag<In>>,
    pub reserved: Vec<Flag<In>>,
    pub start: Vec<Sig<In>>,
    pub room_two: Vec<Flag<In>>,
    pub free: Vec<Flag<Out>>,
    pub mixed_room: Vec<Flag<Out>>,
    pub mixed_spare: Vec<Flag<Out>>,
    pub mixed_grant: Vec<Flag<Out>>,
    pub passed_over: Vec<Flag<Out>>,

    connected: Regs,
    sending: Reg,
    arbiter: RoundRobinArbiter,

    has_room: Sig<Local>,
    roomy: Vec<Sig<Local>>,
    wanted: Sig<Local>,
    moving: Sig<Local>,
    finishing: Sig<Local>,
    available: Flag<Local>,
    chosen: Vec<Sig<Local>>,
    win: Sig<Local>,
    allowed: Vec<Sig<Local>>,
    follows: Vec<Sig<Local>>,

    vcs: Param,
    mixed: Param,
    own_vcs: Param,
    plain: Param,
    named: Param,
    ports: Param,
    about: About,
}

/// Allocator of one output.
pub fn single_allocator(shape: &Shape) -> SingleAllocator {
    let (n, k) = (shape.ports, shape.vcs);
    let next_vc = usize::from(shape.next_vc);
    let mixed = usize::from(shape.multicast.is_some());
    let (sent_doc, sending_doc) = match shape.next_vc {
        true => (
            "a flit that leaves on VC v is popped to this output",
            "VC on which its packet leaves, one-hot; zero while idle",
        ),
        false => ("a flit of VC v is popped to this output", "its VC, one-hot; zero while idle"),
    };
    let doc = "Gives one output of the single crossbar to a packet at a time.";
    let win_doc = match shape.next_vc {
        true => "VC on which the packet chosen leaves",
        false => "VC v gets the output",
    };
    let about = about("single_allocator", doc).param("ports", n).param("vcs", k);
    SingleAllocator {
        clock: clock(),
        reset: flag().doc("synchronous reset, active high"),
        request: many(k, || sig(n).doc("input i asks for this output on VC v")),
        leave: many(next_vc * k * k, || sig(n).doc("packet of VC v of input i leaves on VC u, element v * k + u")),
        room: sig(k).doc("the next buffer of VC v has room for a packet"),
        room_sending: sig(k).doc("the same, while VC v is sending"),
        ready: many(k, || sig(n).doc("VC v of input i has a flit to pop")),
        ending: many(k, || sig(n).doc("VC v of input i has a tail to pop")),
        grant: many(k, || sig(n).doc("input i is connected on VC v")),
        owner: many(k, || sig(n).doc("connection, one-hot")),
        with_room: many(if shape.counter_bits.is_some() { k } else { 0 }, || {
            sig(n).doc("requests on VC v that have room where they leave")
        }),
        sent: sig(k).doc(sent_doc),
        multicast_turn: many(mixed, || flag().doc("only a multicast packet may start on the mixed VC")),
        saved: many(mixed, || flag().doc("room on the mixed VC is saved for a multicast packet")),
        reserved: many(mixed, || flag().doc("the output is reserved for a multicast packet")),
        start: many(mixed, || sig(n).doc("a multicast packet of input i is connected")),
        room_two: many(mixed, || flag().doc("the next buffer of the mixed VC has room for two packets")),
        free: many(mixed, || flag().doc("the output is not busy, or its owner is finishing")),
        mixed_room: many(mixed, || flag().doc("a multicast packet has room behind what is being sent")),
        mixed_spare: many(mixed, || {
            flag().doc("the output is not sending on the mixed VC, and two packets have room there")
        }),
        mixed_grant: many(mixed, || flag().doc("a unicast packet that leaves on the mixed VC is connected")),
        passed_over: many(mixed, || flag().doc("a unicast packet requests the output, and none is connected")),
        connected: regs(k, n, 0u8).doc("connection, one-hot over all"),
        sending: reg(k, 0u8).doc(sending_doc),
        arbiter: round_robin_arbiter(n * k),
        has_room: sig(k).doc("a packet may start on VC v"),
        roomy: many(usize::from(shape.counter_bits.is_some()), || {
            sig(k).doc("there is room on VC v, whosever turn it is and whoever it is saved for")
        }),
        wanted: sig(n * k).doc("requests with room, number i * k + v"),
        moving: sig(k).doc("the owner, on VC v, pops a flit"),
        finishing: sig(k).doc("the owner, on VC v, pops its tail"),
        available: flag().doc("the output can be given away"),
        chosen: many(k, || sig(n).doc("the arbiter's choice, by VC and input")),
        win: sig(k).doc(win_doc),
        allowed: many(next_vc * k, || sig(n).doc("VC v of input i has room where it leaves")),
        follows: many(mixed, || sig(k).doc("VC on which the multicast packet leaves that starts, one-hot; zero: none")),
        vcs: param(k),
        mixed: param(shape.multicast.map_or(0, |built| built.vc)),
        own_vcs: param((1 - next_vc) * k),
        plain: param(1 - next_vc),
        named: param(next_vc),
        ports: param(n),
        about: if shape.next_vc { about.param("next_vc", 1) } else { about },
    }
}

#[kernel]
impl SingleAllocator {
    fn update(&mut self) {
        self.has_room.next =
            (self.sending.q.val() & self.room_sending.val()) | (!self.sending.q.val() & self.room.val());
        for c in 0..self.roomy.len() {
            self.roomy[c].next = self.has_room.val();
        }
        for c in 0..self.multicast_turn.len() {
            self.mixed_spare[c].next = !self.sending.q.val().get_bit(self.mixed.val()) & self.room_two[c].val();
            if self.multicast_turn[c].val() | (self.saved[c].val() & !self.mixed_spare[c].val()) {
                self.has_room.next = self.has_room.val().replace_bit(self.mixed.val(), false);
            }
        }
        self.wanted.next = 0.into();
        for v in 0..self.own_vcs.val() {
            for i in 0..self.ports.val() {
                self.wanted.next = self.wanted.val().replace_bit(
                    i * self.vcs.val() + v,
                    self.request[v].val().get_bit(i) & self.has_room.val().get_bit(v),
                );
            }
        }
        for v in 0..self.allowed.len() {
            self.allowed[v].next = 0.into();
            for u in 0..self.vcs.val() {
                if self.has_room.val().get_bit(u) {
                    self.allowed[v].next = self.allowed[v].val() | self.leave[v * self.vcs.val() + u].val();
                }
            }
            for i in 0..self.ports.val() {
                self.wanted.next = self.wanted.val().replace_bit(
                    i * self.vcs.val() + v,
                    self.request[v].val().get_bit(i) & self.allowed[v].val().get_bit(i),
                );
            }
        }
        for v in 0..self.with_room.len() {
            self.with_room[v].next = 0.into();
            if self.roomy[0].val().get_bit(v) {
                self.with_room[v].next = self.request[v].val();
            }
            for _named in 0..self.named.val() {
                self.with_room[v].next = 0.into();
                for u in 0..self.vcs.val() {
                    if self.roomy[0].val().get_bit(u) {
                        self.with_room[v].next = self.with_room[v].val() | self.leave[v * self.vcs.val() + u].val();
                    }
                }
                self.with_room[v].next = self.with_room[v].val() & self.request[v].val();
            }
        }
        self.moving.next = 0.into();
        self.finishing.next = 0.into();
        for v in 0..self.vcs.val() {
            self.moving.next =
                self.moving.val().replace_bit(v, (self.connected.q[v].val() & self.ready[v].val()).any());
            self.finishing.next =
                self.finishing.val().replace_bit(v, (self.connected.q[v].val() & self.ending[v].val()).any());
        }
        self.available.next = !self.sending.q.val().any() | self.finishing.val().any();
        for c in 0..self.reserved.len() {
            self.free[c].next = self.available.val();
            self.available.next = self.available.val() & !self.reserved[c].val();
        }

        self.arbiter.request.next = self.wanted.val();
        self.arbiter.take.next = self.available.val() & self.wanted.val().any();
        self.win.next = 0.into();
        for v in 0..self.vcs.val() {
            self.chosen[v].next = 0.into();
            for i in 0..self.ports.val() {
                self.chosen[v].next =
                    self.chosen[v].val().replace_bit(i, self.arbiter.grant.val().get_bit(i * self.vcs.val() + v));
            }
            self.grant[v].next = 0.into();
            if self.available.val() {
                self.grant[v].next = self.chosen[v].val();
                self.connected.d[v].next = self.chosen[v].val();
            }
            self.owner[v].next = self.connected.q[v].val();
        }

        // The VC on which the packet leaves: that of its plane, or what it says.
        for v in 0..self.own_vcs.val() {
            self.win.next = self.win.val().replace_bit(v, self.chosen[v].val().any());
        }
        for v in 0..self.allowed.len() {
            for u in 0..self.vcs.val() {
                if (self.chosen[v].val() & self.leave[v * self.vcs.val() + u].val()).any() {
                    self.win.next = self.win.val().replace_bit(u, true);
                }
            }
        }
        if self.available.val() {
            self.sending.d.next = self.win.val();
        }
        for _own in 0..self.plain.val() {
            self.sent.next = self.moving.val();
        }
        for _named in 0..self.named.val() {
            self.sent.next = 0.into();
            if self.moving.val().any() {
                self.sent.next = self.sending.q.val();
            }
        }

        // Multicast: whoever has a reserved output is followed by the multicast packet, or by nobody.
        for c in 0..self.reserved.len() {
            self.mixed_room[c].next = self.room.val().get_bit(self.mixed.val());
            if self.sending.q.val().get_bit(self.mixed.val()) {
                self.mixed_room[c].next = self.room_two[c].val();
                if self.finishing.val().any() {
                    self.mixed_room[c].next = self.room_sending.val().get_bit(self.mixed.val());
                }
            }
            self.follows[c].next = 0.into();
            self.follows[c].next = self.follows[c].val().replace_bit(self.mixed.val(), self.start[c].val().any());
            if self.reserved[c].val() & self.free[c].val() {
                for v in 0..self.vcs.val() {
                    self.connected.d[v].next = 0.into();
                }
                self.connected.d[self.mixed.val()].next = self.start[c].val();
                self.sending.d.next = self.follows[c].val();
            }
            self.passed_over[c].next = self.wanted.val().any() & !self.available.val();
            self.mixed_grant[c].next = self.available.val() & self.win.val().get_bit(self.mixed.val());
        }
    }
}

//! Packet allocator: gives one output of the parallel crossbar to a packet at a time.
//!
//! State: `connected`, k x N (the owner, one-hot), `sending`, k (VC on which its packet leaves, one-hot; zero while idle).
//!
//! Each cycle, side by side: in each plane an arbiter chooses an input; the link arbiter chooses a VC among
//! those with a request and room; and the output is found *available* if it is idle or its owner's tail leaves. Only
//! the last gate of `grant` joins the three.
//!
//! With `next_vc` a packet may leave on another VC than that of its plane: then room is a matter of each request, and is looked
//! at before the planes' arbiters. Without, it is one of each plane, and only the link arbiter waits for it.
//!
//! Source: switch reference, section 6 (parallel crossbar, packet-wise); Cao2016, 3.3.

use crate::parts::arbiter::{arbiter, Arbiter};
use crate::parts::round_robin_arbiter::{arbiter_among, RoundRobinArbiter};
use crate::rtl::prelude::*;
use crate::units::allocate::allocator_ports::{allocator_ports, AllocatorPorts};
use railyard_spec::Shape;

/// Gives one output of the parallel crossbar to a packet at a time.
#[block]
pub struct PacketAllocator {
    pub clock: ClockIn,
    pub reset: Flag<In>,
    #[bare]
    pub io: AllocatorPorts<In>,

    /// Connection, one-hot over the inputs of all planes.
    connected: Regs<vcs, ports>,
    /// VC of the connected packet, one-hot; zero while idle.
    sending: Reg,
    plane: Vec<Arbiter>,
    link: Option<RoundRobinArbiter>,

    /// A packet may start on VC v.
    has_room: Sig<Local, vcs>,
    /// VC v has room, whether or not the room is saved for a packet.
    roomy: Option<Sig<Local>>,
    /// A packet waits to start on VC v.
    wanted: Sig<Local, vcs>,
    /// The owner, on VC v, pops a flit.
    moving: Sig<Local, vcs>,
    /// The owner, on VC v, pops its tail.
    finishing: Sig<Local, vcs>,
    /// VC with a waiting packet whose turn it is, one-hot.
    turn: Sig<Local, vcs>,
    /// The output can be given away.
    available: Flag<Local>,
    /// VC v gets the output.
    win: Sig<Local, vcs>,
    /// Requests on VC v that have room where they leave.
    allowed: Vec<
        Sig<Local, ports>,
        {
            if next_vc {
                vcs
            } else {
                0
            }
        },
    >,
    /// VC on which the multicast packet that starts leaves, one-hot; zero if none starts.
    follows: Option<Sig<Local>>,
    /// VC on which the packet that gets the output leaves.
    leaving: Option<Sig<Local, vcs>, next_vc>,

    mixed: usize,
    next_vc: bool,
    ports: Param,
    vcs: Param,
    #[listed(next_vc)]
    listed_next_vc: Param<Option<usize>>,
}

/// Allocator of one output.
pub fn packet_allocator(shape: &Shape) -> PacketAllocator {
    let (n, k, next_vc) = (shape.ports, shape.vcs, shape.next_vc);
    sized(PacketAllocator {
        io: allocator_ports(shape),
        sending: reg(k, 0u8).doc(match next_vc {
            true => "VC on which the connected packet leaves, one-hot; zero while idle.",
            false => "VC of the connected packet, one-hot; zero while idle.",
        }),
        plane: (0..k).map(|_| arbiter(n)).collect(),
        link: arbiter_among(k),
        roomy: shape.counter_bits.map(|_| sig(k)),
        follows: shape.multicast.map(|_| sig(k)),
        mixed: shape.multicast.map_or(0, |built| built.vc),
        next_vc,
        ports: n,
        vcs: k,
        listed_next_vc: next_vc.then_some(1),
        ..PacketAllocator::plain()
    })
}

impl PacketAllocator {
    /// The arbiter of each plane.
    pub fn input_arbiters(&mut self) -> &mut [Arbiter] {
        &mut self.plane
    }
}

#[kernel]
impl PacketAllocator {
    fn update(&mut self) {
        self.find_room();
        self.find_wanted();
        self.find_available();
        self.grant();
        self.send();
        self.follow();
        self.state_properties();
    }

    fn find_room(&mut self) {
        self.has_room.next =
            (self.sending.q.val() & self.io.room_sending.val()) | (!self.sending.q.val() & self.io.room.val());
        if let Some(roomy) = &mut self.roomy {
            roomy.next = self.has_room.val();
        }
        if let Some(mixed) = &mut self.io.mixed {
            mixed.mixed_spare.next = !self.sending.q.val().get_bit(self.mixed) & mixed.room_two.val();
            if mixed.multicast_turn.val() | (mixed.saved.val() & !mixed.mixed_spare.val()) {
                self.has_room.set(self.mixed, false);
            }
        }
    }

    fn find_wanted(&mut self) {
        self.wanted.next = 0.into();
        self.moving.next = 0.into();
        self.finishing.next = 0.into();
        for v in 0..self.vcs {
            self.moving.set(v, (self.connected.q[v].val() & self.io.ready[v].val()).any());
            self.finishing.set(v, (self.connected.q[v].val() & self.io.ending[v].val()).any());
        }
        if !self.next_vc {
            for v in 0..self.vcs {
                self.wanted.set(v, self.io.request[v].val().any() & self.has_room.val().get_bit(v));
            }
        }
        for v in 0..self.allowed.len() {
            self.allowed[v].next = 0.into();
            for u in 0..self.vcs {
                if self.has_room.val().get_bit(u) {
                    self.allowed[v].next = self.allowed[v].val() | self.io.leave[v * self.vcs + u].val();
                }
            }
            self.allowed[v].next = self.allowed[v].val() & self.io.request[v].val();
            self.wanted.set(v, self.allowed[v].val().any());
        }
        if let Some(roomy) = &self.roomy {
            for v in 0..self.vcs {
                self.io.with_room[v].next = 0.into();
                if roomy.val().get_bit(v) {
                    self.io.with_room[v].next = self.io.request[v].val();
                }
                if self.next_vc {
                    self.io.with_room[v].next = 0.into();
                    for u in 0..self.vcs {
                        if roomy.val().get_bit(u) {
                            self.io.with_room[v].next =
                                self.io.with_room[v].val() | self.io.leave[v * self.vcs + u].val();
                        }
                    }
                    self.io.with_room[v].next = self.io.with_room[v].val() & self.io.request[v].val();
                }
            }
        }
    }

    fn find_available(&mut self) {
        self.available.next = !self.sending.q.val().any() | self.finishing.val().any();
        if let Some(mixed) = &mut self.io.mixed {
            mixed.free.next = self.available.val();
            self.available.next = self.available.val() & !mixed.reserved.val();
        }
        self.turn.next = self.wanted.val();
        if let Some(link) = &mut self.link {
            link.request.next = self.wanted.val();
            link.take.next = self.available.val() & self.wanted.val().any();
            self.turn.next = link.grant.val();
        }
        self.win.next = 0.into();
        if self.available.val() {
            self.win.next = self.turn.val();
        }
    }

    fn grant(&mut self) {
        for v in 0..self.vcs {
            self.plane[v].take.next = self.win.val().get_bit(v);
            self.io.grant[v].next = 0.into();
            if self.win.val().get_bit(v) {
                self.io.grant[v].next = self.plane[v].grant.val();
            }
            if self.available.val() {
                self.connected.d[v].next = self.io.grant[v].val();
            }
            self.io.owner[v].next = self.connected.q[v].val();
        }
        for v in 0..self.vcs {
            if self.next_vc {
                self.plane[v].request.next = self.allowed[v].val();
            } else {
                self.plane[v].request.next = self.io.request[v].val();
            }
        }
    }

    /// The VC on which the packet leaves is that of its plane, or what it says.
    fn send(&mut self) {
        if let Some(leaving) = &mut self.leaving {
            leaving.next = 0.into();
            for v in 0..self.vcs {
                for u in 0..self.vcs {
                    if self.turn.val().get_bit(v)
                        & (self.plane[v].grant.val() & self.io.leave[v * self.vcs + u].val()).any()
                    {
                        leaving.set(u, true);
                    }
                }
            }
            if self.available.val() {
                self.sending.d.next = leaving.val();
            }
            self.io.sent.next = 0.into();
            if self.moving.val().any() {
                self.io.sent.next = self.sending.q.val();
            }
        } else {
            if self.available.val() {
                self.sending.d.next = self.win.val();
            }
            self.io.sent.next = self.moving.val();
        }
        if let Some(plane_sent) = &mut self.io.plane_sent {
            plane_sent.next = self.moving.val();
        }
    }

    /// The owner of a reserved output is followed by the multicast packet, or by none.
    fn follow(&mut self) {
        if let (Some(mixed), Some(follows)) = (&mut self.io.mixed, &mut self.follows) {
            mixed.mixed_room.next = self.io.room.val().get_bit(self.mixed);
            if self.sending.q.val().get_bit(self.mixed) {
                mixed.mixed_room.next = mixed.room_two.val();
                if self.finishing.val().any() {
                    mixed.mixed_room.next = self.io.room_sending.val().get_bit(self.mixed);
                }
            }
            follows.next = 0.into();
            follows.set(self.mixed, mixed.start.val().any());
            if mixed.reserved.val() & mixed.free.val() {
                for v in 0..self.vcs {
                    self.connected.d[v].next = 0.into();
                }
                self.connected.d[self.mixed].next = mixed.start.val();
                self.sending.d.next = follows.val();
            }
            mixed.passed_over.next = self.wanted.val().any() & !self.available.val();
            mixed.mixed_grant.next = self.win.val().get_bit(self.mixed);
            if let Some(leaving) = &self.leaving {
                mixed.mixed_grant.next = self.available.val() & leaving.val().get_bit(self.mixed);
            }
        }
    }

    /// What holds in each cycle.
    fn state_properties(&self) {
        assert!(!(self.sending.q.val() & (self.sending.q.val() - 1)).any(), "one VC at a time has the output");
        for v in 0..self.vcs {
            assert!(
                !(self.connected.q[v].val() & (self.connected.q[v].val() - 1)).any(),
                "one input at a time is connected to the output"
            );
            assert!(!(self.io.grant[v].val() & !self.io.request[v].val()).any(), "only a request is granted");
        }
        if !self.next_vc {
            for v in 0..self.vcs {
                assert!(
                    self.sending.q.val().get_bit(v) == self.connected.q[v].val().any(),
                    "a VC has the output if and only if an input is connected on it"
                );
            }
        }
    }
}

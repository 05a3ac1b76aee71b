//! Single allocator: gives one output of the single kN x N crossbar to a packet at a time.
//!
//! State: `connected`, k x N (the owner, one-hot), `sending`, k (VC on which its packet leaves, one-hot; zero while idle).
//!
//! Each cycle: one arbiter chooses among all requesters that have room where they leave, number i * k + v; it is connected if the output is
//! *available*: idle, or its owner's tail leaves.
//!
//! Source: switch reference, section 6 (single crossbar).

use crate::parts::round_robin_arbiter::{round_robin_arbiter, RoundRobinArbiter};
use crate::rtl::prelude::*;
use crate::units::allocate::allocator_ports::{allocator_ports, AllocatorPorts};
use railyard_spec::Shape;

/// Gives one output of the single crossbar to a packet at a time.
#[block]
pub struct SingleAllocator {
    pub clock: ClockIn,
    pub reset: Flag<In>,
    #[bare]
    pub io: AllocatorPorts<In>,

    /// Connection, one-hot over the inputs of all VCs.
    connected: Regs<vcs, ports>,
    /// VC of the connected packet, one-hot; zero while idle.
    sending: Reg,
    arbiter: RoundRobinArbiter,

    /// A packet may start on VC v.
    has_room: Sig<Local, vcs>,
    /// VC v has room, whether or not the room is saved for a packet.
    roomy: Option<Sig<Local>>,
    /// Requests with room, number i * k + v.
    wanted: Sig<Local, { ports * vcs }>,
    /// The owner, on VC v, pops a flit.
    moving: Sig<Local, vcs>,
    /// The owner, on VC v, pops its tail.
    finishing: Sig<Local, vcs>,
    /// The output can be given away.
    available: Flag<Local>,
    /// Choice of the arbiter, by VC and input.
    chosen: Vec<Sig<Local, ports>, vcs>,
    /// VC v gets the output.
    win: Sig<Local>,
    /// VC v of input i has room on the VC on which the packet leaves.
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

    mixed: usize,
    next_vc: bool,
    ports: Param,
    vcs: Param,
    #[listed(next_vc)]
    listed_next_vc: Param<Option<usize>>,
}

/// Allocator of one output.
pub fn single_allocator(shape: &Shape) -> SingleAllocator {
    let (n, k, next_vc) = (shape.ports, shape.vcs, shape.next_vc);
    sized(SingleAllocator {
        io: allocator_ports(shape),
        sending: reg(k, 0u8).doc(match next_vc {
            true => "VC on which the connected packet leaves, one-hot; zero while idle.",
            false => "VC of the connected packet, one-hot; zero while idle.",
        }),
        arbiter: round_robin_arbiter(n * k),
        roomy: shape.counter_bits.map(|_| sig(k)),
        win: sig(k).doc(match next_vc {
            true => "VC on which the packet chosen leaves.",
            false => "VC v gets the output.",
        }),
        follows: shape.multicast.map(|_| sig(k)),
        mixed: shape.multicast.map_or(0, |built| built.vc),
        next_vc,
        ports: n,
        vcs: k,
        listed_next_vc: next_vc.then_some(1),
        ..SingleAllocator::plain()
    })
}

#[kernel]
impl SingleAllocator {
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
        if !self.next_vc {
            for v in 0..self.vcs {
                for i in 0..self.ports {
                    self.wanted
                        .set(i * self.vcs + v, self.io.request[v].val().get_bit(i) & self.has_room.val().get_bit(v));
                }
            }
        }
        for v in 0..self.allowed.len() {
            self.allowed[v].next = 0.into();
            for u in 0..self.vcs {
                if self.has_room.val().get_bit(u) {
                    self.allowed[v].next = self.allowed[v].val() | self.io.leave[v * self.vcs + u].val();
                }
            }
            for i in 0..self.ports {
                self.wanted
                    .set(i * self.vcs + v, self.io.request[v].val().get_bit(i) & self.allowed[v].val().get_bit(i));
            }
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
        self.moving.next = 0.into();
        self.finishing.next = 0.into();
        for v in 0..self.vcs {
            self.moving.set(v, (self.connected.q[v].val() & self.io.ready[v].val()).any());
            self.finishing.set(v, (self.connected.q[v].val() & self.io.ending[v].val()).any());
        }
        self.available.next = !self.sending.q.val().any() | self.finishing.val().any();
        if let Some(mixed) = &mut self.io.mixed {
            mixed.free.next = self.available.val();
            self.available.next = self.available.val() & !mixed.reserved.val();
        }
    }

    fn grant(&mut self) {
        self.arbiter.request.next = self.wanted.val();
        self.arbiter.take.next = self.available.val() & self.wanted.val().any();
        self.win.next = 0.into();
        for v in 0..self.vcs {
            self.chosen[v].next = 0.into();
            for i in 0..self.ports {
                self.chosen[v].set(i, self.arbiter.grant.val().get_bit(i * self.vcs + v));
            }
            self.io.grant[v].next = 0.into();
            if self.available.val() {
                self.io.grant[v].next = self.chosen[v].val();
                self.connected.d[v].next = self.chosen[v].val();
            }
            self.io.owner[v].next = self.connected.q[v].val();
        }
    }

    /// The VC on which the packet leaves is that of its plane, or what it says.
    fn send(&mut self) {
        if !self.next_vc {
            for v in 0..self.vcs {
                self.win.set(v, self.chosen[v].val().any());
            }
        }
        for v in 0..self.allowed.len() {
            for u in 0..self.vcs {
                if (self.chosen[v].val() & self.io.leave[v * self.vcs + u].val()).any() {
                    self.win.set(u, true);
                }
            }
        }
        if self.available.val() {
            self.sending.d.next = self.win.val();
        }
        if self.next_vc {
            self.io.sent.next = 0.into();
            if self.moving.val().any() {
                self.io.sent.next = self.sending.q.val();
            }
        } else {
            self.io.sent.next = self.moving.val();
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
            mixed.mixed_grant.next = self.available.val() & self.win.val().get_bit(self.mixed);
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

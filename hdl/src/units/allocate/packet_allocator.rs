//! Packet allocator: gives one output of the parallel crossbar to a packet at a time.
//!
//! State: `connected`, k x N (the owner, one-hot), `sending`, k (VC on which its packet leaves, one-hot; zero while
//! idle).
//!
//! Each cycle, side by side: in each plane an arbiter chooses an input; the link arbiter chooses a VC among
//! those with a request and room; and the output is found *available* if it is idle or its owner's tail leaves. Only
//! the last gate of `grant` joins the three.
//!
//! With `next_vc` a packet may leave on another VC than that of its plane: then room is a matter of each request, and
//! is looked at before the planes' arbiters. Without, it is one of each plane, and only the link arbiter waits for it.
//!
//! Source: switch reference, section 6 (parallel crossbar, packet-wise); Cao2016, 3.3.

use crate::units::prelude::*;

/// Gives one output of the parallel crossbar to a packet at a time.
#[block(shape: &Shape)]
pub struct PacketAllocator {
    pub clock: ClockIn,
    pub reset: Flag<In>,
    pub io: Bare<AllocatorPorts<In, shape>>,

    /// Connection, one-hot over the inputs of all planes.
    connected: Regs<vcs, ports>,
    /// VC of the connected packet, one-hot; zero while idle.
    #[made(reg(vcs, 0u8).doc(match next_vc {
        true => "VC on which the connected packet leaves, one-hot; zero while idle.",
        false => "VC of the connected packet, one-hot; zero while idle.",
    }))]
    sending: Reg,
    #[made(many(vcs, || arbiter_by(policy_of(shape), ports)))]
    plane: Vec<Arbiter>,
    #[made((vcs > 1).then(|| arbiter_by(policy_of(shape), vcs)))]
    link: Option<Arbiter>,

    /// A packet may start on VC v.
    has_room: Sig<Local, vcs>,
    /// VC v has room, whether or not the room is saved for a packet.
    roomy: Option<Sig<Local, vcs>, { shape.counter_bits.is_some() }>,
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
    allowed: Vec<Sig<Local, ports>, vcs, next_vc>,
    /// VC on which the multicast packet that starts leaves, one-hot; zero if none starts.
    follows: Option<Sig<Local, vcs>, { shape.multicast.is_some() }>,
    /// VC on which the packet that gets the output leaves.
    leaving: Option<Sig<Local, vcs>, next_vc>,

    mixed: Number<{ shape.multicast.map_or(0, |built| built.vc) }>,
    next_vc: Number<bool, { shape.next_vc }>,
    ports: Param<{ shape.ports }>,
    vcs: Param<{ shape.vcs }>,
    #[listed(next_vc)]
    listed_next_vc: Param<Option<usize>, { next_vc.then_some(1) }>,
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
        AllocationSteps::find_room(&mut self.has_room, &mut self.roomy, &self.sending, &mut self.io, self.mixed);
        self.find_wanted();
        self.find_available();
        self.grant();
        self.send();
        self.follow();
        AllocationSteps::state_properties(&self.sending, &self.connected, &self.io, self.vcs);
    }

    fn find_wanted(&mut self) {
        self.wanted.next = 0.into();
        AllocationSteps::follow_owner(&mut self.moving, &mut self.finishing, &self.connected, &self.io, self.vcs);
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
        AllocationSteps::show_room(&self.roomy, &mut self.io, self.vcs);
    }

    fn find_available(&mut self) {
        self.available.next = !self.sending.q.val().any() | self.finishing.val().any();
        if let Some(mixed) = &mut self.io.mixed {
            mixed.free.next = self.available.val();
            self.available.next = self.available.val() & !mixed.reserved.val();
        }
        if let Some(is_free) = &mut self.io.is_free {
            is_free.next = self.available.val();
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
        if let Some(follows) = &mut self.follows {
            let connected = &mut self.connected;
            let sending = &mut self.sending;
            AllocationSteps::follow(connected, sending, follows, &self.finishing, &mut self.io, self.mixed, self.vcs);
        }
        if let Some(mixed) = &mut self.io.mixed {
            mixed.passed_over.next = self.wanted.val().any() & !self.available.val();
            mixed.mixed_grant.next = self.win.val().get_bit(self.mixed);
            if let Some(leaving) = &self.leaving {
                mixed.mixed_grant.next = self.available.val() & leaving.val().get_bit(self.mixed);
            }
        }
    }
}

//! Single allocator: gives one output of the single kN x N crossbar to a packet at a time.
//!
//! State: `connected`, k x N (the owner, one-hot), `sending`, k (VC on which its packet leaves, one-hot; zero while
//! idle).
//!
//! Each cycle: one arbiter chooses among all requesters that have room where they leave, number i * k + v; it is
//! connected if the output is *available*: idle, or its owner's tail leaves.
//!
//! Source: switch reference, section 6 (single crossbar).

use crate::units::prelude::*;

/// Gives one output of the single crossbar to a packet at a time.
#[block(shape: &Shape)]
pub struct SingleAllocator {
    pub clock: ClockIn,
    pub reset: Flag<In>,
    pub io: Bare<AllocatorPorts<In, shape>>,

    /// Connection, one-hot over the inputs of all VCs.
    connected: Regs<vcs, ports>,
    /// VC of the connected packet, one-hot; zero while idle.
    #[made(reg(vcs, 0u8).doc(match next_vc {
        true => "VC on which the connected packet leaves, one-hot; zero while idle.",
        false => "VC of the connected packet, one-hot; zero while idle.",
    }))]
    sending: Reg,
    arbiter: RoundRobinArbiter<{ ports * vcs }>,

    /// A packet may start on VC v.
    has_room: Sig<Local, vcs>,
    /// VC v has room, whether or not the room is saved for a packet.
    roomy: Option<Sig<Local, vcs>, { shape.counter_bits.is_some() }>,
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
    #[made(sig(vcs).doc(match next_vc {
        true => "VC on which the packet chosen leaves.",
        false => "VC v gets the output.",
    }))]
    win: Sig<Local>,
    /// VC v of input i has room on the VC on which the packet leaves.
    allowed: Vec<Sig<Local, ports>, vcs, next_vc>,
    /// VC on which the multicast packet that starts leaves, one-hot; zero if none starts.
    follows: Option<Sig<Local, vcs>, { shape.multicast.is_some() }>,

    mixed: Number<{ shape.multicast.map_or(0, |built| built.vc) }>,
    next_vc: Number<bool, { shape.next_vc }>,
    ports: Param<{ shape.ports }>,
    vcs: Param<{ shape.vcs }>,
    #[listed(next_vc)]
    listed_next_vc: Param<Option<usize>, { next_vc.then_some(1) }>,
}

#[kernel]
impl SingleAllocator {
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
        AllocationSteps::show_room(&self.roomy, &mut self.io, self.vcs);
    }

    fn find_available(&mut self) {
        AllocationSteps::follow_owner(&mut self.moving, &mut self.finishing, &self.connected, &self.io, self.vcs);
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
        if let Some(follows) = &mut self.follows {
            let connected = &mut self.connected;
            let sending = &mut self.sending;
            AllocationSteps::follow(connected, sending, follows, &self.finishing, &mut self.io, self.mixed, self.vcs);
        }
        if let Some(mixed) = &mut self.io.mixed {
            mixed.passed_over.next = self.wanted.val().any() & !self.available.val();
            mixed.mixed_grant.next = self.available.val() & self.win.val().get_bit(self.mixed);
        }
    }
}

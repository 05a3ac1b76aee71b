//! Flit allocator: gives each plane of one output to a packet, and lets the planes share the link flit by flit.
//!
//! State: `connected`, k x N (the owners), `sending`, k (plane v is busy).
//!
//! Each cycle: the link arbiter chooses among the busy planes whose owner has a flit. A plane is *available* if it is
//! idle or its owner's tail leaves; its arbiter has meanwhile chosen the next input.
//!
//! Source: switch reference, section 6 (parallel crossbar, flit-wise).

use crate::units::prelude::*;

/// Gives each plane of one output to a packet, and lets the planes share the link flit by flit.
#[block(shape: &Shape)]
pub struct FlitAllocator {
    pub clock: ClockIn,
    pub reset: Flag<In>,
    #[made(AllocatorPorts {
        owner: many(vcs, || sig(ports).doc("Connection of plane v, one-hot.")),
        ..allocator_ports(shape)
    })]
    pub io: Bare<AllocatorPorts<In>>,

    /// Connection of plane v, one-hot.
    connected: Regs<vcs, ports>,
    /// Plane v is busy.
    sending: Reg<vcs>,
    plane: Vec<Arbiter<ports>, vcs>,
    link: Option<RoundRobinArbiter<vcs>, { vcs > 1 }>,

    /// A packet may start on VC v.
    has_room: Sig<Local, vcs>,
    /// The owner of plane v has a flit.
    moving: Sig<Local, vcs>,
    /// The owner's tail leaves if plane v is chosen.
    finishing: Sig<Local, vcs>,
    /// Plane v can be given away.
    available: Sig<Local, vcs>,
    /// A packet waits to start on VC v.
    wanted: Sig<Local, vcs>,
    /// A packet gets plane v.
    win: Sig<Local, vcs>,

    ports: Param<{ shape.ports }>,
    vcs: Param<{ shape.vcs }>,
}

impl FlitAllocator {
    /// The arbiter of each plane.
    pub fn input_arbiters(&mut self) -> &mut [Arbiter] {
        &mut self.plane
    }
}

#[kernel]
impl FlitAllocator {
    fn update(&mut self) {
        if let Some(room_sending) = &self.io.room_sending {
            self.has_room.next =
                (self.sending.q.val() & room_sending.val()) | (!self.sending.q.val() & self.io.room.val());
        }
        self.wanted.next = 0.into();
        self.moving.next = 0.into();
        self.finishing.next = 0.into();
        for v in 0..self.vcs {
            self.wanted.set(v, self.io.request[v].val().any() & self.has_room.val().get_bit(v));
            self.moving.set(v, (self.connected.q[v].val() & self.io.ready[v].val()).any());
            self.finishing.set(v, (self.connected.q[v].val() & self.io.ending[v].val()).any());
        }
        for v in 0..self.io.with_room.len() {
            self.io.with_room[v].next = 0.into();
            if self.has_room.val().get_bit(v) {
                self.io.with_room[v].next = self.io.request[v].val();
            }
        }
        self.io.sent.next = self.moving.val();
        if let Some(link) = &mut self.link {
            link.request.next = self.moving.val();
            link.take.next = self.moving.val().any();
            self.io.sent.next = link.grant.val();
        }
        self.available.next = !self.sending.q.val() | (self.finishing.val() & self.io.sent.val());
        self.win.next = self.available.val() & self.wanted.val();
        self.sending.d.next = (self.sending.q.val() & !self.available.val()) | self.win.val();

        for v in 0..self.vcs {
            self.plane[v].request.next = self.io.request[v].val();
            self.plane[v].take.next = self.win.val().get_bit(v);
            self.io.grant[v].next = 0.into();
            if self.win.val().get_bit(v) {
                self.io.grant[v].next = self.plane[v].grant.val();
            }
            if self.available.val().get_bit(v) {
                self.connected.d[v].next = self.io.grant[v].val();
            }
            self.io.owner[v].next = self.connected.q[v].val();
            self.io.chosen[v].next = 0.into();
            if self.io.sent.val().get_bit(v) {
                self.io.chosen[v].next = self.connected.q[v].val();
            }
        }
        for v in 0..self.vcs {
            assert!(
                !(self.connected.q[v].val() & (self.connected.q[v].val() - 1)).any(),
                "one input at a time is connected to a plane"
            );
            assert!(
                self.sending.q.val().get_bit(v) == self.connected.q[v].val().any(),
                "a plane is busy if and only if an input is connected to it"
            );
            assert!(!(self.io.grant[v].val() & !self.io.request[v].val()).any(), "only a request is granted");
        }
    }
}

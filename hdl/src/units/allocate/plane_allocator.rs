//! Plane allocator: with output queues, gives the planes of one output to packets, one in a cycle.
//!
//! State: `connected`, k x N (the owner of each plane, one-hot), `busy`, k; with `next_vc` the VC on which the packet
//! of each plane leaves.
//!
//! Each cycle, side by side: in each plane an arbiter chooses an input among the requests with room; and plane v is
//! found *available* if it is idle or its owner's tail is popped. The link arbiter chooses among planes with both. By
//! age one arbiter chooses among all requests in available planes. With `transit_first` a second set of arbiters
//! chooses among packets from nodes.
//!
//! Source: switch reference, section 6.2; reference of Dragonfly routing, arbitration.

use crate::units::prelude::*;
use num_bigint::BigUint;

/// Gives the planes of one output to packets, one in a cycle.
#[block(shape: &Shape)]
pub struct PlaneAllocator {
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
    busy: Reg<vcs>,
    /// VC on which the packet of plane v leaves, one-hot.
    leaving: Option<Regs<vcs, vcs, NoReset>, next_vc>,
    oldest: Option<OldestArbiter<{ ports * vcs }>, is_oldest>,
    first: Option<StagedArbiter<ports, vcs, { policy_of(shape) }, true>, { !is_oldest }>,
    second: Option<StagedArbiter<nodes, vcs, { policy_of(shape) }, true>, { puts_transit_first(shape) }>,

    /// A packet has room on VC v.
    has_room: Sig<Local, vcs>,
    /// VC v has room, for the counters.
    roomy: Option<Sig<Local, vcs>, { shape.counter_bits.is_some() }>,
    /// Requests on VC v that have room where they leave.
    allowed: Vec<Sig<Local, ports>, vcs>,
    /// Requests with room in available planes, by the numbers of the ranking.
    asking: Option<Sig<Local, { ports * vcs }>, is_oldest>,
    /// The owner of plane v pops a flit.
    moving: Sig<Local, vcs>,
    /// The owner of plane v pops its tail.
    finishing: Sig<Local, vcs>,
    /// Plane v can be given away.
    available: Sig<Local, vcs>,
    /// The packet that gets its plane, one-hot over the inputs of all VCs.
    winner: Vec<Sig<Local, ports>, vcs>,
    /// Plane v is given to a packet.
    win: Sig<Local, vcs>,
    /// VC on which the winner leaves, one-hot.
    leaves_on: Sig<Local, vcs>,

    /// Inputs from other switches.
    transit: Konst<ports, { (BigUint::from(1u8) << ports) - (BigUint::from(1u8) << nodes) }>,
    is_oldest: Number<bool, { ranks_ages(shape) }>,
    next_vc: Number<bool, { shape.next_vc }>,
    nodes: Number<{ shape.dragonfly().map_or(0, |built| built.node_ports) }>,
    node_field: Field<0, { nodes.max(1) }>,
    ports: Param<{ shape.ports }>,
    vcs: Param<{ shape.vcs }>,
}

impl PlaneAllocator {
    /// The arbiters among inputs; none by age.
    pub fn input_arbiters(&mut self) -> impl Iterator<Item = &mut Arbiter> {
        self.first.iter_mut().chain(&mut self.second).flat_map(StagedArbiter::input_arbiters)
    }
}

#[kernel]
impl PlaneAllocator {
    fn update(&mut self) {
        AllocationSteps::follow_owner(&mut self.moving, &mut self.finishing, &self.connected, &self.io, self.vcs);
        self.find_allowed();
        AllocationSteps::show_room(&self.roomy, &mut self.io, self.vcs);
        self.find_available();
        self.find_oldest();
        self.find_first();
        self.find_second();
        self.grant();
        self.take_room();
        self.send();
        self.state_properties();
    }

    fn find_allowed(&mut self) {
        self.has_room.next = self.io.room.val();
        if let Some(roomy) = &mut self.roomy {
            roomy.next = self.io.room.val();
        }
        for v in 0..self.vcs {
            self.allowed[v].next = 0.into();
            if self.next_vc {
                for u in 0..self.vcs {
                    if self.has_room.val().get_bit(u) {
                        self.allowed[v].next = self.allowed[v].val() | self.io.leave[v * self.vcs + u].val();
                    }
                }
                self.allowed[v].next = self.allowed[v].val() & self.io.request[v].val();
            } else {
                if self.has_room.val().get_bit(v) {
                    self.allowed[v].next = self.io.request[v].val();
                }
            }
        }
    }

    fn find_available(&mut self) {
        self.available.next = !self.busy.q.val() | self.finishing.val();
        if let Some(is_free) = &mut self.io.is_free {
            is_free.next = self.available.val().any();
        }
    }

    /// By age: VC v of input i is requester i * k + v.
    fn find_oldest(&mut self) {
        if let (Some(oldest), Some(asking)) = (&mut self.oldest, &mut self.asking) {
            for n in 0..self.io.ahead.len() {
                oldest.ahead[n].next = self.io.ahead[n].val();
            }
            oldest.request.next = asking.val();
            asking.next = 0.into();
            for v in 0..self.vcs {
                self.winner[v].next = 0.into();
                for i in 0..self.ports {
                    asking.set(i * self.vcs + v, self.allowed[v].val().get_bit(i) & self.available.val().get_bit(v));
                    self.winner[v].set(i, oldest.grant.val().get_bit(i * self.vcs + v));
                }
            }
            assert!(oldest.grant.val().any() | !asking.val().any(), "one of several requests is the oldest");
        }
    }

    fn find_first(&mut self) {
        if let Some(first) = &mut self.first {
            if let Some(available) = &mut first.available {
                available.next = self.available.val();
            }
            for v in 0..self.vcs {
                first.request[v].next = self.allowed[v].val();
                if let Some(transit_first) = &self.io.transit_first {
                    if transit_first.val() {
                        first.request[v].next = self.allowed[v].val() & self.transit.val();
                    }
                }
                self.winner[v].next = first.grant[v].val();
            }
            first.take.next = first.wanted.val();
        }
    }

    /// Packets from nodes, if there is none from another switch.
    fn find_second(&mut self) {
        if let (Some(first), Some(second)) = (&self.first, &mut self.second) {
            if let Some(available) = &mut second.available {
                available.next = self.available.val();
            }
            for v in 0..self.vcs {
                second.request[v].next = self.allowed[v].val() >> self.node_field.val();
                if !first.wanted.val() {
                    self.winner[v].next = unsigned_cast(second.grant[v].val());
                }
            }
            second.take.next = !first.wanted.val() & second.wanted.val();
        }
    }

    fn grant(&mut self) {
        self.win.next = 0.into();
        for v in 0..self.vcs {
            self.win.set(v, self.winner[v].val().any());
            self.io.grant[v].next = self.winner[v].val();
            if self.available.val().get_bit(v) {
                self.connected.d[v].next = self.winner[v].val();
            }
            self.io.owner[v].next = self.connected.q[v].val();
        }
        self.busy.d.next = (self.busy.q.val() & !self.available.val()) | self.win.val();
    }

    /// The winner takes room on the VC on which it leaves: that of its plane, or what it says.
    fn take_room(&mut self) {
        self.leaves_on.next = self.win.val();
        if let Some(leaving) = &mut self.leaving {
            self.leaves_on.next = 0.into();
            for v in 0..self.vcs {
                for u in 0..self.vcs {
                    if (self.winner[v].val() & self.io.leave[v * self.vcs + u].val()).any() {
                        self.leaves_on.set(u, true);
                    }
                }
            }
            for v in 0..self.vcs {
                if self.win.val().get_bit(v) {
                    leaving.d[v].next = self.leaves_on.val();
                }
            }
        }
    }

    fn send(&mut self) {
        self.io.sent.next = self.moving.val();
        if let Some(queued) = &mut self.io.queued {
            queued.taken.next = self.leaves_on.val();
            queued.started.next = self.win.val();
            queued.finished.next = self.finishing.val();
            if let Some(leaving) = &self.leaving {
                for v in 0..self.vcs {
                    queued.leaving[v].next = leaving.q[v].val();
                }
            }
        }
    }

    /// What holds in each cycle.
    fn state_properties(&self) {
        assert!(!(self.win.val() & (self.win.val() - 1)).any(), "one plane in a cycle is given away");
        for v in 0..self.vcs {
            assert!(
                !(self.connected.q[v].val() & (self.connected.q[v].val() - 1)).any(),
                "one input at a time is connected to a plane"
            );
            assert!(
                self.busy.q.val().get_bit(v) == self.connected.q[v].val().any(),
                "a plane is busy if and only if an input is connected to it"
            );
            assert!(!(self.io.grant[v].val() & !self.io.request[v].val()).any(), "only a request is granted");
        }
    }
}

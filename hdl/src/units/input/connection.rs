//! Connection: what one VC of an input port is connected to, and what it requests of the allocators.
//!
//! State: `active` (the VC is connected), `dropping` (the flits of the connected packet are thrown away). Packet-wise
//! also `may_start`, computed a cycle ahead. A connected VC pops in each cycle in which its buffer has a flit. So a
//! tail that is in the buffer in the next cycle leaves in that cycle, unless the VC is held. With the barrier VC also
//! `is_held`, computed a cycle ahead. It depends on the outputs of the packet that becomes connected in the cycle, or
//! else of the packet that was connected before. With output queues `is_held` says in the same way that the queue of
//! the packet has no place.
//!
//! Each cycle: an active VC pops a flit, if there is one (and it is chosen). With the tail it is *finishing*: its next
//! packet may be connected already. A VC that is not active, or is finishing, and has a route is *eligible*: it takes a
//! drop at once, and requests an output otherwise. The allocator checks whether the output has room.
//!
//! Source: switch reference, section 6.

use crate::units::prelude::*;

/// What one VC of an input port is connected to, and what it requests of the allocators.
#[block(shape: &Shape, vc: usize)]
pub struct Connection {
    pub clock: ClockIn,
    pub reset: Flag<In>,
    /// The head of the route queue is drop.
    pub head_drop: Flag<In>,
    /// Output port at the head of the route queue, one-hot.
    pub head_request: Sig<In, ports>,
    /// The buffer has a flit to pop.
    pub ready: Flag<In>,
    /// The buffer has a tail to pop.
    pub ending: Flag<In>,
    /// The buffer has a tail to pop in the next cycle.
    pub ending_next: Option<Flag<In>, { !flit_wise }>,
    /// The link arbiter lets the VC send.
    pub chosen: Option<Flag<In>, flit_wise>,
    /// Output o sends a barrier message in the next cycle.
    pub message_next: Option<Sig<In, ports>, barrier>,
    /// The output queue of output o, in the VC's plane, has no place in the next cycle.
    pub full_next: Option<Sig<In, ports>, queued>,
    /// The VC stays held.
    #[made((barrier || queued).then(|| flag().doc(match queued {
        true => "The output queue to which the VC is connected has no place in the next cycle.",
        false => "An output to which the VC is connected sends a barrier message in the next cycle.",
    })))]
    pub stays_held: Option<Flag<In>>,
    /// Outputs for which a multicast packet waits.
    pub outputs: Option<Sig<In, ports>, { barrier && mixed }>,
    /// The VC is held.
    #[made((barrier || queued).then(|| flag().doc(match queued {
        true => "The output queue of the VC has no place.",
        false => "An output of the VC sends a barrier message.",
    })))]
    pub held: Option<Flag<Out>>,
    /// An allocator connects the VC.
    pub granted: Flag<In>,
    /// The multicast unit connects the VC.
    pub start: Option<Flag<In>, mixed>,
    /// The fan-out takes the head of the route queue.
    pub take_now: Option<Flag<In>, mixed>,
    /// The fan-out takes the head of the route queue if the multicast unit connects the VC.
    pub follows: Option<Flag<In>, mixed>,
    /// The VC requests output o.
    pub request: Sig<Out, ports>,
    /// The head of the route queue is taken.
    pub take: Flag<Out>,
    /// The VC may be connected anew.
    pub may_connect: Option<Flag<Out>, mixed>,
    /// The VC is connected, for contention counters.
    pub is_active: Option<Flag<Out>, { shape.dragonfly().is_some_and(|built| built.contention) }>,
    /// A flit leaves the buffer.
    pub pop: Flag<Out>,
    /// A tail leaves the buffer and is thrown away.
    pub tail_dropped: Flag<Out>,

    /// The VC is connected.
    active: FlagReg,
    /// The VC is connected to no output, and its flits are thrown away.
    dropping: FlagReg,
    /// The VC may be connected anew.
    may_start: Option<FlagReg<true>, { !flit_wise }>,
    #[made((barrier || queued).then(|| flag_reg(false).doc(match queued {
        true => "The output queue of the VC has no place.",
        false => "An output of the VC sends a barrier message.",
    })))]
    is_held: Option<FlagReg>,

    /// The connection lets the VC pop.
    moving: Flag<Local>,
    /// The tail leaves.
    finishing: Flag<Local>,
    /// The VC may be connected anew.
    free: Flag<Local>,
    /// The VC is connected after the current cycle.
    active_after: Flag<Local>,
    /// The VC is connected to no output.
    take_drop: Flag<Local>,
    /// Outputs of the VC's next packet.
    starting: Option<Sig<Local, ports>, barrier>,
    /// The VC is held in the next cycle.
    held_after: Option<Flag<Local>, { barrier || queued }>,

    barrier: Number<bool, { shape.control_vc().is_some() && !queued }>,
    queued: Number<bool, { has_queues(shape) }>,
    mixed: Number<bool, { shape.multicast.is_some_and(|built| built.vc == vc) }>,
    ports: Param<{ shape.ports }>,
    flit_wise: Param<bool, { shape.link_arbitration == LinkArbitration::Flit }>,
}

#[kernel]
impl Connection {
    fn update(&mut self) {
        self.pop();
        self.ask();
        self.connect();
        self.hold();
        self.hold_by_queue();
        self.state_properties();
    }

    fn pop(&mut self) {
        self.moving.next = self.active.q.val();
        if let Some(chosen) = &self.chosen {
            self.moving.next = self.active.q.val() & (chosen.val() | self.dropping.q.val());
        }
        self.pop.next = self.moving.val() & self.ready.val();
        self.finishing.next = self.moving.val() & self.ending.val();
        self.tail_dropped.next = self.finishing.val() & self.dropping.q.val();
    }

    fn ask(&mut self) {
        self.free.next = !self.active.q.val() | self.finishing.val();
        if let (Some(may_start), Some(ending_next)) = (&mut self.may_start, &self.ending_next) {
            self.free.next = may_start.q.val();
            may_start.d.next = !self.active_after.val() | ending_next.val();
            if let Some(held_after) = &self.held_after {
                may_start.d.next = !self.active_after.val() | (ending_next.val() & !held_after.val());
            }
        }
        if let Some(may_connect) = &mut self.may_connect {
            may_connect.next = self.free.val();
        }
        self.take_drop.next = self.free.val() & self.head_drop.val();
        self.request.next = 0.into();
        for o in 0..self.ports {
            self.request.set(o, self.free.val() & self.head_request.val().get_bit(o));
        }
    }

    fn connect(&mut self) {
        self.take.next = self.take_drop.val() | self.granted.val();
        self.active_after.next =
            self.take_drop.val() | self.granted.val() | (self.active.q.val() & !self.finishing.val());
        if let (Some(take_now), Some(start), Some(follows)) = (&self.take_now, &self.start, &self.follows) {
            self.take.next = take_now.val() | self.granted.val() | (start.val() & follows.val());
            self.active_after.next = self.active_after.val() | start.val();
        }
        self.active.d.next = self.active_after.val();
        if let Some(is_active) = &mut self.is_active {
            is_active.next = self.active.q.val();
        }
        self.dropping.d.next = self.take_drop.val() | (self.dropping.q.val() & !self.finishing.val());
    }

    /// Held: by the outputs of the packet that is connected in this cycle, or else of the one that was; nothing holds
    /// what is dropped.
    fn hold(&mut self) {
        if let (Some(starting), Some(held_after), Some(stays_held), Some(message_next), Some(is_held), Some(held)) = (
            &mut self.starting,
            &mut self.held_after,
            &self.stays_held,
            &self.message_next,
            &mut self.is_held,
            &mut self.held,
        ) {
            starting.next = self.head_request.val();
            if let Some(outputs) = &self.outputs {
                starting.next = self.head_request.val() | outputs.val();
            }
            held_after.next = stays_held.val() & !self.take_drop.val();
            if self.granted.val() {
                held_after.next = (starting.val() & message_next.val()).any();
            }
            if let Some(start) = &self.start {
                if start.val() {
                    held_after.next = (starting.val() & message_next.val()).any();
                }
            }
            is_held.d.next = held_after.val();
            held.next = is_held.q.val();
        }
    }

    /// Held by the output queue of the packet that is connected in this cycle, or else of the one that was.
    fn hold_by_queue(&mut self) {
        if let (Some(held_after), Some(stays_held), Some(full_next), Some(is_held), Some(held)) =
            (&mut self.held_after, &self.stays_held, &self.full_next, &mut self.is_held, &mut self.held)
        {
            held_after.next = stays_held.val() & !self.take_drop.val();
            if self.granted.val() {
                held_after.next = (self.head_request.val() & full_next.val()).any();
            }
            is_held.d.next = held_after.val();
            held.next = is_held.q.val();
        }
    }

    /// What holds in each cycle.
    fn state_properties(&self) {
        if self.granted.val() {
            assert!(self.free.val(), "a VC is granted an output only while it may be connected");
            assert!(!self.head_drop.val(), "no packet that is dropped gets an output");
        }
        assert!(self.active.q.val() | !self.dropping.q.val(), "a VC whose packet is dropped counts as connected");
        if let Some(start) = &self.start {
            if start.val() {
                assert!(!self.granted.val(), "no VC gets outputs from allocator and multicast unit at once");
            }
        }
    }
}

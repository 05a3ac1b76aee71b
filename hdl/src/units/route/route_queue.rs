//! Route queue of a VC: the results of its packets, in order.
//!
//! With `next_vc`, `push_port` and `slot_port` are whole [`route`](super::layout)s. Of the mixed VC `push_port` has the
//! bit that makes it a multicast packet's. Only where there is a CAM are there results that are pending, with
//! `push_pending` and all that is called `slot`.
//!
//! State: the head register (`drop_result`, `wanted`, with `next_vc` also `leaving`, of the mixed VC also `multicast`
//! and `group`) and, in [`result_fifo`](mod@result_fifo), all else.
//!
//! Each cycle: an empty or taken head register is loaded from the queue, or from the push if the queue is empty. All
//! else that is pushed goes into the queue. A pending head waits for its miss slot. The head is a register so that the
//! allocator has its whole cycle, and one-hot so that it is a request as it is; `take` and `push_*` come late and meet
//! in one multiplexer, of which `take` alone is the last: it chooses between what follows and what the head is if it is
//! not taken. With `next_vc` a route without `vc_set` gets the own VC as it comes in, so that queue and head hold the
//! VC on which the packet leaves.
//!
//! Source: switch reference, section 5.

use crate::units::prelude::*;

/// Route queue of a VC: results of route computation in the order of the packets. A pending head takes over the result
/// of the VC's oldest miss slot.
#[block(depth: usize, ports: usize, cam: bool, leaves: usize, vc_bits: usize, mixed: Option<MixedLayout>)]
pub struct RouteQueue {
    pub clock: ClockIn,
    pub reset: Flag<In>,
    /// A result arrives.
    pub push: Flag<In>,
    /// The arriving result is pending until the CAM answers.
    pub push_pending: Option<Flag<In>, cam>,
    /// The arriving result is drop.
    pub push_drop: Flag<In>,
    /// Output port or route of the arriving result.
    #[made(sig(result_bits).doc(match names_vc {
        true => "Route of the arriving result: vc_set, vc, port.",
        false => "Output port of the arriving result.",
    }))]
    pub push_port: Sig<In>,
    /// The VC's oldest miss slot is done.
    pub slot_done: Option<Flag<In>, cam>,
    /// The result of the VC's oldest miss slot is drop.
    pub slot_drop: Option<Flag<In>, cam>,
    /// Output port or route of the VC's oldest miss slot.
    #[made(cam.then(|| {
        sig(route_bits).doc(match names_vc {
            true => "Route of the VC's oldest miss slot: vc_set, vc, port.",
            false => "Output port of the VC's oldest miss slot.",
        })
    }))]
    pub slot_port: Option<Sig<In>>,
    /// VC whose results are in the queue.
    pub own_vc: Option<Sig<In, vc_bits>, names_vc>,
    /// The head takes over the slot's result, and the slot is freed.
    pub slot_freed: Option<Flag<Out>, cam>,
    /// The head is pending.
    pub head_pending: Option<Flag<Out>>,
    /// The head is taken.
    pub take: Flag<In>,
    /// The head is there and is drop.
    pub head_drop: Flag<Out>,
    /// Output port at the head; zero if the head is no output port.
    pub head_request: Sig<Out, ports>,
    /// VC on which the packet at the head leaves, one-hot.
    pub head_vc: Option<Sig<Out, leaves>, names_vc>,
    /// The head is there and is a multicast packet's.
    pub head_multicast: Option<Flag<Out>, is_mixed>,
    /// Group of the multicast packet at the head.
    pub head_group: Option<Sig<Out, number_bits>, is_mixed>,

    /// The head register holds drop.
    drop_result: FlagReg,
    /// Output port in the head register, one-hot; zero if the register holds none.
    wanted: Reg<ports>,
    /// VC on which the packet in the head register leaves, one-hot.
    leaving: Option<Reg<leaves, NoReset>, names_vc>,
    /// The head register holds a multicast packet's group.
    multicast: Option<FlagReg, is_mixed>,
    /// Group in the head register.
    group: Option<Reg<number_bits, NoReset>, is_mixed>,
    fifo: ResultFifo<depth, { entry_multicast_bit + usize::from(is_mixed) }, cam>,

    /// Arriving result, as an entry of the queue.
    #[made(sig(entry_multicast_bit + usize::from(is_mixed)).doc(match names_vc {
        true => "Arriving result, as an entry of the queue: VC, port.",
        false => "Arriving result, as an entry of the queue: port.",
    }))]
    entry: Sig<Local>,
    /// Output port to load. Meaningful if the result is a port.
    next_port: Sig<Local, port_bits>,
    /// Output port to load, one-hot.
    next_wanted: Sig<Local, ports>,
    /// Output port of the slot's result, one-hot.
    slot_wanted: Option<Sig<Local, ports>, cam>,
    /// VC on which the packet of the arriving result leaves.
    push_vc: Option<Sig<Local, vc_bits>, names_vc>,
    /// VC on which the slot's packet leaves.
    slot_vc: Option<Sig<Local, vc_bits>, { cam && names_vc }>,
    /// VC on which the packet of the result to load leaves.
    next_vc: Option<Sig<Local, vc_bits>, names_vc>,
    /// VC on which the packet of the result to load leaves, one-hot.
    next_leaving: Option<Sig<Local, leaves>, names_vc>,
    /// VC on which the slot's packet leaves, one-hot.
    slot_leaving: Option<Sig<Local, leaves>, { cam && names_vc }>,
    /// The result to load is a multicast packet's.
    next_multicast: Option<Flag<Local>, is_mixed>,

    port_field: Field<0, port_bits>,
    vc_field: Field<port_bits, { vc_bits.max(1) }>,
    vc_set: Number<{ port_bits + vc_bits }>,
    group_field: Field<0, { number_bits.max(1) }>,
    multicast_bit: Number<{ result_bits - usize::from(is_mixed) }>,
    entry_multicast_bit: Number<{ vc_set.max(number_bits) }>,
    leaves: Number,
    names_vc: Number<bool, { leaves > 0 }>,
    port_bits: Number<{ clog2(ports).max(1) }>,
    route_bits: Number<{ vc_set + usize::from(names_vc) }>,
    result_bits: Number<{ mixed.as_ref().map_or(route_bits, |m| m.bits) }>,
    number_bits: Number<{ mixed.as_ref().map_or(0, |m| m.group_bits) }>,
    cam: Number<bool>,
    is_mixed: Number<bool, { mixed.is_some() }>,
    depth: Param,
    ports: Param,
    vcs: Param<Option<usize>, { names_vc.then_some(leaves) }>,
    group_bits: Param<Option<usize>, { is_mixed.then_some(number_bits) }>,
}

/// The route queue of VC `vc` of a switch of the given shape.
pub fn route_queue_of(shape: &Shape, vc: usize) -> RouteQueue {
    let (vcs, vc_bits) = if shape.next_vc { (shape.vcs, shape.vc_bits as usize) } else { (0, 0) };
    let cam = matches!(shape.routing, RoutingShape::Table(_));
    let route_bits = shape.port_bits as usize + vc_bits + usize::from(shape.next_vc);
    let mixed = mixed_layout(shape, route_bits).filter(|mixed| mixed.vc == vc);
    route_queue(shape.buffer_flits as usize, shape.ports, cam, vcs, vc_bits, mixed)
}

impl RouteQueue {
    /// The same with `head_pending`, for counters; only with results that can be pending.
    pub fn counted(mut self) -> Self {
        self.head_pending = Some(flag());
        self.fifo = self.fifo.counted();
        self
    }
}

#[kernel]
impl RouteQueue {
    fn update(&mut self) {
        self.find_next();
        self.head_pending.link(&mut self.fifo.head_pending);
        self.take_over();
        self.load();
        self.find_slot_vc();
        self.load_vc();
        self.load_group();
        self.queue();
        self.show();
        self.state_properties();
    }

    fn find_next(&mut self) {
        self.next_port.next = self.fifo.next_word.val() >> self.port_field.val();
        self.next_wanted.next = 0.into();
        for o in 0..self.ports {
            self.next_wanted.set(o, self.fifo.next_routed.val() & (self.next_port.val() == o));
        }
        if let Some(next_multicast) = &mut self.next_multicast {
            next_multicast.next =
                self.fifo.next_routed.val() & self.fifo.next_word.val().get_bit(self.entry_multicast_bit);
            if next_multicast.val() {
                self.next_wanted.next = 0.into();
            }
        }
    }

    /// A pending head takes over the result of its miss slot.
    fn take_over(&mut self) {
        self.slot_freed.link(&mut self.fifo.slot_freed);
        self.push_pending.link(&mut self.fifo.push_pending);
        self.slot_done.link(&mut self.fifo.slot_done);
        if let (Some(slot_freed), Some(slot_wanted), Some(slot_drop), Some(slot_port)) =
            (&self.slot_freed, &mut self.slot_wanted, &self.slot_drop, &self.slot_port)
        {
            slot_wanted.next = 0.into();
            for o in 0..self.ports {
                slot_wanted.set(o, !slot_drop.val() & ((slot_port.val() >> self.port_field.val()) == o));
            }
            if slot_freed.val() {
                self.drop_result.d.next = slot_drop.val();
                self.wanted.d.next = slot_wanted.val();
            }
        }
    }

    fn load(&mut self) {
        if self.fifo.vacant.val() {
            self.drop_result.d.next = self.fifo.next_drop.val();
            self.wanted.d.next = self.next_wanted.val();
        }
        if self.take.val() {
            self.drop_result.d.next = self.fifo.next_drop.val();
            self.wanted.d.next = self.next_wanted.val();
        }
    }

    /// The VC on which the packet of a miss slot leaves.
    fn find_slot_vc(&mut self) {
        if let (Some(slot_vc), Some(own_vc), Some(slot_port), Some(slot_leaving)) =
            (&mut self.slot_vc, &self.own_vc, &self.slot_port, &mut self.slot_leaving)
        {
            slot_vc.next = own_vc.val();
            if slot_port.val().get_bit(self.vc_set) {
                slot_vc.next = slot_port.val() >> self.vc_field.val();
            }
            slot_leaving.next = 0.into();
            for u in 0..self.leaves {
                slot_leaving.set(u, slot_vc.val() == u);
            }
        }
    }

    fn load_vc(&mut self) {
        if let (Some(push_vc), Some(own_vc), Some(next_vc), Some(next_leaving), Some(leaving), Some(head_vc)) = (
            &mut self.push_vc,
            &self.own_vc,
            &mut self.next_vc,
            &mut self.next_leaving,
            &mut self.leaving,
            &mut self.head_vc,
        ) {
            push_vc.next = own_vc.val();
            if self.push_port.val().get_bit(self.vc_set) {
                push_vc.next = self.push_port.val() >> self.vc_field.val();
            }
            next_vc.next = self.fifo.next_word.val() >> self.vc_field.val();
            next_leaving.next = 0.into();
            for u in 0..self.leaves {
                next_leaving.set(u, next_vc.val() == u);
            }
            leaving.d.next = leaving.q.val();
            if let (Some(slot_leaving), Some(slot_freed)) = (&self.slot_leaving, &self.slot_freed) {
                if slot_freed.val() {
                    leaving.d.next = slot_leaving.val();
                }
            }
            if self.fifo.vacant.val() {
                leaving.d.next = next_leaving.val();
            }
            if self.take.val() {
                leaving.d.next = next_leaving.val();
            }
            head_vc.next = leaving.q.val();
        }
    }

    /// A multicast packet's group in place of an output port.
    fn load_group(&mut self) {
        if let (Some(multicast), Some(group), Some(next_multicast), Some(head_multicast), Some(head_group)) =
            (&mut self.multicast, &mut self.group, &self.next_multicast, &mut self.head_multicast, &mut self.head_group)
        {
            multicast.d.next = multicast.q.val();
            group.d.next = group.q.val();
            if self.fifo.vacant.val() {
                multicast.d.next = next_multicast.val();
                group.d.next = self.fifo.next_word.val() >> self.group_field.val();
            }
            if self.take.val() {
                multicast.d.next = next_multicast.val();
                group.d.next = self.fifo.next_word.val() >> self.group_field.val();
            }
            head_multicast.next = multicast.q.val();
            head_group.next = group.q.val();
        }
    }

    fn queue(&mut self) {
        self.fifo.push.next = self.push.val();
        self.fifo.push_drop.next = self.push_drop.val();
        self.entry.next = 0.into();
        self.entry.set(self.port_field.val(), self.push_port.val() >> self.port_field.val());
        if let Some(push_vc) = &self.push_vc {
            self.entry.set(self.vc_field.val(), push_vc.val());
        }
        if self.multicast.is_some() {
            if self.push_port.val().get_bit(self.multicast_bit) {
                self.entry.next = unsigned_cast(self.push_port.val() >> self.group_field.val());
                self.entry.set(self.entry_multicast_bit, true);
            }
        }
        self.fifo.push_word.next = self.entry.val();
        self.fifo.take.next = self.take.val();
    }

    fn show(&mut self) {
        self.head_drop.next = self.drop_result.q.val();
        self.head_request.next = self.wanted.q.val();
    }

    /// What holds in each cycle.
    fn state_properties(&self) {
        assert!(!(self.wanted.q.val() & (self.wanted.q.val() - 1)).any(), "the head requests at most one output");
        assert!(!self.drop_result.q.val() | !self.wanted.q.val().any(), "a head that is drop requests no output");
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn started() -> Bench<RouteQueue> {
        let mut bench = Bench::new(route_queue(4, 8, true, 0, 0, None), |b| &mut b.clock);
        bench.reset.next = true;
        bench.cycle();
        bench.reset.next = false;
        bench
    }

    fn cycle_with(bench: &mut Bench<RouteQueue>, push: Option<u32>) {
        bench.push.next = push.is_some();
        bench.push_port.next = push.unwrap_or(0).into();
        bench.cycle();
        bench.push.next = false;
        bench.take.next = false;
        bench.push_pending.as_mut().unwrap().next = false;
    }

    #[test]
    fn empty_queue_is_bypassed_and_order_is_kept() {
        let mut bench = started();
        cycle_with(&mut bench, Some(1));
        assert_eq!(bench.head_request.val(), 1 << 1);
        cycle_with(&mut bench, Some(2));
        bench.take.next = true;
        // 2 was pushed in the cycle before: it is in the queue, but cannot be popped yet, and 3 may not overtake it.
        cycle_with(&mut bench, Some(3));
        assert_eq!(bench.head_request.val(), 0);
        for port in [2, 3] {
            cycle_with(&mut bench, None);
            assert_eq!(bench.head_request.val(), 1 << port);
            bench.take.next = true;
        }
        cycle_with(&mut bench, None);
        assert_eq!(bench.head_request.val(), 0);
    }

    #[test]
    fn pending_head_waits_for_its_slot() {
        let mut bench = started();
        bench.push_pending.as_mut().unwrap().next = true;
        cycle_with(&mut bench, Some(0));
        cycle_with(&mut bench, Some(5));
        assert!(!bench.head_request.val().any() && !bench.slot_freed.as_mut().unwrap().val());
        bench.slot_done.as_mut().unwrap().next = true;
        bench.slot_port.as_mut().unwrap().next = 6.into();
        bench.settle();
        assert!(bench.slot_freed.as_mut().unwrap().val());
        cycle_with(&mut bench, None);
        bench.slot_done.as_mut().unwrap().next = false;
        assert_eq!(bench.head_request.val(), 1 << 6);
        bench.take.next = true;
        cycle_with(&mut bench, None);
        assert_eq!(bench.head_request.val(), 1 << 5);
    }

    #[test]
    fn each_result_leaves_on_the_vc_it_names_or_on_its_own() {
        let mut config = railyard_spec::Config::named("test");
        (config.ports, config.virtual_channels.unicast) = (5, 3);
        config.routing =
            railyard_spec::Routing::Table(railyard_spec::TableRouting { next_vc: true, ..Default::default() });
        let route = |set: u32, vc: u32, port: u32| set << 5 | vc << 3 | port;
        let mut bench = Bench::new(route_queue_of(&config.check().unwrap().shape(), 1), |b| &mut b.clock);
        bench.reset.next = true;
        bench.cycle();
        bench.reset.next = false;
        bench.own_vc.as_mut().unwrap().next = 1.into();
        // Straight into the head, from the queue, and from the slot of a pending result; (port, VC) in the end.
        let pushed = [(0, 2, 4), (1, 2, 3), (1, 0, 0), (0, 0, 2), (1, 1, 1)];
        for (set, vc, port) in pushed {
            cycle_with(&mut bench, Some(route(set, vc, port)));
        }
        bench.push_pending.as_mut().unwrap().next = true;
        cycle_with(&mut bench, Some(0));
        bench.push_pending.as_mut().unwrap().next = true;
        cycle_with(&mut bench, Some(0));
        let mut seen = vec![];
        for cycle in 0..20 {
            bench.slot_done.as_mut().unwrap().next = cycle > 10;
            bench.slot_port.as_mut().unwrap().next =
                if seen.len() == 5 { route(1, 0, 4) } else { route(0, 0, 3) }.into();
            bench.settle();
            let request = bench.head_request.val();
            if request.any() {
                seen.push((request.to_u128().trailing_zeros(), bench.head_vc.as_mut().unwrap().val().to_u128()));
                bench.take.next = true;
            }
            cycle_with(&mut bench, None);
        }
        let (v0, v1, v2) = (1, 2, 4);
        assert_eq!(seen, [(4, v1), (3, v2), (0, v0), (2, v1), (1, v1), (4, v0), (3, v1)]);
    }
}

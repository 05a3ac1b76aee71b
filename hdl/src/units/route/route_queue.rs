//! Route queue of a VC: the results of its packets, in order.
//!
//! | port | width | meaning |
//! | --- | --- | --- |
//! | `push`, `push_pending` | 1, 1 | the next result; it is pending |
//! | `push_drop`, `push_port` | 1, port bits | else it is drop, else this port |
//! | `slot_done`, `slot_drop`, `slot_port` | 1, 1, port bits | the VC's oldest miss slot is done, with this result |
//! | `own_vc` | VC bits | the VC whose results these are (with `next_vc` only, a constant) |
//! | `slot_freed` | 1 | the head was pending and takes the slot's result: the slot is freed |
//! | `head_drop`, `head_request` | 1, N | the oldest result, if it is there and not pending: drop, or an output port (one-hot) |
//! | `head_vc` | k | the VC on which it leaves, one-hot (with `next_vc` only; counts while `head_request` is not zero) |
//! | `head_multicast`, `head_group` | 1, group bits | or it is a multicast packet's: this group (mixed VC only) |
//! | `head_pending` | 1 | the head is pending (only with counters) |
//! | `take` | 1 | it is taken (only while there is one) |
//!
//! With `next_vc`, `push_port` and `slot_port` are whole [`route`](super::layout)s. Of the mixed VC `push_port` has the bit that makes it a
//! multicast packet's. Only where there is a CAM are there results that are pending, with `push_pending` and all that is called `slot`.
//!
//! State: the head register (`drop_result`, `wanted`, with `next_vc` also `leaving`, of the mixed VC also `multicast` and `group`) and, in
//! [`result_fifo`](super::result_fifo), all else.
//!
//! Each cycle: an empty or taken head register is loaded from the queue, or from the push if the queue is empty. All
//! else that is pushed goes into the queue. A pending head waits for its miss slot. The head is a register so that the
//! allocator has its whole cycle, and one-hot so that it is a request as it is; `take` and `push_*` come late and meet in
//! one multiplexer, of which `take` alone is the last: it chooses between what follows and what the head is if it is not
//! taken. With `next_vc` a route without `vc_set` gets the own VC as it comes in, so that queue and head hold the VC
//! on which the packet leaves.
//!
//! Source: switch reference, section 5.

use crate::rtl::prelude::*;
use crate::units::route::layout::{mixed_layout, MixedLayout};
use crate::units::route::result_fifo::{result_fifo, ResultFifo};
use railyard_spec::{RoutingShape, Shape};

/// Results of route computation in order; see the head of this file.
#[block]
pub struct RouteQueue {
    pub clock: ClockIn,
    pub reset: Flag<In>,
    pub push: Flag<In>,
    pub push_pending: Vec<Flag<In>>,
    pub push_drop: Flag<In>,
    pub push_port: Sig<In>,
    pub slot_done: Vec<Flag<In>>,
    pub slot_drop: Vec<Flag<In>>,
    pub slot_port: Vec<Sig<In>>,
    pub own_vc: Vec<Sig<In>>,
    pub slot_freed: Vec<Flag<Out>>,
    pub head_pending: Vec<Flag<Out>>,
    pub take: Flag<In>,
    pub head_drop: Flag<Out>,
    pub head_request: Sig<Out>,
    pub head_vc: Vec<Sig<Out>>,
    pub head_multicast: Vec<Flag<Out>>,
    pub head_group: Vec<Sig<Out>>,

    drop_result: FlagReg,
    wanted: Reg,
    leaving: Vec<Reg>,
    multicast: Vec<FlagReg>,
    group: Vec<Reg>,
    fifo: ResultFifo,

    entry: Sig<Local>,
    next_port: Sig<Local>,
    next_wanted: Sig<Local>,
    slot_wanted: Vec<Sig<Local>>,
    push_vc: Vec<Sig<Local>>,
    slot_vc: Vec<Sig<Local>>,
    next_vc: Vec<Sig<Local>>,
    next_leaving: Vec<Sig<Local>>,
    slot_leaving: Vec<Sig<Local>>,
    next_multicast: Vec<Flag<Local>>,

    ports: Param,
    vcs: Param,
    port_field: Field,
    vc_field: Field,
    vc_set: Param,
    group_field: Field,
    multicast_bit: Param,
    entry_multicast_bit: Param,
    about: About,
}

const ROUTE_QUEUE: &str =
    "Route queue of a VC: results of route computation in the order of the packets. A pending head \
                           takes over the result of the VC's oldest miss slot.";

/// A queue of `depth` (a power of two) results, pending or one of `ports` outputs each, behind the head register.
pub fn route_queue(depth: usize, ports: usize) -> RouteQueue {
    build(depth, ports, true, 0, 0, None)
}

/// The route queue of VC `vc` of a switch of the given shape.
pub fn route_queue_of(shape: &Shape, vc: usize) -> RouteQueue {
    let (vcs, vc_bits) = if shape.next_vc { (shape.vcs, shape.vc_bits as usize) } else { (0, 0) };
    let cam = matches!(shape.routing, RoutingShape::Table(_));
    let route_bits = shape.port_bits as usize + vc_bits + usize::from(shape.next_vc);
    let mixed = mixed_layout(shape, route_bits).filter(|mixed| mixed.vc == vc);
    build(shape.buffer_flits as usize, shape.ports, cam, vcs, vc_bits, mixed)
}

/// With pending results if there is a `cam`, and results that name one of `vcs` VCs, or none if that is 0; or, of the mixed VC, a group.
fn build(depth: usize, ports: usize, cam: bool, vcs: usize, vc_bits: usize, mixed: Option<MixedLayout>) -> RouteQueue {
    let slot = usize::from(cam);
    let port_bits = clog2(ports).max(1);
    let plain = vcs == 0;
    let next_vc = usize::from(!plain);
    let route_bits = port_bits + vc_bits + next_vc;
    let result_bits = mixed.as_ref().map_or(route_bits, |m| m.bits);
    let group_bits = mixed.as_ref().map_or(0, |m| m.group_bits);
    let is_mixed = usize::from(mixed.is_some());
    let entry_multicast_bit = (port_bits + vc_bits).max(group_bits);
    let entry_bits = entry_multicast_bit + is_mixed;
    let about = about("route_queue", ROUTE_QUEUE).param("depth", depth).param("ports", ports);
    RouteQueue {
        clock: clock(),
        reset: flag().doc("synchronous reset, active high"),
        push: flag().doc("a result comes"),
        push_pending: many(slot, || flag().doc("it is pending: the CAM will tell")),
        push_drop: flag().doc("it is drop"),
        push_port: sig(result_bits).doc(if plain {
            "it is this output port"
        } else {
            "it is this route: vc_set, vc, port"
        }),
        slot_done: many(slot, || flag().doc("the VC's oldest miss slot is done")),
        slot_drop: many(slot, || flag().doc("its result is drop")),
        slot_port: many(slot, || {
            sig(route_bits).doc(if plain {
                "its result is this output port"
            } else {
                "its result is this route: vc_set, vc, port"
            })
        }),
        own_vc: many(next_vc, || sig(vc_bits).doc("VC whose results these are")),
        slot_freed: many(slot, || flag().doc("the head takes over that result: the slot is freed")),
        head_pending: vec![],
        take: flag().doc("the head is taken"),
        head_drop: flag().doc("there is a head and it is drop"),
        head_request: sig(ports).doc("there is a head and it is this output port"),
        head_vc: many(next_vc, || sig(vcs).doc("VC on which it leaves, one-hot")),
        head_multicast: many(is_mixed, || flag().doc("there is a head and it is a multicast packet's")),
        head_group: many(is_mixed, || sig(group_bits).doc("this group")),
        drop_result: flag_reg(false).doc("head register: it is drop"),
        wanted: reg(ports, 0u8).doc("head register: it is this output port, one-hot; zero if it is anything else"),
        leaving: many(next_vc, || reg_no_reset(vcs).doc("head register: VC on which it leaves, one-hot")),
        multicast: many(is_mixed, || flag_reg(false).doc("head register: it is a multicast packet's")),
        group: many(is_mixed, || reg_no_reset(group_bits).doc("head register: this group")),
        fifo: result_fifo(depth, entry_bits, cam),
        entry: sig(entry_bits).doc(if plain { "what is pushed: port" } else { "what is pushed: VC, port" }),
        next_port: sig(port_bits).doc("output port to load, if it is one"),
        next_wanted: sig(ports).doc("the same, one-hot"),
        slot_wanted: many(slot, || sig(ports).doc("output port of the slot's result, one-hot")),
        push_vc: many(next_vc, || sig(vc_bits).doc("VC on which what is pushed leaves")),
        slot_vc: many(slot * next_vc, || sig(vc_bits).doc("VC on which the slot's packet leaves")),
        next_vc: many(next_vc, || sig(vc_bits).doc("VC on which what is loaded leaves")),
        next_leaving: many(next_vc, || sig(vcs).doc("the same, one-hot")),
        slot_leaving: many(slot * next_vc, || sig(vcs).doc("VC on which the slot's packet leaves, one-hot")),
        next_multicast: many(is_mixed, || flag().doc("what is loaded is a multicast packet's")),
        ports: param(ports),
        vcs: param(vcs),
        port_field: field(0, port_bits),
        vc_field: field(port_bits, vc_bits.max(1)),
        vc_set: param(port_bits + vc_bits),
        group_field: field(0, group_bits.max(1)),
        multicast_bit: param(result_bits - is_mixed),
        entry_multicast_bit: param(entry_multicast_bit),
        about: match (plain, is_mixed == 1) {
            (true, false) => about,
            (true, true) => about.param("group_bits", group_bits),
            (false, false) => about.param("vcs", vcs),
            (false, true) => about.param("vcs", vcs).param("group_bits", group_bits),
        },
    }
}

impl RouteQueue {
    /// The same with `head_pending`, for counters; only with results that can be pending.
    pub fn counted(mut self) -> Self {
        self.head_pending = vec![flag().doc("the head is pending")];
        self.fifo = self.fifo.counted();
        self
    }
}

#[kernel]
impl RouteQueue {
    fn update(&mut self) {
        self.next_port.next = self.fifo.next_word.val() >> self.port_field.val();
        self.next_wanted.next = 0.into();
        for o in 0..self.ports.val() {
            self.next_wanted.next =
                self.next_wanted.val().replace_bit(o, self.fifo.next_routed.val() & (self.next_port.val() == o));
        }
        for c in 0..self.next_multicast.len() {
            self.next_multicast[c].next =
                self.fifo.next_routed.val() & self.fifo.next_word.val().get_bit(self.entry_multicast_bit.val());
            if self.next_multicast[c].val() {
                self.next_wanted.next = 0.into();
            }
        }

        for c in 0..self.head_pending.len() {
            self.head_pending[c].next = self.fifo.head_pending[c].val();
        }

        // A pending head takes over the result of its miss slot.
        for m in 0..self.slot_wanted.len() {
            self.slot_freed[m].next = self.fifo.slot_freed[m].val();
            self.slot_wanted[m].next = 0.into();
            for o in 0..self.ports.val() {
                self.slot_wanted[m].next = self.slot_wanted[m].val().replace_bit(
                    o,
                    !self.slot_drop[m].val() & ((self.slot_port[m].val() >> self.port_field.val()) == o),
                );
            }
            if self.fifo.slot_freed[m].val() {
                self.drop_result.d.next = self.slot_drop[m].val();
                self.wanted.d.next = self.slot_wanted[m].val();
            }
            self.fifo.push_pending[m].next = self.push_pending[m].val();
            self.fifo.slot_done[m].next = self.slot_done[m].val();
        }
        if self.fifo.vacant.val() {
            self.drop_result.d.next = self.fifo.next_drop.val();
            self.wanted.d.next = self.next_wanted.val();
        }
        if self.take.val() {
            self.drop_result.d.next = self.fifo.next_drop.val();
            self.wanted.d.next = self.next_wanted.val();
        }

        // The VC on which it leaves.
        for c in 0..self.slot_vc.len() {
            self.slot_vc[c].next = self.own_vc[c].val();
            if self.slot_port[c].val().get_bit(self.vc_set.val()) {
                self.slot_vc[c].next = self.slot_port[c].val() >> self.vc_field.val();
            }
            self.slot_leaving[c].next = 0.into();
            for u in 0..self.vcs.val() {
                self.slot_leaving[c].next = self.slot_leaving[c].val().replace_bit(u, self.slot_vc[c].val() == u);
            }
        }
        for c in 0..self.leaving.len() {
            self.push_vc[c].next = self.own_vc[c].val();
            if self.push_port.val().get_bit(self.vc_set.val()) {
                self.push_vc[c].next = self.push_port.val() >> self.vc_field.val();
            }
            self.next_vc[c].next = self.fifo.next_word.val() >> self.vc_field.val();
            self.next_leaving[c].next = 0.into();
            for u in 0..self.vcs.val() {
                self.next_leaving[c].next = self.next_leaving[c].val().replace_bit(u, self.next_vc[c].val() == u);
            }
            self.leaving[c].d.next = self.leaving[c].q.val();
            for m in 0..self.slot_leaving.len() {
                if self.fifo.slot_freed[m].val() {
                    self.leaving[c].d.next = self.slot_leaving[m].val();
                }
            }
            if self.fifo.vacant.val() {
                self.leaving[c].d.next = self.next_leaving[c].val();
            }
            if self.take.val() {
                self.leaving[c].d.next = self.next_leaving[c].val();
            }
            self.head_vc[c].next = self.leaving[c].q.val();
        }

        // A multicast packet's group in place of an output port.
        for c in 0..self.multicast.len() {
            self.multicast[c].d.next = self.multicast[c].q.val();
            self.group[c].d.next = self.group[c].q.val();
            if self.fifo.vacant.val() {
                self.multicast[c].d.next = self.next_multicast[c].val();
                self.group[c].d.next = self.fifo.next_word.val() >> self.group_field.val();
            }
            if self.take.val() {
                self.multicast[c].d.next = self.next_multicast[c].val();
                self.group[c].d.next = self.fifo.next_word.val() >> self.group_field.val();
            }
            self.head_multicast[c].next = self.multicast[c].q.val();
            self.head_group[c].next = self.group[c].q.val();
        }

        self.fifo.push.next = self.push.val();
        self.fifo.push_drop.next = self.push_drop.val();
        self.entry.next = 0.into();
        self.entry.next =
            self.entry.val().replace_bit(self.port_field.val(), self.push_port.val() >> self.port_field.val());
        for c in 0..self.push_vc.len() {
            self.entry.next = self.entry.val().replace_bit(self.vc_field.val(), self.push_vc[c].val());
        }
        for _mixed in 0..self.multicast.len() {
            if self.push_port.val().get_bit(self.multicast_bit.val()) {
                self.entry.next = unsigned_cast(self.push_port.val() >> self.group_field.val());
                self.entry.next = self.entry.val().replace_bit(self.entry_multicast_bit.val(), true);
            }
        }
        self.fifo.push_word.next = self.entry.val();
        self.fifo.take.next = self.take.val();

        self.head_drop.next = self.drop_result.q.val();
        self.head_request.next = self.wanted.q.val();
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn started() -> Bench<RouteQueue> {
        let mut bench = Bench::new(route_queue(4, 8), |b| &mut b.clock);
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
        bench.push_pending[0].next = false;
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
        bench.push_pending[0].next = true;
        cycle_with(&mut bench, Some(0));
        cycle_with(&mut bench, Some(5));
        assert!(!bench.head_request.val().any() && !bench.slot_freed[0].val());
        bench.slot_done[0].next = true;
        bench.slot_port[0].next = 6.into();
        bench.settle();
        assert!(bench.slot_freed[0].val());
        cycle_with(&mut bench, None);
        bench.slot_done[0].next = false;
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
        let mut bench = Bench::new(route_queue_of(&config.shape(), 1), |b| &mut b.clock);
        bench.reset.next = true;
        bench.cycle();
        bench.reset.next = false;
        bench.own_vc[0].next = 1.into();
        // Straight into the head, from the queue, and from the slot of a pending result; (port, VC) in the end.
        let pushed = [(0, 2, 4), (1, 2, 3), (1, 0, 0), (0, 0, 2), (1, 1, 1)];
        for (set, vc, port) in pushed {
            cycle_with(&mut bench, Some(route(set, vc, port)));
        }
        bench.push_pending[0].next = true;
        cycle_with(&mut bench, Some(0));
        bench.push_pending[0].next = true;
        cycle_with(&mut bench, Some(0));
        let mut seen = vec![];
        for cycle in 0..20 {
            bench.slot_done[0].next = cycle > 10;
            bench.slot_port[0].next = if seen.len() == 5 { route(1, 0, 4) } else { route(0, 0, 3) }.into();
            bench.settle();
            let request = bench.head_request.val();
            if request.any() {
                seen.push((request.to_u128().trailing_zeros(), bench.head_vc[0].val().to_u128()));
                bench.take.next = true;
            }
            cycle_with(&mut bench, None);
        }
        let (v0, v1, v2) = (1, 2, 4);
        assert_eq!(seen, [(4, v1), (3, v2), (0, v0), (2, v1), (1, v1), (4, v0), (3, v1)]);
    }
}

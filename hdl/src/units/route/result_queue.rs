//! Result queue of a VC: the route queue of a switch with output selection. What is at its head is a whole route.
//!
//! | port | width | meaning |
//! | --- | --- | --- |
//! | `push`, `push_pending` | 1, 1 | the next result; it is pending |
//! | `push_drop`, `push_port` | 1, route bits | else it is drop, else this [`route`](super::layout) |
//! | `slot_done`, `slot_drop`, `slot_port` | 1, 1, route bits | the VC's oldest miss slot is done, with this result |
//! | `slot_freed` | 1 | the head was pending and takes the slot's result: the slot is freed |
//! | `head_drop`, `head_routed` | 1, 1 | the oldest result is there and not pending: it is drop; it is a route |
//! | `head_route` | route bits | this one |
//! | `head_pending` | 1 | the head is pending (only with counters) |
//! | `take` | 1 | it is taken (only while there is one that is not pending) |
//!
//! A result of the mixed VC has one bit more, which makes it a multicast packet's: whoever reads the head tells.
//!
//! State: the head register (`drop_result`, `routed`, `route`) and, in [`result_fifo`](super::result_fifo), all else.
//!
//! Each cycle: what [`route_queue`](super::route_queue) does, in the same cycles. But the head is kept as it came: output selection, which
//! has a register behind it, makes a request of it.
//!
//! Source: switch reference, section 5.

use crate::rtl::prelude::*;
use crate::units::route::result_fifo::{result_fifo, ResultFifo};

/// Results of route computation in order; see the head of this file.
#[block]
pub struct ResultQueue {
    pub clock: ClockIn,
    pub reset: Flag<In>,
    pub push: Flag<In>,
    pub push_pending: Flag<In>,
    pub push_drop: Flag<In>,
    pub push_port: Sig<In>,
    pub slot_done: Flag<In>,
    pub slot_drop: Flag<In>,
    pub slot_port: Sig<In>,
    pub slot_freed: Flag<Out>,
    pub head_pending: Vec<Flag<Out>>,
    pub take: Flag<In>,
    pub head_drop: Flag<Out>,
    pub head_routed: Flag<Out>,
    pub head_route: Sig<Out>,

    drop_result: FlagReg,
    routed: FlagReg,
    route: Reg,
    fifo: ResultFifo,

    about: About,
}

/// A queue of `depth` (a power of two) results behind the head register, with routes of `route_bits`.
pub fn result_queue(depth: usize, route_bits: usize) -> ResultQueue {
    let doc = "Route queue of a VC in front of output selection: results of route computation, whole routes, in the \
               order of the packets. A pending head takes over the result of the VC's oldest miss slot.";
    ResultQueue {
        clock: clock(),
        reset: flag().doc("synchronous reset, active high"),
        push: flag().doc("a result comes"),
        push_pending: flag().doc("it is pending: the CAM will tell"),
        push_drop: flag().doc("it is drop"),
        push_port: sig(route_bits).doc("it is this route"),
        slot_done: flag().doc("the VC's oldest miss slot is done"),
        slot_drop: flag().doc("its result is drop"),
        slot_port: sig(route_bits).doc("its result is this route"),
        slot_freed: flag().doc("the head takes over that result: the slot is freed"),
        head_pending: vec![],
        take: flag().doc("the head is taken"),
        head_drop: flag().doc("there is a head and it is drop"),
        head_routed: flag().doc("there is a head and it is a route"),
        head_route: sig(route_bits).doc("this one"),
        drop_result: flag_reg(false).doc("head register: it is drop"),
        routed: flag_reg(false).doc("head register: it is a route"),
        route: reg_no_reset(route_bits).doc("head register: this one"),
        fifo: result_fifo(depth, route_bits, true),
        about: about("result_queue", doc).param("depth", depth).param("route_bits", route_bits),
    }
}

impl ResultQueue {
    /// The same with `head_pending`, for counters.
    pub fn counted(mut self) -> Self {
        self.head_pending = vec![flag().doc("the head is pending")];
        self.fifo = self.fifo.counted();
        self
    }
}

#[kernel]
impl ResultQueue {
    fn update(&mut self) {
        self.fifo.push.next = self.push.val();
        self.fifo.push_pending[0].next = self.push_pending.val();
        self.fifo.push_drop.next = self.push_drop.val();
        self.fifo.push_word.next = self.push_port.val();
        self.fifo.slot_done[0].next = self.slot_done.val();
        self.fifo.take.next = self.take.val();
        self.slot_freed.next = self.fifo.slot_freed[0].val();
        for c in 0..self.head_pending.len() {
            self.head_pending[c].next = self.fifo.head_pending[c].val();
        }

        if self.fifo.vacant.val() | self.take.val() {
            self.drop_result.d.next = self.fifo.next_drop.val();
            self.routed.d.next = self.fifo.next_routed.val();
            self.route.d.next = self.fifo.next_word.val();
        } else if self.fifo.slot_freed[0].val() {
            self.drop_result.d.next = self.slot_drop.val();
            self.routed.d.next = !self.slot_drop.val();
            self.route.d.next = self.slot_port.val();
        }

        self.head_drop.next = self.drop_result.q.val();
        self.head_routed.next = self.routed.q.val();
        self.head_route.next = self.route.q.val();
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::units::route::route_queue::route_queue;

    /// Side by side with the route queue: the same results in the same cycles, whatever comes.
    #[test]
    fn keeps_step_with_the_route_queue() {
        let mut bench = Bench::new(result_queue(4, 3), |b| &mut b.clock);
        let mut other = Bench::new(route_queue(4, 8), |b| &mut b.clock);
        let (mut random, mut kept, mut seen) = (5u64, 0, 0);
        let mut draw = move |n: u64| {
            random = random.wrapping_mul(6364136223846793005).wrapping_add(1442695040888963407);
            (random >> 33) % n
        };
        for cycle in 0..2000 {
            let push = kept < 5 && draw(2) == 0;
            let (pending, drop, port, reset) = (draw(3) == 0, draw(4) == 0, draw(8), cycle == 0 || draw(300) == 0);
            let (done, slot_drop, slot_port) = (draw(2) == 0, draw(4) == 0, draw(8));
            macro_rules! drive {
                ($b:ident $(, $slot:tt)?) => {
                    $b.push.next = push;
                    $b.push_pending$([$slot])?.next = pending;
                    $b.push_drop.next = drop;
                    $b.push_port.next = port.into();
                    $b.slot_done$([$slot])?.next = done;
                    $b.slot_drop$([$slot])?.next = slot_drop;
                    $b.slot_port$([$slot])?.next = slot_port.into();
                    $b.reset.next = reset;
                    $b.take.next = false;
                };
            }
            drive!(bench);
            drive!(other, 0);
            bench.settle();
            other.settle();
            assert_eq!(bench.head_drop.val(), other.head_drop.val(), "cycle {cycle}");
            let request = if bench.head_routed.val() { 1 << bench.head_route.val().to_u128() } else { 0 };
            assert_eq!(request, other.head_request.val().to_u128(), "cycle {cycle}");
            assert_eq!(bench.slot_freed.val(), other.slot_freed[0].val(), "cycle {cycle}");
            let take = (bench.head_drop.val() || bench.head_routed.val()) && draw(2) == 0;
            bench.take.next = take;
            other.take.next = take;
            bench.cycle();
            other.cycle();
            kept = if reset { 0 } else { kept + usize::from(push) - usize::from(take) };
            seen += usize::from(take);
        }
        assert!(seen > 400, "{seen} results");
    }
}

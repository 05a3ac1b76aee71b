//! Result queue of a VC: the route queue of a switch with output selection. What is at its head is a whole route.
//!
//! A result of the mixed VC has one bit more, which marks a multicast packet. The block that reads the head decodes the
//! bit.
//!
//! State: the head register (`drop_result`, `routed`, `route`) and, in [`result_fifo`](mod@result_fifo), all else.
//!
//! Each cycle: what [`route_queue`](mod@route_queue) does, in the same cycles. But the head is kept as it came:
//! output selection, which has a register behind it, makes a request of it.
//!
//! Source: switch reference, section 5.

use crate::units::prelude::*;

/// Route queue of a VC in front of output selection: results of route computation, whole routes, in the order of the
/// packets. A pending head takes over the result of the VC's oldest miss slot.
#[block(depth: usize, route_bits: usize, cam: bool)]
pub struct ResultQueue {
    pub clock: ClockIn,
    pub reset: Flag<In>,
    /// A result arrives.
    pub push: Flag<In>,
    /// The arriving result is pending until the CAM answers.
    pub push_pending: Option<Flag<In>, cam>,
    /// The arriving result is drop.
    pub push_drop: Flag<In>,
    /// Route of the arriving result.
    pub push_port: Sig<In, route_bits>,
    /// The VC's oldest miss slot is done.
    pub slot_done: Option<Flag<In>, cam>,
    /// The result of the VC's oldest miss slot is drop.
    pub slot_drop: Option<Flag<In>, cam>,
    /// Route of the VC's oldest miss slot.
    pub slot_port: Option<Sig<In, route_bits>, cam>,
    /// The head takes over the slot's result, and the slot is freed.
    pub slot_freed: Option<Flag<Out>, cam>,
    /// The head is pending.
    pub head_pending: Option<Flag<Out>>,
    /// The head is taken.
    pub take: Flag<In>,
    /// The head is there and is drop.
    pub head_drop: Flag<Out>,
    /// The head is there and is a route.
    pub head_routed: Flag<Out>,
    /// Route at the head.
    pub head_route: Sig<Out, route_bits>,

    /// The head register holds drop.
    drop_result: FlagReg,
    /// The head register holds a route.
    routed: FlagReg,
    /// Route in the head register.
    route: Reg<route_bits, NoReset>,
    fifo: ResultFifo<depth, route_bits, cam>,

    depth: Param,
    route_bits: Param,
}

impl ResultQueue {
    /// The same with `head_pending`, for counters.
    pub fn counted(mut self) -> Self {
        self.head_pending = Some(flag());
        self.fifo = self.fifo.counted();
        self
    }
}

#[kernel]
impl ResultQueue {
    fn update(&mut self) {
        self.fifo.push.next = self.push.val();
        self.fifo.push_drop.next = self.push_drop.val();
        self.fifo.push_word.next = self.push_port.val();
        self.fifo.take.next = self.take.val();
        self.head_pending.link(&mut self.fifo.head_pending);
        self.push_pending.link(&mut self.fifo.push_pending);
        self.slot_done.link(&mut self.fifo.slot_done);
        self.slot_freed.link(&mut self.fifo.slot_freed);

        if self.fifo.vacant.val() | self.take.val() {
            self.drop_result.d.next = self.fifo.next_drop.val();
            self.routed.d.next = self.fifo.next_routed.val();
            self.route.d.next = self.fifo.next_word.val();
        } else if let (Some(freed), Some(dropped), Some(port)) = (&self.slot_freed, &self.slot_drop, &self.slot_port) {
            if freed.val() {
                self.drop_result.d.next = dropped.val();
                self.routed.d.next = !dropped.val();
                self.route.d.next = port.val();
            }
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
        let mut bench = Bench::new(result_queue(4, 3, true), |b| &mut b.clock);
        let mut other = Bench::new(route_queue(4, 8, true, 0, 0, None), |b| &mut b.clock);
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
                ($b:ident) => {
                    $b.push.next = push;
                    $b.push_pending.as_mut().unwrap().next = pending;
                    $b.push_drop.next = drop;
                    $b.push_port.next = port.into();
                    $b.slot_done.as_mut().unwrap().next = done;
                    $b.slot_drop.as_mut().unwrap().next = slot_drop;
                    $b.slot_port.as_mut().unwrap().next = slot_port.into();
                    $b.reset.next = reset;
                    $b.take.next = false;
                };
            }
            drive!(bench);
            drive!(other);
            bench.settle();
            other.settle();
            assert_eq!(bench.head_drop.val(), other.head_drop.val(), "cycle {cycle}");
            let request = if bench.head_routed.val() { 1 << bench.head_route.val().to_u128() } else { 0 };
            assert_eq!(request, other.head_request.val().to_u128(), "cycle {cycle}");
            assert_eq!(
                bench.slot_freed.as_ref().unwrap().val(),
                other.slot_freed.as_ref().unwrap().val(),
                "cycle {cycle}"
            );
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

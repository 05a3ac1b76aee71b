//! Plane queue: the flits that one plane of the crossbar has delivered to one output, and that wait for the link.
//!
//! State: a register file of Q words; `write_pointer` and `read_pointer`, log2 Q bits; `count`, the flits stored;
//! `some` (not empty).
//!
//! Each cycle: a flit arrives, and is stored unless it passes. The oldest flit may leave. A flit stored in cycle t can
//! leave from t + 1 on. `arrives` and `passes` come late, `pop` early.
//!
//! Source: switch reference, section 6.2.

use crate::units::prelude::*;

/// The flits that one plane has delivered to one output. A flit arrives only while there is a place, and passes only an
/// empty queue.
#[block(depth: usize, width: usize)]
#[requires(depth.is_power_of_two() && depth > 1, "a queue's depth is a power of two")]
pub struct PlaneQueue {
    pub clock: ClockIn,
    pub reset: Flag<In>,
    /// A flit arrives.
    pub arrives: Flag<In>,
    /// The arriving flit goes past the queue and is not stored.
    pub passes: Flag<In>,
    /// Flit that arrives.
    pub arriving: Sig<In, width>,
    /// The oldest flit leaves.
    pub pop: Flag<In>,
    /// There is a flit in the queue.
    pub filled: Flag<Out>,
    /// The oldest flit, while filled.
    pub front: Sig<Out, width>,
    /// The queue has no place for a flit in the next cycle.
    pub full_next: Flag<Out>,

    /// Place of the next flit.
    write_pointer: Reg<pointer_bits>,
    /// Place of the oldest flit.
    read_pointer: Reg<pointer_bits>,
    /// Flits in the queue.
    count: Reg<{ pointer_bits + 1 }>,
    /// Register of `filled`.
    some: FlagReg,
    words: RegisterFile<depth, width>,

    /// The arriving flit is stored.
    push: Flag<Local>,
    /// Flits in the queue after the current cycle.
    count_after: Sig<Local, { pointer_bits + 1 }>,

    pointer_bits: Number<{ clog2(depth) }>,
    depth: Param,
    width: Param,
}

#[kernel]
impl PlaneQueue {
    fn update(&mut self) {
        self.push.next = self.arrives.val() & !self.passes.val();
        self.words.write_enable.next = self.push.val();
        self.words.write_address.next = self.write_pointer.q.val();
        self.words.write_data.next = self.arriving.val();
        self.words.read_address.next = self.read_pointer.q.val();
        self.front.next = self.words.read_data.val();
        if self.push.val() {
            self.write_pointer.d.next = self.write_pointer.q.val() + 1;
        }
        if self.pop.val() {
            self.read_pointer.d.next = self.read_pointer.q.val() + 1;
        }
        self.count_after.next = self.count.q.val();
        if self.push.val() & !self.pop.val() {
            self.count_after.next = self.count.q.val() + 1;
        }
        if self.pop.val() & !self.push.val() {
            self.count_after.next = self.count.q.val() - 1;
        }
        self.count.d.next = self.count_after.val();
        self.some.d.next = self.count_after.val().any();
        self.filled.next = self.some.q.val();
        // A queue with one free place is not empty, so no flit passes it.
        self.full_next.next = !self.pop.val()
            & ((self.count.q.val() == self.depth) | (self.arrives.val() & (self.count.q.val() == self.depth - 1)));
        self.state_properties();
    }

    /// What holds in each cycle.
    fn state_properties(&self) {
        if self.arrives.val() {
            assert!(self.count.q.val() != self.depth, "a flit arrives only while there is a place");
        }
        if self.passes.val() {
            assert!(self.arrives.val() & !self.some.q.val(), "only a flit that comes to an empty queue passes it");
        }
        if self.pop.val() {
            assert!(self.some.q.val(), "a flit leaves only if there is one");
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::collections::VecDeque;

    /// Against a list: order, the cycle from which a flit can leave, and the place in the next cycle.
    #[test]
    fn keeps_order_and_time() {
        for depth in [2usize, 4, 16, 32] {
            let mut bench = Bench::new(plane_queue(depth, 16), |b| &mut b.clock);
            bench.reset.next = true;
            bench.cycle();
            bench.reset.next = false;
            let mut queue = VecDeque::new();
            let (mut random, mut passed, mut filled_up) = (0x1234_5678_9abc_def1u64, 0, 0);
            for cycle in 0..4000u64 {
                random = random.wrapping_mul(6364136223846793005).wrapping_add(1442695040888963407);
                let arrives = queue.len() < depth && random >> 40 & 3 != 0;
                let passes = arrives && queue.is_empty() && random >> 44 & 1 == 1;
                // It fills, and is then empty most of the time, in turn.
                let pop = !queue.is_empty() && (random >> 50 & 7 > 5 || cycle / 200 % 2 == 1);
                (bench.arrives.next, bench.passes.next, bench.pop.next) = (arrives, passes, pop);
                bench.arriving.next = (cycle & 0xffff).into();
                bench.settle();
                assert_eq!(bench.filled.val(), !queue.is_empty(), "cycle {cycle}");
                if let Some(front) = queue.front() {
                    assert_eq!(bench.front.val().to_u128(), u128::from(*front), "cycle {cycle}");
                }
                if pop {
                    queue.pop_front();
                }
                if arrives && !passes {
                    queue.push_back(cycle & 0xffff);
                }
                assert_eq!(bench.full_next.val(), queue.len() == depth, "cycle {cycle}");
                (passed, filled_up) = (passed + u64::from(passes), filled_up + u64::from(queue.len() == depth));
                bench.cycle();
            }
            assert!(passed > 50 && filled_up > 50, "{passed} {filled_up}");
        }
    }
}

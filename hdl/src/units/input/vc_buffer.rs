//! VC buffer: the flits of one virtual channel of one input port.
//!
//! | port | width | meaning |
//! | --- | --- | --- |
//! | `push`, `push_head`, `push_tail`, `push_flit` | 1, 1, 1, W | store a flit |
//! | `front_valid`, `front_head`, `front_tail`, `front_flit` | | the oldest flit, if it can be popped |
//! | `ending`, `ending_next` | 1 | it can be popped and is a tail; the same of the next cycle |
//! | `pop` | 1 | remove it (only while `front_valid`) |
//! | `almost_full`, `full` | 1 | at most one place is free, none is |
//!
//! State: a queue for head mark and flit, which counts what it holds; the tail marks, newest lowest, in a shift register of D
//! bits beside it, the oldest where the count says; `front_tail`; `ending`.
//!
//! Each cycle: pushes and pops, at the full rate of one each. A flit pushed in cycle t can be popped from t + 2 on.
//! `front_valid`, `front_tail` and `ending` are registers: the allocator needs them early in the cycle, and the memory answers late.
//!
//! Source: switch reference, section 3 (buffer).

use crate::parts::fifo::{fifo, Fifo};
use crate::rtl::prelude::*;
use railyard_spec::Shape;

/// Buffer of one VC; see the head of this file.
#[block]
pub struct VcBuffer {
    pub clock: ClockIn,
    pub reset: Flag<In>,
    pub push: Flag<In>,
    pub push_head: Flag<In>,
    pub push_tail: Flag<In>,
    pub push_flit: Sig<In>,
    pub pop: Flag<In>,
    pub front_valid: Flag<Out>,
    pub front_head: Flag<Out>,
    pub front_tail: Flag<Out>,
    pub front_flit: Sig<Out>,
    pub ending: Flag<Out>,
    pub ending_next: Flag<Out>,
    pub almost_full: Flag<Out>,
    pub full: Flag<Out>,

    tails: Reg,
    oldest_tail: FlagReg,
    tail_ready: FlagReg,
    queue: Fifo,

    pushed_tails: Sig<Local>,
    tail_after: Flag<Local>,
    ready_tail_after: Flag<Local>,
    first: Sig<Local>,
    second: Sig<Local>,
    word: Sig<Local>,

    flit_bits: Param,
    flit: Field,
    depth: Param,
    about: About,
}

/// Buffer of one VC.
pub fn vc_buffer(shape: &Shape) -> VcBuffer {
    let (w, depth, bits) = (shape.flit_bits as usize, shape.buffer_flits as usize, shape.buffer_bits as usize);
    VcBuffer {
        clock: clock(),
        reset: flag().doc("synchronous reset, active high"),
        push: flag().doc("store a flit"),
        push_head: flag().doc("it is the first of a packet"),
        push_tail: flag().doc("it is the last of a packet"),
        push_flit: sig(w).doc("its bits"),
        pop: flag().doc("remove the oldest flit"),
        front_valid: flag().doc("the oldest flit can be popped"),
        front_head: flag().doc("it is the first of a packet"),
        front_tail: flag().doc("it is the last of a packet"),
        front_flit: sig(w).doc("its bits"),
        ending: flag().doc("the oldest flit can be popped and is a tail"),
        ending_next: flag().doc("so it is in the next cycle"),
        almost_full: flag().doc("at most one place is free"),
        full: flag().doc("no place is free"),
        tails: reg_no_reset(depth).doc("tail marks, newest lowest"),
        oldest_tail: flag_reg_no_reset().doc("tail mark of the oldest flit"),
        tail_ready: flag_reg(false).doc("ending"),
        queue: fifo(depth, w + 1),
        pushed_tails: sig(depth).doc("tail marks with that of the flit that is stored"),
        tail_after: flag().doc("tail mark of the oldest flit after this cycle"),
        ready_tail_after: flag().doc("ending after this cycle"),
        first: sig(bits).doc("where the oldest tail mark is"),
        second: sig(bits).doc("where the second oldest is"),
        word: sig(w + 1).doc("head mark and flit"),
        flit_bits: param(w),
        flit: field(0, w),
        depth: param(depth),
        about: about("vc_buffer", "The flits of one virtual channel of one input port.")
            .param("flit_bits", w)
            .param("depth", depth),
    }
}

#[kernel]
impl VcBuffer {
    fn update(&mut self) {
        self.full.next = self.queue.stored.val() == self.depth.val();
        self.almost_full.next = self.queue.stored.val() >= self.depth.val() - 1;

        self.first.next = unsigned_cast(self.queue.stored.val());
        self.first.next = self.first.val() - 1;
        self.second.next = self.first.val() - 1;
        self.tail_after.next = self.tails.q.val().get_bit(self.first.val());
        if self.pop.val() {
            self.tail_after.next = self.tails.q.val().get_bit(self.second.val());
        }
        self.oldest_tail.d.next = self.tail_after.val();
        self.ready_tail_after.next = self.tail_after.val() & self.queue.front_valid_next.val();
        self.tail_ready.d.next = self.ready_tail_after.val();
        self.ending_next.next = self.ready_tail_after.val();
        self.ending.next = self.tail_ready.q.val();
        self.pushed_tails.next = self.tails.q.val() << 1;
        self.pushed_tails.next = self.pushed_tails.val().replace_bit(0, self.push_tail.val());
        if self.push.val() {
            self.tails.d.next = self.pushed_tails.val();
        }

        self.word.next = 0.into();
        self.word.next = self.word.val().replace_bit(self.flit.val(), self.push_flit.val());
        self.word.next = self.word.val().replace_bit(self.flit_bits.val(), self.push_head.val());
        self.queue.push.next = self.push.val();
        self.queue.push_data.next = self.word.val();
        self.queue.pop.next = self.pop.val();

        self.front_valid.next = self.queue.front_valid.val();
        self.front_head.next = self.queue.front.val().get_bit(self.flit_bits.val());
        self.front_tail.next = self.oldest_tail.q.val();
        self.front_flit.next = self.queue.front.val() >> self.flit.val();
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use railyard_spec::Config;
    use std::collections::VecDeque;

    #[test]
    fn keeps_flits_and_marks() {
        let mut config = Config::named("test");
        config.packet.max_flits = 2;
        let shape = config.shape();
        let depth = shape.buffer_flits as usize;
        let mut bench = Bench::new(vc_buffer(&shape), |b| &mut b.clock);
        bench.reset.next = true;
        bench.cycle();
        bench.reset.next = false;
        let mut queue: VecDeque<(u64, bool, bool)> = VecDeque::new();
        let mut random = 0x1234_5678_9abc_def1u64;
        for cycle in 0..500u64 {
            random = random.wrapping_mul(6364136223846793005).wrapping_add(1442695040888963407);
            bench.settle();
            let front = queue.front().filter(|f| f.0 + 2 <= cycle);
            assert_eq!(bench.front_valid.val(), front.is_some(), "cycle {cycle}");
            if let Some(&(pushed, head, tail)) = front {
                assert_eq!(bench.front_flit.val().to_u128(), pushed as u128);
                assert_eq!((bench.front_head.val(), bench.front_tail.val()), (head, tail), "cycle {cycle}");
            }
            assert_eq!(bench.full.val(), queue.len() == depth);
            assert_eq!(bench.almost_full.val(), queue.len() >= depth - 1);
            let push = queue.len() < depth && random >> 40 & 3 != 0;
            let pop = front.is_some() && random >> 50 & 7 > if cycle % 100 < 50 { 4 } else { 0 };
            let (head, tail) = (random >> 60 & 1 == 1, random >> 61 & 1 == 1);
            bench.push.next = push;
            (bench.push_head.next, bench.push_tail.next) = (head, tail);
            bench.push_flit.next = cycle.into();
            bench.pop.next = pop;
            bench.cycle();
            if pop {
                queue.pop_front();
            }
            if push {
                queue.push_back((cycle, head, tail));
            }
        }
    }
}

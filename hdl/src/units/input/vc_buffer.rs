//! VC buffer: the flits of one virtual channel of one input port.
//!
//! State: a queue for head mark and flit (with error correction, for a code word), which counts what it holds; the tail
//! marks, newest lowest, in a shift register of D bits beside it, the oldest where the count says; `front_tail`;
//! `ending`.
//!
//! Each cycle: pushes and pops, at the full rate of one each. A flit pushed in cycle t can be popped from t + 2 on.
//! `front_valid`, `front_tail` and `ending` are registers: the allocator needs them early in the cycle, and the memory
//! answers late.
//!
//! Source: switch reference, section 3 (buffer).

use crate::units::prelude::*;

/// The flits of one virtual channel of one input port.
#[block(shape: &Shape)]
pub struct VcBuffer {
    pub clock: ClockIn,
    pub reset: Flag<In>,
    /// Store a flit.
    pub push: Flag<In>,
    /// The flit to store is the first of a packet.
    pub push_head: Option<Flag<In>, { head_mark == 1 }>,
    /// The flit to store is the last of a packet.
    pub push_tail: Flag<In>,
    /// Bits of the flit to store.
    pub push_flit: Sig<In, flit_bits>,
    /// Remove the oldest flit.
    pub pop: Flag<In>,
    /// The oldest flit can be popped.
    pub front_valid: Flag<Out>,
    /// The oldest flit is the first of a packet.
    pub front_head: Flag<Out>,
    /// The oldest flit is the last of a packet.
    pub front_tail: Flag<Out>,
    /// Bits of the oldest flit.
    pub front_flit: Sig<Out, flit_bits>,
    /// The oldest flit can be popped and is a tail.
    pub ending: Flag<Out>,
    /// The oldest flit can be popped and is a tail, in the next cycle.
    pub ending_next: Flag<Out>,
    /// At most one place is free.
    pub almost_full: Flag<Out>,
    /// No place is free.
    pub full: Flag<Out>,

    /// Tail marks, newest lowest.
    tails: Reg<depth, NoReset>,
    /// Tail mark of the oldest flit.
    oldest_tail: FlagReg<NoReset>,
    /// Register of `ending`.
    tail_ready: FlagReg,
    /// The oldest flit is the first of a packet: the one behind a tail is.
    expects_head: Option<FlagReg<true>, { head_mark == 0 }>,
    queue: Fifo<depth, { flit_bits + head_mark }>,

    /// Tail marks with that of the flit that is stored.
    pushed_tails: Sig<Local, depth>,
    /// Tail mark of the oldest flit after the current cycle.
    tail_after: Flag<Local>,
    /// Value of `ending` after the current cycle.
    ready_tail_after: Flag<Local>,
    /// Place of the oldest tail mark.
    first: Sig<Local, { shape.buffer_flits.ilog2() as usize }>,
    /// Place of the second oldest tail mark.
    second: Sig<Local, { shape.buffer_flits.ilog2() as usize }>,
    /// Head mark and flit.
    word: Sig<Local, { flit_bits + head_mark }>,

    flit: Field<0, flit_bits>,

    head_mark: Number<{ usize::from(shape.buffer_code.is_none()) }>,

    flit_bits: Param<{ shape.stored_bits() as usize }>,
    depth: Param<{ shape.buffer_flits as usize }>,
}

#[kernel]
impl VcBuffer {
    fn update(&mut self) {
        self.full.next = self.queue.stored.val() == self.depth;
        self.almost_full.next = self.queue.stored.val() >= self.depth - 1;

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
        self.pushed_tails.set(0, self.push_tail.val());
        if self.push.val() {
            self.tails.d.next = self.pushed_tails.val();
        }

        self.word.next = 0.into();
        self.word.set(self.flit.val(), self.push_flit.val());
        if let Some(push_head) = &self.push_head {
            self.word.set(self.flit_bits, push_head.val());
        }
        self.queue.push.next = self.push.val();
        self.queue.push_data.next = self.word.val();
        self.queue.pop.next = self.pop.val();

        self.front_valid.next = self.queue.front_valid.val();
        if let Some(expects_head) = &mut self.expects_head {
            self.front_head.next = expects_head.q.val();
            if self.pop.val() {
                expects_head.d.next = self.oldest_tail.q.val();
            }
        } else {
            self.front_head.next = self.queue.front.val().get_bit(self.flit_bits);
        }
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
        let shape = config.check().unwrap().shape();
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
            bench.push_head.as_mut().unwrap().next = head;
            bench.push_tail.next = tail;
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

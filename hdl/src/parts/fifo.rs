//! First-in first-out queue in memory: an entry pushed in cycle t can be popped from cycle t + 2 on.
//!
//! State: D words; `write_pointer` and `read_pointer`, log2 D bits; `count`, the entries stored; `front_valid` and
//! `empty`, registered so that they are there at the start of a cycle.
//!
//! Each cycle: a pushed entry is written. The memory reads, for the next cycle, the word that will be the oldest after
//! this cycle's pop. That word counts as `front_valid` in the next cycle if it was written before this one (a word is
//! never used that was read while it was written), which makes the two cycles from push to pop. Pushes and pops at the
//! full rate of one each a cycle. `pop` may come late in the cycle: it only selects between two sets of prepared
//! values. A shallow queue is a [`register_file`](mod@super::register_file), which is read in the cycle itself, where
//! `read_pointer` is.
//!
//! Source: switch reference, sections 3 (buffer), 4.2 (header queue), 5 (route queue).

use crate::parts::register_file::{register_file, RegisterFile, MOST_WORDS};
use crate::rtl::prelude::*;

/// Queue in memory: an entry pushed in cycle t can be popped from cycle t + 2 on. Push only while there is room, pop
/// only while front_valid.
#[block(depth: usize, width: usize)]
#[requires(depth.is_power_of_two() && depth > 1, "a queue's depth is a power of two")]
pub struct Fifo {
    pub clock: ClockIn,
    pub reset: Flag<In>,
    /// Store an entry.
    pub push: Flag<In>,
    /// Entry to store.
    pub push_data: Sig<In, width>,
    /// Remove the oldest entry.
    pub pop: Flag<In>,
    /// The oldest entry can be popped.
    pub front_valid: Flag<Out>,
    /// The oldest entry can be popped in the next cycle.
    pub front_valid_next: Flag<Out>,
    /// The oldest entry, while front_valid.
    pub front: Sig<Out, width>,
    /// The queue has no entry, poppable or not.
    pub empty: Flag<Out>,
    /// Number of entries, poppable or not.
    pub stored: Sig<Out, { pointer_bits + 1 }>,

    /// Place of the next entry.
    write_pointer: Reg<pointer_bits>,
    /// Place of the oldest entry.
    read_pointer: Reg<pointer_bits>,
    /// Number of entries, poppable or not.
    count: Reg<{ pointer_bits + 1 }>,
    /// Register of `front_valid`.
    valid: FlagReg,
    /// Register of `empty`.
    none: FlagReg<true>,
    memory: Option<Ram<depth, width>, { !shallow }>,
    words: Option<RegisterFile<depth, width>, shallow>,

    /// Read pointer after the current cycle.
    read_next: Sig<Local, pointer_bits>,
    /// An entry pushed before the current cycle is left after the cycle.
    more: Flag<Local>,

    shallow: Number<bool, { depth <= MOST_WORDS }>,
    pointer_bits: Number<{ clog2(depth) }>,
    depth: Param,
    width: Param,
}

#[kernel]
impl Fifo {
    fn update(&mut self) {
        if self.push.val() {
            assert!(self.count.q.val() != self.depth, "an entry is pushed only while there is room");
        }
        if self.pop.val() {
            assert!(self.valid.q.val(), "an entry is popped only while front_valid");
        }
        self.read_next.next = self.read_pointer.q.val();
        self.more.next = self.count.q.val().any();
        if self.pop.val() {
            self.read_next.next = self.read_pointer.q.val() + 1;
            self.more.next = self.count.q.val() != 1;
        }
        self.read_pointer.d.next = self.read_next.val();
        if self.push.val() {
            self.write_pointer.d.next = self.write_pointer.q.val() + 1;
        }
        if self.push.val() & !self.pop.val() {
            self.count.d.next = self.count.q.val() + 1;
        }
        if self.pop.val() & !self.push.val() {
            self.count.d.next = self.count.q.val() - 1;
        }
        self.valid.d.next = self.more.val();
        self.none.d.next = !self.more.val() & !self.push.val();

        if let Some(memory) = &mut self.memory {
            memory.write_enable.next = self.push.val();
            memory.write_address.next = self.write_pointer.q.val();
            memory.write_data.next = self.push_data.val();
            memory.read_enable.next = self.more.val();
            memory.read_address.next = self.read_next.val();
            self.front.next = memory.read_data.val();
        }
        if let Some(words) = &mut self.words {
            words.write_enable.next = self.push.val();
            words.write_address.next = self.write_pointer.q.val();
            words.write_data.next = self.push_data.val();
            words.read_address.next = self.read_pointer.q.val();
            self.front.next = words.read_data.val();
        }

        self.front_valid.next = self.valid.q.val();
        self.front_valid_next.next = self.more.val();
        self.empty.next = self.none.q.val();
        self.stored.next = self.count.q.val();
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::collections::VecDeque;

    #[test]
    fn keeps_order_and_time() {
        for depth in [2usize, 8, 32] {
            let mut bench = Bench::new(fifo(depth, 16), |b| &mut b.clock);
            bench.reset.next = true;
            bench.cycle();
            bench.reset.next = false;
            let mut queue: VecDeque<(u64, u64)> = VecDeque::new();
            let mut random = 0x1234_5678_9abc_def1u64;
            for cycle in 0..400u64 {
                random = random.wrapping_mul(6364136223846793005).wrapping_add(1442695040888963407);
                bench.settle();
                let front = queue.front().filter(|(pushed, _)| pushed + 2 <= cycle).map(|(_, data)| *data);
                assert_eq!(bench.front_valid.val(), front.is_some(), "cycle {cycle}");
                assert_eq!(bench.empty.val(), queue.is_empty(), "cycle {cycle}");
                if let Some(data) = front {
                    assert_eq!(bench.front.val().to_u128(), data as u128);
                }
                let push = queue.len() < depth && random >> 40 & 3 != 0;
                let pop = front.is_some() && (random >> 50 & 3 != 0 || cycle > 300);
                bench.push.next = push;
                bench.push_data.next = ((cycle * 7) & 0xffff).into();
                bench.pop.next = pop;
                bench.cycle();
                if pop {
                    queue.pop_front();
                }
                if push {
                    queue.push_back((cycle, (cycle * 7) & 0xffff));
                }
            }
        }
    }
}

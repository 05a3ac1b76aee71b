//! First-in first-out queue in memory: an entry pushed in cycle t can be popped from cycle t + 2 on.
//!
//! | port | width | meaning |
//! | --- | --- | --- |
//! | `push`, `push_data` | 1, W | store an entry (never when D are stored) |
//! | `front_valid`, `front` | 1, W | the oldest entry, if it can be popped |
//! | `front_valid_next` | 1 | so it is in the next cycle |
//! | `pop` | 1 | remove it (only while `front_valid`) |
//! | `empty` | 1 | there is no entry at all, poppable or not |
//! | `stored` | log2 D + 1 | entries, poppable or not |
//!
//! State: D words; `write_pointer` and `read_pointer`, log2 D bits; `count`, the entries stored; `front_valid` and `empty`,
//! registered so that they are there at the start of a cycle.
//!
//! Each cycle: a pushed entry is written. The memory reads, for the next cycle, the word that will be the oldest after
//! this cycle's pop. That word counts as `front_valid` in the next cycle if it was written before this one (a word is
//! never used that was read while it was written), which makes the two cycles from push to pop. Pushes and pops at the
//! full rate of one each a cycle. `pop` may come late in the cycle: it only selects between two sets of prepared values.
//! A shallow queue is a [`register_file`](super::register_file), which is read in the cycle itself, where `read_pointer` is.
//!
//! Source: switch reference, sections 3 (buffer), 4.2 (header queue), 5 (route queue).

use crate::parts::register_file::{register_file, RegisterFile, MOST_WORDS};
use crate::rtl::prelude::*;

/// Queue in memory; see the head of this file.
#[block]
pub struct Fifo {
    pub clock: ClockIn,
    pub reset: Flag<In>,
    pub push: Flag<In>,
    pub push_data: Sig<In>,
    pub pop: Flag<In>,
    pub front_valid: Flag<Out>,
    pub front_valid_next: Flag<Out>,
    pub front: Sig<Out>,
    pub empty: Flag<Out>,
    pub stored: Sig<Out>,

    write_pointer: Reg,
    read_pointer: Reg,
    count: Reg,
    valid: FlagReg,
    none: FlagReg,
    memory: Vec<Ram>,
    words: Vec<RegisterFile>,

    read_next: Sig<Local>,
    more: Flag<Local>,

    about: About,
}

/// A queue of `depth` (a power of two) entries of `width` bits.
pub fn fifo(depth: usize, width: usize) -> Fifo {
    assert!(depth.is_power_of_two() && depth > 1, "a queue's depth is a power of two");
    let pointer_bits = clog2(depth);
    let shallow = usize::from(depth <= MOST_WORDS);
    let doc = "Queue in memory: an entry pushed in cycle t can be popped from cycle t + 2 on. Push only while there \
               is room, pop only while front_valid.";
    Fifo {
        clock: clock(),
        reset: flag().doc("synchronous reset, active high"),
        push: flag().doc("store an entry"),
        push_data: sig(width).doc("the entry"),
        pop: flag().doc("remove the oldest entry"),
        front_valid: flag().doc("the oldest entry can be popped"),
        front_valid_next: flag().doc("so it is in the next cycle"),
        front: sig(width).doc("the oldest entry, while front_valid"),
        empty: flag().doc("there is no entry at all, poppable or not"),
        stored: sig(pointer_bits + 1).doc("entries, poppable or not"),
        write_pointer: reg(pointer_bits, 0u8).doc("where the next entry goes"),
        read_pointer: reg(pointer_bits, 0u8).doc("where the oldest entry is"),
        count: reg(pointer_bits + 1, 0u8).doc("entries, poppable or not"),
        valid: flag_reg(false).doc("front_valid"),
        none: flag_reg(true).doc("empty"),
        memory: many(1 - shallow, || ram(depth, width)),
        words: many(shallow, || register_file(depth, width)),
        read_next: sig(pointer_bits).doc("read pointer after this cycle"),
        more: flag().doc("an entry pushed before this cycle is left after it"),
        about: about("fifo", doc).param("depth", depth).param("width", width),
    }
}

#[kernel]
impl Fifo {
    fn update(&mut self) {
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

        for m in 0..self.memory.len() {
            self.memory[m].write_enable.next = self.push.val();
            self.memory[m].write_address.next = self.write_pointer.q.val();
            self.memory[m].write_data.next = self.push_data.val();
            self.memory[m].read_address.next = self.read_next.val();
            self.front.next = self.memory[m].read_data.val();
        }
        for w in 0..self.words.len() {
            self.words[w].write_enable.next = self.push.val();
            self.words[w].write_address.next = self.write_pointer.q.val();
            self.words[w].write_data.next = self.push_data.val();
            self.words[w].read_address.next = self.read_pointer.q.val();
            self.front.next = self.words[w].read_data.val();
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

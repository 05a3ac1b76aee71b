//! First-in first-out queue in memory whose `pop` and `bypassed` may come at the very end of a cycle.
//!
//! In each cycle the same as the part [`fifo`](mod@super::fifo) to which only what is not bypassed is pushed: an entry
//! pushed in cycle t can be popped from t + 2 on.
//!
//! State: memory of D words; `write_pointer` and `fetch_pointer`, log2 D + 1 bits; the oldest entries that have left
//! the memory already, two at most: in the registers `first` and `second`, and, if `arriving`, what the memory reads
//! out; `none` (empty); `hollow` (the word in memory is one that was bypassed).
//!
//! Each cycle: a word is fetched if there is one and at most one entry is outside of the memory. Even if no pop comes,
//! there is a register for it; and if one comes in each cycle, there is an entry in each cycle. So the address of the
//! memory depends on registers only, and `pop` only selects what the registers keep: two more entries than the part
//! `fifo` needs are the price, which narrow entries can pay. What comes is written, and `write_pointer` moves, whether
//! it is bypassed or not: if it is, which happens to an empty queue only, `fetch_pointer` goes past its word in the
//! next cycle, in place of a fetch.
//!
//! Source: switch reference, section 5 (route queue).

use crate::rtl::prelude::*;

/// Queue in memory whose pop may come late: the oldest entries are fetched ahead. An entry pushed in cycle t can be
/// popped from cycle t + 2 on. Push only while there is room, bypass only while empty.
#[block(depth: usize, width: usize)]
#[requires(depth.is_power_of_two() && depth > 1, "a queue's depth is a power of two")]
pub struct PrefetchFifo {
    pub clock: ClockIn,
    pub reset: Flag<In>,
    /// An entry arrives.
    pub push: Flag<In>,
    /// Entry that arrives.
    pub push_data: Sig<In, width>,
    /// The arriving entry goes past the queue and is not stored.
    pub bypassed: Flag<In>,
    /// Remove the oldest entry, if the entry can be popped.
    pub pop: Flag<In>,
    /// The oldest entry can be popped.
    pub front_valid: Flag<Out>,
    /// The oldest entry, while front_valid.
    pub front: Sig<Out, width>,
    /// The queue has no entry, poppable or not.
    pub empty: Flag<Out>,

    /// Place of the next entry.
    write_pointer: Reg<pointer_bits>,
    /// Place of the oldest entry in the memory.
    fetch_pointer: Reg<pointer_bits>,
    /// The memory reads out an entry.
    arriving: FlagReg,
    /// The register `first` holds the oldest entry.
    first_valid: FlagReg,
    /// The oldest entry.
    first: Reg<width, NoReset>,
    /// The register `second` holds the entry behind the oldest.
    second_valid: FlagReg,
    /// Entry behind the oldest.
    second: Reg<width, NoReset>,
    /// Register of `empty`.
    none: FlagReg<true>,
    /// The word in memory was bypassed.
    hollow: FlagReg,
    memory: Ram<depth, width>,

    /// The memory holds an entry that was not fetched.
    stored: Flag<Local>,
    /// The oldest entry in the memory is fetched.
    fetch: Flag<Local>,
    /// Two entries are outside of the memory.
    two: Flag<Local>,
    /// Entry behind the oldest.
    behind: Sig<Local, width>,
    /// An entry pushed before the current cycle is left after the cycle.
    left: Flag<Local>,

    pointer_bits: Number<{ clog2(depth) + 1 }>,
    depth: Param,
    width: Param,
}

#[kernel]
impl PrefetchFifo {
    fn update(&mut self) {
        // Fetch.
        self.stored.next = (self.fetch_pointer.q.val() != self.write_pointer.q.val()) & !self.hollow.q.val();
        self.two.next = self.first_valid.q.val() & (self.second_valid.q.val() | self.arriving.q.val());
        self.fetch.next = self.stored.val() & !self.two.val();
        self.arriving.d.next = self.fetch.val();
        if self.fetch.val() | self.hollow.q.val() {
            self.fetch_pointer.d.next = self.fetch_pointer.q.val() + 1;
        }
        self.memory.read_enable.next = self.fetch.val();
        self.memory.read_address.next = unsigned_cast(self.fetch_pointer.q.val());

        // Push.
        if self.push.val() {
            assert!(
                (self.write_pointer.q.val() - self.fetch_pointer.q.val()) != self.depth,
                "an entry is pushed only while there is room"
            );
        }
        if self.bypassed.val() {
            assert!(self.push.val() & self.none.q.val(), "only an entry that comes to an empty queue is bypassed");
        }
        self.memory.write_enable.next = self.push.val();
        self.memory.write_address.next = unsigned_cast(self.write_pointer.q.val());
        self.memory.write_data.next = self.push_data.val();
        if self.push.val() {
            self.write_pointer.d.next = self.write_pointer.q.val() + 1;
        }
        self.hollow.d.next = self.bypassed.val();

        // What is outside of the memory.
        self.front_valid.next = self.first_valid.q.val() | self.arriving.q.val();
        self.front.next = self.memory.read_data.val();
        if self.first_valid.q.val() {
            self.front.next = self.first.q.val();
        }
        self.behind.next = self.memory.read_data.val();
        if self.second_valid.q.val() {
            self.behind.next = self.second.q.val();
        }
        self.second.d.next = self.behind.val();
        if self.pop.val() {
            self.first_valid.d.next = self.two.val();
            self.first.d.next = self.behind.val();
            self.second_valid.d.next = false;
        } else {
            self.first_valid.d.next = self.first_valid.q.val() | self.arriving.q.val();
            self.first.d.next = self.front.val();
            self.second_valid.d.next = self.two.val();
        }

        // Whether there is anything.
        self.left.next = self.stored.val() | self.first_valid.q.val() | self.arriving.q.val();
        if self.pop.val() {
            self.left.next = self.stored.val() | self.two.val();
        }
        self.none.d.next = !self.left.val() & (!self.push.val() | self.bypassed.val());
        self.empty.next = self.none.q.val();
    }
}

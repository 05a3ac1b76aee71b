//! Result FIFO: the results of a VC in order, and when the head register behind it takes the next one. Shared by
//! [`route_queue`](super::route_queue) and [`result_queue`](super::result_queue), which differ in what their heads keep of a result.
//!
//! | port | width | meaning |
//! | --- | --- | --- |
//! | `push`, `push_pending` | 1, 1 | the next result; it is pending |
//! | `push_drop`, `push_word` | 1, word bits | else it is drop, else this word |
//! | `slot_done` | 1 | the VC's oldest miss slot is done |
//! | `slot_freed` | 1 | the head is pending and takes the slot's result: the slot is freed |
//! | `head_pending` | 1 | the head is pending (only with counters) |
//! | `take` | 1 | the head is taken (only while there is one that is not pending) |
//! | `vacant` | 1 | the head register holds nothing: like one that is taken, it is loaded in this cycle, or stays empty |
//! | `next_drop`, `next_routed` | 1, 1 | what it is loaded with is there and not pending: it is drop; it is a word |
//! | `next_word` | word bits | this one |
//!
//! Only where there is a CAM are there results that are pending, with `push_pending` and all that is called `slot`.
//!
//! State: whether the head register is `occupied` and `pending`, and a queue of D entries behind it, which fetches ahead if it is a
//! memory and is a plain one if it is made of flip-flops.
//!
//! Each cycle: an empty or taken head register is loaded from the queue, or from the push if the queue is empty. All else that is
//! pushed goes into the queue. A pending head waits for its miss slot.
//!
//! Source: switch reference, section 5.

use crate::parts::fifo::{fifo, Fifo};
use crate::parts::prefetch_fifo::{prefetch_fifo, PrefetchFifo};
use crate::parts::register_file::MOST_WORDS;
use crate::rtl::prelude::*;

/// Order of the results; see the head of this file.
#[block]
pub struct ResultFifo {
    pub clock: ClockIn,
    pub reset: Flag<In>,
    pub push: Flag<In>,
    pub push_pending: Vec<Flag<In>>,
    pub push_drop: Flag<In>,
    pub push_word: Sig<In>,
    pub slot_done: Vec<Flag<In>>,
    pub slot_freed: Vec<Flag<Out>>,
    pub head_pending: Vec<Flag<Out>>,
    pub take: Flag<In>,
    pub vacant: Flag<Out>,
    pub next_drop: Flag<Out>,
    pub next_routed: Flag<Out>,
    pub next_word: Sig<Out>,

    occupied: FlagReg,
    pending: Vec<FlagReg>,
    deep: Vec<PrefetchFifo>,
    shallow: Vec<Fifo>,

    load: Flag<Local>,
    bypass: Flag<Local>,
    empty: Flag<Local>,
    front_valid: Flag<Local>,
    front: Sig<Local>,
    entry: Sig<Local>,
    next_occupied: Flag<Local>,
    next_pending: Vec<Flag<Local>>,
    known: Flag<Local>,
    next_dropped: Flag<Local>,

    word_field: Field,
    drop_bit: Param,
    pending_bit: Param,
    about: About,
}

/// A queue of `depth` (a power of two) results behind the head register, with words of `word_bits`; results can be pending if there is
/// a `cam`.
pub fn result_fifo(depth: usize, word_bits: usize, cam: bool) -> ResultFifo {
    let (slot, shallow) = (usize::from(cam), usize::from(depth <= MOST_WORDS));
    let entry_bits = word_bits + 1 + slot;
    let doc =
        "Results of route computation in the order of the packets, and when the head register takes the next one.";
    ResultFifo {
        clock: clock(),
        reset: flag().doc("synchronous reset, active high"),
        push: flag().doc("a result comes"),
        push_pending: many(slot, || flag().doc("it is pending: the CAM will tell")),
        push_drop: flag().doc("it is drop"),
        push_word: sig(word_bits).doc("it is this word"),
        slot_done: many(slot, || flag().doc("the VC's oldest miss slot is done")),
        slot_freed: many(slot, || flag().doc("the head takes over its result: the slot is freed")),
        head_pending: vec![],
        take: flag().doc("the head is taken"),
        vacant: flag().doc("the head register holds nothing"),
        next_drop: flag().doc("it is loaded with drop"),
        next_routed: flag().doc("it is loaded with a word"),
        next_word: sig(word_bits).doc("this one"),
        occupied: flag_reg(false).doc("head register: holds a result"),
        pending: many(slot, || flag_reg(false).doc("head register: it is pending")),
        deep: many(1 - shallow, || prefetch_fifo(depth, entry_bits)),
        shallow: many(shallow, || fifo(depth, entry_bits)),
        load: flag().doc("the head register is loaded or becomes empty"),
        bypass: flag().doc("what is pushed goes straight into the head register"),
        empty: flag().doc("the queue is empty"),
        front_valid: flag().doc("the oldest entry of the queue can be popped"),
        front: sig(entry_bits).doc("this entry"),
        entry: sig(entry_bits).doc(if cam {
            "what is pushed, as an entry of the queue: pending, drop, word"
        } else {
            "what is pushed, as an entry of the queue: drop, word"
        }),
        next_occupied: flag().doc("there is a result to load"),
        next_pending: many(slot, || flag().doc("it is pending")),
        known: flag().doc("it is not pending"),
        next_dropped: flag().doc("else it is drop"),
        word_field: field(0, word_bits),
        drop_bit: param(word_bits),
        pending_bit: param(word_bits + 1),
        about: about("result_fifo", doc).param("depth", depth).param("word_bits", word_bits),
    }
}

impl ResultFifo {
    /// The same with `head_pending`, for counters; only with results that can be pending.
    pub fn counted(mut self) -> Self {
        self.head_pending = vec![flag().doc("the head is pending")];
        self
    }
}

#[kernel]
impl ResultFifo {
    fn update(&mut self) {
        self.vacant.next = !self.occupied.q.val();
        self.load.next = !self.occupied.q.val() | self.take.val();
        self.bypass.next = self.load.val() & self.empty.val();

        for c in 0..self.head_pending.len() {
            self.head_pending[c].next = self.pending[c].q.val();
        }

        // What an empty or taken head register is loaded with.
        self.known.next = true;
        for m in 0..self.pending.len() {
            self.next_pending[m].next = self.front.val().get_bit(self.pending_bit.val());
            if self.empty.val() {
                self.next_pending[m].next = self.push_pending[m].val();
            }
            self.known.next = !self.next_pending[m].val();
        }
        if self.empty.val() {
            self.next_occupied.next = self.push.val();
            self.next_dropped.next = self.push_drop.val();
            self.next_word.next = self.push_word.val();
        } else {
            self.next_occupied.next = self.front_valid.val();
            self.next_dropped.next = self.front.val().get_bit(self.drop_bit.val());
            self.next_word.next = self.front.val() >> self.word_field.val();
        }
        self.next_drop.next = self.next_occupied.val() & self.known.val() & self.next_dropped.val();
        self.next_routed.next = self.next_occupied.val() & self.known.val() & !self.next_dropped.val();
        if self.load.val() {
            self.occupied.d.next = self.next_occupied.val();
        }
        for m in 0..self.pending.len() {
            self.slot_freed[m].next = self.pending[m].q.val() & self.slot_done[m].val();
            self.pending[m].d.next = self.pending[m].q.val();
            if self.load.val() {
                self.pending[m].d.next = self.next_occupied.val() & self.next_pending[m].val();
            } else if self.slot_freed[m].val() {
                self.pending[m].d.next = false;
            }
        }

        // The queue behind the head register.
        self.entry.next = 0.into();
        self.entry.next = self.entry.val().replace_bit(self.word_field.val(), self.push_word.val());
        self.entry.next = self.entry.val().replace_bit(self.drop_bit.val(), self.push_drop.val());
        for m in 0..self.push_pending.len() {
            self.entry.next = self.entry.val().replace_bit(self.pending_bit.val(), self.push_pending[m].val());
        }
        for q in 0..self.deep.len() {
            self.deep[q].push.next = self.push.val();
            self.deep[q].push_data.next = self.entry.val();
            self.deep[q].bypassed.next = self.push.val() & self.bypass.val();
            self.deep[q].pop.next = self.load.val();
            self.front_valid.next = self.deep[q].front_valid.val();
            self.front.next = self.deep[q].front.val();
            self.empty.next = self.deep[q].empty.val();
        }
        for q in 0..self.shallow.len() {
            self.shallow[q].push.next = self.push.val() & !self.bypass.val();
            self.shallow[q].push_data.next = self.entry.val();
            self.shallow[q].pop.next = self.load.val() & self.shallow[q].front_valid.val();
            self.front_valid.next = self.shallow[q].front_valid.val();
            self.front.next = self.shallow[q].front.val();
            self.empty.next = self.shallow[q].empty.val();
        }
    }
}

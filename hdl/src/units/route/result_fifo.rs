//! Result FIFO: the results of a VC in order, and when the head register behind it takes the next one. Shared by
//! [`route_queue`](mod@route_queue) and [`result_queue`](mod@result_queue), which differ in what their heads keep
//! of a result.
//!
//! Only where there is a CAM are there results that are pending, with `push_pending` and all that is called `slot`.
//!
//! State: whether the head register is `occupied` and `pending`, and a queue of D entries behind it, which fetches
//! ahead if it is a memory and is a plain one if it is made of flip-flops.
//!
//! Each cycle: an empty or taken head register is loaded from the queue, or from the push if the queue is empty. All
//! else that is pushed goes into the queue. A pending head waits for its miss slot.
//!
//! Source: switch reference, section 5.

use crate::units::prelude::*;

/// Results of route computation in the order of the packets, and when the head register takes the next one.
#[block(depth: usize, word_bits: usize, cam: bool)]
pub struct ResultFifo {
    pub clock: ClockIn,
    pub reset: Flag<In>,
    /// A result arrives.
    pub push: Flag<In>,
    /// The arriving result is pending until the CAM answers.
    pub push_pending: Option<Flag<In>, slot>,
    /// The arriving result is drop.
    pub push_drop: Flag<In>,
    /// Word of the arriving result.
    pub push_word: Sig<In, word_bits>,
    /// The VC's oldest miss slot is done.
    pub slot_done: Option<Flag<In>, slot>,
    /// The head takes over the slot's result, and the slot is freed.
    pub slot_freed: Option<Flag<Out>, slot>,
    /// The head is pending.
    pub head_pending: Option<Flag<Out>>,
    /// The head is taken.
    pub take: Flag<In>,
    /// The head register holds nothing.
    pub vacant: Flag<Out>,
    /// The head register is loaded with drop.
    pub next_drop: Flag<Out>,
    /// The head register is loaded with a word.
    pub next_routed: Flag<Out>,
    /// Word to load.
    pub next_word: Sig<Out, word_bits>,

    /// The head register holds a result.
    occupied: FlagReg,
    /// The result in the head register is pending.
    pending: Option<FlagReg, slot>,
    deep: Option<PrefetchFifo<depth, entry_bits>, { depth > MOST_WORDS }>,
    shallow: Option<Fifo<depth, entry_bits>, { depth <= MOST_WORDS }>,

    /// The head register is loaded or becomes empty.
    load: Flag<Local>,
    /// An arriving result goes straight into the head register.
    bypass: Flag<Local>,
    /// The queue is empty.
    empty: Flag<Local>,
    /// The oldest entry of the queue can be popped.
    front_valid: Flag<Local>,
    /// Oldest entry of the queue.
    front: Sig<Local, entry_bits>,
    /// Arriving result, as an entry of the queue.
    #[made(sig(entry_bits).doc(match slot {
        true => "Arriving result, as an entry of the queue: pending, drop, word.",
        false => "Arriving result, as an entry of the queue: drop, word.",
    }))]
    entry: Sig<Local>,
    /// A result can be loaded.
    next_occupied: Flag<Local>,
    /// The result to load is pending.
    next_pending: Option<Flag<Local>, slot>,
    /// The result to load is not pending.
    known: Flag<Local>,
    /// The result to load is drop, if not pending.
    next_dropped: Flag<Local>,

    entry_bits: Number<{ word_bits + 1 + usize::from(slot) }>,
    word_field: Field<0, word_bits>,
    drop_bit: Number<word_bits>,
    pending_bit: Number<{ word_bits + 1 }>,
    slot: Number<bool, cam>,

    depth: Param,
    word_bits: Param,
}

impl ResultFifo {
    /// The same with `head_pending`, for counters; only with results that can be pending.
    pub fn counted(mut self) -> Self {
        self.head_pending = Some(flag());
        self
    }
}

#[kernel]
impl ResultFifo {
    fn update(&mut self) {
        self.vacant.next = !self.occupied.q.val();
        self.load.next = !self.occupied.q.val() | self.take.val();
        self.bypass.next = self.load.val() & self.empty.val();
        if let (Some(head_pending), Some(pending)) = (&mut self.head_pending, &self.pending) {
            head_pending.next = pending.q.val();
        }
        self.load();
        self.queue();
        self.state_properties();
    }

    /// What an empty or taken head register is loaded with.
    fn load(&mut self) {
        self.known.next = true;
        if let (Some(next_pending), Some(push_pending)) = (&mut self.next_pending, &self.push_pending) {
            next_pending.next = self.front.val().get_bit(self.pending_bit);
            if self.empty.val() {
                next_pending.next = push_pending.val();
            }
            self.known.next = !next_pending.val();
        }
        if self.empty.val() {
            self.next_occupied.next = self.push.val();
            self.next_dropped.next = self.push_drop.val();
            self.next_word.next = self.push_word.val();
        } else {
            self.next_occupied.next = self.front_valid.val();
            self.next_dropped.next = self.front.val().get_bit(self.drop_bit);
            self.next_word.next = self.front.val() >> self.word_field.val();
        }
        self.next_drop.next = self.next_occupied.val() & self.known.val() & self.next_dropped.val();
        self.next_routed.next = self.next_occupied.val() & self.known.val() & !self.next_dropped.val();
        if self.load.val() {
            self.occupied.d.next = self.next_occupied.val();
        }
        if let (Some(slot_freed), Some(pending), Some(slot_done), Some(next_pending)) =
            (&mut self.slot_freed, &mut self.pending, &self.slot_done, &self.next_pending)
        {
            slot_freed.next = pending.q.val() & slot_done.val();
            pending.d.next = pending.q.val();
            if self.load.val() {
                pending.d.next = self.next_occupied.val() & next_pending.val();
            } else if slot_freed.val() {
                pending.d.next = false;
            }
        }
    }

    /// The queue behind the head register.
    fn queue(&mut self) {
        self.entry.next = 0.into();
        self.entry.set(self.word_field.val(), self.push_word.val());
        self.entry.set(self.drop_bit, self.push_drop.val());
        if let Some(push_pending) = &self.push_pending {
            self.entry.set(self.pending_bit, push_pending.val());
        }
        if let Some(deep) = &mut self.deep {
            deep.push.next = self.push.val();
            deep.push_data.next = self.entry.val();
            deep.bypassed.next = self.push.val() & self.bypass.val();
            deep.pop.next = self.load.val();
            self.front_valid.next = deep.front_valid.val();
            self.front.next = deep.front.val();
            self.empty.next = deep.empty.val();
        }
        if let Some(shallow) = &mut self.shallow {
            shallow.push.next = self.push.val() & !self.bypass.val();
            shallow.push_data.next = self.entry.val();
            shallow.pop.next = self.load.val() & shallow.front_valid.val();
            self.front_valid.next = shallow.front_valid.val();
            self.front.next = shallow.front.val();
            self.empty.next = shallow.empty.val();
        }
    }

    /// What holds in each cycle.
    fn state_properties(&self) {
        if self.take.val() {
            assert!(self.occupied.q.val(), "a result is taken only while there is one");
        }
        if let Some(pending) = &self.pending {
            assert!(self.occupied.q.val() | !pending.q.val(), "only a result is pending");
            if self.take.val() {
                assert!(!pending.q.val(), "no pending result is taken");
            }
        }
    }
}

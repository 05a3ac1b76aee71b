//! Miss table of a port: the lookups that wait for the CAM.
//!
//! With `next_vc` or output selection each `*_port` is a whole [`route`](super::layout).
//!
//! With counters: `joined`, a miss slot is taken and merged.
//!
//! State: for each VC a ring of m slots with the pointers `oldest` and `tail`. A slot, number `v * m + s`, has one bit
//! each in `valid`, `primary`, `requested`, `answered`, `filling`, `done` and `result_drop`, an address and a port. The
//! order of requests is in `request_queue`. With control also `fresh` and the number of the slot's `leader`: the
//! primary slot with which it is merged, or itself. With node reduction, the tag beside the address (which the CAM is
//! asked with).
//!
//! Each cycle: the address of what resolves is compared with all open slots (valid, not done). A miss that meets an
//! open primary slot is merged with it: it becomes a slot that asks for nothing. Otherwise it becomes a primary slot
//! and joins the request queue. A fill is done for all open slots of its address, that is for its own and for those
//! merged with it. `resolve_miss` comes late, from the cache. It only makes the slot valid, moves the tail and lets the
//! request queue count. All else is written into the free slot for any lookup, and means nothing until the slot is
//! valid.
//!
//! With control, only what is fresh merges, with what is fresh: there is at most one open fresh primary slot of a tag.
//! But of those that aren't there may be several, so a fill is done for all open slots that have its slot as leader.
//!
//! Source: switch reference, section 4.4.

use crate::units::prelude::*;

/// Miss table of a port: a ring of slots for each VC holds the lookups that wait for the CAM. Equal addresses ask once.
/// Slot s of VC v is bit v * slots + s of a vector.
#[block(shape: &Shape, table: &TableShape)]
pub struct MissTable {
    pub clock: ClockIn,
    pub reset: Flag<In>,
    /// A lookup resolves, and its VC has a free slot.
    pub resolve_lookup: Flag<In>,
    /// A lookup resolves as miss.
    pub resolve_miss: Flag<In>,
    /// VC of the lookup.
    pub resolve_vc: Sig<In, { shape.vc_bits as usize }>,
    /// A fill resolves.
    pub resolve_fill: Flag<In>,
    /// The fill's result is drop.
    pub resolve_drop: Flag<In>,
    /// Output port that is the fill's result.
    pub resolve_port: Sig<In, { route_layout(shape).bits }>,
    /// Address of the lookup or fill that resolves.
    pub resolve_address: Sig<In, address_bits>,
    /// An answered slot waits for its fill.
    pub fill_waiting: Flag<Out>,
    /// Address of the slot that waits for its fill.
    pub fill_address: Option<Sig<Out, address_bits>, { !reduced }>,
    /// The result of the slot that waits for its fill is drop.
    pub fill_drop: Flag<Out>,
    /// Output port of the slot that waits for its fill.
    pub fill_port: Sig<Out, { route_layout(shape).bits }>,
    /// The fill of the waiting slot is issued.
    pub fill_issued: Flag<In>,
    /// The VC's oldest slot is done.
    pub oldest_done: Sig<Out, vcs>,
    /// The result of the VC's oldest slot is drop.
    pub oldest_drop: Sig<Out, vcs>,
    /// Output port of the VC's oldest slot.
    pub oldest_port: Vec<Sig<Out, { route_layout(shape).bits }>, vcs>,
    /// The VC's oldest slot is freed.
    pub freed: Sig<In, vcs>,
    #[made(in_own_words(cam_access(shape, table)))]
    pub cam: Bare<CamAccess<Out>>,
    pub control: Option<MissControl<number_bits>, controlled>,
    #[made(tag_bits(table).map(|bits| miss_tags(bits, number_bits)))]
    pub tags: Option<MissTags>,
    /// The slot taken is merged.
    pub joined: Option<Flag<Out>, { shape.counter_bits.is_some() }>,

    /// Slot to take next, per VC.
    tail: Regs<vcs, slot_bits>,
    /// Slot taken longest ago, per VC.
    oldest: Regs<vcs, slot_bits>,
    /// The slot holds a lookup.
    valid: Reg<all>,
    /// The slot sends a request to the CAM itself.
    primary: Reg<all>,
    /// The slot's request was taken.
    requested: Reg<all>,
    /// The slot's answer has come.
    answered: Reg<all>,
    /// The slot's fill was issued.
    filling: Reg<all>,
    /// The slot's result can be used.
    done: Reg<all>,
    /// Address of the slot.
    address: Regs<all, address_bits, NoReset>,
    /// The slot's result is drop.
    result_drop: Reg<all>,
    /// Output port that is the slot's result.
    result_port: Regs<all, { route_layout(shape).bits }, NoReset>,
    /// The slot is fresh.
    fresh: Option<Reg<all>, controlled>,
    /// Number of the primary slot that the slot is merged with.
    leader: Option<Regs<all, number_bits, NoReset>, controlled>,
    /// Tag of the slot.
    #[made(tag_bits(table).map(|bits| regs_no_reset(all, bits)))]
    tag: Option<Regs>,

    requests: RequestQueue<all, { shape.vc_bits as usize }, slot_bits, address_bits>,
    lowest_waiting: LowestBit<all>,

    /// Slot that a miss would take.
    claim: Sig<Local, all>,
    /// Number within its VC of the slot that a miss would take.
    claim_slot: Sig<Local, slot_bits>,
    /// Slot that is taken.
    taken: Sig<Local, all>,
    /// Free slot whose state is cleared, in case a miss takes it.
    cleared: Sig<Local, all>,
    #[made(sig(all).doc(match (controlled, reduced) {
        (false, _) => "Open slots of the address that resolves.",
        (true, false) => "Open and fresh slots of the address that resolves.",
        (true, true) => "Open and fresh slots of the tag that resolves.",
    }))]
    same: Sig<Local>,
    /// An open slot of the same address or tag is primary.
    merged: Flag<Local>,
    /// The slot taken is primary.
    asks: Flag<Local>,
    /// Slot that is offered and whose request is taken.
    offered: Sig<Local, all>,
    /// Slot that the answer names.
    named: Sig<Local, all>,
    /// Slot that is answered.
    answer: Sig<Local, all>,
    /// Slot that waits for its fill.
    waiting: Sig<Local, all>,
    /// Lowest slot that waits for its fill.
    fill: Sig<Local, all>,
    /// Slot that the fill makes done.
    finished: Sig<Local, all>,
    /// Oldest slot of each VC.
    oldest_slot: Sig<Local, all>,
    /// Slot that is freed.
    freed_slot: Sig<Local, all>,
    /// Results that are drop after the current cycle.
    drop_after: Sig<Local, all>,
    /// Address of the request behind the one offered.
    behind_address: Sig<Local, address_bits>,
    /// Leader of the slot that a miss would take.
    new_leader: Option<Sig<Local, number_bits>, controlled>,
    /// Slot whose leader's fill resolves.
    following: Option<Sig<Local, all>, controlled>,

    controlled: Number<bool, { shape.cache_control() }>,
    reduced: Number<bool, { table.reduction.is_some() }>,
    number_bits: Number<{ slot_number_bits(shape, table) }>,
    all: Number<{ vcs * slots_per_vc }>,
    slot_bits: Number<{ table.slot_bits as usize }>,

    vcs: Param<{ shape.vcs }>,
    slots_per_vc: Param<{ table.lookups_per_vc }>,
    address_bits: Param<{ table.address_bits as usize }>,
    route_bits: Param<Option<usize>, { names_route(shape).then_some(route_layout(shape).bits) }>,
    port_bits: Param<Option<usize>, { (!names_route(shape)).then_some(route_layout(shape).bits) }>,
}

/// What there is if the cache can be flushed.
#[group(number_bits: usize)]
pub struct MissControl {
    /// The cache is flushed in the current cycle.
    pub flush: Flag<In>,
    /// The lookup that resolves is fresh.
    pub resolve_fresh: Flag<In>,
    /// The slot that waits for its fill is fresh, unless a flush is in the current cycle.
    pub fill_fresh: Flag<Out>,
    /// Number of the slot that waits for its fill.
    pub fill_number: Sig<Out, number_bits>,
    /// Number of the slot whose fill resolves.
    pub resolve_number: Sig<In, number_bits>,
}

/// What there is with node reduction in front of the cache.
#[group(tag_bits: usize, number_bits: usize)]
pub struct MissTags {
    /// Tag of the lookup that resolves.
    pub resolve_tag: Sig<In, tag_bits>,
    /// Number of the slot whose fill gets its tag.
    pub tag_number: Sig<In, number_bits>,
    /// Tag of the slot whose fill gets its tag.
    pub fill_tag: Sig<Out, tag_bits>,
}

/// Bits of a slot's tag, with node reduction in front of the cache.
fn tag_bits(table: &TableShape) -> Option<usize> {
    table.reduction.as_ref().and_then(|_| resolve_tag_bits(table))
}

/// The way to the CAM as the miss table sees it.
fn in_own_words(cam: CamAccess<Out>) -> CamAccess<Out> {
    CamAccess {
        offer: CamOffer { valid: cam.offer.valid.doc("A slot has a request for the CAM."), ..cam.offer },
        answer: CamAnswer { valid: cam.answer.valid.doc("The CAM answers."), ..cam.answer },
    }
}

#[kernel]
impl MissTable {
    fn update(&mut self) {
        self.name_slots();
        self.find_same();
        self.take_slot();
        self.answer();
        self.issue_fill();
        self.tell_fill();
        self.resolve_fill();
        self.free();
        self.keep_state();
        self.keep_results();
        self.keep_fresh();
        self.find_leaders();
        self.keep_tags();
        self.move_rings();
        self.show_oldest();
        self.ask();
        self.state_properties();
    }

    /// Slots that the numbers name.
    fn name_slots(&mut self) {
        self.claim.next = 0.into();
        self.claim_slot.next = 0.into();
        self.oldest_slot.next = 0.into();
        self.offered.next = 0.into();
        self.named.next = 0.into();
        for v in 0..self.vcs {
            if self.resolve_vc.val() == v {
                self.claim_slot.next = self.claim_slot.val() | self.tail.q[v].val();
            }
            for s in 0..self.slots_per_vc {
                self.claim.set(v * self.slots_per_vc + s, (self.resolve_vc.val() == v) & (self.tail.q[v].val() == s));
                self.oldest_slot.set(v * self.slots_per_vc + s, self.oldest.q[v].val() == s);
                self.offered.set(
                    v * self.slots_per_vc + s,
                    self.cam.offer.taken.val()
                        & (self.requests.offer.vc.val() == v)
                        & (self.requests.offer.slot.val() == s),
                );
                self.named.set(
                    v * self.slots_per_vc + s,
                    self.cam.answer.valid.val() & (self.cam.answer.vc.val() == v) & (self.cam.answer.slot.val() == s),
                );
            }
        }
    }

    /// The open slots of the address or tag that resolves.
    fn find_same(&mut self) {
        self.same.next = 0.into();
        for i in 0..self.all {
            if let (Some(tag), Some(tags)) = (&self.tag, &self.tags) {
                self.same.set(i, tag.q[i].val() == tags.resolve_tag.val());
            } else {
                self.same.set(i, self.address.q[i].val() == self.resolve_address.val());
            }
        }
        self.same.next = self.same.val() & self.valid.q.val() & !self.done.q.val();
        if let Some(fresh) = &self.fresh {
            self.same.next = self.same.val() & fresh.q.val();
        }
        self.merged.next = (self.same.val() & self.primary.q.val()).any();
        if let Some(control) = &self.control {
            self.merged.next = self.merged.val() & control.resolve_fresh.val();
        }
    }

    /// A miss takes a slot.
    fn take_slot(&mut self) {
        self.taken.next = 0.into();
        if self.resolve_miss.val() {
            self.taken.next = self.claim.val();
        }
        self.asks.next = self.resolve_miss.val() & !self.merged.val();
        if let Some(joined) = &mut self.joined {
            joined.next = self.resolve_miss.val() & self.merged.val();
        }
    }

    /// An answer comes.
    fn answer(&mut self) {
        self.answer.next = self.named.val()
            & self.valid.q.val()
            & self.primary.q.val()
            & self.requested.q.val()
            & !self.answered.q.val();
        self.cam.answer.known.next = self.answer.val().any();
    }

    /// A fill is issued.
    fn issue_fill(&mut self) {
        self.waiting.next = self.answered.q.val() & !self.filling.q.val();
        self.lowest_waiting.bits.next = self.waiting.val();
        self.fill_waiting.next = self.waiting.val().any();
        self.fill.next = 0.into();
        if self.fill_issued.val() {
            self.fill.next = self.lowest_waiting.lowest.val();
        }
    }

    /// What the fill is that waits.
    fn tell_fill(&mut self) {
        self.fill_port.next = 0.into();
        self.fill_drop.next = (self.lowest_waiting.lowest.val() & self.result_drop.q.val()).any();
        for i in 0..self.all {
            if self.lowest_waiting.lowest.val().get_bit(i) {
                self.fill_port.next = self.fill_port.val() | self.result_port.q[i].val();
            }
        }
        if let Some(fill_address) = &mut self.fill_address {
            fill_address.next = 0.into();
            for i in 0..self.all {
                if self.lowest_waiting.lowest.val().get_bit(i) {
                    fill_address.next = fill_address.val() | self.address.q[i].val();
                }
            }
        }
        if let (Some(control), Some(fresh)) = (&mut self.control, &self.fresh) {
            control.fill_fresh.next = (self.lowest_waiting.lowest.val() & fresh.q.val()).any();
            control.fill_number.next = 0.into();
            for i in 0..self.all {
                if self.lowest_waiting.lowest.val().get_bit(i) {
                    control.fill_number.next = control.fill_number.val() | i;
                }
            }
        }
    }

    /// A fill resolves.
    fn resolve_fill(&mut self) {
        self.finished.next = 0.into();
        if self.resolve_fill.val() {
            self.finished.next = self.same.val();
        }
        if let (Some(following), Some(leader), Some(control)) = (&mut self.following, &self.leader, &self.control) {
            following.next = 0.into();
            for i in 0..self.all {
                following.set(i, leader.q[i].val() == control.resolve_number.val());
            }
            self.finished.next = 0.into();
            if self.resolve_fill.val() {
                self.finished.next = following.val() & self.valid.q.val() & !self.done.q.val();
            }
        }
    }

    /// Results are handed over.
    fn free(&mut self) {
        self.freed_slot.next = 0.into();
        for v in 0..self.vcs {
            for s in 0..self.slots_per_vc {
                self.freed_slot.set(
                    v * self.slots_per_vc + s,
                    self.freed.val().get_bit(v) & self.oldest_slot.val().get_bit(v * self.slots_per_vc + s),
                );
            }
        }
    }

    /// The state of the slots. Only `valid` waits for the cache.
    fn keep_state(&mut self) {
        self.cleared.next = 0.into();
        if self.resolve_lookup.val() {
            self.cleared.next = self.claim.val();
        }
        self.valid.d.next = (self.valid.q.val() & !self.freed_slot.val()) | self.taken.val();
        self.primary.d.next = self.primary.q.val() & !self.cleared.val();
        if !self.merged.val() {
            self.primary.d.next = self.primary.q.val() | self.cleared.val();
        }
        self.requested.d.next = (self.requested.q.val() & !self.cleared.val()) | self.offered.val();
        self.answered.d.next = (self.answered.q.val() & !self.cleared.val()) | self.answer.val();
        self.filling.d.next = (self.filling.q.val() & !self.cleared.val()) | self.fill.val();
        self.done.d.next = (self.done.q.val() & !self.cleared.val()) | self.finished.val();
    }

    /// Their addresses and results.
    fn keep_results(&mut self) {
        for i in 0..self.all {
            if self.resolve_lookup.val() & self.claim.val().get_bit(i) {
                self.address.d[i].next = self.resolve_address.val();
            }
            if self.answer.val().get_bit(i) {
                self.result_port.d[i].next = self.cam.answer.port.val();
            }
            if self.finished.val().get_bit(i) {
                self.result_port.d[i].next = self.resolve_port.val();
            }
        }
        self.drop_after.next = self.result_drop.q.val() & !self.answer.val() & !self.finished.val();
        if self.cam.answer.drop.val() {
            self.drop_after.next = self.drop_after.val() | self.answer.val();
        }
        if self.resolve_drop.val() {
            self.drop_after.next = self.drop_after.val() | self.finished.val();
        }
        self.result_drop.d.next = self.drop_after.val();
    }

    /// A flush makes all slots stale.
    fn keep_fresh(&mut self) {
        if let (Some(fresh), Some(control)) = (&mut self.fresh, &self.control) {
            fresh.d.next = fresh.q.val();
            if self.resolve_lookup.val() {
                fresh.d.next = fresh.q.val() & !self.claim.val();
                if control.resolve_fresh.val() {
                    fresh.d.next = fresh.q.val() | self.claim.val();
                }
            }
            if control.flush.val() {
                fresh.d.next = 0.into();
            }
        }
    }

    /// The primary slot that a slot is merged with, or itself.
    fn find_leaders(&mut self) {
        if let (Some(new_leader), Some(leader)) = (&mut self.new_leader, &mut self.leader) {
            new_leader.next = 0.into();
            for i in 0..self.all {
                if self.merged.val() {
                    if self.same.val().get_bit(i) & self.primary.q.val().get_bit(i) {
                        new_leader.next = new_leader.val() | i;
                    }
                } else if self.claim.val().get_bit(i) {
                    new_leader.next = new_leader.val() | i;
                }
            }
            for i in 0..self.all {
                leader.d[i].next = leader.q[i].val();
                if self.resolve_lookup.val() & self.claim.val().get_bit(i) {
                    leader.d[i].next = new_leader.val();
                }
            }
        }
    }

    fn keep_tags(&mut self) {
        if let (Some(tag), Some(tags)) = (&mut self.tag, &mut self.tags) {
            tags.fill_tag.next = 0.into();
            for i in 0..self.all {
                if tags.tag_number.val() == i {
                    tags.fill_tag.next = tags.fill_tag.val() | tag.q[i].val();
                }
                tag.d[i].next = tag.q[i].val();
                if self.resolve_lookup.val() & self.claim.val().get_bit(i) {
                    tag.d[i].next = tags.resolve_tag.val();
                }
            }
        }
    }

    fn move_rings(&mut self) {
        for v in 0..self.vcs {
            if self.resolve_miss.val() & (self.resolve_vc.val() == v) {
                self.tail.d[v].next = self.tail.q[v].val() + 1;
                if self.tail.q[v].val() == self.slots_per_vc - 1 {
                    self.tail.d[v].next = 0.into();
                }
            }
            if self.freed.val().get_bit(v) {
                self.oldest.d[v].next = self.oldest.q[v].val() + 1;
                if self.oldest.q[v].val() == self.slots_per_vc - 1 {
                    self.oldest.d[v].next = 0.into();
                }
            }
        }
    }

    /// The oldest slots' results.
    fn show_oldest(&mut self) {
        self.oldest_done.next = 0.into();
        self.oldest_drop.next = 0.into();
        for v in 0..self.vcs {
            self.oldest_port[v].next = 0.into();
            for s in 0..self.slots_per_vc {
                if self.oldest_slot.val().get_bit(v * self.slots_per_vc + s) {
                    self.oldest_port[v].next =
                        self.oldest_port[v].val() | self.result_port.q[v * self.slots_per_vc + s].val();
                    if self.done.q.val().get_bit(v * self.slots_per_vc + s) {
                        self.oldest_done.set(v, true);
                    }
                    if self.result_drop.q.val().get_bit(v * self.slots_per_vc + s) {
                        self.oldest_drop.set(v, true);
                    }
                }
            }
        }
    }

    /// Primary slots ask in the order in which they were taken.
    fn ask(&mut self) {
        self.requests.prepare.next = self.resolve_lookup.val();
        self.requests.push.next = self.asks.val();
        self.requests.push_vc.next = self.resolve_vc.val();
        self.requests.push_slot.next = self.claim_slot.val();
        self.requests.push_address.next = self.resolve_address.val();
        self.behind_address.next = 0.into();
        for v in 0..self.vcs {
            for s in 0..self.slots_per_vc {
                if (self.requests.behind_vc.val() == v) & (self.requests.behind_slot.val() == s) {
                    self.behind_address.next =
                        self.behind_address.val() | self.address.q[v * self.slots_per_vc + s].val();
                }
            }
        }
        self.requests.behind_address.next = self.behind_address.val();
        self.cam.offer.link(&mut self.requests.offer);
    }

    /// What holds in each cycle.
    fn state_properties(&self) {
        if self.resolve_miss.val() {
            assert!(!(self.claim.val() & self.valid.q.val()).any(), "a miss takes a slot that is free");
        }
        assert!(
            !(self.freed_slot.val() & !(self.valid.q.val() & self.done.q.val())).any(),
            "a slot is freed only when its result is there"
        );
        assert!(
            !(self.same.val() & self.primary.q.val() & ((self.same.val() & self.primary.q.val()) - 1)).any(),
            "at most one primary slot is open for an address"
        );
    }
}

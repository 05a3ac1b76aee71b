//! Miss table of a port: the lookups that wait for the CAM.
//!
//! | port | width | meaning |
//! | --- | --- | --- |
//! | `resolve_lookup`, `resolve_vc` | 1, VC bits | a lookup of this VC resolves: the VC has a slot to spare |
//! | `resolve_miss` | 1 | as miss: the slot is taken |
//! | `resolve_fill`, `resolve_drop`, `resolve_port` | 1, 1, port bits | a fill resolves, with this result |
//! | `resolve_address` | A | address of what resolves |
//! | `fill_waiting` | 1 | a slot is answered and not filling |
//! | `fill_address`, `fill_drop`, `fill_port` | A, 1, port bits | the lowest-numbered of them (with node reduction without address) |
//! | `fill_issued` | 1 | its fill is issued (only while `fill_waiting`) |
//! | `oldest_done`, `oldest_drop`, `oldest_port` | k, k, k x port bits | VC's oldest slot is done, with this result |
//! | `freed` | k | the VC's oldest slot is freed (only while done) |
//! | `offer_*`, `offer_taken` | | the oldest request, see `request_queue` |
//! | `answer_valid`, `answer_vc`, `answer_slot` | 1, VC bits, slot bits | an answer of the CAM to this slot |
//! | `answer_drop`, `answer_port` | 1, port bits | its result |
//! | `answer_known` | 1 | it is the answer to an open request |
//!
//! With `next_vc` or output selection each `*_port` is a whole [`route`](super::layout).
//!
//! With counters: `joined`, a miss slot is taken and merged.
//!
//! With cache control, and the last two with node reduction in front of the cache:
//!
//! | port | width | meaning |
//! | --- | --- | --- |
//! | `flush` | 1 | a flush is in this cycle: no slot is fresh from the next one on |
//! | `resolve_fresh` | 1 | the lookup that resolves is fresh; this cycle's flush counts |
//! | `fill_fresh`, `fill_number` | 1, number bits | the slot that waits for its fill is fresh, if no flush is in this cycle; its number |
//! | `resolve_number` | number bits | number of the slot whose fill resolves |
//! | `resolve_tag` | tag bits | tag of the lookup that resolves; without it, its address is its tag |
//! | `tag_number`, `fill_tag` | number bits, tag bits | number of a slot whose fill is on its way; this slot's tag |
//!
//! State: for each VC a ring of m slots with the pointers `oldest` and `tail`. A slot, number `v * m + s`, has one bit
//! each in `valid`, `primary`, `requested`, `answered`, `filling`, `done` and `result_drop`, an address and a port. The
//! order of requests is in `request_queue`. With control also `fresh` and the number of the slot's `leader`: the primary slot with
//! which it is merged, or itself. With node reduction, the tag beside the address (which the CAM is asked with).
//!
//! Each cycle: the address of what resolves is compared with all open slots (valid, not done). A miss that meets an
//! open primary slot is merged with it: it becomes a slot that asks for nothing. Otherwise it becomes a primary slot
//! and joins the request queue. A fill is done for all open slots of its address, that is for its own and for those
//! merged with it. `resolve_miss` comes late, from the cache; it only gates what has been prepared. The address is
//! written into the slot in any case.
//!
//! With control, only what is fresh merges, with what is fresh: there is at most one open fresh primary slot of a tag. But of those that
//! aren't there may be several, so a fill is done for all open slots that have its slot as leader.
//!
//! Source: switch reference, section 4.4.

use crate::parts::lowest_bit::{lowest_bit, LowestBit};
use crate::rtl::prelude::*;
use crate::units::route::layout::{route_bits, width_name};
use crate::units::route::lookup_pipeline::{resolve_tag_bits, slot_number_bits};
use crate::units::route::request_queue::{request_queue, RequestQueue};
use railyard_spec::{Shape, TableShape};

/// Lookups waiting for the CAM; see the head of this file.
#[block]
pub struct MissTable {
    pub clock: ClockIn,
    pub reset: Flag<In>,
    pub resolve_lookup: Flag<In>,
    pub resolve_miss: Flag<In>,
    pub resolve_vc: Sig<In>,
    pub resolve_fill: Flag<In>,
    pub resolve_drop: Flag<In>,
    pub resolve_port: Sig<In>,
    pub resolve_address: Sig<In>,
    pub fill_waiting: Flag<Out>,
    pub fill_address: Vec<Sig<Out>>,
    pub fill_drop: Flag<Out>,
    pub fill_port: Sig<Out>,
    pub fill_issued: Flag<In>,
    pub oldest_done: Sig<Out>,
    pub oldest_drop: Sig<Out>,
    pub oldest_port: Vec<Sig<Out>>,
    pub freed: Sig<In>,
    pub offer_valid: Flag<Out>,
    pub offer_vc: Sig<Out>,
    pub offer_slot: Sig<Out>,
    pub offer_address: Sig<Out>,
    pub offer_taken: Flag<In>,
    pub answer_valid: Flag<In>,
    pub answer_vc: Sig<In>,
    pub answer_slot: Sig<In>,
    pub answer_drop: Flag<In>,
    pub answer_port: Sig<In>,
    pub answer_known: Flag<Out>,
    pub flush: Vec<Flag<In>>,
    pub resolve_fresh: Vec<Flag<In>>,
    pub fill_fresh: Vec<Flag<Out>>,
    pub fill_number: Vec<Sig<Out>>,
    pub resolve_number: Vec<Sig<In>>,
    pub resolve_tag: Vec<Sig<In>>,
    pub tag_number: Vec<Sig<In>>,
    pub fill_tag: Vec<Sig<Out>>,
    pub joined: Vec<Flag<Out>>,

    tail: Regs,
    oldest: Regs,
    valid: Reg,
    primary: Reg,
    requested: Reg,
    answered: Reg,
    filling: Reg,
    done: Reg,
    address: Regs,
    result_drop: Reg,
    result_port: Regs,
    fresh: Vec<Reg>,
    leader: Vec<Regs>,
    tag: Vec<Regs>,

    requests: RequestQueue,
    lowest_waiting: LowestBit,

    claim: Sig<Local>,
    claim_slot: Sig<Local>,
    taken: Sig<Local>,
    same: Sig<Local>,
    merged: Flag<Local>,
    asks: Flag<Local>,
    offered: Sig<Local>,
    named: Sig<Local>,
    answer: Sig<Local>,
    waiting: Sig<Local>,
    fill: Sig<Local>,
    finished: Sig<Local>,
    oldest_slot: Sig<Local>,
    freed_slot: Sig<Local>,
    drop_after: Sig<Local>,
    behind_address: Sig<Local>,
    new_leader: Vec<Sig<Local>>,
    following: Vec<Sig<Local>>,

    vcs: Param,
    slots: Param,
    all: Param,
    compared_addresses: Param,
    about: About,
}

/// The miss table of a port of a switch of the given shape.
pub fn miss_table(shape: &Shape, table: &TableShape) -> MissTable {
    let (vcs, vc_bits, port_bits) = (shape.vcs, shape.vc_bits as usize, route_bits(shape));
    let (slots, slot_bits) = (table.lookups_per_vc, table.slot_bits as usize);
    let address_bits = table.address_bits as usize;
    let all = vcs * slots;
    let (control, reduced) = (usize::from(shape.cache_control()), usize::from(table.reduction.is_some()));
    let number_bits = slot_number_bits(shape, table);
    let tag_bits = table.cache.as_ref().map_or(0, resolve_tag_bits);
    let doc = "Miss table of a port: a ring of slots for each VC holds the lookups that wait for the CAM. Equal \
               addresses ask once. Slot s of VC v is bit v * slots + s of a vector.";
    MissTable {
        clock: clock(),
        reset: flag().doc("synchronous reset, active high"),
        resolve_lookup: flag().doc("a lookup resolves: its VC has a slot to spare"),
        resolve_miss: flag().doc("a lookup resolves as miss"),
        resolve_vc: sig(vc_bits).doc("its VC"),
        resolve_fill: flag().doc("a fill resolves"),
        resolve_drop: flag().doc("its result: no route"),
        resolve_port: sig(port_bits).doc("its result: output port"),
        resolve_address: sig(address_bits).doc("address of the lookup or fill that resolves"),
        fill_waiting: flag().doc("an answered slot waits for its fill"),
        fill_address: many(1 - reduced, || sig(address_bits).doc("its address")),
        fill_drop: flag().doc("its result: no route"),
        fill_port: sig(port_bits).doc("its result: output port"),
        fill_issued: flag().doc("its fill is issued"),
        oldest_done: sig(vcs).doc("the VC's oldest slot is done"),
        oldest_drop: sig(vcs).doc("its result: no route"),
        oldest_port: many(vcs, || sig(port_bits).doc("its result: output port")),
        freed: sig(vcs).doc("the VC's oldest slot is freed"),
        offer_valid: flag().doc("a slot asks the CAM"),
        offer_vc: sig(vc_bits).doc("its VC"),
        offer_slot: sig(slot_bits).doc("its number"),
        offer_address: sig(address_bits).doc("its address"),
        offer_taken: flag().doc("its request is taken"),
        answer_valid: flag().doc("the CAM answers"),
        answer_vc: sig(vc_bits).doc("VC of the slot it names"),
        answer_slot: sig(slot_bits).doc("number of the slot it names"),
        answer_drop: flag().doc("its result: no route"),
        answer_port: sig(port_bits).doc("its result: output port"),
        answer_known: flag().doc("the slot it names has an open request"),
        flush: many(control, || flag().doc("a flush is in this cycle")),
        resolve_fresh: many(control, || flag().doc("the lookup that resolves is fresh")),
        fill_fresh: many(control, || {
            flag().doc("the slot that waits for its fill is fresh, if no flush is in this cycle")
        }),
        fill_number: many(control, || sig(number_bits).doc("its number")),
        resolve_number: many(control, || sig(number_bits).doc("number of the slot whose fill resolves")),
        resolve_tag: many(reduced, || sig(tag_bits).doc("tag of the lookup that resolves")),
        tag_number: many(reduced, || sig(number_bits).doc("number of the slot whose fill gets its tag")),
        fill_tag: many(reduced, || sig(tag_bits).doc("this tag")),
        joined: many(usize::from(shape.counter_bits.is_some()), || flag().doc("the slot taken is merged")),
        tail: regs(vcs, slot_bits, 0u8).doc("slot to take next, per VC"),
        oldest: regs(vcs, slot_bits, 0u8).doc("slot taken longest ago, per VC"),
        valid: reg(all, 0u8).doc("the slot holds a lookup"),
        primary: reg(all, 0u8).doc("it asks the CAM itself"),
        requested: reg(all, 0u8).doc("its request was taken"),
        answered: reg(all, 0u8).doc("its answer has come"),
        filling: reg(all, 0u8).doc("its fill was issued"),
        done: reg(all, 0u8).doc("its result is there to be used"),
        address: regs_no_reset(all, address_bits).doc("its address"),
        result_drop: reg(all, 0u8).doc("its result: no route"),
        result_port: regs_no_reset(all, port_bits).doc("its result: output port"),
        fresh: many(control, || reg(all, 0u8).doc("it is fresh")),
        leader: many(control, || regs_no_reset(all, number_bits).doc("the primary slot that asks for it: its number")),
        tag: many(reduced, || regs_no_reset(all, tag_bits).doc("its tag")),
        requests: request_queue(all, vc_bits, slot_bits, address_bits),
        lowest_waiting: lowest_bit(all),
        claim: sig(all).doc("slot that a miss would take"),
        claim_slot: sig(slot_bits).doc("its number within its VC"),
        taken: sig(all).doc("slot that is taken"),
        same: sig(all).doc(match (control, reduced) {
            (0, _) => "open slot of the address that resolves",
            (_, 0) => "open and fresh slot of the address that resolves",
            _ => "open and fresh slot of the tag that resolves",
        }),
        merged: flag().doc("one of them is primary"),
        asks: flag().doc("the slot taken is primary"),
        offered: sig(all).doc("slot that is offered and whose request is taken"),
        named: sig(all).doc("slot that the answer names"),
        answer: sig(all).doc("slot that is answered"),
        waiting: sig(all).doc("slot that waits for its fill"),
        fill: sig(all).doc("the lowest of them"),
        finished: sig(all).doc("slot that the fill makes done"),
        oldest_slot: sig(all).doc("oldest slot of each VC"),
        freed_slot: sig(all).doc("slot that is freed"),
        drop_after: sig(all).doc("results after this cycle: no route"),
        behind_address: sig(address_bits).doc("address of the request behind the one offered"),
        new_leader: many(control, || sig(number_bits).doc("leader of the slot that a miss would take")),
        following: many(control, || sig(all).doc("slot whose leader's fill resolves")),
        vcs: param(vcs),
        slots: param(slots),
        all: param(all),
        compared_addresses: param(all * (1 - reduced)),
        about: about("miss_table", doc)
            .param("vcs", vcs)
            .param("slots_per_vc", slots)
            .param("address_bits", address_bits)
            .param(width_name(shape), port_bits),
    }
}

#[kernel]
impl MissTable {
    fn update(&mut self) {
        // Slots that the numbers name.
        self.claim.next = 0.into();
        self.claim_slot.next = 0.into();
        self.oldest_slot.next = 0.into();
        self.offered.next = 0.into();
        self.named.next = 0.into();
        for v in 0..self.vcs.val() {
            if self.resolve_vc.val() == v {
                self.claim_slot.next = self.claim_slot.val() | self.tail.q[v].val();
            }
            for s in 0..self.slots.val() {
                self.claim.next = self
                    .claim
                    .val()
                    .replace_bit(v * self.slots.val() + s, (self.resolve_vc.val() == v) & (self.tail.q[v].val() == s));
                self.oldest_slot.next =
                    self.oldest_slot.val().replace_bit(v * self.slots.val() + s, self.oldest.q[v].val() == s);
                self.offered.next = self.offered.val().replace_bit(
                    v * self.slots.val() + s,
                    self.offer_taken.val()
                        & (self.requests.offer_vc.val() == v)
                        & (self.requests.offer_slot.val() == s),
                );
                self.named.next = self.named.val().replace_bit(
                    v * self.slots.val() + s,
                    self.answer_valid.val() & (self.answer_vc.val() == v) & (self.answer_slot.val() == s),
                );
            }
        }

        // Compare the address that resolves with the open slots.
        self.same.next = 0.into();
        for i in 0..self.compared_addresses.val() {
            self.same.next = self.same.val().replace_bit(i, self.address.q[i].val() == self.resolve_address.val());
        }
        for c in 0..self.tag.len() {
            for i in 0..self.all.val() {
                self.same.next = self.same.val().replace_bit(i, self.tag[c].q[i].val() == self.resolve_tag[c].val());
            }
        }
        self.same.next = self.same.val() & self.valid.q.val() & !self.done.q.val();
        for c in 0..self.fresh.len() {
            self.same.next = self.same.val() & self.fresh[c].q.val();
        }
        self.merged.next = (self.same.val() & self.primary.q.val()).any();
        for c in 0..self.resolve_fresh.len() {
            self.merged.next = self.merged.val() & self.resolve_fresh[c].val();
        }

        // A miss takes a slot.
        self.taken.next = 0.into();
        if self.resolve_miss.val() {
            self.taken.next = self.claim.val();
        }
        self.asks.next = self.resolve_miss.val() & !self.merged.val();
        for c in 0..self.joined.len() {
            self.joined[c].next = self.resolve_miss.val() & self.merged.val();
        }

        // An answer comes.
        self.answer.next = self.named.val()
            & self.valid.q.val()
            & self.primary.q.val()
            & self.requested.q.val()
            & !self.answered.q.val();
        self.answer_known.next = self.answer.val().any();

        // A fill is issued.
        self.waiting.next = self.answered.q.val() & !self.filling.q.val();
        self.lowest_waiting.bits.next = self.waiting.val();
        self.fill_waiting.next = self.waiting.val().any();
        self.fill.next = 0.into();
        if self.fill_issued.val() {
            self.fill.next = self.lowest_waiting.lowest.val();
        }
        self.fill_port.next = 0.into();
        self.fill_drop.next = (self.lowest_waiting.lowest.val() & self.result_drop.q.val()).any();
        for i in 0..self.all.val() {
            if self.lowest_waiting.lowest.val().get_bit(i) {
                self.fill_port.next = self.fill_port.val() | self.result_port.q[i].val();
            }
        }
        for f in 0..self.fill_address.len() {
            self.fill_address[f].next = 0.into();
            for i in 0..self.all.val() {
                if self.lowest_waiting.lowest.val().get_bit(i) {
                    self.fill_address[f].next = self.fill_address[f].val() | self.address.q[i].val();
                }
            }
        }

        for c in 0..self.fill_fresh.len() {
            self.fill_fresh[c].next = (self.lowest_waiting.lowest.val() & self.fresh[c].q.val()).any();
            self.fill_number[c].next = 0.into();
            for i in 0..self.all.val() {
                if self.lowest_waiting.lowest.val().get_bit(i) {
                    self.fill_number[c].next = self.fill_number[c].val() | i;
                }
            }
        }

        // A fill resolves.
        self.finished.next = 0.into();
        if self.resolve_fill.val() {
            self.finished.next = self.same.val();
        }
        for c in 0..self.following.len() {
            self.following[c].next = 0.into();
            for i in 0..self.all.val() {
                self.following[c].next =
                    self.following[c].val().replace_bit(i, self.leader[c].q[i].val() == self.resolve_number[c].val());
            }
            self.finished.next = 0.into();
            if self.resolve_fill.val() {
                self.finished.next = self.following[c].val() & self.valid.q.val() & !self.done.q.val();
            }
        }

        // Results are handed over.
        self.freed_slot.next = 0.into();
        for v in 0..self.vcs.val() {
            for s in 0..self.slots.val() {
                self.freed_slot.next = self.freed_slot.val().replace_bit(
                    v * self.slots.val() + s,
                    self.freed.val().get_bit(v) & self.oldest_slot.val().get_bit(v * self.slots.val() + s),
                );
            }
        }

        // The slots.
        self.valid.d.next = (self.valid.q.val() & !self.freed_slot.val()) | self.taken.val();
        self.primary.d.next = self.primary.q.val() & !self.taken.val();
        if !self.merged.val() {
            self.primary.d.next = self.primary.q.val() | self.taken.val();
        }
        self.requested.d.next = (self.requested.q.val() & !self.taken.val()) | self.offered.val();
        self.answered.d.next = (self.answered.q.val() & !self.taken.val()) | self.answer.val();
        self.filling.d.next = (self.filling.q.val() & !self.taken.val()) | self.fill.val();
        self.done.d.next = (self.done.q.val() & !self.taken.val()) | self.finished.val();
        for i in 0..self.all.val() {
            if self.resolve_lookup.val() & self.claim.val().get_bit(i) {
                self.address.d[i].next = self.resolve_address.val();
            }
            if self.answer.val().get_bit(i) {
                self.result_port.d[i].next = self.answer_port.val();
            }
            if self.finished.val().get_bit(i) {
                self.result_port.d[i].next = self.resolve_port.val();
            }
        }
        self.drop_after.next = self.result_drop.q.val() & !self.answer.val() & !self.finished.val();
        if self.answer_drop.val() {
            self.drop_after.next = self.drop_after.val() | self.answer.val();
        }
        if self.resolve_drop.val() {
            self.drop_after.next = self.drop_after.val() | self.finished.val();
        }
        self.result_drop.d.next = self.drop_after.val();

        // Freshness, leaders and tags.
        for c in 0..self.fresh.len() {
            self.fresh[c].d.next = self.fresh[c].q.val();
            if self.resolve_lookup.val() {
                self.fresh[c].d.next = self.fresh[c].q.val() & !self.claim.val();
                if self.resolve_fresh[c].val() {
                    self.fresh[c].d.next = self.fresh[c].q.val() | self.claim.val();
                }
            }
            if self.flush[c].val() {
                self.fresh[c].d.next = 0.into();
            }
            self.new_leader[c].next = 0.into();
            for i in 0..self.all.val() {
                if self.merged.val() {
                    if self.same.val().get_bit(i) & self.primary.q.val().get_bit(i) {
                        self.new_leader[c].next = self.new_leader[c].val() | i;
                    }
                } else if self.claim.val().get_bit(i) {
                    self.new_leader[c].next = self.new_leader[c].val() | i;
                }
            }
            for i in 0..self.all.val() {
                self.leader[c].d[i].next = self.leader[c].q[i].val();
                if self.resolve_lookup.val() & self.claim.val().get_bit(i) {
                    self.leader[c].d[i].next = self.new_leader[c].val();
                }
            }
        }
        for c in 0..self.tag.len() {
            self.fill_tag[c].next = 0.into();
            for i in 0..self.all.val() {
                if self.tag_number[c].val() == i {
                    self.fill_tag[c].next = self.fill_tag[c].val() | self.tag[c].q[i].val();
                }
                self.tag[c].d[i].next = self.tag[c].q[i].val();
                if self.resolve_lookup.val() & self.claim.val().get_bit(i) {
                    self.tag[c].d[i].next = self.resolve_tag[c].val();
                }
            }
        }

        // The rings.
        for v in 0..self.vcs.val() {
            if self.resolve_miss.val() & (self.resolve_vc.val() == v) {
                self.tail.d[v].next = self.tail.q[v].val() + 1;
                if self.tail.q[v].val() == self.slots.val() - 1 {
                    self.tail.d[v].next = 0.into();
                }
            }
            if self.freed.val().get_bit(v) {
                self.oldest.d[v].next = self.oldest.q[v].val() + 1;
                if self.oldest.q[v].val() == self.slots.val() - 1 {
                    self.oldest.d[v].next = 0.into();
                }
            }
        }

        // The oldest slots' results.
        self.oldest_done.next = 0.into();
        self.oldest_drop.next = 0.into();
        for v in 0..self.vcs.val() {
            self.oldest_port[v].next = 0.into();
            for s in 0..self.slots.val() {
                if self.oldest_slot.val().get_bit(v * self.slots.val() + s) {
                    self.oldest_port[v].next =
                        self.oldest_port[v].val() | self.result_port.q[v * self.slots.val() + s].val();
                    if self.done.q.val().get_bit(v * self.slots.val() + s) {
                        self.oldest_done.next = self.oldest_done.val().replace_bit(v, true);
                    }
                    if self.result_drop.q.val().get_bit(v * self.slots.val() + s) {
                        self.oldest_drop.next = self.oldest_drop.val().replace_bit(v, true);
                    }
                }
            }
        }

        // The requests.
        self.requests.push.next = self.asks.val();
        self.requests.push_vc.next = self.resolve_vc.val();
        self.requests.push_slot.next = self.claim_slot.val();
        self.requests.push_address.next = self.resolve_address.val();
        self.behind_address.next = 0.into();
        for v in 0..self.vcs.val() {
            for s in 0..self.slots.val() {
                if (self.requests.behind_vc.val() == v) & (self.requests.behind_slot.val() == s) {
                    self.behind_address.next =
                        self.behind_address.val() | self.address.q[v * self.slots.val() + s].val();
                }
            }
        }
        self.requests.behind_address.next = self.behind_address.val();
        self.requests.offer_taken.next = self.offer_taken.val();
        self.offer_valid.next = self.requests.offer_valid.val();
        self.offer_vc.next = self.requests.offer_vc.val();
        self.offer_slot.next = self.requests.offer_slot.val();
        self.offer_address.next = self.requests.offer_address.val();
    }
}

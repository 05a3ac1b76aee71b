//! Miss table of a port: the lookups that missed, in a ring of slots for each VC, until their packets have a route.
//!
//! Slot number `v * m + slot`. Fresh lookups of a tag that another fresh slot is waiting for are merged with it and ask
//! for nothing. Source: switch reference, section 4.4.

use crate::bits::SlotBits;
use crate::route::route_queue::PacketRoute;
use std::collections::VecDeque;

#[derive(Clone, Copy, Debug, Default)]
struct Slot {
    address: u64,
    /// What it has in common with the lookups that are merged with it.
    tag: u64,
    /// The slot that asks for this one: its own number if it is primary.
    primary: u8,
    result: PacketRoute,
}

/// One port's miss slots and its request queue.
#[derive(Clone, Debug)]
pub struct MissTable {
    slots: Vec<Slot>,
    per_vc: usize,
    valid: SlotBits,
    /// The slot's lookup is fresh.
    fresh: SlotBits,
    /// The slot asks for itself.
    primary: SlotBits,
    requested: SlotBits,
    answered: SlotBits,
    filling: SlotBits,
    done: SlotBits,
    /// For each VC, the slot to be freed next and the slot to be taken next.
    oldest: Vec<u8>,
    next: Vec<u8>,
    /// Numbers of the slots that wait for the request register.
    requests: VecDeque<u8>,
}

impl MissTable {
    /// A table of `per_vc` slots for each of `vcs` VCs.
    pub fn new(vcs: usize, per_vc: usize) -> Self {
        assert!(vcs * per_vc <= SlotBits::MOST);
        MissTable {
            slots: vec![Slot::default(); vcs * per_vc],
            per_vc,
            valid: SlotBits::default(),
            fresh: SlotBits::default(),
            primary: SlotBits::default(),
            requested: SlotBits::default(),
            answered: SlotBits::default(),
            filling: SlotBits::default(),
            done: SlotBits::default(),
            oldest: vec![0; vcs],
            next: vec![0; vcs],
            requests: VecDeque::with_capacity(vcs * per_vc),
        }
    }

    #[inline]
    fn behind(&self, slot: u8) -> u8 {
        if slot as usize + 1 == self.per_vc {
            0
        } else {
            slot + 1
        }
    }

    /// A lookup of `vc` missed: its next slot is taken. A lookup that is not fresh has no tag. Gives whether it was
    /// merged with another.
    #[inline]
    pub fn take(&mut self, vc: usize, address: u64, tag: Option<u64>) -> bool {
        let number = vc * self.per_vc + self.next[vc] as usize;
        assert!(!self.valid.get(number), "a VC took more miss slots than it has");
        let mut primary = number;
        if let Some(tag) = tag {
            let mut waiting = (self.valid & self.primary & self.fresh).without(self.done);
            while let Some(other) = waiting.take_first() {
                if self.slots[other].tag == tag {
                    primary = other;
                    break;
                }
            }
            self.fresh.set(number);
        } else {
            self.fresh.unset(number);
        }
        let tag = tag.unwrap_or_default();
        self.slots[number] = Slot { address, tag, primary: primary as u8, result: PacketRoute::Drop };
        self.valid.set(number);
        for bits in [&mut self.primary, &mut self.requested, &mut self.answered, &mut self.filling, &mut self.done] {
            bits.unset(number);
        }
        let merged = primary != number;
        if !merged {
            self.primary.set(number);
            self.requests.push_back(number as u8);
        }
        self.next[vc] = self.behind(self.next[vc]);
        merged
    }

    /// The request at the front of the request queue, if any: (VC, slot, address).
    #[inline]
    pub fn request(&self) -> Option<(usize, usize, u64)> {
        let number = *self.requests.front()? as usize;
        Some((number / self.per_vc, number % self.per_vc, self.slots[number].address))
    }

    /// The front of the request queue is loaded into the request register.
    #[inline]
    pub fn requested(&mut self) {
        let number = self.requests.pop_front().expect("a request");
        self.requested.set(number as usize);
    }

    /// The CAM answers to `slot` of `vc`. Gives whether it was asked; if not, the answer is ignored.
    #[inline]
    pub fn answer(&mut self, vc: usize, slot: usize, result: PacketRoute) -> bool {
        if slot >= self.per_vc || vc >= self.next.len() {
            return false;
        }
        let number = vc * self.per_vc + slot;
        if !(self.valid & self.primary & self.requested).without(self.answered).get(number) {
            return false;
        }
        self.answered.set(number);
        self.slots[number].result = result;
        true
    }

    /// The slot whose fill can be issued.
    #[inline]
    pub fn to_fill(&self) -> Option<usize> {
        self.answered.without(self.filling).first()
    }

    /// Whether a fill can be issued, or a slot that is done can be freed.
    #[inline]
    pub fn is_waiting(&self) -> bool {
        (self.answered.without(self.filling) | self.done) != SlotBits::default()
    }

    /// The fill of slot `number` is issued.
    #[inline]
    pub fn start_fill(&mut self, number: usize) {
        self.filling.set(number);
    }

    /// Whether the lookup of slot `number` is still fresh.
    #[inline]
    pub fn is_fresh(&self, number: usize) -> bool {
        self.fresh.get(number)
    }

    /// A flush: all that wait are not fresh any more.
    pub fn flush(&mut self) {
        self.fresh = SlotBits::default();
    }

    /// The fill of slot `number` resolves: the slot and those merged with it are done. Gives its tag (if it was fresh
    /// when it was taken) and result.
    #[inline]
    pub fn finish_fill(&mut self, number: usize) -> (u64, PacketRoute) {
        let Slot { tag, result, .. } = self.slots[number];
        let mut waiting = self.valid.without(self.done);
        while let Some(at) = waiting.take_first() {
            if self.slots[at].primary as usize == number {
                self.slots[at].result = result;
                self.done.set(at);
            }
        }
        (tag, result)
    }

    /// The result of the oldest slot of `vc`, if it is done.
    #[inline]
    pub fn oldest_done(&self, vc: usize) -> Option<PacketRoute> {
        let number = vc * self.per_vc + self.oldest[vc] as usize;
        (self.valid & self.done).get(number).then(|| self.slots[number].result)
    }

    /// The oldest slot of `vc` is freed.
    #[inline]
    pub fn free(&mut self, vc: usize) {
        let number = vc * self.per_vc + self.oldest[vc] as usize;
        debug_assert!(self.valid.get(number));
        for bits in [&mut self.valid, &mut self.answered, &mut self.filling, &mut self.done] {
            bits.unset(number);
        }
        self.oldest[vc] = self.behind(self.oldest[vc]);
    }

    /// Slots that are taken.
    #[inline]
    pub fn taken(&self) -> u8 {
        self.valid.count() as u8
    }

    /// Slots of `vc` that are taken.
    #[inline]
    pub fn taken_of(&self, vc: usize) -> usize {
        (vc * self.per_vc..(vc + 1) * self.per_vc).filter(|&slot| self.valid.get(slot)).count()
    }

    /// Slots that wait for the request register.
    #[inline]
    pub fn waiting_requests(&self) -> usize {
        self.requests.len()
    }

    /// Whether no slot is taken.
    #[inline]
    pub fn is_empty(&self) -> bool {
        self.valid == SlotBits::default()
    }

    /// Reset: all slots are free.
    pub fn clear(&mut self) {
        for bits in [
            &mut self.valid,
            &mut self.fresh,
            &mut self.primary,
            &mut self.requested,
            &mut self.answered,
            &mut self.filling,
            &mut self.done,
        ] {
            *bits = SlotBits::default();
        }
        self.oldest.fill(0);
        self.next.fill(0);
        self.requests.clear();
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_miss_from_request_to_freed() {
        let mut t = MissTable::new(2, 3);
        assert!(!t.take(1, 77, Some(77)));
        assert_eq!(t.request(), Some((1, 0, 77)));
        assert!(!t.answer(1, 0, PacketRoute::Drop), "not requested yet");
        t.requested();
        assert_eq!(t.request(), None);
        assert!(
            !t.answer(1, 3, PacketRoute::Drop)
                && !t.answer(2, 0, PacketRoute::Drop)
                && !t.answer(0, 0, PacketRoute::Drop)
        );
        assert!(t.answer(1, 0, PacketRoute::Port(4)));
        assert!(!t.answer(1, 0, PacketRoute::Port(5)), "answered already");
        assert_eq!(t.to_fill(), Some(3));
        t.start_fill(3);
        assert_eq!((t.to_fill(), t.oldest_done(1)), (None, None));
        assert_eq!(t.finish_fill(3), (77, PacketRoute::Port(4)));
        assert_eq!(t.oldest_done(1), Some(PacketRoute::Port(4)));
        t.free(1);
        assert!(t.is_empty());
    }

    #[test]
    fn equal_addresses_are_merged_across_vcs() {
        let mut t = MissTable::new(2, 2);
        assert!(!t.take(1, 5, Some(5)));
        assert!(t.take(0, 5, Some(5)) && t.take(1, 5, Some(5)));
        assert!(!t.take(0, 6, Some(6)));
        t.requested();
        assert!(!t.answer(0, 0, PacketRoute::Drop), "a merged slot asks for nothing");
        t.answer(1, 0, PacketRoute::Port(2));
        t.start_fill(2);
        t.finish_fill(2);
        assert_eq!((t.oldest_done(0), t.oldest_done(1)), (Some(PacketRoute::Port(2)), Some(PacketRoute::Port(2))));
        t.free(0);
        assert_eq!(t.oldest_done(0), None, "address 6 waits");
        t.free(1);
        assert_eq!(t.oldest_done(1), Some(PacketRoute::Port(2)));
        // A slot that is done takes nobody in; its number, used again, does not reach those that it served before.
        assert!(!t.take(1, 5, Some(5)));
        t.requested();
        assert_eq!(t.request(), Some((1, 0, 5)));
        t.requested();
        t.answer(1, 0, PacketRoute::Drop);
        t.start_fill(2);
        t.finish_fill(2);
        assert_eq!(t.oldest_done(1), Some(PacketRoute::Port(2)));
        t.free(1);
        assert_eq!(t.oldest_done(1), Some(PacketRoute::Drop));
    }

    #[test]
    fn only_fresh_lookups_meet() {
        let mut t = MissTable::new(1, 6);
        assert!(!t.take(0, 5, None));
        assert!(!t.take(0, 5, Some(9)), "not with one that is not fresh");
        assert!(t.take(0, 6, Some(9)), "of another address with the same tag");
        assert!(!t.take(0, 5, None));
        assert!(t.is_fresh(1) && t.is_fresh(2) && !t.is_fresh(0) && !t.is_fresh(3));
        t.flush();
        assert!(!t.take(0, 7, Some(9)));
        assert_eq!([1, 2, 4].map(|slot| t.is_fresh(slot)), [false, false, true]);
        // What was merged before the flush still takes its primary's result.
        let asked: Vec<_> = std::iter::from_fn(|| t.request().inspect(|_| t.requested())).collect();
        assert_eq!(asked, [(0, 0, 5), (0, 1, 5), (0, 3, 5), (0, 4, 7)]);
        for slot in [0, 1] {
            assert!(t.answer(0, slot, PacketRoute::PortVc(3, slot as u8)));
            t.start_fill(slot);
            t.finish_fill(slot);
        }
        t.free(0);
        t.free(0);
        assert_eq!(t.oldest_done(0), Some(PacketRoute::PortVc(3, 1)));
    }

    #[test]
    fn a_ring_that_is_no_power_of_two() {
        let mut t = MissTable::new(1, 3);
        for round in 0..10 {
            t.take(0, round, Some(round));
            t.requested();
            let slot = (round % 3) as usize;
            assert!(t.answer(0, slot, PacketRoute::Port(round as u8)));
            t.start_fill(slot);
            t.finish_fill(slot);
            assert_eq!(t.oldest_done(0), Some(PacketRoute::Port(round as u8)));
            t.free(0);
        }
    }
}

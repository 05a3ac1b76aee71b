//! Request queue of a port: primary miss slots in the order in which they ask the CAM.
//!
//! State: the offer, a register with its address, so that the CAM port sees no multiplexer in front of it; a ring of
//! slot numbers behind it, one place for each miss slot of the port.
//!
//! Each cycle: an empty or taken offer is replaced by the ring's front, or by the push if the ring is empty. All else
//! that is pushed goes into the ring. An entry appended in cycle t can be offered in t + 1. `push` comes late, from the
//! cache, and `offer_taken` from the arbiter of the CAM port. What may be pushed is written at the write pointer before
//! the cache has answered: the place is free. The next offer is chosen before the arbiter has.
//!
//! Source: switch reference, section 4.4 (request).

use crate::units::prelude::*;

/// Request queue of a port: primary miss slots in the order in which they ask the CAM. The oldest stands in a register
/// with its address. The ring behind never fills: at least one of its entries is the offer.
#[block(depth: usize, vc_bits: usize, slot_bits: usize, address_bits: usize)]
pub struct RequestQueue {
    pub clock: ClockIn,
    pub reset: Flag<In>,
    /// A primary miss slot may be taken.
    pub prepare: Flag<In>,
    /// A primary miss slot is taken.
    pub push: Flag<In>,
    /// VC of the slot taken.
    pub push_vc: Sig<In, vc_bits>,
    /// Number of the slot taken.
    pub push_slot: Sig<In, slot_bits>,
    /// Address of the slot taken.
    pub push_address: Sig<In, address_bits>,
    /// VC of the slot behind the offer.
    pub behind_vc: Sig<Out, vc_bits>,
    /// Number of the slot behind the offer.
    pub behind_slot: Sig<Out, slot_bits>,
    /// Address of the slot behind the offer.
    pub behind_address: Sig<In, address_bits>,
    #[made(CamOffer { valid: flag().doc("A slot has a request."), ..cam_offer(vc_bits, slot_bits, address_bits) })]
    pub offer: CamOffer<Out>,

    /// The offer is a slot with a request.
    valid: FlagReg,
    /// VC of the offer.
    vc: Reg<vc_bits, NoReset>,
    /// Number of the offer's slot.
    slot: Reg<slot_bits, NoReset>,
    /// Address of the offer.
    address: Reg<address_bits, NoReset>,
    /// VC of a slot in the ring.
    waiting_vc: Regs<depth, vc_bits, NoReset>,
    /// Number of a slot in the ring.
    waiting_slot: Regs<depth, slot_bits, NoReset>,
    /// Place of the next entry in the ring.
    write_pointer: Reg<pointer_bits>,
    /// Place of the oldest entry in the ring.
    read_pointer: Reg<pointer_bits>,

    /// The offer is replaced.
    load: Flag<Local>,
    /// The ring is empty.
    empty: Flag<Local>,
    /// VC of the next offer.
    next_vc: Sig<Local, vc_bits>,
    /// Number of the next offer's slot.
    next_slot: Sig<Local, slot_bits>,
    /// Address of the next offer.
    next_address: Sig<Local, address_bits>,

    pointer_bits: Number<{ clog2(depth).max(1) }>,
    depth: Param,
    vc_bits: Param,
    slot_bits: Param,
    address_bits: Param,
}

#[kernel]
impl RequestQueue {
    fn update(&mut self) {
        self.load.next = !self.valid.q.val() | self.offer.taken.val();
        self.empty.next = self.read_pointer.q.val() == self.write_pointer.q.val();
        self.find_behind();
        self.find_next();
        if self.load.val() {
            self.valid.d.next = self.push.val() | !self.empty.val();
            self.vc.d.next = self.next_vc.val();
            self.slot.d.next = self.next_slot.val();
            self.address.d.next = self.next_address.val();
            if !self.empty.val() {
                Self::advance(&mut self.read_pointer, self.depth);
            }
        }
        if self.prepare.val() {
            for i in 0..self.depth {
                if self.write_pointer.q.val() == i {
                    self.waiting_vc.d[i].next = self.push_vc.val();
                    self.waiting_slot.d[i].next = self.push_slot.val();
                }
            }
        }
        if self.push.val() & !(self.load.val() & self.empty.val()) {
            Self::advance(&mut self.write_pointer, self.depth);
        }
        if self.push.val() {
            assert!(self.prepare.val(), "what is pushed was prepared");
        }
        if self.offer.taken.val() {
            assert!(self.valid.q.val(), "only an offer is taken");
        }
        self.offer.valid.next = self.valid.q.val();
        self.offer.vc.next = self.vc.q.val();
        self.offer.slot.next = self.slot.q.val();
        self.offer.address.next = self.address.q.val();
    }

    /// The entry behind the offer.
    fn find_behind(&mut self) {
        self.behind_vc.next = 0.into();
        self.behind_slot.next = 0.into();
        for i in 0..self.depth {
            if self.read_pointer.q.val() == i {
                self.behind_vc.next = self.behind_vc.val() | self.waiting_vc.q[i].val();
                self.behind_slot.next = self.behind_slot.val() | self.waiting_slot.q[i].val();
            }
        }
    }

    /// What is offered next: the ring's front, or what is pushed.
    fn find_next(&mut self) {
        self.next_vc.next = self.behind_vc.val();
        self.next_slot.next = self.behind_slot.val();
        self.next_address.next = self.behind_address.val();
        if self.empty.val() {
            self.next_vc.next = self.push_vc.val();
            self.next_slot.next = self.push_slot.val();
            self.next_address.next = self.push_address.val();
        }
    }

    /// Moves a pointer around the ring.
    fn advance(pointer: &mut Reg, depth: usize) {
        pointer.d.next = pointer.q.val() + 1;
        if pointer.q.val() == depth - 1 {
            pointer.d.next = 0.into();
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::collections::VecDeque;

    #[test]
    fn offers_in_order_from_the_next_cycle_on() {
        for depth in [1usize, 3, 8] {
            let mut bench = Bench::new(request_queue(depth, 1, 4, 8), |b| &mut b.clock);
            bench.reset.next = true;
            bench.cycle();
            bench.reset.next = false;
            let mut queue: VecDeque<u64> = VecDeque::new();
            let mut random = 1u64;
            for cycle in 0..300u64 {
                random = random.wrapping_mul(6364136223846793005).wrapping_add(1442695040888963407);
                assert_eq!(bench.offer.valid.val(), !queue.is_empty(), "cycle {cycle}");
                if let Some(&slot) = queue.front() {
                    assert_eq!(bench.offer.slot.val().to_u128(), slot as u128);
                    assert_eq!(bench.offer.address.val().to_u128(), 16 * slot as u128 + 3);
                }
                let (push, slot) = (queue.len() < depth && random >> 40 & 1 == 1, random >> 50 & 15);
                let take = !queue.is_empty() && random >> 60 & 1 == 1;
                bench.prepare.next = push | (random >> 30 & 1 == 1);
                bench.push.next = push;
                bench.push_slot.next = slot.into();
                bench.push_address.next = (16 * slot + 3).into();
                bench.offer.taken.next = take;
                bench.settle();
                let behind = bench.behind_slot.val().to_u128() as u64;
                bench.behind_address.next = (16 * behind + 3).into();
                bench.cycle();
                if take {
                    queue.pop_front();
                }
                if push {
                    queue.push_back(slot);
                }
            }
        }
    }
}

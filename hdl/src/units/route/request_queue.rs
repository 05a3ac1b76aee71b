//! Request queue of a port: primary miss slots in the order in which they ask the CAM.
//!
//! | port | width | meaning |
//! | --- | --- | --- |
//! | `push`, `push_vc`, `push_slot`, `push_address` | 1, VC bits, slot bits, A | a primary miss slot is taken |
//! | `offer_valid`, `offer_vc`, `offer_slot`, `offer_address` | 1, VC bits, slot bits, A | the oldest entry |
//! | `offer_taken` | 1 | it is loaded into the CAM port's request register (only while `offer_valid`) |
//! | `behind_vc`, `behind_slot` | VC bits, slot bits | slot of the entry behind it |
//! | `behind_address` | A | that slot's address, looked up in the miss table |
//!
//! State: the offer, a register with its address, so that the CAM port sees no multiplexer in front of it; a ring of
//! slot numbers behind it, one place for each miss slot of the port.
//!
//! Each cycle: an empty or taken offer is replaced by the ring's front, or by the push if the ring is empty. All else
//! that is pushed goes into the ring. An entry appended in cycle t can be offered in t + 1.
//!
//! Source: switch reference, section 4.4 (request).

use crate::rtl::prelude::*;

/// Order of CAM requests; see the head of this file.
#[block]
pub struct RequestQueue {
    pub clock: ClockIn,
    pub reset: Flag<In>,
    pub push: Flag<In>,
    pub push_vc: Sig<In>,
    pub push_slot: Sig<In>,
    pub push_address: Sig<In>,
    pub behind_vc: Sig<Out>,
    pub behind_slot: Sig<Out>,
    pub behind_address: Sig<In>,
    pub offer_valid: Flag<Out>,
    pub offer_vc: Sig<Out>,
    pub offer_slot: Sig<Out>,
    pub offer_address: Sig<Out>,
    pub offer_taken: Flag<In>,

    valid: FlagReg,
    vc: Reg,
    slot: Reg,
    address: Reg,
    waiting_vc: Regs,
    waiting_slot: Regs,
    write_pointer: Reg,
    read_pointer: Reg,

    load: Flag<Local>,
    empty: Flag<Local>,

    depth: Param,
    about: About,
}

/// A queue for `depth` miss slots.
pub fn request_queue(depth: usize, vc_bits: usize, slot_bits: usize, address_bits: usize) -> RequestQueue {
    let pointer_bits = clog2(depth).max(1);
    let doc = "Request queue of a port: primary miss slots in the order in which they ask the CAM. The oldest \
               stands in a register with its address. The ring behind never fills: at least one of its entries is \
               the offer.";
    RequestQueue {
        clock: clock(),
        reset: flag().doc("synchronous reset, active high"),
        push: flag().doc("a primary miss slot is taken"),
        push_vc: sig(vc_bits).doc("its VC"),
        push_slot: sig(slot_bits).doc("its number"),
        push_address: sig(address_bits).doc("its address"),
        behind_vc: sig(vc_bits).doc("VC of the slot behind the offer"),
        behind_slot: sig(slot_bits).doc("number of the slot behind the offer"),
        behind_address: sig(address_bits).doc("address of the slot behind the offer"),
        offer_valid: flag().doc("a slot asks"),
        offer_vc: sig(vc_bits).doc("its VC"),
        offer_slot: sig(slot_bits).doc("its number"),
        offer_address: sig(address_bits).doc("its address"),
        offer_taken: flag().doc("its request is taken"),
        valid: flag_reg(false).doc("offer: a slot asks"),
        vc: reg_no_reset(vc_bits).doc("offer: its VC"),
        slot: reg_no_reset(slot_bits).doc("offer: its number"),
        address: reg_no_reset(address_bits).doc("offer: its address"),
        waiting_vc: regs_no_reset(depth, vc_bits).doc("ring: VC of a slot"),
        waiting_slot: regs_no_reset(depth, slot_bits).doc("ring: number of a slot"),
        write_pointer: reg(pointer_bits, 0u8).doc("ring: where the next entry goes"),
        read_pointer: reg(pointer_bits, 0u8).doc("ring: where the oldest entry is"),
        load: flag().doc("the offer is replaced"),
        empty: flag().doc("the ring is empty"),
        depth: param(depth),
        about: about("request_queue", doc)
            .param("depth", depth)
            .param("vc_bits", vc_bits)
            .param("slot_bits", slot_bits)
            .param("address_bits", address_bits),
    }
}

#[kernel]
impl RequestQueue {
    fn update(&mut self) {
        self.load.next = !self.valid.q.val() | self.offer_taken.val();
        self.empty.next = self.read_pointer.q.val() == self.write_pointer.q.val();

        self.behind_vc.next = 0.into();
        self.behind_slot.next = 0.into();
        for i in 0..self.depth.val() {
            if self.read_pointer.q.val() == i {
                self.behind_vc.next = self.behind_vc.val() | self.waiting_vc.q[i].val();
                self.behind_slot.next = self.behind_slot.val() | self.waiting_slot.q[i].val();
            }
        }

        if self.load.val() {
            if self.empty.val() {
                self.valid.d.next = self.push.val();
                self.vc.d.next = self.push_vc.val();
                self.slot.d.next = self.push_slot.val();
                self.address.d.next = self.push_address.val();
            } else {
                self.valid.d.next = true;
                self.vc.d.next = self.behind_vc.val();
                self.slot.d.next = self.behind_slot.val();
                self.address.d.next = self.behind_address.val();
                self.read_pointer.d.next = self.read_pointer.q.val() + 1;
                if self.read_pointer.q.val() == self.depth.val() - 1 {
                    self.read_pointer.d.next = 0.into();
                }
            }
        }
        if self.push.val() & !(self.load.val() & self.empty.val()) {
            self.write_pointer.d.next = self.write_pointer.q.val() + 1;
            if self.write_pointer.q.val() == self.depth.val() - 1 {
                self.write_pointer.d.next = 0.into();
            }
            for i in 0..self.depth.val() {
                if self.write_pointer.q.val() == i {
                    self.waiting_vc.d[i].next = self.push_vc.val();
                    self.waiting_slot.d[i].next = self.push_slot.val();
                }
            }
        }

        self.offer_valid.next = self.valid.q.val();
        self.offer_vc.next = self.vc.q.val();
        self.offer_slot.next = self.slot.q.val();
        self.offer_address.next = self.address.q.val();
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
                assert_eq!(bench.offer_valid.val(), !queue.is_empty(), "cycle {cycle}");
                if let Some(&slot) = queue.front() {
                    assert_eq!(bench.offer_slot.val().to_u128(), slot as u128);
                    assert_eq!(bench.offer_address.val().to_u128(), 16 * slot as u128 + 3);
                }
                let (push, slot) = (queue.len() < depth && random >> 40 & 1 == 1, random >> 50 & 15);
                let take = !queue.is_empty() && random >> 60 & 1 == 1;
                bench.push.next = push;
                bench.push_slot.next = slot.into();
                bench.push_address.next = (16 * slot + 3).into();
                bench.offer_taken.next = take;
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

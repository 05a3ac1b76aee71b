//! Least recent arbiter: at most one grant a cycle among N requesters, to the one that has not won for the longest
//! time.
//!
//! State: `before`, a bit for each pair i < j of requesters: i goes before j. All ones is the order of numbers.
//!
//! Each cycle: the winner is the requester that no other requester goes before. With `take` it becomes the last.
//!
//! Combinational from `request` to `grant`; `take` reaches only the register, so it may depend on `grant` and come
//! late.
//!
//! Source: reference of Dragonfly routing, arbitration.

use crate::parts::arbiter::{arbiter, Arbiter, ArbiterBlock, ArbiterPorts};
use crate::rtl::prelude::*;
use railyard_spec::ArbitrationPolicy;

/// Least recent arbiter: the winner is the requester that no other one goes before; with take, the winner becomes the
/// last. Bit (j * j - j) / 2 + i of the order: requester i goes before requester j > i.
#[block(requesters: usize)]
#[requires(requesters > 1, "one requester has no order")]
pub struct LeastRecentArbiter {
    pub clock: ClockIn,
    pub reset: Flag<In>,
    /// Requester i requests the grant.
    pub request: Sig<In, requesters>,
    /// The grant of the current cycle is used.
    pub take: Flag<In>,
    /// Winner, one-hot; zero without a request.
    pub grant: Sig<Out, requesters>,

    /// Order of each pair: the lower number goes before.
    before: Reg<pairs, { (num_bigint::BigUint::from(1u8) << pairs) - 1u8 }>,

    /// Order of each pair.
    order: Vec<Flag<Local>, pairs>,
    /// Order of each pair with the winner as the last.
    order_after: Vec<Flag<Local>, pairs>,
    /// Order with the winner as the last.
    after: Sig<Local, pairs>,
    /// Requesters that go before requester i.
    first: Vec<Sig<Local, requesters>, requesters>,

    others: Number<{ requesters - 1 }>,
    pairs: Number<{ requesters * (requesters - 1) / 2 }>,

    requesters: Param,
}

impl ArbiterBlock for LeastRecentArbiter {
    fn ports(&mut self) -> ArbiterPorts<'_> {
        ArbiterPorts { request: &mut self.request, take: &mut self.take, grant: &mut self.grant }
    }
}

/// A place with an arbiter of that policy; by age nothing but a ranking of all packets chooses.
pub fn arbiter_by(policy: ArbitrationPolicy, requesters: usize) -> Arbiter {
    let mut place = arbiter(requesters);
    if policy == ArbitrationPolicy::LeastRecent && requesters > 1 {
        place.replace(least_recent_arbiter);
    }
    place
}

#[kernel]
impl LeastRecentArbiter {
    fn update(&mut self) {
        self.read_order();
        self.grant.next = 0.into();
        for i in 0..self.requesters {
            self.grant.set(i, self.request.val().get_bit(i) & !(self.request.val() & self.first[i].val()).any());
        }
        self.put_last();
        assert!(!(self.grant.val() & (self.grant.val() - 1)).any(), "at most one requester has the grant");
        assert!(!(self.grant.val() & !self.request.val()).any(), "only a requester has the grant");
        assert!(self.grant.val().any() | !self.request.val().any(), "a request is granted in its cycle");
        if self.take.val() {
            assert!(self.request.val().any(), "only a grant is taken");
        }
    }

    fn read_order(&mut self) {
        for k in 0..self.pairs {
            self.order[k].next = self.before.q.val().get_bit(k);
        }
        for i in 0..self.requesters {
            self.first[i].next = 0.into();
        }
        for j in 0..self.requesters {
            for i in 0..self.others {
                if i < j {
                    self.first[j].set(i, self.order[(j * j - j) / 2 + i].val());
                    self.first[i].set(j, !self.order[(j * j - j) / 2 + i].val());
                }
            }
        }
    }

    fn put_last(&mut self) {
        for j in 0..self.requesters {
            for i in 0..self.others {
                if i < j {
                    self.order_after[(j * j - j) / 2 + i].next = self.grant.val().get_bit(j)
                        | (self.order[(j * j - j) / 2 + i].val() & !self.grant.val().get_bit(i));
                }
            }
        }
        self.after.next = 0.into();
        for k in 0..self.pairs {
            self.after.set(k, self.order_after[k].val());
        }
        if self.take.val() {
            self.before.d.next = self.after.val();
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Against a list whose first requester wins, and goes to its end.
    #[test]
    fn the_winner_becomes_the_last() {
        for n in [2usize, 3, 7, 15] {
            let mut bench = Bench::new(least_recent_arbiter(n), |b| &mut b.clock);
            bench.reset.next = true;
            bench.cycle();
            bench.reset.next = false;
            let (mut order, mut random) = ((0..n).collect::<Vec<_>>(), 0x9e37_79b9_7f4a_7c15u64);
            for _ in 0..300 {
                random = random.wrapping_mul(6364136223846793005).wrapping_add(1442695040888963407);
                let requests = (random >> 33) & (random >> 45) & ((1 << n) - 1);
                let winner = order.iter().copied().find(|i| requests >> i & 1 == 1);
                bench.request.next = requests.into();
                bench.take.next = random >> 63 == 1 && winner.is_some();
                bench.settle();
                assert_eq!(bench.grant.val().to_u128(), winner.map_or(0, |w| 1 << w), "{order:?} {requests:b}");
                bench.cycle();
                if let Some(winner) = winner.filter(|_| random >> 63 == 1) {
                    order.retain(|i| *i != winner);
                    order.push(winner);
                }
            }
        }
    }
}

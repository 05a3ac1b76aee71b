//! Oldest arbiter: at most one grant a cycle among N requesters, by an order that comes from outside.
//!
//! Each cycle: the winner is the requester that no other requester stands before. If the order has no rings, there is
//! always a winner among requesters.
//!
//! Source: reference of Dragonfly routing, arbitration.

use crate::rtl::prelude::*;

/// Oldest arbiter: the winner is the requester that no other one stands before.
#[block(requesters: usize)]
pub struct OldestArbiter {
    /// Requester i requests the grant.
    pub request: Sig<In, requesters>,
    /// Requesters that stand before requester i.
    pub ahead: Vec<Sig<In, requesters>, requesters>,
    /// Winner, one-hot; zero without a request.
    pub grant: Sig<Out, requesters>,

    requesters: Param,
}

#[kernel]
impl OldestArbiter {
    fn update(&mut self) {
        self.grant.next = 0.into();
        for i in 0..self.requesters {
            self.grant.set(i, self.request.val().get_bit(i) & !(self.request.val() & self.ahead[i].val()).any());
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Against the first requester of a list.
    #[test]
    fn the_first_in_the_order_wins() {
        for n in [2usize, 5, 14] {
            let mut bench = Bench::combinational(oldest_arbiter(n));
            let (mut order, mut random) = ((0..n).collect::<Vec<_>>(), 0x9e37_79b9_7f4a_7c15u64);
            for _ in 0..300 {
                random = random.wrapping_mul(6364136223846793005).wrapping_add(1442695040888963407);
                order.swap((random >> 40) as usize % n, (random >> 50) as usize % n);
                for (place, who) in order.iter().enumerate() {
                    bench.ahead[*who].next = order[..place].iter().map(|i| 1u64 << i).sum::<u64>().into();
                }
                let requests = (random >> 33) & (random >> 45) & ((1 << n) - 1);
                let winner = order.iter().find(|i| requests >> **i & 1 == 1);
                bench.request.next = requests.into();
                bench.settle();
                assert_eq!(bench.grant.val().to_u128(), winner.map_or(0, |w| 1 << w), "{order:?} {requests:b}");
            }
        }
    }
}

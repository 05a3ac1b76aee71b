//! Round-robin arbiter: at most one grant a cycle among N requesters.
//!
//! State: `later`, N bits, the pointer r as a thermometer: bit i tells that requester i comes before the wrap-around
//! (i >= r). All ones is r = 0; all zeros means the same, because the search then wraps around at once.
//!
//! Each cycle: the winner is the lowest requester at or above the pointer, or else the lowest of all. Both searches
//! run side by side, each a prefix OR of log2 N levels ("is there a requester below me?"). With `take`, the pointer
//! becomes winner + 1, which as a thermometer is the set of requesters above the winner.
//!
//! Combinational from `request` to `grant`; `take` reaches only the register, so it may depend on `grant` and come
//! late.
//!
//! Source: switch reference, section 1 (round robin); Cao2016, 3.3 (1:N arbiter of a crossbar plane).

use crate::rtl::prelude::*;

/// Round-robin arbiter: the winner is the first requester from the pointer on; with take, the pointer moves behind
/// the winner.
#[block(requesters: usize)]
pub struct RoundRobinArbiter {
    pub clock: ClockIn,
    pub reset: Flag<In>,
    /// Requester i requests the grant.
    pub request: Sig<In, requesters>,
    /// The grant of the current cycle is used.
    pub take: Flag<In>,
    /// Winner, one-hot; zero without a request.
    pub grant: Sig<Out, requesters>,

    /// Requesters from the pointer on (thermometer).
    later: Reg<requesters, { (num_bigint::BigUint::from(1u8) << requesters) - 1u8 }>,

    /// Requests from the pointer on.
    request_later: Sig<Local, requesters>,
    /// Prefix OR: bit i, a request at i or below (level by level).
    upto: Vec<Sig<Local, requesters>, { levels + 1 }>,
    /// Prefix OR of the requests from the pointer on, level by level.
    upto_later: Vec<Sig<Local, requesters>, { levels + 1 }>,
    /// Lowest request of all.
    grant_first: Sig<Local, requesters>,
    /// Lowest request from the pointer on.
    grant_later: Sig<Local, requesters>,

    levels: Number<{ requesters.next_power_of_two().trailing_zeros() as usize }>,

    requesters: Param,
}

/// An arbiter among `requesters`, if there are several. A single one is granted whenever it asks, which is a wire.
pub fn arbiter_among(requesters: usize) -> Option<RoundRobinArbiter> {
    (requesters > 1).then(|| round_robin_arbiter(requesters))
}

#[kernel]
impl RoundRobinArbiter {
    fn update(&mut self) {
        self.request_later.next = self.request.val() & self.later.q.val();
        self.upto[0].next = self.request.val();
        self.upto_later[0].next = self.request_later.val();
        for l in 0..self.levels {
            self.upto[l + 1].next = self.upto[l].val() | (self.upto[l].val() << (1 << l));
            self.upto_later[l + 1].next = self.upto_later[l].val() | (self.upto_later[l].val() << (1 << l));
        }
        self.grant_first.next = self.request.val() & !(self.upto[self.levels].val() << 1);
        self.grant_later.next = self.request_later.val() & !(self.upto_later[self.levels].val() << 1);
        self.grant.next = self.grant_later.val();
        if !self.request_later.val().any() {
            self.grant.next = self.grant_first.val();
        }
        if self.take.val() {
            self.later.d.next = self.upto_later[self.levels].val() << 1;
            if !self.request_later.val().any() {
                self.later.d.next = self.upto[self.levels].val() << 1;
            }
        }
        assert!(!(self.grant.val() & (self.grant.val() - 1)).any(), "at most one requester has the grant");
        assert!(!(self.grant.val() & !self.request.val()).any(), "only a requester has the grant");
        assert!(self.grant.val().any() | !self.request.val().any(), "a request is granted in its cycle");
        if self.take.val() {
            assert!(self.request.val().any(), "only a grant is taken");
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// The rule of the switch reference, section 1.
    fn winner(requests: u64, pointer: usize, n: usize) -> Option<usize> {
        (0..n).map(|i| (pointer + i) % n).find(|i| requests >> i & 1 == 1)
    }

    #[test]
    fn follows_the_rule() {
        for n in [1usize, 2, 3, 5, 8, 16] {
            let mut bench = Bench::new(round_robin_arbiter(n), |b| &mut b.clock);
            bench.reset.next = true;
            bench.cycle();
            bench.reset.next = false;
            let (mut pointer, mut random) = (0, 0x9e37_79b9_7f4a_7c15u64);
            for _ in 0..200 {
                random = random.wrapping_mul(6364136223846793005).wrapping_add(1442695040888963407);
                let requests = (random >> 33) & (random >> 45) & ((1 << n) - 1);
                let expected = winner(requests, pointer, n);
                let take = random >> 63 == 1 && expected.is_some();
                bench.request.next = requests.into();
                bench.take.next = take;
                bench.settle();
                assert_eq!(bench.grant.val().to_u128(), expected.map_or(0, |w| 1 << w), "n {n} pointer {pointer}");
                bench.cycle();
                if take {
                    pointer = (expected.unwrap() + 1) % n;
                }
            }
        }
    }
}

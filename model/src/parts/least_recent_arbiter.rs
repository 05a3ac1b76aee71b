//! Least-recent arbiter: the winner is the requester that has not won for the longest time.
//!
//! Hardware keeps the order of each two requesters in a matrix. The cycle of the last grant tells the same order, as an
//! arbiter gives at most one grant a cycle. Source: reference page of Dragonfly routing, "Arbitration".

use crate::bits::ones;

/// Least recent over up to 64 requesters, a mask of requests at a time.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct LeastRecent {
    /// Number of each requester's last grant, from 1 on; 0 if it has had none.
    last: Vec<u64>,
    grants: u64,
}

impl LeastRecent {
    /// An arbiter over `requesters` (at most 64), of which none has won.
    pub fn new(requesters: usize) -> Self {
        assert!((1..=64).contains(&requesters));
        LeastRecent { last: vec![0; requesters], grants: 0 }
    }

    /// The winner among `requests` (not 0): of those that have never won, the lowest.
    #[inline]
    pub fn pick(&self, requests: u64) -> usize {
        ones(requests).min_by_key(|&requester| self.last[requester]).expect("a request")
    }

    /// The grant was used: the winner comes last.
    #[inline]
    pub fn advance(&mut self, winner: usize) {
        self.grants += 1;
        self.last[winner] = self.grants;
    }

    /// Picks a winner among `requests` (not 0) and uses the grant.
    #[inline]
    pub fn grant(&mut self, requests: u64) -> usize {
        let winner = self.pick(requests);
        self.advance(winner);
        winner
    }

    /// Nobody has won.
    pub fn reset(&mut self) {
        self.last.fill(0);
        self.grants = 0;
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// The definition in the reference: a list of all requesters, of which a winner goes to the end.
    #[test]
    fn follows_the_definition() {
        let mut seed = 0x9E37_79B9u64;
        let mut random = || {
            seed ^= seed << 13;
            seed ^= seed >> 7;
            seed ^= seed << 17;
            seed
        };
        for n in [1, 2, 7, 15, 64usize] {
            let mut arbiter = LeastRecent::new(n);
            let mut list: Vec<usize> = (0..n).collect();
            for _ in 0..500 {
                let requests = random() & random() & (!0 >> (64 - n));
                let Some(first) = list.iter().position(|&requester| requests >> requester & 1 == 1) else { continue };
                assert_eq!(arbiter.pick(requests), list[first]);
                if random() & 1 == 1 {
                    let winner = list.remove(first);
                    list.push(winner);
                    assert_eq!(arbiter.grant(requests), winner);
                }
            }
            arbiter.reset();
            assert_eq!(arbiter, LeastRecent::new(n));
        }
    }
}

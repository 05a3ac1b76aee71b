//! Round-robin arbiters: the winner is the first requester at or behind the pointer; a used grant moves the pointer
//! behind the winner.
//!
//! Source: switch reference, section 1; Cao2016, 3.3 (1:N arbiter of a plane).

use crate::bits::MAX_VCS;

/// Round robin over up to 64 requesters, a mask of requests at a time.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct RoundRobin {
    pointer: u8,
    requesters: u8,
}

impl RoundRobin {
    /// An arbiter over `requesters` (at most 64) with the pointer at 0.
    pub fn new(requesters: usize) -> Self {
        assert!((1..=64).contains(&requesters));
        RoundRobin { pointer: 0, requesters: requesters as u8 }
    }

    /// The winner among `requests` (not 0): the grant, if it is not used.
    #[inline]
    pub fn pick(&self, requests: u64) -> usize {
        debug_assert!(requests != 0);
        let behind = requests & (!0 << self.pointer);
        (if behind != 0 { behind } else { requests }).trailing_zeros() as usize
    }

    /// The grant was used: the pointer moves behind the winner.
    #[inline]
    pub fn advance(&mut self, winner: usize) {
        let next = winner as u8 + 1;
        self.pointer = if next == self.requesters { 0 } else { next };
    }

    /// Picks a winner among `requests` (not 0) and uses the grant.
    #[inline]
    pub fn grant(&mut self, requests: u64) -> usize {
        let winner = self.pick(requests);
        self.advance(winner);
        winner
    }

    /// The pointer at 0.
    pub fn reset(&mut self) {
        self.pointer = 0;
    }

    /// The requester that is asked first.
    pub fn pointer(&self) -> usize {
        self.pointer as usize
    }
}

/// Round robin over all (input, VC) of a single crossbar, requester number `i * k + v`.
///
/// The requests come as one mask over inputs for each VC: up to 576 requesters without shuffling bits.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct WideRoundRobin {
    input: u8,
    vc: u8,
    inputs: u8,
    vcs: u8,
}

impl WideRoundRobin {
    /// An arbiter over `inputs * vcs` requesters with the pointer at 0.
    pub fn new(inputs: usize, vcs: usize) -> Self {
        assert!((1..=64).contains(&inputs) && (1..=MAX_VCS).contains(&vcs));
        WideRoundRobin { input: 0, vc: 0, inputs: inputs as u8, vcs: vcs as u8 }
    }

    /// The pointer at 0.
    pub fn reset(&mut self) {
        (self.input, self.vc) = (0, 0);
    }

    /// The winner, as (input, VC); `requests[v]` is a mask over inputs, at least one bit is set.
    #[inline]
    pub fn pick(&self, requests: &[u64; MAX_VCS]) -> (usize, usize) {
        let (input, vc) = (self.input as usize, self.vc as usize);
        if let Some(v) = (vc..MAX_VCS).find(|&v| requests[v] >> input & 1 == 1) {
            return (input, v);
        }
        let any = requests.iter().fold(0, |any, r| any | r);
        debug_assert!(any != 0);
        let above = any & (!0u64 << input << 1);
        let i = (if above != 0 { above } else { any }).trailing_zeros() as usize;
        let v = (0..MAX_VCS).find(|&v| requests[v] >> i & 1 == 1).expect("a request");
        (i, v)
    }

    /// The grant was used: the pointer moves behind the winner.
    #[inline]
    pub fn advance(&mut self, (input, vc): (usize, usize)) {
        (self.input, self.vc) = (input as u8, vc as u8 + 1);
        if self.vc == self.vcs {
            (self.input, self.vc) = (self.input + 1, 0);
        }
        if self.input == self.inputs {
            self.input = 0;
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// The definition in the reference, word by word.
    fn by_definition(requests: &[bool], pointer: usize) -> usize {
        let n = requests.len();
        (0..n).map(|k| (pointer + k) % n).find(|&i| requests[i]).expect("a request")
    }

    fn random(state: &mut u64) -> u64 {
        *state ^= *state << 13;
        *state ^= *state >> 7;
        *state ^= *state << 17;
        *state
    }

    #[test]
    fn follows_the_definition() {
        let mut seed = 0x1234_5678_9abc_def1;
        for n in 1..=64usize {
            let mut arbiter = RoundRobin::new(n);
            let mut pointer = 0;
            for _ in 0..200 {
                let requests = random(&mut seed) & random(&mut seed) & (!0 >> (64 - n));
                if requests == 0 {
                    continue;
                }
                let expected = by_definition(&(0..n).map(|i| requests >> i & 1 == 1).collect::<Vec<_>>(), pointer);
                assert_eq!(arbiter.pick(requests), expected);
                if random(&mut seed) & 1 == 1 {
                    assert_eq!(arbiter.grant(requests), expected);
                    pointer = (expected + 1) % n;
                }
                assert_eq!(arbiter.pointer(), pointer);
            }
        }
    }

    #[test]
    fn the_wide_one_follows_the_definition() {
        let mut seed = 99;
        for (n, k) in [(2, 1), (3, 2), (16, 2), (5, 8), (64, 8), (64, 3)] {
            let mut arbiter = WideRoundRobin::new(n, k);
            let mut pointer = 0;
            for _ in 0..500 {
                let mut requests = [0; MAX_VCS];
                for r in &mut requests[..k] {
                    *r = random(&mut seed) & random(&mut seed) & random(&mut seed) & (!0 >> (64 - n));
                }
                let flat: Vec<bool> = (0..n * k).map(|e| requests[e % k] >> (e / k) & 1 == 1).collect();
                if !flat.contains(&true) {
                    continue;
                }
                let expected = by_definition(&flat, pointer);
                let winner = arbiter.pick(&requests);
                assert_eq!(winner, (expected / k, expected % k));
                if random(&mut seed) & 3 != 0 {
                    arbiter.advance(winner);
                    pointer = (expected + 1) % (n * k);
                }
            }
        }
    }
}

//! Ranking of the packets that wait, by age.
//!
//! Hardware compares each two ages once and keeps the outcome. Two packets that wait age alike, so that each packet has
//! a number that orders all of them: the cycle in which it would have had age 0. Source: reference page of Dragonfly
//! routing, "Ranking".

use crate::bits::{ones, MAX_VCS};
use railyard_spec::Shape;

/// What ranks a packet.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, PartialOrd, Ord)]
struct Rank {
    /// Cycle in which its age would have been 0.
    made: i64,
    /// First cycle in its selection register.
    new: u64,
}

/// The ranks of all (input, VC).
#[derive(Clone, Debug)]
pub struct AgeRanking {
    /// At `input * vcs + vc`.
    ranks: Vec<Rank>,
    vcs: usize,
}

impl AgeRanking {
    /// Of a switch of that shape.
    pub fn new(shape: &Shape) -> Self {
        AgeRanking { ranks: vec![Rank::default(); shape.ports * shape.vcs], vcs: shape.vcs }
    }

    /// A packet is in the selection register of (input, VC) from cycle `new` on.
    #[inline]
    pub fn enter(&mut self, input: usize, vc: usize, made: i64, new: u64) {
        self.ranks[input * self.vcs + vc] = Rank { made, new };
    }

    /// The request in cycle `now` that stands before all others, as (input, VC); `requests[v]` is a mask over inputs,
    /// at least one bit is set. Packets that are new come last, by their numbers.
    #[inline]
    pub fn first(&self, now: u64, requests: &[u64; MAX_VCS]) -> (usize, usize) {
        let all = requests.iter().enumerate().flat_map(|(vc, inputs)| ones(*inputs).map(move |input| (input, vc)));
        let key = |&(input, vc): &(usize, usize)| {
            let number = input * self.vcs + vc;
            let rank = self.ranks[number];
            match rank.new == now {
                true => (true, Rank::default(), number),
                false => (false, rank, number),
            }
        };
        all.min_by_key(key).expect("a request")
    }

    /// No packet has a rank.
    pub fn reset(&mut self) {
        self.ranks.fill(Rank::default());
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use railyard_spec::Config;

    /// Ages of the text, cycle by cycle, and its three rules.
    struct Literal {
        greatest: u64,
        /// By number: ages from the first cycle on, and that cycle.
        registers: Vec<(u64, u64)>,
    }

    impl Literal {
        fn age(&self, number: usize, cycle: u64) -> u64 {
            let (age, new) = self.registers[number];
            (age + cycle - new).min(self.greatest)
        }

        fn stands_before(&self, a: usize, b: usize, now: u64) -> bool {
            let [new_a, new_b] = [a, b].map(|number| self.registers[number].1);
            match (new_a == now, new_b == now) {
                (false, true) => true,
                (true, false) => false,
                (true, true) => a < b,
                (false, false) => {
                    let then = new_a.max(new_b);
                    let [age_a, age_b] = [a, b].map(|number| self.age(number, then));
                    match age_a == age_b {
                        false => age_a > age_b,
                        true if new_a == new_b => a < b,
                        true => new_a < new_b,
                    }
                }
            }
        }
    }

    #[test]
    fn one_stands_before_all_others_as_the_text_says() {
        let shape = Config::named("t").check().unwrap().shape();
        let (ports, vcs, greatest) = (shape.ports, shape.vcs, 15);
        let mut seed = 12_345u64;
        let mut random = |below: u64| {
            seed ^= seed << 13;
            seed ^= seed >> 7;
            seed ^= seed << 17;
            seed % below
        };
        let mut ranking = AgeRanking::new(&shape);
        let mut literal = Literal { greatest, registers: vec![(0, 0); ports * vcs] };
        for now in 40..2_000 {
            // Several in a cycle, many with the greatest age.
            for _ in 0..random(4) {
                let (number, age) = (random((ports * vcs) as u64) as usize, random(24).min(greatest));
                literal.registers[number] = (age, now);
                ranking.enter(number / vcs, number % vcs, now as i64 - age as i64, now);
            }
            let mut requests = [0; MAX_VCS];
            let numbers: Vec<usize> = (0..ports * vcs).filter(|_| random(3) == 0).collect();
            numbers.iter().for_each(|number| requests[number % vcs] |= 1 << (number / vcs));
            let before_all = |&&number: &&usize| {
                numbers.iter().all(|&other| other == number || literal.stands_before(number, other, now))
            };
            let first: Vec<usize> = numbers.iter().filter(before_all).copied().collect();
            if !numbers.is_empty() {
                let (input, vc) = ranking.first(now, &requests);
                assert_eq!(first, [input * vcs + vc], "cycle {now}");
            }
        }
    }
}

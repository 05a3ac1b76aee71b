//! Several patterns at once.

use super::Destinations;
use crate::random::{Chance, Random};

/// Patterns, each with its share of the packets.
#[derive(Clone, Debug)]
pub struct Mixture {
    /// Shares of all packets.
    shares: Vec<f64>,
    /// The same among the packets that are of no pattern before.
    chances: Vec<Chance>,
    parts: Vec<Destinations>,
    rest: Destinations,
}

impl Mixture {
    /// Patterns with their shares, which come to 1 at most; the other packets follow `rest`.
    pub fn new(parts: Vec<(f64, Destinations)>, rest: Destinations) -> Mixture {
        let (shares, parts): (Vec<f64>, Vec<Destinations>) = parts.into_iter().unzip();
        let mut left = 1.0;
        let chance = |share: &f64| {
            let chance = Chance::new(if left > 0.0 { (share / left).min(1.0) } else { 0.0 });
            left -= share;
            chance
        };
        let chances = shares.iter().map(chance).collect();
        Mixture { shares, chances, parts, rest }
    }

    /// The destination of the next packet of `source`.
    #[inline]
    pub fn draw(&self, source: usize, random: &mut Random) -> usize {
        let part = self.chances.iter().position(|&chance| random.happens(chance));
        part.map_or(&self.rest, |part| &self.parts[part]).draw(source, random)
    }

    /// The chance that a packet of `source` goes to `to`.
    pub fn share(&self, source: usize, to: usize) -> f64 {
        let rest = 1.0 - self.shares.iter().sum::<f64>();
        let parts = self.shares.iter().zip(&self.parts).map(|(share, part)| share * part.share(source, to));
        parts.sum::<f64>() + rest.max(0.0) * self.rest.share(source, to)
    }
}

#[cfg(test)]
mod tests {
    use super::super::{Pattern, Surroundings};
    use super::*;

    #[test]
    fn each_pattern_has_its_share() {
        let of = |pattern| Destinations::of_nodes(pattern, 16, Surroundings::default(), 1);
        let parts = vec![(0.25, of(Pattern::Neighbour)), (0.5, of(Pattern::Complement))];
        let mixture = Mixture::new(parts, of(Pattern::Uniform));
        let mut random = Random::new(4, 0);
        let mut drawn = [0; 16];
        (0..64_000).for_each(|_| drawn[mixture.draw(3, &mut random)] += 1);
        for (to, count) in drawn.into_iter().enumerate() {
            let share = mixture.share(3, to);
            assert!((f64::from(count) - 64_000.0 * share).abs() < 400.0, "{to}: {count}, {share}");
        }
        assert!((mixture.share(3, 4) - 0.25 - 0.25 / 15.0).abs() < 1e-12);
        let all = Mixture::new(vec![(1.0, of(Pattern::Complement))], of(Pattern::Uniform));
        assert!((0..100).all(|_| all.draw(3, &mut random) == 12));
    }
}

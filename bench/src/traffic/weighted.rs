//! Destinations by weight.

use crate::random::Random;

/// The destinations of a source, each with a weight.
#[derive(Clone, Debug, Default)]
pub struct Weighted {
    ends: Vec<u32>,
    /// The weights up to each, the own included.
    sums: Vec<f64>,
}

impl Weighted {
    /// A further destination.
    pub fn add(&mut self, end: u32, weight: f64) {
        if weight > 0.0 {
            self.sums.push(self.sum() + weight);
            self.ends.push(end);
        }
    }

    /// The sum of the weights.
    pub fn sum(&self) -> f64 {
        self.sums.last().copied().unwrap_or(0.0)
    }

    /// The chance that a destination is drawn.
    pub fn share(&self, end: usize) -> f64 {
        let before = |at: usize| if at == 0 { 0.0 } else { self.sums[at - 1] };
        let all = self.ends.iter().enumerate().filter(|(_, &other)| other as usize == end);
        all.map(|(at, _)| self.sums[at] - before(at)).sum::<f64>() / self.sum()
    }

    /// A destination; none if there are none.
    #[inline]
    pub fn draw(&self, random: &mut Random) -> Option<usize> {
        // 53 bits are what a number of this type holds.
        let at = (random.bits() >> 11) as f64 / (1u64 << 53) as f64 * self.sum();
        let drawn = self.sums.partition_point(|&sum| sum <= at);
        self.ends.get(drawn.min(self.ends.len().wrapping_sub(1))).map(|&end| end as usize)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn each_has_its_share() {
        let (mut weighted, mut random) = (Weighted::default(), Random::new(1, 0));
        assert_eq!(weighted.draw(&mut random), None);
        [(7, 1.0), (3, 0.0), (9, 2.5), (7, 0.5)].into_iter().for_each(|(end, weight)| weighted.add(end, weight));
        let sevens = (0..40_000).filter(|_| weighted.draw(&mut random) == Some(7)).count() as f64 / 40_000.0;
        assert!((weighted.share(7) - 0.375).abs() < 1e-9 && (sevens - 0.375).abs() < 0.01, "{sevens}");
        assert_eq!((weighted.share(3), weighted.sum()), (0.0, 4.0));
    }
}

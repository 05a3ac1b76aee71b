//! Destinations by weight.

use crate::random::Random;

/// The destinations of a source, each with a weight.
#[derive(Clone, Debug, Default)]
pub struct Weighted {
    /// Each destination once, in their order.
    ends: Vec<u32>,
    /// The weights up to each, the own included.
    sums: Vec<f64>,
}

impl FromIterator<(u32, f64)> for Weighted {
    /// Of destinations and weights; the weights of one destination add up.
    fn from_iter<T: IntoIterator<Item = (u32, f64)>>(flows: T) -> Weighted {
        let mut flows: Vec<(u32, f64)> = flows.into_iter().filter(|flow| flow.1 > 0.0).collect();
        flows.sort_by_key(|flow| flow.0);
        let mut weighted = Weighted::default();
        for (end, weight) in flows {
            let sum = weighted.sum() + weight;
            if weighted.ends.last() == Some(&end) {
                weighted.sums.pop();
            } else {
                weighted.ends.push(end);
            }
            weighted.sums.push(sum);
        }
        weighted
    }
}

impl Weighted {
    /// The sum of the weights.
    pub fn sum(&self) -> f64 {
        self.sums.last().copied().unwrap_or(0.0)
    }

    /// The chance that a destination is drawn.
    pub fn share(&self, end: usize) -> f64 {
        let Ok(at) = self.ends.binary_search_by(|other| (*other as usize).cmp(&end)) else { return 0.0 };
        let before = if at == 0 { 0.0 } else { self.sums[at - 1] };
        (self.sums[at] - before) / self.sum()
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
        let mut random = Random::new(1, 0);
        assert_eq!(Weighted::default().draw(&mut random), None);
        let weighted = Weighted::from_iter([(7, 1.0), (3, 0.0), (9, 2.5), (7, 0.5)]);
        let sevens = (0..40_000).filter(|_| weighted.draw(&mut random) == Some(7)).count() as f64 / 40_000.0;
        assert!((weighted.share(7) - 0.375).abs() < 1e-9 && (sevens - 0.375).abs() < 0.01, "{sevens}");
        assert_eq!((weighted.share(3), weighted.sum()), (0.0, 4.0));
    }
}

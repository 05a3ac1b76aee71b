//! How evenly something is shared.

use serde::Serialize;

/// Figures of a share for each of several, all of whom should have the same.
#[derive(Clone, Copy, Debug, PartialEq, Serialize)]
pub struct Fairness {
    /// The mean.
    pub mean: f64,
    /// The smallest.
    pub min: f64,
    /// The largest.
    pub max: f64,
    /// Largest over smallest; none if the smallest is 0.
    pub max_over_min: Option<f64>,
    /// Coefficient of variation: standard deviation over mean.
    pub cov: f64,
    /// Jain's index: 1 if all are equal, 1 / n if one has all.
    pub jain: f64,
}

impl Fairness {
    /// Of some shares; none of no shares, or if all are 0.
    pub fn of(shares: &[f64]) -> Option<Fairness> {
        let count = shares.len() as f64;
        let (sum, squares) = (shares.iter().sum::<f64>(), shares.iter().map(|share| share * share).sum::<f64>());
        let mean = sum / count;
        let variance = shares.iter().map(|share| (share - mean).powi(2)).sum::<f64>() / count;
        let min = shares.iter().copied().fold(f64::INFINITY, f64::min);
        let max = shares.iter().copied().fold(0.0, f64::max);
        (sum > 0.0).then(|| Fairness {
            mean,
            min,
            max,
            max_over_min: (min > 0.0).then(|| max / min),
            cov: variance.sqrt() / mean,
            jain: sum * sum / (count * squares),
        })
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn equal_shares_are_fair_and_one_taker_is_not() {
        let equal = Fairness::of(&[0.3; 8]).unwrap();
        assert!((equal.jain - 1.0).abs() < 1e-12 && equal.cov < 1e-9 && equal.max_over_min == Some(1.0), "{equal:?}");
        let one = Fairness::of(&[1.0, 0.0, 0.0, 0.0]).unwrap();
        assert_eq!((one.jain, one.max_over_min, one.min, one.mean), (0.25, None, 0.0, 0.25));
        assert!((one.cov - 3f64.sqrt()).abs() < 1e-12);
        let known = Fairness::of(&[1.0, 2.0, 3.0]).unwrap();
        assert!((known.cov - (2.0f64 / 3.0).sqrt() / 2.0).abs() < 1e-12 && (known.jain - 36.0 / 42.0).abs() < 1e-12);
        assert_eq!((Fairness::of(&[]), Fairness::of(&[0.0])), (None, None));
    }
}

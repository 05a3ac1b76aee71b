//! How sure the mean of several runs is.

/// A mean with its confidence interval.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Interval {
    /// The mean.
    pub mean: f64,
    /// With 95 % confidence the true mean is no further away.
    pub half: f64,
}

/// Student's t for 95 % on both sides, by the degrees of freedom from 1 on.
const STUDENT: [f64; 9] = [12.706, 4.303, 3.182, 2.776, 2.571, 2.447, 2.365, 2.306, 2.262];

impl Interval {
    /// Of independent values, two or more.
    pub fn of(values: &[f64]) -> Interval {
        let count = values.len() as f64;
        let mean = values.iter().sum::<f64>() / count;
        let variance = values.iter().map(|value| (value - mean).powi(2)).sum::<f64>() / (count - 1.0);
        Interval { mean, half: student(values.len() - 1) * (variance / count).sqrt() }
    }
}

/// Student's t; behind the table, by its expansion in the reciprocal `r` of the degrees of freedom.
fn student(freedom: usize) -> f64 {
    let r = 1.0 / freedom as f64;
    STUDENT.get(freedom - 1).copied().unwrap_or(1.959_96 + r * (2.372_2 + r * (2.822_3 + r * 2.555_7)))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_interval_is_students() {
        assert_eq!(Interval::of(&[2.0, 2.0, 2.0]), Interval { mean: 2.0, half: 0.0 });
        let of_three = Interval::of(&[1.0, 2.0, 3.0]);
        assert!((of_three.half - 4.303 / 3f64.sqrt()).abs() < 1e-9, "{of_three:?}");
    }

    /// Values of printed tables.
    #[test]
    fn many_values_come_near_to_the_normal_distribution() {
        for (freedom, printed) in [(10, 2.228), (15, 2.131), (20, 2.086), (30, 2.042), (60, 2.000), (1_000, 1.962)] {
            assert!((student(freedom) / printed - 1.0).abs() < 1e-3, "{freedom}: {}", student(freedom));
        }
    }
}

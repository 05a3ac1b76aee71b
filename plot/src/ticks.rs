//! Where a logarithmic axis has its lines.

use std::ops::Range;

/// Lines of an axis, at most.
const MOST: usize = 12;

/// Below this, in decades, all digits have room for a line.
const FEW_DECADES: f64 = 0.8;

/// Values for lines: powers of the base. By tens, multiples are between them if there is room.
pub(crate) fn ticks(range: &Range<f64>, base: f64) -> Vec<f64> {
    let [first, last] = [range.start, range.end].map(|end| end.log(base).floor() as i32);
    let lines = |factors: &[f64], step: usize| -> Vec<f64> {
        let powers = (first..=last).filter(|power| power.rem_euclid(step as i32) == 0);
        let values = powers.flat_map(|power| factors.iter().map(move |factor| factor * base.powi(power)));
        values.filter(|value| range.contains(value)).collect()
    };
    let between: &[f64] = match (base == 10.0, (range.end / range.start).log10() < FEW_DECADES) {
        (false, _) => &[1.0],
        (true, true) => &[1.0, 2.0, 3.0, 4.0, 5.0, 6.0, 7.0, 8.0, 9.0],
        (true, false) => &[1.0, 2.0, 5.0],
    };
    let coarser = (1..).map(|step| lines(&[1.0], step));
    std::iter::once(lines(between, 1)).chain(coarser).find(|lines| lines.len() <= MOST).unwrap_or_default()
}

#[cfg(test)]
mod tests {
    use super::ticks;

    #[test]
    fn lines_are_below_the_first_power_too() {
        assert_eq!(ticks(&(15.0..350.0), 10.0), [20.0, 50.0, 100.0, 200.0]);
        assert_eq!(ticks(&(31.0..69.0), 10.0), [40.0, 50.0, 60.0]);
        assert_eq!(ticks(&(0.15..1.1), 10.0).len(), 3);
    }

    #[test]
    fn wide_ranges_have_few_lines() {
        assert_eq!(ticks(&(0.5..2e8), 10.0), [1e0, 1e1, 1e2, 1e3, 1e4, 1e5, 1e6, 1e7, 1e8]);
        assert_eq!(ticks(&(1.5..40.0), 2.0), [2.0, 4.0, 8.0, 16.0, 32.0]);
        for decades in 1..300 {
            let lines = ticks(&(1.0..10f64.powi(decades)), 10.0);
            assert!((1..=12).contains(&lines.len()), "{decades}: {lines:?}");
        }
    }
}

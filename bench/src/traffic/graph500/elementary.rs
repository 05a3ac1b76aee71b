//! Logarithm and exponential by additions and multiplications alone, so that a seed means the same on every machine.

const LN_2: f64 = std::f64::consts::LN_2;

/// Natural logarithm of a positive number.
pub fn ln(x: f64) -> f64 {
    let (mut mantissa, mut exponent) = (x, 0.0);
    while mantissa > 1.5 {
        (mantissa, exponent) = (mantissa / 2.0, exponent + 1.0);
    }
    while mantissa < 0.75 {
        (mantissa, exponent) = (mantissa * 2.0, exponent - 1.0);
    }
    // ln m = 2 (z + z^3 / 3 + z^5 / 5 + ...), and |z| is 0.2 at the most.
    let z = (mantissa - 1.0) / (mantissa + 1.0);
    let (mut power, mut sum, mut odd) = (z, 0.0, 1.0);
    while odd < 40.0 {
        sum += power / odd;
        (power, odd) = (power * z * z, odd + 2.0);
    }
    exponent * LN_2 + 2.0 * sum
}

/// e to a power; 0 and infinity where it would leave the range of numbers.
pub fn exp(x: f64) -> f64 {
    if x < -700.0 {
        return 0.0;
    }
    if x > 700.0 {
        return f64::INFINITY;
    }
    let whole = (x / LN_2).round();
    let rest = x - whole * LN_2;
    let (mut term, mut sum, mut n) = (1.0, 1.0, 1.0);
    while n < 25.0 {
        term *= rest / n;
        (sum, n) = (sum + term, n + 1.0);
    }
    (0..whole.abs() as u32).fold(sum, |value, _| if whole > 0.0 { value * 2.0 } else { value / 2.0 })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn they_are_those_of_the_library() {
        for x in [1e-9, 0.3, 0.75, 1.0, 1.5, 2.0, 17.0, 1e6, 3e12] {
            assert!((ln(x) - f64::ln(x)).abs() < 1e-12 * (1.0 + f64::ln(x).abs()), "{x}");
        }
        for x in [-699.0, -30.0, -1.0, -0.1, 0.0, 0.5, 1.0, 22.0, 300.0] {
            assert!((exp(x) / f64::exp(x) - 1.0).abs() < 1e-11, "{x}");
        }
        assert_eq!((exp(-1e9), exp(1e9)), (0.0, f64::INFINITY));
    }
}

//! Waiting times of a process without memory, without a draw per cycle and without logarithms.

use super::Random;

/// Longest table; waits beyond it are drawn in several steps, which a process without memory doesn't notice.
const LONGEST: usize = 4096;

/// The number of trials until the first success: 1, 2, ... with mean 1 / p.
#[derive(Clone, Debug)]
pub struct Geometric {
    /// `beyond[i]`: the probability, in units of 2^-64, that more than `i` trials are needed; it falls with `i`.
    beyond: Vec<u64>,
    /// For each value of a draw's highest byte, the smallest number of trials that it can mean.
    guide: Vec<u16>,
}

impl Geometric {
    /// `p` is the chance of success of a trial; clamped to 10^-9 .. 1.
    pub fn new(p: f64) -> Geometric {
        let failure = 1.0 - p.clamp(1e-9, 1.0);
        let mut beyond = vec![u64::MAX];
        let mut remaining = 1.0;
        while beyond.len() <= LONGEST && *beyond.last().expect("starts with one") > 0 {
            remaining *= failure;
            beyond.push((remaining * 18_446_744_073_709_551_616.0) as u64);
        }
        let mut guide = vec![0; 256];
        let mut trials = 1;
        for (byte, entry) in guide.iter_mut().enumerate().rev() {
            let highest = (byte as u64) << 56 | (u64::MAX >> 8);
            while trials < beyond.len() - 1 && beyond[trials] > highest {
                trials += 1;
            }
            *entry = trials as u16;
        }
        Geometric { beyond, guide }
    }

    /// With the given mean, at least 1.
    pub fn with_mean(mean: f64) -> Geometric {
        Geometric::new(1.0 / mean.max(1.0))
    }

    /// Draws a number of trials.
    #[inline]
    pub fn draw(&self, random: &mut Random) -> u64 {
        let mut before = 0;
        loop {
            let bits = random.bits();
            let mut trials = self.guide[(bits >> 56) as usize] as usize;
            while trials < self.beyond.len() {
                if bits >= self.beyond[trials] {
                    return before + trials as u64;
                }
                trials += 1;
            }
            before += self.beyond.len() as u64 - 1;
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn has_the_mean_and_the_shape() {
        for p in [1.0, 0.7, 0.125, 0.01, 0.0001] {
            let geometric = Geometric::new(p);
            let mut random = Random::new(3, 0);
            let draws: Vec<u64> = (0..200_000).map(|_| geometric.draw(&mut random)).collect();
            let mean = draws.iter().sum::<u64>() as f64 / draws.len() as f64;
            assert!((mean * p - 1.0).abs() < 0.02, "p {p}: mean {mean}");
            let first = draws.iter().filter(|&&d| d == 1).count() as f64 / draws.len() as f64;
            assert!((first - p).abs() < 0.01, "p {p}: one trial {first}");
        }
    }
}

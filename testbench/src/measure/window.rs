//! Windows of a run, and whether the run is the same in two of them.
//!
//! A window is cut into batches, whose means tell how sure the window's own mean is (method of batch means). Two windows agree if no
//! figure differs by more than chance or a small part of it explains. What warms up, be it caches, buffers or source queues, makes later windows disagree
//! with earlier ones.

use super::{Latencies, Totals};

/// Batches of a window.
pub const BATCHES: u64 = 16;

/// Difference of two windows that does not matter, as a share of the figure.
const TOLERANCE: f64 = 0.02;

/// Standard errors by which two windows may differ by chance.
const ERRORS: f64 = 2.5;

/// Figures that must agree, each a sum over a count: mean latency, accepted load, hit rate.
const FIGURES: [fn(&Totals) -> (u64, u64); 3] =
    [|t| (t.latency, t.packets), |t| (t.flits, t.cycles), |t| (t.hits, t.hits + t.misses)];

/// What was measured in some cycles in a row.
#[derive(Clone, Debug, Default)]
pub struct Window {
    /// The parts, in order.
    pub batches: Vec<Totals>,
    /// Latencies of the packets delivered in it.
    pub latencies: Latencies,
}

impl Window {
    /// Sums over the window.
    pub fn totals(&self) -> Totals {
        self.batches.iter().copied().sum()
    }

    /// Whether all figures of two windows are the same, as far as chance allows to tell.
    pub fn agrees(&self, other: &Window) -> bool {
        FIGURES.iter().all(|figure| match (estimate(&self.batches, figure), estimate(&other.batches, figure)) {
            (Some((a, error_a)), Some((b, error_b))) => {
                let by_chance = ERRORS * (error_a + error_b).sqrt();
                (a - b).abs() <= by_chance.max(TOLERANCE * a.abs().max(b.abs()))
            }
            _ => true,
        })
    }

    /// This window and the one behind it as one.
    pub fn join(mut self, next: Window) -> Window {
        self.batches.extend(next.batches);
        self.latencies.add_all(&next.latencies);
        self
    }
}

/// A figure over batches and the square of its standard error (that of a ratio of sums); none if there was nothing to count.
fn estimate(batches: &[Totals], figure: impl Fn(&Totals) -> (u64, u64)) -> Option<(f64, f64)> {
    let pairs: Vec<(f64, f64)> = batches.iter().map(&figure).map(|(s, n)| (s as f64, n as f64)).collect();
    let (sum, count) = pairs.iter().fold((0.0, 0.0), |(sum, count), (s, n)| (sum + s, count + n));
    if count == 0.0 {
        return None;
    }
    let value = sum / count;
    let squares: f64 = pairs.iter().map(|(s, n)| (s - value * n).powi(2)).sum();
    let batches = pairs.len() as f64;
    Some((value, squares * batches / (batches - 1.0).max(1.0) / count.powi(2)))
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::random::Random;

    /// A window of packets whose mean latency goes from one value to another, with as much noise as latencies have.
    fn window(from: f64, to: f64, packets: u64, random: &mut Random) -> Window {
        let mut batch = |i: u64| {
            let mean = from + (to - from) * (i as f64 + 0.5) / BATCHES as f64;
            let noise = |random: &mut Random| 0.5 + random.below(1_001) as f64 / 1_000.0;
            let latency = (0..packets).map(|_| (mean * noise(random)) as u64).sum();
            Totals { cycles: 100, flits: 4 * packets, packets, latency, ..Totals::default() }
        };
        Window { batches: (0..BATCHES).map(&mut batch).collect(), latencies: Latencies::default() }
    }

    #[test]
    fn windows_of_one_process_agree_and_a_drift_is_seen() {
        let mut random = Random::new(1, 0);
        let mut disagree = |first: [f64; 2], second: [f64; 2], packets| {
            let pairs = (0..200).map(|_| (first, second));
            let mut count = |([a, b], [c, d]): ([f64; 2], [f64; 2])| {
                let (one, other) = (window(a, b, packets, &mut random), window(c, d, packets, &mut random));
                u32::from(!one.agrees(&other))
            };
            pairs.map(&mut count).sum::<u32>()
        };
        assert!(disagree([500.0, 500.0], [500.0, 500.0], 5) < 10);
        assert!(disagree([500.0, 500.0], [500.0, 500.0], 500) < 10);
        assert!(disagree([500.0, 550.0], [550.0, 600.0], 500) == 200);
        // Too few packets to tell.
        assert!(disagree([500.0, 550.0], [550.0, 600.0], 2) < 150);
    }

    #[test]
    fn windows_without_packets_agree() {
        let none = Window { batches: vec![Totals { cycles: 10, ..Totals::default() }; 16], ..Window::default() };
        assert!(none.agrees(&none.clone()));
    }

    #[test]
    fn joined_windows_are_one() {
        let mut random = Random::new(2, 0);
        let (a, b) = (window(50.0, 60.0, 10, &mut random), window(60.0, 70.0, 10, &mut random));
        let (of_a, of_b) = (a.totals(), b.totals());
        let both = a.join(b).totals();
        assert_eq!((both.packets, both.cycles), (320, 3_200));
        assert_eq!(both.since(of_a), of_b);
    }
}

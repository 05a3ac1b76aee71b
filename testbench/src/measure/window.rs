//! Windows of a run, and whether the run is the same in two of them.
//!
//! A window is cut into batches, whose means tell how sure the window's own mean is (method of batch means). Two
//! windows agree if no figure differs by more than chance or a small part of it explains. What warms up, be it caches,
//! buffers or source queues, makes later windows disagree with earlier ones.
//!
//! Windows can agree because they are too short to differ. So there is a bound on the error of the figure itself, and
//! caches that still take entries into free places are no steady state, whatever the figures.

use super::{IntervalTotals, Latencies};

/// Batches of a window.
pub const BATCHES: u64 = 16;

/// Difference of two windows that does not matter, as a share of the figure.
const TOLERANCE: f64 = 0.02;

/// Standard errors by which two windows may differ by chance.
const ERRORS: f64 = 2.5;

/// Error of a figure that does not matter, as a share of the figure.
const LARGEST_ERROR: f64 = 0.05;

/// Share of the lookups whose results took a free place of a cache, from which on the cache counts as filling.
const FILLING: f64 = 0.025;

/// With fewer packets nobody can tell whether a switch is steady.
const FEW_PACKETS: u64 = 50;

/// A figure: a sum over a count.
type Figure = fn(&IntervalTotals) -> (u64, u64);

const MEAN_LATENCY: Figure = |t| (t.latency, t.packets);
const ACCEPTED_LOAD: Figure = |t| (t.flits, t.cycles);
const HIT_RATE: Figure = |t| (t.hits, t.hits + t.misses);

/// Figures that must agree.
const FIGURES: [Figure; 3] = [MEAN_LATENCY, ACCEPTED_LOAD, HIT_RATE];

/// What was measured in some cycles in a row.
#[derive(Clone, Debug, Default)]
pub struct Window {
    /// The parts, in order.
    pub batches: Vec<IntervalTotals>,
    /// At its beginning caches were swept after a reset, and took nothing.
    pub is_swept: bool,
    /// Latencies of the packets delivered in it.
    pub latencies: Latencies,
}

impl Window {
    /// Sums over the window.
    pub fn totals(&self) -> IntervalTotals {
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

    /// Why nothing can be said of the steady state although windows agree, if so. Latencies of a saturated switch are
    /// those of full queues: its figure is the accepted load.
    pub fn doubt(&self, is_saturated: bool) -> Option<Doubt> {
        let totals = self.totals();
        if totals.packets < FEW_PACKETS {
            return Some(Doubt::Few(totals.packets));
        }
        if self.is_swept {
            return Some(Doubt::Sweeping);
        }
        if totals.entries as f64 > FILLING * (totals.hits + totals.misses) as f64 {
            return Some(Doubt::Filling(totals.entries));
        }
        let figure = if is_saturated { ACCEPTED_LOAD } else { MEAN_LATENCY };
        let (value, square) = estimate(&self.batches, figure)?;
        let error = ERRORS * square.sqrt() / value;
        (error > LARGEST_ERROR).then_some(Doubt::Error { is_saturated, error })
    }

    /// This window and the one behind it as one.
    pub fn join(mut self, next: Window) -> Window {
        self.batches.extend(next.batches);
        self.is_swept |= next.is_swept;
        self.latencies.add_all(&next.latencies);
        self
    }
}

/// Why windows are too short to tell whether a switch is steady.
#[derive(Clone, Copy, Debug, PartialEq)]
pub enum Doubt {
    /// So few packets were delivered.
    Few(u64),
    /// Caches were swept, and took nothing.
    Sweeping,
    /// Caches took so many entries into free places.
    Filling(u64),
    /// The figure is known to this share of itself only.
    Error {
        /// The figure is the accepted load; else the mean latency.
        is_saturated: bool,
        /// The share.
        error: f64,
    },
}

impl Doubt {
    /// Cycles that would do, given how many were too few: twice what independent batches would take.
    fn cycles(self, cycles: u64) -> Option<u64> {
        let Doubt::Error { error, .. } = self else { return None };
        let needed = (2.0 * cycles as f64 * (error / LARGEST_ERROR).powi(2)).ceil() as u64;
        // To two digits.
        let unit = 10_u64.pow(needed.max(10).ilog10() - 1);
        Some(needed.div_ceil(unit) * unit)
    }

    /// For people who have measured so many cycles.
    pub fn note(self, cycles: u64) -> String {
        let why = match self {
            Doubt::Few(packets) => {
                return format!("{packets} packets are too few to tell whether the switch is steady: run more cycles")
            }
            Doubt::Sweeping => "caches were still swept after the reset: run more cycles".into(),
            Doubt::Filling(entries) => {
                format!("caches were still filling ({entries} new entries in free places): run more cycles")
            }
            Doubt::Error { is_saturated, error } => {
                let figure = if is_saturated { "accepted load" } else { "mean latency" };
                let more =
                    self.cycles(cycles).map_or(String::new(), |cycles| format!(": about --cycles {cycles} would do"));
                format!("the {figure} is known to {:.1} % only{more}", 100.0 * error)
            }
        };
        format!("too short to tell whether the switch is steady: {why}")
    }
}

/// A figure over batches and the square of its standard error (that of a ratio of sums); none if there was nothing to
/// count.
fn estimate(batches: &[IntervalTotals], figure: impl Fn(&IntervalTotals) -> (u64, u64)) -> Option<(f64, f64)> {
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
            IntervalTotals { cycles: 100, flits: 4 * packets, packets, latency, ..IntervalTotals::default() }
        };
        Window { batches: (0..BATCHES).map(&mut batch).collect(), ..Window::default() }
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

    /// Windows of so little agree with anything.
    #[test]
    fn what_is_not_known_well_is_not_steady() {
        let mut random = Random::new(3, 0);
        let few = window(50.0, 50.0, 2, &mut random);
        assert_eq!(few.doubt(false), Some(Doubt::Few(32)));
        let some = window(50.0, 50.0, 10, &mut random);
        let doubt = some.doubt(false).unwrap();
        assert!(
            matches!(doubt, Doubt::Error { is_saturated: false, error } if error > 0.05 && error < 0.15),
            "{doubt:?}"
        );
        let note = doubt.note(1_000);
        assert!(note.contains("the mean latency is known to ") && note.contains(" % only: about --cycles "), "{note}");
        assert_eq!(some.doubt(true), None, "each batch has as many flits");
        let many = window(50.0, 50.0, 500, &mut random);
        assert_eq!(many.doubt(false), None);
        let mut cold = many;
        for batch in &mut cold.batches {
            (batch.hits, batch.misses, batch.entries) = (470, 30, 19);
        }
        assert_eq!(cold.doubt(false), Some(Doubt::Filling(304)));
        cold.batches.iter_mut().for_each(|batch| batch.entries = 1);
        assert_eq!(cold.doubt(false), None);
        assert_eq!(Doubt::Error { is_saturated: true, error: 0.11 }.cycles(1_000), Some(9_700));
    }

    #[test]
    fn windows_without_packets_agree() {
        let none = Window {
            batches: vec![IntervalTotals { cycles: 10, ..IntervalTotals::default() }; 16],
            ..Window::default()
        };
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

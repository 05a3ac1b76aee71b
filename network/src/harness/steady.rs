//! Whether what was measured is that of a network in a steady state.
//!
//! Two things grow for longer than a warm-up takes: what is under way or waits in source queues where a network is
//! offered more than it can carry, and what routing caches hold, until each has met its destinations. Both are seen by
//! comparing the steps and the halves of a run: what is more than chance, and large enough to matter, counts.

use super::measured::Sums;
use serde::Serialize;

/// Steps that a verdict takes at least.
const FEWEST: usize = 8;

/// Standard errors that are more than chance.
const SIGNIFICANT: f64 = 3.0;

/// Share of what sources make that is not delivered as fast: more than this matters.
const LEFT: f64 = 0.02;

/// A growth of the hit rate that matters: more than this.
const RISE: f64 = 0.005;

/// A difference of what the halves of a run received that matters: more than this share.
const DRIFT: f64 = 0.01;

/// The sums of the halves of a run.
fn halves(steps: &[Sums]) -> [Sums; 2] {
    let (first, second) = steps.split_at(steps.len() / 2);
    [first, second].map(|half| half.iter().copied().fold(Sums::default(), Sums::plus))
}

/// Flits by which buffers and source queues filled.
fn left(sums: &Sums) -> f64 {
    sums.made as f64 - sums.delivered as f64
}

/// Whether a network can't deliver what its sources make: buffers and queues fill in both halves of a run, and by more
/// than they fluctuate. (In a steady state the steps of a queue's length cancel each other, so that their sum is below
/// what independent steps would come to.)
pub fn is_saturated(steps: &[Sums]) -> bool {
    if steps.len() < FEWEST || !halves(steps).iter().all(|half| left(half) > LEFT * half.made as f64) {
        return false;
    }
    let (mean, error) = mean_and_error(&steps.iter().map(left).collect::<Vec<f64>>());
    mean > SIGNIFICANT * error
}

/// Whether nodes received as much in both halves of a run, as far as chance allows to tell; none of a run that is too
/// short. A saturated network has such a state, too: its source queues grow, but what it carries stays the same.
pub fn is_steady(steps: &[Sums]) -> Option<bool> {
    if steps.len() < FEWEST {
        return None;
    }
    let received = |steps: &[Sums]| steps.iter().map(|step| step.received as f64).collect::<Vec<f64>>();
    let (first, second) = steps.split_at(steps.len() / 2);
    let [(before, error_before), (after, error_after)] = [first, second].map(|half| mean_and_error(&received(half)));
    let by_chance = SIGNIFICANT * error_before.hypot(error_after);
    Some((after - before).abs() <= by_chance.max(DRIFT * before.max(after)))
}

/// A mean with its standard error.
fn mean_and_error(values: &[f64]) -> (f64, f64) {
    let count = values.len() as f64;
    let mean = values.iter().sum::<f64>() / count;
    let variance = values.iter().map(|value| (value - mean).powi(2)).sum::<f64>() / (count - 1.0);
    (mean, (variance / count).sqrt())
}

/// What routing caches did.
#[derive(Clone, Debug, PartialEq, Serialize)]
pub struct CacheReport {
    /// Lookups in routing caches.
    pub lookups: u64,
    /// Lookups that a cache answered.
    pub hits: u64,
    /// Their share; 0 without lookups.
    pub hit_rate: f64,
    /// Their share in each half of the measured cycles; 0 without lookups.
    pub hit_rate_of_halves: [f64; 2],
    /// The hit rate was still rising: the caches were cold.
    pub rising: bool,
}

impl CacheReport {
    /// Of sums, and their steps.
    pub fn new(sums: Sums, steps: &[Sums]) -> CacheReport {
        let [first, second] = halves(steps);
        let (before, after) = (hit_rate(first), hit_rate(second));
        let lookups = |sums: Sums| (sums.hits + sums.misses) as f64;
        let both = hit_rate(first.plus(second));
        let error = (both * (1.0 - both) * (1.0 / lookups(first) + 1.0 / lookups(second))).sqrt();
        CacheReport {
            lookups: sums.hits + sums.misses,
            hits: sums.hits,
            hit_rate: hit_rate(sums),
            hit_rate_of_halves: [before, after],
            rising: steps.len() >= FEWEST && after - before > RISE.max(SIGNIFICANT * error),
        }
    }
}

fn hit_rate(sums: Sums) -> f64 {
    sums.hits as f64 / (sums.hits + sums.misses).max(1) as f64
}

#[cfg(test)]
mod tests {
    use super::*;

    fn queues(left: impl Fn(usize) -> i64) -> bool {
        let step = |i| Sums { made: 1_000, delivered: (1_000 - left(i)) as u64, ..Sums::default() };
        is_saturated(&(0..40).map(step).collect::<Vec<Sums>>())
    }

    #[test]
    fn queues_that_grow_all_the_time_are_saturated() {
        assert!(queues(|_| 50) && queues(|i| if i % 2 == 0 { 130 } else { -30 }));
        assert!(!queues(|_| 0) && !queues(|_| 10), "less than matters");
        assert!(!queues(|i| if i < 20 { 100 } else { 0 }), "filled, then steady");
        assert!(!queues(|i| if i % 2 == 0 { 600 } else { -550 }), "chance");
        assert!(!is_saturated(&[Sums { made: 9, ..Sums::default() }; FEWEST - 1]), "too short");
    }

    #[test]
    fn what_a_filling_network_receives_is_not_steady() {
        let steady = |received: &dyn Fn(usize) -> u64| {
            let step = |i| Sums { received: received(i), ..Sums::default() };
            is_steady(&(0..40).map(step).collect::<Vec<Sums>>())
        };
        assert_eq!(steady(&|_| 500), Some(true));
        assert_eq!(steady(&|i| if i % 2 == 0 { 600 } else { 400 }), Some(true), "chance");
        assert_eq!(steady(&|i| 450 - i as u64), Some(false));
        assert_eq!(steady(&|i| if i < 20 { 410 } else { 400 }), Some(false));
        assert_eq!(is_steady(&[Sums::default(); FEWEST - 1]), None, "too short");
    }

    fn rising(lookups: u64, hit_rate: impl Fn(usize) -> f64) -> bool {
        let step = |i| {
            let hits = (hit_rate(i) * lookups as f64) as u64;
            Sums { hits, misses: lookups - hits, ..Sums::default() }
        };
        let steps: Vec<Sums> = (0..40).map(step).collect();
        CacheReport::new(steps.iter().copied().fold(Sums::default(), Sums::plus), &steps).rising
    }

    #[test]
    fn hit_rates_that_rise_are_those_of_cold_caches() {
        assert!(rising(1_000, |i| 0.5 + 0.01 * i as f64) && rising(1_000, |i| 1.0 - 0.5 / (1 + i) as f64));
        assert!(!rising(1_000, |_| 0.7) && !rising(1_000, |i| 0.7 + 0.0001 * i as f64));
        assert!(!rising(10, |i| if i < 20 { 0.7 } else { 0.72 }), "chance");
        assert!(!rising(0, |_| 0.0), "no lookups");
    }
}

//! A histogram of latencies.

/// Values below it have a bucket each.
const EXACT: u64 = 1024;
/// Buckets of each doubling above; a value is at most 1/512 off.
const PER_OCTAVE: u64 = 512;

/// Latencies in cycles: exact mean and extremes; percentiles exact below 1,024 cycles and to 0.2 % above.
#[derive(Clone, Debug, Default)]
pub struct Latencies {
    buckets: Vec<u64>,
    count: u64,
    sum: u64,
    max: u64,
}

impl Latencies {
    /// One more.
    #[inline]
    pub fn add(&mut self, latency: u64) {
        let bucket = bucket(latency);
        if bucket >= self.buckets.len() {
            self.buckets.resize(bucket + 1, 0);
        }
        self.buckets[bucket] += 1;
        self.count += 1;
        self.sum += latency;
        self.max = self.max.max(latency);
    }

    /// Those of another histogram, too.
    pub fn add_all(&mut self, other: &Latencies) {
        let length = self.buckets.len().max(other.buckets.len());
        self.buckets.resize(length, 0);
        self.buckets.iter_mut().zip(&other.buckets).for_each(|(count, more)| *count += more);
        self.count += other.count;
        self.sum += other.sum;
        self.max = self.max.max(other.max);
    }

    /// How many there are.
    pub fn count(&self) -> u64 {
        self.count
    }

    /// The mean; 0 of none.
    pub fn mean(&self) -> f64 {
        self.sum as f64 / self.count.max(1) as f64
    }

    /// Their sum.
    pub fn sum(&self) -> u64 {
        self.sum
    }

    /// The largest; 0 of none.
    pub fn max(&self) -> u64 {
        self.max
    }

    /// The smallest value that at least this share of the latencies doesn't exceed; 0 of none.
    pub fn percentile(&self, share: f64) -> u64 {
        let rank = ((share * self.count as f64).ceil() as u64).max(1);
        let mut seen = 0;
        let reached = self.buckets.iter().position(|&count| {
            seen += count;
            seen >= rank
        });
        reached.map_or(0, |bucket| highest(bucket).min(self.max))
    }
}

#[inline]
fn bucket(latency: u64) -> usize {
    if latency < EXACT {
        return latency as usize;
    }
    let octave = u64::from(latency.ilog2() - EXACT.ilog2());
    let within = (latency >> (octave + 1)) - PER_OCTAVE;
    (EXACT + octave * PER_OCTAVE + within) as usize
}

/// The largest value of a bucket.
fn highest(bucket: usize) -> u64 {
    let bucket = bucket as u64;
    if bucket < EXACT {
        return bucket;
    }
    let (octave, within) = ((bucket - EXACT) / PER_OCTAVE, (bucket - EXACT) % PER_OCTAVE);
    ((PER_OCTAVE + within + 1) << (octave + 1)) - 1
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn buckets_are_without_gap_and_narrow() {
        for value in (0..10_000).chain([65_535, 65_536, 1 << 40]) {
            let top = highest(bucket(value));
            assert!(top >= value && top - value <= value / 512, "{value}: {top}");
            assert_eq!(bucket(top), bucket(value));
            assert_eq!(bucket(top + 1), bucket(value) + 1);
        }
    }

    #[test]
    fn joined_histograms_are_those_of_all_values() {
        let of = |values: std::ops::Range<u64>| {
            let mut latencies = Latencies::default();
            values.for_each(|value| latencies.add(value * value));
            latencies
        };
        for (low, high) in [(of(0..5), of(5..90)), (of(5..90), of(0..5))] {
            let mut all = low;
            all.add_all(&high);
            let expected = of(0..90);
            assert_eq!((all.count(), all.sum(), all.max()), (90, expected.sum(), 89 * 89));
            assert_eq!([0.1, 0.5, 0.9].map(|s| all.percentile(s)), [0.1, 0.5, 0.9].map(|s| expected.percentile(s)));
        }
    }

    #[test]
    fn percentiles() {
        let mut latencies = Latencies::default();
        assert_eq!(latencies.percentile(0.5), 0);
        (1..=100).for_each(|latency| latencies.add(latency));
        assert_eq!([0.5, 0.99, 1.0].map(|share| latencies.percentile(share)), [50, 99, 100]);
        assert_eq!((latencies.mean(), latencies.max()), (50.5, 100));
    }
}

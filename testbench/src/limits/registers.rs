//! Limits of event counters.

use super::{Limits, Place, Seen};
use crate::stimulus::Effort;
use railyard_spec::registers::event_counters;
use railyard_spec::Shape;

/// Counters are looked at once in so many cycles: fewer than the smallest counter's range.
const LOOK: u64 = 64;

/// The counters of a switch, if it has any.
#[derive(Clone, Debug)]
pub(super) struct Registers {
    wraps: Option<Place>,
    /// Names of those that count events.
    names: Vec<&'static str>,
    most: u64,
}

/// Shows a level, not a count of events.
const LEVEL: &str = "outstanding_misses";

impl Registers {
    pub(super) fn new(shape: &Shape, limits: &mut Limits) -> Registers {
        let names: Vec<&str> =
            event_counters(shape).into_iter().map(|register| register.name).filter(|&name| name != LEVEL).collect();
        let most = shape.counter_bits.map_or(0, |bits| u64::MAX >> (64 - bits));
        let meaning = "a counter of a kind passes its range";
        let wraps = shape
            .counter_bits
            .map(|_| limits.add("event counters wrap", meaning, names.len(), Effort::new(shape).counters));
        Registers { wraps, names, most }
    }

    #[inline]
    pub(super) fn look(&mut self, seen: &Seen, limits: &mut Limits) {
        let Some(wraps) = self.wraps.filter(|_| seen.cycle % LOOK == 0) else { return };
        for (element, name) in self.names.iter().enumerate() {
            let counted = seen.golden.most_events(name).unwrap_or(0);
            if u64::from(counted) > self.most {
                limits.reach(wraps, element, seen.cycle);
            }
        }
    }
}

//! A counter of events.

use railyard_hdl::rtl::prelude::*;

/// Counts events. At its largest number it stops, or wraps around.
#[block(width: usize, freezes: bool, saturates: bool)]
pub struct EventCounter {
    pub clock: ClockIn,
    pub reset: Flag<In>,
    /// An event happens in the current cycle.
    pub pulse: Flag<In>,
    /// Events of the current cycle are not counted.
    pub freeze: Option<Flag<In>, freezes>,
    /// Events since reset.
    pub total: Sig<Out, width>,

    /// Events since reset.
    count: Reg<width>,
    /// The event of the current cycle counts.
    counts: Flag<Local>,

    width: Param,
    saturates: Param<bool>,
}

#[kernel]
impl EventCounter {
    fn update(&mut self) {
        self.decide();
        if self.counts.val() {
            self.count.d.next = self.count.q.val() + 1;
        }
        self.total.next = self.count.q.val();
        self.state_properties();
    }

    /// Whether this cycle counts.
    fn decide(&mut self) {
        self.counts.next = self.pulse.val();
        if let Some(freeze) = &self.freeze {
            self.counts.next = self.pulse.val() & !freeze.val();
        }
        if self.saturates {
            if self.count.q.val().all() {
                self.counts.next = false;
            }
        }
    }
}

#[kernel(steps)]
impl EventCounter {
    /// What holds in each cycle.
    fn state_properties(&self) {
        assert!(!self.counts.val() | self.pulse.val(), "only a pulse counts");
        if let Some(freeze) = &self.freeze {
            if freeze.val() {
                assert!(!self.counts.val(), "a frozen counter does not count");
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn bench(freezes: bool, saturates: bool) -> Bench<EventCounter> {
        let mut bench = Bench::new(event_counter(2, freezes, saturates), |block| &mut block.clock);
        bench.reset.next = true;
        bench.cycle();
        bench.reset.next = false;
        bench.pulse.next = true;
        bench
    }

    #[test]
    fn it_counts_and_stops_or_wraps_around() {
        for (saturates, last) in [(false, 1), (true, 3)] {
            let mut bench = bench(false, saturates);
            for _ in 0..5 {
                bench.cycle();
            }
            assert_eq!(bench.total.val(), last);
        }
    }

    #[test]
    fn a_frozen_cycle_does_not_count() {
        let mut bench = bench(true, false);
        bench.cycle();
        bench.freeze.as_mut().expect("it can be frozen").next = true;
        bench.cycle();
        assert_eq!(bench.total.val(), 1);
    }
}

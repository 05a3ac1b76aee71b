//! Counters of several lanes.

use crate::counter::{event_counter, EventCounter};
use crate::totals::{totals, Totals};
use railyard_hdl::rtl::prelude::*;

/// A counter for each lane. Reading the totals freezes them.
#[block(lanes: usize, width: usize)]
pub struct LaneCounters {
    pub clock: ClockIn,
    pub reset: Flag<In>,
    /// An event of the lane happens in the current cycle.
    pub pulse: Vec<Flag<In>, lanes>,
    pub totals: Totals<Out, lanes, width>,

    #[made((0..lanes).map(|lane| event_counter(width, true, lane < FIRST_LANES)).collect())]
    counter: Vec<EventCounter>,
}

/// Lanes whose counters stop at their largest number; the others wrap around.
pub const FIRST_LANES: usize = 2;

#[kernel]
impl LaneCounters {
    fn update(&mut self) {
        for i in 0..self.counter.len() {
            let counter = &mut self.counter[i];
            counter.pulse.next = self.pulse[i].val();
            if let Some(freeze) = &mut counter.freeze {
                freeze.next = self.totals.read.val();
            }
            self.totals.total[i].next = counter.total.val();
        }
    }
}

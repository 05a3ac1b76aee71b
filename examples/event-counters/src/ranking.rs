//! Which lanes have seen the most events.

use crate::totals::{totals, Totals};
use railyard_hdl::rtl::prelude::*;

/// What there is if the largest total is asked for.
#[group(width: usize)]
pub struct Largest {
    /// Largest total of the last reading.
    pub largest: Sig<Out, width>,
    /// Largest total of the last reading.
    held: Reg<width>,
}

/// Finds the lanes with the most events.
#[block(lanes: usize, width: usize, keeps_largest: bool)]
pub struct Ranking {
    pub clock: ClockIn,
    pub reset: Flag<In>,
    pub totals: Totals<In, lanes, width>,
    /// Read the totals in the current cycle.
    pub read: Flag<In>,
    /// The lane's total is the largest of the last reading.
    pub busiest: Vec<Flag<Out>, lanes>,
    pub largest: Option<Largest<width>, keeps_largest>,

    /// Largest total.
    most: Sig<Local, width>,
}

#[kernel]
impl Ranking {
    fn update(&mut self) {
        self.totals.read.next = self.read.val();
        self.most.next = 0.into();
        for i in 0..self.totals.total.len() {
            self.compare(i);
        }
        for i in 0..self.busiest.len() {
            self.busiest[i].next = self.totals.total[i].val() == self.most.val();
        }
        if let Some(largest) = &mut self.largest {
            if self.read.val() {
                largest.held.d.next = self.most.val();
            }
            largest.largest.next = largest.held.q.val();
        }
    }

    fn compare(&mut self, i: usize) {
        if self.totals.total[i].val() > self.most.val() {
            self.most.next = self.totals.total[i].val();
        }
    }
}

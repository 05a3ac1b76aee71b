//! The model of the arbiter, written from what it is to do and not from the hardware.

use railyard_model::parts::arbiter::Arbiter;

/// Serves the requester that was served longest ago.
#[derive(Clone, Debug)]
pub struct LeastRecentlyServed {
    /// All requesters; the one served last is at the end.
    order: Vec<usize>,
}

impl LeastRecentlyServed {
    /// Among `requesters`, none of them served yet.
    pub fn new(requesters: usize) -> LeastRecentlyServed {
        LeastRecentlyServed { order: (0..requesters).collect() }
    }
}

impl Arbiter for LeastRecentlyServed {
    fn pick(&self, requests: u64) -> usize {
        *self.order.iter().find(|&&requester| requests >> requester & 1 == 1).expect("there is a request")
    }

    fn advance(&mut self, winner: usize) {
        self.order.retain(|&requester| requester != winner);
        self.order.push(winner);
    }

    fn reset(&mut self) {
        self.order.sort();
    }
}

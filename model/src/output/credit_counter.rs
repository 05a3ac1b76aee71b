//! What an output knows of the free places in the next buffers.
//!
//! Source: switch reference, section 7; Cao2016, 3.4 (absolute credits).

use railyard_spec::{FlowControl, Shape};

/// Free places of the next buffer of one (output, VC).
#[derive(Clone, Copy, Debug, Default)]
struct Next {
    /// Total of flits sent (absolute).
    sent: u32,
    /// The last total accepted (absolute).
    accepted: u32,
    /// Free places known of.
    available: i32,
    /// By how much the last accepted report changed `available`.
    change: i32,
    /// The cycle of that report.
    reported_in: u64,
}

/// What is known of the next buffers, for each (output, VC): the registers behind `tx_credit*`.
#[derive(Clone, Debug)]
pub struct Credits {
    next: Vec<Next>,
    flow_control: FlowControl,
    depth: i32,
    mask: u32,
}

impl Credits {
    /// All next buffers are empty.
    pub fn new(shape: &Shape) -> Self {
        let mut credits = Credits {
            next: vec![Next::default(); shape.ports * shape.vcs],
            flow_control: shape.flow_control,
            depth: shape.buffer_flits as i32,
            mask: (1 << shape.credit_bits) - 1,
        };
        credits.reset();
        credits
    }

    /// The free places that the allocator counts with in cycle `now`: those known of in the cycle before, less what
    /// was sent in it. To be asked before the reports and flits of this cycle are entered.
    #[inline]
    pub fn room(&self, element: usize, now: u64) -> i32 {
        let next = &self.next[element];
        next.available - if next.reported_in + 1 == now { next.change } else { 0 }
    }

    /// Free places known of.
    pub fn available(&self, element: usize) -> i32 {
        self.next[element].available
    }

    /// A report arrives in cycle `now`. Gives whether it is possible; if not, it is ignored.
    #[inline]
    pub fn report(&mut self, element: usize, now: u64, value: u32) -> bool {
        let next = &mut self.next[element];
        let change = match self.flow_control {
            FlowControl::Relative => value as i32,
            FlowControl::Absolute => {
                let outstanding = (next.sent.wrapping_sub(value) & self.mask) as i32;
                if outstanding > self.depth {
                    return false;
                }
                next.accepted = value;
                self.depth - outstanding - next.available
            }
        };
        if next.available + change > self.depth {
            return false;
        }
        next.available += change;
        next.change = change;
        next.reported_in = now;
        true
    }

    /// A flit is sent. To be entered after the report of the same cycle.
    #[inline]
    pub fn sent(&mut self, element: usize) {
        let next = &mut self.next[element];
        next.available -= 1;
        if self.flow_control == FlowControl::Absolute {
            next.sent = (next.sent + 1) & self.mask;
            debug_assert_eq!(next.available, self.depth - (next.sent.wrapping_sub(next.accepted) & self.mask) as i32);
        }
    }

    /// Reset: all next buffers are empty.
    pub fn reset(&mut self) {
        self.next.fill(Next { available: self.depth, reported_in: u64::MAX - 1, ..Next::default() });
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use railyard_spec::Config;

    fn shape(flow_control: FlowControl) -> Shape {
        let mut config = Config::named("t");
        config.buffer_flits = Some(16);
        config.flow_control = flow_control;
        config.check().unwrap().shape()
    }

    #[test]
    fn relative_reports() {
        let mut c = Credits::new(&shape(FlowControl::Relative));
        assert!(!c.report(3, 5, 1));
        assert_eq!((c.available(3), c.room(3, 6)), (16, 16));
        for _ in 0..3 {
            c.sent(3);
        }
        assert!(c.report(3, 7, 2));
        assert_eq!((c.available(3), c.room(3, 8), c.room(3, 9)), (15, 13, 15));
        assert!(!c.report(3, 8, 2));
        assert_eq!(c.available(3), 15);
    }

    #[test]
    fn a_report_counts_before_the_flit_of_its_cycle() {
        let mut c = Credits::new(&shape(FlowControl::Relative));
        assert!(!c.report(0, 5, 1), "the flit of this cycle can't be freed yet");
        c.sent(0);
        assert_eq!(c.available(0), 15);
    }

    #[test]
    fn absolute_reports() {
        let mut c = Credits::new(&shape(FlowControl::Absolute));
        for _ in 0..10 {
            c.sent(1);
        }
        assert!(c.report(1, 20, 4));
        assert_eq!((c.available(1), c.room(1, 21), c.room(1, 22)), (10, 6, 10));
        // A repeated report changes nothing, a later one makes good for lost ones, one of the future is refused.
        assert!(c.report(1, 30, 4) && c.report(1, 31, 9));
        assert_eq!(c.available(1), 15);
        assert!(!c.report(1, 32, 11));
        // An old report is a total like any other.
        assert!(c.report(1, 33, 4));
        assert_eq!((c.available(1), c.room(1, 34), c.room(1, 35)), (10, 15, 10));
        // Around the end of the counter.
        for t in 0..200u32 {
            c.sent(1);
            assert!(c.report(1, 40 + t as u64, (c.next[1].sent) & 63));
        }
        assert_eq!(c.available(1), 16);
    }
}

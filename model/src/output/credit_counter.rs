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
    /// Places that granted packets have taken and whose flits have not left (with output queues).
    promised: i32,
    /// Depth of the buffer.
    depth: i32,
}

/// What is known of the next buffers, for each (output, VC): the registers behind `tx_credit*`.
#[derive(Clone, Debug)]
pub struct Credits {
    next: Vec<Next>,
    flow_control: FlowControl,
    mask: u32,
}

impl Credits {
    /// All next buffers are empty.
    pub fn new(shape: &Shape) -> Self {
        let depths = (0..shape.ports * shape.vcs).map(|element| shape.depth_at(element / shape.vcs) as i32);
        let mut credits = Credits {
            next: depths.map(|depth| Next { depth, ..Next::default() }).collect(),
            flow_control: shape.flow_control,
            mask: (1 << shape.credit_bits) - 1,
        };
        credits.reset();
        credits
    }

    /// The free places that the allocator counts with in cycle `now`: those known of in the cycle before, less what
    /// was sent in it, and less what is promised. To be asked before the reports and flits of this cycle are entered.
    #[inline]
    pub fn room(&self, element: usize, now: u64) -> i32 {
        let next = &self.next[element];
        let change = if next.reported_in + 1 == now { next.change } else { 0 };
        next.available - next.promised - change
    }

    /// Free places known of.
    pub fn available(&self, element: usize) -> i32 {
        self.next[element].available
    }

    /// Places that are promised to packets.
    pub fn promised(&self, element: usize) -> i32 {
        self.next[element].promised
    }

    /// A report arrives in cycle `now`. Gives whether it is possible; if not, it is ignored.
    #[inline]
    pub fn report(&mut self, element: usize, now: u64, value: u32) -> bool {
        let next = &mut self.next[element];
        let change = match self.flow_control {
            FlowControl::Relative => value as i32,
            FlowControl::Absolute => {
                let outstanding = (next.sent.wrapping_sub(value) & self.mask) as i32;
                if outstanding > next.depth {
                    return false;
                }
                next.accepted = value;
                next.depth - outstanding - next.available
            }
        };
        if next.available + change > next.depth {
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
            debug_assert_eq!(next.available, next.depth - (next.sent.wrapping_sub(next.accepted) & self.mask) as i32);
        }
    }

    /// So many places are promised to a packet that is granted, or returned, as it needs no more, or is one flit less
    /// that has not left.
    #[inline]
    pub fn promise(&mut self, element: usize, places: i32) {
        self.next[element].promised += places;
    }

    /// Reset: all next buffers are empty.
    pub fn reset(&mut self) {
        for next in &mut self.next {
            let depth = next.depth;
            *next = Next { depth, available: depth, reported_in: u64::MAX - 1, ..Next::default() };
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use railyard_spec::{Config, DragonflyRouting, PortClass, PortClasses, Routing};

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
    fn each_kind_of_port_has_its_depth() {
        let mut config = Config { ports: 4, flow_control: FlowControl::Absolute, ..Config::named("t") };
        let class = |ports, depth| PortClass { buffer_flits: Some(depth), ..PortClass::new(ports) };
        let port_classes = PortClasses { node: class(1, 8), local: class(1, 16), global: class(2, 64) };
        let routing = DragonflyRouting { port_classes, router_bits: 1, group_bits: 3, ..DragonflyRouting::default() };
        (config.routing, config.packet.max_flits, config.registers) = (Routing::Dragonfly(routing), 8, true);
        config.virtual_channels.unicast = 3;
        let shape = config.check().unwrap().shape();
        let mut c = Credits::new(&shape);
        assert_eq!([0, 3, 6, 9].map(|element| c.available(element)), [8, 16, 64, 64]);
        // A total is as wide as the deepest buffer needs it, also where another depth bounds it.
        for t in 0..300 {
            (0..8).for_each(|_| c.sent(0));
            assert!(!c.report(0, t, c.next[0].sent.wrapping_sub(9) & c.mask) && c.report(0, t, c.next[0].sent));
            assert_eq!(c.available(0), 8);
        }
        c.reset();
        assert_eq!([0, 3, 6].map(|element| c.available(element)), [8, 16, 64]);
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

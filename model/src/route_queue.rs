//! Route queue of a VC: the routes of its packets in their order, the first one in a register for the allocator.
//!
//! Source: switch reference, section 5.

use crate::delay_fifo::DelayFifo;

/// Where a packet goes.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum Route {
    /// To this output port, on the packet's own VC.
    Port(u8),
    /// To this output port, on this VC.
    PortVc(u8, u8),
    /// Nowhere: there is no route, or no whole header.
    #[default]
    Drop,
}

impl Route {
    /// To an output port, on a VC if there is one, else on the packet's own.
    #[inline]
    pub fn new(port: u8, vc: Option<u8>) -> Self {
        vc.map_or(Route::Port(port), |vc| Route::PortVc(port, vc))
    }
}

/// A result of route computation.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum RouteResult {
    /// Known.
    Known(Route),
    /// The VC's oldest miss slot will tell.
    #[default]
    Pending,
}

/// One VC's route queue.
#[derive(Clone, Debug)]
pub struct RouteQueue {
    head: Option<RouteResult>,
    queue: DelayFifo<RouteResult>,
}

impl RouteQueue {
    /// An empty queue with `depth` (a power of two) entries behind the head register.
    pub fn new(depth: usize) -> Self {
        RouteQueue { head: None, queue: DelayFifo::new(depth) }
    }

    /// The head register.
    #[inline]
    pub fn head(&self) -> Option<RouteResult> {
        self.head
    }

    /// Whether the head register is empty and there is something behind it, to be loaded as soon as it can be popped.
    #[inline]
    pub fn is_refilling(&self) -> bool {
        self.head.is_none() && !self.queue.is_empty()
    }

    /// One cycle: `taken` if the allocator takes the head, `pushed` a result of route computation, `answered` the result
    /// of the oldest miss slot, if the head is pending and that slot is done. Gives whether the head register was
    /// written.
    #[inline]
    pub fn step(&mut self, now: u64, taken: bool, pushed: Option<RouteResult>, answered: Option<Route>) -> bool {
        let mut pushed = pushed;
        let load = taken || self.head.is_none();
        if load {
            self.head = match self.queue.pop(now) {
                Some(front) => Some(front),
                None if self.queue.is_empty() => pushed.take(),
                None => None,
            };
        } else if let Some(route) = answered {
            debug_assert_eq!(self.head, Some(RouteResult::Pending));
            self.head = Some(RouteResult::Known(route));
        }
        if let Some(result) = pushed {
            self.queue.push(now, result);
        }
        load || answered.is_some()
    }

    /// Reset: empty.
    pub fn clear(&mut self) {
        self.head = None;
        self.queue.clear();
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn to(port: u8) -> RouteResult {
        RouteResult::Known(Route::Port(port))
    }

    #[test]
    fn an_empty_queue_is_passed_by() {
        let mut q = RouteQueue::new(4);
        q.step(0, false, Some(to(1)), None);
        assert_eq!(q.head(), Some(to(1)));
        q.step(1, true, Some(to(2)), None);
        assert_eq!(q.head(), Some(to(2)));
        q.step(2, true, None, None);
        assert_eq!(q.head(), None);
    }

    #[test]
    fn a_result_in_the_queue_keeps_later_ones_behind_it() {
        let mut q = RouteQueue::new(4);
        q.step(0, false, Some(to(1)), None);
        q.step(1, false, Some(to(2)), None);
        // 2 is in the queue since cycle 1: it can be popped from cycle 3 on. 3 must not overtake it.
        q.step(2, true, Some(to(3)), None);
        assert_eq!(q.head(), None);
        assert!(q.is_refilling());
        q.step(3, false, None, None);
        assert_eq!(q.head(), Some(to(2)));
        q.step(4, true, None, None);
        assert_eq!(q.head(), Some(to(3)));
    }

    #[test]
    fn the_last_entry_is_popped_while_another_is_pushed() {
        let mut q = RouteQueue::new(4);
        q.step(0, false, Some(to(1)), None);
        q.step(1, false, Some(to(2)), None);
        q.step(3, true, Some(to(3)), None);
        assert_eq!(q.head(), Some(to(2)));
        q.step(4, true, None, None);
        assert_eq!(q.head(), None);
        q.step(5, false, None, None);
        assert_eq!(q.head(), Some(to(3)));
    }

    #[test]
    fn a_pending_head_is_answered_in_place() {
        let mut q = RouteQueue::new(4);
        q.step(0, false, Some(RouteResult::Pending), None);
        assert!(!q.step(1, false, Some(to(5)), None));
        assert!(q.step(2, false, None, Some(Route::Drop)));
        assert_eq!(q.head(), Some(RouteResult::Known(Route::Drop)));
        q.step(3, true, None, None);
        assert_eq!(q.head(), Some(to(5)));
    }
}

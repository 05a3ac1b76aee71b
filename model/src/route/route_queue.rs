//! Route queue of a VC: the routes of its packets in their order, the first one in a register for the allocator.
//!
//! Source: switch reference, section 5.

use crate::bits::MAX_CANDIDATES;
use crate::parts::fifo::DelayFifo;
use crate::route::dragonfly::ways::DragonflyRoute;

/// Where a packet goes.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum PacketRoute {
    /// To this output port, on the packet's own VC.
    Port(u8),
    /// To this output port, on this VC.
    PortVc(u8, u8),
    /// By a link of this link aggregation group, on this VC or, without one, on the packet's own.
    Group(u8, Option<u8>),
    /// To one of several output ports.
    Candidates(Candidates),
    /// To all output ports of this multicast group.
    Multicast(u16),
    /// Through a Dragonfly, by ways that are chosen later.
    Dragonfly(DragonflyRoute),
    /// Nowhere: there is no route, or no whole header.
    #[default]
    Drop,
}

impl PacketRoute {
    /// To an output port, on a VC if there is one, else on the packet's own.
    #[inline]
    pub fn new(port: u8, vc: Option<u8>) -> Self {
        vc.map_or(PacketRoute::Port(port), |vc| PacketRoute::PortVc(port, vc))
    }
}

/// Several output ports to choose from, packed into a word. Equal ones are equal words.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Candidates(u32);

impl Candidates {
    const PORT_BITS: u32 = 6;
    const PORT_MASK: u32 = (1 << Self::PORT_BITS) - 1;
    const FURTHER_LOW: u32 = MAX_CANDIDATES as u32 * Self::PORT_BITS;
    const IN_ORDER: u32 = Self::FURTHER_LOW + 2;
    const VC_SET: u32 = Self::IN_ORDER + 1;
    const VC_LOW: u32 = Self::VC_SET + 1;

    /// The first `further + 1` of `ports`; on a VC if there is one, else on the packet's own.
    #[inline]
    pub fn new(ports: [u8; MAX_CANDIDATES], further: u8, in_order: bool, vc: Option<u8>) -> Self {
        debug_assert!((further as usize) < MAX_CANDIDATES);
        let list = ports[..=further as usize].iter().rev().fold(0, |list, &port| list << Self::PORT_BITS | port as u32);
        let vc_set = (vc.is_some() as u32) << Self::VC_SET;
        let vc = (vc.unwrap_or(0) as u32) << Self::VC_LOW;
        Candidates(list | (further as u32) << Self::FURTHER_LOW | (in_order as u32) << Self::IN_ORDER | vc_set | vc)
    }

    /// How many there are: at least 1.
    #[inline]
    pub fn count(self) -> u8 {
        (self.0 >> Self::FURTHER_LOW & 3) as u8 + 1
    }

    /// Candidate port number `at`.
    #[inline]
    pub fn port(self, at: u8) -> u8 {
        (self.0 >> (at as u32 * Self::PORT_BITS) & Self::PORT_MASK) as u8
    }

    /// The address alone says which one.
    #[inline]
    pub fn in_order(self) -> bool {
        self.0 >> Self::IN_ORDER & 1 == 1
    }

    /// The VC on which packets leave, if it is not their own.
    #[inline]
    pub fn vc(self) -> Option<u8> {
        (self.0 >> Self::VC_SET & 1 == 1).then_some((self.0 >> Self::VC_LOW) as u8)
    }

    /// As a word.
    #[inline]
    pub fn word(self) -> u32 {
        self.0
    }

    /// From the word.
    #[inline]
    pub fn from_word(word: u32) -> Self {
        Candidates(word)
    }
}

/// A result of route computation.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum RouteResult {
    /// Known.
    Known(PacketRoute),
    /// The VC's oldest miss slot will tell.
    #[default]
    Pending,
}

// Every switch carries these about, also one that selects no outputs.
const _: () = assert!(std::mem::size_of::<Option<RouteResult>>() <= 8);

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

    /// Results in head register and queue.
    #[inline]
    pub fn len(&self) -> usize {
        usize::from(self.head.is_some()) + self.queue.len()
    }

    /// Whether there is none.
    pub fn is_empty(&self) -> bool {
        self.len() == 0
    }

    /// Whether the head register is empty and there is something behind it, to be loaded as soon as it can be popped.
    #[inline]
    pub fn is_refilling(&self) -> bool {
        self.head.is_none() && !self.queue.is_empty()
    }

    /// One cycle: `taken` if the allocator takes the head, `pushed` a result of route computation, `answered` the
    /// result of the oldest miss slot, if the head is pending and that slot is done. Gives whether the head register
    /// was written.
    #[inline]
    pub fn step(&mut self, now: u64, taken: bool, pushed: Option<RouteResult>, answered: Option<PacketRoute>) -> bool {
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
        RouteResult::Known(PacketRoute::Port(port))
    }

    #[test]
    fn candidates_fit_in_a_word() {
        for (further, in_order, vc) in [(0, false, None), (3, true, Some(7)), (1, false, Some(0)), (2, true, None)] {
            let c = Candidates::new([63, 0, 17, 62], further, in_order, vc);
            let ports: Vec<u8> = (0..c.count()).map(|at| c.port(at)).collect();
            assert_eq!(ports, [63, 0, 17, 62][..=further as usize]);
            assert_eq!((c.in_order(), c.vc(), Candidates::from_word(c.word())), (in_order, vc, c));
        }
        assert_eq!(Candidates::new([1, 2, 3, 4], 1, true, None), Candidates::new([1, 2, 9, 9], 1, true, None));
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
        assert!(q.step(2, false, None, Some(PacketRoute::Drop)));
        assert_eq!(q.head(), Some(RouteResult::Known(PacketRoute::Drop)));
        q.step(3, true, None, None);
        assert_eq!(q.head(), Some(to(5)));
    }
}

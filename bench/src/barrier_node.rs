//! A node at a leaf of a barrier group: its side of the protocol, one for each group in which it takes part.
//!
//! No part of the switch: for test benches and networks that drive switches. A node *arrives*, sends its arrival again
//! until that is acknowledged, urges the completion if it does not come, and goes on when it has come. Source: switch
//! reference, section 11; Cao2016, 4.3.
//!
//! ```
//! use railyard_bench::barrier_node::{BarrierNode, Patience};
//! use railyard_spec::barrier::{Message, MessageKind};
//!
//! let mut node = BarrierNode::new(3, Patience { retransmit: 100, urge: 400 });
//! node.arrive();
//! assert_eq!(node.next_message(), Some(Message { kind: MessageKind::Arrival, group: 3, sequence: 0 }));
//! node.take(Message { kind: MessageKind::Acknowledgement, group: 3, sequence: 0 });
//! assert!(node.is_waiting());
//! assert!(node.take(Message { kind: MessageKind::Completion, group: 3, sequence: 0 }));
//! assert!(!node.is_waiting());
//! ```

use railyard_spec::barrier::{Message, MessageKind};

/// How long a node waits, in calls of [`BarrierNode::tick`].
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Patience {
    /// For the acknowledgement, before it sends its arrival again; 0: for ever.
    pub retransmit: u32,
    /// For the completion, before it urges it; 0: for ever.
    pub urge: u32,
}

/// A node of a barrier group.
#[derive(Clone, Debug)]
pub struct BarrierNode {
    group: u8,
    patience: Patience,
    /// Number of the barrier that it arrives at next, or waits for.
    sequence: u8,
    waiting: bool,
    acknowledged: bool,
    /// Ticks since the last arrival or urge was due.
    retransmit_timer: u32,
    urge_timer: u32,
    /// An arrival, an urge is to be sent.
    arrive: bool,
    urge: bool,
    completed: u64,
}

impl BarrierNode {
    /// A node of that group, before its first barrier.
    pub fn new(group: u8, patience: Patience) -> Self {
        BarrierNode {
            group,
            patience,
            sequence: 0,
            waiting: false,
            acknowledged: false,
            retransmit_timer: 0,
            urge_timer: 0,
            arrive: false,
            urge: false,
            completed: 0,
        }
    }

    /// The node arrives at its next barrier. Not while it waits at one.
    pub fn arrive(&mut self) {
        assert!(!self.waiting, "the node waits at barrier {} already", self.sequence);
        (self.waiting, self.acknowledged, self.arrive, self.urge) = (true, false, true, false);
        (self.retransmit_timer, self.urge_timer) = (0, 0);
    }

    /// Whether it has arrived at a barrier that is not complete.
    #[inline]
    pub fn is_waiting(&self) -> bool {
        self.waiting
    }

    /// Number of the barrier that it arrives at next, or waits for, modulo 256.
    pub fn sequence(&self) -> u8 {
        self.sequence
    }

    /// Barriers completed.
    pub fn completed(&self) -> u64 {
        self.completed
    }

    /// A message for it came. Gives whether that completes the barrier at which it waits. Messages of other groups,
    /// repeated and late ones do nothing.
    pub fn take(&mut self, message: Message) -> bool {
        if !self.waiting || message.group != self.group || message.sequence != self.sequence {
            return false;
        }
        match message.kind {
            MessageKind::Acknowledgement => {
                (self.acknowledged, self.arrive) = (true, false);
                false
            }
            MessageKind::Completion => {
                (self.waiting, self.arrive, self.urge) = (false, false, false);
                self.sequence = self.sequence.wrapping_add(1);
                self.completed += 1;
                true
            }
            MessageKind::Arrival | MessageKind::Urge => false,
        }
    }

    /// Time goes by.
    #[inline]
    pub fn tick(&mut self) {
        if !self.waiting {
            return;
        }
        let expires = |timer: &mut u32, limit: u32| {
            *timer += 1;
            let expired = limit > 0 && *timer >= limit;
            if expired {
                *timer = 0;
            }
            expired
        };
        self.arrive |= !self.acknowledged && expires(&mut self.retransmit_timer, self.patience.retransmit);
        self.urge |= expires(&mut self.urge_timer, self.patience.urge);
    }

    /// Takes the next message to send, if there is one.
    #[inline]
    pub fn next_message(&mut self) -> Option<Message> {
        let kind = if std::mem::take(&mut self.arrive) {
            MessageKind::Arrival
        } else if std::mem::take(&mut self.urge) {
            MessageKind::Urge
        } else {
            return None;
        };
        Some(Message { kind, group: self.group, sequence: self.sequence })
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn message(kind: MessageKind, sequence: u8) -> Message {
        Message { kind, group: 1, sequence }
    }

    #[test]
    fn it_sends_again_until_acknowledged_and_urges_until_complete() {
        let mut node = BarrierNode::new(1, Patience { retransmit: 3, urge: 5 });
        assert_eq!(node.next_message(), None);
        node.arrive();
        let mut sent = Vec::new();
        for t in 0..12 {
            sent.extend(node.next_message().map(|message| (t, message.kind)));
            node.tick();
            if t == 6 {
                node.take(message(MessageKind::Acknowledgement, 0));
            }
        }
        use MessageKind::{Arrival, Urge};
        assert_eq!(sent, [(0, Arrival), (3, Arrival), (5, Urge), (6, Arrival), (10, Urge)]);
        assert!(node.take(message(MessageKind::Completion, 0)));
        (0..20).for_each(|_| node.tick());
        assert_eq!((node.next_message(), node.sequence(), node.completed()), (None, 1, 1));
    }

    #[test]
    fn what_is_late_repeated_or_of_another_group_does_nothing() {
        let mut node = BarrierNode::new(1, Patience { retransmit: 0, urge: 0 });
        assert!(!node.take(message(MessageKind::Completion, 0)), "it has not arrived");
        node.arrive();
        for other in
            [message(MessageKind::Completion, 255), message(MessageKind::Completion, 1), message(MessageKind::Urge, 0)]
        {
            assert!(!node.take(other));
        }
        assert!(!node.take(Message { group: 2, ..message(MessageKind::Completion, 0) }));
        assert!(node.take(message(MessageKind::Completion, 0)) && !node.take(message(MessageKind::Completion, 0)));
        for _ in 1..300 {
            node.arrive();
            assert!(node.take(message(MessageKind::Completion, node.sequence())));
        }
        assert_eq!((node.sequence(), node.completed()), (44, 300), "numbers wrap");
    }
}

//! Messages of barriers and routers on links: what happens to them there, and which of them were sent before.

use super::link_faults::LinkFaults;
use railyard_bench::random::{Chance, Random};
use railyard_spec::barrier::{Message, MessageKind, MESSAGE_BITS};
use serde::Serialize;
use std::ops::AddAssign;

/// Numbers of messages, of nodes and switches together.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize)]
pub struct MessageCounts {
    /// Arrivals sent again.
    pub retransmissions: u64,
    /// Urges sent.
    pub urges: u64,
    /// Messages lost on links.
    pub lost: u64,
    /// Messages of which a bit was flipped.
    pub corrupted: u64,
}

impl AddAssign for MessageCounts {
    fn add_assign(&mut self, other: MessageCounts) {
        self.retransmissions += other.retransmissions;
        self.urges += other.urges;
        self.lost += other.lost;
        self.corrupted += other.corrupted;
    }
}

/// What happens to messages on links.
#[derive(Clone, Copy, Debug)]
pub struct MessageFaults {
    /// The VC of messages.
    pub vc: u8,
    /// Share of them that get lost.
    pub lost: Chance,
    /// Share of the others of which a bit is flipped.
    pub corrupt: Chance,
}

/// The links that end at a switch and its nodes.
#[derive(Clone, Debug)]
pub struct MessageLinks {
    random: Random,
    counts: MessageCounts,
}

impl MessageLinks {
    /// Links with that randomness.
    pub fn new(random: Random) -> MessageLinks {
        MessageLinks { random, counts: MessageCounts::default() }
    }

    /// What happens to a message that comes out of a link.
    pub fn carry(&mut self, shares: MessageFaults, faults: &mut LinkFaults) {
        if self.random.happens(shares.lost) {
            self.counts.lost += 1;
            faults.message_lost = true;
        } else if self.random.happens(shares.corrupt) {
            self.counts.corrupted += 1;
            faults.message_flip = Some(self.random.below(u64::from(MESSAGE_BITS)) as u8);
        }
    }

    /// What was lost and corrupted since the last call.
    pub fn take_counts(&mut self) -> MessageCounts {
        std::mem::take(&mut self.counts)
    }
}

/// Finds among the messages that a switch or node sends toward the root those that say what it has said before.
#[derive(Clone, Debug, Default)]
pub struct Repeats {
    /// Number of the last arrival of each group.
    last: Vec<Option<u8>>,
    counts: MessageCounts,
}

impl Repeats {
    /// A message is sent.
    pub fn see(&mut self, message: Message) {
        match message.kind {
            MessageKind::Arrival => {
                let group = usize::from(message.group);
                self.last.resize(self.last.len().max(group + 1), None);
                let before = self.last[group].replace(message.sequence);
                self.counts.retransmissions += u64::from(before == Some(message.sequence));
            }
            MessageKind::Urge => self.counts.urges += 1,
            MessageKind::Acknowledgement | MessageKind::Completion => {}
        }
    }

    /// All groups start anew.
    pub fn restart(&mut self) {
        self.last.clear();
    }

    /// Arrivals sent again and urges since the last call.
    pub fn take_counts(&mut self) -> MessageCounts {
        std::mem::take(&mut self.counts)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn an_arrival_of_the_same_number_is_a_repetition() {
        let mut repeats = Repeats::default();
        let mut see = |kind, group, sequence| repeats.see(Message { kind, group, sequence });
        see(MessageKind::Arrival, 3, 0);
        see(MessageKind::Arrival, 1, 0);
        see(MessageKind::Arrival, 3, 1);
        see(MessageKind::Arrival, 3, 1);
        see(MessageKind::Urge, 3, 1);
        see(MessageKind::Completion, 3, 1);
        let counts = repeats.take_counts();
        assert_eq!((counts.retransmissions, counts.urges), (1, 1));
        repeats.restart();
        repeats.see(Message { kind: MessageKind::Arrival, group: 3, sequence: 1 });
        assert_eq!(repeats.take_counts(), MessageCounts::default());
    }
}

//! A node's part in the barriers of its groups.
//!
//! After each completion (and when the run begins) it thinks for a random time, then arrives at the next barrier. When
//! the run ends it arrives, without thinking, at the barriers at which others have arrived. It sends one message a
//! cycle; groups take turns.

use super::barriers::BarrierRun;
use super::messages::{MessageCounts, Repeats};
use railyard_bench::barrier_node::BarrierNode;
use railyard_bench::random::Random;
use railyard_spec::barrier::{Message, MessageKind};

/// What happened at a node.
#[derive(Clone, Copy, Debug)]
pub enum BarrierEvent {
    /// It arrived at the next barrier of a group.
    Arrived {
        /// The node.
        node: usize,
        /// The group.
        group: usize,
    },
    /// It was told that the barrier at which it waits is complete.
    Told {
        /// The node.
        node: usize,
        /// The group.
        group: usize,
    },
    /// It got a message that nobody should have sent.
    Unexpected {
        /// The node.
        node: usize,
        /// The message.
        message: Message,
    },
}

#[derive(Clone, Debug)]
struct Membership {
    group: u8,
    protocol: BarrierNode,
    /// Cycle of the next arrival; none while it waits, or does not go on by itself.
    due: Option<u64>,
    /// Barriers at which it has arrived, and at which it is to arrive if it does not go on by itself.
    arrivals: u64,
    goal: u64,
}

/// A node's part in barriers.
#[derive(Clone, Debug)]
pub struct Participant {
    node: usize,
    random: Random,
    memberships: Vec<Membership>,
    /// Arrives at barriers by itself.
    goes_on: bool,
    /// The membership that sent last.
    last: usize,
    repeats: Repeats,
}

impl Participant {
    /// A node that has not arrived anywhere; none if it is in no group.
    pub fn new(node: usize, barriers: &BarrierRun, random: Random) -> Participant {
        let membership = |&group: &u8| {
            let protocol = BarrierNode::new(group, barriers.patience);
            Membership { group, protocol, due: None, arrivals: 0, goal: 0 }
        };
        let memberships = barriers.groups_of[node].iter().map(membership).collect();
        Participant { node, random, memberships, goes_on: false, last: 0, repeats: Repeats::default() }
    }

    /// Goes on by itself from cycle `now` on.
    pub fn go_on(&mut self, now: u64, barriers: &BarrierRun) {
        self.goes_on = true;
        for membership in self.memberships.iter_mut().filter(|membership| !membership.protocol.is_waiting()) {
            membership.due = Some(now + barriers.think.draw(&mut self.random) - 1);
        }
    }

    /// Only finishes what was begun: arrives at so many barriers of each group.
    pub fn finish(&mut self, goals: &[u64]) {
        self.goes_on = false;
        for membership in &mut self.memberships {
            (membership.due, membership.goal) = (None, goals[usize::from(membership.group)]);
        }
    }

    /// All groups start anew, with number 0. Not while it waits.
    pub fn restart(&mut self, barriers: &BarrierRun) {
        for membership in &mut self.memberships {
            membership.protocol = BarrierNode::new(membership.group, barriers.patience);
        }
        self.repeats.restart();
    }

    /// A message came; a corrupt one is thrown away.
    pub fn hear(&mut self, now: u64, word: u32, barriers: &BarrierRun, events: &mut Vec<BarrierEvent>) {
        let Some(message) = Message::decode(word) else { return };
        let node = self.node;
        let mine = self.memberships.iter_mut().find(|membership| membership.group == message.group);
        let Some(membership) = mine.filter(|membership| may_come(&membership.protocol, message)) else {
            return events.push(BarrierEvent::Unexpected { node, message });
        };
        if membership.protocol.take(message) {
            let think = barriers.think.draw(&mut self.random) - 1;
            membership.due = self.goes_on.then_some(now + think);
            events.push(BarrierEvent::Told { node, group: usize::from(message.group) });
        }
    }

    /// Arrives where it is time to, and gives the message to send in this cycle.
    pub fn speak(&mut self, now: u64, events: &mut Vec<BarrierEvent>) -> Option<Message> {
        for membership in &mut self.memberships {
            let is_due = membership.due.is_some_and(|due| due <= now) || membership.arrivals < membership.goal;
            if is_due && !membership.protocol.is_waiting() {
                membership.protocol.arrive();
                (membership.due, membership.arrivals) = (None, membership.arrivals + 1);
                events.push(BarrierEvent::Arrived { node: self.node, group: usize::from(membership.group) });
            }
            membership.protocol.tick();
        }
        let count = self.memberships.len();
        let turn = (1..=count).map(|step| (self.last + step) % count);
        let found = turn.filter_map(|at| Some((at, self.memberships[at].protocol.next_message()?))).next();
        let (at, message) = found?;
        self.last = at;
        self.repeats.see(message);
        Some(message)
    }

    /// Arrivals sent again and urges since the last call.
    pub fn take_counts(&mut self) -> MessageCounts {
        self.repeats.take_counts()
    }
}

/// Whether a switch may send a node this message: about the barrier at which it waits, or once more about the one
/// before.
fn may_come(protocol: &BarrierNode, message: Message) -> bool {
    let is_current = protocol.is_waiting() && message.sequence == protocol.sequence();
    let is_last = protocol.completed() > 0 && message.sequence == protocol.sequence().wrapping_sub(1);
    matches!(message.kind, MessageKind::Acknowledgement | MessageKind::Completion) && (is_current || is_last)
}

#[cfg(test)]
mod tests {
    use super::*;
    use railyard_bench::barrier_node::Patience;

    fn message(kind: MessageKind, sequence: u8) -> Message {
        Message { kind, group: 0, sequence }
    }

    #[test]
    fn a_switch_says_what_is_expected_or_said_already() {
        let mut node = BarrierNode::new(0, Patience { retransmit: 0, urge: 0 });
        use MessageKind::{Acknowledgement, Arrival, Completion, Urge};
        let may = |node: &BarrierNode, kind, sequence| may_come(node, message(kind, sequence));
        assert!(!may(&node, Completion, 0), "it has not arrived");
        assert!(!may(&node, Completion, 255), "there was no barrier before");
        node.arrive();
        assert!(may(&node, Acknowledgement, 0) && may(&node, Completion, 0));
        assert!(!may(&node, Arrival, 0) && !may(&node, Urge, 0) && !may(&node, Completion, 1));
        node.take(message(Completion, 0));
        assert!(may(&node, Completion, 0) && !may(&node, Completion, 1), "once more, after an urge");
        node.arrive();
        node.take(message(Completion, 1));
        assert!(!may(&node, Completion, 0), "long over");
    }
}

//! The account of barriers: what a switch says of a group must be so.
//!
//! It knows the settings of the groups at work and sees the barrier messages at the pins. A leaf is told of a
//! completion only after all leaves have arrived (and, if there is a parent, it has told of it), and of an
//! acknowledgement only after its arrival; the parent hears of an arrival only after all leaves have arrived. That
//! holds whatever is lost, repeated, corrupted or wrong on the links.

use railyard_model::barrier::barrier_group::GroupSettings;
use railyard_model::bits::ones;
use railyard_spec::barrier::{Message, MessageKind};

/// Faults kept; more are only counted.
const KEPT: usize = 20;

/// A group at work.
#[derive(Clone, Debug)]
struct Entry {
    settings: GroupSettings,
    /// By port: barriers at which it has arrived.
    arrivals: [u64; 64],
    /// Barriers of which the parent has told.
    told: u64,
}

/// Keeps account of barriers.
#[derive(Clone, Debug)]
pub struct BarrierBoard {
    /// By group; none while it is not at work, or between two settings.
    entries: Vec<Option<Entry>>,
    faults: Vec<String>,
    fault_count: u64,
    completions: u64,
}

impl BarrierBoard {
    /// For a switch of so many groups, none of them at work.
    pub fn new(groups: usize) -> BarrierBoard {
        BarrierBoard { entries: vec![None; groups], faults: Vec::new(), fault_count: 0, completions: 0 }
    }

    /// A group starts anew, before its first barrier.
    pub fn begin(&mut self, group: usize, settings: GroupSettings) {
        self.entries[group] = Some(Entry { settings, arrivals: [0; 64], told: 0 });
    }

    /// Nothing is said of a group from now on.
    pub fn end(&mut self, group: usize) {
        self.entries[group] = None;
    }

    /// A whole message goes to the switch by `port`.
    pub fn sent(&mut self, port: usize, message: Message) {
        let Some(Some(entry)) = self.entries.get_mut(message.group as usize) else { return };
        let settings = entry.settings;
        // Only the next barrier counts: what is repeated was counted, what is ahead is wrong.
        match message.kind {
            MessageKind::Arrival if settings.leaves >> port & 1 == 1 => {
                let all = ones(settings.leaves).map(|leaf| entry.arrivals[leaf]).min().unwrap_or(0);
                let arrivals = &mut entry.arrivals[port];
                // Nobody arrives at a barrier before the last one is complete.
                if message.sequence == *arrivals as u8 && *arrivals == all {
                    *arrivals += 1;
                }
            }
            MessageKind::Completion
                if !settings.root && settings.parent == port && message.sequence == entry.told as u8 =>
            {
                entry.told += 1;
            }
            _ => {}
        }
    }

    /// A flit on the barrier VC leaves by `port`.
    pub fn left(&mut self, cycle: u64, port: usize, head_and_tail: bool, flit: &[u32]) {
        let beyond = flit[1..].iter().any(|&word| word != 0);
        let message = Message::decode(flit[0]).filter(|_| head_and_tail && !beyond);
        let Some(message) = message else {
            self.fault(cycle, port, format!("{:#x} is no barrier message", flit[0]));
            return;
        };
        let Some(entry) = self.entries.get(message.group as usize) else {
            self.fault(cycle, port, format!("{message:?} of a group that is not built"));
            return;
        };
        let Some(entry) = entry else { return };
        let GroupSettings { leaves, root, parent, .. } = entry.settings;
        let least = ones(leaves).map(|leaf| entry.arrivals[leaf]).min().unwrap_or(0);
        // Numbers count modulo 256, and no one is more than a barrier behind.
        let has = |count: u64| {
            count > 0 && (message.sequence == (count - 1) as u8 || count > 1 && message.sequence == (count - 2) as u8)
        };
        let is_leaf = leaves >> port & 1 == 1;
        let is_parent = !root && parent == port;
        let may = match message.kind {
            MessageKind::Completion => is_leaf && has(least) && (root || has(entry.told)),
            MessageKind::Acknowledgement => is_leaf && has(entry.arrivals[port]),
            MessageKind::Arrival | MessageKind::Urge => is_parent && has(least),
        };
        self.completions += u64::from(message.kind == MessageKind::Completion);
        if !may {
            self.fault(cycle, port, format!("{message:?} too early, or to the wrong port"));
        }
    }

    /// Completions that left.
    pub fn completions(&self) -> u64 {
        self.completions
    }

    /// The first faults.
    pub fn faults(&self) -> &[String] {
        &self.faults
    }

    /// Whether there are any.
    #[inline]
    pub fn is_faulty(&self) -> bool {
        self.fault_count > 0
    }

    #[cold]
    fn fault(&mut self, cycle: u64, port: usize, what: String) {
        self.fault_count += 1;
        if self.faults.len() < KEPT {
            self.faults.push(format!("cycle {cycle}, output {port}: barrier: {what}"));
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn message(kind: MessageKind, sequence: u8) -> Message {
        Message { kind, group: 1, sequence }
    }

    fn board() -> BarrierBoard {
        let mut board = BarrierBoard::new(2);
        board.begin(1, GroupSettings { leaves: 0b011, enable: true, root: false, parent: 2 });
        board
    }

    /// Whether a message may leave by a port.
    fn may(board: &BarrierBoard, port: usize, message: Message) -> bool {
        let mut board = board.clone();
        board.left(0, port, true, &[message.encode(), 0]);
        !board.is_faulty()
    }

    #[test]
    fn what_leaves_must_be_so() {
        let mut b = board();
        for kind in [MessageKind::Arrival, MessageKind::Acknowledgement, MessageKind::Completion, MessageKind::Urge] {
            assert!(!may(&b, 0, message(kind, 0)) && !may(&b, 2, message(kind, 0)));
        }
        b.sent(0, message(MessageKind::Arrival, 0));
        assert!(
            may(&b, 0, message(MessageKind::Acknowledgement, 0))
                && !may(&b, 1, message(MessageKind::Acknowledgement, 0))
        );
        assert!(!may(&b, 2, message(MessageKind::Arrival, 0)), "the other leaf has not arrived");
        b.sent(1, message(MessageKind::Arrival, 0));
        assert!(may(&b, 2, message(MessageKind::Arrival, 0)) && may(&b, 2, message(MessageKind::Urge, 0)));
        assert!(!may(&b, 0, message(MessageKind::Completion, 0)), "the parent has not told of it");
        b.sent(2, message(MessageKind::Completion, 0));
        assert!(may(&b, 0, message(MessageKind::Completion, 0)) && !may(&b, 2, message(MessageKind::Completion, 0)));
        assert!(!may(&b, 0, message(MessageKind::Completion, 1)));
        // Wrong messages change nothing.
        for (port, wrong) in [
            (2, message(MessageKind::Arrival, 1)),
            (0, message(MessageKind::Arrival, 3)),
            (0, message(MessageKind::Completion, 1)),
        ] {
            b.sent(port, wrong);
        }
        assert!(
            !may(&b, 0, message(MessageKind::Acknowledgement, 1)) && !may(&b, 0, message(MessageKind::Completion, 1))
        );
    }

    #[test]
    fn garbage_is_a_fault_and_a_group_between_two_settings_is_left_alone() {
        let mut b = board();
        b.end(1);
        assert!(may(&b, 0, message(MessageKind::Completion, 9)));
        for (whole, flit) in [
            (false, [message(MessageKind::Urge, 0).encode(), 0]),
            (true, [message(MessageKind::Urge, 0).encode(), 1]),
            (true, [7, 0]),
        ] {
            let mut b = board();
            b.left(3, 0, whole, &flit);
            assert!(b.is_faulty());
        }
        b.left(3, 1, true, &[Message { kind: MessageKind::Arrival, group: 2, sequence: 0 }.encode()]);
        assert_eq!(b.faults().len(), 1);
    }
}

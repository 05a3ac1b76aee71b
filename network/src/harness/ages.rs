//! Ages in headers: nodes write them, and know which age a packet must have come to.

use railyard_spec::dragonfly::HeaderField;
use railyard_spec::{packet, Shape};

/// Where ages stand in headers.
#[derive(Clone, Copy, Debug)]
pub struct Ages(HeaderField);

impl Ages {
    /// Of a switch, if packets have ages.
    pub fn new(shape: &Shape) -> Option<Ages> {
        shape.dragonfly().and_then(|built| built.header().age).map(Ages)
    }

    /// What a header holds of an age: the greatest at most.
    pub fn header(self, age: u64) -> u64 {
        age.min(self.greatest()) << self.0.low
    }

    /// The age of a packet whose head comes in cycle `now`.
    pub fn arrival(self, now: u64, head: &[u32]) -> Aged {
        let age = packet::field(head, self.0.low, self.0.bits);
        Aged { now, age, greatest: self.greatest() }
    }

    fn greatest(self) -> u64 {
        (1 << self.0.bits) - 1
    }
}

/// The age with which a packet came.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Aged {
    /// Cycle in which its head came.
    pub now: u64,
    /// Its age, as the header says.
    pub age: u64,
    /// The greatest age that a header can have.
    pub greatest: u64,
}

impl Aged {
    /// The age that the packet should have had, if it had another one. It was made in cycle `generated` and sent in
    /// cycle `begun`. What has been under way for longer than ages count may look younger.
    pub fn expected(self, generated: u64, begun: u64) -> Option<u64> {
        let expected = (self.now - generated).min(self.greatest);
        (self.age != expected && self.now - begun <= self.greatest).then_some(expected)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn an_age_is_known_until_packets_are_too_long_under_way() {
        let aged = |now, age| Aged { now, age, greatest: 15 };
        assert_eq!([aged(9, 9), aged(9, 8), aged(40, 15)].map(|aged| aged.expected(0, 0)), [None, Some(9), None]);
        assert_eq!([aged(40, 14), aged(40, 3)].map(|aged| aged.expected(0, 30)), [Some(15), Some(15)]);
        assert_eq!(aged(40, 3).expected(0, 0), None);
    }
}

//! Router messages of a Dragonfly: one flit on the control VC.
//!
//! | bits | field |
//! | --- | --- |
//! | 7:0 | kind: 5 saturation, 6 counts |
//! | 15:8 | index: which of the messages of a round |
//! | 23:16 | CRC-8 of payload, index and kind, side by side |
//! | 24 and up | payload |
//!
//! Bits of a flit behind the payload are 0 when sent and not looked at. Source: Fuentes2017, 1.4.2.1.1 and 4.2.1.4
//! (what routers tell each other; the layout is ours).

use crate::barrier::MESSAGE_CRC;
use crate::shape::{DragonflyShape, Shape};

/// Bits of a counter in a message of counts.
pub const COUNTER_BITS: u32 = 4;

/// Lowest bit of the payload: kind, index and CRC are below it.
pub const PAYLOAD_LOW: u32 = 24;

/// Bits of a flit that carries router messages: two counters at least.
pub const LEAST_FLIT_BITS: u32 = PAYLOAD_LOW + 2 * COUNTER_BITS;

/// Most counters of a message: payload, index and kind have 64 bits together.
const MOST_COUNTERS: u32 = 12;

/// What a router message says.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum RouterMessageKind {
    /// Which global links of the sender are saturated.
    Saturation = 5,
    /// How many packets of the sender are for each of some groups.
    Counts = 6,
}

/// A router message.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub struct RouterMessage {
    /// What it says.
    pub kind: RouterMessageKind,
    /// Which of the messages of its kind.
    pub index: u8,
    /// Its counters or bits.
    pub payload: u64,
}

/// Router messages of a switch, as numbers.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct RouterMessages {
    /// Whether there are messages of counts.
    pub counts: bool,
    /// Whether there are messages of saturation.
    pub saturation: bool,
    /// Counters of a message, n.
    pub counters: usize,
    /// Messages with which all groups are counted, M.
    pub messages: usize,
    /// Bits of the payload, P.
    pub payload_bits: u32,
}

impl RouterMessages {
    /// Those of a switch with flits of that width.
    pub(crate) fn new(built: &DragonflyShape, flit_bits: u32) -> RouterMessages {
        let fitting = flit_bits.saturating_sub(PAYLOAD_LOW) / COUNTER_BITS;
        let counters = fitting.min(MOST_COUNTERS).min(built.groups as u32).max(1);
        let of_counts = if built.ectn { counters * COUNTER_BITS } else { 0 };
        let of_saturation = if built.saturation { built.global_ports as u32 } else { 0 };
        RouterMessages {
            counts: built.ectn,
            saturation: built.saturation,
            counters: counters as usize,
            messages: built.groups.div_ceil(counters as usize),
            payload_bits: of_counts.max(of_saturation),
        }
    }

    /// Bits that the CRC protects: payload, index and kind.
    pub fn body_bits(&self) -> u32 {
        16 + self.payload_bits
    }

    /// Bits of a message.
    pub fn bits(&self) -> u32 {
        PAYLOAD_LOW + self.payload_bits
    }

    /// The low bits of a message's flit.
    pub fn encode(&self, message: RouterMessage) -> u128 {
        let low = u64::from(message.index) << 8 | message.kind as u64;
        let crc = MESSAGE_CRC.of(message.payload << 16 | low, self.body_bits());
        u128::from(message.payload) << PAYLOAD_LOW | u128::from(crc << 16 | low)
    }

    /// The message in the low bits of a flit; none if its CRC is wrong, its kind is not built or its index does not
    /// exist.
    pub fn decode(&self, flit: u128) -> Option<RouterMessage> {
        let word = flit & ((1 << self.bits()) - 1);
        let index = (word >> 8) as u8;
        let kind = match word & 0xff {
            5 if self.saturation && index == 0 => RouterMessageKind::Saturation,
            6 if self.counts && usize::from(index) < self.messages => RouterMessageKind::Counts,
            _ => return None,
        };
        let message = RouterMessage { kind, index, payload: (word >> PAYLOAD_LOW) as u64 };
        (self.encode(message) == word).then_some(message)
    }
}

impl Shape {
    /// Router messages, if there are any.
    pub fn router_messages(&self) -> Option<RouterMessages> {
        let built = self.dragonfly().filter(|built| built.sends_messages())?;
        Some(RouterMessages::new(built, self.flit_bits))
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::Config;

    fn messages(flit_bits: u32) -> RouterMessages {
        let json = format!(
            r#"{{"name": "d", "ports": 15, "flit_bits": {flit_bits}, "virtual_channels": {{"unicast": 3}}, "routing":
                {{"kind": "dragonfly", "port_classes": {{"node": {{"ports": 4}}, "local": {{"ports": 7}}, "global":
                {{"ports": 4}}}}, "vcs": {{"requests": "lglgl"}}, "adaptive": {{"valiant": "group", "in_transit": true,
                "contention": true, "ectn": true, "saturation": true}}}}}}"#
        );
        Config::from_json(&json).unwrap().shape().router_messages().unwrap()
    }

    #[test]
    fn wide_flits_carry_more_counters() {
        let sizes = [32, 64, 256].map(|bits| {
            let of = messages(bits);
            (of.counters, of.messages, of.payload_bits)
        });
        assert_eq!(sizes, [(2, 17, 8), (10, 4, 40), (12, 3, 48)]);
    }

    #[test]
    fn a_message_comes_back_and_a_changed_bit_is_found() {
        let of = messages(64);
        let payload = 0x98_7654_3210;
        for message in [
            RouterMessage { kind: RouterMessageKind::Saturation, index: 0, payload: 0b1010 },
            RouterMessage { kind: RouterMessageKind::Counts, index: 3, payload },
        ] {
            let word = of.encode(message);
            assert_eq!(of.decode(word), Some(message));
            for bit in 0..of.bits() {
                assert_eq!(of.decode(word ^ 1 << bit), None, "bit {bit}");
            }
        }
        assert_eq!(of.decode(of.encode(RouterMessage { kind: RouterMessageKind::Counts, index: 4, payload })), None);
        assert_eq!(
            of.decode(of.encode(RouterMessage { kind: RouterMessageKind::Saturation, index: 1, payload })),
            None
        );
    }
}

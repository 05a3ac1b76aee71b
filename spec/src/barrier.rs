//! Barrier messages: one flit on the barrier VC.
//!
//! | bits | field |
//! | --- | --- |
//! | 7:0 | kind: 1 arrival, 2 acknowledgement, 3 completion, 4 urge |
//! | 15:8 | group |
//! | 23:16 | sequence number of the barrier within its group, modulo 256 |
//! | 31:24 | CRC-8 of bits 23:0 |
//!
//! Bits of a flit above these are 0 when sent and not looked at. Source: Cao2016, 4.2 and 4.3 (the messages; their
//! layout is ours).

use crate::crc::Crc;

/// Bits of a message.
pub const MESSAGE_BITS: u32 = 32;

/// The CRC in bits 31:24: polynomial x^8 + x^2 + x + 1.
pub const MESSAGE_CRC: Crc = Crc { bits: 8, polynomial: 0x07 };

/// What a message says.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum MessageKind {
    /// From leaf to parent: everything below the leaf has arrived (reduction).
    Arrival = 1,
    /// From parent to leaf: the arrival got through.
    Acknowledgement = 2,
    /// From parent to leaf: all have arrived (distribution).
    Completion = 3,
    /// From leaf to parent: the completion is awaited.
    Urge = 4,
}

/// A barrier message.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub struct Message {
    /// What it says.
    pub kind: MessageKind,
    /// Of which group.
    pub group: u8,
    /// Of which of its barriers.
    pub sequence: u8,
}

impl Message {
    /// The low 32 bits of its flit.
    pub fn encode(self) -> u32 {
        let body = (self.sequence as u32) << 16 | (self.group as u32) << 8 | self.kind as u32;
        (MESSAGE_CRC.of(body as u64, 24) as u32) << 24 | body
    }

    /// The message in the low 32 bits of a flit; none if its CRC is wrong or there is no such kind.
    pub fn decode(word: u32) -> Option<Message> {
        let kind = match word & 0xff {
            1 => MessageKind::Arrival,
            2 => MessageKind::Acknowledgement,
            3 => MessageKind::Completion,
            4 => MessageKind::Urge,
            _ => return None,
        };
        let message = Message { kind, group: (word >> 8) as u8, sequence: (word >> 16) as u8 };
        (message.encode() == word).then_some(message)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// The catalogue's check value of CRC-8/SMBUS (this polynomial, start at zero) is that of "123456789".
    #[test]
    fn the_crc_is_the_catalogue_s() {
        let crc = b"123456789".iter().fold(0, |crc, byte| MESSAGE_CRC.of(crc ^ *byte as u64, 8));
        assert_eq!(crc, 0xf4);
    }

    #[test]
    fn a_message_comes_back_and_a_changed_bit_is_found() {
        for kind in [MessageKind::Arrival, MessageKind::Acknowledgement, MessageKind::Completion, MessageKind::Urge] {
            let message = Message { kind, group: 31, sequence: 255 };
            let word = message.encode();
            assert_eq!(Message::decode(word), Some(message));
            for bit in 0..32 {
                assert_eq!(Message::decode(word ^ 1 << bit), None, "bit {bit}");
            }
        }
        assert_eq!(Message::decode(0), None);
    }
}

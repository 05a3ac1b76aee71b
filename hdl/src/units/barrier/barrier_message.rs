//! Barrier message as the blocks see it: where its fields lie in the low bits of a flit, and the numbers of its kinds.
//!
//! Source: `spec/src/barrier.rs`.

use railyard_spec::barrier::{MessageKind, MESSAGE_BITS, MESSAGE_CRC};

/// Bits of a message.
pub const MESSAGE: usize = MESSAGE_BITS as usize;
/// Bits of a sequence number, and of the field of a group.
pub const BYTE: usize = 8;
/// Bits of the CRC.
pub const CRC_BITS: usize = MESSAGE_CRC.bits as usize;
/// Bits that the CRC protects, from bit 0 on.
pub const BODY: usize = MESSAGE - CRC_BITS;

/// Lowest bit of the kind, which is a byte.
pub const KIND_LOW: usize = 0;
/// Lowest bit of the group, which is a byte.
pub const GROUP_LOW: usize = KIND_LOW + BYTE;
/// Lowest bit of the sequence number.
pub const NUMBER_LOW: usize = GROUP_LOW + BYTE;

/// A leaf has arrived.
pub const ARRIVAL: usize = MessageKind::Arrival as usize;
/// An arrival got through.
pub const ACKNOWLEDGEMENT: usize = MessageKind::Acknowledgement as usize;
/// All have arrived.
pub const COMPLETION: usize = MessageKind::Completion as usize;
/// The completion is awaited.
pub const URGE: usize = MessageKind::Urge as usize;
/// Bits that tell the kinds apart.
pub const KIND_BITS: usize = 3;

#[cfg(test)]
mod tests {
    use super::*;
    use railyard_spec::barrier::Message;

    #[test]
    fn fields_lie_where_the_contract_has_them() {
        for (kind, number) in [
            (MessageKind::Arrival, ARRIVAL),
            (MessageKind::Acknowledgement, ACKNOWLEDGEMENT),
            (MessageKind::Completion, COMPLETION),
            (MessageKind::Urge, URGE),
        ] {
            let word = Message { kind, group: 0xA5, sequence: 0x3C }.encode() as usize;
            assert_eq!(word & ((1 << BODY) - 1), number << KIND_LOW | 0xA5 << GROUP_LOW | 0x3C << NUMBER_LOW);
            assert!(number < 1 << KIND_BITS);
        }
    }
}

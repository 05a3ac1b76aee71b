//! Router message as the blocks see it: where its fields lie in the low bits of a flit, and what blocks hand to each
//! other of it, as bundles.
//!
//! Source: `spec/src/router_message.rs`.

use crate::units::prelude::*;
use railyard_spec::barrier::MESSAGE_BITS;
use railyard_spec::router_message as spec;
use railyard_spec::router_message::{RouterMessageKind, RouterMessages};

/// Lowest bit of the index, which is a byte.
pub const INDEX_LOW: usize = BYTE;
/// Lowest bit of the CRC, which is a byte.
pub const MESSAGE_CRC_LOW: usize = INDEX_LOW + BYTE;
/// Lowest bit of the payload.
pub const PAYLOAD_LOW: usize = spec::PAYLOAD_LOW as usize;
/// Bits of a counter in a message.
pub const COUNTER_BITS: usize = spec::COUNTER_BITS as usize;

/// Which global links of the sender are saturated.
pub const SATURATION_KIND: usize = RouterMessageKind::Saturation as usize;
/// How many packets of the sender are for each of some groups.
pub const COUNTS_KIND: usize = RouterMessageKind::Counts as usize;

/// Bits of the threshold of counts for a group, and of such a count.
pub const GROUP_COUNT_BITS: usize = 9;
/// Bits of the period of counts.
pub const PERIOD_BITS: usize = 16;
/// Bits of the cycles between messages of saturation.
pub const PAUSE_BITS: usize = 8;

/// A flit that may be a router message.
#[bundle(built: &RouterMessages)]
pub struct RouterMessagePins<D: Side> {
    /// A flit arrives on the control VC.
    pub valid: Flag<D>,
    /// The flit is the first of a packet.
    pub head: Flag<D>,
    /// The flit is the last of a packet.
    pub tail: Flag<D>,
    /// Low bits of the flit.
    pub message: Sig<D, { built.bits() as usize }>,
}

/// A good router message, as it is taken.
#[bundle(built: &RouterMessages)]
pub struct TakenMessage<D: Side> {
    /// The message says which global links are saturated.
    pub saturation: Option<Flag<D>, { built.saturation }>,
    /// The message says how many packets are for some groups.
    pub counts: Option<Flag<D>, { built.counts }>,
    /// Index of the message.
    pub index: Option<Sig<D, BYTE>, { built.counts }>,
    /// Payload of the message.
    pub payload: Sig<D, { built.payload_bits as usize }>,
}

/// Settings of what routers tell each other.
#[bundle(built: &RouterMessages)]
pub struct MessageSettings<D: Side> {
    /// Packets for a group from which on they leave their minimal way at the source.
    pub group_threshold: Option<Sig<D, GROUP_COUNT_BITS>, { built.counts }>,
    /// Cycles from one round of messages of counts to the next.
    pub period: Option<Sig<D, PERIOD_BITS>, { built.counts }>,
    /// Factor of the mean that makes a global link saturated, in quarters.
    pub link_factor: Option<Sig<D, 4>, { built.saturation }>,
    /// Places more than that.
    pub link_offset: Option<Sig<D, 10>, { built.saturation }>,
    /// Least cycles between two messages of saturation.
    pub gap: Option<Sig<D, PAUSE_BITS>, { built.saturation }>,
}

/// What happened to router messages at a port, or at all of them.
#[bundle(ports: usize)]
pub struct MessageEvents<D: Side> {
    /// A router message leaves.
    pub sent: Sig<D, ports>,
    /// A good router message is taken.
    pub good: Sig<D, ports>,
    /// A bad router message is taken.
    pub bad: Sig<D, ports>,
}

/// Bits of what a message register holds: a barrier message, a router message or either.
pub fn message_bits(shape: &Shape) -> usize {
    let of_barriers = shape.barrier.map_or(0, |_| MESSAGE_BITS);
    of_barriers.max(shape.router_messages().map_or(0, |built| built.bits())).max(1) as usize
}

#[cfg(test)]
mod tests {
    use super::*;
    use railyard_spec::router_message::RouterMessage;

    #[test]
    fn fields_lie_where_the_contract_has_them() {
        let built = RouterMessages { counts: true, saturation: true, counters: 10, messages: 4, payload_bits: 40 };
        for (kind, number) in
            [(RouterMessageKind::Saturation, SATURATION_KIND), (RouterMessageKind::Counts, COUNTS_KIND)]
        {
            let word = built.encode(RouterMessage { kind, index: 0xA5, payload: 0x12_3456_789a });
            assert_eq!(word as usize & 0xffff, number | 0xA5 << INDEX_LOW);
            assert_eq!((word >> PAYLOAD_LOW) as usize, 0x12_3456_789a);
        }
    }
}

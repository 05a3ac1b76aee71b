//! Message receiver: takes the router messages that come to a local port.
//!
//! State: the receive register.
//!
//! Each cycle: what the receive register holds is checked. A good message is taken, and a bad one has no effect.
//!
//! Source: reference of Dragonfly routing, router messages (receiving).

use crate::units::prelude::*;
use railyard_spec::barrier::MESSAGE_CRC;
use railyard_spec::router_message::RouterMessages;

/// Takes the router messages that come to a local port.
#[block(built: &RouterMessages)]
pub struct MessageReceiver {
    pub clock: ClockIn,
    pub reset: Flag<In>,
    pub rx: RouterMessagePins<In, built>,
    pub taken: TakenMessage<Out, built>,
    /// A good message is taken.
    pub good: Flag<Out>,
    /// A bad message is taken.
    pub bad: Flag<Out>,

    /// The receive register holds a message.
    valid: FlagReg,
    /// The message is a packet of one flit.
    whole: FlagReg<NoReset>,
    /// Bits of the message.
    word: Reg<message_bits, NoReset>,
    crc: CrcHash<body_bits, CRC_BITS, MESSAGE_CRC>,

    /// Kind of the message.
    kind: Sig<Local, BYTE>,
    /// Index of the message.
    index: Sig<Local, BYTE>,
    /// Payload, index and kind.
    body: Sig<Local, body_bits>,
    /// The message is a packet of one flit with a right CRC.
    intact: Flag<Local>,
    /// The message is of a kind that is built, with an index that exists.
    known: Flag<Local>,
    /// The message is of saturation, with its index.
    is_saturation: Flag<Local>,
    /// The message is of counts, with an index that exists.
    is_counts: Flag<Local>,

    kind_field: Field<0, BYTE>,
    index_field: Field<INDEX_LOW, BYTE>,
    crc_field: Field<MESSAGE_CRC_LOW, BYTE>,
    payload_field: Field<PAYLOAD_LOW, payload_bits>,
    low_field: Field<0, { 2 * BYTE }>,
    payload_place: Field<{ 2 * BYTE }, payload_bits>,
    message_bits: Number<{ built.bits() as usize }>,
    body_bits: Number<{ built.body_bits() as usize }>,
    counts: Number<bool, { built.counts }>,
    saturation: Number<bool, { built.saturation }>,
    messages: Param<{ built.messages }>,
    payload_bits: Param<{ built.payload_bits as usize }>,
}

#[kernel]
impl MessageReceiver {
    fn update(&mut self) {
        self.valid.d.next = self.rx.valid.val();
        self.whole.d.next = self.rx.head.val() & self.rx.tail.val();
        self.word.d.next = self.rx.message.val();
        self.check();
        self.find_kind();
        self.good.next = self.valid.q.val() & self.intact.val() & self.known.val();
        self.bad.next = self.valid.q.val() & !(self.intact.val() & self.known.val());
        self.take();
    }

    fn check(&mut self) {
        self.body.next = 0.into();
        self.body.set(self.low_field.val(), self.word.q.val() >> self.low_field.val());
        self.body.set(self.payload_place.val(), self.word.q.val() >> self.payload_field.val());
        self.crc.address.next = self.body.val();
        self.intact.next = self.whole.q.val() & ((self.word.q.val() >> self.crc_field.val()) == self.crc.index.val());
    }

    fn find_kind(&mut self) {
        self.kind.next = self.word.q.val() >> self.kind_field.val();
        self.index.next = self.word.q.val() >> self.index_field.val();
        self.is_saturation.next = false;
        self.is_counts.next = false;
        if self.saturation {
            self.is_saturation.next = (self.kind.val() == SATURATION_KIND) & (self.index.val() == 0);
        }
        if self.counts {
            self.is_counts.next = (self.kind.val() == COUNTS_KIND) & (self.index.val() < self.messages);
        }
        self.known.next = self.is_saturation.val() | self.is_counts.val();
    }

    fn take(&mut self) {
        self.taken.payload.next = self.word.q.val() >> self.payload_field.val();
        if let Some(saturation) = &mut self.taken.saturation {
            saturation.next = self.valid.q.val() & self.intact.val() & self.is_saturation.val();
        }
        if let (Some(counts), Some(index)) = (&mut self.taken.counts, &mut self.taken.index) {
            counts.next = self.valid.q.val() & self.intact.val() & self.is_counts.val();
            index.next = self.index.val();
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use railyard_spec::router_message::{RouterMessage, RouterMessageKind};

    /// Messages by chance, each whole or with one fault: against the decoder of the contract.
    #[test]
    fn only_good_messages_are_taken() {
        let mut random = 5u64;
        let mut draw = move |n: u64| {
            random = random.wrapping_mul(6364136223846793005).wrapping_add(1442695040888963407);
            (random >> 33) % n
        };
        for (counts, saturation) in [(true, false), (false, true), (true, true)] {
            let built = RouterMessages { counts, saturation, counters: 5, messages: 3, payload_bits: 20 };
            let mut bench = Bench::new(message_receiver(&built), |b| &mut b.clock);
            bench.reset.next = true;
            bench.cycle();
            bench.reset.next = false;
            let mut seen = [0; 3];
            for _ in 0..2000 {
                let kind = [RouterMessageKind::Saturation, RouterMessageKind::Counts][draw(2) as usize];
                let index = if draw(2) == 0 { 0 } else { draw(4) as u8 };
                let mut word = built.encode(RouterMessage { kind, index, payload: draw(1 << 20) });
                if draw(3) == 0 {
                    word ^= 1 << draw(44);
                }
                let (valid, head, tail) = (draw(8) != 0, draw(12) != 0, draw(12) != 0);
                (bench.rx.valid.next, bench.rx.head.next, bench.rx.tail.next) = (valid, head, tail);
                bench.rx.message.next = word.into();
                bench.cycle();
                bench.settle();
                let expected = built.decode(word).filter(|_| head && tail);
                assert_eq!(bench.good.val(), valid && expected.is_some());
                assert_eq!(bench.bad.val(), valid && expected.is_none());
                let taken = &bench.taken;
                let of_saturation = taken.saturation.as_ref().is_some_and(|flag| flag.val());
                let of_counts = taken.counts.as_ref().is_some_and(|flag| flag.val());
                let expected = expected.filter(|_| valid);
                assert_eq!(of_saturation, expected.is_some_and(|m| m.kind == RouterMessageKind::Saturation));
                assert_eq!(of_counts, expected.is_some_and(|m| m.kind == RouterMessageKind::Counts));
                if let Some(message) = expected {
                    assert_eq!(taken.payload.val().to_u128(), u128::from(message.payload));
                    if let Some(index) = &taken.index {
                        assert_eq!(index.val(), usize::from(message.index));
                    }
                }
                seen[0] += u32::from(of_saturation);
                seen[1] += u32::from(of_counts);
                seen[2] += u32::from(bench.bad.val());
            }
            assert!((seen[0] > 50) == saturation && (seen[1] > 50) == counts && seen[2] > 50, "{seen:?}");
        }
    }
}

//! Message sender: the router messages that leave by a local port, one a cycle at most.
//!
//! State: which messages are due; the message register, without CRC.
//!
//! Each cycle: a message that is due is in the message register in the next cycle, if no barrier message is. Saturation
//! goes before counts. Behind the message register the CRC is made, on the way to the output register.
//!
//! Source: reference of Dragonfly routing, router messages (sending).

use crate::units::prelude::*;
use railyard_spec::barrier::MESSAGE_CRC;
use railyard_spec::router_message::RouterMessages;

/// What is to be sent, to all local ports alike.
#[bundle(built: &RouterMessages)]
pub struct DueMessages<D: Side> {
    /// A message of saturation becomes due.
    pub saturation: Option<Flag<D>, { built.saturation }>,
    /// Saturated global links, as they are told.
    pub told: Option<Sig<D, { built.payload_bits as usize }>, { built.saturation }>,
    /// A message of counts becomes due.
    pub counts: Option<Flag<D>, { built.counts }>,
    /// Counters of the message of counts.
    pub word: Option<Sig<D, { built.payload_bits as usize }>, { built.counts }>,
    /// Index of the message of counts.
    pub index: Option<Sig<D, BYTE>, { built.counts }>,
}

/// The router messages that leave by a local port, one a cycle at most.
#[block(built: &RouterMessages, beside_barriers: bool)]
pub struct MessageSender {
    pub clock: ClockIn,
    pub reset: Flag<In>,
    pub due: DueMessages<In, built>,
    /// A barrier message is in its message register in the next cycle.
    pub barrier_next: Option<Flag<In>, beside_barriers>,
    /// The message register is full.
    pub message_valid: Flag<Out>,
    /// Message in the message register.
    pub message: Sig<Out, message_bits>,
    /// The message register is full in the next cycle.
    pub message_next: Flag<Out>,

    /// A message of saturation is due.
    saturation_due: Option<FlagReg, { built.saturation }>,
    /// A message of counts is due.
    counts_due: Option<FlagReg, { built.counts }>,
    /// The message register is full.
    valid: FlagReg,
    /// The message is of saturation.
    is_saturation: FlagReg<NoReset>,
    /// Index of the message.
    index: Option<Reg<BYTE, NoReset>, { built.counts }>,
    /// Payload of the message.
    payload: Reg<payload_bits, NoReset>,
    crc: CrcHash<body_bits, CRC_BITS, MESSAGE_CRC>,

    /// No barrier message takes the place.
    is_free: Flag<Local>,
    /// A message of saturation is chosen.
    sends_saturation: Flag<Local>,
    /// A message of counts is chosen.
    sends_counts: Flag<Local>,
    /// Payload, index and kind.
    body: Sig<Local, body_bits>,

    kind_field: Field<0, BYTE>,
    index_field: Field<INDEX_LOW, BYTE>,
    crc_field: Field<MESSAGE_CRC_LOW, BYTE>,
    payload_field: Field<PAYLOAD_LOW, payload_bits>,
    low_field: Field<0, { 2 * BYTE }>,
    payload_place: Field<{ 2 * BYTE }, payload_bits>,
    message_bits: Number<{ built.bits() as usize }>,
    body_bits: Number<{ built.body_bits() as usize }>,
    payload_bits: Param<{ built.payload_bits as usize }>,
}

#[kernel]
impl MessageSender {
    fn update(&mut self) {
        self.is_free.next = true;
        if let Some(barrier_next) = &self.barrier_next {
            self.is_free.next = !barrier_next.val();
        }
        self.choose();
        self.load();
        self.send();
    }

    /// A message that becomes due in the cycle stays due.
    fn choose(&mut self) {
        self.sends_saturation.next = false;
        self.sends_counts.next = false;
        if let (Some(due), Some(becomes_due)) = (&mut self.saturation_due, &self.due.saturation) {
            self.sends_saturation.next = due.q.val() & self.is_free.val();
            due.d.next = becomes_due.val() | (due.q.val() & !self.is_free.val());
        }
        if let (Some(due), Some(becomes_due)) = (&mut self.counts_due, &self.due.counts) {
            self.sends_counts.next = due.q.val() & self.is_free.val() & !self.sends_saturation.val();
            due.d.next = becomes_due.val() | (due.q.val() & !self.sends_counts.val());
        }
    }

    fn load(&mut self) {
        self.message_next.next = self.sends_saturation.val() | self.sends_counts.val();
        self.valid.d.next = self.sends_saturation.val() | self.sends_counts.val();
        self.is_saturation.d.next = self.sends_saturation.val();
        if let Some(told) = &self.due.told {
            self.payload.d.next = told.val();
        }
        if let (Some(index), Some(due_index), Some(word)) = (&mut self.index, &self.due.index, &self.due.word) {
            index.d.next = 0.into();
            if !self.sends_saturation.val() {
                index.d.next = due_index.val();
                self.payload.d.next = word.val();
            }
        }
    }

    /// The message, with its CRC.
    fn send(&mut self) {
        self.body.next = 0.into();
        self.body.set(self.kind_field.val(), COUNTS_KIND);
        if self.is_saturation.q.val() {
            self.body.set(self.kind_field.val(), SATURATION_KIND);
        }
        if let Some(index) = &self.index {
            self.body.set(self.index_field.val(), index.q.val());
        }
        self.body.set(self.payload_place.val(), self.payload.q.val());
        self.crc.address.next = self.body.val();
        self.message_valid.next = self.valid.q.val();
        self.message.next = 0.into();
        self.message.set(self.low_field.val(), self.body.val() >> self.low_field.val());
        self.message.set(self.crc_field.val(), self.crc.index.val());
        self.message.set(self.payload_field.val(), self.body.val() >> self.payload_place.val());
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use railyard_spec::router_message::{RouterMessage, RouterMessageKind};

    /// Messages that become due at any time, also while others are, between barrier messages: with plain flags.
    #[test]
    fn messages_leave_when_they_are_due() {
        let built = RouterMessages { counts: true, saturation: true, counters: 5, messages: 3, payload_bits: 20 };
        let mut bench = Bench::new(message_sender(&built, true), |b| &mut b.clock);
        let mut random = 5u64;
        let mut draw = move |n: u64| {
            random = random.wrapping_mul(6364136223846793005).wrapping_add(1442695040888963407);
            (random >> 33) % n
        };
        bench.reset.next = true;
        bench.cycle();
        bench.reset.next = false;
        let (mut due, mut register) = ([false; 2], None);
        let mut sent = 0;
        for _ in 0..2000 {
            let (set, barrier) = ([draw(6) == 0, draw(6) == 0], draw(3) == 0);
            let (told, word, index) = (draw(16), draw(1 << 20), draw(3) as u8);
            bench.due.saturation.as_mut().unwrap().next = set[0];
            bench.due.counts.as_mut().unwrap().next = set[1];
            bench.due.told.as_mut().unwrap().next = told.into();
            bench.due.word.as_mut().unwrap().next = word.into();
            bench.due.index.as_mut().unwrap().next = u32::from(index).into();
            bench.barrier_next.as_mut().unwrap().next = barrier;
            bench.settle();
            assert_eq!(bench.message_valid.val(), register.is_some());
            if let Some(message) = register {
                assert_eq!(bench.message.val().to_u128(), built.encode(message));
                sent += 1;
            }
            register = match (barrier, due) {
                (true, _) | (_, [false, false]) => None,
                (_, [true, _]) => {
                    due[0] = false;
                    Some(RouterMessage { kind: RouterMessageKind::Saturation, index: 0, payload: told })
                }
                (_, [false, true]) => {
                    due[1] = false;
                    Some(RouterMessage { kind: RouterMessageKind::Counts, index, payload: word })
                }
            };
            assert_eq!(bench.message_next.val(), register.is_some());
            due = [due[0] || set[0], due[1] || set[1]];
            bench.cycle();
        }
        assert!(sent > 400);
    }
}

//! Event ports: the ports at which an event has happened, in one register or, beyond 32 ports, in two.
//!
//! State: a flag for each port.
//!
//! Source: switch reference, section 9.2; `spec/src/registers/events.rs`.

use super::bus::{access, answer, Access, Answer};
use super::description::{Described, WORD};
use super::port_mask::mask_fields;
use super::register_word::{register_word, RegisterWord};
use crate::parts::event_flags::{event_flags, EventFlags};
use crate::rtl::prelude::*;

/// Ports at which an event has happened, each until a 1 is written to its bit.
#[block]
pub struct EventPorts {
    pub clock: ClockIn,
    pub reset: Flag<In>,
    pub access: Access,
    pub answer: Answer,
    /// Data of the cycle before.
    pub was_data: Sig<In>,
    /// The event happens at port p in the current cycle.
    pub raise: Sig<In>,
    /// All bits are cleared.
    pub clear_all: Flag<In>,

    low_word: RegisterWord,
    high_word: Option<RegisterWord>,
    kept: EventFlags,

    /// The bit of port p is cleared by a write.
    clear: Sig<Local>,

    low_field: Field,
    high_field: Field,
    low_data_field: Field,
    high_data_field: Field,

    #[label]
    register: &'static str,
    #[hex]
    address: Param,
    ports: Param,
}

/// The ports of an event, `ports` of them, in these registers.
pub fn event_ports(ports: usize, low: &Described, high: Option<&Described>) -> EventPorts {
    let (low_field, high_field) = mask_fields(ports);
    let (low_bits, high_bits) = (low_field.val().width, high_field.val().width);
    EventPorts {
        access: access(),
        answer: answer(),
        was_data: sig(ports.min(WORD)),
        raise: sig(ports),
        low_word: register_word(low),
        high_word: high.map(register_word),
        kept: event_flags(ports),
        clear: sig(ports),
        low_field,
        high_field,
        low_data_field: field(0, low_bits),
        high_data_field: field(0, high_bits),
        register: low.stem(),
        address: low.address() as usize,
        ports,
        ..EventPorts::plain()
    }
}

#[kernel]
impl EventPorts {
    fn update(&mut self) {
        self.access.link(&mut self.low_word.access);
        self.answer.known.next = self.low_word.selected.val();
        self.answer.fits.next = self.low_word.fits.val();
        self.answer.value.next = 0.into();
        if self.low_word.selected.val() {
            self.answer.value.next = unsigned_cast(self.kept.flags.val() >> self.low_field.val());
        }
        self.clear.next = 0.into();
        if self.low_word.writing.val() {
            self.clear.next =
                self.clear.val().replace_bit(self.low_field.val(), self.was_data.val() >> self.low_data_field.val());
        }
        if let Some(high_word) = &mut self.high_word {
            self.access.link(&mut high_word.access);
            self.answer.known.next = self.low_word.selected.val() | high_word.selected.val();
            self.answer.fits.next = self.low_word.fits.val() | high_word.fits.val();
            if high_word.selected.val() {
                self.answer.value.next = unsigned_cast(self.kept.flags.val() >> self.high_field.val());
            }
            if high_word.writing.val() {
                self.clear.next = self
                    .clear
                    .val()
                    .replace_bit(self.high_field.val(), self.was_data.val() >> self.high_data_field.val());
            }
        }
        self.kept.raise.next = self.raise.val();
        self.kept.clear.next = self.clear.val();
        self.kept.clear_all.next = self.clear_all.val();
    }
}

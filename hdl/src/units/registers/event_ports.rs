//! Event ports: the ports at which an event has happened, in one register or, beyond 32 ports, in two.
//!
//! State: a flag for each port.
//!
//! Source: switch reference, section 9.2; `spec/src/registers/events.rs`.

use crate::units::prelude::*;

/// Ports at which an event has happened, each until a 1 is written to its bit.
#[block(ports: usize, low: &Described, high: Option<&Described>)]
pub struct EventPorts {
    pub clock: ClockIn,
    pub reset: Flag<In>,
    pub access: BusTransfer,
    pub answer: Answer,
    /// Data of the cycle before.
    pub was_data: Sig<In, { ports.min(WORD) }>,
    /// The event happens at port p in the current cycle.
    pub raise: Sig<In, ports>,
    /// All bits are cleared.
    pub clear_all: Flag<In>,

    low_word: RegisterWord<low>,
    #[made(high.map(register_word))]
    high_word: Option<RegisterWord>,
    kept: EventFlags<ports>,

    /// The bit of port p is cleared by a write.
    clear: Sig<Local, ports>,

    #[made(mask_fields(ports).0)]
    low_field: Field,
    #[made(mask_fields(ports).1)]
    high_field: Field,
    low_data_field: Field<0, { mask_fields(ports).0.val().width }>,
    high_data_field: Field<0, { mask_fields(ports).1.val().width }>,

    #[label]
    #[made(low.stem().trim_start_matches("event_").trim_end_matches("_ports"))]
    of: &'static str,
    #[hex]
    address: Param<{ low.address() as usize }>,
    ports: Param,
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
            self.clear.set(self.low_field.val(), self.was_data.val() >> self.low_data_field.val());
        }
        if let Some(high_word) = &mut self.high_word {
            self.access.link(&mut high_word.access);
            self.answer.known.next = self.low_word.selected.val() | high_word.selected.val();
            self.answer.fits.next = self.low_word.fits.val() | high_word.fits.val();
            if high_word.selected.val() {
                self.answer.value.next = unsigned_cast(self.kept.flags.val() >> self.high_field.val());
            }
            if high_word.writing.val() {
                self.clear.set(self.high_field.val(), self.was_data.val() >> self.high_data_field.val());
            }
        }
        self.kept.raise.next = self.raise.val();
        self.kept.clear.next = self.clear.val();
        self.kept.clear_all.next = self.clear_all.val();
    }
}

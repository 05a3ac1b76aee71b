//! Register setting: a register that is read and written, as its fields side by side.
//!
//! State: the fields, and those in the data of the cycle before.
//!
//! Source: switch reference, section 9; `spec/src/registers/`.

use crate::units::prelude::*;

/// A register that is read and written, as its fields side by side.
#[block(register: &Described, order: FieldOrder)]
pub struct RegisterSetting {
    pub clock: ClockIn,
    pub reset: Flag<In>,
    pub access: BusTransfer,
    pub answer: Answer,
    /// Fields of the setting, side by side.
    pub setting: Sig<Out, bits>,

    /// Fields in the data of the cycle before.
    was_asked: Reg<bits, NoReset>,
    /// Fields of the setting, side by side.
    held: Reg<bits, { packed_reset(register, order) }>,

    word: RegisterWord<register>,
    fields: RegisterFields<register, order>,

    bits: Number<{ packed_bits(register, order) }>,
    #[label]
    #[made(register.name())]
    register: &'static str,
    #[hex]
    address: Param<{ register.address() as usize }>,
}

#[kernel]
impl RegisterSetting {
    fn update(&mut self) {
        self.access.link(&mut self.word.access);
        self.fields.data.next = self.access.data.val();
        self.fields.setting.next = self.held.q.val();

        self.answer.known.next = self.word.selected.val();
        self.answer.fits.next = self.word.selected.val() & self.fields.legal.val();
        self.answer.value.next = 0.into();
        if self.word.selected.val() {
            self.answer.value.next = self.fields.value.val();
        }
        self.was_asked.d.next = self.fields.asked.val();
        if self.word.writing.val() {
            self.held.d.next = self.was_asked.q.val();
        }
        self.setting.next = self.held.q.val();
    }
}

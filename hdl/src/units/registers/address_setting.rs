//! Address setting: a setting as wide as an address, in one register or, beyond 32 bits, in two.
//!
//! State: the setting.
//!
//! Source: switch reference, section 9; `spec/src/registers.rs`.

use crate::units::prelude::*;

/// A setting as wide as an address, in one register or in two.
#[block(low: &Described, high: Option<&Described>, doc: &'static str)]
pub struct AddressSetting {
    pub clock: ClockIn,
    pub reset: Flag<In>,
    pub access: BusTransfer,
    pub answer: Answer,
    /// Data of the cycle before.
    pub was_data: Sig<In, low_bits>,
    /// Value of the setting.
    #[made(sig(bits).doc(doc))]
    pub setting: Sig<Out>,

    /// Value of the setting.
    #[made(reg(bits, 0u32).doc(doc))]
    value: Reg,

    low_word: RegisterWord<low>,
    #[made(high.map(register_word))]
    high_word: Option<RegisterWord>,

    low_bits: Number<{ setting_bits(low, high).0 }>,
    high_bits: Number<{ bits - low_bits }>,
    low_field: Field<0, low_bits>,
    high_field: Field<{ bits - high_bits.max(1) }, { high_bits.max(1) }>,
    high_data_field: Field<0, { high_bits.max(1) }>,

    #[label]
    #[made(low.stem())]
    register: &'static str,
    #[hex]
    address: Param<{ low.address() as usize }>,
    bits: Param<{ setting_bits(low, high).1 }>,
}

/// Bits of a setting in these registers: those of the low one, and of both.
pub fn setting_bits(low: &Described, high: Option<&Described>) -> (usize, usize) {
    let bits = |register: &Described| register.mask().count_ones() as usize;
    (bits(low), bits(low) + high.map_or(0, bits))
}

#[kernel]
impl AddressSetting {
    fn update(&mut self) {
        self.access.link(&mut self.low_word.access);
        self.answer.known.next = self.low_word.selected.val();
        self.answer.fits.next = self.low_word.fits.val();
        self.answer.value.next = 0.into();
        if self.low_word.selected.val() {
            self.answer.value.next = unsigned_cast(self.value.q.val() >> self.low_field.val());
        }
        if self.low_word.writing.val() {
            self.value.d.next = self.value.q.val().replace_bit(self.low_field.val(), self.was_data.val());
        }
        if let Some(high_word) = &mut self.high_word {
            self.access.link(&mut high_word.access);
            self.answer.known.next = self.low_word.selected.val() | high_word.selected.val();
            self.answer.fits.next = self.low_word.fits.val() | high_word.fits.val();
            if high_word.selected.val() {
                self.answer.value.next = unsigned_cast(self.value.q.val() >> self.high_field.val());
            }
            if high_word.writing.val() {
                self.value.d.next = self
                    .value
                    .q
                    .val()
                    .replace_bit(self.high_field.val(), self.was_data.val() >> self.high_data_field.val());
            }
        }
        self.setting.next = self.value.q.val();
    }
}

//! Address setting: a setting as wide as an address, in one register or, beyond 32 bits, in two.
//!
//! State: the setting.
//!
//! Source: switch reference, section 9; `spec/src/registers.rs`.

use super::bus::{access, answer, Access, Answer};
use super::description::Described;
use super::register_word::{register_word, RegisterWord};
use crate::rtl::prelude::*;

/// A setting as wide as an address, in one register or in two.
#[block]
pub struct AddressSetting {
    pub clock: ClockIn,
    pub reset: Flag<In>,
    pub access: Access,
    pub answer: Answer,
    /// Data of the cycle before.
    pub was_data: Sig<In>,
    /// Value of the setting.
    pub setting: Sig<Out>,

    /// Value of the setting.
    value: Reg,

    low_word: RegisterWord,
    high_word: Option<RegisterWord>,

    low_field: Field,
    high_field: Field,
    high_data_field: Field,

    #[label]
    register: &'static str,
    #[hex]
    address: Param,
    bits: Param,
}

/// Bits of a setting in these registers: those of the low one, and of both.
pub fn setting_bits(low: &Described, high: Option<&Described>) -> (usize, usize) {
    let bits = |register: &Described| register.mask().count_ones() as usize;
    (bits(low), bits(low) + high.map_or(0, bits))
}

/// The setting in these registers; `doc` says what it means.
pub fn address_setting(low: &Described, high: Option<&Described>, doc: &'static str) -> AddressSetting {
    let (low_bits, bits) = setting_bits(low, high);
    let high_bits = bits - low_bits;
    AddressSetting {
        access: access(),
        answer: answer(),
        was_data: sig(low_bits),
        setting: sig(bits).doc(doc),
        value: reg(bits, 0u32).doc(doc),
        low_word: register_word(low),
        high_word: high.map(register_word),
        low_field: field(0, low_bits),
        high_field: field(bits - high_bits.max(1), high_bits.max(1)),
        high_data_field: field(0, high_bits.max(1)),
        register: low.stem(),
        address: low.address() as usize,
        bits,
        ..AddressSetting::plain()
    }
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

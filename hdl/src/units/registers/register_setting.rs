//! Register setting: a register that is read and written, as its fields side by side.
//!
//! State: the fields, and those in the data of the cycle before.
//!
//! Source: switch reference, section 9; `spec/src/registers/`.

use super::bus::{access, answer, Access, Answer};
use super::description::Described;
use super::register_fields::{packed_bits, packed_reset, register_fields, Order, RegisterFields};
use super::register_word::{register_word, RegisterWord};
use crate::rtl::prelude::*;

/// A register that is read and written, as its fields side by side.
#[block]
pub struct RegisterSetting {
    pub clock: ClockIn,
    pub reset: Flag<In>,
    pub access: Access,
    pub answer: Answer,
    /// Fields of the setting, side by side.
    pub setting: Sig<Out>,

    /// Fields in the data of the cycle before.
    was_asked: Reg,
    /// Fields of the setting, side by side.
    held: Reg,

    word: RegisterWord,
    fields: RegisterFields,

    #[label]
    register: &'static str,
    #[hex]
    address: Param,
}

/// This register, its fields packed in this order.
pub fn register_setting(register: &Described, order: Order) -> RegisterSetting {
    let bits = packed_bits(register, order);
    RegisterSetting {
        access: access(),
        answer: answer(),
        setting: sig(bits),
        was_asked: reg_no_reset(bits),
        held: reg(bits, packed_reset(register, order)),
        word: register_word(register),
        fields: register_fields(register, order),
        register: register.name(),
        address: register.address() as usize,
        ..RegisterSetting::plain()
    }
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

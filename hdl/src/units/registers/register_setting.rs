//! Register setting: a register that is read and written, as its fields side by side.
//!
//! | port | width | meaning |
//! | --- | --- | --- |
//! | `access_*`, `answer_*` | | the transfer, and what is said of it; see [`bus`](super::bus) |
//! | `setting` | p | its fields, packed as [`register_fields`](super::register_fields) says |
//!
//! State: the fields, and those in the data of the cycle before.
//!
//! Source: switch reference, section 9; `spec/src/registers/`.

use super::bus::{access, answer, Access, Answer};
use super::description::Described;
use super::register_fields::{packed_bits, packed_reset, register_fields, Order, RegisterFields};
use super::register_word::{register_word, RegisterWord};
use crate::rtl::prelude::*;

/// A register; see the head of this file.
#[block]
pub struct RegisterSetting {
    pub clock: ClockIn,
    pub reset: Flag<In>,
    pub access: Access,
    pub answer: Answer,
    pub setting: Sig<Out>,

    was_asked: Reg,
    held: Reg,

    word: RegisterWord,
    fields: RegisterFields,

    about: About,
}

/// This register, its fields packed in this order.
pub fn register_setting(register: &Described, order: Order) -> RegisterSetting {
    let bits = packed_bits(register, order);
    RegisterSetting {
        clock: clock(),
        reset: flag().doc("synchronous reset, active high"),
        access: access(),
        answer: answer(),
        setting: sig(bits).doc("its fields, side by side"),
        was_asked: reg_no_reset(bits).doc("fields in the data of the cycle before"),
        held: reg(bits, packed_reset(register, order)).doc("the fields"),
        word: register_word(register),
        fields: register_fields(register, order),
        about: about("register_setting", "A register that is read and written, as its fields side by side.")
            .param("address", register.address() as usize),
    }
}

#[kernel]
impl RegisterSetting {
    fn update(&mut self) {
        Access::link(&mut self.access, &mut self.word.access);
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

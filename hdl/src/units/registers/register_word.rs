//! Register word: the place of one register of the description among the addresses.
//!
//! State: `selected` of the cycle before.
//!
//! Source: switch reference, section 9.

use super::bus::{access, Access};
use super::description::{Described, WORD};
use crate::rtl::prelude::*;
use railyard_spec::registers::APB_ADDRESS_BITS;

/// What both kinds of places, [`RegisterWord`] and [`RegisterArray`](super::register_array::RegisterArray), are called.
pub(super) fn about_place(register: &Described) -> About {
    about("register_word", "Place of a register, or of an array of registers, among the addresses.")
        .label("register", register.name())
        .hex_param("address", register.address() as usize)
}

/// Place of a register.
#[block]
pub struct RegisterWord {
    pub clock: ClockIn,
    pub access: Access,
    /// The transfer addresses the register.
    pub selected: Flag<Out>,
    /// No bit of the data outside the register's fields is 1.
    pub fits: Flag<Out>,
    /// The register is written in the current cycle.
    pub writing: Flag<Out>,

    /// Selected in the cycle before.
    was_selected: FlagReg<NoReset>,

    base: Konst,
    fields: Konst,
    about: About,
}

/// The place of this register.
pub fn register_word(register: &Described) -> RegisterWord {
    sized(RegisterWord {
        access: access(),
        base: konst(APB_ADDRESS_BITS as usize, register.address()),
        fields: konst(WORD, register.mask()),
        about: about_place(register),
        ..RegisterWord::plain()
    })
}

#[kernel]
impl RegisterWord {
    fn update(&mut self) {
        self.selected.next = self.access.address.val() == self.base.val();
        self.fits.next = self.selected.val() & !(self.access.data.val() & !self.fields.val()).any();
        self.was_selected.d.next = self.selected.val();
        self.writing.next = self.was_selected.q.val() & self.access.write.val();
    }
}

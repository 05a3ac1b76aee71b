//! Register word: the place of one register of the description among the addresses.
//!
//! State: `selected` of the cycle before.
//!
//! Source: switch reference, section 9.

use crate::units::prelude::*;

/// What both kinds of places, [`RegisterWord`] and [`RegisterArray`], are called.
pub fn about_place(register: &Described) -> About {
    about("register_word", "Place of a register, or of an array of registers, among the addresses.")
        .label("register", register.name())
        .hex_param("address", register.address() as usize)
}

/// Place of a register.
#[block(register: &Described)]
pub struct RegisterWord {
    pub clock: ClockIn,
    pub access: BusTransfer,
    /// The transfer addresses the register.
    pub selected: Flag<Out>,
    /// No bit of the data outside the register's fields is 1.
    pub fits: Flag<Out>,
    /// The register is written in the current cycle.
    pub writing: Flag<Out>,

    /// Selected in the cycle before.
    was_selected: FlagReg<NoReset>,

    base: Konst<{ APB_ADDRESS_BITS as usize }, { register.address() }>,
    fields: Konst<WORD, { register.mask() }>,
    #[made(about_place(register))]
    about: About,
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

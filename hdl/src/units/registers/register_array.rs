//! Register array: the place of an array of registers of the description among the addresses.
//!
//! State: `selected` and `index` of the cycle before.
//!
//! Source: switch reference, section 9.

use super::bus::{access, Access};
use super::description::{Described, WORD};
use super::register_word::about_place;
use crate::rtl::prelude::*;
use railyard_spec::registers::APB_ADDRESS_BITS;

/// Place of an array of registers.
#[block]
pub struct RegisterArray {
    pub clock: ClockIn,
    pub access: Access,
    /// The transfer addresses the register.
    pub selected: Flag<Out>,
    /// No bit of the data outside the register's fields is 1.
    pub fits: Flag<Out>,
    /// The register is written in the current cycle.
    pub writing: Flag<Out>,
    /// Number of the register that the transfer addresses.
    pub index: Sig<Out>,
    /// Number of the register that is written.
    pub writing_index: Sig<Out>,

    /// Selected in the cycle before.
    was_selected: FlagReg,
    /// Index in the cycle before.
    was_index: Reg,

    /// Address within the array.
    offset: Sig<Local>,

    base: Konst,
    span: Konst,
    fields: Konst,
    index_field: Field,
    partial: bool,
    count: usize,
    about: About,
}

/// The place of this array.
pub fn register_array(register: &Described) -> RegisterArray {
    let (count, address_bits) = (register.count(), APB_ADDRESS_BITS as usize);
    let index_bits = clog2(count.max(2));
    RegisterArray {
        access: access(),
        index: sig(index_bits),
        writing_index: sig(index_bits),
        was_selected: flag_reg_no_reset(),
        was_index: reg_no_reset(index_bits),
        offset: sig(address_bits),
        base: konst(address_bits, register.address()),
        span: konst(address_bits, 4 * ((1u32 << index_bits) - 1)),
        fields: konst(WORD, register.mask()),
        index_field: field(2, index_bits),
        partial: count < 1 << index_bits,
        count,
        about: about_place(register),
        ..RegisterArray::plain()
    }
}

#[kernel]
impl RegisterArray {
    fn update(&mut self) {
        self.offset.next = self.access.address.val() - self.base.val();
        self.index.next = self.offset.val() >> self.index_field.val();
        self.selected.next = !(self.offset.val() & !self.span.val()).any();
        if self.partial {
            if self.index.val() >= self.count {
                self.selected.next = false;
            }
        }
        self.was_index.d.next = self.index.val();
        self.writing_index.next = self.was_index.q.val();
        self.fits.next = self.selected.val() & !(self.access.data.val() & !self.fields.val()).any();
        self.was_selected.d.next = self.selected.val();
        self.writing.next = self.was_selected.q.val() & self.access.write.val();
    }
}

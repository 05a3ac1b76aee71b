//! Register word: the place of one register of the description, or of an array of them, among the addresses.
//!
//! | port | width | meaning |
//! | --- | --- | --- |
//! | `access_*` | | the transfer, see [`bus`](super::bus) |
//! | `selected` | 1 | setup phase: it is to this register |
//! | `fits` | 1 | it is, and no bit of the data outside its fields is 1 |
//! | `writing` | 1 | access phase: it is written |
//! | `index`, `writing_index` | ceil(log2 count) | number of the register in its array, in either phase (arrays only) |
//!
//! State: `selected` and `index` of the cycle before.
//!
//! Source: switch reference, section 9.

use super::bus::{access, Access};
use super::description::{Described, WORD};
use crate::rtl::prelude::*;
use railyard_spec::registers::APB_ADDRESS_BITS;

/// A place among the addresses; see the head of this file.
#[block]
pub struct RegisterWord {
    pub clock: ClockIn,
    pub access: Access,
    pub selected: Flag<Out>,
    pub fits: Flag<Out>,
    pub writing: Flag<Out>,
    pub index: Vec<Sig<Out>>,
    pub writing_index: Vec<Sig<Out>>,

    was_selected: FlagReg,
    was_index: Vec<Reg>,

    offset: Vec<Sig<Local>>,

    base: Konst,
    span: Konst,
    fields: Konst,
    index_field: Field,
    single: Param,
    partial: Param,
    count: Param,
    about: About,
}

/// The place of a single register.
pub fn register_word(register: &Described) -> RegisterWord {
    build(register, 0)
}

/// The place of an array.
pub fn register_array(register: &Described) -> RegisterWord {
    build(register, 1)
}

fn build(register: &Described, array: usize) -> RegisterWord {
    let (count, address_bits) = (register.count(), APB_ADDRESS_BITS as usize);
    let index_bits = clog2(count.max(2));
    let about = about("register_word", "Place of a register, or of an array of registers, among the addresses.")
        .param("address", register.address() as usize);
    RegisterWord {
        clock: clock(),
        access: access(),
        selected: flag().doc("the transfer is to this register"),
        fits: flag().doc("and no bit of the data outside its fields is 1"),
        writing: flag().doc("it is written in this cycle"),
        index: many(array, || sig(index_bits).doc("number of the register that the transfer is to")),
        writing_index: many(array, || sig(index_bits).doc("number of the register that is written")),
        was_selected: flag_reg_no_reset().doc("selected in the cycle before"),
        was_index: many(array, || reg_no_reset(index_bits).doc("index in the cycle before")),
        offset: many(array, || sig(address_bits).doc("address within the array")),
        base: konst(address_bits, register.address()),
        span: konst(address_bits, 4 * ((1u32 << index_bits) - 1)),
        fields: konst(WORD, register.mask()),
        index_field: field(2, index_bits),
        single: param(1 - array),
        partial: param(usize::from(count < 1 << index_bits)),
        count: param(count),
        about,
    }
}

#[kernel]
impl RegisterWord {
    fn update(&mut self) {
        for _one in 0..self.single.val() {
            self.selected.next = self.access.address.val() == self.base.val();
        }
        for a in 0..self.index.len() {
            self.offset[a].next = self.access.address.val() - self.base.val();
            self.index[a].next = self.offset[a].val() >> self.index_field.val();
            self.selected.next = !(self.offset[a].val() & !self.span.val()).any();
            for _rest in 0..self.partial.val() {
                if self.index[a].val() >= self.count.val() {
                    self.selected.next = false;
                }
            }
            self.was_index[a].d.next = self.index[a].val();
            self.writing_index[a].next = self.was_index[a].q.val();
        }
        self.fits.next = self.selected.val() & !(self.access.data.val() & !self.fields.val()).any();
        self.was_selected.d.next = self.selected.val();
        self.writing.next = self.was_selected.q.val() & self.access.write.val();
    }
}

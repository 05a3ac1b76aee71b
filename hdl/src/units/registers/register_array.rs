//! Register array: the place of an array of registers of the description among the addresses.
//!
//! State: `selected` and `index` of the cycle before.
//!
//! Source: switch reference, section 9.

use crate::units::prelude::*;

/// Place of an array of registers.
#[block(register: &Described)]
pub struct RegisterArray {
    pub clock: ClockIn,
    pub access: BusTransfer,
    /// The transfer addresses the register.
    pub selected: Flag<Out>,
    /// No bit of the data outside the register's fields is 1.
    pub fits: Flag<Out>,
    /// The register is written in the current cycle.
    pub writing: Flag<Out>,
    /// Number of the register that the transfer addresses.
    pub index: Sig<Out, index_bits>,
    /// Number of the register that is written.
    pub writing_index: Sig<Out, index_bits>,

    /// Selected in the cycle before.
    was_selected: FlagReg<NoReset>,
    /// Index in the cycle before.
    was_index: Reg<index_bits, NoReset>,

    /// Address within the array.
    offset: Sig<Local, address_bits>,

    address_bits: Number<{ APB_ADDRESS_BITS as usize }>,
    base: Konst<address_bits, { register.address() }>,
    span: Konst<address_bits, { 4 * ((1u32 << index_bits) - 1) }>,
    fields: Konst<WORD, { register.mask() }>,
    index_field: Field<2, index_bits>,
    partial: Number<bool, { count < 1 << index_bits }>,
    count: Number<{ register.count() }>,
    index_bits: Number<{ clog2(count.max(2)) }>,
    #[made(about_place(register))]
    about: About,
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

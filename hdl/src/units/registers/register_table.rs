//! Register table: an array of registers that are read and written, each as its fields side by side.
//!
//! State: the entries, and the fields in the data of the cycle before.
//!
//! Source: switch reference, section 9; `spec/src/registers/`.

use crate::units::prelude::*;

/// An array of registers that are read and written, each as its fields side by side.
#[block(register: &Described, order: FieldOrder)]
pub struct RegisterTable {
    pub clock: ClockIn,
    pub reset: Flag<In>,
    pub access: BusTransfer,
    pub answer: Answer,
    /// Fields of entry e, side by side.
    pub entry: Vec<Sig<Out, bits>, entries>,

    /// Fields in the data of the cycle before.
    was_asked: Reg<bits, NoReset>,
    /// Fields of entry e, side by side.
    held: Regs<entries, bits, { packed_reset(register, order) }>,

    word: RegisterArray<register>,
    fields: RegisterFields<register, order>,

    bits: Number<{ packed_bits(register, order) }>,
    #[label]
    #[made(register.name())]
    register: &'static str,
    pub entries: Param<{ register.count() }>,
    #[hex]
    address: Param<{ register.address() as usize }>,
}

#[kernel]
impl RegisterTable {
    fn update(&mut self) {
        self.access.link(&mut self.word.access);
        self.fields.data.next = self.access.data.val();
        self.fields.setting.next = self.held.q[self.word.index.val()].val();

        self.answer.known.next = self.word.selected.val();
        self.answer.fits.next = self.word.selected.val() & self.fields.legal.val();
        self.answer.value.next = 0.into();
        if self.word.selected.val() {
            self.answer.value.next = self.fields.value.val();
        }
        self.was_asked.d.next = self.fields.asked.val();
        for e in 0..self.entries {
            if self.word.writing.val() & (self.word.writing_index.val() == e) {
                self.held.d[e].next = self.was_asked.q.val();
            }
            self.entry[e].next = self.held.q[e].val();
        }
    }
}

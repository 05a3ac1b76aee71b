//! APB decoder: setup and access phases, and the answer, of the groups of registers behind it.
//!
//! State: the answer, and whether a legal write was set up.
//!
//! Each cycle: a setup is legal if a group knows its address and, for a write, the data fit; it is answered in the next
//! cycle from registers. If that cycle is the access phase of a legal write, the groups are told so.
//!
//! Source: switch reference, section 9.

use crate::units::prelude::*;

/// Phases of an APB transfer and its answer; groups of registers say what they have.
#[block(readable: usize, writable: usize)]
pub struct ApbDecoder {
    pub clock: ClockIn,
    pub reset: Flag<In>,
    pub apb: Bare<ApbPins<In>>,
    pub access: Vec<Transfer<Out>, writable>,
    pub answer: Vec<Reply<In>, readable>,

    /// Data read.
    answer_data: Reg<WORD>,
    /// The access is illegal.
    answer_error: FlagReg,
    /// A legal write is set up.
    write: FlagReg,

    /// Setup phase of a transfer.
    setup: Flag<Local>,
    /// A group has a register of the address.
    known: Flag<Local>,
    /// The data may be written to the register.
    fits: Flag<Local>,
    /// The access is legal.
    legal: Flag<Local>,
    /// Value that the register reads.
    value: Sig<Local, WORD>,
    /// Access phase of a legal write.
    writing: Flag<Local>,

    groups: Param<readable>,
}

#[kernel]
impl ApbDecoder {
    fn update(&mut self) {
        // Setup: is there a register, and are the data legal for it?
        self.setup.next = self.apb.psel.val() & !self.apb.penable.val();
        self.known.next = false;
        self.fits.next = false;
        self.value.next = 0.into();
        for g in 0..self.answer.len() {
            self.known.next = self.known.val() | self.answer[g].known.val();
            self.fits.next = self.fits.val() | self.answer[g].fits.val();
            self.value.next = self.value.val() | self.answer[g].value.val();
        }
        self.legal.next = self.known.val() & (!self.apb.pwrite.val() | self.fits.val());

        // Answer.
        self.answer_error.d.next = self.setup.val() & !self.legal.val();
        self.answer_data.d.next = 0.into();
        if self.setup.val() & self.legal.val() & !self.apb.pwrite.val() {
            self.answer_data.d.next = self.value.val();
        }
        self.apb.pready.next = true;
        self.apb.prdata.next = self.answer_data.q.val();
        self.apb.pslverr.next = self.answer_error.q.val();

        // Access.
        self.write.d.next = self.setup.val() & self.legal.val() & self.apb.pwrite.val();
        self.writing.next = self.write.q.val() & self.apb.psel.val() & self.apb.penable.val();
        for g in 0..self.access.len() {
            self.access[g].address.next = self.apb.paddr.val();
            self.access[g].data.next = self.apb.pwdata.val();
            self.access[g].write.next = self.writing.val();
        }
    }
}

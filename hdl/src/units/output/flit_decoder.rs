//! Flit decoder: corrects the code word in the output register, and shows its flit in the next cycle.
//!
//! State: the register in front of the pins; `spoiled`, a bit for each VC: its packet was bad with an earlier flit.
//!
//! Each cycle: the syndrome of the code word names the bit that is wrong, if one is. A barrier message is no code word
//! and passes as it is.
//!
//! Source: switch reference, section 12.

use crate::units::prelude::*;
use railyard_spec::CodeShape;

/// Corrects the code word in the output register, and shows its flit in the next cycle.
#[block(shape: &Shape, code: CodeShape)]
pub struct FlitDecoder {
    pub clock: ClockIn,
    pub reset: Flag<In>,
    /// The output register holds a flit.
    pub valid: Flag<In>,
    /// Virtual channel of the flit.
    pub vc: Sig<In, vc_bits>,
    /// The flit is the first of a packet.
    pub head: Flag<In>,
    /// The flit is the last of a packet.
    pub tail: Flag<In>,
    /// Code word of the flit.
    pub word: Sig<In, word_bits>,
    /// The output register holds a barrier message.
    pub message: Option<Flag<In>, { shape.control_vc().is_some() }>,
    pub tx: LinkFlit<Out, shape, { "A flit leaves." }>,
    /// A wrong bit of the flit was corrected.
    pub corrected: Flag<Out>,

    /// A flit leaves.
    leaves: FlagReg,
    /// Virtual channel of the flit that leaves.
    leaving_vc: Reg<vc_bits, NoReset>,
    /// The flit that leaves is the first of a packet.
    leaving_head: FlagReg<NoReset>,
    /// The flit that leaves is the last of a packet.
    leaving_tail: FlagReg<NoReset>,
    /// The flit that leaves.
    leaving_flit: Reg<flit_bits, NoReset>,
    /// The packet of the flit that leaves is bad.
    leaving_bad: FlagReg<NoReset>,
    /// A wrong bit of the flit that leaves was corrected.
    leaving_corrected: FlagReg<NoReset>,
    /// The packet of VC v was bad with an earlier flit.
    spoiled: Reg<vcs>,

    #[made(syndrome(code))]
    syndrome: CheckBits,
    #[made(wrong_bit(code))]
    wrong_bit: WrongBit,

    /// The output register holds a code word.
    is_coded: Flag<Local>,
    /// A bit is wrong, and known.
    is_corrected: Flag<Local>,
    /// Flit and bad mark after the correction.
    data: Sig<Local, { flit_bits + 1 }>,
    /// The packet was bad with an earlier flit.
    was_bad: Flag<Local>,
    /// The packet is bad.
    is_bad: Flag<Local>,
    /// Value of `spoiled` after the current cycle.
    spoiled_after: Sig<Local, vcs>,

    data_field: Field<0, { flit_bits + 1 }>,
    flit_field: Field<0, flit_bits>,
    vc_bits: Number<{ shape.vc_bits as usize }>,
    vcs: Param<{ shape.vcs }>,
    flit_bits: Param<{ shape.flit_bits as usize }>,
    word_bits: Param<{ code.bits as usize }>,
}

#[kernel]
impl FlitDecoder {
    fn update(&mut self) {
        self.correct();
        self.judge();
        self.show();
    }

    fn correct(&mut self) {
        self.is_coded.next = self.valid.val();
        if let Some(message) = &self.message {
            self.is_coded.next = self.valid.val() & !message.val();
        }
        self.syndrome.word.next = self.word.val();
        self.wrong_bit.syndrome.next = self.syndrome.check.val();
        self.is_corrected.next = self.is_coded.val() & self.wrong_bit.wrong.val().any();
        self.data.next = self.word.val() >> self.data_field.val();
        if self.is_corrected.val() {
            self.data.next =
                (self.word.val() >> self.data_field.val()) ^ (self.wrong_bit.wrong.val() >> self.data_field.val());
        }
    }

    /// Whether the packet is bad, with this flit or an earlier one.
    fn judge(&mut self) {
        self.was_bad.next = false;
        for v in 0..self.vcs {
            if (self.vc.val() == v) & self.spoiled.q.val().get_bit(v) {
                self.was_bad.next = true;
            }
        }
        self.is_bad.next = self.is_coded.val()
            & (self.was_bad.val()
                | self.data.val().get_bit(self.flit_bits)
                | (self.syndrome.check.val().any() & !self.is_corrected.val()));
        self.spoiled_after.next = self.spoiled.q.val();
        for v in 0..self.vcs {
            if self.is_coded.val() & (self.vc.val() == v) {
                self.spoiled_after.set(v, self.is_bad.val() & !self.tail.val());
            }
        }
        self.spoiled.d.next = self.spoiled_after.val();
    }

    /// The register in front of the pins.
    fn show(&mut self) {
        self.leaves.d.next = self.valid.val();
        self.leaving_vc.d.next = self.vc.val();
        self.leaving_head.d.next = self.head.val();
        self.leaving_tail.d.next = self.tail.val();
        self.leaving_flit.d.next = self.data.val() >> self.flit_field.val();
        self.leaving_bad.d.next = self.is_bad.val();
        self.leaving_corrected.d.next = self.is_corrected.val();
        self.tx.valid.next = self.leaves.q.val();
        self.tx.vc.next = self.leaving_vc.q.val();
        self.tx.head.next = self.leaving_head.q.val();
        self.tx.tail.next = self.leaving_tail.q.val();
        self.tx.flit.next = self.leaving_flit.q.val();
        if let Some(bad) = &mut self.tx.bad {
            bad.next = self.leaving_bad.q.val();
        }
        self.corrected.next = self.leaving_corrected.q.val();
    }
}

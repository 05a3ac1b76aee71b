//! AXI4-Lite port: hands transfers of AXI4-Lite to the APB port of the switch, one at a time.
//!
//! State: where the transfer stands; whether it writes, its address and data; whether all its bytes are written; the
//! answer; and whether the last transfer was a write.
//!
//! Idle: a write is chosen when both address and data are there, or a read; of both the kind that was not last. Set-up:
//! `ready` is 1 on the AXI4-Lite side, and APB is in its set-up phase. Access: APB answers. Answer: it stays until it
//! is taken. SLVERR answers what APB refuses, and a write of a part of a word, which does not reach APB.
//!
//! All outputs follow from registers.
//!
//! Source: switch reference, section 9 (APB); AMBA AXI and ACE (ARM IHI 0022), B1 (AXI4-Lite).

use crate::units::prelude::*;

/// Nothing is under way.
const IDLE: usize = 0;
/// The transfer is taken; set-up phase of APB.
const SETUP: usize = 1;
/// Access phase of APB.
const ACCESS: usize = 2;
/// The answer waits until it is taken.
const ANSWER: usize = 3;

/// Bytes of a word.
const BYTES: usize = WORD / 8;

/// Hands transfers of AXI4-Lite to the APB port of the switch, one at a time.
#[block]
pub struct AxiLitePort {
    pub clock: ClockIn,
    pub reset: Flag<In>,
    /// An address to write to.
    pub awvalid: Flag<In>,
    /// The address to write to is taken.
    pub awready: Flag<Out>,
    /// Byte address to write to.
    pub awaddr: Sig<In, { APB_ADDRESS_BITS as usize }>,
    /// Data to write.
    pub wvalid: Flag<In>,
    /// The data to write are taken.
    pub wready: Flag<Out>,
    /// Data to write.
    pub wdata: Sig<In, WORD>,
    /// Bytes to write.
    pub wstrb: Sig<In, BYTES>,
    /// Answer to a write.
    pub bvalid: Flag<Out>,
    /// The answer to a write is taken.
    pub bready: Flag<In>,
    /// 0, or 2: the write was refused.
    pub bresp: Sig<Out, 2>,
    /// An address to read.
    pub arvalid: Flag<In>,
    /// The address to read is taken.
    pub arready: Flag<Out>,
    /// Byte address to read.
    pub araddr: Sig<In, { APB_ADDRESS_BITS as usize }>,
    /// Answer to a read.
    pub rvalid: Flag<Out>,
    /// The answer to a read is taken.
    pub rready: Flag<In>,
    /// Data read.
    pub rdata: Sig<Out, WORD>,
    /// 0, or 2: the read was refused.
    pub rresp: Sig<Out, 2>,
    pub apb: ApbPins<Out>,

    /// Where the transfer stands.
    state: Reg<2>,
    /// The transfer writes.
    writes: FlagReg,
    /// All bytes of the word are transferred.
    whole: FlagReg<NoReset>,
    /// Byte address.
    address: Reg<{ APB_ADDRESS_BITS as usize }, NoReset>,
    /// Data to write, or data read.
    data: Reg<WORD, NoReset>,
    /// The access was refused.
    refused: FlagReg<NoReset>,

    /// A write is taken.
    take_write: Flag<Local>,
    /// A read is taken.
    take_read: Flag<Local>,
    /// The answer is taken.
    answered: Flag<Local>,
}

/// An AXI4-Lite port.
pub fn axi_lite_port() -> AxiLitePort {
    sized(AxiLitePort { apb: ApbPins::plain(), ..AxiLitePort::plain() })
}

#[kernel]
impl AxiLitePort {
    fn update(&mut self) {
        self.choose();
        self.move_on();
        self.access();
        self.answer();
    }

    /// The kind that was not last goes first.
    fn choose(&mut self) {
        self.take_write.next = self.awvalid.val() & self.wvalid.val() & (!self.writes.q.val() | !self.arvalid.val());
        self.take_read.next = self.arvalid.val() & !self.take_write.val();
        self.answered.next = (self.writes.q.val() & self.bready.val()) | (!self.writes.q.val() & self.rready.val());
    }

    fn move_on(&mut self) {
        match self.state.q.val().index() {
            IDLE => {
                if self.take_write.val() {
                    self.state.d.next = SETUP.into();
                    self.writes.d.next = true;
                    self.whole.d.next = self.wstrb.val().all();
                    self.address.d.next = self.awaddr.val();
                    self.data.d.next = self.wdata.val();
                }
                if self.take_read.val() {
                    self.state.d.next = SETUP.into();
                    self.writes.d.next = false;
                    self.whole.d.next = true;
                    self.address.d.next = self.araddr.val();
                }
            }
            SETUP => {
                self.state.d.next = ACCESS.into();
                if !self.whole.q.val() {
                    self.state.d.next = ANSWER.into();
                    self.refused.d.next = true;
                }
            }
            ACCESS => {
                if self.apb.pready.val() {
                    self.state.d.next = ANSWER.into();
                    self.refused.d.next = self.apb.pslverr.val();
                    self.data.d.next = self.apb.prdata.val();
                }
            }
            _ => {
                if self.answered.val() {
                    self.state.d.next = IDLE.into();
                }
            }
        }
    }

    fn access(&mut self) {
        self.awready.next = (self.state.q.val() == SETUP) & self.writes.q.val();
        self.wready.next = (self.state.q.val() == SETUP) & self.writes.q.val();
        self.arready.next = (self.state.q.val() == SETUP) & !self.writes.q.val();
        self.apb.psel.next = ((self.state.q.val() == SETUP) & self.whole.q.val()) | (self.state.q.val() == ACCESS);
        self.apb.penable.next = self.state.q.val() == ACCESS;
        self.apb.pwrite.next = self.writes.q.val();
        self.apb.paddr.next = self.address.q.val();
        self.apb.pwdata.next = self.data.q.val();
    }

    fn answer(&mut self) {
        self.bvalid.next = (self.state.q.val() == ANSWER) & self.writes.q.val();
        self.rvalid.next = (self.state.q.val() == ANSWER) & !self.writes.q.val();
        self.rdata.next = self.data.q.val();
        self.bresp.next = 0.into();
        self.rresp.next = 0.into();
        if self.refused.q.val() {
            self.bresp.next = 2.into();
            self.rresp.next = 2.into();
        }
    }
}

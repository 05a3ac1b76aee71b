//! Faults and events: the sticky flags at the pins, and the registers of events. Source: switch reference, sections 8
//! and 9.2.

use super::Switch;
use crate::input::input_unit::FlitErrors;
use crate::pins::Inputs;
use crate::registers::apb_registers::WriteCommand;
use crate::registers::event_registers::{EventBit, NO_PORT};

impl Switch {
    /// Section 8: clears the flags; those of this cycle's events are set afterwards.
    pub(super) fn clear_errors(&mut self) {
        self.out.error_vc = 0;
        self.out.error_framing = 0;
        self.out.error_overflow = 0;
        self.out.error_length = 0;
        self.out.error_credit = 0;
        self.out.error_cam = false;
    }

    /// Faults of the flit that arrives at `port`.
    pub(super) fn raise_input_faults(&mut self, port: usize, faults: FlitErrors) {
        let bit = |fault| u64::from(faults.has(fault)) << port;
        let [vc, framing, overflow, length] =
            [FlitErrors::VC, FlitErrors::FRAMING, FlitErrors::OVERFLOW, FlitErrors::LENGTH].map(bit);
        self.out.error_vc |= vc;
        self.out.error_framing |= framing;
        self.out.error_overflow |= overflow;
        self.out.error_length |= length;
        if let Some(events) = &mut self.events {
            events.happen(EventBit::Vc, vc);
            events.happen(EventBit::Framing, framing);
            events.happen(EventBit::Overflow, overflow);
            events.happen(EventBit::Length, length);
        }
    }

    /// An impossible credit report for a VC of `output`.
    pub(super) fn raise_credit_fault(&mut self, output: usize) {
        self.out.error_credit |= 1 << output;
        if let Some(events) = &mut self.events {
            events.happen(EventBit::Credit, 1 << output);
        }
    }

    /// An answer of the CAM to no request, or with a route that does not exist.
    pub(super) fn raise_cam_fault(&mut self) {
        self.out.error_cam = true;
        if let Some(events) = &mut self.events {
            events.happen(EventBit::Cam, NO_PORT);
        }
    }

    /// Section 9.2: what is at the pins at the start of a cycle.
    #[inline]
    pub(super) fn note_pins(&mut self) {
        let Some(events) = &mut self.events else { return };
        for element in self.out.drop_valid.ones() {
            events.happen(EventBit::Drop, 1 << (element / self.shape.vcs));
        }
        let out = &self.out;
        events.happen(EventBit::Corrected, out.tx_valid & out.tx_corrected);
        events.happen(EventBit::Bad, out.tx_valid & out.tx_tail & out.tx_bad);
        events.happen(EventBit::Parity, out.lookup_parity);
        events.happen(EventBit::TableParity, u64::from(out.table_parity));
        events.happen(EventBit::GroupParity, out.group_parity);
    }

    /// Section 9.2: the end of a cycle, after registers and barriers.
    #[inline]
    pub(super) fn keep_events(&mut self, pins: &Inputs) {
        let Some(events) = &mut self.events else { return };
        if let Some(barrier) = &self.barrier {
            events.happen(EventBit::Barrier, barrier.faulty_ports());
        }
        let clear = match self.registers.command() {
            WriteCommand::ClearEvents(clear) => Some(clear),
            _ => None,
        };
        self.out.event_interrupt = events.interrupts();
        events.step(pins.error_clear, clear, self.registers.event_enable());
    }
}

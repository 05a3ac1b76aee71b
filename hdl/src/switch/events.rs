//! The switch, events: from the units to the registers, and the interrupt.

use super::Switch;
use crate::units::prelude::*;

#[kernel(steps)]
impl Switch {
    pub(super) fn gather_events(&mut self) {
        if let (Some(registers), Some(interrupt)) = (&mut self.registers, &mut self.event_interrupt) {
            if let Some(events) = &mut registers.events {
                interrupt.next = events.interrupt.val();
                events.clear.next = self.error_clear.val();
                events.vc.next = 0.into();
                events.framing.next = 0.into();
                events.overflow.next = 0.into();
                events.length.next = 0.into();
                events.credit.next = 0.into();
                events.drop.next = 0.into();
                for p in 0..self.ports {
                    Self::gather_events_of(events, &self.input_unit[p], &self.output_unit[p], p);
                }
                Self::gather_memory_events(events, &self.output_unit, &self.lookup_parity, &self.table_parity);
                if let Some(of_groups) = &mut events.group_parity {
                    of_groups.next = 0.into();
                    for p in 0..self.group_parity.len() {
                        of_groups.next = of_groups.val().replace_bit(p, self.group_parity[p].val());
                    }
                }
                if let (Some(barrier), Some(unit)) = (&mut events.barrier, &self.barrier_unit) {
                    if let Some(faulty) = &unit.faulty {
                        barrier.next = faulty.val();
                    }
                }
                if let (Some(cam), Some(port)) = (&mut events.cam, &self.cam_port) {
                    if let Some(wrong_now) = &port.wrong_now {
                        cam.next = wrong_now.val();
                    }
                }
            }
        }
    }

    /// Events of memories with error correction or parity.
    fn gather_memory_events(
        events: &mut EventWires<In>,
        output_unit: &[OutputUnit],
        lookup_parity: &[Flag<Out>],
        table_parity: &Option<Flag<Out>>,
    ) {
        if let (Some(corrected), Some(bad)) = (&mut events.corrected, &mut events.bad) {
            corrected.next = 0.into();
            bad.next = 0.into();
            for p in 0..output_unit.len() {
                let tx = &output_unit[p].tx;
                if let (Some(of_flit), Some(of_packet)) = (&output_unit[p].corrected, &tx.bad) {
                    corrected.next = corrected.val().replace_bit(p, tx.valid.val() & of_flit.val());
                    bad.next = bad.val().replace_bit(p, tx.valid.val() & tx.tail.val() & of_packet.val());
                }
            }
        }
        if let Some(parity) = &mut events.parity {
            parity.next = 0.into();
            for p in 0..lookup_parity.len() {
                parity.next = parity.val().replace_bit(p, lookup_parity[p].val());
            }
        }
        if let (Some(event), Some(pin)) = (&mut events.table_parity, table_parity) {
            event.next = pin.val();
        }
    }

    /// Events of port p.
    fn gather_events_of(events: &mut EventWires<In>, input: &InputUnit, output: &OutputUnit, p: usize) {
        if let Some(raised) = &input.raised {
            events.vc.next = events.vc.val().replace_bit(p, raised.val().get_bit(0));
            events.framing.next = events.framing.val().replace_bit(p, raised.val().get_bit(1));
            events.overflow.next = events.overflow.val().replace_bit(p, raised.val().get_bit(2));
            events.length.next = events.length.val().replace_bit(p, raised.val().get_bit(3));
        }
        if let Some(wrong_now) = &output.wrong_now {
            events.credit.next = events.credit.val().replace_bit(p, wrong_now.val());
        }
        events.drop.next = events.drop.val().replace_bit(p, input.drop_valid.val().any());
    }
}

//! The switch, barriers: their settings, the messages at the pins, and the packets that a message keeps from an output.

use super::Switch;
use crate::units::prelude::*;

#[kernel(steps)]
impl Switch {
    pub(super) fn join_barriers(&mut self) {
        if let Some(unit) = &mut self.barrier_unit {
            if let Some(registers) = &mut self.registers {
                if let Some(barrier) = &mut registers.barrier {
                    barrier.control.join(&mut unit.control);
                    barrier.faults.join(&mut unit.faults);
                    barrier.tree.join(&mut unit.tree);
                    barrier.state.join(&mut unit.state);
                }
            }
            for p in 0..self.ports {
                unit.rx[p].valid.next = self.rx[p].valid.val();
                if let Some(messages) = &self.message_unit {
                    unit.rx[p].valid.next = self.rx[p].valid.val() & !messages.is_router.val().get_bit(p);
                }
                unit.rx[p].vc.next = self.rx[p].vc.val();
                unit.rx[p].head.next = self.rx[p].head.val();
                unit.rx[p].tail.next = self.rx[p].tail.val();
                unit.rx[p].message.next = self.rx[p].flit.val() >> self.message.val();
            }
            if self.message_unit.is_none() {
                for p in 0..self.ports {
                    Self::send_barriers(
                        unit,
                        &mut self.output_unit[p],
                        &self.allocator[p],
                        &mut self.input_unit[p],
                        p,
                        self.vcs,
                    );
                }
            }
        }
    }

    fn send_barriers(
        unit: &mut BarrierUnit,
        output: &mut OutputUnit,
        allocator: &Allocator,
        input: &mut InputUnit,
        p: usize,
        vcs: usize,
    ) {
        if let Some(output) = &mut output.message {
            output.message_valid.next = unit.message_valid.val().get_bit(p);
            output.message.next = unit.message[p].val();
        }
        if !unit.owner.is_empty() {
            for v in 0..vcs {
                unit.owner[p * vcs + v].next = allocator.io.owner[v].val();
            }
        }
        if let (Some(message_next), Some(stays_held)) = (&mut input.message_next, &mut input.stays_held) {
            message_next.next = unit.message_next.val();
            stays_held.next = unsigned_cast(unit.stays_held[p].val());
        }
    }
}

//! The switch, output queues: between the planes of the crossbar and the output units.

use super::Switch;
use crate::units::prelude::*;

#[kernel(steps)]
impl Switch {
    pub(super) fn pass_queues(&mut self) {
        for o in 0..self.output_queues.len() {
            let queues = &mut self.output_queues[o];
            let output = &mut self.output_unit[o];
            queues.popped.next = self.allocator[o].io.sent.val();
            if let (Some(of_allocator), Some(promise)) = (&self.allocator[o].io.queued, &mut output.promise) {
                queues.started.next = of_allocator.started.val();
                queues.finished.next = of_allocator.finished.val();
                for v in 0..queues.leaving.len() {
                    queues.leaving[v].next = of_allocator.leaving[v].val();
                }
                promise.taken.next = unsigned_cast(of_allocator.taken.val());
                for u in 0..promise.returned.len() {
                    promise.returned[u].next = queues.returned[u].val();
                }
            }
            for v in 0..self.vcs {
                queues.beat[v].next = self.crossbar.by_plane[o * self.vcs + v].val();
            }
            if let Some(message_valid) = &mut queues.message_valid {
                if let Some(unit) = &self.message_unit {
                    message_valid.next = unit.message_valid.val().get_bit(o);
                } else if let Some(unit) = &self.barrier_unit {
                    message_valid.next = unit.message_valid.val().get_bit(o);
                }
            }
            output.sent.next = unsigned_cast(queues.sent.val());
            output.beat.next = queues.out.val();
        }
        self.hold_at_queues();
    }

    /// An input VC waits while its queue has no place.
    fn hold_at_queues(&mut self) {
        if let Some(hold) = &mut self.queue_hold {
            for o in 0..self.ports {
                hold.full_next[o].next = self.output_queues[o].full_next.val();
                for v in 0..self.vcs {
                    hold.owner[o * self.vcs + v].next = self.allocator[o].io.owner[v].val();
                }
            }
            for i in 0..self.ports {
                let input = &mut self.input_unit[i];
                for v in 0..input.full_next.len() {
                    input.full_next[v].next = hold.full_at[v].val();
                }
                if let Some(stays_held) = &mut input.stays_held {
                    stays_held.next = unsigned_cast(hold.stays_held[i].val());
                }
            }
        }
    }
}

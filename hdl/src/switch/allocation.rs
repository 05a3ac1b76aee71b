//! The switch, allocation: requests go to the allocators of the outputs, and grants come back to the inputs.

use super::Switch;
use crate::units::prelude::*;

#[kernel(steps)]
impl Switch {
    /// Requests by output.
    pub(super) fn ask_allocators(&mut self) {
        for o in 0..self.ports {
            self.allocator[o].io.room.next = unsigned_cast(self.output_unit[o].room.val());
            if let (Some(of_allocator), Some(room_sending)) =
                (&mut self.allocator[o].io.room_sending, &self.output_unit[o].room_sending)
            {
                of_allocator.next = unsigned_cast(room_sending.val());
            }
            if self.ragged {
                self.ask_from_built(o);
            }
            for v in 0..self.vcs {
                if !self.ragged {
                    self.request[o * self.vcs + v].next = 0.into();
                    for i in 0..self.ports {
                        self.request[o * self.vcs + v].set(i, self.input_unit[i].request[v].val().get_bit(o));
                    }
                }
                self.allocator[o].io.request[v].next = self.request[o * self.vcs + v].val();
                self.allocator[o].io.ready[v].next = self.ready[v].val();
                self.allocator[o].io.ending[v].next = self.ending[v].val();
                self.crossbar.owner[o * self.vcs + v].next = self.allocator[o].io.owner[v].val();
            }
            for w in 0..self.leave.len() {
                self.allocator[o].io.leave[w].next = self.leave[w].val();
            }
        }
    }

    /// Grants by input.
    pub(super) fn tell_granted(&mut self) {
        for v in 0..self.vcs {
            self.granted[v].next = 0.into();
            for o in 0..self.ports {
                self.granted[v].next = self.granted[v].val() | self.allocator[o].io.grant[v].val();
            }
        }
        for i in 0..self.ports {
            self.granted_to[i].next = 0.into();
            for v in 0..self.vcs {
                self.granted_to[i].set(v, self.granted[v].val().get_bit(i));
            }
        }
    }

    pub(super) fn tell_chosen(&mut self) {
        for v in 0..self.chosen.len() {
            self.chosen[v].next = 0.into();
            for o in 0..self.ports {
                self.chosen[v].next = self.chosen[v].val() | self.allocator[o].io.chosen[v].val();
            }
        }
        for i in 0..self.chosen_to.len() {
            self.chosen_to[i].next = 0.into();
            for v in 0..self.vcs {
                self.chosen_to[i].set(v, self.chosen[v].val().get_bit(i));
            }
            if let Some(chosen) = &mut self.input_unit[i].chosen {
                chosen.next = self.chosen_to[i].val();
            }
        }
    }
}

//! The switch, messages between routers: their settings, the messages at the pins, what they say of the packets here,
//! and the packets that a message keeps from an output.

use super::Switch;
use crate::units::prelude::*;

#[kernel(steps)]
impl Switch {
    pub(super) fn join_messages(&mut self) {
        if let Some(unit) = &mut self.message_unit {
            if let Some(registers) = &mut self.registers {
                if let Some(messages) = &mut registers.messages {
                    messages.join(&mut unit.settings);
                }
            }
            for p in 0..self.local_ports {
                unit.rx[p].valid.next = self.rx[self.node_ports + p].valid.val()
                    & (self.rx[self.node_ports + p].vc.val() == self.control_vc);
                unit.rx[p].head.next = self.rx[self.node_ports + p].head.val();
                unit.rx[p].tail.next = self.rx[self.node_ports + p].tail.val();
                unit.rx[p].message.next = self.rx[self.node_ports + p].flit.val() >> self.router_message.val();
            }
            for j in 0..unit.queued.len() {
                unit.queued[j].next = self.link_sense[self.local_ports + j].queued.val();
                if let Some(weight) = &self.link_sense[self.local_ports + j].weight {
                    unit.queued[j].next = weight.val();
                }
            }
        }
        self.gather_fronts();
        self.join_beside_barriers();
        self.tell_routers();
        self.send_messages();
    }

    /// Without barriers all flits on the control VC are router messages.
    fn join_beside_barriers(&mut self) {
        if let (Some(unit), Some(barrier)) = (&mut self.message_unit, &mut self.barrier_unit) {
            for p in 0..self.local_ports {
                unit.rx[p].valid.next = self.rx[self.node_ports + p].valid.val()
                    & (self.rx[self.node_ports + p].vc.val() == self.control_vc)
                    & unit.is_router.val().get_bit(self.node_ports + p);
            }
            if let Some(barriers) = &mut unit.barriers {
                barriers.valid.next = barrier.message_valid.val();
                barriers.valid_next.next = barrier.message_next.val();
                for p in 0..self.ports {
                    barriers.message[p].next = barrier.message[p].val();
                }
            }
        }
    }

    /// The packets that enter the group here: those of nodes and of other groups.
    fn gather_fronts(&mut self) {
        if let Some(unit) = &mut self.message_unit {
            if let (Some(all), Some(front)) = (&mut unit.front, &mut self.entering) {
                front.next = 0.into();
                if self.ragged {
                    for e in 0..unit.front_group.len() {
                        unit.front_group[e].next = 0.into();
                    }
                    for i in 0..self.node_ports {
                        for v in 0..self.hop_selection[i].counted.len() {
                            front.set(v * self.entries + i, self.hop_selection[i].counted[v].val().any());
                            unit.front_group[v * self.entries + i].next = self.hop_selection[i].front_group[v].val();
                        }
                    }
                    for j in 0..self.global_ports {
                        for v in 0..self.hop_selection[self.first_global + j].counted.len() {
                            front.set(
                                v * self.entries + self.node_ports + j,
                                self.hop_selection[self.first_global + j].counted[v].val().any(),
                            );
                            unit.front_group[v * self.entries + self.node_ports + j].next =
                                self.hop_selection[self.first_global + j].front_group[v].val();
                        }
                    }
                } else {
                    for v in 0..self.vcs {
                        for i in 0..self.node_ports {
                            front.set(v * self.entries + i, self.hop_selection[i].counted[v].val().any());
                            unit.front_group[v * self.entries + i].next = self.hop_selection[i].front_group[v].val();
                        }
                        for j in 0..self.global_ports {
                            front.set(
                                v * self.entries + self.node_ports + j,
                                self.hop_selection[self.first_global + j].counted[v].val().any(),
                            );
                            unit.front_group[v * self.entries + self.node_ports + j].next =
                                self.hop_selection[self.first_global + j].front_group[v].val();
                        }
                    }
                }
                all.next = front.val();
            }
        }
    }

    /// Packets of nodes see what routers have told each other.
    fn tell_routers(&mut self) {
        if let Some(unit) = &self.message_unit {
            for i in 0..self.node_ports {
                if let Some(wires) = &mut self.hop_selection[i].wires {
                    if let (Some(of_wires), Some(hot_group)) = (&mut wires.hot_group, &unit.hot_group) {
                        of_wires.next = hot_group.val();
                    }
                    for p in 0..wires.saturated.len() {
                        wires.saturated[p].next = unit.saturated[p].val();
                    }
                }
            }
        }
    }

    fn send_messages(&mut self) {
        if let Some(unit) = &mut self.message_unit {
            for p in 0..self.ports {
                if let Some(output) = &mut self.output_unit[p].message {
                    output.message_valid.next = unit.message_valid.val().get_bit(p);
                    output.message.next = unit.message[p].val();
                }
                if !unit.owner.is_empty() {
                    for v in 0..self.vcs {
                        unit.owner[p * self.vcs + v].next = self.allocator[p].io.owner[v].val();
                    }
                }
                let input = &mut self.input_unit[p];
                if let (Some(message_next), Some(stays_held)) = (&mut input.message_next, &mut input.stays_held) {
                    message_next.next = unit.message_next.val();
                    stays_held.next = unsigned_cast(unit.stays_held[p].val());
                }
            }
        }
    }
}

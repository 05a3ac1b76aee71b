//! The switch, multicast: group tables, packets that wait, and what outputs have for them.

use super::Switch;
use crate::units::prelude::*;

/// What all inputs and outputs have for the multicast unit.
#[group(ports: usize)]
pub struct Gathered {
    /// The group table of port i is being emptied.
    pub group_sweeping: Sig<Local, ports>,
    /// Input i has a multicast packet that waits for its outputs.
    pub multicast_waiting: Sig<Local, ports>,
    /// The mixed VC of input i may be connected anew.
    pub may_connect: Sig<Local, ports>,
    /// Output o is not busy, or its owner is finishing.
    pub output_free: Sig<Local, ports>,
    /// Output o has room on the mixed VC behind what is being sent.
    pub mixed_room: Sig<Local, ports>,
    /// The next buffer of output o has room for a packet on the mixed VC.
    pub mixed_credit: Sig<Local, ports>,
    /// The next buffer of output o has room for two packets on the mixed VC.
    pub mixed_credit_two: Sig<Local, ports>,
    /// Output o is not sending on the mixed VC, and two packets have room there.
    pub mixed_spare: Sig<Local, ports>,
    /// A unicast packet that leaves on the mixed VC gets output o.
    pub mixed_grant: Sig<Local, ports>,
    /// A unicast packet requests output o, and no packet gets the output.
    pub passed_over: Sig<Local, ports>,
}

#[kernel(steps)]
impl Switch {
    pub(super) fn join_multicast(&mut self) {
        if let Some(all) = &mut self.gathered {
            all.group_sweeping.next = 0.into();
            all.multicast_waiting.next = 0.into();
            all.may_connect.next = 0.into();
            all.output_free.next = 0.into();
            all.mixed_room.next = 0.into();
            all.mixed_credit.next = 0.into();
            all.mixed_credit_two.next = 0.into();
            all.mixed_spare.next = 0.into();
            all.mixed_grant.next = 0.into();
            all.passed_over.next = 0.into();
        }
        self.join_inputs();
        self.join_outputs();
        self.join_multicast_unit();
        self.tell_leave_mixed();
    }

    fn join_inputs(&mut self) {
        if let (Some(all), Some(unit)) = (&mut self.gathered, &mut self.multicast_unit) {
            for i in 0..self.ports {
                if let Some(input) = &mut self.input_unit[i].multicast {
                    input.table.own_port.next = i.into();
                    if let Some(registers) = &self.registers {
                        if let Some(groups) = &registers.multicast {
                            input.table.write.next = groups.write.val();
                            input.table.write_group.next = groups.group.val();
                            input.table.write_entry.next = groups.entry.val();
                        }
                    }
                    if let Some(flip) = &mut input.group_flip {
                        flip.next = self.group_flip[i].val();
                    }
                    if let Some(parity) = &input.group_parity {
                        self.group_parity[i].next = parity.val();
                    }
                    input.start.next = unit.start.val().get_bit(i);
                    all.group_sweeping.set(i, input.table.sweeping.val());
                    all.multicast_waiting.set(i, input.waiting.val());
                    all.may_connect.set(i, input.may_connect.val());
                    unit.outputs[i].next = input.outputs.val();
                    unit.state.mixed_waiting[i].next = input.mixed_waiting.val();
                }
            }
        }
    }

    fn join_outputs(&mut self) {
        if let (Some(all), Some(unit)) = (&mut self.gathered, &self.multicast_unit) {
            for o in 0..self.ports {
                let output = &self.output_unit[o];
                all.mixed_credit.set(o, output.room.val().get_bit(self.mixed));
                if let (Some(mixed), Some(room_two)) = (&mut self.allocator[o].io.mixed, &output.room_two) {
                    all.mixed_credit_two.set(o, room_two.val());
                    mixed.room_two.next = room_two.val();
                    Self::gather_output(mixed, all, o);
                    Self::tell_output(mixed, unit, o);
                }
            }
        }
    }

    fn gather_output(mixed: &MixedPorts<In>, all: &mut Gathered, o: usize) {
        all.output_free.set(o, mixed.free.val());
        all.mixed_room.set(o, mixed.mixed_room.val());
        all.mixed_spare.set(o, mixed.mixed_spare.val());
        all.mixed_grant.set(o, mixed.mixed_grant.val());
        all.passed_over.set(o, mixed.passed_over.val());
    }

    fn tell_output(mixed: &mut MixedPorts<In>, unit: &MulticastUnit, o: usize) {
        mixed.multicast_turn.next = unit.claims.turn.val().get_bit(o);
        mixed.saved.next = unit.claims.saved.val().get_bit(o);
        mixed.reserved.next = unit.claims.reserved.val().get_bit(o);
        mixed.start.next = unit.start_to[o].val();
    }

    fn join_multicast_unit(&mut self) {
        if let (Some(all), Some(unit)) = (&self.gathered, &mut self.multicast_unit) {
            if let Some(registers) = &mut self.registers {
                if let Some(groups) = &mut registers.multicast {
                    groups.sweeping.next = all.group_sweeping.val().any();
                }
            }
            unit.waiting.next = all.multicast_waiting.val();
            unit.may_connect.next = all.may_connect.val();
            unit.free.next = all.output_free.val();
            unit.state.room.next = all.mixed_room.val();
            unit.state.credit.next = all.mixed_credit.val();
            unit.state.credit_two.next = all.mixed_credit_two.val();
            unit.state.mixed_spare.next = all.mixed_spare.val();
            unit.state.mixed_grant.next = all.mixed_grant.val();
            unit.state.passed_over.next = all.passed_over.val();
        }
    }

    fn tell_leave_mixed(&mut self) {
        for i in 0..self.leave_mixed.len() {
            self.leave_mixed[i].next = 0.into();
            for v in 0..self.vcs {
                self.leave_mixed[i].set(v, self.leave[v * self.vcs + self.mixed].val().get_bit(i));
            }
            if let Some(leave_mixed) = &mut self.input_unit[i].leave_mixed {
                leave_mixed.next = self.leave_mixed[i].val();
            }
        }
    }
}

//! The control VC: messages of barriers and of routers. Source: switch reference, section 11; reference page of
//! Dragonfly routing, "Router messages".

use super::Switch;
use crate::pins::Inputs;
use crate::registers::apb_registers::WriteCommand;

impl Switch {
    /// Outputs to which a message goes in this cycle, and so no other flit.
    #[inline]
    pub(super) fn held_outputs(&self) -> u64 {
        let of_barriers = self.barrier.as_ref().map_or(0, |barrier| barrier.messages());
        of_barriers | self.router_messages().map_or(0, |messages| messages.messages())
    }

    /// A flit on the control VC comes by `port` in this cycle.
    #[inline]
    pub(super) fn receive_message(&mut self, port: usize, pins: &Inputs) {
        let is_of_routers = self.receive_router_message(port, pins);
        if let Some(barrier) = self.barrier.as_mut().filter(|_| !is_of_routers) {
            barrier.receive(port, pins);
        }
    }

    /// Barriers go on to the next cycle. After all else, as all else sees them as they were.
    #[inline]
    pub(super) fn synchronize(&mut self) {
        let Some(barrier) = &mut self.barrier else { return };
        let command = match self.registers.command() {
            WriteCommand::Barrier(command) => Some(command),
            _ => None,
        };
        barrier.step(self.now, command);
    }
}

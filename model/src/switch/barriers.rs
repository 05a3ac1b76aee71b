//! The barrier unit in the switch. Source: switch reference, section 11.

use super::Switch;
use crate::registers::apb_registers::WriteCommand;

impl Switch {
    /// Outputs to which a barrier message goes in this cycle, and so no other flit.
    #[inline]
    pub(super) fn held_outputs(&self) -> u64 {
        self.barrier.as_ref().map_or(0, |barrier| barrier.messages())
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

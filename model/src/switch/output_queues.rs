//! A switch with output queues. Source: switch reference, section 6.2.

use super::Switch;
use crate::bits::ones;
use crate::output::output_queues::Popped;

impl Switch {
    /// Flits through the crossbar into the queues, and from these into the output registers; messages beside them.
    pub(super) fn traverse_queues(&mut self) {
        let (k, held) = (self.shape.vcs, self.held_outputs());
        let (back, min_credits, dragonfly) = (&self.credit_return, &mut self.min_credits, &self.dragonfly);
        let rewrites = dragonfly.as_ref().filter(|dragonfly| dragonfly.rewrites());
        let Some(queues) = &mut self.output_queues else { return };
        let registers = match &mut self.protection {
            None => &mut self.out,
            Some(protection) => protection.begin(&mut self.out),
        };
        queues.traverse(self.now, held, &mut self.inputs, &mut self.crossbar, registers, |out, popped| {
            let Popped { from, marks, flit } = popped;
            let (input, vc) = (from.input as usize, from.vc as usize);
            back.free(input * k + vc, &mut out.rx_credit_valid, &mut out.rx_credit);
            if let Some(min_credits) = min_credits {
                min_credits.popped(input, vc, marks.head, flit, &mut out.rx_min_credit);
            }
            if let (Some(dragonfly), true) = (rewrites, marks.head) {
                dragonfly.selection.rewrite(self.now, input, vc, flit);
            }
        });
        for output in ones(registers.tx_valid) {
            self.counters[output].flits_out += 1;
            self.counters[output].packets_out += registers.tx_tail >> output & 1;
        }
        self.leave_messages();
    }

    /// Room for packets that were granted is taken, and what they need no more is returned. `held` are the outputs with
    /// a message in their output register.
    #[inline]
    pub(super) fn promise_room(&mut self, held: u64) {
        let (k, most) = (self.shape.vcs, self.shape.max_flits as i32);
        let Some(queues) = &self.output_queues else { return };
        for vc in 0..k {
            ones(self.grants.outputs_on(vc)).for_each(|output| self.credits.promise(output * k + vc, most));
        }
        let registers = self.protection.as_ref().map_or(&self.out, |protection| &protection.registers);
        for output in ones(registers.tx_valid & !held) {
            self.credits.promise(output * k + registers.tx_vc[output] as usize, -1);
        }
        queues.returned().iter().for_each(|room| self.credits.promise(room.element, -room.flits));
        debug_assert!((0..self.shape.ports * k).all(|element| {
            self.credits.promised(element) == queues.promised(&self.crossbar, element / k, element % k)
        }));
    }
}

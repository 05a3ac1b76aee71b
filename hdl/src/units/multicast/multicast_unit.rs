//! Multicast unit: gives multicast packets all their outputs at once, by the global resource bulletin.
//!
//! Joins [`multicast_grant`](mod@multicast_grant), which grants packets their outputs, and
//! [`multicast_start`](mod@multicast_start), which starts them when these are free. `free` depends on the tails that
//! leave in this cycle: it reaches the start only, and no choice.
//!
//! Source: switch reference, section 6.1; Cao2016, 5.1 (global resource bulletin).

use crate::units::prelude::*;

/// Gives multicast packets all their outputs at once, by the global resource bulletin.
#[block(shape: &Shape)]
pub struct MulticastUnit {
    pub clock: ClockIn,
    pub reset: Flag<In>,
    /// Input i has a multicast packet that waits for its outputs.
    pub waiting: Sig<In, ports>,
    /// Outputs that the multicast packet of input i waits for.
    pub outputs: Vec<Sig<In, ports>, ports>,
    /// The mixed VC of input i may be connected anew.
    pub may_connect: Sig<In, ports>,
    /// Output o is not busy, or its owner is finishing.
    pub free: Sig<In, ports>,
    pub state: Bare<OutputState<In, ports>>,
    pub claims: Bare<Claims<Out, ports>>,
    /// The multicast packet of input i starts.
    pub start: Sig<Out, ports>,
    /// Output o is connected to input i.
    pub start_to: Vec<Sig<Out, ports>, ports>,
    /// The multicast packet of input i is neither granted now nor starts.
    pub stalled: Option<Sig<Out, ports>, { shape.counter_bits.is_some() }>,

    granter: MulticastGrant<shape>,
    starter: MulticastStart<shape>,

    ports: Param<{ shape.ports }>,
    max_flits: Param<{ shape.max_flits as usize }>,
}

#[kernel]
impl MulticastUnit {
    fn update(&mut self) {
        self.granter.waiting.next = self.waiting.val();
        self.outputs.link(&mut self.granter.outputs);
        self.state.link(&mut self.granter.state);
        self.granter.start.next = self.starter.start.val();
        self.granter.started.next = self.starter.started.val();
        self.claims.link(&mut self.granter.claims);
        self.stalled.link(&mut self.granter.stalled);

        self.starter.granted.next = self.granter.granted.val();
        self.outputs.link(&mut self.starter.outputs);
        self.starter.may_connect.next = self.may_connect.val();
        self.starter.free.next = self.free.val();
        self.start.next = self.starter.start.val();
        self.start_to.link(&mut self.starter.start_to);
    }
}

#[cfg(test)]
mod tests;

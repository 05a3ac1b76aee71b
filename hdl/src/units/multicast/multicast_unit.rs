//! Multicast unit: gives multicast packets all their outputs at once, by the global resource bulletin.
//!
//! Joins [`multicast_grant`](super::multicast_grant), which grants packets their outputs, and
//! [`multicast_start`](super::multicast_start), which starts them when these are free. `free` depends on the tails that leave in this cycle: it
//! reaches the start only, and no choice.
//!
//! Source: switch reference, section 6.1; Cao2016, 5.1 (global resource bulletin).

use crate::rtl::part::Bundle as _;
use crate::rtl::prelude::*;
use crate::units::multicast::multicast_grant::{multicast_grant, MulticastGrant};
use crate::units::multicast::multicast_start::{multicast_start, MulticastStart};
use crate::units::multicast::output_state::{claims, output_state, Claims, OutputState};
use railyard_spec::Shape;

/// Gives multicast packets all their outputs at once, by the global resource bulletin.
#[block]
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
    #[bare]
    pub state: OutputState<In>,
    #[bare]
    pub claims: Claims<Out>,
    /// The multicast packet of input i starts.
    pub start: Sig<Out, ports>,
    /// Output o is connected to input i.
    pub start_to: Vec<Sig<Out, ports>, ports>,
    /// The multicast packet of input i is neither granted now nor starts.
    pub stalled: Option<Sig<Out>>,

    granter: MulticastGrant,
    starter: MulticastStart,

    ports: Param,
    max_flits: Param,
}

/// The multicast unit of a switch.
pub fn multicast_unit(shape: &Shape) -> MulticastUnit {
    let n = shape.ports;
    sized(MulticastUnit {
        state: output_state(n),
        claims: claims(n),
        stalled: shape.counter_bits.is_some().then(|| sig(n)),
        granter: multicast_grant(shape),
        starter: multicast_start(shape),
        ports: n,
        max_flits: shape.max_flits as usize,
        ..MulticastUnit::plain()
    })
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

//! Blocks of a user's own, in place of ours.

use super::Switch;
use crate::parts::arbiter::Arbiter;

impl Switch {
    /// The same switch with another arbiter among the inputs of each output and VC; `make` gets the number of inputs.
    /// It is the counterpart of the hardware that `railyard_hdl` puts into the same places.
    ///
    /// # Panics
    /// The arbiters of the switch choose among inputs and VCs at once: its crossbar is single, or the oldest packet
    /// wins.
    #[track_caller]
    pub fn with_input_arbiters<A: Arbiter + 'static>(mut self, make: impl Fn(usize) -> A) -> Switch {
        let ports = self.shape.ports;
        let replaced = self.allocator.replace_input_arbiters(|| Box::new(make(ports)));
        assert!(replaced, "a switch with a single crossbar, or where the oldest packet wins, has no input arbiters");
        self
    }
}

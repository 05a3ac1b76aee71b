//! Blocks of a user's own, in place of ours.

use super::Switch;
use crate::parts::arbiter::ArbiterBlock;

impl Switch {
    /// The same switch with another block as the *input arbiter* of each output and VC: the one that chooses among the
    /// inputs that request the output on the VC. `make` gets the number of inputs.
    ///
    /// The golden model gets its counterpart by `railyard_model::Switch::with_input_arbiters`.
    ///
    /// # Panics
    /// The arbiters of the switch choose among inputs and VCs at once: its crossbar is single, or the oldest packet
    /// wins. Or the ports of the block have not the width of the place.
    #[track_caller]
    pub fn with_input_arbiters<B: ArbiterBlock + 'static>(mut self, make: impl Fn(usize) -> B) -> Switch {
        let mut places = self.allocator.iter_mut().flat_map(|allocator| allocator.input_arbiters()).peekable();
        assert!(
            places.peek().is_some(),
            "a switch with a single crossbar, or where the oldest packet wins, has no input arbiters"
        );
        for place in places {
            place.replace(&make);
        }
        self
    }
}

//! The directions of wires that belong together. `#[bundle]` makes a struct over one of them a bundle.

use rust_hdl_core::prelude::{Direction, In, Out};

/// The direction of a wire between blocks: [`In`] or [`Out`].
pub trait Side: Direction {
    /// What the wire is at its other end.
    type Opposite: Side<Opposite = Self>;
}

impl Side for In {
    type Opposite = Out;
}

impl Side for Out {
    type Opposite = In;
}

/// The direction at the other end.
pub type Opposite<D> = <D as Side>::Opposite;

/// In a name of the block tree: this part is not in Verilog's name.
pub(super) const UNNAMED: char = '~';

//! Directions of bundles. A bundle is a struct with `#[bundle]` over the direction in which it leads: wires that belong
//! together, as one field of a block and one statement of a kernel.
//!
//! ```
//! use railyard_hdl::rtl::prelude::*;
//!
//! /// A request, until it is accepted.
//! #[bundle]
//! pub struct Request<D: Side> {
//!     /// there is a request
//!     pub valid: Flag<D>,
//!     /// it is accepted
//!     pub ready: Flag<Opposite<D>>,
//!     /// its address
//!     pub address: Sig<D>,
//!     /// it goes first
//!     pub urgent: Option<Flag<D>>,
//! }
//! ```
//!
//! Its two ends are `Request<Out>` and `Request<In>`; a wire that leads the other way is `Flag<Opposite<D>>`. In Verilog a wire of the
//! field `request` is `request_valid`; of a field with `#[bare]` it is plain `valid`.
//!
//! `self.asker.request.join(&mut self.answerer.request)` connects the two ends between sub-blocks, `self.request.link(&mut self.sub.request)`
//! hands a bundle on to a sub-block, or a sub-block's out of the block. (Two elements of one array of sub-blocks are joined wire by
//! wire: Rust does not lend the array twice.) What only one end has is not connected: what is then missing at a sub-block is found as
//! an input that nobody drives.

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

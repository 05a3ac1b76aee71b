//! How a switch finds a way and moves a packet, with the numbers of a description.

mod crossbar;
mod keys;
mod lookup;

pub use crossbar::crossbar;
pub use keys::keys;
pub use lookup::lookup;

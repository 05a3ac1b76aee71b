//! An arbiter of one's own in a switch: the hardware, its model, and the switch with it. The chapter "Write a block of
//! your own" explains them.

mod block;
mod model;
mod own_switch;

pub use block::{matrix_arbiter, MatrixArbiter};
pub use model::LeastRecentlyServed;
pub use own_switch::{golden, verilog};

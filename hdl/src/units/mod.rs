//! Units of a switch: the boxes of its block diagram, in rooms.
//!
//! ```text
//!            input            allocate            output
//!  rx_* --> (buffers) ------> (grants) --------> (crossbar) --> tx_*
//!              |  ^               ^
//!       header |  | port          | outputs
//!              v  |               |
//!             route  <------- multicast
//!           (reduction)
//!
//!  barrier (beside the input and output units)    registers, counters (behind APB)
//! ```

pub mod allocate;
pub mod barrier;
pub mod counters;
pub mod input;
pub mod multicast;
pub mod output;
pub mod registers;
pub mod route;

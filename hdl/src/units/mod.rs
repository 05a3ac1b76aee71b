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
//!  barrier, message (beside the input and output units)    registers, counters (behind APB)
//! ```

pub mod allocate;
pub mod barrier;
pub mod counters;
pub mod input;
pub mod message;
pub mod multicast;
pub mod output;
pub mod registers;
pub mod route;

/// Everything that a unit's file needs: the language, all parts, units and bundles, and the shapes that they are made
/// of.
pub mod prelude {
    pub use super::{
        allocate::*, barrier::*, counters::*, input::*, message::*, multicast::*, output::*, registers::*, route::*,
    };
    pub use crate::parts::*;
    pub use crate::rtl::prelude::*;
    pub use railyard_spec::registers::APB_ADDRESS_BITS;
    pub use railyard_spec::{
        AlgorithmicShape, BarrierShape, CacheShape, DragonflyShape, FlowControl, ForwardingTableShape, LinkArbitration,
        MulticastShape, ReductionShape, RoutingShape, Shape, SourceShape, TableShape, Topology,
    };
}

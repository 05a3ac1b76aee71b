//! The other ends of a switch's links, and its CAM.

mod cam;
mod sender;
mod sink;
mod source_queues;
mod stall;

pub use cam::{Cam, CamMode, CamResponder, LONGEST_LATENCY};
pub use sender::Senders;
pub use sink::{Sink, Sinks, LONGEST_DELAY};
pub use source_queues::SourceQueues;
pub use stall::{StallProcess, Stalls};

//! The other ends of a switch's links, its CAM, and what accesses its registers.

mod apb_master;
mod cam;
mod minimal_totals;
mod sender;
mod sender_credits;
mod sink;
mod source_queues;
mod stall;

pub use apb_master::ApbMaster;
pub use cam::{Cam, CamMode, CamResponder, LONGEST_LATENCY};
pub use sender::Senders;
pub use sender_credits::{SenderCredits, REREAD};
pub use sink::{Sink, Sinks, LONGEST_DELAY};
pub use source_queues::SourceQueues;
pub use stall::{StallProcess, Stalls};

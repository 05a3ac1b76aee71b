//! Messages between the routers of a Dragonfly: what they tell each other, and what follows from it.

pub mod ectn;
pub mod message_receiver;
pub mod message_sender;
pub mod message_unit;
pub mod router_message;
pub mod saturation;

pub use self::{ectn::*, message_receiver::*, message_sender::*, message_unit::*, router_message::*, saturation::*};

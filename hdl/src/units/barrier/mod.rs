//! Barriers: groups, their messages and their timers.

pub mod barrier_group;
pub mod barrier_hold;
pub mod barrier_message;
pub mod barrier_receiver;
pub mod barrier_sender;
pub mod barrier_settings;
pub mod barrier_timer;
pub mod barrier_unit;
pub mod message_pins;

pub use self::{
    barrier_group::*, barrier_hold::*, barrier_message::*, barrier_receiver::*, barrier_sender::*, barrier_settings::*,
    barrier_timer::*, barrier_unit::*, message_pins::*,
};

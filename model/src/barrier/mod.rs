//! Barriers: groups, their messages and their timers.

pub mod barrier_group;
pub mod barrier_unit;

//! Event counters.

pub mod counter_access;
pub mod port_counters;
pub mod switch_counters;

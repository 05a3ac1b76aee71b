//! Event counters.

pub mod port_counters;
pub mod switch_counters;

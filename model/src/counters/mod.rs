//! Event counters.

pub mod event_counters;

//! Event counters.

pub mod counter_access;
pub mod port_counters;
pub mod switch_counters;

pub use self::{counter_access::*, port_counters::*, switch_counters::*};

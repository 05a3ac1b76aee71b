//! Multicast: group tables, and packets that leave by several outputs at once.

pub mod fan_out;
pub mod multicast_unit;

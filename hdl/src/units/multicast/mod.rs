//! Multicast: group tables, and packets that leave by several outputs at once.

pub mod fan_out;
pub mod group_write;
pub mod multicast_grant;
pub mod multicast_header;
pub mod multicast_start;
pub mod multicast_unit;
pub mod output_state;

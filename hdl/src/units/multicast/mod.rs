//! Multicast: group tables, and packets that leave by several outputs at once.

pub mod fan_out;
pub mod group_write;
pub mod multicast_grant;
pub mod multicast_header;
pub mod multicast_start;
pub mod multicast_unit;
pub mod output_state;

pub use self::{
    fan_out::*, group_write::*, multicast_grant::*, multicast_header::*, multicast_start::*, multicast_unit::*,
    output_state::*,
};

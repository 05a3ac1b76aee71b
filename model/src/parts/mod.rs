//! Parts that know nothing of switches.

pub mod arbiter;
pub mod crc_hash;
pub mod fifo;
pub mod least_recent_arbiter;
pub mod round_robin_arbiter;

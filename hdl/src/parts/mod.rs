//! Parts that know nothing of switches: arbiters, queues, multiplexers, counters.

pub mod fifo;
pub mod round_robin_arbiter;

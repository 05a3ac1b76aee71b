//! Parts that know nothing of switches: arbiters, queues, multiplexers, counters.

pub mod arbiter;
pub mod check_bits;
pub mod chunk_compare;
pub mod chunk_join;
pub mod chunk_pick;
pub mod comparisons;
pub mod counter;
pub mod counter_bank;
pub mod crc_hash;
pub mod event_flags;
pub mod fifo;
pub mod least_recent_arbiter;
pub mod lowest_bit;
pub mod lowest_number;
pub mod lru;
pub mod modulo;
pub mod oldest_arbiter;
pub mod prefetch_fifo;
pub mod product;
pub mod pseudo_lru;
pub mod random_way;
pub mod register_file;
pub mod residue_table;
pub mod ring_compare;
pub mod round_robin_arbiter;
pub mod round_robin_way;
pub mod sticky_flags;
pub mod wrong_bit;

pub use self::{
    arbiter::*,
    check_bits::{check_bits, syndrome, CheckBits},
    chunk_compare::*,
    chunk_join::*,
    chunk_pick::*,
    comparisons::*,
    counter::*,
    counter_bank::*,
    crc_hash::*,
    event_flags::*,
    fifo::*,
    least_recent_arbiter::*,
    lowest_bit::*,
    lowest_number::*,
    lru::*,
    modulo::*,
    oldest_arbiter::*,
    prefetch_fifo::*,
    product::*,
    pseudo_lru::*,
    random_way::*,
    register_file::*,
    residue_table::*,
    ring_compare::*,
    round_robin_arbiter::*,
    round_robin_way::*,
    sticky_flags::*,
    wrong_bit::*,
};

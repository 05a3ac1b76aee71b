//! Settings of node reduction, from the registers. Source: switch reference, section 4.6.

use railyard_spec::reduction::ReductionSettings;
use railyard_spec::registers::address;
use railyard_spec::Topology;

/// From the registers, `word` giving the one at an address; 0 if there is none.
pub(super) fn settings(word: impl Fn(u32) -> u32) -> ReductionSettings {
    let wide = |low, high| word(low) as u64 | (word(high) as u64) << 32;
    let reduction = word(address::REDUCTION);
    ReductionSettings {
        topology: match reduction & 3 {
            1 => Some(Topology::Cube),
            2 => Some(Topology::FatTree),
            3 => Some(Topology::Dragonfly),
            _ => None,
        },
        chunk_bits: reduction >> 4 & 15,
        level: reduction >> 8 & 31,
        coordinate: wide(address::COORDINATE_LOW, address::COORDINATE_HIGH),
        bound: wide(address::BOUND_LOW, address::BOUND_HIGH),
        wrap: word(address::WRAP),
        dateline: reduction >> 16 & 1 == 1,
        torus: reduction >> 17 & 1 == 1,
    }
}

//! Settings of node reduction, as numbers. Source: switch reference, section 4.6.

use railyard_spec::registers::address;
use railyard_spec::Topology;

/// Settings of node reduction.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Settings {
    /// The function at work.
    pub topology: Option<Topology>,
    /// Width of a chunk in bits.
    pub chunk_bits: u32,
    /// Level of the switch in a fat tree.
    pub level: u32,
    /// Place of the switch.
    pub coordinate: u64,
    /// Cube: farthest coordinates in plus direction.
    pub bound: u64,
    /// Cube: dimensions where that lies beyond the wrap-around link.
    pub wrap: u32,
    /// Cube: ways over the wrap-around link have keys of their own.
    pub dateline: bool,
    /// Cube of full radix: the wrap-around links are there.
    pub torus: bool,
}

impl Settings {
    /// From the registers, `word` giving the one at an address; 0 if there is none.
    pub(super) fn read(word: impl Fn(u32) -> u32) -> Settings {
        let wide = |low, high| word(low) as u64 | (word(high) as u64) << 32;
        let reduction = word(address::REDUCTION);
        Settings {
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
}

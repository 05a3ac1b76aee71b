//! Settings of node reduction for a switch at its place in a topology (Hirasawa2022, 5.2).
//!
//! A value of [`ReductionSettings`] is what software writes into a switch's registers. Chunk i of an address of w-bit
//! chunks is bits `i * w .. (i + 1) * w`.

use crate::config::Topology;
use crate::registers::{address, topology_code};

/// The settings, as in the registers of the same names.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct ReductionSettings {
    /// The function; `None` drops everything.
    pub topology: Option<Topology>,
    /// Width of a chunk in bits.
    pub chunk_bits: u32,
    /// Fat tree: level of the switch.
    pub level: u32,
    /// Place of the switch in chunks.
    pub coordinate: u64,
    /// Cube: farthest coordinate in plus direction, in chunks.
    pub bound: u64,
    /// Cube: bit i says that chunk i of `bound` is below that of `coordinate`.
    pub wrap: u32,
    /// Cube, if built in: ways over the wrap-around link have keys of their own.
    pub dateline: bool,
    /// Cube: the wrap-around links are there.
    pub torus: bool,
}

/// Puts numbers side by side, `chunk_bits` bits each, the first one lowest.
///
/// # Panics
/// If a number has more than `chunk_bits` bits, or the whole more than 64.
pub fn address(chunk_bits: u32, chunks: &[u32]) -> u64 {
    chunks.iter().enumerate().fold(0, |sum, (i, &chunk)| {
        assert!(
            chunk < 1 << chunk_bits && (i as u32 + 1) * chunk_bits <= 64,
            "chunk {i} = {chunk} of {chunk_bits} bits"
        );
        sum | u64::from(chunk) << (i as u32 * chunk_bits)
    })
}

impl ReductionSettings {
    fn new(topology: Topology, chunk_bits: u32, coordinate: u64) -> ReductionSettings {
        ReductionSettings { topology: Some(topology), chunk_bits, coordinate, ..ReductionSettings::default() }
    }

    /// A switch of a torus with `radix[i]` switches in dimension i, at coordinates `at`. Ties go toward plus.
    pub fn torus(chunk_bits: u32, radix: &[u32], at: &[u32]) -> ReductionSettings {
        ReductionSettings::ring_halves(chunk_bits, radix, at, |k, _| k / 2)
    }

    /// The same, but ties are split: they go toward plus from even coordinates, toward minus from odd ones. So does
    /// full radix.
    pub fn torus_with_split_ties(chunk_bits: u32, radix: &[u32], at: &[u32]) -> ReductionSettings {
        ReductionSettings::ring_halves(chunk_bits, radix, at, |k, c| (k - c % 2) / 2)
    }

    /// A switch of a torus. `ahead` has the most steps in plus direction, by radix and coordinate.
    fn ring_halves(chunk_bits: u32, radix: &[u32], at: &[u32], ahead: fn(u32, u32) -> u32) -> ReductionSettings {
        let bounds: Vec<u32> = radix.iter().zip(at).map(|(&k, &c)| (c + ahead(k, c)) % k).collect();
        let wraps = bounds.iter().zip(at).enumerate().map(|(i, (b, c))| u32::from(b < c) << i);
        ReductionSettings {
            wrap: wraps.sum(),
            bound: address(chunk_bits, &bounds),
            torus: true,
            ..ReductionSettings::new(Topology::Cube, chunk_bits, address(chunk_bits, at))
        }
    }

    /// A switch of a mesh, at coordinates `at`.
    pub fn mesh(chunk_bits: u32, at: &[u32]) -> ReductionSettings {
        let top = (1 << chunk_bits) - 1;
        let bounds = vec![top; at.len()];
        ReductionSettings {
            bound: address(chunk_bits, &bounds),
            ..ReductionSettings::new(Topology::Cube, chunk_bits, address(chunk_bits, at))
        }
    }

    /// A switch of a fat tree at a level (0 next to the nodes), whose label is `digits`. Node addresses have one more
    /// digit. Switches of levels i and i + 1 are linked if their labels agree in all digits but i.
    pub fn fat_tree(chunk_bits: u32, level: u32, digits: &[u32]) -> ReductionSettings {
        let coordinate = address(chunk_bits, digits) << chunk_bits;
        ReductionSettings { level, ..ReductionSettings::new(Topology::FatTree, chunk_bits, coordinate) }
    }

    /// A router of a Dragonfly. A node's address is its number at the router, the router in the group, the group.
    pub fn dragonfly(chunk_bits: u32, router: u32, group: u32) -> ReductionSettings {
        ReductionSettings::new(Topology::Dragonfly, chunk_bits, address(chunk_bits, &[0, router, group]))
    }

    /// The register writes (byte address, value) that put these settings to work in a switch, built with full radix or
    /// not, the function last.
    pub fn writes(&self, address_bits: u32, full_radix: bool) -> Vec<(u32, u32)> {
        let mask = u64::MAX >> (64 - address_bits);
        let halves = |low, high, value: u64| {
            let value = value & mask;
            let count = if address_bits > 32 { 2 } else { 1 };
            [(low, value as u32), (high, (value >> 32) as u32)].into_iter().take(count)
        };
        let mut list: Vec<_> = halves(address::COORDINATE_LOW, address::COORDINATE_HIGH, self.coordinate).collect();
        if self.topology == Some(Topology::Cube) && !full_radix {
            list.extend(halves(address::BOUND_LOW, address::BOUND_HIGH, self.bound));
            list.push((address::WRAP, self.wrap));
        }
        let topology = self.topology.map_or(0, topology_code);
        list.push((
            address::REDUCTION,
            topology
                | self.chunk_bits << 4
                | self.level << 8
                | u32::from(self.dateline) << 16
                | u32::from(self.torus && full_radix) << 17,
        ));
        list
    }
}

/// Keys: what node reduction makes of a destination.
pub mod key {
    /// Cube: the packet is for a node of this switch.
    pub const LOCAL: u32 = 0;

    /// Cube: the next hop is in plus direction of a dimension.
    pub fn plus(dimension: u32) -> u32 {
        2 * (dimension + 1)
    }

    /// Cube: the next hop is in minus direction of a dimension.
    pub fn minus(dimension: u32) -> u32 {
        2 * (dimension + 1) + 1
    }

    /// Cube with dateline: the same hop, on a way that leads over the wrap-around link of its dimension.
    pub fn crossing(key: u32, cube_key_bits: u32) -> u32 {
        1 << cube_key_bits | key
    }

    /// Fat tree: down to the child (or node) of this number. Dragonfly: to the router's node of this number.
    pub fn down(digit: u32) -> u32 {
        digit
    }

    /// Fat tree: up to the parent of this number. Dragonfly: to the router of this number in the group.
    pub fn up(digit: u32, digit_bits: u32) -> u32 {
        1 << digit_bits | digit
    }

    /// Dragonfly: to the group of this number.
    pub fn group(digit: u32, digit_bits: u32) -> u32 {
        2 << digit_bits | digit
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_torus_wraps_where_the_plus_way_does() {
        let settings = ReductionSettings::torus(4, &[5, 4], &[4, 1]);
        assert_eq!((settings.coordinate, settings.bound, settings.wrap), (0x14, 0x31, 0b01));
        let split = ReductionSettings::torus_with_split_ties(4, &[4, 4, 2, 2, 5], &[1, 2, 0, 1, 3]);
        assert_eq!((split.bound, split.wrap), (0x0_1102, 0b1_0010));
        assert_eq!(ReductionSettings::mesh(4, &[4, 1]).bound, 0xFF);
        assert_eq!(ReductionSettings::mesh(4, &[4, 1]).wrap, 0);
    }

    #[test]
    fn a_fat_tree_switch_stands_above_its_nodes_lowest_digit() {
        let settings = ReductionSettings::fat_tree(3, 1, &[5, 2]);
        assert_eq!((settings.coordinate, settings.level), (0o250, 1));
        assert_eq!(settings.writes(24, false), [(0x14, 0o250), (0x10, 2 | 3 << 4 | 1 << 8)]);
    }

    #[test]
    fn with_full_radix_a_bit_says_torus() {
        let torus = ReductionSettings::torus(4, &[16, 16], &[4, 1]);
        assert_eq!(torus.writes(24, true), [(0x14, 0x14), (0x10, 1 | 4 << 4 | 1 << 17)]);
        assert_eq!(ReductionSettings::mesh(4, &[4, 1]).writes(24, true), [(0x14, 0x14), (0x10, 1 | 4 << 4)]);
        assert_eq!(torus.writes(24, false).len(), 4);
    }

    #[test]
    fn wide_addresses_take_two_words() {
        let writes = ReductionSettings::dragonfly(8, 3, 7).writes(64, false);
        assert_eq!(writes, [(0x14, 0x07_0300), (0x18, 0), (0x10, 3 | 8 << 4)]);
    }
}

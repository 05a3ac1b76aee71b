//! What is set at run time, as numbers: node reduction and link aggregation. Source: switch reference, sections 4.6 and 5.1.

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

/// How a packet's link in its group is selected.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum Method {
    /// By the CRC of its address.
    #[default]
    Crc,
    /// By the low bits of its address.
    Residue,
    /// In turn.
    Turn,
}

/// Most groups, and most links of a group.
const MAX_GROUPS: usize = 16;
const MAX_LINKS: usize = 16;

/// Settings of link aggregation.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct LinkSettings {
    /// How links are selected.
    pub method: Method,
    /// Of each group, the links in use.
    links: [u8; MAX_GROUPS],
    /// Of each group, the output port of each link.
    ports: [[u8; MAX_LINKS]; MAX_GROUPS],
}

impl LinkSettings {
    /// The output port of the packets of a group with that selector; none if no link of the group is in use.
    #[inline]
    pub fn port(&self, group: u8, selector: u8) -> Option<u8> {
        let link = selector.checked_rem(self.links[group as usize])?;
        Some(self.ports[group as usize][link as usize])
    }

    /// A value is written to an entry of the register at `at`, groups having room for `links` links. Gives whether it is one of
    /// link aggregation.
    pub(super) fn write(&mut self, at: u32, entry: usize, value: u32, links: usize) -> bool {
        match at {
            address::LINK_SELECTION => {
                self.method = [Method::Crc, Method::Residue, Method::Turn][value as usize];
            }
            address::GROUP => self.links[entry] = value as u8,
            address::GROUP_LINK => self.ports[entry / links][entry % links] = value as u8,
            _ => return false,
        }
        true
    }
}

//! Settings of link aggregation, as numbers. Source: switch reference, section 5.1.

use railyard_spec::registers::address;

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

    /// A value is written to an entry of the register at `at`, groups having room for `links` links. Gives whether it
    /// is one of link aggregation.
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

//! Settings of link aggregation, as numbers. Source: switch reference, section 5.1.

use railyard_spec::registers::address;
use railyard_spec::LinkAggregationShape;

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

/// Settings of link aggregation.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct LinkSettings {
    /// How links are selected.
    pub method: Method,
    /// Links for which a group has room.
    room: usize,
    /// Of each group, the links in use.
    links: Vec<u8>,
    /// Output port of link j of group g, element g * room + j.
    ports: Vec<u8>,
}

impl LinkSettings {
    /// The settings after a reset.
    pub(super) fn new(built: Option<&LinkAggregationShape>) -> LinkSettings {
        let (groups, room) = built.map_or((0, 0), |built| (built.groups, built.links));
        LinkSettings { method: Method::Crc, room, links: vec![0; groups], ports: vec![0; groups * room] }
    }

    /// All registers as after a reset.
    pub(super) fn clear(&mut self) {
        self.method = Method::Crc;
        self.links.fill(0);
        self.ports.fill(0);
    }

    /// The output port of the packets of a group with that selector; none if no link of the group is in use.
    #[inline]
    pub fn port(&self, group: u8, selector: u8) -> Option<u8> {
        let link = selector.checked_rem(self.links[group as usize])?;
        Some(self.ports[group as usize * self.room + link as usize])
    }

    /// A value is written to an entry of the register at `at`. Gives whether it is one of link aggregation.
    pub(super) fn write(&mut self, at: u32, entry: usize, value: u32) -> bool {
        match at {
            address::LINK_SELECTION => {
                self.method = [Method::Crc, Method::Residue, Method::Turn][value as usize];
            }
            address::GROUP => self.links[entry] = value as u8,
            address::GROUP_LINK => self.ports[entry] = value as u8,
            _ => return false,
        }
        true
    }
}

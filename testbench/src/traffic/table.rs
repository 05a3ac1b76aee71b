//! What the network says of addresses, whoever in the switch knows it: the CAM, or the registers.

use super::{AddressMap, Place, Route};
use crate::random::Random;
use railyard_spec::registers::address::{GROUP, GROUP_LINK, LINK_SELECTION};
use railyard_spec::Shape;

/// Where addresses lead.
#[derive(Clone, Debug)]
pub struct Table {
    /// Who knows it.
    pub addresses: Addresses,
    /// The links of each group.
    pub groups: Vec<Vec<u8>>,
    /// How links are selected, as in the register.
    method: u32,
}

/// The order in addresses.
#[derive(Clone, Debug)]
#[allow(clippy::large_enum_variant)] // there are two in a run
pub enum Addresses {
    /// Any address anywhere.
    Map(AddressMap),
    /// By arithmetic, from the switch's place in a topology.
    Place(Place),
}

/// The links of groups and how they are selected, by chance.
fn groups(shape: &Shape, fewest: u64, random: &mut Random) -> (Vec<Vec<u8>>, u32) {
    let Some(built) = &shape.link_aggregation else { return (Vec::new(), 0) };
    let mut group = || {
        let links = random.within(fewest, built.links as u64);
        (0..links).map(|_| random.below(shape.ports as u64) as u8).collect()
    };
    let groups = (0..built.groups).map(|_| group()).collect();
    (groups, random.below(3) as u32)
}

impl Table {
    /// The first table of a run; none for a source-routed switch.
    pub fn new(shape: &Shape, per_port: u64, seed: u64) -> Option<Table> {
        let address_bits = shape.address_bits()?;
        let mut random = Random::new(seed, 7);
        let place = Place::draw_wide(shape, per_port, &mut random);
        let map = || AddressMap::new(shape, address_bits, per_port, seed);
        let addresses = place.map_or_else(|| Addresses::Map(map()), Addresses::Place);
        let (groups, method) = groups(shape, 1, &mut random);
        Some(Table { addresses, groups, method })
    }

    /// Another one, as after a change of the topology; groups may be without links in it.
    pub fn changed(&self, shape: &Shape, per_port: u64, random: &mut Random) -> Table {
        let mut table = self.clone();
        match &mut table.addresses {
            Addresses::Map(map) => map.turn(random.within(1, shape.ports as u64 - 1)),
            Addresses::Place(place) => {
                if let Some(drawn) = Place::draw(shape, per_port, random) {
                    *place = drawn;
                }
            }
        }
        (table.groups, table.method) = groups(shape, 0, random);
        table
    }

    /// The same without a link: routes of their own and candidates have `detour` in its place, groups their other links (or
    /// `detour`, if there are none).
    pub fn around(&self, port: u8, detour: u8) -> Table {
        let mut table = self.clone();
        match &mut table.addresses {
            Addresses::Map(map) => map.lead_around(port, detour),
            Addresses::Place(place) => place.lead_around(port, detour),
        }
        for links in table.groups.iter_mut().filter(|links| links.contains(&port)) {
            links.retain(|&link| link != port);
            if links.is_empty() {
                links.push(detour);
            }
        }
        table
    }

    /// Where an address leads.
    #[inline]
    pub fn route(&self, address: u64) -> Option<Route> {
        match &self.addresses {
            Addresses::Map(map) => map.route(address),
            Addresses::Place(place) => place.route(address),
        }
    }

    /// The addresses by number, if there are such.
    pub fn map(&self) -> Option<&AddressMap> {
        match &self.addresses {
            Addresses::Map(map) => Some(map),
            Addresses::Place(_) => None,
        }
    }

    /// The register writes (byte address, value) that tell the switch.
    pub fn writes(&self, shape: &Shape) -> Vec<(u32, u32)> {
        let mut list = match &self.addresses {
            Addresses::Map(_) => Vec::new(),
            Addresses::Place(place) => place.writes(shape),
        };
        if let Some(built) = &shape.link_aggregation {
            list.push((LINK_SELECTION, self.method));
            for (group, links) in self.groups.iter().enumerate() {
                let first = (group * built.links) as u32;
                let link = |(i, &port): (usize, &u8)| (GROUP_LINK + 4 * (first + i as u32), u32::from(port));
                list.extend(links.iter().enumerate().map(link));
                list.push((GROUP + 4 * group as u32, links.len() as u32));
            }
        }
        list
    }
}

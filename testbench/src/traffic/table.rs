//! What the network says of addresses, whoever in the switch knows it: the CAM, or the registers.

use super::{AddressMap, Place, Route};
use crate::random::Random;
use railyard_spec::Shape;

/// Where addresses lead.
#[derive(Clone, Debug)]
#[allow(clippy::large_enum_variant)] // there are two in a run
pub enum Table {
    /// Any address anywhere.
    Map(AddressMap),
    /// By arithmetic, from the switch's place in a topology.
    Place(Place),
}

impl Table {
    /// The first table of a run; none for a source-routed switch.
    pub fn new(shape: &Shape, per_port: u64, seed: u64) -> Option<Table> {
        let address_bits = shape.address_bits()?;
        let place = Place::draw_wide(shape, per_port, &mut Random::new(seed, 7));
        let named_vcs = if shape.next_vc { shape.vcs as u64 } else { 0 };
        let map = || AddressMap::new(shape.ports, address_bits, per_port, named_vcs, seed);
        Some(place.map_or_else(|| Table::Map(map()), Table::Place))
    }

    /// Another one, as after a change of the topology.
    pub fn changed(&self, shape: &Shape, per_port: u64, random: &mut Random) -> Table {
        match self {
            Table::Map(map) => {
                let mut map = map.clone();
                map.turn(random.within(1, shape.ports as u64 - 1));
                Table::Map(map)
            }
            Table::Place(place) => Table::Place(Place::draw(shape, per_port, random).unwrap_or_else(|| place.clone())),
        }
    }

    /// Where an address leads.
    #[inline]
    pub fn route(&self, address: u64) -> Option<Route> {
        match self {
            Table::Map(map) => map.route(address),
            Table::Place(place) => place.route(address),
        }
    }

    /// The addresses by number, if there are such.
    pub fn map(&self) -> Option<&AddressMap> {
        match self {
            Table::Map(map) => Some(map),
            Table::Place(_) => None,
        }
    }

    /// The register writes (byte address, value) that tell the switch.
    pub fn writes(&self, shape: &Shape) -> Vec<(u32, u32)> {
        match self {
            Table::Map(_) => Vec::new(),
            Table::Place(place) => place.writes(shape),
        }
    }
}

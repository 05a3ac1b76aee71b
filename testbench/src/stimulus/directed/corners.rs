//! Addresses that lead to the corners of caches and tables.

use super::AddressChoice;
use crate::random::Random;
use crate::traffic::{AddressMap, AddressTable, Addresses as Known, Format, PlacedSwitch};
use railyard_model::route::cache_index::CacheIndex;
use railyard_spec::Shape;
use std::collections::BTreeMap;

/// Packets in a row with one address.
const BURST: u8 = 16;

/// Draws for the addresses of a set, for each of the sets of the cache: enough to find a set with more than it has
/// ways.
const DRAWS_PER_SET: usize = 4;

/// Addresses beyond the ways of a set.
const BEYOND: usize = 2;

/// What it takes to find addresses.
#[derive(Clone, Debug)]
pub struct Corners {
    /// Of the routing cache: where an address belongs, sets, ways. None without one, and where keys are no addresses.
    cache: Option<(CacheIndex, usize, usize)>,
    /// Packets tell their source, so that each can use the addresses of all.
    shared: bool,
    ports: u64,
    /// By source: addresses of one set of its cache, once they were looked for.
    crowds: BTreeMap<u8, Vec<u64>>,
    /// By source: the address of the burst under way, its output, and how many packets it still has.
    bursts: BTreeMap<u8, (u64, u8, u8)>,
}

impl Corners {
    /// Of a switch.
    pub fn new(shape: &Shape) -> Corners {
        let table = shape.table().filter(|table| table.reduction.is_none());
        let cache = table.and_then(|table| {
            let built = table.cache.as_ref()?;
            Some((CacheIndex::new(table)?, built.sets, built.ways))
        });
        Corners {
            cache,
            shared: Format::new(shape).has_source(),
            ports: shape.ports as u64,
            crowds: BTreeMap::new(),
            bursts: BTreeMap::new(),
        }
    }

    /// An address of that kind which `source` can use, leading to output `to` as far as the kind leaves a choice.
    pub fn address(
        &mut self,
        table: &AddressTable,
        source: u8,
        to: u8,
        kind: AddressChoice,
        random: &mut Random,
    ) -> u64 {
        match &table.addresses {
            Known::Place(place) => match kind {
                AddressChoice::Lost => PlacedSwitch::draw_unroutable(place, to, random),
                _ => PlacedSwitch::draw_address(place, to, random),
            },
            Known::Dragonfly(place) => match kind {
                AddressChoice::Lost => place.draw_unroutable(to, random),
                _ => place.draw_header(to, random),
            },
            Known::Map(map) => match kind {
                AddressChoice::Used => map.draw_used(source, to, random),
                AddressChoice::Fresh => map.draw_any(source, to, random),
                AddressChoice::Bursts => self.burst(map, source, to, random),
                AddressChoice::Crowd => self.crowd(map, source, random),
                AddressChoice::Edge => {
                    let own = |address: &u64| self.shared || map.source(*address).is_none_or(|owner| owner == source);
                    let edges: Vec<u64> = table.last_entries().filter(own).collect();
                    match edges.len() as u64 {
                        0 => map.draw_used(source, to, random),
                        count => edges[random.below(count) as usize],
                    }
                }
                AddressChoice::Lost => map.draw_unroutable(random),
            },
        }
    }

    fn burst(&mut self, map: &AddressMap, source: u8, to: u8, random: &mut Random) -> u64 {
        let fresh = |random: &mut Random| (map.draw_any(source, to, random), to, BURST);
        let burst = self.bursts.entry(source).or_insert((0, to, 0));
        if burst.2 == 0 || burst.1 != to {
            *burst = fresh(random);
        }
        burst.2 -= 1;
        burst.0
    }

    fn crowd(&mut self, map: &AddressMap, source: u8, random: &mut Random) -> u64 {
        let (cache, shared, ports) = (self.cache.as_ref(), self.shared, self.ports);
        let mut draw = || {
            let owner = if shared { random.below(ports) as u8 } else { source };
            let to = random.below(ports) as u8;
            map.draw_any(owner, to, random)
        };
        let crowd = self.crowds.entry(source).or_insert_with(|| match cache {
            Some((index, sets, ways)) => of_one_set(index, *sets, *ways + BEYOND, &mut draw),
            None => Vec::new(),
        });
        match crowd.len() as u64 {
            0 => draw(),
            count => crowd[random.below(count) as usize],
        }
    }
}

/// So many addresses of one set; fewer if they are not to be found.
fn of_one_set(index: &CacheIndex, sets: usize, wanted: usize, mut draw: impl FnMut() -> u64) -> Vec<u64> {
    let mut found: BTreeMap<usize, Vec<u64>> = BTreeMap::new();
    for _ in 0..DRAWS_PER_SET * sets * wanted {
        let address = draw();
        let set = found.entry(index.set(index.tag(address))).or_default();
        if !set.contains(&address) {
            set.push(address);
        }
        if set.len() == wanted {
            return std::mem::take(set);
        }
    }
    found.into_values().max_by_key(Vec::len).unwrap_or_default()
}

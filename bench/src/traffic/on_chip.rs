//! What the forwarding table on the chip holds, and the writes that bring it there.

use crate::random::Random;
use railyard_spec::forwarding_table::{EntryPlace, EntryWrite, Layout};
use railyard_spec::{ForwardingTableShape, Route};

/// One in so many entries that stay moves to another way.
const MOVES: u64 = 8;

/// The addresses in the table and their places.
#[derive(Clone, Debug)]
pub struct OnChip {
    layout: Layout,
    /// The last entry of each way.
    last_places: Vec<EntryPlace>,
}

impl OnChip {
    /// Holds those of the addresses that find a place.
    pub fn new(shape: &ForwardingTableShape, address_bits: u32, addresses: &[u64]) -> OnChip {
        OnChip::with_edges(shape, address_bits, &[], addresses)
    }

    /// The same; a last entry that is empty gets the address of `edges` for its way, if there is one.
    pub fn with_edges(
        shape: &ForwardingTableShape,
        address_bits: u32,
        edges: &[(usize, u64)],
        addresses: &[u64],
    ) -> OnChip {
        let mut layout = Layout::new(shape, address_bits);
        for &address in addresses {
            layout.insert(address);
        }
        let last = |way: usize| EntryPlace { way, index: shape.sets - 1 };
        for &(way, address) in edges {
            if layout.at(last(way)).is_none() {
                layout.remove(address);
                layout.insert_in(address, way);
            }
        }
        OnChip { layout, last_places: (0..shape.ways).map(last).collect() }
    }

    /// The addresses in the last entries of all ways.
    pub fn last_entries(&self) -> impl Iterator<Item = u64> + '_ {
        self.last_places.iter().filter_map(|&place| self.layout.at(place))
    }

    /// Of each way an address that belongs into its last entry, if there is one among the `addresses`.
    pub fn edges(
        shape: &ForwardingTableShape,
        address_bits: u32,
        addresses: impl Iterator<Item = u64>,
    ) -> Vec<(usize, u64)> {
        let mut edges: Vec<Option<u64>> = vec![None; shape.ways];
        for address in addresses {
            let hash = shape.crc.of(address, address_bits);
            let free = (0..shape.ways).find(|&way| edges[way].is_none() && shape.index(hash, way) + 1 == shape.sets);
            if let Some(way) = free {
                edges[way] = Some(address);
            }
            if edges.iter().all(Option::is_some) {
                break;
            }
        }
        edges.into_iter().enumerate().filter_map(|(way, address)| Some((way, address?))).collect()
    }

    /// Whether the table knows an address.
    #[inline]
    pub fn holds(&self, address: u64) -> bool {
        self.layout.find(address).is_some()
    }

    /// The writes that fill an empty table; `route` gives the route of each address. Equal routes stand together.
    pub fn fill(&self, route: impl Fn(u64) -> Option<Route>) -> Vec<EntryWrite> {
        let with_route = |(place, address)| route(address).map(|route| (place, address, route));
        let mut entries: Vec<_> = self.layout.entries().filter_map(with_route).collect();
        entries.sort_by_key(|&(place, _, route)| (route, place));
        let write = |(place, address, route)| EntryWrite { place, entry: Some((address, route)) };
        entries.into_iter().map(write).collect()
    }

    /// Goes over to other addresses and routes, while lookups go on: whoever is in the table before and after is in it
    /// all the time. Gives the writes in their order.
    pub fn change(
        &mut self,
        addresses: &[u64],
        route: impl Fn(u64) -> Option<Route>,
        random: &mut Random,
    ) -> Vec<EntryWrite> {
        let mut writes = Vec::new();
        let mut put = |place: EntryPlace, address: Option<u64>| {
            let entry = address.and_then(|address| Some((address, route(address)?)));
            writes.push(EntryWrite { place, entry });
        };
        let wanted: std::collections::BTreeSet<u64> = addresses.iter().copied().collect();
        let held: Vec<(EntryPlace, u64)> = self.layout.entries().collect();
        for &(place, address) in &held {
            if !wanted.contains(&address) {
                self.layout.remove(address);
                put(place, None);
                continue;
            }
            let moved = if random.below(MOVES) == 0 { self.layout.relocate(address) } else { None };
            match moved {
                // The new entry first, so that one of them is always there.
                Some((from, to)) => {
                    put(to, Some(address));
                    put(from, None);
                }
                None => put(place, Some(address)),
            }
        }
        for &address in addresses {
            for (place, moved) in self.layout.insert(address).unwrap_or_default() {
                put(place, Some(moved));
            }
        }
        writes
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use railyard_spec::{Config, ForwardingTable, Routing, TableRouting};
    use std::collections::BTreeMap;

    fn to(port: u8) -> Option<Route> {
        Some(Route { port, ..Route::default() })
    }

    /// After each write, what is in the old table and in the new one is found, with one of its two routes.
    #[test]
    fn a_change_loses_nobody() {
        let mut config = Config::named("t");
        let forwarding_table = Some(ForwardingTable { entries: 64, ways: 4, ..ForwardingTable::default() });
        config.routing = Routing::Table(TableRouting { forwarding_table, ..TableRouting::default() });
        let shape = config.check().unwrap().shape();
        let built = shape.forwarding_table().unwrap();
        let mut random = Random::new(1, 0);
        for _ in 0..50 {
            let mut draw = |count: usize| (0..count).map(|_| random.below(200)).collect::<Vec<u64>>();
            let (before, after) = (draw(50), draw(50));
            let mut chip = OnChip::new(built, 24, &before);
            let fill = chip.fill(|_| to(1));
            let mut table: BTreeMap<EntryPlace, (u64, Route)> =
                fill.iter().map(|w| (w.place, w.entry.unwrap())).collect();
            let stay: Vec<u64> = (0..200).filter(|a| chip.holds(*a) && after.contains(a)).collect();
            let writes = chip.change(&after, |_| to(2), &mut random);
            for write in &writes {
                match write.entry {
                    Some(entry) => table.insert(write.place, entry),
                    None => table.remove(&write.place),
                };
                assert!(stay.iter().all(|a| table.values().any(|(address, _)| address == a)));
            }
            assert!(table.values().all(|(address, route)| chip.holds(*address) && Some(*route) == to(2)));
            assert_eq!(table.len(), (0..200).filter(|a| chip.holds(*a)).count());
        }
    }
}

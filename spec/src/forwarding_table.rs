//! What goes where in a forwarding table: d-ary cuckoo hashing (Fotakis, Pagh, Sanders and Spirakis, 2005).
//!
//! Each way has one place for an address. If all of them are taken, one of those that are there moves to another of its
//! own places, and so on until one finds an empty place. The search is breadth first, so that as few entries move as
//! possible, and the writes are in an order in which each entry that moves is written anew before its old place is
//! taken: whoever asks meanwhile finds it.

use crate::registers::address::{TABLE_ADDRESS_HIGH, TABLE_ADDRESS_LOW, TABLE_CANDIDATES, TABLE_ROUTE, TABLE_WRITE};
use crate::route::Route;
use crate::shape::{ForwardingTableShape, Shape};
use std::collections::{BTreeMap, VecDeque};

/// A place in the table.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct EntryPlace {
    /// Way.
    pub way: usize,
    /// Entry of the way.
    pub index: usize,
}

/// A write of an entry: its address and route, or none to leave it empty.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct EntryWrite {
    /// Where.
    pub place: EntryPlace,
    /// What.
    pub entry: Option<(u64, Route)>,
}

/// The register writes (byte address, value) that write these entries in their order; what the registers hold from the
/// entry before is not written again.
pub fn register_writes(shape: &Shape, entries: &[EntryWrite]) -> Vec<(u32, u32)> {
    let (mut list, mut held) = (Vec::new(), BTreeMap::new());
    let is_wide = shape.address_bits().is_some_and(|bits| bits > 32);
    for EntryWrite { place, entry } in entries {
        if let Some((address, route)) = entry {
            let mut laid_out = vec![(TABLE_ADDRESS_LOW, *address as u32), (TABLE_ROUTE, route.word())];
            if is_wide {
                laid_out.push((TABLE_ADDRESS_HIGH, (address >> 32) as u32));
            }
            if shape.candidates > 1 {
                laid_out.push((TABLE_CANDIDATES, route.candidates_word(shape.candidates)));
            }
            laid_out.retain(|&(register, value)| held.insert(register, value) != Some(value));
            list.extend(laid_out);
        }
        let place = place.index as u32 | (place.way as u32) << 16;
        list.push((TABLE_WRITE, place | u32::from(entry.is_some()) << 24));
    }
    list
}

/// Which address is where.
#[derive(Clone, Debug)]
pub struct Layout {
    shape: ForwardingTableShape,
    address_bits: u32,
    /// The entry at `way * sets + index`.
    entries: Vec<Option<u64>>,
}

impl Layout {
    /// An empty table for addresses of `address_bits` bits.
    pub fn new(shape: &ForwardingTableShape, address_bits: u32) -> Layout {
        Layout { shape: shape.clone(), address_bits, entries: vec![None; shape.ways * shape.sets] }
    }

    /// The places that an address can have, one in each way.
    pub fn places(&self, address: u64) -> impl Iterator<Item = EntryPlace> + '_ {
        let hash = self.shape.crc.of(address, self.address_bits);
        (0..self.shape.ways).map(move |way| EntryPlace { way, index: self.shape.index(hash, way) })
    }

    /// The address at a place.
    pub fn at(&self, place: EntryPlace) -> Option<u64> {
        self.entries[self.number(place)]
    }

    /// Where an address is; the lowest-numbered way.
    pub fn find(&self, address: u64) -> Option<EntryPlace> {
        self.places(address).find(|&place| self.at(place) == Some(address))
    }

    /// All addresses and where they are, by place.
    pub fn entries(&self) -> impl Iterator<Item = (EntryPlace, u64)> + '_ {
        let sets = self.shape.sets;
        let one = move |(number, entry): (usize, &Option<u64>)| {
            entry.map(|address| (EntryPlace { way: number / sets, index: number % sets }, address))
        };
        self.entries.iter().enumerate().filter_map(one)
    }

    /// Gives an address a place. The writes that it takes, in their order: place and address; the last is that of the
    /// new address. None if there is no room, or if it has a place already: then nothing has changed.
    pub fn insert(&mut self, address: u64) -> Option<Vec<(EntryPlace, u64)>> {
        if self.find(address).is_some() {
            return None;
        }
        let mut path = self.path(address)?;
        // From the empty place back: each takes the place that the one before it has just left.
        let mut writes = Vec::new();
        let mut empty = path.pop()?;
        while let Some(place) = path.pop() {
            let moved = self.at(place)?;
            self.put(empty, Some(moved));
            writes.push((empty, moved));
            empty = place;
        }
        self.put(empty, Some(address));
        writes.push((empty, address));
        Some(writes)
    }

    /// Gives an address its place in that way. Gives whether it could have it: not if it has a place already, or
    /// somebody else has this one.
    pub fn insert_in(&mut self, address: u64, way: usize) -> bool {
        let place = self.places(address).nth(way);
        let free = place.filter(|&place| self.find(address).is_none() && self.at(place).is_none());
        if let Some(place) = free {
            self.put(place, Some(address));
        }
        free.is_some()
    }

    /// Takes an address out, and gives the place that is empty now.
    pub fn remove(&mut self, address: u64) -> Option<EntryPlace> {
        let place = self.find(address)?;
        self.put(place, None);
        Some(place)
    }

    /// Moves an address to its place in another way, if one is empty: where it was, and where it is.
    pub fn relocate(&mut self, address: u64) -> Option<(EntryPlace, EntryPlace)> {
        let from = self.find(address)?;
        let to = self.places(address).find(|&place| self.at(place).is_none())?;
        self.put(from, None);
        self.put(to, Some(address));
        Some((from, to))
    }

    /// The shortest way from a place of that address to an empty place, each step being one between places of one
    /// address.
    fn path(&self, address: u64) -> Option<Vec<EntryPlace>> {
        const START: usize = usize::MAX;
        let mut came_from = vec![None; self.entries.len()];
        let mut queue = VecDeque::new();
        let (mut asks, mut from) = (address, START);
        loop {
            for place in self.places(asks) {
                let number = self.number(place);
                if came_from[number].is_some() {
                    continue;
                }
                came_from[number] = Some(from);
                queue.push_back(number);
                if self.entries[number].is_none() {
                    let back = std::iter::successors(Some(number), |&at| came_from[at].filter(|&from| from != START));
                    let mut path: Vec<EntryPlace> = back.map(|at| self.place(at)).collect();
                    path.reverse();
                    return Some(path);
                }
            }
            from = queue.pop_front()?;
            asks = self.entries[from]?;
        }
    }

    fn number(&self, place: EntryPlace) -> usize {
        place.way * self.shape.sets + place.index
    }

    fn place(&self, number: usize) -> EntryPlace {
        EntryPlace { way: number / self.shape.sets, index: number % self.shape.sets }
    }

    fn put(&mut self, place: EntryPlace, entry: Option<u64>) {
        let number = self.number(place);
        self.entries[number] = entry;
    }
}

/// Where addresses go in an empty table, and those for which there is no room.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Placed {
    /// Places and addresses, by place.
    pub entries: Vec<(EntryPlace, u64)>,
    /// The addresses left over.
    pub left: Vec<u64>,
}

/// Places all addresses (of `address_bits` bits) in an empty table, as far as they find room.
pub fn place(shape: &ForwardingTableShape, address_bits: u32, addresses: &[u64]) -> Placed {
    let mut layout = Layout::new(shape, address_bits);
    let mut left = Vec::new();
    for &address in addresses {
        if layout.find(address).is_none() && layout.insert(address).is_none() {
            left.push(address);
        }
    }
    Placed { entries: layout.entries().collect(), left }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::config::{Config, ForwardingTable, Routing, TableRouting};
    use std::collections::{BTreeMap, BTreeSet};

    fn shape(entries: u32, ways: u32) -> ForwardingTableShape {
        let mut config = Config::named("t");
        let forwarding_table = Some(ForwardingTable { entries, ways, ..ForwardingTable::default() });
        config.routing = Routing::Table(TableRouting { forwarding_table, ..TableRouting::default() });
        config.check().unwrap().shape().forwarding_table().expect("a table").clone()
    }

    /// Different addresses of `bits` bits in no order, picked by a seed: the generator is SplitMix64.
    fn addresses(count: usize, bits: u32, seed: u64) -> Vec<u64> {
        let mut state = seed;
        let mut next = || {
            state = state.wrapping_add(0x9e37_79b9_7f4a_7c15);
            let z = (state ^ state >> 30).wrapping_mul(0xbf58_476d_1ce4_e5b9);
            let z = (z ^ z >> 27).wrapping_mul(0x94d0_49bb_1331_11eb);
            (z ^ z >> 31) >> (64 - bits)
        };
        let mut seen = BTreeSet::new();
        std::iter::from_fn(|| Some(next())).filter(|address| seen.insert(*address)).take(count).collect()
    }

    /// Each entry is in one of its places, and no place has two.
    fn is_sound(shape: &ForwardingTableShape, bits: u32, placed: &Placed) -> bool {
        let mut taken = BTreeSet::new();
        placed.entries.iter().all(|&(place, address)| {
            shape.index(shape.crc.of(address, bits), place.way) == place.index && taken.insert(place)
        })
    }

    /// Four ways can be filled to nine tenths. (With random hashes the threshold is 0.977.)
    #[test]
    fn nine_tenths_of_four_ways_find_a_place() {
        let shape = shape(1024, 4);
        for (seed, bits) in (0..100).flat_map(|seed| [24, 40, 64].map(|bits| (seed, bits))) {
            let placed = place(&shape, bits, &addresses(921, bits, seed));
            assert_eq!((placed.entries.len(), placed.left.len()), (921, 0), "seed {seed}, {bits} bits");
            assert!(is_sound(&shape, bits, &placed));
        }
    }

    /// A CRC is linear: with another polynomial (that of ECMA-182, say), addresses in even steps can leave half of a
    /// way empty.
    #[test]
    fn addresses_in_steps_find_a_place_too() {
        let shape = shape(1024, 4);
        for (first, step) in (0..2000).step_by(331).flat_map(|first| [1, 2, 3, 4, 256, 4096].map(|step| (first, step)))
        {
            let list: Vec<u64> = (0..900).map(|i| first + i * step).collect();
            assert!(place(&shape, 24, &list).left.is_empty(), "from {first} in steps of {step}");
        }
    }

    #[test]
    fn what_finds_no_place_is_left_over_and_the_rest_is_there() {
        for ways in [1, 2, 4, 8] {
            let shape = shape(64, ways);
            let list = addresses(100, 24, 7);
            let placed = place(&shape, 24, &list);
            assert_eq!(placed.entries.len() + placed.left.len(), 100);
            assert!(
                placed.entries.len() >= [40, 45, 60, 62][ways.ilog2() as usize],
                "{ways} ways: {}",
                placed.entries.len()
            );
            assert!(is_sound(&shape, 24, &placed));
            assert_eq!(place(&shape, 24, &list), placed, "always the same");
        }
    }

    /// Between any two writes of an insertion, the table as it is then knows all that it knew before.
    #[test]
    fn nothing_is_missing_while_entries_move() {
        let shape = shape(64, 4);
        let mut layout = Layout::new(&shape, 24);
        let mut written: BTreeMap<EntryPlace, u64> = BTreeMap::new();
        let (mut known, mut moves) = (Vec::new(), 0);
        for address in addresses(60, 24, 3) {
            let before = layout.clone();
            let Some(writes) = layout.insert(address) else {
                assert!(layout.entries().eq(before.entries()), "unchanged");
                continue;
            };
            moves += writes.len() - 1;
            for (place, address) in writes {
                written.insert(place, address);
                assert!(known.iter().all(|known| layout.places(*known).any(|at| written.get(&at) == Some(known))));
            }
            known.push(address);
            assert!(layout.entries().eq(written.iter().map(|(place, address)| (*place, *address))));
        }
        assert!(moves > 10 && known.len() > 30, "{moves} {}", known.len());
    }

    #[test]
    fn registers_are_written_as_far_as_they_change() {
        let json = r#"{"name": "t", "routing": {"kind": "table", "address_bits": 40, "candidates": 2, "forwarding_table": {}}}"#;
        let shape = Config::from_json(json).expect("legal").shape();
        let entry = |address, port| Some((address, Route { port, ..Route::default() }));
        let at = |way, index, entry| EntryWrite { place: EntryPlace { way, index }, entry };
        let list = [at(0, 5, entry(7 << 32, 3)), at(3, 1, entry(7 << 32 | 9, 3)), at(2, 4, None)];
        assert_eq!(
            register_writes(&shape, &list),
            [
                (0x60, 0),
                (0x68, 3),
                (0x64, 7),
                (0x6C, 0),
                (0x70, 0x100_0005),
                (0x60, 9),
                (0x70, 0x103_0001),
                (0x70, 0x2_0004)
            ]
        );
    }

    #[test]
    fn entries_are_found_removed_and_relocated() {
        let mut layout = Layout::new(&shape(64, 4), 24);
        let writes = layout.insert(77).unwrap();
        assert_eq!((writes.len(), layout.find(77), layout.insert(77)), (1, Some(writes[0].0), None));
        let (from, to) = layout.relocate(77).unwrap();
        assert!(from == writes[0].0 && to.way != from.way && layout.find(77) == Some(to));
        assert_eq!((layout.remove(77), layout.remove(77), layout.find(77)), (Some(to), None, None));
        assert_eq!((layout.relocate(77), layout.entries().count()), (None, 0));
    }
}

//! What the network says of addresses, whoever in the switch knows it: the CAM, the forwarding table on the chip, or
//! the registers.

use super::place::Style;
use super::{AddressMap, DragonflyPlace, OnChip, PlacedSwitch, RouteKinds};
use crate::random::Random;
use railyard_spec::forwarding_table::EntryWrite;
use railyard_spec::registers::address::{DEFAULT_CANDIDATES, DEFAULT_ROUTE, GROUP, GROUP_LINK, LINK_SELECTION};
use railyard_spec::{Route, Shape};

/// One in so many addresses is known to the CAM alone, where there is one, and to nobody where there is none.
const ONLY_IN_CAM: u64 = 4;
const NOWHERE: u64 = 16;

/// Of so many tables one has no default route.
const NO_DEFAULT: u64 = 4;

/// Addresses among which the last entries of the forwarding table are looked for, for each entry of a way.
const EDGE_DRAWS: usize = 16;

/// Of so many changes of the forwarding table that may begin with an empty one, one does.
const CLEARS: u64 = 3;

/// Where addresses lead.
#[derive(Clone, Debug)]
pub struct AddressTable {
    /// Who knows it.
    pub addresses: Addresses,
    /// The links of each group.
    pub groups: Vec<Vec<u8>>,
    /// How links are selected, as in the register.
    method: u32,
    /// What the forwarding table on the chip holds, if there is one.
    on_chip: Option<OnChip>,
    /// Entries of it that are in use.
    entries: usize,
    /// Addresses that aren't in it are known all the same: to a CAM, or by arithmetic.
    known_outside: bool,
    /// Where addresses lead that nobody knows.
    default_route: Option<Route>,
}

/// The order in addresses.
#[derive(Clone, Debug)]
#[allow(clippy::large_enum_variant)] // there are two in a run
pub enum Addresses {
    /// Any address anywhere.
    Map(AddressMap),
    /// By arithmetic, from the switch's place in a topology.
    Place(PlacedSwitch),
    /// By the digits of a Dragonfly.
    Dragonfly(DragonflyPlace),
}

/// How the forwarding table on the chip goes over to another one.
#[derive(Clone, Debug, Default)]
pub struct Refill {
    /// It is emptied first.
    pub clear: bool,
    /// The writes, in their order.
    pub writes: Vec<EntryWrite>,
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

/// A default route, by chance; none in some tables, and in a switch that can't have one.
fn default_route(shape: &Shape, random: &mut Random) -> Option<Route> {
    if !shape.default_route() || random.below(NO_DEFAULT) == 0 {
        return None;
    }
    let port = random.below(shape.ports as u64) as u8;
    Some(RouteKinds::new(shape).route(port, random.bits()))
}

impl AddressTable {
    /// The first table of a run, of which the forwarding table on the chip holds up to `entries` addresses; none for a
    /// source-routed switch.
    pub fn new(shape: &Shape, per_port: u64, entries: usize, seed: u64) -> Option<AddressTable> {
        AddressTable::with_edges(shape, per_port, entries, 0, seed)
    }

    /// The same; the last entry of each way of the forwarding table is in use, if there is an address for each in so
    /// many attempts.
    pub fn with_edges(shape: &Shape, per_port: u64, entries: usize, attempts: u64, seed: u64) -> Option<AddressTable> {
        let address_bits = shape.address_bits()?;
        let mut random = Random::new(seed, 7);
        let known_outside = shape.table().is_none_or(|table| table.external_cam);
        let most = if known_outside { u64::MAX } else { entries as u64 };
        let style = if attempts > 0 { Style::Plain } else { Style::Usual };
        let place = PlacedSwitch::draw_wide(shape, per_port, style, &mut random);
        let map = |attempt: u64| AddressMap::with_routes(shape, address_bits, per_port, most, seed ^ attempt << 32);
        let edges = |map: &AddressMap| match shape.forwarding_table() {
            Some(built) => OnChip::edges(built, address_bits, map.routed().take(EDGE_DRAWS * built.sets)),
            None => Vec::new(),
        };
        let dragonfly = DragonflyPlace::draw(shape, &mut random);
        let (addresses, edges) = match (place, dragonfly) {
            (Some(place), _) => (Addresses::Place(place), Vec::new()),
            (None, Some(place)) => (Addresses::Dragonfly(place), Vec::new()),
            (None, None) => {
                let attempts = (0..attempts).map(|attempt| (map(attempt), edges(&map(attempt))));
                let best = attempts.max_by_key(|(_, edges)| edges.len());
                let (map, edges) = best.unwrap_or_else(|| (map(0), Vec::new()));
                (Addresses::Map(map), edges)
            }
        };
        let (groups, method) = groups(shape, 1, &mut random);
        let default_route = default_route(shape, &mut random);
        let mut table =
            AddressTable { addresses, groups, method, on_chip: None, entries, known_outside, default_route };
        if let Some(built) = shape.forwarding_table() {
            let chip = OnChip::with_edges(built, address_bits, &edges, &table.wanted(&mut random));
            if let (Addresses::Place(place), false) = (&mut table.addresses, known_outside) {
                // Addresses share keys: what is not known would be answered by its neighbours in the cache.
                place.keep(|address| chip.holds(address));
            }
            table.on_chip = Some(chip);
        }
        Some(table)
    }

    /// The addresses that are to be on the chip.
    fn wanted(&self, random: &mut Random) -> Vec<u64> {
        let (list, omitted): (Vec<u64>, _) = match (&self.addresses, self.known_outside) {
            (Addresses::Map(map), true) => (map.used().collect(), ONLY_IN_CAM),
            (Addresses::Map(map), false) => (map.routed().collect(), NOWHERE),
            (Addresses::Place(place), true) => (place.used(), ONLY_IN_CAM),
            (Addresses::Place(place), false) => (place.used(), u64::MAX),
            (Addresses::Dragonfly(_), _) => (Vec::new(), u64::MAX),
        };
        let first = random.below(omitted.min(ONLY_IN_CAM * NOWHERE));
        // Scattered: neighbours in the list lead to neighbouring ports, and all ports are to be reached.
        let scattered = |i: u64| i.wrapping_mul(0x9e37_79b9_7f4a_7c15) >> 32;
        let numbered = (1..).zip(list);
        let kept = numbered.filter(|&(i, _)| scattered(i + first) % omitted != 0);
        kept.map(|(_, address)| address).take(self.entries).collect()
    }

    /// Another one, as after a change of the topology, and how the forwarding table gets there; groups may be without
    /// links in it.
    pub fn changed(&self, shape: &Shape, per_port: u64, random: &mut Random) -> (AddressTable, Refill) {
        self.changed_to(shape, |random| PlacedSwitch::draw(shape, per_port, random), random)
    }

    /// The same, with as many ports in use as possible, or with keys that lead nowhere.
    pub fn widened(&self, shape: &Shape, per_port: u64, random: &mut Random) -> (AddressTable, Refill) {
        let draw = |random: &mut Random| match random.below(4) {
            0 => PlacedSwitch::draw_as(shape, per_port, Style::Sparse, random),
            _ => PlacedSwitch::draw_wide(shape, per_port, Style::Plain, random),
        };
        self.changed_to(shape, draw, random)
    }

    fn changed_to(
        &self,
        shape: &Shape,
        draw: impl FnOnce(&mut Random) -> Option<PlacedSwitch>,
        random: &mut Random,
    ) -> (AddressTable, Refill) {
        let mut table = self.clone();
        match &mut table.addresses {
            Addresses::Map(map) => map.turn(random.within(1, shape.ports as u64 - 1)),
            Addresses::Place(place) if !self.known_outside => {
                place.turn(random.within(1, shape.ports as u64 - 1) as usize);
            }
            Addresses::Place(place) => {
                if let Some(drawn) = draw(random) {
                    *place = drawn;
                }
            }
            Addresses::Dragonfly(place) => {
                if let Some(drawn) = DragonflyPlace::draw(shape, random) {
                    *place = drawn;
                }
            }
        }
        (table.groups, table.method) = groups(shape, 0, random);
        table.default_route = default_route(shape, random);
        let refill = table.refill(self, shape, random);
        (table, refill)
    }

    /// Decides what is on the chip, which holds what it held `before`.
    fn refill(&mut self, before: &AddressTable, shape: &Shape, random: &mut Random) -> Refill {
        let (Some(mut chip), Some(built)) = (self.on_chip.take(), shape.forwarding_table()) else {
            return Refill::default();
        };
        let wanted = self.wanted(random);
        // While the table is empty, somebody else must answer.
        let stands_in = self.default_route.or(before.default_route).is_some_and(|route| route.group.is_none());
        let clear = (self.known_outside || stands_in) && random.below(CLEARS) == 0;
        let writes = if clear {
            chip = OnChip::new(built, shape.address_bits().unwrap_or(0), &wanted);
            chip.fill(|address| self.anywhere(address))
        } else {
            chip.change(&wanted, |address| self.anywhere(address), random)
        };
        self.on_chip = Some(chip);
        Refill { clear, writes }
    }

    /// The writes that fill the forwarding table on the chip when it is empty.
    pub fn fill(&self) -> Vec<EntryWrite> {
        self.on_chip.as_ref().map_or(Vec::new(), |chip| chip.fill(|address| self.anywhere(address)))
    }

    /// The addresses in the last entry of each way of the forwarding table.
    pub fn last_entries(&self) -> impl Iterator<Item = u64> + '_ {
        self.on_chip.iter().flat_map(OnChip::last_entries)
    }

    /// What the network says of an address, whether the switch knows it or not.
    #[inline]
    fn anywhere(&self, address: u64) -> Option<Route> {
        match &self.addresses {
            Addresses::Map(map) => map.route(address),
            Addresses::Place(place) => place.route(address),
            Addresses::Dragonfly(place) => place.route(address),
        }
    }

    /// Output ports that an address leads to, and how many there are, where keys of node reduction say so.
    pub fn reachable(&self) -> Option<(usize, usize)> {
        match &self.addresses {
            Addresses::Map(_) => None,
            Addresses::Place(place) => Some(place.reachable()),
            Addresses::Dragonfly(place) => Some(place.reachable()),
        }
    }

    /// What CAM or forwarding table know of an address.
    #[inline]
    pub fn known(&self, address: u64) -> Option<Route> {
        let is_known = self.known_outside || self.on_chip.as_ref().is_some_and(|chip| chip.holds(address));
        self.anywhere(address).filter(|_| is_known)
    }

    /// The same without a link: routes of their own and candidates have `detour` in its place, groups their other links
    /// (or `detour`, if there are none); and how the forwarding table gets there.
    pub fn around(&self, shape: &Shape, port: u8, detour: u8, random: &mut Random) -> (AddressTable, Refill) {
        let mut table = self.clone();
        match &mut table.addresses {
            Addresses::Map(map) => map.lead_around(port, detour),
            Addresses::Place(place) => place.lead_around(port, detour),
            Addresses::Dragonfly(place) => place.lead_around(port, detour),
        }
        for links in table.groups.iter_mut().filter(|links| links.contains(&port)) {
            links.retain(|&link| link != port);
            if links.is_empty() {
                links.push(detour);
            }
        }
        table.default_route = table.default_route.map(|route| route.around(port, detour));
        let refill = table.refill(self, shape, random);
        (table, refill)
    }

    /// Where an address leads.
    #[inline]
    pub fn route(&self, address: u64) -> Option<Route> {
        self.known(address).or(self.default_route)
    }

    /// Whether a packet for an address can be dropped while this table takes the place of another one, or another one
    /// of this: it has no route, or that of a group, which can be without links.
    pub fn may_drop(&self, address: u64) -> bool {
        self.route(address).is_none_or(|route| route.group.is_some())
    }

    /// The addresses by number, if there are such.
    pub fn map(&self) -> Option<&AddressMap> {
        match &self.addresses {
            Addresses::Map(map) => Some(map),
            Addresses::Place(_) | Addresses::Dragonfly(_) => None,
        }
    }

    /// Whether there is a default route.
    pub fn has_default(&self) -> bool {
        self.default_route.is_some()
    }

    /// The register writes (byte address, value) that set the default route, or take it away.
    pub fn default_writes(&self, shape: &Shape) -> Vec<(u32, u32)> {
        let mut list = Vec::new();
        if let (Some(route), 2..) = (self.default_route, shape.candidates) {
            list.push((DEFAULT_CANDIDATES, route.candidates_word(shape.candidates)));
        }
        if shape.default_route() {
            list.push((DEFAULT_ROUTE, self.default_route.map_or(0, |route| 1 << 8 | route.word())));
        }
        list
    }

    /// The register writes (byte address, value) that tell the switch of topology and groups.
    pub fn writes(&self, shape: &Shape) -> Vec<(u32, u32)> {
        let mut list = match &self.addresses {
            Addresses::Map(_) => Vec::new(),
            Addresses::Place(place) => place.writes(shape),
            Addresses::Dragonfly(place) => place.writes(),
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

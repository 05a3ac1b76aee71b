//! A place in a Dragonfly, as its tables have it, and settings of everything that chooses ways.

use crate::random::Random;
use railyard_spec::dragonfly::{HeaderField, HeaderLayout};
use railyard_spec::registers::{address, registers, Legal, Register, RegisterField};
use railyard_spec::{Route, Shape};

/// One in so many entries leads nowhere, if its port has others.
const NOWHERE: u64 = 8;

/// One in so many settings is drawn; the others are as after reset.
const DRAWN: u64 = 2;

/// Most cycles of a tick of patience: a packet that has no other way than its escape must not wait for ever.
const LONGEST_TICK: u64 = 40;

/// Lowest bit of a global link's number in an entry of the group table.
const LINK_LOW: u32 = 16;

/// A table: its first register, and the output port of each digit.
#[derive(Clone, Debug)]
struct PortTable {
    address: u32,
    ports: Vec<Option<u8>>,
    /// What an entry says beside its port.
    words: Vec<u32>,
}

/// A digit that leads somewhere: group, router or node.
#[derive(Clone, Copy, Debug)]
enum Digit {
    Group(u64),
    Router(u64),
    Node(u64),
}

/// Place, tables and settings.
#[derive(Clone, Debug)]
pub struct DragonflyPlace {
    header: HeaderLayout,
    router: u64,
    group: u64,
    groups: PortTable,
    routers: PortTable,
    nodes: PortTable,
    /// Writes of the settings beside the tables.
    settings: Vec<(u32, u32)>,
    /// Digits by the port where they lead, and those that lead nowhere.
    pools: Vec<Vec<Digit>>,
    unroutable: Vec<Digit>,
}

impl PortTable {
    /// A table whose entries lead anywhere, mostly to ports of `usual`.
    fn draw(address: u32, entries: usize, usual: std::ops::Range<usize>, ports: usize, random: &mut Random) -> Self {
        let (mut list, mut words) = (Vec::new(), Vec::new());
        for _ in 0..entries {
            let port = match random.below(NOWHERE) {
                0 => random.below(ports as u64) as u8,
                _ => random.within(usual.start as u64, usual.end as u64 - 1) as u8,
            };
            let is_there = random.below(NOWHERE) > 0;
            let last = if address == address::GROUP_MAP && random.below(4) > 0 { 1 << 9 } else { 0 };
            list.push(is_there.then_some(port));
            words.push(last | u32::from(is_there) << 8 | u32::from(port));
        }
        PortTable { address, ports: list, words }
    }

    /// Says of each entry by which of so many global links of its switch it leads.
    fn number_links(&mut self, links: usize, random: &mut Random) {
        self.words.iter_mut().for_each(|word| *word |= (random.below(links as u64) as u32) << LINK_LOW);
    }

    fn writes(&self) -> impl Iterator<Item = (u32, u32)> + '_ {
        let port = |entry: usize| {
            self.ports[entry].map_or(self.words[entry], |port| self.words[entry] & !0xFF | u32::from(port))
        };
        (0..self.ports.len()).map(move |entry| (self.address + 4 * entry as u32, port(entry)))
    }
}

impl DragonflyPlace {
    /// A place picked by chance, with settings of all kinds; none if the switch does not route in a Dragonfly.
    pub fn draw(shape: &Shape, random: &mut Random) -> Option<DragonflyPlace> {
        let built = shape.dragonfly()?;
        let (first_global, ports) = (built.node_ports + built.local_ports, shape.ports);
        let mut table = |address, entries, usual| PortTable::draw(address, entries, usual, ports, random);
        let mut groups = table(address::GROUP_MAP, built.groups, built.node_ports..ports);
        let routers = table(address::ROUTER_MAP, built.routers(), built.node_ports..first_global);
        let nodes = table(address::NODE_MAP, built.node_ports, 0..built.node_ports);
        if built.saturation {
            groups.number_links(built.global_ports, random);
        }
        let (router, group) = (random.below(built.routers() as u64), random.below(built.groups as u64));
        let mut place = DragonflyPlace {
            header: built.header(),
            router,
            group,
            groups,
            routers,
            nodes,
            settings: settings(shape, random),
            pools: vec![Vec::new(); ports],
            unroutable: Vec::new(),
        };
        place.list_digits();
        Some(place)
    }

    /// Sorts the digits by the ports where they lead.
    fn list_digits(&mut self) {
        self.pools.iter_mut().for_each(Vec::clear);
        self.unroutable.clear();
        let kinds: [(&PortTable, fn(u64) -> Digit, u64); 3] = [
            (&self.groups, Digit::Group, self.group),
            (&self.routers, Digit::Router, self.router),
            (&self.nodes, Digit::Node, u64::MAX),
        ];
        for (table, digit, own) in kinds {
            for (number, port) in (0..).zip(&table.ports).filter(|(number, _)| *number != own) {
                match port {
                    Some(port) => self.pools[usize::from(*port)].push(digit(number)),
                    None => self.unroutable.push(digit(number)),
                }
            }
        }
        if self.pools.iter().all(Vec::is_empty) {
            // Everything leads nowhere: so do packets.
            self.pools[0] = self.unroutable.clone();
        }
    }

    /// Ports that a digit leads to, and how many there are.
    pub fn reachable(&self) -> (usize, usize) {
        (self.pools.iter().filter(|pool| !pool.is_empty()).count(), self.pools.len())
    }

    /// Where a header leads without detours.
    pub fn route(&self, header: u64) -> Option<Route> {
        let digit = |field: HeaderField| header >> field.low & ((1 << field.bits) - 1);
        let (table, number) = match (digit(self.header.group) == self.group, digit(self.header.router) == self.router) {
            (false, _) => (&self.groups, digit(self.header.group)),
            (true, false) => (&self.routers, digit(self.header.router)),
            (true, true) => (&self.nodes, digit(self.header.node)),
        };
        let port = table.ports.get(number as usize).copied().flatten()?;
        Some(Route { port, ..Route::default() })
    }

    /// A header that leads to `port`, or to another one if none does; class, phase and via are drawn.
    pub fn draw_header(&self, port: u8, random: &mut Random) -> u64 {
        let is_used = |pool: &&Vec<Digit>| !pool.is_empty();
        let pool = Some(&self.pools[usize::from(port)]).filter(is_used).or(self.pools.iter().find(is_used));
        self.draw_of(pool.expect("some digit leads somewhere"), random)
    }

    /// A header that leads nowhere, if one does; else one that leads to `port`.
    pub fn draw_unroutable(&self, port: u8, random: &mut Random) -> u64 {
        match self.unroutable.is_empty() {
            true => self.draw_header(port, random),
            false => self.draw_of(&self.unroutable, random),
        }
    }

    fn draw_of(&self, digits: &[Digit], random: &mut Random) -> u64 {
        let any = random.bits() & (u64::MAX >> (64 - self.header.bits));
        let with = |header: u64, field: HeaderField, value: u64| {
            header & !(((1 << field.bits) - 1) << field.low) | value << field.low
        };
        let at_home = with(any, self.header.group, self.group);
        match digits[random.below(digits.len() as u64) as usize] {
            Digit::Group(group) => with(any, self.header.group, group),
            Digit::Router(router) => with(at_home, self.header.router, router),
            Digit::Node(node) => with(with(at_home, self.header.router, self.router), self.header.node, node),
        }
    }

    /// What led by `port` now leads by `detour`.
    pub fn lead_around(&mut self, port: u8, detour: u8) {
        let tables = [&mut self.groups, &mut self.routers, &mut self.nodes];
        for entry in tables.into_iter().flat_map(|table| &mut table.ports).filter(|entry| **entry == Some(port)) {
            *entry = Some(detour);
        }
    }

    /// The register writes (byte address, value) that put the switch here.
    pub fn writes(&self) -> Vec<(u32, u32)> {
        let coordinate = (address::COORDINATE, (self.group << 16 | self.router) as u32);
        let tables = [&self.routers, &self.nodes, &self.groups].into_iter().flat_map(PortTable::writes);
        std::iter::once(coordinate).chain(self.settings.iter().copied()).chain(tables).collect()
    }
}

/// Writes of the settings, such that no packet stays for ever: each hop has a legal VC, and who waits escapes.
fn settings(shape: &Shape, random: &mut Random) -> Vec<(u32, u32)> {
    let ranges = [address::VC_RULE..address::ROUTER_MAP, address::LINK_DELAY..address::GROUP_MAP];
    let is_setting = |register: &Register| ranges.iter().any(|range| range.contains(&register.address));
    let list = registers(shape).into_iter().filter(is_setting);
    let entries = list.flat_map(|register| (0..register.count).map(move |entry| (register.clone(), 4 * entry)));
    let word = |(register, offset): (Register, u32)| {
        let value = |field: &RegisterField| setting(&register, field, random) << field.low;
        (register.address + offset, register.fields.iter().map(value).fold(0, |word, field| word | field))
    };
    entries.map(word).collect()
}

/// A value of a field.
fn setting(register: &Register, field: &RegisterField, random: &mut Random) -> u32 {
    let drawn = random.below(DRAWN) == 0;
    let bits = random.bits() as u32 & (u32::MAX >> (32 - field.bits));
    let any = match &field.legal {
        Legal::Any | Legal::BelowChunks => bits,
        Legal::Below(limit) => random.below(u64::from(*limit)) as u32,
        Legal::OneOf(values) => values[random.below(values.len() as u64) as usize],
    };
    let is_mask = (address::VC_MASK_LOCAL..=address::REPLY_VC_MASK_GLOBAL).contains(&register.address);
    match register.address {
        address::MISROUTING | address::SEED | address::VC_RULE | address::ARBITRATION => any,
        address::PATIENCE => random.within(1, LONGEST_TICK) as u32,
        // Thresholds that traffic of one switch reaches.
        address::CONTENTION if drawn => any & 3,
        address::CREDIT_TRIGGER if field.name == "least" => any & 15,
        address::ECTN if field.name == "threshold" => any & 15,
        address::ECTN if drawn => any & 63,
        address::SATURATION if field.name == "offset" => any & 15,
        address::SATURATION if drawn => any & 15,
        _ if is_mask && (drawn || field.reset == 0) => any.max(1),
        _ if drawn => any,
        _ => field.reset,
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use railyard_model::registers::apb_registers::Registers;
    use railyard_model::Apb;
    use railyard_spec::Config;

    #[test]
    fn headers_lead_to_their_ports_and_registers_are_legal() {
        let text = r#"{"name": "d", "ports": 7, "virtual_channels": {"unicast": 5}, "routing": {"kind": "dragonfly",
            "port_classes": {"node": {"ports": 2}, "local": {"ports": 3}, "global": {"ports": 2}},
            "vcs": {"requests": "lglgl", "replies": "lgl"}, "flexible_vcs": true,
            "adaptive": {"valiant": "router", "in_transit": true, "contention": true, "filter": true, "ectn": true,
            "saturation": true, "min_credits": true}}}"#;
        let shape = Config::from_json(text).expect("legal").shape();
        let mut random = Random::new(1, 0);
        for _ in 0..100 {
            let mut place = DragonflyPlace::draw(&shape, &mut random).expect("a Dragonfly");
            for port in 0..7 {
                let header = place.draw_header(port, &mut random);
                let leads_there = place.route(header).is_some_and(|route| route.port == port);
                assert_eq!(leads_there, !place.pools[usize::from(port)].is_empty());
            }
            let lost = place.draw_unroutable(0, &mut random);
            assert_eq!(place.route(lost).is_none(), !place.unroutable.is_empty());
            place.lead_around(4, 5);
            assert!((0..7).all(|port| place.route(place.draw_header(port, &mut random)).is_none_or(|r| r.port != 4)));
            let mut registers = Registers::new(&shape);
            for (paddr, pwdata) in place.writes() {
                let setup = Apb { psel: true, penable: false, pwrite: true, paddr: paddr as u16, pwdata };
                registers.step(&setup);
                assert!(!registers.pslverr, "{paddr:#x} {pwdata:#x}");
                registers.step(&Apb { penable: true, ..setup });
            }
        }
    }
}

//! The run-time registers behind the APB port. Source: switch reference, section 9.

use crate::route_queue::Route;
use railyard_spec::registers::{address, registers, Access, Legal, Register};
use railyard_spec::{Shape, Topology};

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

/// Most groups, and most links of a group.
const MAX_GROUPS: usize = 16;
const MAX_LINKS: usize = 16;

impl LinkSettings {
    /// The output port of the packets of a group with that selector; none if no link of the group is in use.
    #[inline]
    pub fn port(&self, group: u8, selector: u8) -> Option<u8> {
        let link = selector.checked_rem(self.links[group as usize])?;
        Some(self.ports[group as usize][link as usize])
    }
}

/// The APB input pins in one cycle.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
#[allow(missing_docs)] // the pins' meaning: railyard_spec::pins
pub struct Apb {
    pub psel: bool,
    pub penable: bool,
    pub pwrite: bool,
    pub paddr: u16,
    pub pwdata: u32,
}

/// The registers of a switch and the state of its APB port.
#[derive(Clone, Debug)]
pub struct Registers {
    list: Vec<Register>,
    address_bits: u32,
    /// Values in the order of `list`, arrays entry by entry.
    values: Vec<Vec<u32>>,
    settings: Settings,
    links: LinkSettings,
    /// Links that a group can have; 0 without link aggregation.
    links_built: usize,
    /// The last step wrote to the links of a group.
    links_changed: bool,
    /// The port map in `list`.
    map: Option<usize>,
    cache_enabled: bool,
    sweeping: bool,
    flushes: bool,
    /// A legal write whose access phase may be the next cycle: register, entry, value.
    write: Option<(usize, usize, u32)>,
    /// Data read, at the pins.
    pub prdata: u32,
    /// The access is illegal, at the pins.
    pub pslverr: bool,
}

impl Registers {
    /// The registers of a switch of that shape, after reset.
    pub fn new(shape: &Shape) -> Self {
        let list = registers(shape);
        let mut registers = Registers {
            map: list.iter().position(|r| r.address == address::MAP),
            list,
            address_bits: shape.address_bits().unwrap_or(0),
            values: Vec::new(),
            settings: Settings::default(),
            links: LinkSettings::default(),
            links_built: shape.link_aggregation.as_ref().map_or(0, |l| l.links),
            links_changed: false,
            cache_enabled: true,
            sweeping: false,
            flushes: false,
            write: None,
            prdata: 0,
            pslverr: false,
        };
        registers.reset();
        registers
    }

    /// Settings of node reduction.
    pub fn settings(&self) -> &Settings {
        &self.settings
    }

    /// Settings of link aggregation.
    #[inline]
    pub fn links(&self) -> &LinkSettings {
        &self.links
    }

    /// Whether the links of a group may be others than in the cycle before: the last step was a write to them.
    #[inline]
    pub fn links_changed(&self) -> bool {
        self.links_changed
    }

    /// Whether there are any, and an APB port.
    pub fn exist(&self) -> bool {
        !self.list.is_empty()
    }

    /// `cache`.`enable`.
    pub fn cache_enabled(&self) -> bool {
        self.cache_enabled
    }

    /// Whether a flush is in this cycle: the last step was the access that asked for it.
    #[inline]
    pub fn flushes(&self) -> bool {
        self.flushes
    }

    /// `cache_status`.`sweeping`, as it reads in the next step.
    #[inline]
    pub fn show_sweeping(&mut self, sweeping: bool) {
        self.sweeping = sweeping;
    }

    /// The route of the port map's entry of a key.
    pub fn mapped(&self, key: u32) -> Route {
        let Some(map) = self.map else { return Route::Drop };
        let entry = self.values[map][key as usize];
        let bit = |at: u32| entry >> at & 1 == 1;
        let vc = bit(24).then_some((entry >> 16 & 7) as u8);
        match (bit(8), bit(25)) {
            (false, _) => Route::Drop,
            (true, false) => Route::new(entry as u8, vc),
            (true, true) => Route::Group((entry >> 12 & 15) as u8, vc),
        }
    }

    /// One cycle with those pins.
    #[inline]
    pub fn step(&mut self, pins: &Apb) {
        let write = self.write.take();
        (self.prdata, self.pslverr, self.flushes, self.links_changed) = (0, false, false, false);
        if !pins.psel {
            return;
        }
        if pins.penable {
            if let Some((register, entry, value)) = write {
                self.write(register, entry, value);
            }
            return;
        }
        match self.find(pins.paddr as u32) {
            Some((register, entry)) if !pins.pwrite => {
                self.prdata = match self.list[register].address {
                    address::CACHE_STATUS => self.sweeping as u32,
                    _ => self.values[register][entry],
                }
            }
            Some((register, entry)) if self.is_legal(&self.list[register], pins.pwdata) => {
                self.write = Some((register, entry, pins.pwdata));
            }
            _ => self.pslverr = true,
        }
    }

    /// A legal write takes effect.
    fn write(&mut self, register: usize, entry: usize, value: u32) {
        let Register { address: at, access, .. } = self.list[register];
        self.flushes = match at {
            address::FLUSH => value == 1,
            _ => (address::REDUCTION..=address::WRAP).contains(&at),
        };
        if access == Access::ReadWrite {
            self.values[register][entry] = value;
            self.decode();
            self.set_up_links(at, entry, value);
        }
    }

    /// A value is written to an entry of the register at `at`.
    fn set_up_links(&mut self, at: u32, entry: usize, value: u32) {
        match at {
            address::LINK_SELECTION => {
                self.links.method = [Method::Crc, Method::Residue, Method::Turn][value as usize];
            }
            address::GROUP => self.links.links[entry] = value as u8,
            address::GROUP_LINK => {
                self.links.ports[entry / self.links_built][entry % self.links_built] = value as u8;
            }
            _ => return,
        }
        self.links_changed = true;
    }

    /// The register and entry at a byte address.
    fn find(&self, at: u32) -> Option<(usize, usize)> {
        let inside = |r: &Register| at % 4 == 0 && (r.address..r.address + 4 * r.count).contains(&at);
        let register = self.list.iter().position(inside)?;
        Some((register, ((at - self.list[register].address) / 4) as usize))
    }

    fn is_legal(&self, register: &Register, value: u32) -> bool {
        let field = |low: u32, bits: u32| (value as u64 >> low & ((1 << bits) - 1)) as u32;
        let chunks = || match register.fields.iter().find(|f| f.name == "chunk_bits").map(|f| field(f.low, f.bits)) {
            Some(width) if width > 0 => self.address_bits.div_ceil(width),
            _ => 0,
        };
        let used = register.fields.iter().fold(0u64, |mask, f| mask | ((1 << f.bits) - 1) << f.low);
        register.access != Access::ReadOnly
            && value as u64 & !used == 0
            && register.fields.iter().all(|f| match &f.legal {
                Legal::Any => true,
                Legal::OneOf(values) => values.contains(&field(f.low, f.bits)),
                Legal::Below(limit) => field(f.low, f.bits) < *limit,
                Legal::BelowChunks => field(f.low, f.bits) < chunks(),
            })
    }

    /// The settings as numbers.
    fn decode(&mut self) {
        let word = |at: u32| self.find(at).map_or(0, |(register, entry)| self.values[register][entry]);
        let wide = |low, high| word(low) as u64 | (word(high) as u64) << 32;
        let reduction = word(address::REDUCTION);
        let enabled = self.find(address::CACHE).is_none() || word(address::CACHE) == 1;
        self.settings = Settings {
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
        };
        self.cache_enabled = enabled;
    }

    /// All fields to their reset values.
    pub fn reset(&mut self) {
        let value = |r: &Register| r.fields.iter().fold(0, |word, f| word | f.reset << f.low);
        self.values = self.list.iter().map(|r| vec![value(r); r.count as usize]).collect();
        (self.write, self.prdata, self.pslverr, self.flushes) = (None, 0, false, false);
        (self.links, self.links_changed) = (LinkSettings::default(), false);
        self.decode();
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use railyard_spec::{presets, AlgorithmicRouting, Config, LinkAggregation, NodeReduction, Routing, TableRouting};

    fn registers_of(preset: &str) -> Registers {
        let config = Config::from_json(presets::find(preset).unwrap().json).unwrap();
        Registers::new(&config.shape())
    }

    fn transfer(registers: &mut Registers, pwrite: bool, paddr: u16, pwdata: u32) -> (u32, bool) {
        registers.step(&Apb { psel: true, penable: false, pwrite, paddr, pwdata });
        let answer = (registers.prdata, registers.pslverr);
        registers.step(&Apb { psel: true, penable: true, pwrite, paddr, pwdata });
        answer
    }

    #[test]
    fn what_is_written_is_read() {
        let mut registers = registers_of("torus16");
        assert_eq!(transfer(&mut registers, false, 0, 0), (0x5259_4C44, false));
        assert_eq!(transfer(&mut registers, false, 4, 0), (0x0210, false));
        assert_eq!(transfer(&mut registers, true, 0x14, 0x12_3456), (0, false));
        assert_eq!(transfer(&mut registers, false, 0x14, 0), (0x12_3456, false));
        assert_eq!(registers.settings().coordinate, 0x12_3456);
        assert_eq!(transfer(&mut registers, true, 0x408, 0x10F), (0, false));
        assert_eq!((registers.mapped(2), registers.mapped(3)), (Route::Port(15), Route::Drop));
    }

    #[test]
    fn a_map_entry_names_the_vc() {
        let mut config = Config::named("t");
        config.virtual_channels.unicast = 3;
        config.routing = Routing::Algorithmic(AlgorithmicRouting { next_vc: true, ..Default::default() });
        let mut registers = Registers::new(&config.shape());
        for (value, route) in [
            (0x102_0105, Route::PortVc(5, 2)),
            (0x002_0105, Route::Port(5)),
            (0x100_0105, Route::PortVc(5, 0)),
            (0x102_0005, Route::Drop),
        ] {
            assert_eq!(transfer(&mut registers, true, 0x404, value), (0, false));
            assert_eq!(registers.mapped(1), route);
        }
        assert_eq!(transfer(&mut registers, true, 0x404, 0x003_0105), (0, true), "no VC 3");
        transfer(&mut registers, true, 0x10, 0x1_0041);
        assert!(registers.settings().dateline);
    }

    #[test]
    fn links_are_set_up() {
        let mut config = Config::named("t");
        config.ports = 6;
        let link_aggregation = Some(LinkAggregation { groups: 3, links: 5, ..Default::default() });
        config.routing = Routing::Algorithmic(AlgorithmicRouting { link_aggregation, ..Default::default() });
        let mut registers = Registers::new(&config.shape());
        assert_eq!(registers.links().port(2, 7), None);
        for (paddr, pwdata, is_legal) in [
            (0x40, 2, true),
            (0x40, 3, false),
            (0x88, 5, true),
            (0x88, 6, false),
            (0x8C, 0, false), // no group 3
            (0x800 + 4 * 12, 5, true),
            (0x800 + 4 * 12, 6, false),
            (0x800 + 4 * 15, 0, false),
            (0x408, 0x200_2105, true), // group 2
            (0x408, 0x200_3105, false),
        ] {
            assert_eq!(transfer(&mut registers, true, paddr, pwdata), (0, !is_legal), "{paddr:#x} {pwdata:#x}");
            assert_eq!(registers.links_changed(), is_legal && paddr & 0x400 == 0);
        }
        assert_eq!(registers.links().method, Method::Turn);
        let ports = [2, 7, 255, 3].map(|selector| registers.links().port(2, selector));
        assert_eq!(ports, [Some(5), Some(5), Some(0), Some(0)]);
        assert_eq!(registers.mapped(2), Route::Group(2, None));
        registers.reset();
        assert_eq!(registers.links(), &LinkSettings::default());
    }

    #[test]
    fn caches_are_enabled_and_flushed() {
        let mut config = Config::named("t");
        let node_reduction = Some(NodeReduction::default());
        config.routing = Routing::Table(TableRouting { node_reduction, ..Default::default() });
        let mut registers = Registers::new(&config.shape());
        let mut write = |paddr, pwdata| {
            let (_, illegal) = transfer(&mut registers, true, paddr, pwdata);
            let flushes = registers.flushes();
            registers.step(&Apb::default());
            assert!(!registers.flushes(), "for one cycle only");
            (illegal, flushes, registers.cache_enabled())
        };
        assert_eq!(write(0x30, 1), (false, false, true));
        assert_eq!(write(0x30, 2), (true, false, true));
        assert_eq!(write(0x30, 0), (false, false, false));
        assert_eq!(write(0x34, 0), (false, false, false));
        assert_eq!(write(0x34, 1), (false, true, false));
        assert_eq!(write(0x34, 3), (true, false, false));
        assert_eq!(write(0x38, 0), (true, false, false));
        for (paddr, pwdata) in [(0x10, 0x41), (0x14, 0), (0x1C, 5), (0x24, 1)] {
            assert_eq!(write(paddr, pwdata), (false, true, false));
        }
        assert_eq!(write(0x10, 0x51), (true, false, false));
        let mut read = |paddr, sweeping| {
            registers.show_sweeping(sweeping);
            transfer(&mut registers, false, paddr, 0)
        };
        assert_eq!([read(0x34, true), read(0x30, true)], [(0, false), (0, false)]);
        assert_eq!([read(0x38, true), read(0x38, false)], [(1, false), (0, false)]);
        registers.reset();
        assert!(registers.cache_enabled());
    }

    #[test]
    fn illegal_accesses_change_nothing() {
        let mut registers = registers_of("torus16");
        let before = registers.values.clone();
        for (paddr, pwdata) in [
            (0, 1),                  // read-only
            (0x3FC, 0),              // no register
            (0x400 + 4 * 64, 0),     // beyond the map
            (0x16, 0),               // not a word
            (0x18, 0),               // no high half: the address has 24 bits
            (0x14, 0x100_0000),      // beyond the address
            (0x10, 5 << 4),          // a chunk width that is not built in
            (0x10, 0),               // chunk width 0
            (0x10, 3 << 4 | 8 << 8), // 8 chunks of 3 bits: levels 0 to 7
            (0x400, 16),             // no port 16
            (0x400, 0x200),          // reserved bit
        ] {
            assert_eq!(transfer(&mut registers, true, paddr, pwdata), (0, true), "{paddr:#x} {pwdata:#x}");
        }
        assert_eq!(transfer(&mut registers, false, 0x18, 0), (0, true));
        assert_eq!(registers.values, before);
    }

    #[test]
    fn a_setup_without_access_writes_nothing() {
        let mut registers = registers_of("noc5");
        let setup = Apb { psel: true, penable: false, pwrite: true, paddr: 0x14, pwdata: 7 };
        registers.step(&setup);
        registers.step(&Apb::default());
        registers.step(&Apb { penable: true, ..setup });
        assert_eq!(registers.settings().coordinate, 0);
        registers.step(&Apb { pwdata: 9, ..setup });
        registers.step(&setup);
        registers.step(&Apb { penable: true, pwdata: 1, paddr: 0x24, ..setup });
        assert_eq!(registers.settings().coordinate, 7, "the last setup counts");
    }
}

//! The run-time registers behind the APB port. Source: switch reference, section 9.

use super::dragonfly_registers::DragonflySettings;
use super::event_registers::EventClear;
use super::link_registers::LinkSettings;
use super::{barrier_registers, reduction_registers, route_setting};
use crate::barrier::barrier_unit::BarrierCommand;
use crate::multicast::fan_out::GroupWrite;
use crate::pins::Apb;
use crate::route::forwarding_table::TableWrite;
use crate::route::route_queue::PacketRoute;
use railyard_spec::reduction::ReductionSettings;
use railyard_spec::registers::{address, registers, Access, Legal, Register};
use railyard_spec::{DragonflyShape, Shape};

/// What a write in this cycle asks for, beside a new value of its register.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum WriteCommand {
    /// Nothing.
    #[default]
    None,
    /// The caches are to be flushed in the next cycle.
    Flush,
    /// An entry of the forwarding table is written.
    WriteTable(TableWrite),
    /// The forwarding table is to be emptied.
    ClearTable,
    /// A multicast group gets other outputs.
    WriteGroup(GroupWrite),
    /// What the barrier unit is to do.
    Barrier(BarrierCommand),
    /// Bits of an event register are cleared.
    ClearEvents(EventClear),
    /// What is to be done with the event counters.
    Counters {
        /// Their registers take their values.
        snapshot: bool,
        /// They start again from 0.
        clear: bool,
    },
}

/// What is being emptied in a cycle.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Sweeping {
    /// The caches, also in the cycle of a flush.
    pub caches: bool,
    /// The forwarding table.
    pub table: bool,
    /// The multicast group table.
    pub groups: bool,
}

/// The registers of a switch and the state of its APB port.
#[derive(Clone, Debug)]
pub struct Registers {
    list: Vec<Register>,
    address_bits: u32,
    /// Values in the order of `list`, arrays entry by entry.
    values: Vec<Vec<u32>>,
    settings: ReductionSettings,
    /// Dragonfly routing only.
    dragonfly: Option<Box<(DragonflyShape, DragonflySettings)>>,
    links: LinkSettings,
    /// The last step wrote to the links of a group.
    links_changed: bool,
    /// The port map in `list`.
    map: Option<usize>,
    cache_enabled: bool,
    event_enable: u32,
    default_route: PacketRoute,
    sweeping: Sweeping,
    /// What the last step asked for.
    command: WriteCommand,
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
            settings: ReductionSettings::default(),
            dragonfly: shape.dragonfly().map(|built| Box::new((built.clone(), DragonflySettings::default()))),
            links: LinkSettings::new(shape.link_aggregation.as_ref()),
            links_changed: false,
            cache_enabled: true,
            event_enable: 0,
            default_route: PacketRoute::Drop,
            sweeping: Sweeping::default(),
            command: WriteCommand::None,
            write: None,
            prdata: 0,
            pslverr: false,
        };
        registers.reset();
        registers
    }

    /// Settings of node reduction.
    pub fn settings(&self) -> &ReductionSettings {
        &self.settings
    }

    /// Settings of Dragonfly routing, if that is how the switch routes.
    #[inline]
    pub fn dragonfly(&self) -> Option<&DragonflySettings> {
        self.dragonfly.as_ref().map(|dragonfly| &dragonfly.1)
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

    /// `event_enable`; 0 without events.
    #[inline]
    pub fn event_enable(&self) -> u32 {
        self.event_enable
    }

    /// The route of addresses that nobody knows; drop without one.
    pub fn default_route(&self) -> PacketRoute {
        self.default_route
    }

    /// What the last step asked for.
    #[inline]
    pub fn command(&self) -> WriteCommand {
        self.command
    }

    /// What is being emptied, as it reads in the next step.
    #[inline]
    pub fn show_sweeping(&mut self, sweeping: Sweeping) {
        self.sweeping = sweeping;
    }

    /// The registers of the event counters take new values; `value` gives that of a register and its entry.
    pub fn take_counters(&mut self, value: impl Fn(&Register, usize) -> u32) {
        for (register, values) in self.list.iter().zip(&mut self.values) {
            if register.address >= address::VC_COUNTERS {
                values.iter_mut().enumerate().for_each(|(entry, taken)| *taken = value(register, entry));
            }
        }
    }

    /// The route of the port map's entry of a key.
    pub fn mapped(&self, key: u32) -> PacketRoute {
        self.map.map_or(PacketRoute::Drop, |map| route_setting::valid_route(self.values[map][key as usize], 0))
    }

    /// Before [`Registers::step`] with the same pins: if they read a register that shows the state of a unit, it takes
    /// the value that `state` gives for its byte address and entry.
    #[inline]
    pub fn refresh(&mut self, pins: &Apb, state: impl Fn(u32, usize) -> Option<u32>) {
        if !pins.psel || pins.penable || pins.pwrite {
            return;
        }
        if let Some((register, entry)) = self.find(pins.paddr as u32) {
            if let Some(value) = state(self.list[register].address, entry) {
                self.values[register][entry] = value;
            }
        }
    }

    /// One cycle with those pins.
    #[inline]
    pub fn step(&mut self, pins: &Apb) {
        let write = self.write.take();
        (self.prdata, self.pslverr, self.command, self.links_changed) = (0, false, WriteCommand::None, false);
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
                    address::CACHE_STATUS => self.sweeping.caches as u32,
                    address::TABLE_STATUS => self.sweeping.table as u32,
                    address::MULTICAST_STATUS => self.sweeping.groups as u32,
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
        self.command = match at {
            address::FLUSH if value == 1 => WriteCommand::Flush,
            address::REDUCTION..=address::WRAP => WriteCommand::Flush,
            address::TABLE_WRITE => WriteCommand::WriteTable(self.table_write(value)),
            address::TABLE_CLEAR if value == 1 => WriteCommand::ClearTable,
            address::MULTICAST_WRITE => WriteCommand::WriteGroup(self.group_write(value)),
            address::COUNTERS => WriteCommand::Counters { snapshot: value & 1 == 1, clear: value & 2 == 2 },
            _ if access == Access::WriteOneClears => {
                WriteCommand::ClearEvents(EventClear { register: at, bits: value })
            }
            _ => WriteCommand::None,
        };
        if access == Access::ReadWrite {
            self.values[register][entry] = value;
            self.decode();
            self.links_changed = self.links.write(at, entry, value);
        }
        if let Some(command) = barrier_registers::command(at, entry, value, |at| self.word(at)) {
            self.command = WriteCommand::Barrier(command);
        }
    }

    /// What a write of that value to `table_write` puts where.
    fn table_write(&self, value: u32) -> TableWrite {
        let address =
            self.word(address::TABLE_ADDRESS_LOW) as u64 | (self.word(address::TABLE_ADDRESS_HIGH) as u64) << 32;
        let route = route_setting::route(self.word(address::TABLE_ROUTE), self.word(address::TABLE_CANDIDATES));
        TableWrite {
            way: (value >> 16 & 7) as usize,
            index: (value & 0xFFFF) as usize,
            entry: (value >> 24 & 1 == 1).then_some((address, route)),
        }
    }

    /// What a write of that value to `multicast_write` does.
    fn group_write(&self, value: u32) -> GroupWrite {
        let [low, high] = [address::MULTICAST_MASK_LOW, address::MULTICAST_MASK_HIGH].map(|at| self.word(at) as u64);
        GroupWrite {
            group: (value & 0xFFFF) as usize,
            mask: low | high << 32,
            loopback: value >> 16 & 1 == 1,
            spoiled: 0,
        }
    }

    /// Whether this cycle, with those pins, is that of a write to the register at a byte address.
    #[inline]
    pub fn is_writing(&self, pins: &Apb, at: u32) -> bool {
        pins.psel && pins.penable && self.write.is_some_and(|(register, ..)| self.list[register].address == at)
    }

    /// The register and entry at a byte address.
    fn find(&self, at: u32) -> Option<(usize, usize)> {
        let inside = |r: &Register| at % 4 == 0 && (r.address..r.address + 4 * r.count).contains(&at);
        let register = self.list.iter().position(inside)?;
        Some((register, ((at - self.list[register].address) / 4) as usize))
    }

    /// The value at a byte address; 0 if there is no register.
    fn word(&self, at: u32) -> u32 {
        self.find(at).map_or(0, |(register, entry)| self.values[register][entry])
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
            && !(register.address == address::TABLE_WRITE && self.sweeping.table)
            && !(register.address == address::MULTICAST_WRITE && self.sweeping.groups)
            && register.fields.iter().all(|f| match &f.legal {
                Legal::Any => true,
                Legal::OneOf(values) => values.contains(&field(f.low, f.bits)),
                Legal::Below(limit) => field(f.low, f.bits) < *limit,
                Legal::BelowChunks => field(f.low, f.bits) < chunks(),
            })
    }

    /// The settings as numbers.
    fn decode(&mut self) {
        self.settings = reduction_registers::settings(|at| self.word(at));
        if let Some(mut dragonfly) = self.dragonfly.take() {
            dragonfly.1 = DragonflySettings::new(&dragonfly.0, |at| self.word(at));
            self.dragonfly = Some(dragonfly);
        }
        self.cache_enabled = self.find(address::CACHE).is_none() || self.word(address::CACHE) == 1;
        self.event_enable = self.word(address::EVENT_ENABLE);
        self.default_route =
            route_setting::valid_route(self.word(address::DEFAULT_ROUTE), self.word(address::DEFAULT_CANDIDATES));
    }

    /// All fields to their reset values.
    pub fn reset(&mut self) {
        let value = |r: &Register| r.fields.iter().fold(0, |word, f| word | f.reset << f.low);
        self.values = self.list.iter().map(|r| vec![value(r); r.count as usize]).collect();
        (self.write, self.prdata, self.pslverr, self.command) = (None, 0, false, WriteCommand::None);
        self.links.clear();
        self.links_changed = false;
        self.decode();
    }
}

#[cfg(test)]
mod tests;

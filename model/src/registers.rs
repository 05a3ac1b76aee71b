//! The run-time registers behind the APB port. Source: switch reference, section 9.

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
        let mut registers = Registers {
            list: registers(shape),
            address_bits: shape.address_bits().unwrap_or(0),
            values: Vec::new(),
            settings: Settings::default(),
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

    /// The port map's entry of a key: an output port, or none.
    pub fn mapped(&self, key: u32) -> Option<u8> {
        let map = self.list.iter().position(|r| r.address == address::MAP)?;
        let entry = self.values[map][key as usize];
        (entry >> 8 & 1 == 1).then_some(entry as u8)
    }

    /// One cycle with those pins.
    #[inline]
    pub fn step(&mut self, pins: &Apb) {
        let write = self.write.take();
        (self.prdata, self.pslverr) = (0, false);
        if !pins.psel {
            return;
        }
        if pins.penable {
            if let Some((register, entry, value)) = write {
                self.values[register][entry] = value;
                self.decode();
            }
            return;
        }
        match self.find(pins.paddr as u32) {
            Some((register, entry)) if !pins.pwrite => self.prdata = self.values[register][entry],
            Some((register, entry)) if self.is_legal(&self.list[register], pins.pwdata) => {
                self.write = Some((register, entry, pins.pwdata));
            }
            _ => self.pslverr = true,
        }
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
        register.access == Access::ReadWrite
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
        };
    }

    /// All fields to their reset values.
    pub fn reset(&mut self) {
        let value = |r: &Register| r.fields.iter().fold(0, |word, f| word | f.reset << f.low);
        self.values = self.list.iter().map(|r| vec![value(r); r.count as usize]).collect();
        (self.write, self.prdata, self.pslverr) = (None, 0, false);
        self.decode();
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use railyard_spec::{presets, Config};

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
        assert_eq!((registers.mapped(2), registers.mapped(3)), (Some(15), None));
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

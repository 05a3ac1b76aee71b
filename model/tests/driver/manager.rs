//! A manager of the APB port: transfers to any register, some of them illegal or broken off.

use super::{sparse, Random};
use railyard_model::{Apb, Inputs};
use railyard_spec::registers::address::*;
use railyard_spec::registers::{registers, Access, Legal, Register};
use railyard_spec::{Crc, ForwardingTableShape, Shape};
use std::collections::VecDeque;

/// A manager of the APB port: transfers to any register, some of them illegal or broken off.
pub struct Manager {
    shape: Shape,
    registers: Vec<Register>,
    setup: Option<Apb>,
    /// Writes (byte address, value) to come.
    plan: VecDeque<(u32, u32)>,
}

impl Manager {
    pub fn new(shape: &Shape) -> Manager {
        Manager { shape: shape.clone(), registers: registers(shape), setup: None, plan: VecDeque::new() }
    }

    /// The APB pins in this cycle; a transfer begins in one of `rarely` cycles.
    pub fn drive(&mut self, pins: &mut Inputs, random: &mut Random, rarely: u64) {
        pins.apb.psel = false;
        if self.registers.is_empty() {
            return;
        }
        if let Some(setup) = self.setup.take() {
            if !random.chance(10) {
                pins.apb = Apb { penable: true, ..setup };
                return;
            }
        }
        if random.chance(rarely) {
            if self.shape.forwarding_table().is_some() && self.plan.is_empty() && random.chance(2) {
                self.plan_entry(random);
            }
            if self.shape.multicast.is_some() && self.plan.is_empty() && random.chance(5) {
                self.plan_group(random);
            }
            if self.shape.barrier.is_some() && self.plan.is_empty() && random.chance(6) {
                self.plan_barrier(random);
            }
            let (paddr, pwrite, pwdata) = match self.plan.pop_front() {
                Some((paddr, pwdata)) => (paddr, true, pwdata),
                None => self.any_access(random),
            };
            pins.apb = Apb { psel: true, penable: random.chance(20), pwrite, paddr: paddr as u16, pwdata };
            self.setup = (!pins.apb.penable).then_some(pins.apb);
        }
    }

    fn any_access(&mut self, random: &mut Random) -> (u32, bool, u32) {
        if self.shape.events && !random.chance(3) {
            return self.event_access(random);
        }
        if self.shape.counter_bits.is_some() && random.chance(3) {
            return self.counter_access(random);
        }
        if self.shape.barrier.is_some() && self.shape.cache_control() && random.chance(40) {
            return (FLUSH, true, 1);
        }
        // Every write to a group starts it anew: looking at it must be more frequent.
        if self.shape.barrier.is_some() && !random.chance(3) {
            return self.barrier_access(random);
        }
        // With so many registers one would hardly meet it.
        if self.shape.multicast.is_some() && self.shape.link_aggregation.is_some() && random.chance(20) {
            return (LINK_SELECTION, true, random.below(3) as u32);
        }
        // Arrays, the port map among them, have many entries.
        let is_array = |r: &usize| self.registers[*r].count > 1 && self.registers[*r].access != Access::ReadOnly;
        let arrays: Vec<usize> = (0..self.registers.len()).filter(is_array).collect();
        let register = if arrays.is_empty() || random.chance(3) {
            random.below(self.registers.len() as u64) as usize
        } else {
            arrays[random.below(arrays.len() as u64) as usize]
        };
        let register = &self.registers[register];
        if register.name == "table_clear" && !random.chance(10) {
            return (TABLE_STATUS, false, 0);
        }
        let entry = random.below(register.count as u64);
        let entry = if random.chance(2) { entry } else { random.below(entry + 1) };
        let at = register.address + 4 * entry as u32;
        let paddr = if random.chance(20) { random.below(1 << 16) as u32 } else { at };
        let writable = register.access != Access::ReadOnly;
        let pwrite = if writable { !random.chance(3) } else { random.chance(10) };
        (paddr, pwrite, self.value(register, random))
    }

    /// Events enabled, cleared or looked at.
    fn event_access(&self, random: &mut Random) -> (u32, bool, u32) {
        let list: Vec<&Register> = self.registers.iter().filter(|r| (EVENTS..MAP).contains(&r.address)).collect();
        let register = match random.below(3) {
            // The first two: events and what enables them.
            0 => list[random.below(2) as usize],
            _ => list[random.below(list.len() as u64) as usize],
        };
        let fields = register.fields.iter().fold(0, |word, f| word | (!0 >> (32 - f.bits)) << f.low);
        let some = if random.chance(2) { fields } else { random.next() as u32 & fields };
        let pwrite = register.access != Access::ReadOnly && random.chance(2);
        (register.address, pwrite, if random.chance(20) { random.next() as u32 } else { some })
    }

    /// A snapshot, mostly without clearing anything, or a look at a counter.
    fn counter_access(&self, random: &mut Random) -> (u32, bool, u32) {
        if random.chance(4) {
            return (COUNTERS, true, [0, 1, 1, 1, 1, 1, 2, 3][random.below(8) as usize]);
        }
        let counters: Vec<&Register> = self.registers.iter().filter(|r| r.address >= VC_COUNTERS).collect();
        let counter = counters[random.below(counters.len() as u64) as usize];
        (counter.address + 4 * random.below(counter.count as u64) as u32, false, 0)
    }

    /// A look at the state of barriers, or faults cleared.
    fn barrier_access(&self, random: &mut Random) -> (u32, bool, u32) {
        let clear = self.registers.iter().find(|r| r.address == BARRIER_CLEAR).expect("a barrier VC");
        if random.chance(6) {
            return (clear.address, true, self.value(clear, random));
        }
        let shown = |r: &&Register| r.name.starts_with("barrier_") && r.access == Access::ReadOnly;
        let shown: Vec<&Register> = self.registers.iter().filter(shown).collect();
        let register = shown[random.below(shown.len() as u64) as usize];
        (register.address + 4 * random.below(register.count as u64) as u32, false, 0)
    }

    /// Plans other leaves and another place for a barrier group, mostly one that works, or time-outs.
    fn plan_barrier(&mut self, random: &mut Random) {
        let Some(built) = &self.shape.barrier else { return };
        if random.chance(4) {
            let [retransmit, urge, scale] = [0; 3].map(|_| random.below(4) as u32);
            self.plan.push_back((BARRIER_TIMERS, retransmit | urge << 8 | scale << 16));
            return;
        }
        let group = 4 * random.below(built.groups as u64) as u32;
        let ports = self.shape.ports as u64;
        let mask = (0..1 + random.below(2)).fold(0u64, |mask, _| mask | 1 << random.below(ports));
        let mask = if random.chance(10) { 0 } else { mask };
        self.plan.push_back((BARRIER_LEAVES_LOW + group, mask as u32));
        if ports > 32 {
            self.plan.push_back((BARRIER_LEAVES_HIGH + group, (mask >> 32) as u32));
        }
        let (enable, root) = (!random.chance(10) as u32, random.chance(3) as u32);
        self.plan.push_back((BARRIER_GROUP + group, enable | root << 1 | (random.below(ports) as u32) << 8));
    }

    /// Plans an entry of the forwarding table where it is found, or to empty its place.
    fn plan_entry(&mut self, random: &mut Random) {
        let (Some(table), Some(bits)) = (self.shape.forwarding_table(), self.shape.address_bits()) else { return };
        let &ForwardingTableShape { ways, crc, .. } = table;
        let address = super::destination(&self.shape, random);
        let way = random.below(ways as u64) as usize;
        let index = table.index(Crc::of(&crc, address, bits), way);
        let valid = !random.chance(4) as u32;
        self.plan.push_back((TABLE_ADDRESS_LOW, address as u32));
        if bits > 32 {
            self.plan.push_back((TABLE_ADDRESS_HIGH, (address >> 32) as u32));
        }
        for register in self.registers.iter().filter(|r| [TABLE_ROUTE, TABLE_CANDIDATES].contains(&r.address)) {
            self.plan.push_back((register.address, self.value(register, random)));
        }
        self.plan.push_back((TABLE_WRITE, index as u32 | (way as u32) << 16 | valid << 24));
    }

    /// Plans other outputs for a multicast group.
    fn plan_group(&mut self, random: &mut Random) {
        let Some(built) = &self.shape.multicast else { return };
        let mask = match random.below(4) {
            0 => 1 << random.below(self.shape.ports as u64),
            1 => random.next() & random.next(),
            _ => random.next(),
        };
        let mask = mask & (!0 >> (64 - self.shape.ports));
        // Of many ports hardly any is alone by chance.
        let mask = if random.chance(6) { 1 << random.below(self.shape.ports as u64) } else { mask };
        self.plan.push_back((MULTICAST_MASK_LOW, mask as u32));
        if self.shape.ports > 32 {
            self.plan.push_back((MULTICAST_MASK_HIGH, (mask >> 32) as u32));
        }
        let group = random.below(built.groups as u64) as u32;
        self.plan.push_back((MULTICAST_WRITE, group | (random.chance(2) as u32) << 16));
    }

    /// A value for a register, legal more often than not.
    fn value(&self, register: &Register, random: &mut Random) -> u32 {
        if random.chance(20) {
            return random.next() as u32;
        }
        let mut chunk_bits = 1;
        register.fields.iter().fold(0, |word, f| {
            let value = match &f.legal {
                // Few values in each chunk, so that the addresses of a test meet them.
                Legal::Any if f.bits > 8 => sparse(random) as u32 & (!0 >> (32 - f.bits)),
                Legal::Any => random.below(1 << f.bits) as u32,
                Legal::OneOf(values) => values[random.below(values.len() as u64) as usize],
                Legal::Below(limit) => random.below(*limit as u64) as u32,
                Legal::BelowChunks => {
                    random.below(self.shape.address_bits().unwrap_or(0).div_ceil(chunk_bits) as u64).min(3) as u32
                }
            };
            if f.name == "chunk_bits" {
                chunk_bits = value;
            }
            word | value << f.low
        })
    }
}

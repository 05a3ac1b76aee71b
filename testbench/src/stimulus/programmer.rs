//! The requester at the APB port: puts the switch at its place before traffic starts, leads it through changes of the
//! table, and looks around in between.

use crate::random::Random;
use crate::traffic::{AddressTable, Groups, Refill};
use railyard_bench::endpoint::ApbMaster;
use railyard_model::{Apb, Inputs, Outputs};
use railyard_spec::forwarding_table::register_writes;
use railyard_spec::registers::address::*;
use railyard_spec::registers::{registers, Access, Legal, Register};
use railyard_spec::Shape;
use std::collections::{BTreeMap, VecDeque};

/// One in so many cycles begins a read when nothing is to be written.
const READS: u64 = 16;

/// One in so many of these takes a snapshot of the counters instead.
const SNAPSHOTS: u64 = 8;

/// Switches with events: one in so many cycles begins an access to their registers when nothing is to be written.
const EVENT_ACCESSES: u64 = 8;

/// Cycles in which an answer of the table is on its way to a fill, beside the waits for others.
const ANSWER: u64 = 16;

/// What is to be done.
#[derive(Clone, Copy, Debug)]
enum Step {
    /// A value goes to a byte address.
    Write(u32, u32),
    /// The register at a byte address is read, and its value kept.
    Read(u32),
    /// Until the status register at a byte address says that its table is empty.
    AwaitSweep(u32),
    /// So many cycles.
    Wait(u64),
    /// From now on the CAM knows the new table.
    Change,
}

/// What becomes of the data of a read.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Purpose {
    Nothing,
    Keep,
    AwaitSweep,
    /// A write beside the steps.
    Beside,
}

/// Writes what a switch must know of a [`AddressTable`] and of [`Groups`] into the registers.
#[derive(Clone, Debug)]
pub struct Programmer {
    shape: Shape,
    registers: Vec<Register>,
    /// What is to come.
    steps: VecDeque<Step>,
    /// Writes (byte address, value) and reads (byte address) that wait until there is no step, and that nobody waits
    /// for.
    beside: VecDeque<(u32, Option<u32>)>,
    master: ApbMaster<Purpose>,
    /// Values read, by byte address.
    readings: BTreeMap<u32, u32>,
    /// Counters are cleared now and then.
    clears: bool,
    random: Random,
}

impl Programmer {
    /// For a switch of that shape, nothing to write yet; none if it has no registers.
    pub fn new(shape: &Shape, seed: u64) -> Option<Programmer> {
        let registers = registers(shape);
        let mut random = Random::new(seed, 8);
        (!registers.is_empty()).then(|| Programmer {
            clears: shape.counter_bits.is_some() && random.below(2) == 0,
            shape: shape.clone(),
            registers,
            steps: VecDeque::new(),
            beside: VecDeque::new(),
            master: ApbMaster::default(),
            readings: BTreeMap::new(),
            random,
        })
    }

    /// Plans to tell the switch of a table and of multicast groups, after a reset. The default route comes last: what
    /// is not in the table yet must not be cached with it.
    pub fn program(&mut self, table: Option<&AddressTable>, groups: Option<&Groups>) {
        self.steps.clear();
        if let Some(groups) = groups {
            self.steps.push_back(Step::AwaitSweep(MULTICAST_STATUS));
            self.write(groups.writes());
        }
        let Some(table) = table else { return };
        self.write(table.writes(&self.shape));
        if self.shape.forwarding_table().is_some() {
            self.steps.push_back(Step::AwaitSweep(TABLE_STATUS));
            self.write(register_writes(&self.shape, &table.fill()));
        }
        self.write(table.default_writes(&self.shape));
    }

    /// Plans a change of table and groups under traffic, as the switch reference has it (section 4.5).
    pub fn change(&mut self, table: Option<&(AddressTable, Refill)>, groups: Option<&Groups>) {
        let controls_caches = self.shape.cache_control();
        self.steps.clear();
        if controls_caches {
            self.write(vec![(CACHE, 0), (FLUSH, 1)]);
        } else {
            self.steps.push_back(Step::Change);
        }
        self.write(groups.map_or(Vec::new(), Groups::writes));
        let Some((table, refill)) = table else { return };
        // There is a default route all the time, if there is one before or after.
        if table.has_default() {
            self.write(table.default_writes(&self.shape));
        }
        self.write(table.writes(&self.shape));
        if refill.clear {
            self.write(vec![(TABLE_CLEAR, 1)]);
            self.steps.push_back(Step::AwaitSweep(TABLE_STATUS));
        }
        self.write(register_writes(&self.shape, &refill.writes));
        if controls_caches {
            self.steps.push_back(Step::Change);
        }
        // Only now everybody knows who had to go by the default route.
        if !table.has_default() {
            self.write(table.default_writes(&self.shape));
        }
        if controls_caches {
            self.write(vec![(CACHE, 1)]);
        } else if let Some(built) = self.shape.table() {
            // Without a cache, packets join old lookups until these are answered.
            let slots = self.shape.vcs * built.lookups_per_vc;
            self.steps.push_back(Step::Wait((self.shape.ports * slots + 2 * slots) as u64 + ANSWER));
        }
    }

    fn write(&mut self, writes: Vec<(u32, u32)>) {
        self.steps.extend(writes.into_iter().map(|(address, value)| Step::Write(address, value)));
    }

    /// Plans to take a snapshot of the counters and to read those of that name in all ports and VCs.
    pub fn audit(&mut self, names: &[&str]) {
        self.readings.clear();
        self.steps.push_back(Step::Write(COUNTERS, 1));
        for register in self.registers.iter().filter(|register| names.contains(&register.name)) {
            self.steps.extend((0..register.count).map(|entry| Step::Read(register.address + 4 * entry)));
        }
    }

    /// The sum of what was read of a register.
    pub fn sum(&self, name: &str) -> u64 {
        let Some(register) = self.registers.iter().find(|register| register.name == name) else { return 0 };
        let words = register.address..register.address + 4 * register.count;
        self.readings.range(words).map(|(_, &value)| u64::from(value)).sum()
    }

    /// Counters are not cleared in this run.
    pub fn never_clear(&mut self) {
        self.clears = false;
    }

    /// Whether the counters count from the last reset on.
    pub fn counts_all(&self) -> bool {
        self.shape.counter_bits.is_some() && !self.clears
    }

    /// Plans writes that hold up nothing else.
    pub fn write_beside(&mut self, writes: Vec<(u32, u32)>) {
        self.beside.extend(writes.into_iter().map(|(address, value)| (address, Some(value))));
    }

    /// Plans reads that hold up nothing else: whoever watches the pins sees what is read.
    pub fn read_beside(&mut self, addresses: Vec<u32>) {
        self.beside.extend(addresses.into_iter().map(|address| (address, None)));
    }

    /// The address of one of these accesses whose setup phase is in this cycle, if one is.
    pub fn next_beside(&self) -> Option<u32> {
        let is_free = self.master.transfer().is_none() && self.steps.is_empty();
        self.beside.front().filter(|_| is_free).map(|(address, _)| *address)
    }

    /// Whether these are written.
    pub fn has_written_beside(&self) -> bool {
        self.beside.is_empty() && !self.master.transfer().is_some_and(|(_, purpose)| *purpose == Purpose::Beside)
    }

    /// Whether all is written, and what is to be read is read.
    pub fn is_done(&self) -> bool {
        let is_step = |(setup, purpose): &(Apb, Purpose)| match purpose {
            Purpose::Beside => false,
            Purpose::Nothing => setup.pwrite && u32::from(setup.paddr) != COUNTERS,
            Purpose::Keep | Purpose::AwaitSweep => true,
        };
        self.steps.is_empty() && !self.master.transfer().is_some_and(is_step)
    }

    /// Whether the CAM's table changes now.
    pub fn changes_now(&mut self) -> bool {
        // What is being written comes first.
        let now = self.master.transfer().is_none() && matches!(self.steps.front(), Some(Step::Change));
        if now {
            self.steps.pop_front();
        }
        now
    }

    /// Forgets the transfer under way: the switch is in reset.
    pub fn reset(&mut self) {
        self.master.reset();
        self.beside.clear();
    }

    /// This cycle's pins.
    #[inline]
    pub fn act(&mut self, outputs: &Outputs, inputs: &mut Inputs) {
        if let Some((setup, purpose)) = self.master.finish(inputs) {
            match purpose {
                Purpose::Nothing | Purpose::Beside => {}
                Purpose::Keep => {
                    self.readings.insert(u32::from(setup.paddr), outputs.apb_prdata);
                }
                Purpose::AwaitSweep if outputs.apb_prdata == 0 => {}
                Purpose::AwaitSweep => self.steps.push_front(Step::AwaitSweep(setup.paddr.into())),
            }
            return;
        }
        let (write, read) = (ApbMaster::<Purpose>::write, ApbMaster::<Purpose>::read);
        let (setup, purpose) = match self.steps.pop_front() {
            Some(Step::Write(paddr, pwdata)) => (write(paddr, pwdata), Purpose::Nothing),
            Some(Step::Read(paddr)) => (read(paddr), Purpose::Keep),
            Some(Step::AwaitSweep(status)) => (read(status), Purpose::AwaitSweep),
            Some(Step::Wait(cycles)) => {
                if cycles > 1 {
                    self.steps.push_front(Step::Wait(cycles - 1));
                }
                return;
            }
            Some(Step::Change) => unreachable!("the stimulus asks for it in every cycle before"),
            None if !self.beside.is_empty() => {
                let (paddr, value) = self.beside.pop_front().expect("checked");
                (value.map_or_else(|| read(paddr), |value| write(paddr, value)), Purpose::Beside)
            }
            None if self.shape.events && self.random.below(EVENT_ACCESSES) == 0 => {
                (self.event_access(), Purpose::Beside)
            }
            None if self.random.below(READS) != 0 => return,
            None if self.shape.counter_bits.is_some() && self.random.below(SNAPSHOTS) == 0 => {
                let what = self.random.below(if self.clears { 4 } else { 2 });
                (write(COUNTERS, what as u32), Purpose::Nothing)
            }
            None => (Apb { psel: true, pwrite: false, ..self.any_access() }, Purpose::Nothing),
        };
        self.master.begin(setup, purpose, inputs);
    }

    /// The setup phase of an access to the registers of events: mostly a write that clears all or some of them, or
    /// enables some.
    fn event_access(&mut self) -> Apb {
        let random = &mut self.random;
        // They stand one behind the other: events, what enables them, what is pending, and ports.
        let first = self.registers.iter().position(|r| r.address == EVENTS).expect("events are built");
        let count = self.registers[first..].iter().take_while(|r| r.address < MAP).count();
        let register = &self.registers[first + [0, 1, random.below(count as u64) as usize][random.below(3) as usize]];
        let all = register.fields.iter().fold(0, |word, field| word | u32::MAX >> (32 - field.bits) << field.low);
        let some = if random.below(2) == 0 { all } else { random.bits() as u32 & all };
        let pwrite = register.access != Access::ReadOnly && random.below(4) != 0;
        Apb { psel: true, penable: false, pwrite, paddr: register.address as u16, pwdata: some }
    }

    /// The setup phase of an access that may be illegal.
    pub fn any_access(&mut self) -> Apb {
        let random = &mut self.random;
        let register = &self.registers[random.below(self.registers.len() as u64) as usize];
        let inside = register.address + 4 * random.below(u64::from(register.count)) as u32;
        let paddr = match random.below(4) {
            0 if random.below(2) == 0 => random.bits() as u16,
            0 => random.below(1 << 12) as u16,
            _ => inside as u16,
        };
        let fields = register.fields.iter().fold(0, |word, field| {
            let mask = u32::MAX >> (32 - field.bits);
            let value = match field.legal {
                Legal::Below(limit) if random.below(4) > 0 => random.below(u64::from(limit)) as u32,
                _ => random.bits() as u32 & mask,
            };
            word | value << field.low
        });
        let pwdata = if random.below(8) == 0 { random.bits() as u32 } else { fields };
        let pwrite = random.below(2) == 0 || register.access != Access::ReadOnly && random.below(2) == 0;
        Apb { psel: true, penable: false, pwrite, paddr, pwdata }
    }
}

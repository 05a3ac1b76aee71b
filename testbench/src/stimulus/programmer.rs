//! The requester at the APB port: puts the switch at its place before traffic starts, leads it through changes of the table, and looks
//! around in between.

use crate::random::Random;
use crate::traffic::{Groups, Table};
use railyard_model::{Apb, Inputs};
use railyard_spec::registers::address::{CACHE, FLUSH};
use railyard_spec::registers::{registers, Access, Register};
use railyard_spec::Shape;
use std::collections::VecDeque;

/// One in so many cycles begins a read when nothing is to be written.
const READS: u64 = 16;

/// What is to be done.
#[derive(Clone, Copy, Debug)]
enum Step {
    /// A value goes to a byte address.
    Write(u32, u32),
    /// Nothing, for so many cycles: a table of the switch is being emptied.
    Wait(u64),
    /// From now on the CAM knows the new table.
    Change,
}

/// Writes what a switch must know of a [`Table`] and of [`Groups`] into the registers.
#[derive(Clone, Debug)]
pub struct Programmer {
    shape: Shape,
    registers: Vec<Register>,
    /// What is to come.
    steps: VecDeque<Step>,
    /// The transfer whose access phase is next.
    setup: Option<Apb>,
    random: Random,
}

impl Programmer {
    /// For a switch of that shape, nothing to write yet; none if it has no registers.
    pub fn new(shape: &Shape, seed: u64) -> Option<Programmer> {
        let registers = registers(shape);
        let (steps, setup, random) = (VecDeque::new(), None, Random::new(seed, 8));
        (!registers.is_empty()).then(|| Programmer { shape: shape.clone(), registers, steps, setup, random })
    }

    /// Plans to tell the switch of a table and of multicast groups, after a reset.
    pub fn program(&mut self, table: Option<&Table>, groups: Option<&Groups>) {
        self.write(table, groups);
        if let Some(groups) = groups {
            self.steps.push_front(Step::Wait(groups.sweep()));
        }
    }

    fn write(&mut self, table: Option<&Table>, groups: Option<&Groups>) {
        let groups = groups.map_or(Vec::new(), Groups::writes);
        let table = table.map_or(Vec::new(), |table| table.writes(&self.shape));
        self.steps = groups.into_iter().chain(table).map(|(address, value)| Step::Write(address, value)).collect();
    }

    /// Plans a change of table and groups under traffic, as the switch reference has it (section 4.5).
    pub fn change(&mut self, table: Option<&Table>, groups: Option<&Groups>) {
        self.write(table, groups);
        if self.shape.cache_control() {
            self.steps.push_front(Step::Write(FLUSH, 1));
            self.steps.push_front(Step::Write(CACHE, 0));
            self.steps.push_back(Step::Change);
            self.steps.push_back(Step::Write(CACHE, 1));
        } else {
            self.steps.push_front(Step::Change);
        }
    }

    /// Whether all is written.
    pub fn is_done(&self) -> bool {
        self.steps.is_empty() && self.setup.is_none_or(|setup| !setup.pwrite)
    }

    /// Whether the CAM's table changes now.
    pub fn changes_now(&mut self) -> bool {
        // What is being written comes first.
        let now = self.setup.is_none() && matches!(self.steps.front(), Some(Step::Change));
        if now {
            self.steps.pop_front();
        }
        now
    }

    /// Forgets the transfer under way: the switch is in reset.
    pub fn reset(&mut self) {
        self.setup = None;
    }

    /// This cycle's pins.
    #[inline]
    pub fn act(&mut self, inputs: &mut Inputs) {
        if let Some(setup) = self.setup.take() {
            inputs.apb = Apb { penable: true, ..setup };
            return;
        }
        let next = match self.steps.pop_front() {
            Some(Step::Write(paddr, pwdata)) => {
                Apb { psel: true, penable: false, pwrite: true, paddr: paddr as u16, pwdata }
            }
            Some(Step::Wait(cycles)) => {
                if cycles > 1 {
                    self.steps.push_front(Step::Wait(cycles - 1));
                }
                return;
            }
            Some(Step::Change) => unreachable!("the stimulus asks for it in every cycle before"),
            None if self.random.below(READS) == 0 => Apb { psel: true, pwrite: false, ..self.any_access() },
            None => return,
        };
        inputs.apb = next;
        self.setup = Some(next);
    }

    /// The setup phase of an access that may be illegal.
    pub fn any_access(&mut self) -> Apb {
        let random = &mut self.random;
        let register = &self.registers[random.below(self.registers.len() as u64) as usize];
        let inside = register.address + 4 * random.below(u64::from(register.count)) as u32;
        let paddr = if random.below(4) == 0 { random.below(1 << 12) as u16 } else { inside as u16 };
        let fields = register.fields.iter().fold(0, |word, field| {
            let mask = u32::MAX >> (32 - field.bits);
            word | (random.bits() as u32 & mask) << field.low
        });
        let pwdata = if random.below(8) == 0 { random.bits() as u32 } else { fields };
        let pwrite = random.below(2) == 0 || register.access != Access::ReadOnly && random.below(2) == 0;
        Apb { psel: true, penable: false, pwrite, paddr, pwdata }
    }
}

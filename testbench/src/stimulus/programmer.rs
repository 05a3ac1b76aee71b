//! The requester at the APB port: puts the switch at its place before traffic starts, and looks around afterwards.

use crate::random::Random;
use crate::traffic::Place;
use railyard_model::{Apb, Inputs};
use railyard_spec::registers::{registers, Access, Register};
use railyard_spec::Shape;
use std::collections::VecDeque;

/// One in so many cycles begins a read when nothing is to be written.
const READS: u64 = 16;

/// Writes a [`Place`] into the registers.
#[derive(Clone, Debug)]
pub struct Programmer {
    registers: Vec<Register>,
    keys: u32,
    /// Writes to come: byte address and value.
    writes: VecDeque<(u32, u32)>,
    /// The transfer whose access phase is next.
    setup: Option<Apb>,
    random: Random,
}

impl Programmer {
    /// For a switch of that shape, nothing to write yet; none if it has no registers.
    pub fn new(shape: &Shape, seed: u64) -> Option<Programmer> {
        let keys = 1 << shape.algorithmic()?.reduction.key_bits;
        let (writes, setup, random) = (VecDeque::new(), None, Random::new(seed, 8));
        Some(Programmer { registers: registers(shape), keys, writes, setup, random })
    }

    /// Plans to put the switch at that place.
    pub fn program(&mut self, place: &Place) {
        self.writes = place.writes(self.keys).into();
    }

    /// Whether all is written.
    pub fn is_done(&self) -> bool {
        self.writes.is_empty() && self.setup.is_none_or(|setup| !setup.pwrite)
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
        let next = match self.writes.pop_front() {
            Some((paddr, pwdata)) => Apb { psel: true, penable: false, pwrite: true, paddr: paddr as u16, pwdata },
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
        let pwrite = random.below(2) == 0 || register.access == Access::ReadWrite && random.below(2) == 0;
        Apb { psel: true, penable: false, pwrite, paddr, pwdata }
    }
}

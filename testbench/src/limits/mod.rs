//! Which limits of a switch a run has reached: functional coverage, seen at the pins and in the golden model.
//!
//! What limits there are follows from the description: each has elements (a buffer for each port and VC, a flag for
//! each port), and is reached when all of them have been there. [`crate::stimulus::Scenario::limits`] and
//! [`crate::stimulus::Scenario::faults`] are the stimulus that leads there.

mod barriers;
mod faults;
mod links;
mod multicast;
mod registers;
mod routing;

use crate::traffic::Packet;
use barriers::Barriers;
use faults::Faults;
use links::Links;
use multicast::Multicast;
use railyard_model::{Inputs, Switch};
use railyard_spec::Shape;
use registers::Registers;
use routing::Routing;
use serde::{Deserialize, Serialize};
use std::fmt;

/// Levels are looked at once in so many cycles: at its limit a queue stays for longer.
///
/// A prime, so that turns of ports do not hide from it.
const LOOK: u64 = 13;

/// A limit of a switch, and how much of it a run has reached.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Limit {
    /// Its name.
    pub name: String,
    /// What is at its limit.
    pub meaning: String,
    /// Elements of the switch that have this limit.
    pub elements: usize,
    /// Those of them that have reached it.
    pub reached: usize,
    /// Cycles compared before the first of them did; none if none did.
    pub first_cycle: Option<u64>,
    /// Cycles with traffic that reach it, of the stimulus that is made for it: about.
    pub cycles: u64,
    /// By element.
    #[serde(skip)]
    hit: Vec<bool>,
}

impl Limit {
    /// Whether all elements have reached it.
    pub fn is_reached(&self) -> bool {
        self.reached == self.elements
    }

    fn reach(&mut self, element: usize, cycle: u64) {
        if !std::mem::replace(&mut self.hit[element], true) {
            self.reached += 1;
            self.first_cycle = self.first_cycle.or(Some(cycle));
        }
    }
}

/// All limits of a switch.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(transparent)]
pub struct Limits(pub Vec<Limit>);

/// The place of a limit in the list.
#[derive(Clone, Copy, Debug)]
struct Place(usize);

impl Limits {
    fn add(&mut self, name: &str, meaning: &str, elements: usize, cycles: u64) -> Place {
        let (name, meaning, hit) = (name.to_owned(), meaning.to_owned(), vec![false; elements]);
        self.0.push(Limit { name, meaning, elements, reached: 0, first_cycle: None, cycles, hit });
        Place(self.0.len() - 1)
    }

    /// Not all elements of a limit are there: so many.
    fn only(&mut self, place: Place, elements: usize) {
        self.0[place.0].elements = elements;
    }

    #[inline]
    fn reach(&mut self, place: Place, element: usize, cycle: u64) {
        self.0[place.0].reach(element, cycle);
    }

    /// Adds what a further run of the same switch has reached, made after so many cycles.
    pub fn join(&mut self, further: &Limits, after: u64) {
        for (limit, other) in self.0.iter_mut().zip(&further.0) {
            for element in (0..other.hit.len()).filter(|&element| other.hit[element]) {
                limit.reach(element, after + other.first_cycle.unwrap_or(0));
            }
        }
    }

    /// The limits that some element has not reached.
    pub fn missing(&self) -> impl Iterator<Item = &Limit> {
        self.0.iter().filter(|limit| !limit.is_reached())
    }
}

impl fmt::Display for Limits {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let width = self.0.iter().map(|limit| limit.name.len()).max().unwrap_or(0);
        write!(f, "limits: {} of {} reached", self.0.len() - self.missing().count(), self.0.len())?;
        for limit in &self.0 {
            let Limit { name, elements, reached, first_cycle, cycles, .. } = limit;
            write!(f, "\n  {name:width$}  {reached:>4} of {elements:<4}")?;
            match first_cycle {
                Some(cycle) => write!(f, "  first in cycle {cycle}")?,
                None => write!(f, "  not reached")?,
            }
            if !limit.is_reached() {
                write!(f, "; takes about {cycles} cycles")?;
            }
        }
        Ok(())
    }
}

/// A cycle that is over.
struct Seen<'a> {
    /// The inputs of that cycle.
    inputs: &'a Inputs,
    /// The golden model behind it, with the outputs of the next cycle.
    golden: &'a Switch,
    /// Packets begun in it.
    begun: &'a [Packet],
    /// Its number.
    cycle: u64,
}

/// Looks at a run for limits.
#[derive(Clone, Debug)]
pub struct LimitWatch {
    limits: Limits,
    links: Links,
    routing: Option<Routing>,
    multicast: Option<Multicast>,
    barriers: Option<Barriers>,
    registers: Registers,
    faults: Faults,
}

impl LimitWatch {
    /// At the start of a run.
    pub fn new(shape: &Shape) -> LimitWatch {
        let mut limits = Limits::default();
        LimitWatch {
            links: Links::new(shape, &mut limits),
            routing: Routing::new(shape, &mut limits),
            multicast: Multicast::new(shape, &mut limits),
            barriers: Barriers::new(shape, &mut limits),
            registers: Registers::new(shape, &mut limits),
            faults: Faults::new(shape, &mut limits),
            limits,
        }
    }

    /// Looks at the cycle that the golden model has just gone through with those inputs; `begun` are the packets whose
    /// first flit is among them.
    #[inline]
    pub fn look(&mut self, inputs: &Inputs, golden: &Switch, begun: &[Packet]) {
        let seen = Seen { inputs, golden, begun, cycle: golden.now() - 1 };
        let limits = &mut self.limits;
        self.links.look(&seen, limits);
        if let Some(routing) = &mut self.routing {
            routing.look(&seen, limits);
        }
        if let Some(multicast) = &mut self.multicast {
            multicast.look(&seen, limits);
        }
        if let Some(barriers) = &mut self.barriers {
            barriers.look(&seen, limits);
        }
        self.registers.look(&seen, limits);
        self.faults.look(&seen, limits);
    }

    /// What has been reached so far.
    pub fn limits(&self) -> &Limits {
        &self.limits
    }
}

#[cfg(test)]
mod tests;

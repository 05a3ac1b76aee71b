//! Deadlock of adaptive routing in a Dragonfly: each state that packets can reach has an escape, and escapes close no
//! ring.
//!
//! All choices together close rings in networks that are free of deadlock, so rings of choices say nothing (Duato,
//! 1993). A packet that has waited long requests its escape only: the minimal hop to its destination, on the VC of the
//! rule `next`. The graph of the escapes is that of deadlock: a channel waits for another one if a packet in it, in
//! whatever state, escapes to that one. VCs are followed by the masks as they are given, right or wrong.

mod faults;
mod moves;
mod states;
mod waits;

pub use faults::{AdaptiveFault, WaitingPlace};

use crate::topology::{Dragonfly, Exits};
use crate::wiring::Wiring;
use moves::Moves;
use railyard_spec::legal::{Masks, Reference};
use railyard_spec::misrouting::Policy;
use states::States;
use waits::Waits;

/// What the switches choose from.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Choices {
    /// Decision at the source.
    pub valiant: Option<SourceChoice>,
    /// Decision in transit.
    pub policy: Option<Policy>,
    /// Packets in transit may make a local detour in groups other than that of their source.
    pub local_detour: bool,
    /// A packet that has waited long requests its escape only. Otherwise it requests its choices for ever.
    pub escapes: bool,
    /// VCs with room of their own, by letter, as masks; the others share the rest of a port's buffer.
    pub reserved: [u16; 2],
    /// Nodes answer requests, and take a request only if they have room for the reply.
    pub replies: bool,
    /// Nodes send replies on VCs of their own. (Switches always do so towards nodes.)
    pub replies_from_nodes: bool,
}

/// Where the source of a packet may send it first.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum SourceChoice {
    /// To any switch of another group.
    Switch,
    /// To another group, whichever of its switches comes first.
    Group,
}

impl Choices {
    /// Minimal routing, with buffers for each VC and one class of packets.
    pub const MINIMAL: Choices = Choices {
        valiant: None,
        policy: None,
        local_detour: false,
        escapes: true,
        reserved: [u16::MAX; 2],
        replies: false,
        replies_from_nodes: true,
    };
}

/// A Dragonfly with the VCs and choices of its switches.
#[derive(Clone, Copy, Debug)]
pub struct AdaptiveRouting<'a> {
    /// The topology.
    pub fly: &'a Dragonfly,
    /// Its wiring, links that are down left out. Minimal ways must be whole.
    pub wiring: &'a Wiring,
    /// The sequence of the VCs.
    pub reference: &'a Reference,
    /// The legal VCs, as the switches have them.
    pub masks: &'a Masks,
    /// The choices.
    pub choices: Choices,
}

/// What was found of a network without deadlock.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Proven {
    /// States that were followed; by symmetry each stands for one of each group in a palm tree.
    pub states: usize,
    /// Channels among all choices close a ring. That is no deadlock.
    pub choices_close_rings: bool,
}

/// Follows all choices of all packets.
///
/// # Errors
/// A state without an escape, a ring of escapes, or more states than can be followed.
pub fn adaptive_deadlock(adaptive: &AdaptiveRouting<'_>) -> Result<Proven, AdaptiveFault> {
    let exits = Exits::new(adaptive.fly, adaptive.wiring);
    let moves = Moves::new(adaptive, &exits);
    let mut states = States::new(&moves)?;
    states.start();
    while let Some(state) = states.next() {
        states.expand(state)?;
    }
    match states.ring() {
        Some(ring) => Err(AdaptiveFault::Ring(ring.into_iter().map(|number| moves.place(number)).collect())),
        None => Ok(Proven { states: states.found(), choices_close_rings: states.choices_close_rings() }),
    }
}

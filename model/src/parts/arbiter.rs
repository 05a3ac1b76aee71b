//! The place of an arbiter: round robin, least recent, or another one.
//!
//! Source: switch reference, section 1.

use super::least_recent_arbiter::LeastRecent;
use super::round_robin_arbiter::RoundRobin;
use dyn_clone::DynClone;
use std::fmt::Debug;

/// An arbiter over up to 64 requesters: the counterpart of a hardware block of a user's own.
///
/// A run can be made again, and each switch of a run has a clone.
pub trait Arbiter: DynClone + Debug + Send + Sync {
    /// The winner among `requests`, a mask that is not 0: the grant, if it is used. Gives the number of one of its
    /// bits.
    fn pick(&self, requests: u64) -> usize;

    /// The grant was used.
    fn advance(&mut self, winner: usize);

    /// Back to the state after reset.
    fn reset(&mut self);
}

dyn_clone::clone_trait_object!(Arbiter);

/// A place for an arbiter.
#[derive(Clone, Debug)]
pub enum ArbiterPlace {
    /// Ours.
    RoundRobin(RoundRobin),
    /// Ours, with another policy.
    LeastRecent(LeastRecent),
    /// A user's own.
    Own(Box<dyn Arbiter>),
}

impl ArbiterPlace {
    /// Round robin over `requesters`.
    pub fn round_robin(requesters: usize) -> ArbiterPlace {
        ArbiterPlace::RoundRobin(RoundRobin::new(requesters))
    }

    /// Least recent over `requesters`.
    pub fn least_recent(requesters: usize) -> ArbiterPlace {
        ArbiterPlace::LeastRecent(LeastRecent::new(requesters))
    }

    /// Picks a winner among `requests` (not 0) and uses the grant.
    #[inline]
    pub fn grant(&mut self, requests: u64) -> usize {
        match self {
            ArbiterPlace::RoundRobin(arbiter) => arbiter.grant(requests),
            ArbiterPlace::LeastRecent(arbiter) => arbiter.grant(requests),
            ArbiterPlace::Own(arbiter) => {
                let winner = arbiter.pick(requests);
                assert!(winner < 64 && requests >> winner & 1 == 1, "{arbiter:?} picks {winner} among {requests:#b}");
                arbiter.advance(winner);
                winner
            }
        }
    }

    /// Back to the state after reset.
    pub fn reset(&mut self) {
        match self {
            ArbiterPlace::RoundRobin(arbiter) => arbiter.reset(),
            ArbiterPlace::LeastRecent(arbiter) => arbiter.reset(),
            ArbiterPlace::Own(arbiter) => arbiter.reset(),
        }
    }
}

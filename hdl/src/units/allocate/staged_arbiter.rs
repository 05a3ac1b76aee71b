//! Staged arbiter: chooses one of the requests of several inputs and VCs in two stages.
//!
//! Each cycle, side by side: in each plane an arbiter chooses an input, and the link arbiter chooses a plane among
//! those with a request. With output queues it chooses among those that can be given away, too.
//!
//! Source: switch reference, section 6 (parallel crossbar, packet-wise); reference of Dragonfly routing, arbitration.

use crate::units::prelude::*;
use railyard_spec::ArbitrationPolicy;

/// Chooses one of the requests of several inputs and VCs: a VC, and an input that requests on it.
#[block(inputs: usize, vcs: usize, policy: ArbitrationPolicy, has_planes: bool)]
pub struct StagedArbiter {
    pub clock: ClockIn,
    pub reset: Flag<In>,
    /// Input i requests on VC v.
    pub request: Vec<Sig<In, inputs>, vcs>,
    /// Plane v can be given away.
    pub available: Option<Sig<In, vcs>, has_planes>,
    /// The grant of the current cycle is used.
    pub take: Flag<In>,
    /// Winner, one-hot over the inputs of all VCs; zero without a request.
    pub grant: Vec<Sig<Out, inputs>, vcs>,
    /// There is a request.
    pub wanted: Flag<Out>,

    #[made(many(vcs, || arbiter_by(policy, inputs)))]
    plane: Vec<Arbiter>,
    #[made((vcs > 1).then(|| arbiter_by(policy, vcs)))]
    link: Option<Arbiter>,

    /// There is a request on VC v.
    waiting: Sig<Local, vcs>,
    /// VC of the winner, one-hot.
    turn: Sig<Local, vcs>,

    inputs: Param,
    vcs: Param,
}

impl StagedArbiter {
    /// The arbiter of each plane.
    pub fn input_arbiters(&mut self) -> &mut [Arbiter] {
        &mut self.plane
    }
}

#[kernel]
impl StagedArbiter {
    fn update(&mut self) {
        self.waiting.next = 0.into();
        for v in 0..self.vcs {
            self.waiting.set(v, self.request[v].val().any());
            self.plane[v].request.next = self.request[v].val();
        }
        if let Some(available) = &self.available {
            self.waiting.next = self.waiting.val() & available.val();
        }
        self.turn.next = self.waiting.val();
        self.wanted.next = self.waiting.val().any();
        if let Some(link) = &mut self.link {
            link.request.next = self.waiting.val();
            link.take.next = self.take.val();
            self.turn.next = link.grant.val();
        }
        for v in 0..self.vcs {
            self.plane[v].take.next = self.take.val() & self.turn.val().get_bit(v);
            self.grant[v].next = 0.into();
            if self.turn.val().get_bit(v) {
                self.grant[v].next = self.plane[v].grant.val();
            }
        }
    }
}

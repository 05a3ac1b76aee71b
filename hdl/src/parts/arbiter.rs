//! The place of an arbiter: a round-robin arbiter, or another block with the same ports.
//!
//! In Verilog the place is not there: what stands in it is the instance. In simulation it hands the ports on.
//!
//! Source: switch reference, section 1 (round robin).

use crate::parts::round_robin_arbiter::{round_robin_arbiter, RoundRobinArbiter};
use crate::rtl::part::Clocked;
use crate::rtl::prelude::*;
use rust_hdl_core::prelude::{Clock, Probe};

/// A block that chooses one of several requesters in each cycle.
///
/// It has the fields `clock`, `reset`, `request`, `take` and `grant`, named so: the block around it drives them by
/// name.
///
/// - `grant` is one-hot and follows `request` in the same cycle. It is zero without a request, and never zero with one.
/// - `take` says that the grant is used, and may depend on `grant`. So `grant` does not depend on `take`.
pub trait ArbiterBlock: Block + Clocked {
    /// The ports.
    fn ports(&mut self) -> ArbiterPorts<'_>;
}

/// The ports of an arbiter.
#[derive(Debug)]
pub struct ArbiterPorts<'a> {
    /// Requester i requests the grant; as many bits as requesters.
    pub request: &'a mut Sig<In>,
    /// The grant of the current cycle is used.
    pub take: &'a mut Flag<In>,
    /// Winner, one-hot; zero without a request.
    pub grant: &'a mut Sig<Out>,
}

impl ArbiterBlock for RoundRobinArbiter {
    fn ports(&mut self) -> ArbiterPorts<'_> {
        ArbiterPorts { request: &mut self.request, take: &mut self.take, grant: &mut self.grant }
    }
}

/// A place for an arbiter.
pub struct Arbiter {
    /// Requester i requests the grant.
    pub request: Sig<In>,
    /// The grant of the current cycle is used.
    pub take: Flag<In>,
    /// Winner, one-hot; zero without a request.
    pub grant: Sig<Out>,
    block: Box<dyn ArbiterBlock>,
}

/// A place with a round-robin arbiter among `requesters`.
pub fn arbiter(requesters: usize) -> Arbiter {
    Arbiter {
        request: sig(requesters),
        take: flag(),
        grant: sig(requesters),
        block: Box::new(round_robin_arbiter(requesters)),
    }
}

impl Arbiter {
    /// Puts another block into the place; `make` gets the number of requesters.
    ///
    /// # Panics
    /// `request` or `grant` of the block is not as wide as there are requesters.
    #[track_caller]
    pub fn replace<B: ArbiterBlock + 'static>(&mut self, make: impl Fn(usize) -> B) {
        let requesters = self.request.width();
        let mut block = make(requesters);
        let ports = block.ports();
        for (name, width) in [("request", ports.request.width()), ("grant", ports.grant.width())] {
            assert!(
                width == requesters,
                "`{name}` of an arbiter among {requesters} has {requesters} bits, not {width}"
            );
        }
        self.block = Box::new(block);
    }
}

impl Logic for Arbiter {
    fn update(&mut self) {}
}

impl Block for Arbiter {
    fn connect_all(&mut self) {
        self.block.connect_all();
    }
    fn update_all(&mut self) {
        self.request.update_all();
        self.take.update_all();
        let ports = self.block.ports();
        ports.request.next = self.request.val();
        ports.take.next = self.take.val();
        self.block.update_all();
        self.grant.next = self.block.ports().grant.val();
        self.grant.update_all();
    }
    fn has_changed(&self) -> bool {
        self.request.has_changed() || self.take.has_changed() || self.grant.has_changed() || self.block.has_changed()
    }
    fn accept(&self, name: &str, probe: &mut dyn Probe) {
        self.block.accept(name, probe);
    }
}

impl Clocked for Arbiter {
    fn wire_clock(&mut self, clock: Clock, reset: Option<bool>) {
        self.block.wire_clock(clock, reset);
    }
    fn wire_clock_hdl(&self, name: &str, resets: bool, out: &mut ast::VerilogBlock) {
        self.block.wire_clock_hdl(name, resets, out);
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    #[should_panic(expected = "`request` of an arbiter among 4 has 4 bits, not 3")]
    fn a_block_of_another_width_is_refused() {
        arbiter(4).replace(|requesters| round_robin_arbiter(requesters - 1));
    }
}

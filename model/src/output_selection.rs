//! Output selection: behind each route queue a register whose packet goes by one link of a group, or to one of several
//! candidate ports. The choice is made anew in each cycle until the allocator takes it.
//!
//! Source: switch reference, section 5.1; seed 000 sections 4.2.4 and 5.2.1.

use crate::address_hash::AddressHash;
use crate::allocator::Allocator;
use crate::bits::{ones, MAX_VCS};
use crate::credits::Credits;
use crate::crossbar::Grants;
use crate::registers::{Method, Registers};
use crate::route_queue::{Candidates, Route, RouteResult};
use railyard_spec::Shape;

/// The selectors of a VC's packets that have arrived and are not yet in the selection register, in their order.
#[derive(Clone, Debug)]
struct Selectors {
    places: Vec<u8>,
    read: usize,
    length: usize,
}

impl Selectors {
    fn push(&mut self, selector: u8) {
        assert!(self.length < self.places.len(), "each packet that waits has a flit in the buffer");
        let at = (self.read + self.length) & (self.places.len() - 1);
        self.places[at] = selector;
        self.length += 1;
    }

    fn pop(&mut self) -> u8 {
        debug_assert!(self.length > 0);
        let selector = self.places[self.read];
        self.read = (self.read + 1) & (self.places.len() - 1);
        self.length -= 1;
        selector
    }
}

/// One VC's output selection.
#[derive(Clone, Debug)]
struct SelectionVc {
    selectors: Selectors,
    turn: u8,
    /// The head register of the route queue, if it is there and known.
    head: Route,
    /// The selection register: route, selector or turn, and output.
    route: Route,
    selector: u8,
    output: Route,
}

/// The selection registers of all (port, VC).
#[derive(Clone, Debug)]
pub struct OutputSelection {
    /// At `p * k + v`.
    vcs: Vec<SelectionVc>,
    /// Mask over ports whose head register of VC v is there and known.
    ready: [u64; MAX_VCS],
    /// Mask over ports whose selection register of VC v holds a packet.
    holding: [u64; MAX_VCS],
    /// Those of them whose output follows the credits of the candidates.
    adaptive: [u64; MAX_VCS],
    /// Those of them whose output follows the links of a group.
    grouped: [u64; MAX_VCS],
    /// The hash of link aggregation; without it, selectors are the addresses' low bits.
    hash: Option<AddressHash>,
    vcs_per_port: usize,
}

impl OutputSelection {
    /// For a switch of that shape, if it selects outputs.
    pub fn new(shape: &Shape) -> Option<Self> {
        let address_bits = shape.address_bits().filter(|_| shape.output_selection())?;
        let vc = SelectionVc {
            selectors: Selectors { places: vec![0; shape.buffer_flits as usize], read: 0, length: 0 },
            turn: 0,
            head: Route::Drop,
            route: Route::Drop,
            selector: 0,
            output: Route::Drop,
        };
        Some(OutputSelection {
            vcs: vec![vc; shape.ports * shape.vcs],
            ready: [0; MAX_VCS],
            holding: [0; MAX_VCS],
            adaptive: [0; MAX_VCS],
            grouped: [0; MAX_VCS],
            hash: shape.link_aggregation.as_ref().map(|l| AddressHash::of(l.crc, 0xff, address_bits)),
            vcs_per_port: shape.vcs,
        })
    }

    /// A packet for `address` arrives at route computation: its selector is fixed.
    #[inline]
    pub fn arrive(&mut self, port: usize, vc: usize, address: u64, method: Method) {
        let selector = match &self.hash {
            Some(hash) if method != Method::Residue => hash.set(address) as u8,
            _ => address as u8,
        };
        self.vcs[port * self.vcs_per_port + vc].selectors.push(selector);
    }

    /// The head register of (port, VC) was written. The old head has been taken, or was empty or pending.
    #[inline]
    pub fn head_changed(&mut self, port: usize, vc: usize, head: Option<RouteResult>) {
        if let Some(RouteResult::Known(route)) = head {
            self.vcs[port * self.vcs_per_port + vc].head = route;
            self.ready[vc] |= 1 << port;
        }
    }

    /// One cycle, after allocation in it and before anything else of it is entered into `registers` and `credits`: loads
    /// the selection registers, chooses the outputs, and tells the allocator. Gives the mask over ports whose head
    /// register of VC v is taken.
    pub fn step(
        &mut self,
        now: u64,
        grants: &Grants,
        registers: &Registers,
        credits: &Credits,
        allocator: &mut Allocator,
    ) -> [u64; MAX_VCS] {
        let mut taken = [0; MAX_VCS];
        for (vc, heads) in taken[..self.vcs_per_port].iter_mut().enumerate() {
            let gone = grants.taken(vc);
            for mask in [&mut self.holding[vc], &mut self.adaptive[vc], &mut self.grouped[vc]] {
                *mask &= !gone;
            }
            let followed = self.adaptive[vc] | if registers.links_changed() { self.grouped[vc] } else { 0 };
            for port in ones(followed) {
                let chosen = self.choose(now, port, vc, registers, credits);
                let output = &mut self.vcs[port * self.vcs_per_port + vc].output;
                if chosen != *output {
                    allocator.output_changed(port, vc, *output, chosen);
                    *output = chosen;
                }
            }
            *heads = self.ready[vc] & !self.holding[vc];
            for port in ones(*heads) {
                self.load(port, vc, registers);
                let chosen = self.choose(now, port, vc, registers, credits);
                self.vcs[port * self.vcs_per_port + vc].output = chosen;
                allocator.head_changed(port, vc, Some(RouteResult::Known(chosen)));
            }
            self.ready[vc] &= !*heads;
            self.holding[vc] |= *heads;
        }
        taken
    }

    /// The head of (port, VC) goes into the selection register.
    #[inline]
    fn load(&mut self, port: usize, vc: usize, registers: &Registers) {
        let state = &mut self.vcs[port * self.vcs_per_port + vc];
        state.route = state.head;
        state.selector = state.selectors.pop();
        match state.route {
            Route::Group(..) => {
                self.grouped[vc] |= 1 << port;
                if registers.links().method == Method::Turn {
                    state.selector = state.turn;
                    state.turn = state.turn.wrapping_add(1);
                }
            }
            Route::Candidates(candidates) if !candidates.in_order() => self.adaptive[vc] |= 1 << port,
            Route::Candidates(_) | Route::Port(_) | Route::PortVc(..) | Route::Drop => {}
        }
    }

    /// The output of what (port, VC)'s selection register holds, from the registers and credits as they are.
    #[inline]
    fn choose(&self, now: u64, port: usize, vc: usize, registers: &Registers, credits: &Credits) -> Route {
        let state = &self.vcs[port * self.vcs_per_port + vc];
        match state.route {
            Route::Group(group, on) => {
                registers.links().port(group, state.selector).map_or(Route::Drop, |port| Route::new(port, on))
            }
            Route::Candidates(candidates) => {
                let at = if candidates.in_order() {
                    state.selector % candidates.count()
                } else {
                    self.roomiest(now, candidates, vc, credits)
                };
                Route::new(candidates.port(at), candidates.vc())
            }
            route @ (Route::Port(_) | Route::PortVc(..) | Route::Drop) => route,
        }
    }

    /// The number of the candidate with the most room; the lowest of equals.
    #[inline]
    fn roomiest(&self, now: u64, candidates: Candidates, vc: usize, credits: &Credits) -> u8 {
        let leaves_on = candidates.vc().map_or(vc, usize::from);
        let room = |at: u8| credits.room(candidates.port(at) as usize * self.vcs_per_port + leaves_on, now);
        let mut best = (0, room(0));
        for at in 1..candidates.count() {
            let room = room(at);
            if room > best.1 {
                best = (at, room);
            }
        }
        best.0
    }

    /// Reset: all registers empty, all turns 0.
    pub fn reset(&mut self) {
        for vc in &mut self.vcs {
            (vc.selectors.read, vc.selectors.length, vc.turn) = (0, 0, 0);
        }
        for masks in [&mut self.ready, &mut self.holding, &mut self.adaptive, &mut self.grouped] {
            *masks = [0; MAX_VCS];
        }
    }
}

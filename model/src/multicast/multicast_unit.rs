//! Multicast: the global resource bulletin, by which a multicast packet gets all its outputs at once or none.
//!
//! Source: switch reference, section 6.1; Cao2016, 5.1.

use crate::allocate::allocator::{Allocator, Barred};
use crate::bits::ones;
use crate::multicast::fan_out::FanOuts;
use crate::output::credit_counter::Credits;
use crate::output::crossbar::{Crossbar, Grants};
use crate::parts::round_robin_arbiter::RoundRobin;
use railyard_spec::Shape;

/// What the fan-out registers did in a cycle: masks over inputs.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct FannedOut {
    /// Took a packet from the head register.
    pub loaded: u64,
    /// Started their packet.
    pub started: u64,
    /// Waited for outputs, or with them for the start.
    pub stalled: u64,
    /// Read a word with wrong parity.
    pub faulty: u64,
}

/// The multicast packet that others must not keep from its outputs.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Favoured {
    /// Its input.
    pub input: usize,
    /// It wants outputs.
    pub wants: bool,
    /// It has waited for so long that room is saved for it.
    pub is_saved_for: bool,
}

/// Fan-out registers and bulletin of a switch.
#[derive(Clone, Debug)]
pub struct MulticastUnit {
    /// The fan-out registers.
    pub fan_outs: FanOuts,
    /// Outputs where a multicast packet can be granted. Kept for the outputs that may be wanted in this cycle only.
    bulletin: u64,
    /// Those of them that have room to spare.
    spare: u64,
    /// Outputs granted to a multicast packet that has not started.
    reserved: u64,
    /// Outputs where it is the turn of multicast packets.
    turns: u64,
    /// Outputs where unicast packets of any VC come before the next multicast packet.
    yields: u64,
    /// The input whose packet others must not come before,
    favoured: usize,
    /// for how many cycles it has waited for its outputs,
    waited: i32,
    /// the outputs that it holds,
    claim: u64,
    /// and those where room is saved for it.
    saved: u64,
    arbiter: RoundRobin,
    /// Room is saved for a packet that has waited for so many cycles.
    patience: i32,
    /// The mixed VC.
    vc: usize,
    ports: usize,
    vcs: usize,
    max_flits: i32,
}

impl MulticastUnit {
    /// For a switch of that shape, if it has a mixed VC, as after a reset before cycle `now`.
    pub fn new(shape: &Shape, now: u64) -> Option<Box<Self>> {
        let built = shape.multicast.as_ref()?;
        Some(Box::new(MulticastUnit {
            fan_outs: FanOuts::new(built, now),
            bulletin: 0,
            spare: 0,
            reserved: 0,
            turns: 0,
            yields: 0,
            favoured: 0,
            waited: 0,
            claim: 0,
            saved: 0,
            arbiter: RoundRobin::new(shape.ports),
            patience: 64 * shape.max_flits as i32,
            vc: built.vc,
            ports: shape.ports,
            vcs: shape.vcs,
            max_flits: shape.max_flits as i32,
        }))
    }

    /// The mixed VC.
    #[inline]
    pub fn vc(&self) -> usize {
        self.vc
    }

    /// Whether no output is wanted or taken off the bulletin by a multicast packet.
    pub fn is_idle(&self) -> bool {
        self.fan_outs.occupied() == 0 && self.reserved == 0
    }

    /// The packet that is favoured.
    #[inline]
    pub fn favoured(&self) -> Favoured {
        Favoured {
            input: self.favoured,
            wants: self.fan_outs.waiting >> self.favoured & 1 == 1,
            is_saved_for: self.waited == self.patience,
        }
    }

    /// What it keeps from other packets in this cycle.
    #[inline]
    pub fn barred(&self) -> Barred {
        Barred { inputs: self.fan_outs.occupied(), turns: self.turns, saved: self.saved, reserved: self.reserved }
    }

    /// Cycle `now`, after allocation in it: grants and starts multicast packets, loads fan-out registers from the head
    /// registers unless the group table is being `written`. What is connected is added to `grants`.
    #[inline]
    pub fn step(
        &mut self,
        now: u64,
        written: bool,
        allocator: &mut Allocator,
        crossbar: &Crossbar,
        credits: &Credits,
        grants: &mut Grants,
    ) -> FannedOut {
        let heads = allocator.multicast_heads();
        if self.fan_outs.occupied() | heads == 0 {
            self.rest(now, allocator, crossbar, credits, grants);
            return FannedOut::default();
        }
        let wanting = self.fan_outs.waiting;
        let granted = self.grant(wanting);
        let taken = self.fan_outs.outputs_of_all(granted);

        let free = crossbar.free_inputs(self.vc);
        let mut started = 0;
        for input in ones(self.fan_outs.granted & free) {
            let outputs = self.fan_outs.outputs(input);
            if outputs & !crossbar.free_outputs(0) == 0 {
                started |= 1 << input;
                grants.start(input, outputs);
            }
        }
        let dropped = self.fan_outs.to_drop & free;
        grants.fan_out_drops = dropped;
        let let_go = started | dropped;
        let stalled = wanting & !granted | self.fan_outs.granted & !started;

        let on_mixed = grants.outputs_on(self.vc);
        let started_outputs = self.fan_outs.outputs_of_all(started);
        self.yields = started_outputs | self.still_yielding(now, allocator, crossbar, credits, grants);
        self.bulletin = self.bulletin_of(now, crossbar, credits) & !(self.reserved | taken | on_mixed | self.yields);
        self.spare = ones(self.bulletin)
            .filter(|&output| allocator.has_spare_room(now, crossbar, credits, output))
            .fold(0, |spare, output| spare | 1 << output);
        let room = [1, 2].map(|packets| self.room(now, credits, packets));
        self.take_turns(wanting, room, taken, on_mixed, allocator);
        self.favour(wanting, room, granted);
        self.reserved = self.reserved & !started_outputs | taken;

        let loaded = if written { 0 } else { heads & (!self.fan_outs.occupied() | let_go) };
        let faulty = self.fan_outs.step(granted, let_go, loaded, allocator.multicast_groups());
        allocator.take_multicast(loaded);
        FannedOut { loaded, started, stalled, faulty }
    }

    /// A cycle in which there is no multicast packet.
    #[inline]
    fn rest(&mut self, now: u64, allocator: &Allocator, crossbar: &Crossbar, credits: &Credits, grants: &Grants) {
        debug_assert_eq!(self.reserved, 0);
        self.yields = self.still_yielding(now, allocator, crossbar, credits, grants);
        (self.bulletin, self.spare, self.turns) = (0, 0, 0);
        self.favour(0, [0; 2], 0);
    }

    /// The input among `wanting` that is granted its outputs, as a mask.
    #[inline]
    fn grant(&mut self, wanting: u64) -> u64 {
        let there = self.bulletin & self.turns;
        let requests = ones(wanting).fold(0u64, |requests, input| {
            let outputs = self.fan_outs.outputs(input);
            let passes = input == self.favoured || outputs & (self.claim | self.saved & !self.spare) == 0;
            requests | ((outputs & !there == 0 && passes) as u64) << input
        });
        if requests == 0 {
            0
        } else {
            1 << self.arbiter.grant(requests)
        }
    }

    /// Outputs with room for another multicast packet behind what leaves on the mixed VC now, of those that may be
    /// wanted next.
    #[inline]
    fn bulletin_of(&self, now: u64, crossbar: &Crossbar, credits: &Credits) -> u64 {
        let soon = self.fan_outs.outputs_of_all(self.fan_outs.reading | self.fan_outs.waiting);
        ones(soon).fold(0, |bulletin, output| {
            let needed = if !crossbar.is_sending(output, self.vc) {
                self.max_flits
            } else if crossbar.free_outputs(0) >> output & 1 == 1 {
                self.max_flits + 1
            } else {
                2 * self.max_flits
            };
            let is_there = credits.room(output * self.vcs + self.vc, now) >= needed;
            bulletin | (is_there as u64) << output
        })
    }

    /// The outputs among those that yield where a unicast packet waits still: requested, but not granted.
    #[inline]
    fn still_yielding(
        &self,
        now: u64,
        allocator: &Allocator,
        crossbar: &Crossbar,
        credits: &Credits,
        grants: &Grants,
    ) -> u64 {
        ones(self.yields & !grants.outputs())
            .filter(|&output| allocator.is_requested(now, crossbar, credits, output))
            .fold(0, |yields, output| yields | 1 << output)
    }

    /// Outputs that are wanted and have room for so many maximum packets on the mixed VC.
    #[inline]
    fn room(&self, now: u64, credits: &Credits, packets: i32) -> u64 {
        let wanted = self.fan_outs.outputs_of_all(self.fan_outs.waiting);
        ones(wanted).fold(0, |room, output| {
            let is_there = credits.room(output * self.vcs + self.vc, now) >= packets * self.max_flits;
            room | (is_there as u64) << output
        })
    }

    /// The outputs that the packet of an input holds: those that it wants, if all the others of these have room for it;
    /// `room` is that for one and for two packets.
    #[inline]
    fn held(&self, input: usize, [one, two]: [u64; 2]) -> u64 {
        let wanted = self.fan_outs.outputs(input);
        let room = if input == self.favoured { one } else { one & (two | !self.saved) };
        let full = wanted & !room;
        match full.count_ones() {
            0 => wanted,
            1 => full,
            _ => 0,
        }
    }

    /// Of each output that is held, whether the next packet on the mixed VC is a multicast packet. `taken`: outputs
    /// granted to a multicast packet; `on_mixed`: to a unicast packet that leaves on the mixed VC.
    #[inline]
    fn take_turns(&mut self, wanting: u64, room: [u64; 2], taken: u64, on_mixed: u64, allocator: &Allocator) {
        let held = ones(wanting).fold(0, |held, input| held | self.held(input, room)) & !taken;
        // A unicast packet there may wait for more room than the favoured packet needs.
        let at_once = self.claim & self.saved;
        self.turns = ones(held & !self.turns)
            .filter(|&output| (at_once | on_mixed) >> output & 1 == 1 || !allocator.has_head_on_mixed(output))
            .fold(self.turns & held, |turns, output| turns | 1 << output);
    }

    /// Each input is favoured by turns, until its packet has its outputs.
    #[inline]
    fn favour(&mut self, wanting: u64, room: [u64; 2], granted: u64) {
        if (wanting & !granted) >> self.favoured & 1 == 1 {
            self.claim = self.held(self.favoured, room);
            if self.waited == self.patience {
                self.saved = self.fan_outs.outputs(self.favoured);
            } else {
                self.waited += 1;
            }
        } else {
            (self.waited, self.claim, self.saved) = (0, 0, 0);
            self.favoured = if self.favoured + 1 == self.ports { 0 } else { self.favoured + 1 };
        }
    }

    /// Reset; cycle `now` is the first one without.
    pub fn reset(&mut self, now: u64) {
        self.fan_outs.reset(now);
        (self.bulletin, self.reserved, self.turns, self.yields) = (0, 0, 0, 0);
        (self.favoured, self.waited, self.claim, self.saved, self.spare) = (0, 0, 0, 0, 0);
        self.arbiter = RoundRobin::new(self.ports);
    }
}

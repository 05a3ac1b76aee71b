//! Multicast grant: which multicast packets get all their outputs, by the global resource bulletin.
//!
//! State, one bit for each output: `bulletin` (a multicast packet could be sent behind what is under way),
//! `is_reserved`, `is_turn`, `yields` (a unicast packet goes before the next multicast packet), `claim` and `is_saved`
//! (of the favoured input), `spare` (what is on the bulletin has room for two packets); for each input: `granted`,
//! `favoured` (one-hot); `waited` (cycles that the favoured input has waited, up to those of `PATIENCE` packets of
//! maximum length); a round robin pointer over inputs.
//!
//! Each cycle, side by side: (1) among the packets whose outputs are all on the bulletin and in their turn, an arbiter
//! grants one; its outputs are reserved, and leave the bulletin. (2) The favoured input keeps what it claims from
//! others, until it is granted. A packet claims, and has its turn, only where all its other outputs have credit (for
//! two, if room is saved there for another one). So no packet waits for a buffer that it does not need. Once the
//! favoured packet has waited for long, other packets leave room for it at all its outputs. So outputs that have room
//! by turns come to have room together. The outputs that it claims then have its turn at once. (3) An output at which a
//! multicast packet has started yields to a unicast packet, if one requests it, before it comes back on the bulletin.
//! All that is chosen comes from registers; `start` and `started`, which come late, reach only what a start ends, and
//! `mixed_grant` and `passed_over`, which come last, only bulletin, turn and yield.
//!
//! Source: switch reference, section 6.1; Cao2016, 5.1 (global resource bulletin).

use crate::units::prelude::*;

/// Room is saved for the favoured packet once it has waited for the time of so many packets of maximum length.
const PATIENCE: usize = 64;

/// Which multicast packets get all their outputs, by the global resource bulletin.
#[block(shape: &Shape)]
pub struct MulticastGrant {
    pub clock: ClockIn,
    pub reset: Flag<In>,
    /// Input i has a multicast packet that waits for its outputs.
    pub waiting: Sig<In, ports>,
    /// Outputs that the multicast packet of input i waits for.
    pub outputs: Vec<Sig<In, ports>, ports>,
    pub state: Bare<OutputState<In, ports>>,
    /// The packet of input i has its outputs.
    pub granted: Sig<Out, ports>,
    /// The multicast packet of input i starts.
    pub start: Sig<In, ports>,
    /// Output o is connected for a multicast packet that starts.
    pub started: Sig<In, ports>,
    pub claims: Bare<Claims<Out, ports>>,
    /// The multicast packet of input i is neither granted now nor starts.
    pub stalled: Option<Sig<Out, ports>, { shape.counter_bits.is_some() }>,

    /// A multicast packet can be sent to output o behind what is under way.
    bulletin: Reg<ports>,
    /// Output o is reserved for a multicast packet.
    is_reserved: Reg<ports>,
    /// Multicast packets have their turn at output o.
    is_turn: Reg<ports>,
    /// Output o goes to a unicast packet next, if a unicast packet requests the output.
    yields: Reg<ports>,
    /// The packet of input i has its outputs, and starts when they are free.
    is_granted: Reg<ports>,
    /// Input whose claim counts, one-hot.
    favoured: Reg<ports, 1u8>,
    /// Cycles that the favoured input has waited, up to the limit of patience.
    waited: Reg<{ clog2(long + 1) }>,
    /// Outputs that only the favoured input may get.
    claim: Reg<ports>,
    /// Two packets have room at output o. Meaningful while output o is on the bulletin.
    spare: Reg<ports>,
    /// Outputs at which room is saved for the favoured input.
    is_saved: Reg<ports>,
    arbiter: RoundRobinArbiter<ports>,

    /// Outputs on the bulletin in the turn of multicast packets.
    offered: Sig<Local, ports>,
    /// Outputs that only the favoured input can get.
    withheld: Sig<Local, ports>,
    /// Input i needs its outputs.
    wanting: Sig<Local, ports>,
    /// Outputs that input i needs.
    wants: Vec<Sig<Local, ports>, ports>,
    /// Outputs of input i that the input cannot get.
    missing: Vec<Sig<Local, ports>, ports>,
    /// Outputs of input i that the input cannot get, or that the favoured input keeps.
    kept: Vec<Sig<Local, ports>, ports>,
    /// Input i can get all its outputs.
    request: Sig<Local, ports>,
    /// Outputs that are granted.
    newly_reserved: Sig<Local, ports>,
    /// Outputs that input i needs and that have no room for its packet.
    full: Vec<Sig<Local, ports>, ports>,
    /// Outputs that input i needs while all its other outputs have room.
    holds: Vec<Sig<Local, ports>, ports>,
    /// Outputs that an input holds.
    held: Sig<Local, ports>,
    /// Outputs that a unicast packet waits for, to leave on the mixed VC.
    unicast_waits: Sig<Local, ports>,
    /// Outputs that the favoured input needs.
    favoured_wants: Sig<Local, ports>,
    /// Outputs that the favoured input holds.
    favoured_holds: Sig<Local, ports>,
    /// The favoured input has waited up to the limit of patience.
    waited_long: Flag<Local>,
    /// Outputs at which the unicast packet still waits.
    still_yields: Sig<Local, ports>,
    /// Input behind the favoured one.
    next_favoured: Sig<Local, ports>,

    last: Number<{ ports - 1 }>,
    long: Number<{ PATIENCE * max_flits }>,
    ports: Param<{ shape.ports }>,
    max_flits: Param<{ shape.max_flits as usize }>,
}

#[kernel]
impl MulticastGrant {
    fn update(&mut self) {
        self.request();
        self.grant();
        self.start();
        self.yield_outputs();
        self.hold();
        self.take_turns();
        self.favour();
        self.state_properties();
    }

    /// Request: all outputs, or none.
    fn request(&mut self) {
        self.wanting.next = self.waiting.val() & !self.is_granted.q.val();
        self.offered.next = self.bulletin.q.val() & self.is_turn.q.val();
        self.withheld.next = self.claim.q.val() | (self.is_saved.q.val() & !self.spare.q.val());
        self.request.next = 0.into();
        for i in 0..self.ports {
            self.missing[i].next = self.outputs[i].val() & !self.offered.val();
            self.kept[i].next = self.outputs[i].val() & (!self.offered.val() | self.withheld.val());
            self.request.set(
                i,
                self.wanting.val().get_bit(i)
                    & (!self.kept[i].val().any() | (self.favoured.q.val().get_bit(i) & !self.missing[i].val().any())),
            );
        }
    }

    fn grant(&mut self) {
        self.arbiter.request.next = self.request.val();
        self.arbiter.take.next = self.request.val().any();
        self.newly_reserved.next = 0.into();
        for i in 0..self.ports {
            if self.arbiter.grant.val().get_bit(i) {
                self.newly_reserved.next = self.newly_reserved.val() | self.outputs[i].val();
            }
        }
    }

    fn start(&mut self) {
        self.granted.next = self.is_granted.q.val();
        if let Some(stalled) = &mut self.stalled {
            stalled.next = self.waiting.val() & !self.arbiter.grant.val() & !self.start.val();
        }
        self.is_granted.d.next = (self.is_granted.q.val() & !self.start.val()) | self.arbiter.grant.val();
        self.is_reserved.d.next = (self.is_reserved.q.val() & !self.started.val()) | self.newly_reserved.val();
        self.claims.reserved.next = self.is_reserved.q.val();
    }

    /// Yield, and bulletin.
    fn yield_outputs(&mut self) {
        // Where a packet starts, the output is reserved, and so off the bulletin anyway.
        self.still_yields.next = self.yields.q.val() & self.state.passed_over.val();
        self.yields.d.next = self.started.val() | self.still_yields.val();
        self.bulletin.d.next = self.state.room.val()
            & !self.is_reserved.q.val()
            & !self.newly_reserved.val()
            & !self.state.mixed_grant.val()
            & !self.still_yields.val();
        // Looked at only of what is on the bulletin.
        self.spare.d.next = self.state.mixed_spare.val();
    }

    /// What is held.
    fn hold(&mut self) {
        self.held.next = 0.into();
        self.unicast_waits.next = 0.into();
        self.favoured_wants.next = 0.into();
        self.favoured_holds.next = 0.into();
        for i in 0..self.ports {
            self.wants[i].next = 0.into();
            if self.wanting.val().get_bit(i) {
                self.wants[i].next = self.outputs[i].val();
            }
            self.full[i].next = self.wants[i].val()
                & (!self.state.credit.val() | (self.is_saved.q.val() & !self.state.credit_two.val()));
            if self.favoured.q.val().get_bit(i) {
                self.full[i].next = self.wants[i].val() & !self.state.credit.val();
            }
            self.holds[i].next = self.wants[i].val();
            if self.full[i].val().any() {
                self.holds[i].next = self.full[i].val();
            }
            if (self.full[i].val() & (self.full[i].val() - 1)).any() {
                self.holds[i].next = 0.into();
            }
            self.held.next = self.held.val() | self.holds[i].val();
            self.unicast_waits.next = self.unicast_waits.val() | self.state.mixed_waiting[i].val();
            if self.favoured.q.val().get_bit(i) {
                self.favoured_wants.next = self.favoured_wants.val() | self.wants[i].val();
                self.favoured_holds.next = self.favoured_holds.val() | self.holds[i].val();
            }
        }
    }

    fn take_turns(&mut self) {
        self.is_turn.d.next = self.held.val()
            & !self.newly_reserved.val()
            & (self.is_turn.q.val()
                | (self.claim.q.val() & self.is_saved.q.val())
                | !self.unicast_waits.val()
                | self.state.mixed_grant.val());
        self.claims.turn.next = self.is_turn.q.val();
    }

    fn favour(&mut self) {
        self.next_favoured.next = self.favoured.q.val() << 1;
        self.next_favoured.set(0, self.favoured.q.val().get_bit(self.last));
        self.claim.d.next = self.favoured_holds.val();
        self.waited_long.next = self.waited.q.val() == self.long;
        self.is_saved.d.next = self.favoured_wants.val();
        if !self.waited_long.val() {
            self.is_saved.d.next = 0.into();
            self.waited.d.next = self.waited.q.val() + 1;
        }
        if !self.favoured_wants.val().any() | (self.arbiter.grant.val() & self.favoured.q.val()).any() {
            self.waited.d.next = 0.into();
            self.claim.d.next = 0.into();
            self.is_saved.d.next = 0.into();
            self.favoured.d.next = self.next_favoured.val();
        }
        self.claims.saved.next = self.is_saved.q.val();
    }

    /// What holds in each cycle.
    fn state_properties(&self) {
        assert!(
            self.favoured.q.val().any() & !(self.favoured.q.val() & (self.favoured.q.val() - 1)).any(),
            "one input is favoured"
        );
        assert!(
            !(self.newly_reserved.val() & self.is_reserved.q.val()).any(),
            "an output is reserved for one multicast packet at a time"
        );
        assert!(!(self.start.val() & !self.is_granted.q.val()).any(), "only a granted multicast packet starts");
        assert!(
            !(self.started.val() & !self.is_reserved.q.val()).any(),
            "a multicast packet starts at reserved outputs"
        );
        assert!(self.waited.q.val() <= self.long, "the count of waiting stops when it is long");
    }
}

//! Multicast grant: which multicast packets get all their outputs, by the global resource bulletin.
//!
//! | port | width | meaning |
//! | --- | --- | --- |
//! | `waiting`, `outputs` | N, N x N | input i has a multicast packet; it is for these outputs |
//! | `room` | N | the next buffer of output o, mixed VC, has room for a packet behind what is being sent |
//! | `credit` | N | the next buffer of output o, mixed VC, has room for a packet of maximum length |
//! | `credit_two` | N | the next buffer of output o, mixed VC, has room for two of them |
//! | `mixed_spare` | N | output o is not sending on the mixed VC, and two packets have room there |
//! | `mixed_waiting` | N x N | unicast packets at heads of input i that leave on the mixed VC wait for these outputs |
//! | `mixed_grant` | N | such a packet gets output o |
//! | `passed_over` | N | a unicast packet requests output o, on whichever VC, and none gets it |
//! | `granted` | N | the packet of input i has its outputs |
//! | `start`, `started` | N, N | it starts (only if it is granted); output o is connected for one that starts |
//! | `turn`, `reserved` | N, N | it is the turn of multicast packets at output o; it is reserved for one |
//! | `saved` | N | room is saved at output o: others start on the mixed VC only if room for a packet remains |
//! | `stalled` | N | that of input i waits in vain: it is neither granted in this cycle nor starts (with counters only) |
//!
//! State, one bit for each output: `bulletin` (a multicast packet could be sent behind what is under way), `is_reserved`, `is_turn`, `yields` (a
//! unicast packet goes before the next multicast packet), `claim` and `is_saved` (of the favoured input), `spare` (what is on the bulletin has room
//! for two packets); for each input: `granted`, `favoured` (one-hot); `waited` (cycles that the favoured input has waited, up to those of `PATIENCE`
//! packets of maximum length); a round robin pointer over inputs.
//!
//! Each cycle, side by side: (1) among the packets whose outputs are all on the bulletin and in their turn, an arbiter grants one; its
//! outputs are reserved, and leave the bulletin. (2) The favoured input keeps what it claims from others, until it is granted. A packet claims, and
//! has its turn, only where all its other outputs have credit (for two, if room is saved there for another one), so that nobody waits for a buffer
//! that it does not need. Once the favoured packet has waited for long, others leave it room wherever it wants to go, so that outputs that have room
//! by turns come to have it together; what it claims there has its turn at once. (3) An output at which a multicast packet has started yields to a
//! unicast packet, if one requests it, before it comes back on the bulletin.
//! All that is chosen comes from registers; `start` and `started`, which come late, reach only what a start ends, and
//! `mixed_grant` and `passed_over`, which come last, only bulletin, turn and yield.
//!
//! Source: switch reference, section 6.1; seed 004 section 5.1 (global resource bulletin).

use crate::parts::round_robin_arbiter::{round_robin_arbiter, RoundRobinArbiter};
use crate::rtl::prelude::*;
use railyard_spec::Shape;

/// Room is saved for the favoured packet once it has waited for the time of so many packets of maximum length.
const PATIENCE: usize = 64;

/// Grants outputs to multicast packets; see the head of this file.
#[block]
pub struct MulticastGrant {
    pub clock: ClockIn,
    pub reset: Flag<In>,
    pub waiting: Sig<In>,
    pub outputs: Vec<Sig<In>>,
    pub room: Sig<In>,
    pub credit: Sig<In>,
    pub credit_two: Sig<In>,
    pub mixed_spare: Sig<In>,
    pub mixed_waiting: Vec<Sig<In>>,
    pub mixed_grant: Sig<In>,
    pub passed_over: Sig<In>,
    pub granted: Sig<Out>,
    pub start: Sig<In>,
    pub started: Sig<In>,
    pub turn: Sig<Out>,
    pub reserved: Sig<Out>,
    pub saved: Sig<Out>,
    pub stalled: Vec<Sig<Out>>,

    bulletin: Reg,
    is_reserved: Reg,
    is_turn: Reg,
    yields: Reg,
    is_granted: Reg,
    favoured: Reg,
    waited: Reg,
    claim: Reg,
    spare: Reg,
    is_saved: Reg,
    arbiter: RoundRobinArbiter,

    offered: Sig<Local>,
    withheld: Sig<Local>,
    wanting: Sig<Local>,
    wants: Vec<Sig<Local>>,
    missing: Vec<Sig<Local>>,
    kept: Vec<Sig<Local>>,
    request: Sig<Local>,
    newly_reserved: Sig<Local>,
    full: Vec<Sig<Local>>,
    holds: Vec<Sig<Local>>,
    held: Sig<Local>,
    unicast_waits: Sig<Local>,
    favoured_wants: Sig<Local>,
    favoured_holds: Sig<Local>,
    waited_long: Flag<Local>,
    still_yields: Sig<Local>,
    next_favoured: Sig<Local>,

    ports: Param,
    last: Param,
    long: Param,
    about: About,
}

/// Grants of the multicast packets of a switch.
pub fn multicast_grant(shape: &Shape) -> MulticastGrant {
    let (n, max_flits) = (shape.ports, shape.max_flits as usize);
    let long = PATIENCE * max_flits;
    let doc = "Which multicast packets get all their outputs, by the global resource bulletin.";
    MulticastGrant {
        clock: clock(),
        reset: flag().doc("synchronous reset, active high"),
        waiting: sig(n).doc("input i has a multicast packet that waits for its outputs"),
        outputs: many(n, || sig(n).doc("these")),
        room: sig(n).doc("output o has room for a packet on the mixed VC behind what is being sent"),
        credit: sig(n).doc("the next buffer of output o has room for a packet on the mixed VC"),
        credit_two: sig(n).doc("the next buffer of output o has room for two packets on the mixed VC"),
        mixed_spare: sig(n).doc("output o is not sending on the mixed VC, and two packets have room there"),
        mixed_waiting: many(n, || sig(n).doc("unicast packets of input i, to leave on the mixed VC, wait for these")),
        mixed_grant: sig(n).doc("such a packet gets output o"),
        passed_over: sig(n).doc("a unicast packet requests output o, and none gets it"),
        granted: sig(n).doc("the packet of input i has its outputs"),
        start: sig(n).doc("the multicast packet of input i starts"),
        started: sig(n).doc("output o is connected for one that starts"),
        turn: sig(n).doc("it is the turn of multicast packets at output o"),
        reserved: sig(n).doc("output o is reserved for a multicast packet"),
        saved: sig(n).doc("others start on the mixed VC at output o only if room for a packet remains"),
        stalled: many(usize::from(shape.counter_bits.is_some()), || {
            sig(n).doc("the multicast packet of input i is neither granted now nor starts")
        }),
        bulletin: reg(n, 0u8).doc("a multicast packet can be sent to output o behind what is under way"),
        is_reserved: reg(n, 0u8).doc("output o is reserved for a multicast packet"),
        is_turn: reg(n, 0u8).doc("it is the turn of multicast packets at output o"),
        yields: reg(n, 0u8).doc("output o goes to a unicast packet next, if one requests it"),
        is_granted: reg(n, 0u8).doc("the packet of input i has its outputs, and starts when they are free"),
        favoured: reg(n, 1u8).doc("input whose claim counts, one-hot"),
        waited: reg(clog2(long + 1), 0u8).doc("cycles that the favoured input has waited; stops when they are long"),
        claim: reg(n, 0u8).doc("outputs that only the favoured input may get"),
        spare: reg(n, 0u8).doc("if output o is on the bulletin: two packets have room there"),
        is_saved: reg(n, 0u8).doc("outputs at which room is saved for the favoured input"),
        arbiter: round_robin_arbiter(n),
        offered: sig(n).doc("outputs on the bulletin in the turn of multicast packets"),
        withheld: sig(n).doc("outputs that only the favoured input can get"),
        wanting: sig(n).doc("input i wants its outputs"),
        wants: many(n, || sig(n).doc("outputs that input i wants")),
        missing: many(n, || sig(n).doc("outputs of input i that it can't get")),
        kept: many(n, || sig(n).doc("outputs of input i that it can't get, or that the favoured input keeps")),
        request: sig(n).doc("input i can get all its outputs"),
        newly_reserved: sig(n).doc("outputs that are granted"),
        full: many(n, || sig(n).doc("outputs that input i wants and that have no room for it")),
        holds: many(n, || sig(n).doc("outputs that input i wants, all the others of which have room for it")),
        held: sig(n).doc("outputs that an input holds"),
        unicast_waits: sig(n).doc("outputs that a unicast packet waits for, to leave on the mixed VC"),
        favoured_wants: sig(n).doc("outputs that the favoured input wants"),
        favoured_holds: sig(n).doc("outputs that the favoured input holds"),
        waited_long: flag().doc("the favoured input has waited for long"),
        still_yields: sig(n).doc("outputs at which the unicast packet still waits"),
        next_favoured: sig(n).doc("the input behind the favoured one"),
        ports: param(n),
        last: param(n - 1),
        long: param(long),
        about: about("multicast_grant", doc).param("ports", n).param("max_flits", max_flits),
    }
}

#[kernel]
impl MulticastGrant {
    fn update(&mut self) {
        // Request: all outputs, or none.
        self.wanting.next = self.waiting.val() & !self.is_granted.q.val();
        self.offered.next = self.bulletin.q.val() & self.is_turn.q.val();
        self.withheld.next = self.claim.q.val() | (self.is_saved.q.val() & !self.spare.q.val());
        self.request.next = 0.into();
        for i in 0..self.ports.val() {
            self.missing[i].next = self.outputs[i].val() & !self.offered.val();
            self.kept[i].next = self.outputs[i].val() & (!self.offered.val() | self.withheld.val());
            self.request.next = self.request.val().replace_bit(
                i,
                self.wanting.val().get_bit(i)
                    & (!self.kept[i].val().any() | (self.favoured.q.val().get_bit(i) & !self.missing[i].val().any())),
            );
        }

        // Grant.
        self.arbiter.request.next = self.request.val();
        self.arbiter.take.next = self.request.val().any();
        self.newly_reserved.next = 0.into();
        for i in 0..self.ports.val() {
            if self.arbiter.grant.val().get_bit(i) {
                self.newly_reserved.next = self.newly_reserved.val() | self.outputs[i].val();
            }
        }

        // Start.
        self.granted.next = self.is_granted.q.val();
        for c in 0..self.stalled.len() {
            self.stalled[c].next = self.waiting.val() & !self.arbiter.grant.val() & !self.start.val();
        }
        self.is_granted.d.next = (self.is_granted.q.val() & !self.start.val()) | self.arbiter.grant.val();
        self.is_reserved.d.next = (self.is_reserved.q.val() & !self.started.val()) | self.newly_reserved.val();
        self.reserved.next = self.is_reserved.q.val();

        // Yield, and bulletin. Where a packet starts, the output is reserved, and so off the bulletin anyway.
        self.still_yields.next = self.yields.q.val() & self.passed_over.val();
        self.yields.d.next = self.started.val() | self.still_yields.val();
        self.bulletin.d.next = self.room.val()
            & !self.is_reserved.q.val()
            & !self.newly_reserved.val()
            & !self.mixed_grant.val()
            & !self.still_yields.val();
        // Looked at only of what is on the bulletin.
        self.spare.d.next = self.mixed_spare.val();

        // Turn, and what is held.
        self.held.next = 0.into();
        self.unicast_waits.next = 0.into();
        self.favoured_wants.next = 0.into();
        self.favoured_holds.next = 0.into();
        for i in 0..self.ports.val() {
            self.wants[i].next = 0.into();
            if self.wanting.val().get_bit(i) {
                self.wants[i].next = self.outputs[i].val();
            }
            self.full[i].next =
                self.wants[i].val() & (!self.credit.val() | (self.is_saved.q.val() & !self.credit_two.val()));
            if self.favoured.q.val().get_bit(i) {
                self.full[i].next = self.wants[i].val() & !self.credit.val();
            }
            self.holds[i].next = self.wants[i].val();
            if self.full[i].val().any() {
                self.holds[i].next = self.full[i].val();
            }
            if (self.full[i].val() & (self.full[i].val() - 1)).any() {
                self.holds[i].next = 0.into();
            }
            self.held.next = self.held.val() | self.holds[i].val();
            self.unicast_waits.next = self.unicast_waits.val() | self.mixed_waiting[i].val();
            if self.favoured.q.val().get_bit(i) {
                self.favoured_wants.next = self.favoured_wants.val() | self.wants[i].val();
                self.favoured_holds.next = self.favoured_holds.val() | self.holds[i].val();
            }
        }
        self.is_turn.d.next = self.held.val()
            & !self.newly_reserved.val()
            & (self.is_turn.q.val()
                | (self.claim.q.val() & self.is_saved.q.val())
                | !self.unicast_waits.val()
                | self.mixed_grant.val());
        self.turn.next = self.is_turn.q.val();

        // Favoured.
        self.next_favoured.next = self.favoured.q.val() << 1;
        self.next_favoured.next =
            self.next_favoured.val().replace_bit(0, self.favoured.q.val().get_bit(self.last.val()));
        self.claim.d.next = self.favoured_holds.val();
        self.waited_long.next = self.waited.q.val() == self.long.val();
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
        self.saved.next = self.is_saved.q.val();
    }
}

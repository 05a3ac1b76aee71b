//! Output sense: what decisions see of an output, a cycle later.
//!
//! State: places in use behind the output. With detours also where a packet has room, whether the output is busy, and
//! by how many places behind it packets go around it. With vias also with how many places behind other outputs packets
//! don't go here. With minimal credits also the places in use by which packets go around this output.
//!
//! Source: reference of Dragonfly routing, what is sensed.

use crate::units::prelude::*;
use railyard_spec::legal::CASES;

/// What decisions see of an output. An output to a node is the way of no detour, and is never around a full one.
#[block(shape: &Shape, built: &DragonflyShape, leads_on: bool)]
pub struct OutputSense {
    pub clock: ClockIn,
    pub reset: Flag<In>,
    /// Places in use of the next buffer of VC v.
    pub in_use: Vec<Sig<In, { in_use_bits(shape) }>, vcs>,
    /// Places that minimal packets use of the next buffer of VC v.
    pub minimal_use: Vec<Sig<In, { in_use_bits(shape) }>, vcs, by_minimal>,
    /// Legal VCs of class and case.
    pub legal: Vec<Sig<In, vcs>, cases, detours>,
    /// The output can be given away.
    pub available: Option<Flag<In>, { built.in_transit }>,
    pub settings: Bare<SenseSettings<In, built, leads_on>>,
    /// Places in use of all VCs.
    pub queued: Sig<Out, queue_bits>,
    /// The same, of minimal packets only if a setting says so.
    pub weight: Option<Sig<Out, queue_bits>, by_minimal>,
    /// Room for a detour, of class q: bit 2 q + 1 if it has case 3, or else bit 2 q.
    pub fits: Option<Sig<Out, { detour_cases(built) }>, detours>,
    /// The output is not available.
    pub busy: Option<Flag<Out>, { built.in_transit }>,
    /// Credits ask packets of class and case to go around.
    pub stuffed: Option<Sig<Out, cases>, detours>,
    /// Places that a detour around this output may have in use.
    pub limit: Option<Sig<Out, limit_bits>, detours>,
    /// Places in use behind a minimal output up to which no packet goes to a via by this one.
    pub bound: Option<Sig<Out, bound_bits>, vias>,

    /// Register of `queued`.
    places: Reg<queue_bits>,
    /// Register of `weight`.
    weighed: Option<Reg<queue_bits>, by_minimal>,
    /// A packet has room on a legal VC of class and case.
    has_room: Option<Reg<cases>, detours>,
    /// Register of `busy`.
    taken: Option<FlagReg, { built.in_transit }>,
    /// As many places are in use as make packets go around.
    full: Option<FlagReg, detours>,
    /// Register of `limit`.
    most: Option<Reg<limit_bits>, detours>,
    /// Register of `bound`.
    least_elsewhere: Option<Reg<bound_bits>, vias>,
    shared: Option<Product<queue_bits, 8, 7, limit_bits>, detours>,
    weighted: Option<Product<queue_bits, 4, 2, { queue_bits + 2 }>, vias>,

    /// Sum of places so far.
    sum: Sig<Local, queue_bits>,
    /// Sum of places that minimal packets use, so far.
    minimal_sum: Option<Sig<Local, queue_bits>, by_minimal>,
    /// Value of `has_room` after the current cycle.
    room_after: Option<Sig<Local, cases>, detours>,
    /// VC v has room for a packet.
    roomy: Option<Sig<Local, vcs>, detours>,
    /// Register of `queued`, wider.
    wide: Option<Sig<Local, { queue_bits.max(12) }>, detours>,
    /// Sum of the factor's part and the offset.
    raised: Option<Sig<Local, bound_bits>, vias>,

    most_in_use: Number<{ shape.buffer_flits as usize - shape.max_flits as usize }>,
    by_minimal: Number<bool, { built.min_credits && leads_on }>,
    detours: Number<bool, { built.in_transit && leads_on }>,
    vias: Number<bool, { built.valiant.is_some() }>,
    queue_bits: Number<{ queue_bits(shape) }>,
    limit_bits: Number<{ limit_bits(shape) }>,
    bound_bits: Number<{ bound_bits(shape) }>,
    link_cases: Number<{ CASES.len() }>,
    /// Classes of packets for which room is looked for.
    pub classes: Number<
        {
            if detours {
                built.packet_classes().len()
            } else {
                0
            }
        },
    >,
    cases: Number<{ cases(built) }>,
    leads_on: Param<bool>,
    vcs: Param<{ shape.vcs }>,
    buffer_flits: Param<{ shape.buffer_flits as usize }>,
    max_flits: Param<{ shape.max_flits as usize }>,
}

#[kernel]
impl OutputSense {
    fn update(&mut self) {
        self.sum.next = 0.into();
        for v in 0..self.vcs {
            self.sum.next = self.sum.val() + unsigned_cast(self.in_use[v].val());
        }
        self.places.d.next = self.sum.val();
        self.queued.next = self.places.q.val();
        self.weigh();
        if let (Some(taken), Some(available), Some(busy)) = (&mut self.taken, &self.available, &mut self.busy) {
            taken.d.next = !available.val();
            busy.next = taken.q.val();
        }
        self.find_room();
        self.find_limit();
        self.find_bound();
    }

    /// Packets go around an output by what is in use there, of all packets or of minimal ones.
    fn weigh(&mut self) {
        if let (Some(weighed), Some(sum), Some(of_minimal), Some(weight)) =
            (&mut self.weighed, &mut self.minimal_sum, &self.settings.of_minimal, &mut self.weight)
        {
            sum.next = 0.into();
            for v in 0..self.vcs {
                sum.next = sum.val() + unsigned_cast(self.minimal_use[v].val());
            }
            weighed.d.next = self.sum.val();
            if of_minimal.val() {
                weighed.d.next = sum.val();
            }
            weight.next = weighed.q.val();
        }
    }

    fn find_room(&mut self) {
        if let (Some(roomy), Some(after), Some(has_room), Some(fits)) =
            (&mut self.roomy, &mut self.room_after, &mut self.has_room, &mut self.fits)
        {
            roomy.next = 0.into();
            for v in 0..self.vcs {
                roomy.set(v, self.in_use[v].val() <= self.most_in_use);
            }
            after.next = 0.into();
            for c in 0..self.cases {
                after.set(c, (roomy.val() & self.legal[c].val()).any());
            }
            has_room.d.next = after.val();
            fits.next = 0.into();
            for q in 0..self.classes {
                fits.set(2 * q, has_room.q.val().get_bit(q * self.link_cases + NEAR));
                fits.set(2 * q + 1, has_room.q.val().get_bit(q * self.link_cases + FAR));
            }
        }
    }

    /// By credits, packets go around an output that is full, to one that is less so.
    fn find_limit(&mut self) {
        if let (Some(wide), Some(least), Some(share), Some(full), Some(shared), Some(most), Some(limit)) = (
            &mut self.wide,
            &self.settings.least,
            &self.settings.share,
            &mut self.full,
            &mut self.shared,
            &mut self.most,
            &mut self.limit,
        ) {
            wide.next = unsigned_cast(self.places.q.val());
            shared.a.next = self.places.q.val();
            if let Some(weighed) = &self.weighed {
                wide.next = unsigned_cast(weighed.q.val());
                shared.a.next = weighed.q.val();
            }
            full.d.next = wide.val() >= unsigned_cast(least.val());
            shared.b.next = share.val();
            most.d.next = shared.part.val();
            limit.next = most.q.val();
            if let (Some(stuffed), Some(has_room), Some(taken)) = (&mut self.stuffed, &self.has_room, &self.taken) {
                stuffed.next = 0.into();
                for c in 0..self.cases {
                    stuffed.set(c, full.q.val() & (!has_room.q.val().get_bit(c) | taken.q.val()));
                }
            }
        }
    }

    /// By UGAL-L, packets go to a via if the minimal output has more places in use.
    fn find_bound(&mut self) {
        if let (Some(weighted), Some(factor), Some(offset), Some(raised), Some(held), Some(bound)) = (
            &mut self.weighted,
            &self.settings.factor,
            &self.settings.offset,
            &mut self.raised,
            &mut self.least_elsewhere,
            &mut self.bound,
        ) {
            weighted.a.next = self.places.q.val();
            weighted.b.next = factor.val();
            raised.next = unsigned_cast(weighted.part.val());
            held.d.next = raised.val() + unsigned_cast(offset.val());
            bound.next = held.q.val();
        }
    }
}

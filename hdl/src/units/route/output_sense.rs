//! Output sense: what decisions see of an output, a cycle later.
//!
//! State: places in use behind the output; with detours also where a packet has room, and whether the output is busy.
//!
//! Source: reference of Dragonfly routing, what is sensed.

use crate::units::prelude::*;

/// What decisions see of an output.
#[block(shape: &Shape, built: &DragonflyShape)]
pub struct OutputSense {
    pub clock: ClockIn,
    pub reset: Flag<In>,
    /// Places in use of the next buffer of VC v.
    pub in_use: Vec<Sig<In, { in_use_bits(shape) }>, vcs>,
    /// Legal VCs of class and case.
    pub legal: Vec<Sig<In, vcs>, cases, detours>,
    /// The output can be given away.
    pub available: Option<Flag<In>, detours>,
    /// Places in use of all VCs.
    pub queue: Sig<Out, queue_bits>,
    /// A packet has room on a legal VC of class and case.
    pub fits: Option<Sig<Out, cases>, detours>,
    /// The output is not available.
    pub busy: Option<Flag<Out>, detours>,

    /// Register of `queue`.
    places: Reg<queue_bits>,
    /// Register of `fits`.
    has_room: Option<Reg<cases>, detours>,
    /// Register of `busy`.
    taken: Option<FlagReg, detours>,

    /// Sum of places so far.
    sum: Sig<Local, queue_bits>,
    /// Value of `fits` after the current cycle.
    room_after: Option<Sig<Local, cases>, detours>,
    /// VC v has room for a packet.
    roomy: Option<Sig<Local, vcs>, detours>,

    limit: Number<{ shape.buffer_flits as usize - shape.max_flits as usize }>,
    detours: Number<bool, { built.in_transit }>,
    queue_bits: Number<{ queue_bits(shape) }>,
    /// Classes of packets that are sensed apart.
    pub classes: Number<
        {
            if built.in_transit {
                built.packet_classes().len()
            } else {
                0
            }
        },
    >,
    cases: Param<{ cases(built) }>,
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
        self.queue.next = self.places.q.val();
        if let (Some(roomy), Some(after), Some(has_room), Some(fits)) =
            (&mut self.roomy, &mut self.room_after, &mut self.has_room, &mut self.fits)
        {
            roomy.next = 0.into();
            for v in 0..self.vcs {
                roomy.set(v, self.in_use[v].val() <= self.limit);
            }
            after.next = 0.into();
            for c in 0..self.legal.len() {
                after.set(c, (roomy.val() & self.legal[c].val()).any());
            }
            has_room.d.next = after.val();
            fits.next = has_room.q.val();
        }
        if let (Some(taken), Some(available), Some(busy)) = (&mut self.taken, &self.available, &mut self.busy) {
            taken.d.next = !available.val();
            busy.next = taken.q.val();
        }
    }
}

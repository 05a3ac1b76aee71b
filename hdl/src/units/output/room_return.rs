//! Room return: gives back the room that the packets to one output took and, shorter than the longest, do not need.
//!
//! State: of each plane `unpopped`, the flits of room of its packet that were not popped; `spare`, the room that the
//! packet that ended in the last cycle did not need, and the VC on which that packet left.
//!
//! Each cycle: a packet that is connected takes room for M flits. What is left at its tail is given back in the next
//! cycle, for each VC the sum over all planes.
//!
//! Source: switch reference, section 6.2.

use crate::units::prelude::*;

/// Gives back the room that packets took and do not need.
#[block(shape: &Shape)]
pub struct RoomReturn {
    pub clock: ClockIn,
    pub reset: Flag<In>,
    /// A packet is connected to the output on plane v.
    pub started: Sig<In, vcs>,
    /// A flit of plane v is popped.
    pub popped: Sig<In, vcs>,
    /// The flit of plane v that is popped is a tail.
    pub finished: Sig<In, vcs>,
    /// VC on which the connected packet of plane v leaves, one-hot.
    pub leaving: Vec<Sig<In, vcs>, vcs, next_vc>,
    /// Places that are given back, of packets that leave on VC u.
    pub returned: Vec<Sig<Out, { returned_bits(shape) }>, vcs>,

    /// Flits of room of plane v's packet that were not popped.
    unpopped: Regs<vcs, bits, NoReset>,
    /// Room that the packet of plane v did not need.
    spare: Regs<vcs, bits>,
    /// VC on which the packet of plane v left, one-hot.
    left_on: Option<Regs<vcs, vcs, NoReset>, next_vc>,

    /// Flits of room of plane v's packet behind the flit that is popped.
    behind: Vec<Sig<Local, bits>, vcs>,

    bits: Number<{ clog2(shape.max_flits as usize + 1) }>,
    next_vc: Number<bool, { shape.next_vc }>,
    vcs: Param<{ shape.vcs }>,
    max_flits: Param<{ shape.max_flits as usize }>,
}

/// Bits of the places that the packets of all planes give back in a cycle.
pub fn returned_bits(shape: &Shape) -> usize {
    clog2(shape.max_flits as usize * shape.most_vcs + 1)
}

#[kernel]
impl RoomReturn {
    fn update(&mut self) {
        for v in 0..self.vcs {
            self.behind[v].next = self.unpopped.q[v].val() - 1;
            self.spare.d[v].next = 0.into();
            if self.popped.val().get_bit(v) {
                self.unpopped.d[v].next = self.behind[v].val();
            }
            if self.finished.val().get_bit(v) {
                self.spare.d[v].next = self.behind[v].val();
            }
            if self.started.val().get_bit(v) {
                self.unpopped.d[v].next = self.max_flits.into();
            }
        }
        if let Some(left_on) = &mut self.left_on {
            for v in 0..self.vcs {
                left_on.d[v].next = self.leaving[v].val();
            }
        }
        self.sum();
    }

    fn sum(&mut self) {
        for u in 0..self.vcs {
            self.returned[u].next = 0.into();
            if let Some(left_on) = &self.left_on {
                for v in 0..self.vcs {
                    if left_on.q[v].val().get_bit(u) {
                        self.returned[u].next = self.returned[u].val() + unsigned_cast(self.spare.q[v].val());
                    }
                }
            } else {
                self.returned[u].next = unsigned_cast(self.spare.q[u].val());
            }
        }
    }
}

//! Via choice: whether a packet at its source goes to the via that was drawn.
//!
//! No state. Valiant sends all packets away. UGAL-L compares the places in use behind both outputs.
//!
//! Source: reference of Dragonfly routing, decision; Fuentes2017, 1.4.

use crate::units::prelude::*;
use railyard_spec::Via;

const VALIANT: usize = 1;
const UGAL: usize = 2;

/// Whether a packet at its source goes to the via that was drawn.
#[block(shape: &Shape, built: &DragonflyShape)]
pub struct ViaChoice {
    /// Case and port of the minimal hop.
    pub way: Sig<In, { port_bits + 2 }>,
    /// Mode: 0 minimal, 1 Valiant, 2 UGAL-L, 3 in transit.
    pub mode: Sig<In, 2>,
    /// Factor of UGAL-L, in quarters.
    pub factor: Sig<In, 4>,
    /// Offset of UGAL-L.
    pub offset: Sig<In, 10>,
    pub draws: ViaDraws<In, shape, built>,
    /// Places in use behind output o, of all VCs.
    pub queue: Vec<Sig<In, queue_bits>, ports>,
    /// The packet goes to the via.
    pub taken: Flag<Out>,
    /// The packet waits for another draw.
    pub waits: Flag<Out>,
    /// Case and port of the hop toward the via.
    pub hop: Sig<Out, { port_bits + 2 }>,
    /// The via, as in a header.
    pub via: Sig<Out, { via_bits(built) }>,

    /// Minimal port.
    minimal: Sig<Local, port_bits>,
    /// Case of the minimal hop.
    minimal_case: Sig<Local, 2>,
    /// The destination is in this group.
    is_in_group: Flag<Local>,
    /// A via is needed.
    asked: Flag<Local>,
    /// There is a way to a via.
    there: Flag<Local>,
    /// Port of that way.
    port: Sig<Local, port_bits>,
    /// Places in use at that port.
    candidate_queue: Sig<Local, queue_bits>,
    /// Places that the minimal port may have in use.
    most: Sig<Local, wide_bits>,
    /// The minimal port has more places in use.
    longer: Flag<Local>,
    weighted: Product<queue_bits, 4, 2, { queue_bits + 2 }>,

    port_field: Field<0, port_bits>,
    case_field: Field<port_bits, 2>,
    hop_case_low: Number<port_bits>,
    by_router: Number<bool, { built.valiant == Some(Via::Router) }>,
    queue_bits: Number<{ queue_bits(shape) }>,
    wide_bits: Number<{ (queue_bits + 2).max(10) + 1 }>,
    port_bits: Number<{ shape.port_bits as usize }>,
    ports: Param<{ shape.ports }>,
    vcs: Param<{ shape.vcs }>,
}

#[kernel]
impl ViaChoice {
    fn update(&mut self) {
        self.find_candidate();
        self.compare();
        self.decide();
    }

    fn find_candidate(&mut self) {
        self.minimal.next = self.way.val() >> self.port_field.val();
        self.minimal_case.next = self.way.val() >> self.case_field.val();
        self.is_in_group.next = !self.minimal_case.val().any();
        self.asked.next = !self.is_in_group.val() | self.by_router;
        self.there.next = self.draws.out_there.val();
        self.port.next = self.draws.out_port.val();
        self.via.next = self.draws.out_via.val();
        if let (Some(in_there), Some(in_port), Some(in_via)) =
            (&self.draws.in_there, &self.draws.in_port, &self.draws.in_via)
        {
            if self.is_in_group.val() {
                self.there.next = in_there.val();
                self.port.next = in_port.val();
                self.via.next = in_via.val();
            }
        }
        self.hop.next = unsigned_cast(self.port.val());
        self.hop.set(self.hop_case_low, true);
        self.hop.set(self.hop_case_low + 1, true);
    }

    fn compare(&mut self) {
        self.candidate_queue.next = self.queue[self.port.val()].val();
        self.weighted.a.next = self.candidate_queue.val();
        self.weighted.b.next = self.factor.val();
        self.most.next = unsigned_cast(self.weighted.part.val());
        self.most.next = self.most.val() + unsigned_cast(self.offset.val());
        self.longer.next = unsigned_cast(self.queue[self.minimal.val()].val()) > self.most.val();
    }

    fn decide(&mut self) {
        self.taken.next = false;
        self.waits.next = false;
        if self.asked.val() {
            if self.mode.val() == VALIANT {
                self.taken.next = self.there.val();
                self.waits.next = !self.there.val();
            } else if self.mode.val() == UGAL {
                self.taken.next = self.there.val() & self.longer.val();
            }
        }
    }
}

//! Connection: what each VC of an input port is connected to, and what it asks the allocators for.
//!
//! | port | width | meaning |
//! | --- | --- | --- |
//! | `head_valid`, `head_drop`, `head_port` | k, k, k x `port_bits` | the result at the head of each VC's route queue |
//! | `ready`, `ending` | k | the VC's buffer has a flit to pop; it is a tail |
//! | `chosen` | k | the link arbiter of its output lets the VC send (flit-wise only) |
//! | `granted` | k | an allocator connects the VC in this cycle |
//! | `request` | k x N | the VC asks for this output (one-hot) |
//! | `take` | k | the head of the route queue is taken |
//! | `pop` | k | a flit leaves the buffer |
//! | `drop_valid`, `drop_count` | k, 16 | a packet was dropped in the last cycle; packets dropped since reset |
//!
//! State, for each VC: `active` (it is connected), `dropping` (to nothing: its flits are thrown away); `dropped`, `drops`.
//!
//! Each cycle: an active VC pops a flit, if there is one (and it is chosen). With the tail it is *finishing*: its next
//! packet may be connected already. A VC that is not active, or is finishing, and has a route is *eligible*: it takes a
//! drop at once, and requests an output otherwise. Whether the output has room is the allocator's to know.
//!
//! Source: switch reference, section 6.

use crate::rtl::prelude::*;
use railyard_spec::pins::DROP_COUNT_BITS;
use railyard_spec::LinkArbitration;
use railyard_spec::Shape;

/// Connections of one input port; see the head of this file.
#[derive(LogicBlock)]
pub struct Connection {
    pub clock: ClockIn,
    pub reset: Flag<In>,
    pub head_valid: Sig<In>,
    pub head_drop: Sig<In>,
    pub head_port: Vec<Sig<In>>,
    pub ready: Sig<In>,
    pub ending: Sig<In>,
    pub chosen: Vec<Sig<In>>,
    pub granted: Sig<In>,
    pub request: Vec<Sig<Out>>,
    pub take: Sig<Out>,
    pub pop: Sig<Out>,
    pub drop_valid: Sig<Out>,
    pub drop_count: Sig<Out>,

    active: Reg,
    dropping: Reg,
    dropped: Reg,
    drops: Reg,

    moving: Sig<Local>,
    finishing: Sig<Local>,
    eligible: Sig<Local>,
    wants: Sig<Local>,
    take_drop: Sig<Local>,
    tails_dropped: Sig<Local>,
    count_dropped: Sig<Local>,

    vcs: Param,
    ports: Param,
    about: About,
}

/// Connections of one input port.
pub fn connection(shape: &Shape) -> Connection {
    let (n, k) = (shape.ports, shape.vcs);
    let flit_wise = shape.link_arbitration == LinkArbitration::Flit;
    let drop_bits = DROP_COUNT_BITS as usize;
    Connection {
        clock: clock(),
        reset: flag().doc("synchronous reset, active high"),
        head_valid: sig(k).doc("VC v has a route at the head of its route queue"),
        head_drop: sig(k).doc("it is drop"),
        head_port: many(k, || sig(shape.port_bits as usize).doc("it is this output port")),
        ready: sig(k).doc("the buffer of VC v has a flit to pop"),
        ending: sig(k).doc("this flit is a tail"),
        chosen: many(usize::from(flit_wise), || sig(k).doc("the link arbiter lets VC v send")),
        granted: sig(k).doc("an allocator connects VC v"),
        request: many(k, || sig(n).doc("VC v asks for this output")),
        take: sig(k).doc("the head of the route queue of VC v is taken"),
        pop: sig(k).doc("a flit leaves the buffer of VC v"),
        drop_valid: sig(k).doc("a packet of VC v was dropped"),
        drop_count: sig(drop_bits).doc("packets dropped since reset"),
        active: reg(k, 0u8).doc("VC v is connected"),
        dropping: reg(k, 0u8).doc("to nothing: its flits are thrown away"),
        dropped: reg(k, 0u8).doc("a packet of VC v was dropped in the last cycle"),
        drops: reg(drop_bits, 0u8).doc("packets dropped since reset"),
        moving: sig(k).doc("VC v would pop, as far as its connection is concerned"),
        finishing: sig(k).doc("the tail of VC v leaves"),
        eligible: sig(k).doc("VC v may be connected anew"),
        wants: sig(k).doc("VC v wants an output"),
        take_drop: sig(k).doc("VC v is connected to nothing"),
        tails_dropped: sig(k).doc("a tail of VC v is thrown away"),
        count_dropped: sig(clog2(k + 1).max(1)).doc("number of tails thrown away"),
        vcs: param(k),
        ports: param(n),
        about: about(
            "connection",
            "What each VC of an input port is connected to, and what it asks the allocators for.",
        )
        .param("ports", n)
        .param("vcs", k)
        .param("flit_wise", usize::from(flit_wise)),
    }
}

impl Logic for Connection {
    #[hdl_gen]
    fn update(&mut self) {
        dff_setup!(self, clock, active, dropping, dropped, drops);

        self.moving.next = self.active.q.val();
        for c in 0..self.chosen.len() {
            self.moving.next = self.active.q.val() & (self.chosen[c].val() | self.dropping.q.val());
        }
        self.finishing.next = self.moving.val() & self.ready.val() & self.ending.val();
        self.eligible.next = self.head_valid.val() & (!self.active.q.val() | self.finishing.val());
        self.take_drop.next = self.eligible.val() & self.head_drop.val();
        self.wants.next = self.eligible.val() & !self.head_drop.val();
        for v in 0..self.vcs.val() {
            self.request[v].next = 0.into();
            for o in 0..self.ports.val() {
                self.request[v].next =
                    self.request[v].val().replace_bit(o, self.wants.val().get_bit(v) & (self.head_port[v].val() == o));
            }
        }

        self.pop.next = self.moving.val() & self.ready.val();
        self.take.next = self.take_drop.val() | self.granted.val();
        self.active.d.next = self.take_drop.val() | self.granted.val() | (self.active.q.val() & !self.finishing.val());
        self.dropping.d.next = self.take_drop.val() | (self.dropping.q.val() & !self.finishing.val());

        self.tails_dropped.next = self.finishing.val() & self.dropping.q.val();
        self.count_dropped.next = 0.into();
        for v in 0..self.vcs.val() {
            if self.tails_dropped.val().get_bit(v) {
                self.count_dropped.next = self.count_dropped.val() + 1;
            }
        }
        self.dropped.d.next = self.tails_dropped.val();
        self.drops.d.next = self.drops.q.val() + unsigned_cast(self.count_dropped.val());
        self.drop_valid.next = self.dropped.q.val();
        self.drop_count.next = self.drops.q.val();
    }
}

//! Small blocks that use every part of the kernel language.

use railyard_hdl::rtl::prelude::*;

/// Counts pulses per lane.
#[derive(LogicBlock)]
pub struct LaneCounters {
    pub clock: ClockIn,
    pub reset: Flag<In>,
    pub freeze: Flag<In>,
    pub pulse: Vec<Flag<In>>,
    pub total: Vec<Sig<Out>>,
    pub busiest: Sig<Out>,
    count: Regs,
    lanes: Param,
    about: About,
}

pub fn lane_counters(lanes: usize, width: usize) -> LaneCounters {
    LaneCounters {
        clock: clock(),
        reset: flag().doc("synchronous, active high"),
        freeze: flag().doc("no counting in this cycle"),
        pulse: many(lanes, || flag().doc("count one")),
        total: many(lanes, || sig(width).doc("pulses since reset")),
        busiest: sig(width).doc("the largest total"),
        count: regs(lanes, width, 0u32).doc("pulses of each lane"),
        lanes: param(lanes),
        about: about("lane_counters", "Counts pulses per lane; adds nothing while frozen.")
            .param("lanes", lanes)
            .param("width", width),
    }
}

impl Logic for LaneCounters {
    #[hdl_gen]
    fn update(&mut self) {
        dff_setup!(self, clock, count);
        self.busiest.next = 0.into();
        for i in 0..self.lanes.val() {
            if self.pulse[i].val() & !self.freeze.val() {
                self.count.d[i].next = self.count.q[i].val() + 1;
            }
            self.total[i].next = self.count.q[i].val();
            if self.count.q[i].val() > self.busiest.val() {
                self.busiest.next = self.count.q[i].val();
            }
        }
    }
}

/// A first-in first-out queue in a memory; a word is readable two cycles after it was written.
#[derive(LogicBlock)]
pub struct Queue {
    pub clock: ClockIn,
    pub reset: Flag<In>,
    pub push: Flag<In>,
    pub data_in: Sig<In>,
    pub pop: Flag<In>,
    pub data_out: Sig<Out>,
    pub valid: Flag<Out>,
    memory: Ram,
    head: Reg,
    tail: Reg,
    visible: Reg,
    full: FlagReg,
    next_head: Sig<Local>,
    about: About,
}

pub fn queue(depth: usize, width: usize) -> Queue {
    let address = clog2(depth);
    Queue {
        clock: clock(),
        reset: flag().doc("synchronous, active high"),
        push: flag().doc("store data_in"),
        data_in: sig(width).doc("word to store"),
        pop: flag().doc("drop the oldest word"),
        data_out: sig(width).doc("oldest word"),
        valid: flag().doc("data_out holds a word"),
        memory: ram(depth, width),
        head: reg(address, 0u8).doc("oldest word"),
        tail: reg(address, 0u8).doc("first free word"),
        visible: reg(address, 0u8).doc("tail one cycle ago"),
        full: flag_reg(false).doc("no free word"),
        next_head: sig(address).doc("head after this cycle"),
        about: about("queue", "First-in first-out queue in a memory.").param("depth", depth).param("width", width),
    }
}

impl Logic for Queue {
    #[hdl_gen]
    fn update(&mut self) {
        dff_setup!(self, clock, head, tail, visible, full);
        self.memory.clock.next = self.clock.val();
        self.valid.next = self.head.q.val() != self.visible.q.val();
        self.next_head.next = self.head.q.val();
        if self.pop.val() & self.valid.val() {
            self.next_head.next = self.head.q.val() + 1;
            self.full.d.next = false;
        }
        self.head.d.next = self.next_head.val();
        self.visible.d.next = self.tail.q.val();
        self.memory.write_enable.next = self.push.val() & !self.full.q.val();
        self.memory.write_address.next = self.tail.q.val();
        self.memory.write_data.next = self.data_in.val();
        if self.push.val() & !self.full.q.val() {
            self.tail.d.next = self.tail.q.val() + 1;
            self.full.d.next = (self.tail.q.val() + 2) == self.head.q.val();
        }
        self.memory.read_address.next = self.next_head.val();
        self.data_out.next = self.memory.read_data.val();
    }
}

const IDLE: usize = 0;
const BUSY: usize = 1;

/// Several queues that share one output; a small state machine picks one after the other.
#[derive(LogicBlock)]
pub struct Merger {
    pub clock: ClockIn,
    pub reset: Flag<In>,
    pub push: Vec<Flag<In>>,
    pub data: Vec<Sig<In>>,
    pub out: Sig<Out>,
    pub out_valid: Flag<Out>,
    pub kind: Vec<Sig<Out>>,
    queue: Vec<Queue>,
    state: Reg,
    turn: Reg,
    ports: Param,
    kind_field: Field,
    about: About,
}

pub fn merger(ports: usize, width: usize) -> Merger {
    Merger {
        clock: clock(),
        reset: flag().doc("synchronous, active high"),
        push: many(ports, || flag().doc("store data")),
        data: many(ports, || sig(width).doc("word to store")),
        out: sig(width).doc("word of the queue whose turn it is"),
        out_valid: flag().doc("out holds a word"),
        kind: many(ports, || sig(3).doc("bits 4 to 2 of the incoming word")),
        queue: many(ports, || queue(16, width)),
        state: reg(2, IDLE as u32).doc("idle or busy"),
        turn: reg(clog2(ports), 0u8).doc("queue to serve"),
        ports: param(ports),
        kind_field: field(2, 3),
        about: about("merger", "Several queues share one output, one word each in turn.")
            .param("ports", ports)
            .param("width", width)
            .constant("IDLE", IDLE)
            .constant("BUSY", BUSY),
    }
}

impl Logic for Merger {
    #[hdl_gen]
    fn update(&mut self) {
        dff_setup!(self, clock, state, turn);
        self.out.next = self.queue[self.turn.q.val().index()].data_out.val();
        self.out_valid.next = self.queue[self.turn.q.val().index()].valid.val();
        for i in 0..self.ports.val() {
            self.queue[i].clock.next = self.clock.val();
            self.queue[i].reset.next = self.reset.val();
            self.queue[i].push.next = self.push[i].val();
            self.queue[i].data_in.next = self.data[i].val();
            self.queue[i].pop.next = (self.turn.q.val() == i) & (self.state.q.val() == BUSY);
            self.kind[i].next = self.data[i].val() >> self.kind_field.val();
        }
        match self.state.q.val().index() {
            IDLE => {
                if self.out_valid.val() {
                    self.state.d.next = BUSY.into();
                }
            }
            BUSY => {
                self.state.d.next = IDLE.into();
                self.turn.d.next = self.turn.q.val() + 1;
            }
            _ => {
                self.state.d.next = 0.into();
            }
        }
    }
}

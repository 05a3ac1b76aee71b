//! Small blocks that use every part of the kernel language.

use railyard_hdl::rtl::prelude::*;

/// Counts pulses per lane.
#[block]
pub struct LaneCounters {
    pub clock: ClockIn,
    pub reset: Flag<In>,
    pub freeze: Flag<In>,
    pub pulse: Vec<Flag<In>>,
    pub total: Vec<Sig<Out>>,
    pub busiest: Sig<Out>,
    count: Regs,
    lanes: usize,
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
        lanes,
        about: about("lane_counters", "Counts pulses per lane; adds nothing while frozen.")
            .param("lanes", lanes)
            .param("width", width),
    }
}

#[kernel]
impl LaneCounters {
    fn update(&mut self) {
        self.busiest.next = 0.into();
        for i in 0..self.lanes {
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
#[block]
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

#[kernel]
impl Queue {
    fn update(&mut self) {
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
        self.memory.read_enable.next = true;
        self.memory.read_address.next = self.next_head.val();
        self.data_out.next = self.memory.read_data.val();
    }
}

const IDLE: usize = 0;
const BUSY: usize = 1;

/// Several queues that share one output; a small state machine picks one after the other.
#[block]
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
    ports: usize,
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
        ports,
        kind_field: field(2, 3),
        about: about("merger", "Several queues share one output, one word each in turn.")
            .param("ports", ports)
            .param("width", width)
            .constant("IDLE", IDLE)
            .constant("BUSY", BUSY),
    }
}

#[kernel]
impl Merger {
    fn update(&mut self) {
        self.out.next = self.queue[self.turn.q.val().index()].data_out.val();
        self.out_valid.next = self.queue[self.turn.q.val().index()].valid.val();
        for i in 0..self.ports {
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

/// Ports by position, for tests that compare simulators.
pub trait Pins {
    /// Sets the inputs, in port order without the clock.
    fn set(&mut self, inputs: &[num_bigint::BigUint]);
    /// The outputs, in port order.
    fn get(&self) -> Vec<num_bigint::BigUint>;
}

fn bit(value: &num_bigint::BigUint, i: usize) -> bool {
    value.bit(i as u64)
}

fn word(value: &num_bigint::BigUint, i: usize, width: usize) -> Value {
    Value::new(width, value >> (i * width))
}

fn pack(elements: &[Sig<Out>]) -> num_bigint::BigUint {
    let pieces = elements.iter().enumerate().map(|(i, e)| e.val().to_big() << (i * e.width()));
    pieces.fold(num_bigint::BigUint::default(), |all, piece| all | piece)
}

impl Pins for LaneCounters {
    fn set(&mut self, inputs: &[num_bigint::BigUint]) {
        self.reset.next = bit(&inputs[0], 0);
        self.freeze.next = bit(&inputs[1], 0);
        self.pulse.iter_mut().enumerate().for_each(|(i, p)| p.next = bit(&inputs[2], i));
    }
    fn get(&self) -> Vec<num_bigint::BigUint> {
        vec![pack(&self.total), self.busiest.val().to_big()]
    }
}

impl Pins for Merger {
    fn set(&mut self, inputs: &[num_bigint::BigUint]) {
        self.reset.next = bit(&inputs[0], 0);
        self.push.iter_mut().enumerate().for_each(|(i, p)| p.next = bit(&inputs[1], i));
        let width = self.data[0].width();
        self.data.iter_mut().enumerate().for_each(|(i, d)| d.next = word(&inputs[2], i, width));
    }
    fn get(&self) -> Vec<num_bigint::BigUint> {
        vec![self.out.val().to_big(), u8::from(self.out_valid.val()).into(), pack(&self.kind)]
    }
}

/// What rust-hdl's own printer gets wrong, and the other expressions that a kernel can write.
#[block]
pub struct Gallery {
    pub a: Sig<In>,
    pub b: Sig<In>,
    pub c: Sig<In>,
    pub wide: Sig<In>,
    pub lane: Vec<Sig<In>>,
    pub precedence: Flag<Out>,
    pub wraps: Flag<Out>,
    pub halved: Sig<Out>,
    pub not_equal: Flag<Out>,
    pub cast: Sig<Out>,
    pub less: Flag<Out>,
    pub sum_with_carry: Sig<Out>,
    pub concatenated: Sig<Out>,
    pub grid_out: Vec<Vec<Sig<Out>>>,
    pub chosen: Sig<Out>,
    pub hot: Vec<Flag<Out>>,
    pub tree: Sig<Out>,
    pub prefix: Sig<Out>,
    pub slices: Vec<Sig<Out>>,
    pub patched: Sig<Out>,
    pub shifted: Sig<Out>,
    pub bits: Sig<Out>,
    pub reversed: Sig<Out>,
    pub constants: Sig<Out>,
    pub wide_sum: Sig<Out>,
    pub low_byte: Sig<Out>,
    select: Sig<Local>,
    grid: Vec<Vec<Sig<Local>>>,
    node: Vec<Sig<Local>>,
    level: Vec<Flag<Local>>,
    lanes: usize,
    low: usize,
    magic: Konst,
    middle: Field,
    about: About,
}

pub fn gallery() -> Gallery {
    Gallery {
        a: sig(8),
        b: sig(8),
        c: sig(8),
        wide: sig(200),
        lane: many(4, || sig(8)),
        precedence: flag(),
        wraps: flag(),
        halved: sig(8),
        not_equal: flag(),
        cast: sig(16),
        less: flag(),
        sum_with_carry: sig(9),
        concatenated: sig(24),
        grid_out: many(2, || many(3, || sig(8))),
        chosen: sig(8),
        hot: many(4, flag),
        tree: sig(8),
        prefix: sig(8),
        slices: many(4, || sig(5)),
        patched: sig(8),
        shifted: sig(8),
        bits: sig(3),
        reversed: sig(8),
        constants: sig(16),
        wide_sum: sig(200),
        low_byte: sig(8),
        select: sig(2),
        grid: many(2, || many(3, || sig(8))),
        node: many(7, || sig(8)),
        level: many(4 * 8, flag),
        lanes: 4,
        low: 8,
        magic: konst(16, 0xbeefu32),
        middle: field(2, 4),
        about: about("gallery", "One output for each kind of expression."),
    }
}

#[kernel]
impl Gallery {
    fn update(&mut self) {
        self.precedence.next = self.a.val() & self.b.val() == self.c.val();
        self.wraps.next = (self.a.val() + 1) == self.b.val();
        self.halved.next = (self.a.val() + 1) >> 1;
        self.not_equal.next = !self.a.val() == 0;
        self.cast.next = bit_cast_to(self.a.val() + self.b.val(), 16);
        self.less.next = (self.a.val() - 1) < self.b.val();
        self.sum_with_carry.next = unsigned_cast(self.a.val()) + unsigned_cast(self.b.val());
        self.concatenated.next = (unsigned_cast(self.a.val()) << (self.low + 8))
            | (unsigned_cast(self.b.val()) << self.low)
            | unsigned_cast(self.c.val());
        // Two indices.
        for i in 0..2 {
            for j in 0..3 {
                self.grid[i][j].next = self.lane[i + j].val();
                self.grid_out[i][j].next = self.grid[i][j].val() + 1;
            }
        }
        // An element chosen by a signal.
        self.select.next = unsigned_cast(self.c.val());
        self.chosen.next = self.lane[self.select.val()].val();
        for i in 0..self.lanes {
            self.hot[i].next = self.lane[i].val() == i;
        }
        // A tree in heap order, from the leaves down to node 0.
        for k in 0..7 {
            if k < 4 {
                self.node[6 - k].next = self.lane[3 - k % 4].val();
            } else {
                self.node[6 - k].next = self.node[(2 * (6 - k) + 1) % 7].val() ^ self.node[(2 * (6 - k) + 2) % 7].val();
            }
        }
        self.tree.next = self.node[0].val();
        // A prefix network: bit i of the result is the OR of bits 0 to i.
        for i in 0..8 {
            self.level[i].next = self.a.val().get_bit(i);
        }
        for l in 0..3 {
            for i in 0..8 {
                if i >= (1 << l) {
                    self.level[(l + 1) * 8 + i].next =
                        self.level[l * 8 + i].val() | self.level[l * 8 + (i + 8 - (1 << l)) % 8].val();
                } else {
                    self.level[(l + 1) * 8 + i].next = self.level[l * 8 + i].val();
                }
            }
        }
        self.prefix.next = 0.into();
        for i in 0..8 {
            self.prefix.next = self.prefix.val().replace_bit(i, self.level[24 + i].val());
        }
        for i in 0..self.lanes {
            self.slices[i].next = unsigned_cast(self.wide.val() >> (i * 50 + 3));
        }
        self.patched.next = self.a.val();
        self.patched.next = self.patched.val().replace_bit(self.middle.val(), self.b.val() >> self.middle.val());
        self.shifted.next = self.a.val() << self.b.val();
        self.bits.next = 0.into();
        self.bits.next = self.bits.val().replace_bit(0, self.a.val().any() ^ self.b.val().all());
        self.bits.next = self.bits.val().replace_bit(1, (self.a.val() + self.b.val()).get_bit(7));
        if self.a.val() > self.b.val() {
            self.bits.next = self.bits.val().replace_bit(2, self.a.val().xor());
        } else if self.c.val() >= 100 {
            self.bits.next = self.bits.val().replace_bit(2, true);
        }
        self.reversed.next = 0.into();
        for i in 0..8 {
            self.reversed.next = self.reversed.val().replace_bit(7 - i, self.b.val().get_bit(i));
        }
        self.constants.next = self.magic.val();
        self.wide_sum.next = (self.wide.val() + 12345) - (self.wide.val() >> 100);
        self.low_byte.next = unsigned_cast(self.wide.val() & !(self.wide.val() << 7));
    }
}

impl Pins for Gallery {
    fn set(&mut self, inputs: &[num_bigint::BigUint]) {
        self.a.next = word(&inputs[0], 0, 8);
        self.b.next = word(&inputs[1], 0, 8);
        self.c.next = word(&inputs[2], 0, 8);
        self.wide.next = word(&inputs[3], 0, 200);
        self.lane.iter_mut().enumerate().for_each(|(i, lane)| lane.next = word(&inputs[4], i, 8));
    }
    fn get(&self) -> Vec<num_bigint::BigUint> {
        let flag = |flag: &Flag<Out>| num_bigint::BigUint::from(u8::from(flag.val()));
        let sig = |sig: &Sig<Out>| sig.val().to_big();
        let hot = self.hot.iter().enumerate().map(|(i, h)| u8::from(h.val()) << i).sum::<u8>();
        let grid = (pack(&self.grid_out[1]) << 24) | pack(&self.grid_out[0]);
        vec![
            flag(&self.precedence),
            flag(&self.wraps),
            sig(&self.halved),
            flag(&self.not_equal),
            sig(&self.cast),
            flag(&self.less),
            sig(&self.sum_with_carry),
            sig(&self.concatenated),
            grid,
            sig(&self.chosen),
            hot.into(),
            sig(&self.tree),
            sig(&self.prefix),
            pack(&self.slices),
            sig(&self.patched),
            sig(&self.shifted),
            sig(&self.bits),
            sig(&self.reversed),
            sig(&self.constants),
            sig(&self.wide_sum),
            sig(&self.low_byte),
        ]
    }
}

/// A stream: a word, and its handshake.
#[bundle]
pub struct Stream<D: Side> {
    /// a word
    pub word: Sig<D>,
    /// it is there
    pub valid: Flag<D>,
    /// it is taken
    pub ready: Flag<Opposite<D>>,
}

fn stream<D: Side>(width: usize) -> Stream<D> {
    Stream { word: sig(width), ..Stream::plain() }
}

/// Keeps one word.
#[block]
pub struct Stage {
    pub clock: ClockIn,
    pub reset: Flag<In>,
    pub from: Stream<In>,
    pub to: Stream<Out>,
    pub next_word: Flag<Out>,
    word: Reg,
    full: FlagReg,
    about: About,
}

fn stage(width: usize) -> Stage {
    let (word, about) = (reg_no_reset(width), about("stage", "Keeps one word of a stream.").param("width", width));
    Stage {
        clock: clock(),
        reset: flag(),
        from: stream(width),
        to: stream(width),
        next_word: flag(),
        word,
        full: flag_reg(false),
        about,
    }
}

#[kernel]
impl Stage {
    fn update(&mut self) {
        self.from.ready.next = !self.full.q.val() | self.to.ready.val();
        self.to.word.next = self.word.q.val();
        self.next_word.next = self.from.valid.val() & self.from.ready.val();
        self.to.valid.next = self.full.q.val();
        if self.from.ready.val() {
            self.word.d.next = self.from.word.val();
            self.full.d.next = self.from.valid.val();
        }
    }
}

/// Stages side by side, of different widths, behind interfaces.
#[block]
pub struct Stages {
    pub clock: ClockIn,
    pub reset: Flag<In>,
    pub from: Vec<Stream<In>>,
    pub to: Vec<Stream<Out>>,
    pub taken: Vec<Flag<Out>>,
    stage: Vec<Stage>,
    about: About,
}

pub fn stages(widths: &[usize]) -> Stages {
    Stages {
        clock: clock(),
        reset: flag(),
        from: widths.iter().map(|w| stream(*w)).collect(),
        to: widths.iter().map(|w| stream(*w)).collect(),
        taken: many(widths.len(), flag),
        stage: widths.iter().map(|w| stage(*w)).collect(),
        about: about("stages", "Stages side by side."),
    }
}

#[kernel]
impl Stages {
    fn update(&mut self) {
        for i in 0..self.stage.len() {
            self.from[i].link(&mut self.stage[i].from);
            self.to[i].link(&mut self.stage[i].to);
            self.taken[i].next = self.stage[i].next_word.val();
        }
    }
}

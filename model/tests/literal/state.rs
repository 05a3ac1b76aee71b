//! The registers of a switch, and the order of its sections in a cycle.

use super::barrier::{barriers, Barriers};
use super::counters::no_events;
use super::fan_out::FanOut;
use super::*;
use std::collections::BTreeMap;

/// Results: one of these, or fields of a number, from the least significant one: port (8 bits), VC out (4), group set
/// (1), group (7), number of further candidates (2), in order (2), candidates 1 to 3 (8 each), selector (8). Entries:
/// so too, but the VC + 1, or 0 if they don't name one, and no selector. Outputs: port and VC out.
pub const PENDING: i64 = -2;
pub const DROP: i64 = -1;
/// A result with this bit is a multicast packet's, and the rest of it the number of its group.
pub const MULTICAST: i64 = 1 << 60;

/// The result that an entry is for a packet of VC v.
pub fn result(entry: i64, v: usize, selector: u8) -> i64 {
    if entry == DROP || entry & MULTICAST != 0 {
        return entry;
    }
    let vc = match entry >> 8 & 15 {
        0 => v as i64,
        named => named - 1,
    };
    entry & !0xf00 | vc << 8 | (selector as i64) << 48
}

#[derive(Clone, Default)]
pub struct Slot {
    pub valid: bool,
    pub fresh: bool,
    pub address: u64,
    pub tag: u64,
    pub primary: usize,
    pub requested: bool,
    pub answered: bool,
    pub filling: bool,
    pub done: bool,
    pub entry: i64,
    pub selector: u8,
}

#[derive(Clone, Default)]
pub struct Vc {
    pub open: bool,
    pub discarding: bool,
    pub length: u32,
    pub address: u64,
    pub multicast: bool,
    pub buffer: VecDeque<(u64, bool, bool, Vec<u32>)>,
    pub headers: VecDeque<(u64, Arrived)>,
    pub used: usize,
    pub head: Option<i64>,
    pub queue: VecDeque<(u64, i64)>,
    /// The selection register: result, selector or turn.
    pub selected: Option<(i64, u8)>,
    /// Its output.
    pub chosen: Option<i64>,
    pub turn: u8,
    /// An output port, MULTICAST, or DROP.
    pub connected: Option<i64>,
    pub oldest: usize,
    pub next: usize,
    pub total: u32,
}

#[derive(Clone)]
pub enum Op {
    Lookup { arrived: Arrived, fresh: bool, tag: u64, set: usize },
    Fill { s: usize, set: usize },
}

/// A packet at route computation; `address` of a multicast packet is the number of its group.
#[derive(Clone, Copy)]
pub struct Arrived {
    pub v: usize,
    pub bad: bool,
    pub multicast: bool,
    pub address: u64,
    pub selector: u8,
}

/// A packet in the stages of node reduction.
#[derive(Clone)]
pub struct Reducing {
    pub arrived: u64,
    pub packet: Arrived,
    /// Destination, and coordinate and bound as they were.
    pub compared: [u64; 3],
    pub key: Option<u64>,
}

#[derive(Clone, Default)]
pub struct Port {
    pub pointer: usize,
    pub pipeline: VecDeque<(u64, Op)>,
    pub reducing: VecDeque<Reducing>,
    pub filled_in: Option<u64>,
    pub slots: Vec<Slot>,
    pub requests: VecDeque<usize>,
    /// By set and way: tag, entry, last use.
    pub cache: Vec<Vec<Option<(u64, i64, u64)>>>,
    /// By plane: input and VC of the owner, and VC out.
    pub busy: Vec<Option<(usize, usize, usize)>>,
    pub vc_pointer: usize,
    pub input_pointers: Vec<usize>,
    pub link_pointer: usize,
    pub sent: Vec<u32>,
    pub accepted: Vec<u32>,
    pub available: Vec<i32>,
    pub x: Vec<i32>,
    pub fan_out: Option<FanOut>,
    pub bulletin: bool,
    pub spare: bool,
    pub reserved: bool,
    pub multicast_turn: bool,
    pub yields: bool,
}

#[derive(Clone)]
pub struct Literal {
    pub shape: Shape,
    pub t: u64,
    pub uses: u64,
    pub sweep: usize,
    pub vcs: Vec<Vc>,
    pub ports: Vec<Port>,
    pub cam_pointer: usize,
    /// The registered answer: tag, hit, and the entry if its route exists.
    pub response: Option<(u32, bool, Option<i64>)>,
    /// T0 and T1: tag and address.
    pub t0: Option<(u32, u64)>,
    pub t1: Option<(u32, u64)>,
    /// T2: also the entry, if the table knows the address.
    pub t2: Option<(u32, u64, Option<i64>)>,
    /// By way and entry: address and route.
    pub table: Vec<Vec<Option<(u64, i64)>>>,
    pub table_sweep: usize,
    /// There was a write to the table in the cycle before.
    pub table_written: bool,
    /// By group: mask and loopback.
    pub groups: Vec<(u64, bool)>,
    pub group_sweep: usize,
    pub favoured: usize,
    pub claim: u64,
    pub waited: i32,
    pub saved: u64,
    pub multicast_pointer: usize,
    pub barriers: Barriers,
    /// By name; the value of each counter, the events of the cycle before, and the valid miss slots of each port then.
    pub counters: BTreeMap<&'static str, Vec<u32>>,
    pub events: BTreeMap<&'static str, Vec<u32>>,
    pub outstanding: Vec<u32>,
    /// Each with its values.
    pub registers: Vec<(Register, Vec<u32>)>,
    /// A legal write after its setup: register, entry, value.
    pub write: Option<(usize, usize, u32)>,
    /// A flush is in this cycle.
    pub flush: bool,
    /// Events that happened in the cycle before, and those of them that were cleared in it, by bit.
    pub happened: [u32; 2],
    pub out: Outputs,
}

/// What the sections of a cycle tell each other; elements of (port, VC) unless said otherwise.
pub struct Wires {
    pub freed: Vec<u32>,
    /// A flit is stored.
    pub stored: Vec<bool>,
    /// By port.
    pub arrivals: Vec<Option<Arrived>>,
    pub finishing: Vec<bool>,
    pub sent: Vec<u32>,
    /// Eligible for an output without room behind it; requests it.
    pub without_room: Vec<bool>,
    pub with_room: Vec<bool>,
    /// By output: some input VC requests it.
    pub requested: Vec<bool>,
    /// By output: to whom it is granted, and on which VC that leaves (packet-wise).
    pub granted: Vec<Option<(usize, usize, usize)>>,
    pub taken: Vec<bool>,
    pub head_taken: Vec<bool>,
    pub pushed: Vec<Option<i64>>,
    pub replaced: Vec<Option<i64>>,
    /// By port: fan-out registers.
    pub let_go: Vec<bool>,
    pub started: Vec<bool>,
    pub multicast_stalls: Vec<bool>,
    /// By port.
    pub hit: Vec<bool>,
    pub miss: Vec<bool>,
    pub merged: Vec<bool>,
    pub filled: Vec<bool>,
    pub evicted: Vec<bool>,
    /// The registers of 4.7 advance, and T1 holds an address that the table knows, or does not know.
    pub looked_up: Option<bool>,
}

impl Wires {
    fn new(n: usize, k: usize) -> Wires {
        let (channels, ports) = (|| vec![false; n * k], || vec![false; n]);
        Wires {
            freed: vec![0; n * k],
            stored: channels(),
            arrivals: vec![None; n],
            finishing: channels(),
            sent: vec![0; n * k],
            without_room: channels(),
            with_room: channels(),
            requested: ports(),
            granted: vec![None; n],
            taken: channels(),
            head_taken: channels(),
            pushed: vec![None; n * k],
            replaced: vec![None; n * k],
            let_go: ports(),
            started: ports(),
            multicast_stalls: ports(),
            hit: ports(),
            miss: ports(),
            merged: ports(),
            filled: ports(),
            evicted: ports(),
            looked_up: None,
        }
    }
}

pub fn round_robin(n: usize, pointer: usize, asks: impl Fn(usize) -> bool) -> Option<usize> {
    (0..n).map(|i| (pointer + i) % n).find(|&i| asks(i))
}

impl Literal {
    pub fn new(shape: &Shape) -> Literal {
        let k = shape.vcs;
        let mut port = Port {
            input_pointers: vec![0; k],
            busy: vec![None; k],
            sent: vec![0; k],
            accepted: vec![0; k],
            available: vec![shape.buffer_flits as i32; k],
            x: vec![shape.buffer_flits as i32; k],
            ..Port::default()
        };
        if let Some(t) = shape.table() {
            port.slots = vec![Slot::default(); k * t.lookups_per_vc];
            if let Some(c) = &t.cache {
                port.cache = vec![vec![None; c.ways]; c.sets];
            }
        }
        Literal {
            shape: shape.clone(),
            t: 0,
            uses: 0,
            sweep: 0,
            vcs: vec![Vc::default(); shape.ports * k],
            ports: vec![port; shape.ports],
            cam_pointer: 0,
            response: None,
            t0: None,
            t1: None,
            t2: None,
            table: shape.forwarding_table().map_or(Vec::new(), |t| vec![vec![None; t.sets]; t.ways]),
            table_sweep: 0,
            table_written: false,
            groups: vec![(0, false); shape.multicast.map_or(0, |built| built.groups)],
            group_sweep: 0,
            favoured: 0,
            claim: 0,
            waited: 0,
            saved: 0,
            multicast_pointer: 0,
            barriers: barriers(shape),
            counters: no_events(shape),
            events: no_events(shape),
            outstanding: vec![0; shape.ports],
            registers: registers(shape)
                .into_iter()
                .map(|r| {
                    let word = r.fields.iter().fold(0, |word, f| word | f.reset << f.low);
                    (r.clone(), vec![word; r.count as usize])
                })
                .collect(),
            write: None,
            flush: false,
            happened: [0; 2],
            out: Outputs::new(shape),
        }
    }

    /// A field of entry `at` of a register; 0 if there is none.
    pub fn field_of(&self, register: &str, at: usize, field: &str) -> u32 {
        let Some((r, values)) = self.registers.iter().find(|(r, _)| r.name == register) else { return 0 };
        r.fields
            .iter()
            .find(|f| f.name == field)
            .map_or(0, |f| (values[at] as u64 >> f.low & ((1 << f.bits) - 1)) as u32)
    }

    pub fn field(&self, register: &str, field: &str) -> u32 {
        self.field_of(register, 0, field)
    }

    /// A register in two halves.
    pub fn wide(&self, low: &str, high: &str) -> u64 {
        self.field(low, "value") as u64 | (self.field(high, "value") as u64) << 32
    }

    /// A flush is in this cycle: all lookups in flight are stale.
    fn spoil(&mut self) {
        for port in &mut self.ports {
            port.slots.iter_mut().for_each(|slot| slot.fresh = false);
            for (_, op) in &mut port.pipeline {
                if let Op::Lookup { fresh, .. } = op {
                    *fresh = false;
                }
            }
        }
    }

    pub fn step(&mut self, pins: &Inputs) {
        if self.flush {
            self.spoil();
        }
        let old = self.clone();
        let (shape, t) = (&old.shape, old.t);
        if pins.reset {
            let out = std::mem::replace(&mut self.out, Outputs::new(shape));
            *self = Literal::new(shape);
            self.t = t + 1;
            // What means nothing stays, as in the model.
            (self.out.tx_vc, self.out.tx_head, self.out.tx_tail) = (out.tx_vc, out.tx_head, out.tx_tail);
            (self.out.tx_flit, self.out.cam_request_tag) = (out.tx_flit, out.cam_request_tag);
            self.out.cam_request_address = out.cam_request_address;
            return;
        }
        self.t += 1;
        // The flags of this cycle alone, until its end.
        let o = &mut self.out;
        (o.error_vc, o.error_framing, o.error_overflow, o.error_length, o.error_credit) = (0, 0, 0, 0, 0);
        o.error_cam = false;
        let wires = &mut Wires::new(shape.ports, shape.vcs);
        self.store(&old, pins, wires);
        self.traverse(&old, pins, wires);
        self.allocate(&old, wires);
        self.multicast(&old, wires);
        self.fan_out(&old, pins, wires);
        self.select_outputs(&old, wires);
        match &shape.routing {
            RoutingShape::Algorithmic(a) => self.map_keys(&old, wires, a.reduction.stages as u64),
            RoutingShape::Source(_) => self.read_routes(&old, wires),
            RoutingShape::Dragonfly(_) => panic!("the literal reading has no Dragonfly"),
            RoutingShape::Table(table) => {
                self.look_up(&old, wires, table);
                self.request_and_answer(&old, pins, wires, table);
            }
        }
        self.queue_results(&old, wires);
        self.count(&old, pins, wires);
        self.synchronize(&old, pins);
        self.access_registers(&old, pins);
        self.count_credits(&old, pins, wires);
        self.happened = self.keep_events(&old, pins);
        self.keep_flags(&old, pins);
    }
}

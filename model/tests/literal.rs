//! The model against a slow, literal transcript of the switch reference: all of the new state is computed from a copy of
//! the old state, sentence by sentence, so that nothing depends on an order of evaluation.

#![allow(clippy::needless_range_loop)] // numbered as in the reference

mod driver;

use driver::*;
use railyard_model::{Inputs, Outputs};
use railyard_spec::registers::{registers, Access, Legal, Register};
use railyard_spec::{packet, Config, Crossbar, FlowControl, LinkArbitration, RoutingShape, Shape};
use std::collections::VecDeque;

/// Results: one of these, or fields of a number, from the least significant one: port (8 bits), VC out (4), group set (1), group
/// (7), number of further candidates (2), in order (2), candidates 1 to 3 (8 each), selector (8). Entries: so too, but the
/// VC + 1, or 0 if they don't name one, and no selector. Outputs: port and VC out.
const PENDING: i64 = -2;
const DROP: i64 = -1;

/// The result that an entry is for a packet of VC v.
fn result(entry: i64, v: usize, selector: u8) -> i64 {
    if entry == DROP {
        return DROP;
    }
    let vc = match entry >> 8 & 15 {
        0 => v as i64,
        named => named - 1,
    };
    entry & !0xf00 | vc << 8 | (selector as i64) << 48
}

#[derive(Clone, Default)]
struct Slot {
    valid: bool,
    fresh: bool,
    address: u64,
    tag: u64,
    primary: usize,
    requested: bool,
    answered: bool,
    filling: bool,
    done: bool,
    entry: i64,
    selector: u8,
}

#[derive(Clone, Default)]
struct Vc {
    open: bool,
    discarding: bool,
    length: u32,
    address: u64,
    buffer: VecDeque<(u64, bool, bool, Vec<u32>)>,
    headers: VecDeque<(u64, bool, u64, u8)>,
    used: usize,
    head: Option<i64>,
    queue: VecDeque<(u64, i64)>,
    /// The selection register: result, selector or turn.
    selected: Option<(i64, u8)>,
    /// Its output.
    chosen: Option<i64>,
    turn: u8,
    /// An output port, or DROP.
    connected: Option<i64>,
    oldest: usize,
    next: usize,
    total: u32,
}

#[derive(Clone)]
enum Op {
    Lookup { v: usize, bad: bool, address: u64, selector: u8, fresh: bool, tag: u64, set: usize },
    Fill { s: usize, set: usize },
}

/// A packet in the stages of node reduction.
#[derive(Clone)]
struct Reducing {
    arrived: u64,
    v: usize,
    bad: bool,
    selector: u8,
    /// Destination, and coordinate and bound as they were.
    compared: [u64; 3],
    key: Option<u64>,
}

#[derive(Clone, Default)]
struct Port {
    pointer: usize,
    pipeline: VecDeque<(u64, Op)>,
    reducing: VecDeque<Reducing>,
    filled_in: Option<u64>,
    slots: Vec<Slot>,
    requests: VecDeque<usize>,
    /// By set and way: tag, entry, last use.
    cache: Vec<Vec<Option<(u64, i64, u64)>>>,
    /// By plane: input and VC of the owner, and VC out.
    busy: Vec<Option<(usize, usize, usize)>>,
    vc_pointer: usize,
    input_pointers: Vec<usize>,
    link_pointer: usize,
    sent: Vec<u32>,
    accepted: Vec<u32>,
    available: Vec<i32>,
    x: Vec<i32>,
}

#[derive(Clone)]
struct Literal {
    shape: Shape,
    t: u64,
    uses: u64,
    sweep: usize,
    vcs: Vec<Vc>,
    ports: Vec<Port>,
    cam_pointer: usize,
    response: Option<Inputs>,
    /// Each with its values.
    registers: Vec<(Register, Vec<u32>)>,
    /// A legal write after its setup: register, entry, value.
    write: Option<(usize, usize, u32)>,
    /// A flush is in this cycle.
    flush: bool,
    out: Outputs,
}

fn round_robin(n: usize, pointer: usize, asks: impl Fn(usize) -> bool) -> Option<usize> {
    (0..n).map(|i| (pointer + i) % n).find(|&i| asks(i))
}

impl Literal {
    fn new(shape: &Shape) -> Literal {
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
            registers: registers(shape)
                .into_iter()
                .map(|r| {
                    let word = r.fields.iter().fold(0, |word, f| word | f.reset << f.low);
                    (r.clone(), vec![word; r.count as usize])
                })
                .collect(),
            write: None,
            flush: false,
            out: Outputs::new(shape),
        }
    }

    /// A field of entry `at` of a register; 0 if there is none.
    fn field_of(&self, register: &str, at: usize, field: &str) -> u32 {
        let Some((r, values)) = self.registers.iter().find(|(r, _)| r.name == register) else { return 0 };
        r.fields
            .iter()
            .find(|f| f.name == field)
            .map_or(0, |f| (values[at] as u64 >> f.low & ((1 << f.bits) - 1)) as u32)
    }

    fn field(&self, register: &str, field: &str) -> u32 {
        self.field_of(register, 0, field)
    }

    /// A register in two halves.
    fn wide(&self, low: &str, high: &str) -> u64 {
        self.field(low, "value") as u64 | (self.field(high, "value") as u64) << 32
    }

    /// A destination with `coordinate` and `bound` as they are.
    fn compared(&self, destination: u64) -> [u64; 3] {
        [destination, self.wide("coordinate_low", "coordinate_high"), self.wide("bound_low", "bound_high")]
    }

    /// 4.6.
    fn key(&self, compared: [u64; 3]) -> Option<u64> {
        let reduction = self.shape.reduction()?;
        let bits = self.shape.address_bits()?;
        let w = self.field("reduction", "chunk_bits");
        let chunk =
            |x: u64, j: u32| (0..w).filter(|b| j * w + b < bits).fold(0, |sum, b| sum | (x >> (j * w + b) & 1) << b);
        let [d, c, b] = compared.map(|x| move |j: u32| chunk(x, j));
        let chunks = bits.div_ceil(w);
        let g = reduction.digit_bits;
        match self.field("reduction", "topology") {
            1 => {
                let Some(i) = (0..chunks).find(|&i| d(i) != c(i)) else { return Some(0) };
                let wrap = self.field("wrap", "value") >> i & 1 == 1;
                let plus = (d(i) > c(i)) ^ (d(i) > b(i)) ^ wrap;
                let crosses = self.field("reduction", "dateline") == 1 && (d(i) > b(i)) ^ wrap;
                let base = if crosses { 1 << reduction.cube_key_bits } else { 0 };
                Some(base + if plus { 2 * (i as u64 + 1) } else { 2 * (i as u64 + 1) + 1 })
            }
            2 => {
                let level = self.field("reduction", "level");
                let up = (level + 1..chunks).any(|j| d(j) != c(j));
                Some(if up { (1 << g) + d(level) } else { d(level) })
            }
            3 if d(2) != c(2) => Some(2 * (1 << g) + d(2)),
            3 if d(1) != c(1) => Some((1 << g) + d(1)),
            3 => Some(d(0)),
            _ => None,
        }
    }

    /// 4.5: tag and set of an address.
    fn tag_and_set(&self, address: u64) -> (u64, usize) {
        let Some(cache) = self.shape.table().and_then(|t| t.cache.as_ref()) else { return (address, 0) };
        let bits = self.shape.address_bits().expect("a table");
        match self.key(self.compared(address)) {
            Some(key) => (key, key as usize & (cache.sets - 1)),
            None => (address, cache.crc.of(address, bits) as usize & (cache.sets - 1)),
        }
    }

    /// 5.1: of a packet that arrives.
    fn selector(&self, address: u64) -> u8 {
        let bits = self.shape.address_bits().unwrap_or(64);
        match &self.shape.link_aggregation {
            Some(l) if self.field("link_selection", "method") != 1 => l.crc.of(address, bits) as u8,
            _ => address as u8,
        }
    }

    /// 5.1: the output of what a selection register holds.
    fn output(&self, result: i64, selector: u8) -> i64 {
        if result == DROP {
            return DROP;
        }
        let field = |low: u32, bits: u32| result >> low & ((1 << bits) - 1);
        let vc_out = field(8, 4);
        let port = |at: i64| if at == 0 { field(0, 8) } else { field(16 + 8 * at as u32, 8) };
        let chosen = if field(12, 1) == 1 {
            let group = field(13, 7) as usize;
            let links = self.field_of("group", group, "links");
            if links == 0 {
                return DROP;
            }
            let most = self.shape.link_aggregation.as_ref().expect("a group").links;
            self.field_of("group_link", group * most + (selector as u32 % links) as usize, "port") as i64
        } else {
            let candidates = field(20, 2);
            let mut at = selector as i64 % (1 + candidates);
            if field(22, 2) == 0 {
                let x = |at: i64| self.ports[port(at) as usize].x[vc_out as usize];
                let largest = (0..=candidates).map(x).max();
                at = (0..=candidates).find(|&at| Some(x(at)) == largest).expect("the largest");
            }
            port(at)
        };
        chosen + 256 * vc_out
    }

    /// Section 9.
    fn access_registers(&mut self, old: &Literal, pins: &Inputs) {
        let apb = &pins.apb;
        (self.write, self.flush) = (None, false);
        (self.out.apb_prdata, self.out.apb_pslverr) = (0, false);
        if old.registers.is_empty() || !apb.psel {
            return;
        }
        if apb.penable {
            if let Some((r, entry, value)) = old.write {
                let name = old.registers[r].0.name;
                let reduces = ["reduction", "wrap"].contains(&name)
                    || ["coordinate_", "bound_"].iter().any(|prefix| name.starts_with(prefix));
                self.flush = reduces || name == "flush" && value == 1;
                if name != "flush" {
                    self.registers[r].1[entry] = value;
                }
            }
            return;
        }
        let at = apb.paddr as u32;
        let found = (0..old.registers.len()).find_map(|r| {
            let register = &old.registers[r].0;
            (0..register.count).find(|entry| register.address + 4 * entry == at).map(|entry| (r, entry as usize))
        });
        let Some((r, entry)) = found else {
            self.out.apb_pslverr = true;
            return;
        };
        let register = &old.registers[r].0;
        if !apb.pwrite {
            self.out.apb_prdata = match register.name {
                "cache_status" => (old.is_sweeping() || old.flush) as u32,
                _ => old.registers[r].1[entry],
            };
            return;
        }
        let value = |low: u32, bits: u32| (apb.pwdata as u64 >> low & ((1 << bits) - 1)) as u32;
        let outside = (0..32).any(|bit| {
            apb.pwdata >> bit & 1 == 1 && !register.fields.iter().any(|f| (f.low..f.low + f.bits).contains(&bit))
        });
        let legal = register.fields.iter().all(|f| match &f.legal {
            Legal::Any => true,
            Legal::OneOf(list) => list.contains(&value(f.low, f.bits)),
            Legal::Below(limit) => value(f.low, f.bits) < *limit,
            Legal::BelowChunks => {
                let width = register.fields.iter().find(|f| f.name == "chunk_bits").map(|f| value(f.low, f.bits));
                let bits = old.shape.address_bits().expect("a destination address");
                width.is_some_and(|w| w > 0 && value(f.low, f.bits) < bits.div_ceil(w))
            }
        });
        if register.access == Access::ReadOnly || outside || !legal {
            self.out.apb_pslverr = true;
        } else {
            self.write = Some((r, entry, apb.pwdata));
        }
    }

    fn is_sweeping(&self) -> bool {
        self.shape.table().and_then(|t| t.cache.as_ref()).is_some_and(|c| self.sweep <= c.sets)
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

    fn step(&mut self, pins: &Inputs) {
        if self.flush {
            self.spoil();
        }
        let old = self.clone();
        let (shape, t) = (&old.shape, old.t);
        let (n, k, d, m) = (shape.ports, shape.vcs, shape.buffer_flits, shape.max_flits);
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
        if pins.error_clear {
            let o = &mut self.out;
            (o.error_vc, o.error_framing, o.error_overflow, o.error_length, o.error_credit) = (0, 0, 0, 0, 0);
            o.error_cam = false;
        }
        let mut freed = vec![0u32; n * k];
        let mut arrivals: Vec<Option<(usize, bool, u64, u8)>> = vec![None; n];

        // Section 3.
        for p in 0..n {
            if pins.rx_valid >> p & 1 == 0 {
                continue;
            }
            let (v, bit) = (pins.rx_vc[p] as usize, 1u64 << p);
            let (head, tail) = (pins.rx_head & bit != 0, pins.rx_tail & bit != 0);
            let flit = &pins.rx_flit[p * pins.words..(p + 1) * pins.words];
            if v >= k {
                self.out.error_vc |= bit;
                continue;
            }
            let e = p * k + v;
            let (was, now) = (&old.vcs[e], &mut self.vcs[e]);
            let occupancy = was.buffer.len() as u32;
            // (number, head, tail) of the flit as it is stored.
            let store = if !head && was.discarding {
                now.discarding = !tail;
                None
            } else if !head && !was.open {
                self.out.error_framing |= bit;
                None
            } else if head && was.open {
                self.out.error_framing |= bit;
                (now.open, now.discarding) = (false, !tail);
                Some((was.length, false, true))
            } else {
                if head && was.discarding {
                    self.out.error_framing |= bit;
                    now.discarding = false;
                }
                if head && (occupancy >= d || occupancy >= d - 1 && !tail) {
                    self.out.error_overflow |= bit;
                    now.discarding = !tail;
                    None
                } else {
                    let number = if head { 0 } else { was.length };
                    let over = !tail && !head && occupancy >= d - 1;
                    let long = !tail && number == m - 1;
                    if over {
                        self.out.error_overflow |= bit;
                    }
                    if long {
                        self.out.error_length |= bit;
                    }
                    if over || long {
                        (now.open, now.discarding) = (false, true);
                        Some((number, head, true))
                    } else {
                        (now.open, now.length) = (!tail, number + 1);
                        Some((number, head, tail))
                    }
                }
            };
            let Some((number, head, tail)) = store else {
                freed[e] += 1;
                continue;
            };
            let mut kept = flit.to_vec();
            let (bits, header_flits) = match &shape.routing {
                RoutingShape::Table(table) => (table.address_bits, table.header_flits),
                RoutingShape::Algorithmic(a) => (a.address_bits, a.header_flits),
                RoutingShape::Source(_) => (shape.port_bits, 1),
            };
            if number < header_flits {
                let low = number * shape.flit_bits;
                let part = packet::field(flit, 0, (bits - low).min(shape.flit_bits)) << low;
                now.address = part | if number == 0 { 0 } else { was.address };
            }
            if let (RoutingShape::Source(s), true) = (&shape.routing, head) {
                for at in 0..s.route_bits {
                    let from = at + shape.port_bits;
                    let value = if from < s.route_bits { packet::field(flit, from, 1) } else { 0 };
                    packet::set_field(&mut kept, at, 1, value);
                }
            }
            now.buffer.push_back((t, head, tail, kept));
            if number == header_flits - 1 {
                arrivals[p] = Some((v, false, now.address, old.selector(now.address)));
            } else if tail && number < header_flits - 1 {
                self.out.error_length |= bit;
                arrivals[p] = Some((v, true, now.address, 0));
            }
        }

        // Section 6: traversal.
        let flitwise = shape.link_arbitration == LinkArbitration::Flit;
        let can_pop = |e: usize| old.vcs[e].buffer.front().is_some_and(|f| f.0 + 2 <= t);
        let mut finishing = vec![false; n * k];
        let mut sent = vec![0; n * k];
        self.out.tx_valid = 0;
        for o in 0..n {
            let busy = &old.ports[o].busy;
            let ready = |plane: usize| busy[plane].is_some_and(|(i, v, _)| can_pop(i * k + v));
            let Some(plane) = round_robin(k, if flitwise { old.ports[o].link_pointer } else { 0 }, ready) else {
                continue;
            };
            if flitwise {
                self.ports[o].link_pointer = (plane + 1) % k;
            }
            let (i, v, u) = busy[plane].expect("ready");
            let (_, head, tail, flit) = self.vcs[i * k + v].buffer.pop_front().expect("ready");
            freed[i * k + v] += 1;
            sent[o * k + u] = 1;
            finishing[i * k + v] = tail;
            if tail {
                self.ports[o].busy[plane] = None;
                self.vcs[i * k + v].connected = None;
            }
            let bit = 1u64 << o;
            self.out.tx_valid |= bit;
            self.out.tx_vc[o] = u as u8;
            self.out.tx_head = self.out.tx_head & !bit | if head { bit } else { 0 };
            self.out.tx_tail = self.out.tx_tail & !bit | if tail { bit } else { 0 };
            self.out.tx_flit[o * pins.words..(o + 1) * pins.words].copy_from_slice(&flit);
        }
        self.out.drop_valid.clear();
        for e in 0..n * k {
            if old.vcs[e].connected == Some(DROP) && can_pop(e) {
                let (_, _, tail, _) = self.vcs[e].buffer.pop_front().expect("ready");
                freed[e] += 1;
                if tail {
                    finishing[e] = true;
                    self.vcs[e].connected = None;
                    self.out.drop_valid.set(e);
                    self.out.drop_count[e / k] = self.out.drop_count[e / k].wrapping_add(1);
                }
            }
        }

        // Section 6: allocation.
        let mut taken = vec![false; n * k];
        let offer = |e: usize| if shape.output_selection() { old.vcs[e].chosen } else { old.vcs[e].head };
        let eligible = |e: usize| old.vcs[e].connected.is_none() || finishing[e];
        for e in 0..n * k {
            if offer(e) == Some(DROP) && eligible(e) {
                taken[e] = true;
                self.vcs[e].connected = Some(DROP);
            }
        }
        for o in 0..n {
            let port = &old.ports[o];
            let sending = |u: usize| match flitwise {
                true => port.busy[u].is_some(),
                false => port.busy[0].is_some_and(|b| b.2 == u),
            };
            let requests = |i: usize, v: usize| {
                let e = i * k + v;
                let Some(to @ 0..) = offer(e) else { return false };
                let u = (to >> 8 & 15) as usize;
                let needed = m as i32 + sending(u) as i32;
                to & 255 == o as i64 && eligible(e) && port.x[u] >= needed
            };
            let free = |plane: usize| port.busy[plane].is_none_or(|(i, v, _)| finishing[i * k + v]);
            let mut winners = Vec::new();
            if shape.crossbar == Crossbar::Single {
                if free(0) {
                    if let Some(w) = round_robin(n * k, port.vc_pointer, |e| requests(e / k, e % k)) {
                        self.ports[o].vc_pointer = (w + 1) % (n * k);
                        winners.push((w / k, w % k, 0));
                    }
                }
            } else if flitwise {
                for v in (0..k).filter(|&v| free(v)) {
                    if let Some(i) = round_robin(n, port.input_pointers[v], |i| requests(i, v)) {
                        self.ports[o].input_pointers[v] = (i + 1) % n;
                        winners.push((i, v, v));
                    }
                }
            } else if free(0) {
                if let Some(v) = round_robin(k, port.vc_pointer, |v| (0..n).any(|i| requests(i, v))) {
                    let i = round_robin(n, port.input_pointers[v], |i| requests(i, v)).expect("a request");
                    self.ports[o].vc_pointer = (v + 1) % k;
                    self.ports[o].input_pointers[v] = (i + 1) % n;
                    winners.push((i, v, 0));
                }
            }
            for (i, v, plane) in winners {
                taken[i * k + v] = true;
                self.vcs[i * k + v].connected = Some(o as i64);
                let u = (offer(i * k + v).expect("a request") >> 8 & 15) as usize;
                self.ports[o].busy[plane] = Some((i, v, u));
            }
        }

        // Section 5.1.
        let mut head_taken = taken.clone();
        if shape.output_selection() {
            for e in 0..n * k {
                let (was, now) = (&old.vcs[e], &mut self.vcs[e]);
                if taken[e] {
                    now.selected = None;
                }
                let there = was.head.filter(|&head| head != PENDING);
                head_taken[e] = there.is_some() && (was.selected.is_none() || taken[e]);
                if let (Some(head), true) = (there, head_taken[e]) {
                    let is_group = head != DROP && head >> 12 & 1 == 1;
                    if is_group && old.field("link_selection", "method") == 2 {
                        now.selected = Some((head, was.turn));
                        now.turn = was.turn.wrapping_add(1);
                    } else {
                        now.selected = Some((head, (head >> 48) as u8));
                    }
                }
                now.chosen = now.selected.map(|(result, selector)| old.output(result, selector));
            }
        }

        // Section 4.
        let mut pushed: Vec<Option<i64>> = vec![None; n * k];
        let mut replaced: Vec<Option<i64>> = vec![None; n * k];
        (self.out.lookup_hit, self.out.lookup_miss) = (0, 0);
        match &shape.routing {
            RoutingShape::Algorithmic(a) => {
                let s = a.reduction.stages as u64;
                for p in 0..n {
                    if let Some((v, bad, address, selector)) = arrivals[p] {
                        let compared = old.compared(address);
                        self.ports[p].reducing.push_back(Reducing {
                            arrived: t,
                            v,
                            bad,
                            selector,
                            compared,
                            key: None,
                        });
                    }
                    for packet in self.ports[p].reducing.iter_mut().filter(|packet| packet.arrived + s - 1 == t) {
                        packet.key = old.key(packet.compared);
                    }
                    if old.ports[p].reducing.front().is_some_and(|packet| packet.arrived + s == t) {
                        let packet = self.ports[p].reducing.pop_front().expect("checked");
                        let map = |field: &str| old.field_of("map", packet.key.expect("a key") as usize, field) as i64;
                        let entry = match packet.bad || packet.key.is_none() || map("valid") == 0 {
                            true => DROP,
                            false => {
                                let vc = if map("vc_set") == 1 { map("vc") + 1 } else { 0 };
                                map("port") | vc << 8 | map("group_set") << 12 | map("group") << 13
                            }
                        };
                        pushed[p * k + packet.v] = Some(result(entry, packet.v, packet.selector));
                    }
                }
            }
            RoutingShape::Source(_) => {
                for p in 0..n {
                    if let Some((v, _, address, _)) = arrivals[p] {
                        let entry = if (address as usize) < n { address as i64 } else { DROP };
                        pushed[p * k + v] = Some(result(entry, v, 0));
                    }
                }
            }
            RoutingShape::Table(table) => {
                let per_vc = table.lookups_per_vc;
                let stages = table.reduction.as_ref().map(|r| r.stages as u64);
                let latency = if table.cache.is_some() { 1 + stages.unwrap_or(1) } else { 1 };
                let sweeping = old.is_sweeping();
                if old.flush {
                    self.sweep = 0;
                    self.ports.iter_mut().for_each(|p| p.cache.iter_mut().for_each(|set| set.fill(None)));
                } else if sweeping {
                    self.sweep += 1;
                }
                let enabled = !shape.cache_control() || old.field("cache", "enable") == 1;
                let lookup = |v: usize, bad: bool, address: u64, selector: u8| {
                    let (tag, set) = old.tag_and_set(address);
                    Op::Lookup { v, bad, address, selector, fresh: enabled && !old.flush, tag, set }
                };
                for p in 0..n {
                    // 4.2
                    let vc = |v: usize| &old.vcs[p * k + v];
                    let mut issued = None;
                    let mut arrived = arrivals[p];
                    if old.ports[p].filled_in.is_none_or(|f| f + 1 != t) {
                        let slots = &old.ports[p].slots;
                        let ready =
                            |v: usize| vc(v).headers.front().is_some_and(|h| h.0 + 2 <= t) && vc(v).used < per_vc;
                        if let Some(s) =
                            (0..slots.len()).find(|&s| slots[s].valid && slots[s].answered && !slots[s].filling)
                        {
                            issued = Some(Op::Fill { s, set: old.tag_and_set(slots[s].address).1 });
                            self.ports[p].slots[s].filling = true;
                            self.ports[p].filled_in = Some(t);
                        } else if let Some(v) = round_robin(k, old.ports[p].pointer, ready) {
                            self.ports[p].pointer = (v + 1) % k;
                            let (_, bad, address, selector) = self.vcs[p * k + v].headers.pop_front().expect("ready");
                            issued = Some(lookup(v, bad, address, selector));
                        } else if let Some((v, bad, address, selector)) = arrived {
                            if vc(v).headers.is_empty() && vc(v).used < per_vc {
                                issued = Some(lookup(v, bad, address, selector));
                                arrived = None;
                            }
                        }
                    }
                    if let Some((v, bad, address, selector)) = arrived {
                        self.vcs[p * k + v].headers.push_back((t, bad, address, selector));
                    }
                    if let Some(op) = issued {
                        if let Op::Lookup { v, .. } = op {
                            self.vcs[p * k + v].used += 1;
                        }
                        self.ports[p].pipeline.push_back((t + latency, op));
                    }
                    // Section 5: freeing.
                    for v in 0..k {
                        let number = v * per_vc + vc(v).oldest;
                        if vc(v).head == Some(PENDING) && old.ports[p].slots[number].done {
                            let Slot { entry, selector, .. } = old.ports[p].slots[number];
                            replaced[p * k + v] = Some(result(entry, v, selector));
                            self.ports[p].slots[number] = Slot::default();
                            self.vcs[p * k + v].oldest = (vc(v).oldest + 1) % per_vc;
                            self.vcs[p * k + v].used -= 1;
                        }
                    }
                    // 4.3
                    if self.ports[p].pipeline.front().is_none_or(|o| o.0 != t) {
                        continue;
                    }
                    self.uses += 1;
                    let uses = self.uses;
                    match self.ports[p].pipeline.pop_front().expect("checked").1 {
                        Op::Fill { s, set } => {
                            let Slot { tag, entry, fresh, .. } = old.ports[p].slots[s];
                            if entry >= 0 && fresh && table.cache.is_some() && !sweeping {
                                let ways = &mut self.ports[p].cache[set];
                                let victim = match ways.iter().position(|w| w.is_none()) {
                                    Some(invalid) => invalid,
                                    None => (0..ways.len()).min_by_key(|&w| ways[w].expect("valid").2).expect("a way"),
                                };
                                ways[victim] = Some((tag, entry, uses));
                            }
                            for (at, slot) in self.ports[p].slots.iter_mut().enumerate() {
                                let was = &old.ports[p].slots[at];
                                if was.valid && !was.done && was.primary == s {
                                    (slot.done, slot.entry) = (true, entry);
                                }
                            }
                        }
                        Op::Lookup { v, bad: true, .. } => {
                            pushed[p * k + v] = Some(DROP);
                            self.vcs[p * k + v].used -= 1;
                        }
                        Op::Lookup { v, bad: false, address, selector, fresh, tag, set } => {
                            let found = table
                                .cache
                                .as_ref()
                                .filter(|_| fresh && !sweeping)
                                .and_then(|_| self.ports[p].cache[set].iter_mut().flatten().find(|w| w.0 == tag));
                            if let Some(way) = found {
                                way.2 = uses;
                                pushed[p * k + v] = Some(result(way.1, v, selector));
                                self.vcs[p * k + v].used -= 1;
                                self.out.lookup_hit |= 1 << p;
                                continue;
                            }
                            pushed[p * k + v] = Some(PENDING);
                            self.out.lookup_miss |= 1 << p;
                            let number = v * per_vc + vc(v).next;
                            self.vcs[p * k + v].next = (vc(v).next + 1) % per_vc;
                            let slots = &old.ports[p].slots;
                            let other = (0..slots.len()).find(|&s| {
                                let slot = &slots[s];
                                fresh && slot.valid && slot.fresh && slot.primary == s && !slot.done && slot.tag == tag
                            });
                            let slot = &mut self.ports[p].slots[number];
                            let primary = other.unwrap_or(number);
                            *slot = Slot { valid: true, fresh, address, tag, primary, selector, ..Slot::default() };
                            if other.is_none() {
                                self.ports[p].requests.push_back(number);
                            }
                        }
                    }
                }
                // 4.4, Request.
                if !old.out.cam_request_valid || pins.cam_request_ready {
                    let winner = round_robin(n, old.cam_pointer, |p| !old.ports[p].requests.is_empty());
                    self.out.cam_request_valid = winner.is_some();
                    if let Some(p) = winner {
                        self.cam_pointer = (p + 1) % n;
                        let number = self.ports[p].requests.pop_front().expect("an offer");
                        self.ports[p].slots[number].requested = true;
                        let (v, slot) = (number / per_vc, number % per_vc);
                        self.out.cam_request_tag =
                            (p << (shape.vc_bits + table.slot_bits) | v << table.slot_bits | slot) as u32;
                        self.out.cam_request_address = old.ports[p].slots[number].address;
                    }
                }
                // 4.4, Answer.
                self.response = pins.cam_response_valid.then(|| pins.clone());
                if let Some(response) = &old.response {
                    let (tag, hit) = (response.cam_response_tag, response.cam_response_hit);
                    let slot = tag as usize & ((1 << table.slot_bits) - 1);
                    let v = tag as usize >> table.slot_bits & ((1 << shape.vc_bits) - 1);
                    let p = tag as usize >> (table.slot_bits + shape.vc_bits);
                    let number = v * per_vc + slot;
                    let asked = p < n && v < k && slot < per_vc && {
                        let s = &old.ports[p].slots[number];
                        s.valid && s.primary == number && s.requested && !s.answered
                    };
                    let vc = (shape.next_vc && response.cam_response_vc_set).then_some(response.cam_response_vc as i64);
                    let groups = shape.link_aggregation.as_ref().map_or(0, |l| l.groups);
                    let (port, group) = (response.cam_response_port, response.cam_response_group);
                    let group_set = groups > 0 && response.cam_response_group_set;
                    let several = shape.candidates > 1;
                    let further = if several { response.cam_response_candidates as usize } else { 0 };
                    let candidate = response.cam_response_candidate;
                    let exists = vc.is_none_or(|vc| vc < k as i64)
                        && match group_set {
                            true => (group as usize) < groups,
                            false => {
                                further < shape.candidates
                                    && (port as usize) < n
                                    && (0..further).all(|i| (candidate[i] as usize) < n)
                            }
                        };
                    self.out.error_cam |= !asked || hit && !exists;
                    if asked {
                        let s = &mut self.ports[p].slots[number];
                        let mut entry = port as i64 | vc.map_or(0, |vc| vc + 1) << 8;
                        if group_set {
                            entry |= 1 << 12 | (group as i64) << 13;
                        } else if several {
                            entry |= (further as i64) << 20 | (response.cam_response_in_order as i64) << 22;
                            entry |= (0..further).fold(0, |list, i| list | (candidate[i] as i64) << (24 + 8 * i));
                        }
                        (s.answered, s.entry) = (true, if hit && exists { entry } else { DROP });
                    }
                }
            }
        }

        // Section 5.
        for e in 0..n * k {
            let (was, now) = (&old.vcs[e], &mut self.vcs[e]);
            if was.head.is_none() || head_taken[e] {
                now.head = None;
                if was.queue.front().is_some_and(|q| q.0 + 2 <= t) {
                    now.head = now.queue.pop_front().map(|q| q.1);
                } else if was.queue.is_empty() {
                    now.head = pushed[e].take();
                }
            } else if replaced[e].is_some() {
                now.head = replaced[e];
            }
            if let Some(result) = pushed[e] {
                now.queue.push_back((t, result));
            }
        }

        self.access_registers(&old, pins);

        // Section 7.
        let mask = (1u32 << shape.credit_bits) - 1;
        self.out.rx_credit_valid.clear();
        for e in 0..n * k {
            self.vcs[e].total = (self.vcs[e].total + freed[e]) & mask;
            let absolute = shape.flow_control == FlowControl::Absolute;
            self.out.rx_credit[e] = if absolute { self.vcs[e].total } else { freed[e] } as u16;
            self.out.rx_credit_valid.put(e, freed[e] > 0);
            let (o, v) = (e / k, e % k);
            let (was, now) = (&old.ports[o], &mut self.ports[o]);
            let report = pins.tx_credit_valid.get(e).then_some(pins.tx_credit[e] as u32);
            now.sent[v] = (was.sent[v] + sent[e]) & mask;
            if absolute {
                let available = d as i32 - (was.sent[v].wrapping_sub(was.accepted[v]) & mask) as i32;
                now.x[v] = available - sent[e] as i32;
                if let Some(total) = report {
                    if was.sent[v].wrapping_sub(total) & mask > d {
                        self.out.error_credit |= 1 << o;
                    } else {
                        now.accepted[v] = total;
                    }
                }
            } else {
                now.x[v] = was.available[v] - sent[e] as i32;
                let mut count = report.unwrap_or(0) as i32;
                if was.available[v] + count > d as i32 {
                    self.out.error_credit |= 1 << o;
                    count = 0;
                }
                now.available[v] = was.available[v] - sent[e] as i32 + count;
            }
        }
    }
}

/// Traffic of every kind, from legal to anything at all, by turns.
fn compare(config: &Config, seed: u64, cycles: usize) {
    let mut b = Bench::new(config);
    let mut literal = Literal::new(&b.shape);
    let mut random = Random(seed);
    let mut manager = Manager::new(&b.shape);
    let (n, k) = (b.shape.ports as u64, b.shape.vcs as u64);
    // With few ports, some of these do not exist.
    let route: fn(u64) -> Option<u8> = if b.shape.ports < 16 { |a| Some((a % 4) as u8) } else { mod_ports_16 };
    b.route = route;
    // Cycles with a flush, outputs with a packet that leaves on another VC than its own, outputs chosen anew, packets in turn.
    let mut seen = [0; 4];
    let shortest = b.shape.header_flits().min(b.shape.max_flits) as u64;
    for t in 0..cycles {
        let wild = t % 1500 > 1200;
        for port in 0..b.shape.ports {
            if !wild && b.waiting[port].len() < 4 && random.chance(if t % 300 < 150 { 2 } else { 12 }) {
                let length = shortest + random.below(b.shape.max_flits as u64 + 1 - shortest);
                let vc = random.below(k) as u8;
                // Source routes beyond the ports, too; a few addresses more often than many others.
                let address = match (b.shape.table(), b.shape.reduction()) {
                    (_, Some(_)) => sparse(&mut random),
                    (Some(_), None) => random.below(5) * random.below(2 * n.max(8)),
                    (None, None) => random.below(2 * n + 1),
                };
                b.send(port, vc, address, length as u32, port as u32);
            }
        }
        b.hold_credits = random.chance(3);
        b.cam_latency = 1 + random.below(30);
        b.cam_ready = !random.chance(3);
        b.prepare();
        if wild {
            let out = b.switch.outputs().clone();
            anything(&mut b.pins, &b.shape, &out, &mut random);
        }
        if b.shape.next_vc {
            b.pins.cam_response_vc_set = random.chance(2);
            let beyond = random.chance(30);
            b.pins.cam_response_vc = random.below(if beyond { 1 << b.shape.vc_bits } else { k }) as u8;
        }
        choices(&mut b.pins, &b.shape, &mut random);
        // Mostly a long time without any access, so that the caches are of use.
        let rarely = match (b.shape.algorithmic().is_some(), b.shape.link_aggregation.is_some()) {
            (true, _) => 2,
            (false, true) => 25,
            (false, false) => 200,
        };
        manager.drive(&mut b.pins, &mut random, if t % 500 < 100 { 5 } else { rarely });
        b.pins.reset = random.chance(2500);
        if b.pins.reset || t % 1500 == 1499 {
            // What senders and next buffers remember is of no use after this.
            b.pins.reset = true;
            let (switch, pins) = (b.switch.clone(), b.pins.clone());
            b = Bench::new(config);
            (b.switch, b.pins, b.route) = (switch, pins, route);
        }
        b.switch.step(&b.pins);
        let before: Vec<_> = literal.vcs.iter().map(|vc| (vc.selected, vc.chosen)).collect();
        literal.step(&b.pins);
        let after = literal.vcs.iter().zip(&before);
        seen[2] += after.filter(|(vc, was)| vc.selected.is_some() && vc.selected == was.0 && vc.chosen != was.1).count()
            as u32;
        seen[3] += literal.vcs.iter().filter(|vc| vc.turn != 0).count() as u32;
        seen[0] += literal.flush as u32;
        seen[1] += literal.ports.iter().flat_map(|p| &p.busy).flatten().filter(|(_, v, u)| v != u).count() as u32;
        assert!(
            b.switch.outputs() == &literal.out,
            "cycle {t} of {config:?}:\n{:?}\n{:?}",
            b.switch.outputs(),
            literal.out
        );
    }
    let can_flush = b.shape.cache_control() || b.shape.registers && b.shape.reduction().is_some();
    assert!(seen[0] > 0 || !can_flush || config.ports == 64, "no flush in {config:?}");
    assert!(seen[1] > 0 || !b.shape.next_vc, "every packet left on its own VC in {config:?}");
    assert!(seen[2] > 0 || !b.shape.output_selection(), "no output was chosen anew in {config:?}");
    assert!(seen[3] > 0 || b.shape.link_aggregation.is_none(), "no packet went in turn in {config:?}");
}

fn anything(pins: &mut Inputs, shape: &Shape, out: &Outputs, random: &mut Random) {
    let words = pins.words;
    let top = if shape.flit_bits % 32 == 0 { !0 } else { (1u32 << (shape.flit_bits % 32)) - 1 };
    for p in 0..shape.ports {
        if random.chance(2) {
            let mut flit = vec![0; words];
            flit[0] = random.below(11) as u32;
            flit[words - 1] ^= random.next() as u32 & top & !0xff;
            let vc = if random.chance(50) { random.below(1 << shape.vc_bits) } else { random.below(shape.vcs as u64) };
            pins.receive(p, vc as u8, random.chance(3), random.chance(3), &flit);
        }
    }
    for e in 0..shape.ports * shape.vcs {
        if random.chance(5) {
            pins.credit(e, random.below(1 << shape.credit_bits) as u16);
        }
    }
    pins.error_clear = random.chance(10);
    if let Some(table) = shape.table() {
        if random.chance(3) {
            let tag = if random.chance(2) { out.cam_request_tag } else { random.below(1 << table.tag_bits) as u32 };
            pins.cam_answer(tag, (!random.chance(4)).then_some(random.below(1 << shape.port_bits) as u8));
        }
    }
}

#[test]
fn the_model_is_the_reference_word_by_word() {
    for (i, config) in all_configurations().iter().enumerate() {
        compare(config, 31 + i as u64, if config.ports == 64 { 300 } else { 3000 });
    }
}

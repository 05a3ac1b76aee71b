//! A small driver for whole-switch tests: senders that keep to the credits, next buffers, a CAM.
#![allow(dead_code)] // each test file uses its part

mod configurations;
mod manager;

#[allow(unused_imports)] // each test file uses its part
pub use {configurations::*, manager::Manager};

use railyard_model::{flit_words, Apb, Inputs, Switch};
use railyard_spec::barrier::Message;
use railyard_spec::registers::address::{
    BARRIER_GROUP, BARRIER_LEAVES_HIGH, BARRIER_LEAVES_LOW, MULTICAST_MASK_HIGH, MULTICAST_MASK_LOW, MULTICAST_WRITE,
};
use railyard_spec::router_message::RouterMessage;
use railyard_spec::{packet, Cache, Config, FlowControl, Routing, RoutingShape, Shape, SourceRouting, TableRouting};
use std::collections::VecDeque;

/// Small portable random numbers.
pub struct Random(pub u64);

impl Random {
    pub fn next(&mut self) -> u64 {
        self.0 ^= self.0 << 13;
        self.0 ^= self.0 >> 7;
        self.0 ^= self.0 << 17;
        self.0.wrapping_mul(0x2545_f491_4f6c_dd1d) >> 8
    }

    pub fn below(&mut self, n: u64) -> u64 {
        self.next() % n
    }

    pub fn chance(&mut self, one_in: u64) -> bool {
        self.below(one_in) == 0
    }
}

/// A flit that waits at a sender, or left the switch.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Flit {
    pub vc: u8,
    pub head: bool,
    pub tail: bool,
    pub words: Vec<u32>,
}

/// The switch with its neighbours. By default senders keep to their credits, next buffers free each flit at once, and
/// the CAM answers after `cam_latency` cycles with `route`.
pub struct Bench {
    pub switch: Switch,
    pub shape: Shape,
    pub pins: Inputs,
    pub waiting: Vec<VecDeque<Flit>>,
    /// (Cycle, flit) of all that left, by output.
    pub left: Vec<Vec<(u64, Flit)>>,
    /// (Cycle, message) of all barrier messages that left, by output.
    pub messages: Vec<Vec<(u64, Message)>>,
    /// (Cycle, message) of all router messages that left, by output.
    pub router_messages: Vec<Vec<(u64, RouterMessage)>>,
    pub credit: Vec<i32>,
    totals: Vec<u16>,
    sent: Vec<u16>,
    pub hold_credits: bool,
    /// Cycles in which the next buffer of an output frees a flit; 1: each at once.
    pub pace: Vec<u64>,
    /// Flits not yet credited while `hold_credits`.
    pub held: Vec<u32>,
    pub cam_latency: u64,
    pub cam_ready: bool,
    pub route: fn(u64) -> Option<u8>,
    pub cam: VecDeque<(u64, u32, u64)>,
    pub requests: Vec<(u64, u32, u64)>,
    pub drops: usize,
}

pub fn mod_ports_16(address: u64) -> Option<u8> {
    Some((address % 16) as u8)
}

impl Bench {
    pub fn new(config: &Config) -> Bench {
        let shape = config.clone().check().unwrap().shape();
        let (n, k) = (shape.ports, shape.vcs);
        Bench {
            switch: Switch::new(&shape),
            pins: Inputs::new(&shape),
            waiting: vec![VecDeque::new(); n],
            left: vec![Vec::new(); n],
            messages: vec![Vec::new(); n],
            router_messages: vec![Vec::new(); n],
            credit: (0..n * k).map(|channel| shape.depth_at(channel / k) as i32).collect(),
            totals: vec![0; n * k],
            sent: vec![0; n * k],
            hold_credits: false,
            pace: vec![1; n],
            held: vec![0; n * k],
            cam_latency: 25,
            cam_ready: true,
            route: mod_ports_16,
            cam: VecDeque::new(),
            requests: Vec::new(),
            drops: 0,
            shape,
        }
    }

    /// Whether the last word of a header flit is free for a mark.
    pub fn header_has_room(&self) -> bool {
        let bits = self.shape.address_bits().unwrap_or(self.shape.port_bits);
        let bits = multicast_bit(&self.shape).map_or(bits, |(_, bit)| bit + 1);
        flit_words(&self.shape) > bits.div_ceil(32) as usize && self.shape.flit_bits % 32 == 0
    }

    /// A packet of `length` flits for `address` or, source-routed, output port `address`; payload words carry `mark`.
    pub fn packet(&self, vc: u8, address: u64, length: u32, mark: u32) -> Vec<Flit> {
        let shape = &self.shape;
        let words = flit_words(shape);
        let (bits, header) = (shape.address_bits().unwrap_or(shape.port_bits), shape.header_flits());
        let top = if shape.flit_bits % 32 == 0 { !0 } else { (1 << (shape.flit_bits % 32)) - 1 };
        (0..length)
            .map(|i| {
                let mut flit = vec![0; words];
                if i < header {
                    let low = i * shape.flit_bits;
                    let width = bits.saturating_sub(low).min(shape.flit_bits);
                    packet::set_field(&mut flit, 0, width, address.checked_shr(low).unwrap_or(0));
                    if self.header_has_room() {
                        flit[words - 1] = mark & top;
                    }
                } else {
                    flit.fill(mark ^ i << 10);
                    flit[words - 1] &= top;
                }
                Flit { vc, head: i == 0, tail: i + 1 == length, words: flit }
            })
            .collect()
    }

    /// A multicast packet of `length` flits for a group.
    pub fn multicast_packet(&self, group: u64, length: u32, mark: u32) -> Vec<Flit> {
        let mixed = self.shape.multicast.expect("a mixed VC").vc as u8;
        let mut flits = self.packet(mixed, group, length, mark);
        let (flit, bit) = multicast_bit(&self.shape).expect("a mixed VC");
        if let RoutingShape::Source(s) = &self.shape.routing {
            packet::set_field(&mut flits[0].words, 0, s.route_bits.min(64), group);
        }
        packet::set_field(&mut flits[flit].words, bit, 1, 1);
        flits
    }

    pub fn multicast(&mut self, port: usize, group: u64, length: u32, mark: u32) {
        let flits = self.multicast_packet(group, length, mark);
        self.waiting[port].extend(flits);
    }

    pub fn send(&mut self, port: usize, vc: u8, address: u64, length: u32, mark: u32) {
        let flits = self.packet(vc, address, length, mark);
        self.waiting[port].extend(flits);
    }

    /// Prepares the pins of this cycle from what is at the outputs.
    pub fn prepare(&mut self) {
        let (n, k) = (self.shape.ports, self.shape.vcs);
        let mask = (1u16 << self.shape.credit_bits) - 1;
        let absolute = self.shape.flow_control == FlowControl::Absolute;
        let now = self.switch.now();
        self.pins.idle();
        let out = self.switch.outputs();
        for e in 0..n * k {
            if out.rx_credit_valid.get(e) {
                self.credit[e] += if absolute {
                    (out.rx_credit[e].wrapping_sub(self.totals[e]) & mask) as i32
                } else {
                    out.rx_credit[e] as i32
                };
                self.totals[e] = out.rx_credit[e];
            } else {
                assert_eq!(out.rx_credit[e], if absolute { self.totals[e] } else { 0 });
            }
            self.drops += out.drop_valid.get(e) as usize;
        }
        for o in 0..n {
            if out.tx_valid >> o & 1 == 1 {
                let vc = out.tx_vc[o];
                let (head, tail) = (out.tx_head >> o & 1 == 1, out.tx_tail >> o & 1 == 1);
                if vc as usize == k {
                    let low = out.flit(o).iter().rev().fold(0, |bits, &word| bits << 32 | u128::from(word));
                    let of_routers = self.shape.router_messages().and_then(|sizes| sizes.decode(low));
                    if let Some(message) = of_routers {
                        assert!(head && tail);
                        self.router_messages[o].push((now, message));
                        continue;
                    }
                    let (message, rest) = out.flit(o).split_first().expect("a word");
                    assert!(head && tail && rest.iter().all(|&word| word == 0));
                    self.messages[o].push((now, Message::decode(*message).expect("a message")));
                    continue;
                }
                self.left[o].push((now, Flit { vc, head, tail, words: out.flit(o).to_vec() }));
                self.held[o * k + vc as usize] += 1;
            }
        }
        if !self.hold_credits {
            for e in 0..n * k {
                let pace = self.pace[e / k];
                let at_once = if absolute { u32::MAX } else { 2 };
                let freed = self.held[e].min(if pace == 1 { at_once } else { 1 });
                if freed != 0 && (now + 2 * (e / k) as u64) % pace == 0 {
                    self.held[e] -= freed;
                    self.sent[e] = (self.sent[e] + freed as u16) & mask;
                    self.pins.credit(e, if absolute { self.sent[e] } else { freed as u16 });
                }
            }
        }
        self.pins.cam_request_ready = self.cam_ready;
        if out.cam_request_valid && self.cam_ready {
            self.requests.push((now, out.cam_request_tag, out.cam_request_address));
            self.cam.push_back((now + self.cam_latency, out.cam_request_tag, out.cam_request_address));
        }
        if self.cam.front().is_some_and(|c| c.0 <= now) {
            let (_, tag, address) = self.cam.pop_front().expect("checked");
            self.pins.cam_answer(tag, (self.route)(address));
        }
        for p in 0..n {
            let Some(first) = self.waiting[p].front() else { continue };
            let e = p * k + first.vc as usize;
            let needed = if first.head { 1 + self.waiting[p].iter().position(|f| f.tail).unwrap_or(0) } else { 1 };
            if self.credit[e] >= needed as i32 {
                let flit = self.waiting[p].pop_front().expect("checked");
                self.credit[e] -= 1;
                self.pins.receive(p, flit.vc, flit.head, flit.tail, &flit.words);
            }
        }
    }

    /// The next buffer of an output frees so many flits in this cycle, whatever its pace.
    pub fn free(&mut self, output: usize, vc: u8, flits: u32) {
        let e = output * self.shape.vcs + vc as usize;
        self.held[e] -= flits;
        self.sent[e] = (self.sent[e] + flits as u16) & ((1 << self.shape.credit_bits) - 1);
        self.prepare();
        self.pins.credit(e, self.sent[e]);
        self.switch.step(&self.pins);
    }

    pub fn step(&mut self) {
        self.prepare();
        self.switch.step(&self.pins);
    }

    pub fn run(&mut self, cycles: usize) {
        for _ in 0..cycles {
            self.step();
        }
    }

    /// A legal write to a register.
    pub fn write(&mut self, paddr: u32, pwdata: u32) {
        for penable in [false, true] {
            self.prepare();
            self.pins.apb = Apb { psel: true, penable, pwrite: true, paddr: paddr as u16, pwdata };
            self.switch.step(&self.pins);
            assert!(!self.switch.outputs().apb_pslverr);
        }
    }

    /// The value of a register.
    pub fn read(&mut self, paddr: u32) -> u32 {
        self.prepare();
        self.pins.apb = Apb { psel: true, penable: false, pwrite: false, paddr: paddr as u16, pwdata: 0 };
        self.switch.step(&self.pins);
        assert!(!self.switch.outputs().apb_pslverr);
        self.switch.outputs().apb_prdata
    }

    /// Sets up a barrier group: leaves, and the parent's port or none for the root.
    pub fn barrier_group(&mut self, group: usize, leaves: u64, parent: Option<usize>) {
        let at = |register: u32| register + 4 * group as u32;
        self.write(at(BARRIER_LEAVES_LOW), leaves as u32);
        if self.shape.ports > 32 {
            self.write(at(BARRIER_LEAVES_HIGH), (leaves >> 32) as u32);
        }
        self.write(at(BARRIER_GROUP), parent.map_or(3, |parent| 1 | (parent as u32) << 8));
    }

    /// A flit on the barrier VC comes by `port`, beside what is prepared: instead of a flit that came there.
    pub fn barrier_flit(&mut self, port: usize, head: bool, tail: bool, word: u32) {
        let mut flit = vec![0; self.pins.words];
        flit[0] = word;
        self.pins.receive(port, self.shape.vcs as u8, head, tail, &flit);
    }

    /// A router message comes by `port` in the next cycle, with some of its bits turned over.
    pub fn tell(&mut self, port: usize, message: RouterMessage, flipped: u128) {
        let word = self.shape.router_messages().expect("router messages").encode(message) ^ flipped;
        let flit: Vec<u32> = (0..self.pins.words).map(|at| (word >> (32 * at)) as u32).collect();
        self.prepare();
        self.pins.receive(port, self.shape.vcs as u8, true, true, &flit);
        self.switch.step(&self.pins);
    }

    /// Waits until the group table has been swept, and writes groups 0 and up: mask, loopback.
    pub fn write_groups(&mut self, groups: &[(u64, bool)]) {
        self.run(self.shape.multicast.expect("a mixed VC").groups + 1);
        for (group, &(mask, loopback)) in groups.iter().enumerate() {
            self.write(MULTICAST_MASK_LOW, mask as u32);
            if self.shape.ports > 32 {
                self.write(MULTICAST_MASK_HIGH, (mask >> 32) as u32);
            }
            self.write(MULTICAST_WRITE, group as u32 | (loopback as u32) << 16);
        }
    }

    /// Waits for the end of the caches' sweep.
    pub fn sweep(&mut self) {
        let sets = self.shape.table().and_then(|t| t.cache.as_ref()).map_or(0, |c| c.sets);
        self.run(sets + 1);
    }

    /// Runs until nothing is left; true if that came about within `cycles`.
    pub fn drain(&mut self, cycles: usize) -> bool {
        for _ in 0..cycles {
            if self.switch.is_idle() && self.waiting.iter().all(|w| w.is_empty()) && self.cam.is_empty() {
                self.run(3);
                return true;
            }
            self.step();
        }
        false
    }

    pub fn errors(&self) -> [u64; 6] {
        let o = self.switch.outputs();
        [o.error_vc, o.error_framing, o.error_overflow, o.error_length, o.error_credit, o.error_cam as u64]
    }
}

/// Where headers have the multicast bit: flit and bit in it.
pub fn multicast_bit(shape: &Shape) -> Option<(usize, u32)> {
    shape.multicast?;
    let at = match &shape.routing {
        RoutingShape::Source(s) => s.route_bits,
        _ => shape.address_bits()?,
    };
    Some(((at / shape.flit_bits) as usize, at % shape.flit_bits))
}

/// Sets the multicast bit of a flit to 1, if one in two, where one of this switch's headers may have it.
pub fn maybe_multicast(flit: &mut [u32], shape: &Shape, random: &mut Random) {
    if let Some((_, bit)) = multicast_bit(shape) {
        if random.chance(2) {
            packet::set_field(flit, bit, 1, 1);
        }
    }
}

pub fn source(ports: u32) -> Config {
    let mut c = Config::named("t");
    c.ports = ports;
    c.routing = Routing::Source(SourceRouting { hops: 1 });
    c
}

pub fn table(ports: u32, cache: Option<Cache>) -> Config {
    let mut c = Config::named("t");
    c.ports = ports;
    c.routing = Routing::Table(TableRouting { cache, ..TableRouting::default() });
    c
}

pub fn small_cache() -> Option<Cache> {
    Some(Cache { entries: 64, ..Cache::default() })
}

/// A destination: a few more often than many others. For a source-routed switch a port, or one beyond.
pub fn destination(shape: &Shape, random: &mut Random) -> u64 {
    let n = shape.ports as u64;
    let low = match (shape.table(), shape.reduction()) {
        (_, Some(_)) => sparse(random),
        (Some(_), None) => random.below(5) * random.below(2 * n.max(8)),
        (None, None) => random.below(2 * n + 1),
    };
    let is_wide = shape.address_bits().is_some_and(|bits| bits > 36) && shape.forwarding_table().is_some();
    low | if is_wide { random.below(2) << 36 } else { 0 }
}

/// An address of a small space, with few values in each chunk.
pub fn sparse(random: &mut Random) -> u64 {
    [0, 4, 8, 23].iter().fold(0, |address, low| address ^ random.below(3) << low) & 0xff_ffff
}

/// What an answer of the CAM says beside hit, port and VC; mostly what exists.
pub fn choices(pins: &mut Inputs, shape: &Shape, random: &mut Random) {
    let beyond = random.chance(30);
    if let Some(l) = &shape.link_aggregation {
        pins.cam_response_group_set = random.chance(2);
        pins.cam_response_group = random.below(if beyond { 1 << l.group_bits } else { l.groups as u64 }) as u8;
    }
    if shape.candidates > 1 {
        let most = if beyond { 1 << shape.candidates_bits() } else { shape.candidates as u64 };
        pins.cam_response_candidates = random.below(most) as u8;
        for at in 0..shape.candidates - 1 {
            let ports = if random.chance(30) { 1 << shape.port_bits } else { shape.ports as u64 };
            pins.cam_response_candidate[at] = random.below(ports) as u8;
        }
        pins.cam_response_in_order = random.chance(3);
    }
}

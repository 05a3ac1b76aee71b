//! A small driver for whole-switch tests: senders that keep to the credits, next buffers, a CAM.
#![allow(dead_code)] // each test file uses its part

use railyard_model::{flit_words, Apb, Inputs, Switch};
use railyard_spec::registers::{registers, Access, Legal, Register};
use railyard_spec::{
    packet, AlgorithmicRouting, Cache, Config, Crossbar, FlowControl, Hash, LinkAggregation, LinkArbitration,
    NodeReduction, Polynomial, Routing, Shape, SourceRouting, TableRouting, Topology,
};
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
    pub credit: Vec<i32>,
    totals: Vec<u16>,
    sent: Vec<u16>,
    pub hold_credits: bool,
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
        let shape = config.shape();
        let (n, k) = (shape.ports, shape.vcs);
        Bench {
            switch: Switch::new(&shape),
            pins: Inputs::new(&shape),
            waiting: vec![VecDeque::new(); n],
            left: vec![Vec::new(); n],
            credit: vec![shape.buffer_flits as i32; n * k],
            totals: vec![0; n * k],
            sent: vec![0; n * k],
            hold_credits: false,
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
                    packet::set_field(&mut flit, 0, (bits - low).min(shape.flit_bits), address >> low);
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
                self.left[o].push((now, Flit { vc, head, tail, words: out.flit(o).to_vec() }));
                self.held[o * k + vc as usize] += 1;
            }
        }
        if !self.hold_credits {
            for e in 0..n * k {
                let freed = self.held[e].min(if absolute { u32::MAX } else { 2 });
                if freed != 0 {
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

    pub fn step(&mut self) {
        self.prepare();
        self.switch.step(&self.pins);
    }

    pub fn run(&mut self, cycles: usize) {
        for _ in 0..cycles {
            self.step();
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

/// A manager of the APB port: transfers to any register, some of them illegal or broken off.
pub struct Manager {
    registers: Vec<Register>,
    address_bits: u32,
    setup: Option<Apb>,
}

impl Manager {
    pub fn new(shape: &Shape) -> Manager {
        Manager { registers: registers(shape), address_bits: shape.address_bits().unwrap_or(0), setup: None }
    }

    /// The APB pins in this cycle; a transfer begins in one of `rarely` cycles.
    pub fn drive(&mut self, pins: &mut Inputs, random: &mut Random, rarely: u64) {
        pins.apb.psel = false;
        if self.registers.is_empty() {
            return;
        }
        if let Some(setup) = self.setup.take() {
            if !random.chance(10) {
                pins.apb = Apb { penable: true, ..setup };
                return;
            }
        }
        if random.chance(rarely) {
            // Arrays, the port map among them, have many entries.
            let arrays: Vec<usize> = (0..self.registers.len()).filter(|&r| self.registers[r].count > 1).collect();
            let register = if arrays.is_empty() || random.chance(3) {
                random.below(self.registers.len() as u64) as usize
            } else {
                arrays[random.below(arrays.len() as u64) as usize]
            };
            let register = &self.registers[register];
            let entry = random.below(register.count as u64);
            let entry = if random.chance(2) { entry } else { random.below(entry + 1) };
            let at = register.address + 4 * entry as u32;
            let paddr = if random.chance(20) { random.below(1 << 12) as u32 } else { at };
            let writable = register.access != Access::ReadOnly;
            let pwrite = if writable { !random.chance(3) } else { random.chance(10) };
            let pwdata = self.value(register, random);
            pins.apb = Apb { psel: true, penable: random.chance(20), pwrite, paddr: paddr as u16, pwdata };
            self.setup = (!pins.apb.penable).then_some(pins.apb);
        }
    }

    /// A value for a register, legal more often than not.
    fn value(&self, register: &Register, random: &mut Random) -> u32 {
        if random.chance(20) {
            return random.next() as u32;
        }
        let mut chunk_bits = 1;
        register.fields.iter().fold(0, |word, f| {
            let value = match &f.legal {
                // Few values in each chunk, so that the addresses of a test meet them.
                Legal::Any if f.bits > 8 => sparse(random) as u32 & (!0 >> (32 - f.bits)),
                Legal::Any => random.below(1 << f.bits) as u32,
                Legal::OneOf(values) => values[random.below(values.len() as u64) as usize],
                Legal::Below(limit) => random.below(*limit as u64) as u32,
                Legal::BelowChunks => random.below(self.address_bits.div_ceil(chunk_bits) as u64).min(3) as u32,
            };
            if f.name == "chunk_bits" {
                chunk_bits = value;
            }
            word | value << f.low
        })
    }
}

/// An address of a small space, with few values in each chunk.
pub fn sparse(random: &mut Random) -> u64 {
    [0, 4, 8, 23].iter().fold(0, |address, low| address ^ random.below(3) << low) & 0xff_ffff
}

/// Configurations with settings, or with routes that name the VC on which a packet leaves.
pub fn configurations_with_settings() -> Vec<Config> {
    let all = [Topology::Cube, Topology::FatTree, Topology::Dragonfly];
    let mut list = Vec::new();
    for (ports, vcs, reduction, next_vc, cached, crossbar) in [
        (16, 2, None, false, true, Crossbar::Parallel),
        (4, 3, None, true, true, Crossbar::Parallel),
        (5, 2, None, true, false, Crossbar::Single),
        (6, 3, Some((1, 2)), false, true, Crossbar::Parallel),
        (4, 2, Some((2, 3)), true, true, Crossbar::Parallel),
        (4, 5, Some((3, 1)), true, true, Crossbar::Single),
    ] {
        let cache = cached.then(|| Cache { entries: 16, ways: 4, ..Cache::default() });
        let mut c = table(ports, cache);
        (c.virtual_channels.unicast, c.crossbar) = (vcs, crossbar);
        if let Routing::Table(t) = &mut c.routing {
            t.next_vc = next_vc;
            t.node_reduction = reduction.map(|(stages, topologies)| NodeReduction {
                topologies: all[..topologies].to_vec(),
                chunk_bits: vec![4, 3],
                stages,
            });
        }
        list.push(c);
    }
    let mut c = list[3].clone();
    c.link_arbitration = LinkArbitration::Flit;
    list.push(c);
    let mut c = table(4, Some(Cache { entries: 16, ways: 2, ..Cache::default() }));
    c.registers = false;
    list.push(c);
    for (ports, vcs, stages, next_vc, topologies, crossbar) in [
        (4, 2, 1, true, &all[..], Crossbar::Parallel),
        (5, 3, 2, true, &all[..1], Crossbar::Single),
        (7, 3, 3, false, &all[1..], Crossbar::Parallel),
    ] {
        let mut c = table(ports, None);
        (c.virtual_channels.unicast, c.crossbar, c.flit_bits) = (vcs, crossbar, 32);
        let node_reduction = NodeReduction { topologies: topologies.to_vec(), chunk_bits: vec![4, 3], stages };
        c.routing = Routing::Algorithmic(AlgorithmicRouting {
            address_bits: 24,
            node_reduction,
            next_vc,
            link_aggregation: None,
        });
        list.push(c);
    }
    list
}

/// Configurations whose routes name link aggregation groups or several candidates.
pub fn configurations_with_selection() -> Vec<Config> {
    let [cached, bare] = [small_cache(), None];
    let mut list = Vec::new();
    // Ports, VCs, cache, candidates, groups, links, VC of the next link, crossbar, link arbitration, flow control.
    use {Crossbar::*, FlowControl::*, LinkArbitration::*};
    for (ports, vcs, cache, candidates, groups, links, next_vc, crossbar, link_arbitration, flow_control) in [
        (4, 3, &cached, 3, 0, 0, true, Parallel, Packet, Absolute),
        (6, 2, &bare, 1, 3, 5, false, Single, Packet, Relative),
        (5, 2, &cached, 4, 2, 3, false, Parallel, Flit, Absolute),
        (16, 2, &cached, 2, 1, 2, true, Parallel, Packet, Relative),
        (3, 8, &cached, 4, 0, 0, false, Parallel, Packet, Absolute),
        (5, 1, &bare, 2, 5, 2, false, Single, Packet, Absolute),
    ] {
        let mut c = table(ports, cache.clone());
        (c.virtual_channels.unicast, c.crossbar, c.link_arbitration) = (vcs, crossbar, link_arbitration);
        c.flow_control = flow_control;
        if let Routing::Table(t) = &mut c.routing {
            (t.candidates, t.next_vc) = (candidates, next_vc);
            t.link_aggregation = (groups > 0).then(|| LinkAggregation { groups, links, ..Default::default() });
            t.node_reduction = (ports == 16).then(NodeReduction::default);
        }
        c.registers = groups > 0;
        list.push(c);
    }
    for (ports, vcs, groups, links, next_vc, link_arbitration) in
        [(7, 2, 4, 3, true, Packet), (4, 3, 2, 16, false, Flit)]
    {
        let mut c = table(ports, None);
        (c.virtual_channels.unicast, c.link_arbitration) = (vcs, link_arbitration);
        let hash = Hash { crc_bits: 5, polynomial: Polynomial(0x15) };
        let link_aggregation = Some(LinkAggregation { groups, links, hash });
        c.routing = Routing::Algorithmic(AlgorithmicRouting { next_vc, link_aggregation, ..Default::default() });
        list.push(c);
    }
    list
}

/// All of them.
pub fn all_configurations() -> Vec<Config> {
    [configurations(), configurations_with_settings(), configurations_with_selection()].concat()
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

/// A spread of configurations over all that can be chosen.
pub fn configurations() -> Vec<Config> {
    let mut list = Vec::new();
    for (n, config) in [source(16), table(16, small_cache()), table(5, None)].into_iter().enumerate() {
        for (crossbar, link_arbitration) in [
            (Crossbar::Parallel, LinkArbitration::Packet),
            (Crossbar::Parallel, LinkArbitration::Flit),
            (Crossbar::Single, LinkArbitration::Packet),
        ] {
            for flow_control in [FlowControl::Absolute, FlowControl::Relative] {
                let mut c = config.clone();
                (c.crossbar, c.link_arbitration, c.flow_control) = (crossbar, link_arbitration, flow_control);
                c.virtual_channels.unicast = [2, 3, 8, 1][(list.len() + n) % 4];
                c.packet.max_flits = [8, 4, 5][list.len() % 3];
                c.buffer_flits = Some([16, 32][list.len() % 2]);
                list.push(c);
            }
        }
    }
    // Headers of several flits, few lookups, one way, the smallest and the largest.
    for (ports, flit_bits, address_bits, lookups_per_vc, ways) in
        [(2, 16, 64, 1, 1), (7, 16, 40, 3, 16), (64, 512, 24, 4, 2), (3, 33, 64, 5, 8), (4, 64, 24, 4, 2)]
    {
        let mut c = table(ports, Some(Cache { entries: 16, ways, ..Cache::default() }));
        c.flit_bits = flit_bits;
        if let Routing::Table(t) = &mut c.routing {
            (t.address_bits, t.lookups_per_vc) = (address_bits, lookups_per_vc);
        }
        list.push(c);
    }
    let mut c = source(2);
    (c.packet.max_flits, c.buffer_flits) = (1, Some(2));
    list.push(c);
    list
}

//! The golden model with planned inputs, and a record of its pins: what the cycle diagrams are drawn from.

use crate::style::Ink;
use crate::wave::WaveRow;
use railyard_model::{flit_words, Apb, Inputs, Outputs, Switch};
use railyard_spec::forwarding_table::{register_writes, EntryWrite, Layout};
use railyard_spec::reduction::{key, ReductionSettings};
use railyard_spec::registers::address::{CACHE, CACHE_STATUS, MAP, NODE_MAP};
use railyard_spec::{packet, CheckedConfig, FlowControl, Route, RoutingShape, Shape, Topology};
use std::collections::{BTreeMap, VecDeque};

/// A flit with the name that it has in a picture.
#[derive(Clone, Debug)]
struct Flit {
    label: String,
    head: bool,
    tail: bool,
    words: Vec<u32>,
}

/// What comes to the pins in a cycle.
#[derive(Clone, Debug)]
enum Act {
    Flit { port: usize, vc: usize, flit: Flit },
    Credit { element: usize, value: u16 },
    Apb(Apb),
}

/// Where a packet goes.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Target {
    /// To an output, by the bench's table, by arithmetic or by the header's list of ports.
    Output(usize),
    /// To the outputs of a multicast group.
    Group(u64),
}

/// What is seen of the switch beside its pins.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Watch {
    /// Field `value` of the register of the routing caches: they are enabled.
    Enabled,
    /// The caches are being emptied.
    Sweeping,
    /// Free places of the next buffer behind an output, on a VC, as the switch counts them.
    Available(usize, usize),
}

/// The pins in a cycle.
pub struct Instant {
    /// Inputs.
    pub inputs: Inputs,
    /// Outputs.
    pub outputs: Outputs,
    /// By [`PinRecorder::watch`].
    watched: Vec<i64>,
}

/// The bench.
pub struct PinRecorder {
    /// The switch's numbers.
    pub shape: Shape,
    switch: Switch,
    plan: BTreeMap<u64, Vec<Act>>,
    /// Cycle 0 of the record.
    start: u64,
    /// Cycles from a CAM request to its answer.
    cam_latency: u64,
    /// The output that the CAM answers with, and the cycle of the record from which on it is another one.
    cam_route: [usize; 2],
    cam_changes: Option<u64>,
    answers: VecDeque<(u64, u32)>,
    watch: Vec<Watch>,
    sent: Vec<Flit>,
    record: Option<Vec<Instant>>,
}

/// The address of the packets; with algorithmic routing one step away from the switch's own place.
const ADDRESS: u64 = 1;

impl PinRecorder {
    /// A switch behind reset, its memories swept, which sends unicast packets of table or arithmetic to `output`.
    pub fn new(config: &CheckedConfig, output: usize) -> PinRecorder {
        let shape = config.shape();
        let mut bench = PinRecorder {
            switch: Switch::new(&shape),
            plan: BTreeMap::new(),
            start: 0,
            cam_latency: 5,
            cam_route: [output; 2],
            cam_changes: None,
            answers: VecDeque::new(),
            watch: Vec::new(),
            sent: Vec::new(),
            record: None,
            shape,
        };
        bench.sweep();
        bench.lead(output);
        bench
    }

    /// From this cycle of the record on the CAM answers with another output.
    pub fn change_cam(&mut self, cycle: u64, output: usize) {
        (self.cam_changes, self.cam_route[1]) = (Some(cycle), output);
    }

    /// What else is to be recorded in each cycle.
    pub fn watch(&mut self, watch: &[Watch]) {
        self.watch = watch.to_vec();
    }

    fn sweep(&mut self) {
        let table = self.shape.table();
        let sets = table.and_then(|table| table.cache.as_ref()).map_or(0, |cache| cache.sets);
        let entries = self.shape.forwarding_table().map_or(0, |table| table.sets);
        let groups = self.shape.multicast.map_or(0, |built| built.groups);
        self.run(sets.max(entries).max(groups) as u64 + 2);
    }

    /// Tells the switch where the address is, as far as its routing wants to be told.
    fn lead(&mut self, output: usize) {
        let writes = match &self.shape.routing {
            RoutingShape::Source(_) => Vec::new(),
            RoutingShape::Table(_) => match self.shape.forwarding_table() {
                Some(table) => {
                    let bits = self.shape.address_bits().unwrap_or(64);
                    let places = Layout::new(table, bits).insert(ADDRESS).unwrap_or_default();
                    let route = Route { port: output as u8, ..Route::default() };
                    let entry = |(place, address)| EntryWrite { place, entry: Some((address, route)) };
                    register_writes(&self.shape, &places.into_iter().map(entry).collect::<Vec<_>>())
                }
                None => Vec::new(),
            },
            // After reset the switch is router 0 of group 0, and the address is that of its node 1.
            RoutingShape::Dragonfly(_) => vec![(NODE_MAP + 4 * ADDRESS as u32, 1 << 8 | output as u32)],
            RoutingShape::Algorithmic(built) => {
                let (reduction, bits) = (&built.reduction, built.address_bits);
                let chunk = reduction.chunk_bits[0];
                let (settings, key) = match reduction.topologies[0] {
                    Topology::Cube => (ReductionSettings::mesh(chunk, &[0]), key::plus(0)),
                    Topology::FatTree => (ReductionSettings::fat_tree(chunk, 0, &[]), key::down(1)),
                    Topology::Dragonfly => (ReductionSettings::dragonfly(chunk, 0, 0), key::down(1)),
                };
                let entry = (MAP + 4 * key, 1 << 8 | output as u32);
                settings.writes(bits, reduction.full_radix).into_iter().chain([entry]).collect()
            }
        };
        writes.into_iter().for_each(|(address, value)| self.write(address, value));
        self.run(2);
    }

    /// A write to a register, now.
    pub fn write(&mut self, address: u32, value: u32) {
        let now = self.switch.now() - self.start;
        self.plan_write(now, address, value);
        self.run(2);
    }

    /// A write to a register: its setup is in that cycle.
    pub fn plan_write(&mut self, cycle: u64, address: u32, value: u32) {
        for (later, penable) in [(0, false), (1, true)] {
            let apb = Apb { psel: true, penable, pwrite: true, paddr: address as u16, pwdata: value };
            self.plan(cycle + later, Act::Apb(apb));
        }
    }

    /// A read of a register: its setup is in that cycle.
    pub fn plan_read(&mut self, cycle: u64, address: u32) {
        for (later, penable) in [(0, false), (1, true)] {
            let apb = Apb { psel: true, penable, pwrite: false, paddr: address as u16, pwdata: 0 };
            self.plan(cycle + later, Act::Apb(apb));
        }
    }

    fn plan(&mut self, cycle: u64, act: Act) {
        self.plan.entry(cycle).or_default().push(act);
    }

    /// A packet comes to `port` on `vc`, flit by flit from `cycle` on. Its flits are called H, B1, B2, ..., T; with a
    /// name H1, T1, ...
    pub fn plan_packet(&mut self, cycle: u64, port: usize, vc: usize, target: Target, length: usize, name: &str) {
        for at in 0..length {
            let flit = self.flit(target, at, length, name);
            self.sent.push(flit.clone());
            self.plan(cycle + at as u64, Act::Flit { port, vc, flit });
        }
    }

    /// A single flit comes to `port` on the barrier VC, with these low 32 bits.
    pub fn plan_message(&mut self, cycle: u64, port: usize, word: u32) {
        let mut words = vec![0; flit_words(&self.shape)];
        words[0] = word;
        let vc = self.shape.vcs;
        self.plan(cycle, Act::Flit { port, vc, flit: Flit { label: String::new(), head: true, tail: true, words } });
    }

    /// A credit report for an output and VC.
    pub fn plan_credit(&mut self, cycle: u64, output: usize, vc: usize, value: u32) {
        let mask = (1u32 << self.shape.credit_bits) - 1;
        let element = output * self.shape.vcs + vc;
        self.plan(cycle, Act::Credit { element, value: (value & mask) as u16 });
    }

    fn flit(&self, target: Target, at: usize, length: usize, name: &str) -> Flit {
        let shape = &self.shape;
        let (head, tail) = (at == 0, at + 1 == length);
        let label = match (head, tail, name) {
            (true, _, _) => format!("H{name}"),
            (_, true, _) => format!("T{name}"),
            (_, _, "") => format!("B{at}"),
            _ => format!("B{name}"),
        };
        let mut words = vec![0u32; flit_words(shape)];
        // Payload that tells flits apart, as far as there is room for it.
        let mark = (self.sent.len() as u64 + 1).wrapping_mul(0x9e37_79b9_7f4a_7c15);
        let bit = |at: u32| mark >> (at % 64) & 1;
        for at in 0..shape.flit_bits {
            packet::set_field(&mut words, at, 1, bit(at));
        }
        let low = at as u32 * shape.flit_bits;
        let (value, bits, multicast) = self.header(target);
        for at in low..(low + shape.flit_bits).min(bits) {
            packet::set_field(&mut words, at - low, 1, value.checked_shr(at).unwrap_or(0) & 1);
        }
        if shape.multicast.is_some() && (low..low + shape.flit_bits).contains(&bits) {
            packet::set_field(&mut words, bits - low, 1, u64::from(multicast));
        }
        Flit { label, head, tail, words }
    }

    /// Value and width of a header's address or route, and its multicast bit.
    fn header(&self, target: Target) -> (u64, u32, bool) {
        let bits = match &self.shape.routing {
            RoutingShape::Source(source) => source.route_bits,
            _ => self.shape.address_bits().unwrap_or(0),
        };
        match (target, &self.shape.routing) {
            (Target::Group(group), _) => (group, bits, true),
            (Target::Output(output), RoutingShape::Source(_)) => (output as u64, bits, false),
            (Target::Output(_), _) => (ADDRESS, bits, false),
        }
    }

    /// The record starts: this is its cycle 0. Plans are by its cycles from now on.
    pub fn start(&mut self) {
        self.start = self.switch.now();
        self.plan.clear();
        self.sent.clear();
        self.record = Some(Vec::new());
    }

    /// So many cycles with what is planned for them.
    pub fn run(&mut self, cycles: u64) {
        (0..cycles).for_each(|_| self.step());
    }

    fn step(&mut self) {
        let cycle = self.switch.now() - self.start;
        let mut pins = Inputs::new(&self.shape);
        pins.cam_request_ready = true;
        self.answer(&mut pins, cycle);
        for act in self.plan.remove(&cycle).unwrap_or_default() {
            match act {
                Act::Flit { port, vc, flit } => pins.receive(port, vc as u8, flit.head, flit.tail, &flit.words),
                Act::Credit { element, value } => pins.credit(element, value),
                Act::Apb(apb) => pins.apb = apb,
            }
        }
        let watched = self.watch.iter().map(|watch| self.look(*watch)).collect();
        if let Some(record) = &mut self.record {
            record.push(Instant { inputs: pins.clone(), outputs: self.switch.outputs().clone(), watched });
        }
        self.switch.step(&pins);
    }

    /// The CAM takes a request at once and answers later.
    fn answer(&mut self, pins: &mut Inputs, cycle: u64) {
        let (now, outputs) = (self.switch.now(), self.switch.outputs());
        if outputs.cam_request_valid {
            self.answers.push_back((now + self.cam_latency, outputs.cam_request_tag));
        }
        if let Some(&(_, tag)) = self.answers.front().filter(|(due, _)| *due <= now) {
            self.answers.pop_front();
            let changed = self.record.is_some() && self.cam_changes.is_some_and(|change| cycle >= change);
            pins.cam_answer(tag, Some(self.cam_route[usize::from(changed)] as u8));
        }
    }

    fn look(&self, watch: Watch) -> i64 {
        let register = |address: u32| {
            let mut probe = self.switch.clone();
            let mut pins = Inputs::new(&self.shape);
            pins.apb = Apb { psel: true, penable: false, pwrite: false, paddr: address as u16, pwdata: 0 };
            probe.step(&pins);
            i64::from(probe.outputs().apb_prdata)
        };
        match watch {
            Watch::Enabled => register(CACHE),
            Watch::Sweeping => register(CACHE_STATUS),
            Watch::Available(output, vc) => i64::from(self.switch.available(output, vc)),
        }
    }

    /// The record, by cycle.
    pub fn record(&self) -> &[Instant] {
        self.record.as_deref().unwrap_or(&[])
    }

    /// The first cycle of the record in which something is so.
    pub fn first(&self, is: impl Fn(&Instant) -> bool) -> Option<usize> {
        self.record().iter().position(is)
    }

    /// A row of bits.
    pub fn bits(&self, name: &str, ink: Ink, bit: impl Fn(&Instant) -> bool) -> WaveRow {
        WaveRow::bits(name, ink, self.record().iter().map(bit))
    }

    /// A row of values.
    pub fn values(&self, name: &str, ink: Ink, value: impl Fn(&Instant) -> Option<String>) -> WaveRow {
        WaveRow::values(name, ink, self.record().iter().map(value))
    }

    /// A row of what is watched, by its number.
    pub fn watched(&self, name: &str, ink: Ink, number: usize) -> WaveRow {
        self.values(name, ink, |instant| Some(instant.watched[number].to_string()))
    }

    /// The same of what is a bit.
    pub fn watched_bit(&self, name: &str, ink: Ink, number: usize) -> WaveRow {
        self.bits(name, ink, |instant| instant.watched[number] != 0)
    }

    /// The flits that come to a port.
    pub fn rx_flits(&self, port: usize) -> WaveRow {
        let words = flit_words(&self.shape);
        self.values(&format!("rx_flit[{port}]"), Ink::Data, |instant| {
            let flit = &instant.inputs.rx_flit[port * words..(port + 1) * words];
            let is_there = instant.inputs.rx_valid >> port & 1 == 1;
            is_there.then(|| self.label(flit, instant.inputs.rx_head >> port & 1 == 1))
        })
    }

    /// The flits that leave by a port.
    pub fn tx_flits(&self, port: usize) -> WaveRow {
        self.values(&format!("tx_flit[{port}]"), Ink::Data, |instant| {
            let is_there = instant.outputs.tx_valid >> port & 1 == 1;
            is_there.then(|| self.label(instant.outputs.flit(port), instant.outputs.tx_head >> port & 1 == 1))
        })
    }

    /// The credit totals, or numbers of flits, that an input reports.
    pub fn rx_credits(&self, port: usize, vc: usize) -> WaveRow {
        let element = port * self.shape.vcs + vc;
        self.values(&format!("rx_credit[{port}]"), Ink::Back, |instant| {
            let is_total = self.shape.flow_control == FlowControl::Absolute;
            (is_total || instant.outputs.rx_credit_valid.get(element))
                .then(|| instant.outputs.rx_credit[element].to_string())
        })
    }

    /// The name of a flit: a source-routed switch changes the route of a head, and nothing else.
    fn label(&self, words: &[u32], head: bool) -> String {
        let route = match &self.shape.routing {
            RoutingShape::Source(source) => source.route_bits,
            _ => 0,
        };
        let payload = |words: &[u32]| {
            let mut words = words.to_vec();
            (0..if head { route } else { 0 }).for_each(|bit| packet::set_field(&mut words, bit, 1, 0));
            words
        };
        let same = |flit: &&Flit| flit.head == head && payload(&flit.words) == payload(words);
        self.sent.iter().find(same).map_or_else(|| "?".into(), |flit| flit.label.clone())
    }
}

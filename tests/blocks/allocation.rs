//! Allocation and traversal. The model's `Allocator`, `Crossbar`, `OutputUnits` and `Credits` are a switch without
//! route computation here: packets are put into the buffers of its inputs and routes into its heads at random. Each
//! block of hardware gets what its neighbours would tell it, and is held against what the model does in the same cycle:
//! the allocator of each output, the connection of each input VC, the crossbar. allocator only holds one of
//! packet_allocator, flit_allocator, single_allocator, and is checked as a whole; these three alone get the same wires.

use crate::support::{beat, one_hot, random_flit, shape, vector, Random, Shape};
use railyard_hdl::rtl::{Bench, Value};
use railyard_hdl::units::allocate::allocator::allocator;
use railyard_hdl::units::allocate::flit_allocator::flit_allocator;
use railyard_hdl::units::allocate::packet_allocator::packet_allocator;
use railyard_hdl::units::allocate::single_allocator::single_allocator;
use railyard_hdl::units::input::connection::connection;
use railyard_hdl::units::output::crossbar::crossbar;
use railyard_model::allocate::allocator::Allocator;
use railyard_model::input::input_unit::InputUnit;
use railyard_model::input::vc_buffer::FlitMarks;
use railyard_model::output::credit_counter::Credits;
use railyard_model::output::crossbar::{Crossbar, Grants};
use railyard_model::output::output_unit::OutputUnits;
use railyard_model::route::route_queue::{PacketRoute, RouteResult};
use railyard_model::Outputs;
use railyard_spec::{Crossbar as Structure, FlowControl, LinkArbitration, Routing, SourceRouting};

const STRUCTURES: [(Structure, LinkArbitration); 3] = [
    (Structure::Parallel, LinkArbitration::Packet),
    (Structure::Parallel, LinkArbitration::Flit),
    (Structure::Single, LinkArbitration::Packet),
];

fn shapes() -> impl Iterator<Item = Shape> {
    STRUCTURES.into_iter().flat_map(|(structure, link)| {
        [(2, 1, 1, 16), (4, 3, 3, 70), (9, 2, 4, 40)].map(|(ports, vcs, max_flits, flit_bits)| {
            shape(|c| {
                (c.ports, c.virtual_channels.unicast) = (ports, vcs);
                (c.packet.max_flits, c.buffer_flits, c.flit_bits) = (max_flits, Some(8), flit_bits);
                (c.crossbar, c.link_arbitration, c.flow_control) = (structure, link, FlowControl::Relative);
                c.routing = Routing::Source(SourceRouting { hops: 1 });
            })
        })
    })
}

/// What an input VC has in a cycle, and what becomes of it. Vectors over input VCs have VC v of input i at `v * n + i`.
#[derive(Clone, Default)]
struct InputVc {
    head: Option<PacketRoute>,
    /// The flit that it can pop.
    front: Option<(FlitMarks, Vec<u32>)>,
    popped: bool,
    tail_dropped: bool,
    requests: Option<usize>,
    granted: bool,
    taken: bool,
}

/// What happens in a cycle.
struct Cycle {
    reset: bool,
    inputs: Vec<InputVc>,
    /// For each (o, v): room for a packet, and behind the flit that is being sent; the input connected before this
    /// cycle, and in it.
    room: Vec<(bool, bool)>,
    owners: Vec<Option<usize>>,
    grants: Vec<Option<usize>>,
    /// The VC whose flit is popped to each output, and the flit.
    sent: Vec<Option<(usize, FlitMarks, Vec<u32>)>>,
}

/// The model between buffers and output registers.
struct Middle {
    shape: Shape,
    random: Random,
    inputs: Vec<InputUnit>,
    allocator: Allocator,
    crossbar: Crossbar,
    output_units: OutputUnits,
    credits: Credits,
    out: Outputs,
    heads: Vec<Option<PacketRoute>>,
    /// Flits of the packet that is being stored, still to come.
    left: Vec<u64>,
    now: u64,
}

impl Middle {
    fn new(shape: &Shape) -> Self {
        let (n, k) = (shape.ports, shape.vcs);
        Middle {
            random: Random::new(n as u64, 23),
            inputs: vec![InputUnit::new(shape); n],
            allocator: Allocator::new(shape),
            crossbar: Crossbar::new(shape),
            output_units: OutputUnits::new(shape),
            credits: Credits::new(shape),
            out: Outputs::new(shape),
            heads: vec![None; n * k],
            left: vec![0; n * k],
            now: 0,
            shape: shape.clone(),
        }
    }

    /// A flit for one VC of each input, and routes for heads that are empty: many for few outputs.
    fn fill(&mut self) {
        let (n, k) = (self.shape.ports, self.shape.vcs);
        for i in 0..n {
            let v = self.random.below(k as u64) as usize;
            if self.inputs[i].buffer(v).occupancy() < self.shape.buffer_flits && self.random.below(8) > 0 {
                let left = &mut self.left[v * n + i];
                let head = *left == 0;
                *left = if head { self.random.below(self.shape.max_flits.into()) } else { *left - 1 };
                let (marks, flit) = (FlitMarks { head, tail: *left == 0 }, random_flit(&mut self.random, &self.shape));
                self.inputs[i].buffer_mut(v).store(self.now, marks, &flit);
            }
            for v in 0..k {
                if self.heads[v * n + i].is_none() && self.random.below(2) == 0 {
                    let busiest = if self.random.below(2) == 0 { n as u64 } else { 2 };
                    let route = match self.random.below(10) {
                        0 => PacketRoute::Drop,
                        _ => PacketRoute::Port(self.random.below(busiest) as u8),
                    };
                    self.heads[v * n + i] = Some(route);
                    self.allocator.head_changed(i, v, Some(RouteResult::Known(route)));
                }
            }
        }
    }

    fn front(&self, i: usize, v: usize) -> Option<(FlitMarks, Vec<u32>)> {
        let mut flit = vec![0; self.out.words];
        let marks = self.inputs[i].buffer(v).clone().pop(self.now, &mut flit)?;
        Some((marks, flit))
    }

    /// For each (o, v), who is connected.
    fn owners(&self) -> Vec<Option<usize>> {
        let mut owners = vec![None; self.shape.ports * self.shape.vcs];
        self.crossbar.connections().for_each(|(i, v, o)| owners[o * self.shape.vcs + v] = Some(i));
        owners
    }

    fn cycle(&mut self) -> Cycle {
        let (n, k, now) = (self.shape.ports, self.shape.vcs, self.now);
        let needed = self.shape.max_flits as i32;
        let room = |element| self.credits.room(element, now);
        let mut cycle = Cycle {
            reset: self.random.below(150) == 0,
            inputs: vec![InputVc::default(); n * k],
            room: (0..n * k).map(|element| (room(element) >= needed, room(element) > needed)).collect(),
            owners: self.owners(),
            grants: vec![None; n * k],
            sent: vec![None; n],
        };
        for (at, input) in cycle.inputs.iter_mut().enumerate() {
            (input.head, input.front) = (self.heads[at], self.front(at % n, at / n));
        }

        // Pops: to outputs, and of dropped packets.
        let mut from = vec![];
        self.output_units
            .traverse(now, 0, &mut self.inputs, &mut self.crossbar, &mut self.out, |_, sent| from.push(sent));
        for sent in from {
            let (i, v) = (usize::from(sent.from.input), usize::from(sent.from.vc));
            let input = &mut cycle.inputs[v * n + i];
            input.popped = true;
            cycle.sent[sent.output] = input.front.clone().map(|(marks, flit)| (v, marks, flit));
        }
        for v in 0..k {
            for i in (0..n).filter(|&i| self.crossbar.dropping(v) >> i & 1 == 1).collect::<Vec<_>>() {
                if let Some(marks) = self.inputs[i].buffer_mut(v).discard(now) {
                    cycle.inputs[v * n + i].popped = true;
                    if marks.tail {
                        self.crossbar.finish_drop(i, v);
                        cycle.inputs[v * n + i].tail_dropped = true;
                    }
                }
            }
        }

        // Requests and grants.
        for (at, input) in cycle.inputs.iter_mut().enumerate() {
            if let Some(PacketRoute::Port(output)) = input.head {
                let free = self.crossbar.free_inputs(at / n) >> (at % n) & 1 == 1;
                input.requests = free.then_some(output.into());
            }
        }
        let mut grants = Grants::default();
        self.allocator.allocate(now, &self.crossbar, &self.credits, &mut grants);
        self.crossbar.connect(&grants);
        for (i, v, o) in grants.list() {
            cycle.grants[o * k + v] = Some(i);
            cycle.inputs[v * n + i].granted = true;
        }
        for (at, input) in cycle.inputs.iter_mut().enumerate() {
            input.taken = grants.taken(at / n) >> (at % n) & 1 == 1;
            if input.taken {
                self.heads[at] = None;
            }
        }

        // Credits: the next buffers free places slowly or fast.
        for element in 0..n * k {
            let used = self.shape.buffer_flits as i32 - self.credits.available(element);
            if used > 0 && self.random.below(if now / 100 % 2 == 0 { 12 } else { 3 }) == 0 {
                let value = self.random.within(1, u64::from(used.min(3) as u32)) as u32;
                assert!(self.credits.report(element, now, value));
            }
            if cycle.sent[element / k].as_ref().is_some_and(|sent| sent.0 == element % k) {
                self.credits.sent(element);
            }
        }
        self.fill();
        self.now += 1;
        if cycle.reset {
            let now = self.now;
            let random = self.random.clone();
            *self = Middle { now, random, ..Middle::new(&self.shape) };
        }
        cycle
    }
}

/// For each VC, which inputs something is true of.
fn by_vc(shape: &Shape, inputs: &[InputVc], is: impl Fn(&InputVc) -> bool) -> Vec<Value> {
    inputs.chunks(shape.ports).map(|plane| vector(plane.iter().map(&is))).collect()
}

/// Runs allocators of one kind, one for each output.
macro_rules! allocators {
    ($shape:expr, $block:expr, |$bench:ident, $chosen:ident| $check_chosen:block) => {{
        let (n, k) = ($shape.ports, $shape.vcs);
        let mut model = Middle::new($shape);
        let mut benches: Vec<_> = (0..n).map(|_| started!($block)).collect();
        let mut given = 0;
        for now in 0..400 {
            let cycle = model.cycle();
            let ready = by_vc($shape, &cycle.inputs, |input| input.front.is_some());
            let ending = by_vc($shape, &cycle.inputs, |input| input.front.as_ref().is_some_and(|front| front.0.tail));
            for (o, $bench) in benches.iter_mut().enumerate() {
                let context = format!("{:?}, output {o}, cycle {now}", $shape);
                let request = by_vc($shape, &cycle.inputs, |input| input.requests == Some(o));
                for v in 0..k {
                    $bench.io.request[v].next = request[v].clone();
                    $bench.io.ready[v].next = ready[v].clone();
                    $bench.io.ending[v].next = ending[v].clone();
                }
                let room = &cycle.room[o * k..(o + 1) * k];
                $bench.io.room.next = vector(room.iter().map(|room| room.0));
                if let Some(room_sending) = &mut $bench.io.room_sending {
                    room_sending.next = vector(room.iter().map(|room| room.1));
                }
                $bench.reset.next = cycle.reset;
                $bench.settle();
                let sent = cycle.sent[o].as_ref().map(|sent| sent.0);
                assert_eq!($bench.io.sent.val(), one_hot(k, sent), "{context}");
                let owners = &cycle.owners[o * k..(o + 1) * k];
                for v in 0..k {
                    let granted = cycle.grants[o * k + v];
                    assert_eq!($bench.io.owner[v].val(), one_hot(n, owners[v]), "VC {v}, {context}");
                    assert_eq!($bench.io.grant[v].val(), one_hot(n, granted), "VC {v}, {context}");
                    given += u32::from(granted.is_some());
                }
                let $chosen: Vec<Value> =
                    (0..k).map(|v| one_hot(n, owners[v].filter(|_| sent == Some(v)))).collect();
                $check_chosen
                $bench.cycle();
            }
        }
        assert!(given > 100, "{given} grants: {:?}", $shape);
    }};
}

#[test]
fn allocators_of_each_kind() {
    for shape in &shapes().collect::<Vec<_>>() {
        allocators!(shape, allocator(shape), |bench, chosen| {
            for (pin, chosen) in bench.io.chosen.iter().zip(chosen) {
                assert_eq!(pin.val(), chosen);
            }
        });
    }
}

#[test]
fn each_kind_alone() {
    for shape in &shapes().collect::<Vec<_>>() {
        match (shape.crossbar, shape.link_arbitration) {
            (Structure::Single, _) => allocators!(shape, single_allocator(shape), |bench, _chosen| {}),
            (Structure::Parallel, LinkArbitration::Packet) => {
                allocators!(shape, packet_allocator(shape), |bench, _chosen| {})
            }
            (Structure::Parallel, LinkArbitration::Flit) => {
                allocators!(shape, flit_allocator(shape), |bench, chosen| {
                    for (pin, chosen) in bench.io.chosen.iter().zip(chosen) {
                        assert_eq!(pin.val(), chosen);
                    }
                })
            }
        }
    }
}

#[test]
fn connections() {
    for shape in shapes() {
        let (n, k) = (shape.ports, shape.vcs);
        let mut model = Middle::new(&shape);
        let mut benches: Vec<_> = (0..n * k).map(|_| started!(connection(&shape, 0))).collect();
        let (mut taken, mut dropped) = (0, 0);
        let cycles: Vec<_> = (0..401).map(|_| model.cycle()).collect();
        for (now, (cycle, after)) in cycles.iter().zip(&cycles[1..]).enumerate() {
            for (at, (bench, input)) in benches.iter_mut().zip(&cycle.inputs).enumerate() {
                let context = format!("{shape:?}, input {}, VC {}, cycle {now}", at % n, at / n);
                bench.head_drop.next = input.head == Some(PacketRoute::Drop);
                let port = if let Some(PacketRoute::Port(port)) = input.head { Some(port.into()) } else { None };
                bench.head_request.next = one_hot(n, port);
                bench.ready.next = input.front.is_some();
                let ending = |input: &InputVc| input.front.as_ref().is_some_and(|front| front.0.tail);
                bench.ending.next = ending(input);
                bench.ending_next.iter_mut().for_each(|pin| pin.next = ending(&after.inputs[at]));
                // The link arbiter does not know of VCs that drop.
                let chosen = input.popped && !(0..n).all(|o| cycle.owners[o * k + at / n] != Some(at % n));
                bench.chosen.iter_mut().for_each(|pin| pin.next = chosen);
                bench.granted.next = input.granted;
                bench.reset.next = cycle.reset;
                bench.settle();
                assert_eq!(bench.request.val(), one_hot(n, input.requests), "{context}");
                assert_eq!(bench.take.val(), input.taken, "{context}");
                assert_eq!(bench.pop.val(), input.popped, "{context}");
                assert_eq!(bench.tail_dropped.val(), input.tail_dropped, "{context}");
                bench.cycle();
                (taken, dropped) = (taken + u32::from(input.taken), dropped + u32::from(input.tail_dropped));
            }
        }
        assert!(taken > 100 && dropped > 20, "{taken} taken, {dropped} dropped: {shape:?}");
    }
}

#[test]
fn crossbars() {
    for shape in shapes() {
        let (n, k) = (shape.ports, shape.vcs);
        let mut model = Middle::new(&shape);
        let mut bench = Bench::combinational(crossbar(&shape));
        for now in 0..200 {
            let cycle = model.cycle();
            for (pin, input) in bench.beat.iter_mut().zip(&cycle.inputs) {
                // What a VC offers without a flit means nothing.
                let (marks, flit) = input
                    .front
                    .clone()
                    .unwrap_or_else(|| (FlitMarks { head: true, tail: false }, random_flit(&mut model.random, &shape)));
                pin.next = beat(&shape, marks, &flit);
            }
            for (pin, owner) in bench.owner.iter_mut().zip(&cycle.owners) {
                pin.next = one_hot(n, *owner);
            }
            for (element, pin) in bench.sent.iter_mut().enumerate() {
                pin.next = cycle.sent[element / k].as_ref().is_some_and(|sent| sent.0 == element % k);
            }
            bench.settle();
            for (o, sent) in cycle.sent.iter().enumerate() {
                if let Some((_, marks, flit)) = sent {
                    assert_eq!(bench.out[o].val(), beat(&shape, *marks, flit), "{shape:?}, output {o}, cycle {now}");
                }
            }
        }
    }
}

//! The block against the description of the registers, read once more.

use super::*;
use railyard_spec::registers::{
    address, registers, topology_code, Access, Legal, Register, RegisterField as Described,
};
use railyard_spec::{
    AlgorithmicRouting, Cache, Config, Counters, ForwardingTable, LinkAggregation, NodeReduction, Radix, Routing,
    SourceRouting, TableRouting, Topology,
};
use std::collections::HashMap;

mod barrier;
mod events;

fn config(ports: u32, address_bits: u32, topologies: &[Topology], chunk_bits: &[u32]) -> Shape {
    with_vcs(ports, address_bits, topologies, chunk_bits, None)
}

/// With `next_vc` and this many VCs, if any are given.
fn with_vcs(
    ports: u32,
    address_bits: u32,
    topologies: &[Topology],
    chunk_bits: &[u32],
    next_vcs: Option<u32>,
) -> Shape {
    let node_reduction =
        NodeReduction { topologies: topologies.to_vec(), chunk_bits: chunk_bits.to_vec(), ..NodeReduction::default() };
    let mut config = Config::named("test");
    config.ports = ports;
    let next_vc = next_vcs.is_some();
    config.routing =
        Routing::Algorithmic(AlgorithmicRouting { address_bits, node_reduction, next_vc, ..Default::default() });
    config.virtual_channels.unicast = next_vcs.unwrap_or(config.virtual_channels.unicast);
    config.check().unwrap().shape()
}

/// With full radix, and `next_vc` or not; in front of a cache, or without one.
fn full_radix(address_bits: u32, topologies: &[Topology], chunk_bits: &[u32], next_vc: bool, cached: bool) -> Shape {
    let node_reduction = NodeReduction {
        topologies: topologies.to_vec(),
        chunk_bits: chunk_bits.to_vec(),
        radix: Radix::Full,
        ..NodeReduction::default()
    };
    let mut config = Config::named("test");
    config.routing = match cached {
        true => {
            let node_reduction = Some(node_reduction);
            Routing::Table(TableRouting { address_bits, node_reduction, next_vc, ..Default::default() })
        }
        false => {
            Routing::Algorithmic(AlgorithmicRouting { address_bits, node_reduction, next_vc, ..Default::default() })
        }
    };
    config.check().unwrap().shape()
}

/// A table-routed switch whose caches stand behind node reduction, if any topology is built in.
fn cached(address_bits: u32, topologies: &[Topology], chunk_bits: &[u32]) -> Shape {
    let node_reduction = (!topologies.is_empty()).then(|| NodeReduction {
        topologies: topologies.to_vec(),
        chunk_bits: chunk_bits.to_vec(),
        ..NodeReduction::default()
    });
    let mut config = Config::named("test");
    let cache = Some(Cache { entries: 16, ways: 2, ..Default::default() });
    config.routing = Routing::Table(TableRouting { address_bits, node_reduction, cache, ..Default::default() });
    config.check().unwrap().shape()
}

/// What section 9 says of the registers.
struct Model {
    shape: Shape,
    description: Vec<Register>,
    values: HashMap<u32, u32>,
}

impl Model {
    fn new(shape: &Shape) -> Model {
        let description = registers(shape);
        let words = description.iter().flat_map(|r| (0..r.count).map(move |i| (r.address + 4 * i, reset_of(r))));
        Model { shape: shape.clone(), values: words.collect(), description }
    }

    fn register(&self, address: u32) -> Option<&Register> {
        let covers = |r: &&Register| (0..r.count).any(|i| r.address + 4 * i == address);
        self.description.iter().find(covers)
    }

    fn get(value: u32, f: &Described) -> u32 {
        value >> f.low & (u32::MAX >> (32 - f.bits))
    }

    fn field(&self, address: u32, name: &str) -> u32 {
        let register = self.register(address).unwrap();
        Model::get(self.values[&address], register.fields.iter().find(|f| f.name == name).unwrap())
    }

    fn writable(&self, address: u32, value: u32, table_sweeping: bool) -> bool {
        let Some(register) = self.register(address) else { return false };
        if register.name == "table_write" && table_sweeping {
            return false;
        }
        let inside = register.fields.iter().fold(0, |sum, f| sum | (u32::MAX >> (32 - f.bits)) << f.low);
        let legal = |f: &Described| {
            let field = Model::get(value, f);
            match &f.legal {
                Legal::Any => true,
                Legal::OneOf(list) => list.contains(&field),
                Legal::Below(limit) => field < *limit,
                Legal::BelowChunks => {
                    let width = register.fields.iter().find(|f| f.name == "chunk_bits").map(|f| Model::get(value, f));
                    width.is_some_and(|w| w > 0 && field < self.shape.address_bits().unwrap().div_ceil(w))
                }
            }
        };
        register.access != Access::ReadOnly && value & !inside == 0 && register.fields.iter().all(legal)
    }

    /// Whether a legal write is a flush (section 4.5).
    fn flushes(&self, address: u32, value: u32) -> bool {
        let name = self.register(address).unwrap().name;
        match name {
            "flush" => value == 1,
            "reduction" | "coordinate_low" | "coordinate_high" | "bound_low" | "bound_high" | "wrap" => {
                self.shape.cache_control()
            }
            _ => false,
        }
    }
}

fn reset_of(register: &Register) -> u32 {
    register.fields.iter().fold(0, |sum, f| sum | f.reset << f.low)
}

struct Random(u64);

impl Random {
    fn next(&mut self) -> u32 {
        self.0 = self.0.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1_442_695_040_888_963_407);
        (self.0 >> 32) as u32
    }
    fn one_in(&mut self, n: u32) -> bool {
        self.next() >> 4 & 0xFFFF < 0x1_0000 / n
    }
    fn pick<T: Clone>(&mut self, list: &[T]) -> T {
        list[(self.next() >> 4) as usize % list.len()].clone()
    }
    /// An address, mostly of a register; a value, mostly legal for it.
    fn access(&mut self, model: &Model) -> (u32, u32) {
        let mut register = self.pick(&model.description);
        if self.one_in(2) {
            // Counters are many, and are only read.
            let writable: Vec<_> = model.description.iter().filter(|r| r.access != Access::ReadOnly).cloned().collect();
            register = self.pick(&writable);
        }
        let mut address = register.address + 4 * ((self.next() >> 4) % register.count);
        if self.one_in(8) {
            address =
                self.pick(&[address ^ 1, address ^ 2, address ^ 0x800, address + 4, address ^ 0x400, 0x00C, 0xFFC])
                    & 0xFFFF;
        }
        let mut value = 0;
        for field in &register.fields {
            let random = self.next() & (u32::MAX >> (32 - field.bits));
            let chosen = match &field.legal {
                Legal::OneOf(list) if !self.one_in(8) => self.pick(list),
                Legal::Below(limit) if !self.one_in(8) => random % limit,
                Legal::BelowChunks if !self.one_in(4) => random % 4,
                _ => random,
            };
            value |= chosen << field.low;
        }
        if self.one_in(8) {
            value ^= 1 << ((self.next() >> 4) % 32);
        }
        (address, value)
    }
}

/// The settings at the block's outputs are those of the registers.
fn check_settings(bench: &Bench<ApbRegisters>, model: &Model, reduction: &railyard_spec::ReductionShape) {
    let two = |low, high| {
        let word = |address| u64::from(model.values.get(&address).copied().unwrap_or(0));
        u128::from(word(low) | word(high) << 32)
    };
    let settings = bench.reduction.as_ref().expect("node reduction has settings");
    assert_eq!(settings.coordinate.val().to_u128(), two(address::COORDINATE_LOW, address::COORDINATE_HIGH));
    let any_radix = reduction.has(Topology::Cube) && !reduction.full_radix;
    assert_eq!((settings.bound.is_some(), settings.wrap.is_some()), (any_radix, any_radix));
    if let (Some(bound), Some(wrap)) = (&settings.bound, &settings.wrap) {
        assert_eq!(bound.val().to_u128(), two(address::BOUND_LOW, address::BOUND_HIGH));
        assert_eq!(wrap.val().to_u128(), u128::from(model.values[&address::WRAP]));
    }
    let field = |name| model.field(address::REDUCTION, name);
    let order = reduction.topologies.iter().position(|t| topology_code(*t) == field("topology"));
    assert_eq!(settings.topology_select.val().to_u128(), order.map_or(0, |i| 1 << i));
    let width = reduction.chunk_bits.iter().position(|w| *w == field("chunk_bits")).unwrap();
    for select in settings.chunk_select.iter() {
        assert_eq!(select.val().to_u128(), 1 << width);
    }
    assert_eq!(settings.dateline.is_some(), reduction.dateline);
    for dateline in settings.dateline.iter() {
        assert_eq!(dateline.val(), field("dateline") == 1);
    }
    assert_eq!(settings.torus.is_some(), reduction.full_radix);
    for torus in settings.torus.iter() {
        assert_eq!(torus.val(), field("torus") == 1);
    }
    let level = field("level");
    if let (Some(level_select), Some(above_level)) = (&settings.level_select, &settings.above_level) {
        assert_eq!(level_select.val().to_u128(), 1 << level);
        let all = (1u128 << reduction.max_chunks) - 1;
        assert_eq!(above_level.val().to_u128(), all & !((2 << level) - 1));
    }
    for (e, entry) in bench.port_map.iter().enumerate() {
        let at = address::MAP + 4 * e as u32;
        let mut places = vec![("port", model.shape.port_bits)];
        if model.shape.next_vc {
            places.extend([("vc", model.shape.vc_bits), ("vc_set", 1)]);
        }
        if let Some(groups) = &model.shape.link_aggregation {
            places.extend([("group", groups.group_bits), ("group_set", 1)]);
        }
        places.push(("valid", 1));
        let (expected, _) =
            places.iter().fold((0, 0), |(word, low), (name, bits)| (word | model.field(at, name) << low, low + bits));
        assert_eq!(entry.val().to_u128(), u128::from(expected), "map entry {e}");
    }
}

/// The same of link aggregation's.
fn check_links(bench: &Bench<ApbRegisters>, model: &Model, groups: &railyard_spec::LinkAggregationShape) {
    let value = |at: u32| u128::from(model.values[&at]);
    let settings = bench.links.as_ref().expect("link aggregation has settings");
    assert_eq!(settings.method.val().to_u128(), value(address::LINK_SELECTION));
    assert_eq!(
        (settings.groups.links.len(), settings.groups.group_link.len()),
        (groups.groups, groups.groups * groups.links)
    );
    for (g, links) in settings.groups.links.iter().enumerate() {
        assert_eq!(links.val().to_u128(), value(address::GROUP + 4 * g as u32), "group {g}");
    }
    for (l, port) in settings.groups.group_link.iter().enumerate() {
        assert_eq!(port.val().to_u128(), value(address::GROUP_LINK + 4 * l as u32), "group link {l}");
    }
}

/// A route, and a valid bit if there is one, from the registers of these names, as section 4 has its parts.
fn route_in(model: &Model, register: u32, candidates: u32, valid: bool) -> u128 {
    let shape = &model.shape;
    let mut parts = vec![(model.field(register, "port"), shape.port_bits)];
    if shape.next_vc {
        parts.extend([(model.field(register, "vc"), shape.vc_bits), (model.field(register, "vc_set"), 1)]);
    }
    if let Some(groups) = &shape.link_aggregation {
        parts.extend([(model.field(register, "group"), groups.group_bits), (model.field(register, "group_set"), 1)]);
    }
    if shape.candidates > 1 {
        let names = ["candidate_1", "candidate_2", "candidate_3"];
        parts.extend(names[..shape.candidates - 1].iter().map(|name| (model.field(candidates, name), shape.port_bits)));
        parts.push((model.field(register, "candidates"), shape.candidates_bits()));
        parts.push((model.field(register, "in_order"), 1));
    }
    if valid {
        parts.push((model.field(register, "valid"), 1));
    }
    parts.iter().fold((0, 0), |(word, low), (part, bits)| (word | u128::from(*part) << low, low + bits)).0
}

/// Default route and forwarding table are as the registers say; `access` is the legal write whose access phase this is.
fn check_table(bench: &Bench<ApbRegisters>, model: &Model, access: Option<(u32, u32)>) {
    if let Some(default_route) = &bench.default_route {
        let expected = route_in(model, address::DEFAULT_ROUTE, address::DEFAULT_CANDIDATES, true);
        assert_eq!(default_route.val().to_u128(), expected);
    }
    if let Some(table) = &bench.table {
        let to = |register: u32| access.filter(|(at, _)| *at == register).map(|(_, value)| value);
        let write = to(address::TABLE_WRITE);
        assert_eq!(table.write.val(), write.is_some());
        assert_eq!(table.clear.val(), to(address::TABLE_CLEAR) == Some(1));
        if let Some(value) = write {
            let got = (table.index.val().to_u128(), table.way.val().to_u128(), table.valid.val());
            assert_eq!(got, (u128::from(value & 0xFFFF), u128::from(value >> 16 & 7), value >> 24 == 1));
        }
        let low = u128::from(model.values[&address::TABLE_ADDRESS_LOW]);
        let high = model.values.get(&address::TABLE_ADDRESS_HIGH).copied().unwrap_or(0);
        assert_eq!(table.address.val().to_u128(), low | u128::from(high) << 32);
        let route = route_in(model, address::TABLE_ROUTE, address::TABLE_CANDIDATES, false);
        assert_eq!(table.route.val().to_u128(), route);
    }
}

/// Of all counters the one at this address is selected, and no other; the place in `count` where its value comes from.
fn check_select(bench: &Bench<ApbRegisters>, model: &Model, at: u32) -> Option<usize> {
    let (n, k) = (model.shape.ports, model.shape.vcs);
    let counter = |base: u32, end: u32| model.register(at).filter(|r| (base..end).contains(&r.address));
    let of_vc = counter(address::VC_COUNTERS, address::PORT_COUNTERS);
    let of_port = counter(address::PORT_COUNTERS, address::SWITCH_COUNTERS);
    let of_switch = counter(address::SWITCH_COUNTERS, 1 << 16);
    let number = |r: &Register| (at - r.address) as usize / 4;
    let selected = |kind: u128, place: u128, list: &[&str]| {
        let one = |bits: u128| (bits.count_ones() == 1).then(|| bits.trailing_zeros() as usize);
        Some((list[one(kind)?].to_string(), one(place)?))
    };
    let of_vcs = ["rx_packets", "rx_flits", "tx_packets", "tx_flits", "dropped_packets", "credit_stalls"];
    let of_vcs = [&of_vcs[..], &["output_stalls", "lookup_stalls"]].concat();
    let counters = bench.counters.as_ref().expect("counters are read");
    let vc = selected(counters.vc_kind.val().to_u128(), counters.vc_select.val().to_u128(), &of_vcs);
    assert_eq!(vc, of_vc.map(|r| (r.name.into(), number(r))), "{at:#x}");
    let of = |kind: &Option<Sig<Out>>| kind.as_ref().map_or(0, |kind| kind.val().to_u128());
    if let (Some(port_select), Some(outstanding)) = (&counters.port_select, &counters.of_port.outstanding_kind) {
        let kinds = &counters.of_port;
        let kind = of(&kinds.lookup_kind) | of(&kinds.fill_kind) << 3 | u128::from(outstanding.val()) << 5;
        let names =
            ["lookup_hits", "lookup_misses", "merged_misses", "cache_fills", "cache_evictions", "outstanding_misses"];
        let port = selected(kind, port_select.val().to_u128(), &names);
        assert_eq!(port, of_port.map(|r| (r.name.into(), number(r))), "{at:#x}");
        let kind = of(&counters.of_switch.table_kind) | of(&counters.of_switch.cam_kind) << 2;
        let switch = selected(kind, 1, &["table_hits", "table_misses", "cam_requests", "cam_stalls"]);
        assert_eq!(switch, of_switch.map(|r| (r.name.into(), 0)), "{at:#x}");
    }
    of_vc.map(|r| number(r) / k).or(of_port.map(number)).or(of_switch.map(|_| n))
}

/// Any sequence of pins, legal or not: APB transfers, aborted ones, back to back, accesses without setup, resets.
fn run(shape: &Shape, cycles: usize, seed: u64) {
    let mut bench = Bench::new(apb_registers(shape), |b| &mut b.clock);
    let mut model = Model::new(shape);
    let mut random = Random(seed);
    bench.reset.next = true;
    bench.cycle();
    bench.reset.next = false;
    let mut kept = events::Kept::default();
    let (mut pending, mut flushing): (Option<(u32, u32)>, bool) = (None, false);
    let (mut seen_writes, mut seen_errors, mut seen_flushes, mut seen_groups) = (0, 0, 0, 0);
    for cycle in 0..cycles {
        let in_setup = pending.is_some() || random.one_in(2);
        let (select, enable) = match (in_setup, random.one_in(6)) {
            (_, true) => (random.one_in(2), random.one_in(2)),
            (true, _) if pending.is_some() => (true, true),
            _ => (true, false),
        };
        let (at, value) = random.access(&model);
        let (write, reset) = (random.one_in(2), random.one_in(200));
        bench.apb.psel.next = select;
        bench.apb.penable.next = enable;
        bench.apb.pwrite.next = write;
        bench.apb.paddr.next = at.into();
        bench.apb.pwdata.next = value.into();
        bench.reset.next = reset;
        let sweeping = random.one_in(2);
        if let Some(cache) = &mut bench.cache {
            cache.sweeping.next = sweeping;
        }
        let table_sweeping = random.one_in(3);
        if let Some(pin) = &mut bench.table_sweeping {
            pin.next = table_sweeping;
        }
        if let Some(multicast) = &mut bench.multicast {
            multicast.sweeping.next = sweeping;
        }
        let barriers = barrier::State::random(&mut random, shape);
        barriers.apply(&mut bench);
        let happening = events::Happening::random(&mut random, shape);
        happening.apply(&mut bench);
        bench.settle();
        let access = pending.filter(|_| select && enable);
        let mut counted = 0;
        if let Some(bits) = shape.counter_bits {
            let place = check_select(&bench, &model, at);
            counted = random.next() & (u32::MAX >> (32 - bits));
            let counters = bench.counters.as_mut().expect("counters are read");
            for (p, count) in counters.count.iter_mut().enumerate() {
                count.next = if place == Some(p) { counted } else { 0 }.into();
            }
            let word = access.filter(|(at, _)| *at == address::COUNTERS).map_or(0, |(_, value)| value);
            let sampling = &counters.sampling;
            assert_eq!((sampling.snapshot.val(), sampling.clear.val()), (word & 1 == 1, word & 2 == 2));
        }
        check_table(&bench, &model, access);
        if let Some(built) = &shape.barrier {
            barrier::check(&bench, &model, built, access);
        }
        if let Some(multicast) = &bench.multicast {
            let to_group = pending.filter(|(at, _)| select && enable && *at == address::MULTICAST_WRITE);
            assert_eq!(multicast.write.val(), to_group.is_some(), "cycle {cycle}: write of a group");
            if let Some((_, value)) = to_group {
                let half = |at| u64::from(*model.values.get(&at).unwrap_or(&0));
                let mask = half(address::MULTICAST_MASK_HIGH) << 32 | half(address::MULTICAST_MASK_LOW);
                let entry = u128::from(value >> 16) << shape.ports | u128::from(mask);
                assert_eq!(multicast.group.val().to_u128(), u128::from(value & 0xffff), "cycle {cycle}");
                assert_eq!(multicast.entry.val().to_u128(), entry, "cycle {cycle}");
                seen_groups += 1;
            }
        }
        bench.cycle();

        // After this cycle.
        let (mut data, mut error) = (0, false);
        let access = pending.take().filter(|_| select && enable);
        if select && !enable && !reset {
            match (write, model.register(at)) {
                (false, Some(register)) if register.name == "cache_status" => data = u32::from(sweeping || flushing),
                (false, Some(register)) if register.name == "table_status" => data = u32::from(table_sweeping),
                (false, Some(register)) if register.address >= address::VC_COUNTERS => data = counted,
                (false, Some(register)) if register.name == "multicast_status" => data = u32::from(sweeping),
                (true, Some(register)) if register.name == "multicast_write" && sweeping => error = true,
                (false, Some(register)) => {
                    let shown = barriers.read(register, at).or(kept.read(&model, at));
                    data = shown.unwrap_or(model.values[&at]);
                }
                (true, _) if model.writable(at, value, table_sweeping) => pending = Some((at, value)),
                _ => error = true,
            }
        }
        let mut flush = false;
        flushing = false;
        kept.step(&happening, access, *model.values.get(&address::EVENT_ENABLE).unwrap_or(&0));
        if reset {
            model = Model::new(shape);
            kept.reset();
        } else if let Some((at, value)) = access {
            flush = model.flushes(at, value);
            flushing = flush;
            if model.register(at).is_some_and(|r| r.access == Access::ReadWrite) {
                model.values.insert(at, value);
            }
            seen_writes += 1;
            seen_flushes += usize::from(flush);
        }
        seen_errors += usize::from(error);
        assert!(bench.apb.pready.val());
        assert_eq!(bench.apb.prdata.val().to_u128(), u128::from(data), "cycle {cycle}: read of {at:#x}");
        assert_eq!(bench.apb.pslverr.val(), error, "cycle {cycle}: write {write} of {value:#x} to {at:#x}");
        if shape.events {
            kept.check(&bench);
        }
        if let Some(reduction) = shape.reduction() {
            check_settings(&bench, &model, reduction);
        }
        if let Some(groups) = &shape.link_aggregation {
            check_links(&bench, &model, groups);
        }
        if let Some(cache) = &bench.cache {
            assert_eq!(cache.flush.val(), flush, "cycle {cycle}: flush");
            assert_eq!(u32::from(cache.enable.val()), model.values[&address::CACHE], "cycle {cycle}: enable");
        }
    }
    if shape.events {
        assert!(kept.seen.0 > cycles / 10 && kept.seen.1 > 10, "interrupts and clears beaten: {:?}", kept.seen);
    }
    assert_eq!(seen_groups > cycles / 300, shape.multicast.is_some(), "{seen_groups} groups");
    assert_eq!(seen_flushes > 0, shape.cache_control(), "{seen_flushes} flushes");
    assert!(seen_writes > cycles / 20 && seen_errors > cycles / 20, "{seen_writes} writes, {seen_errors} errors");
}

#[test]
fn accesses_are_those_of_the_reference() {
    let all = [Topology::Cube, Topology::FatTree, Topology::Dragonfly];
    run(&config(5, 8, &[Topology::Cube], &[4]), 1500, 1);
    run(&config(16, 24, &all, &[2, 3, 4]), 1500, 2);
    run(&config(3, 64, &[Topology::FatTree, Topology::Cube], &[2, 4]), 1000, 3);
    run(&config(64, 40, &[Topology::Dragonfly], &[3]), 1000, 4);
    run(&config(2, 32, &[Topology::Cube], &[2, 3, 4, 6, 8]), 1000, 5);
    run(&with_vcs(5, 8, &[Topology::Cube], &[4], Some(1)), 1000, 6);
    run(&with_vcs(16, 24, &all, &[2, 3, 4], Some(2)), 1000, 7);
    run(&with_vcs(3, 40, &[Topology::Dragonfly], &[3], Some(3)), 1000, 8);
    run(&with_vcs(2, 12, &[Topology::Cube, Topology::FatTree], &[4], Some(8)), 1000, 9);
}

#[test]
fn accesses_with_full_radix_are_those_of_the_reference() {
    let all = [Topology::Cube, Topology::FatTree, Topology::Dragonfly];
    run(&full_radix(8, &[Topology::Cube], &[4], false, false), 1500, 20);
    run(&full_radix(24, &all, &[2, 3, 4], true, false), 1500, 21);
    run(&full_radix(40, &[Topology::FatTree, Topology::Cube], &[4, 8], true, true), 1500, 22);
    run(&full_radix(32, &[Topology::Cube], &[2], false, true), 1000, 23);
}

#[test]
fn accesses_of_cached_switches_are_those_of_the_reference() {
    run(&cached(24, &[], &[]), 1000, 6);
    run(&cached(24, &[Topology::Cube], &[4]), 1500, 7);
    run(&cached(40, &[Topology::FatTree, Topology::Dragonfly], &[8, 4]), 1500, 8);
}

#[test]
fn accesses_of_switches_with_multicast_are_those_of_the_reference() {
    for (n, (ports, groups)) in [(2, 2), (16, 256), (33, 5), (64, 4096)].into_iter().enumerate() {
        let mut config = Config::named("test");
        (config.ports, config.virtual_channels.mixed, config.multicast.groups) = (ports, 1, groups);
        let reduced = TableRouting { node_reduction: Some(NodeReduction::default()), ..Default::default() };
        config.routing = match n {
            0 => Routing::Source(Default::default()),
            1 => Routing::Table(reduced),
            _ => Routing::Algorithmic(Default::default()),
        };
        run(&config.check().unwrap().shape(), 2000, n as u64);
    }
}

/// A switch with groups of links, routed by table or not, with or without cache and node reduction.
fn linked(routing: Routing, (groups, links): (u32, u32)) -> Shape {
    let mut config = Config::named("test");
    (config.ports, config.virtual_channels.unicast) = (5, 3);
    let link_aggregation = Some(LinkAggregation { groups, links, ..Default::default() });
    config.routing = match routing {
        Routing::Table(table) => Routing::Table(TableRouting { link_aggregation, ..table }),
        Routing::Algorithmic(algorithmic) => {
            Routing::Algorithmic(AlgorithmicRouting { link_aggregation, ..algorithmic })
        }
        source => source,
    };
    config.check().unwrap().shape()
}

#[test]
fn accesses_of_switches_with_groups_are_those_of_the_reference() {
    let table = TableRouting::default;
    let cube = || Some(NodeReduction::default());
    run(&linked(Routing::Table(TableRouting { cache: None, ..table() }), (1, 2)), 1500, 9);
    run(&linked(Routing::Table(TableRouting { cache: None, next_vc: true, ..table() }), (5, 3)), 1500, 10);
    run(&linked(Routing::Table(table()), (16, 16)), 1000, 11);
    run(&linked(Routing::Table(TableRouting { node_reduction: cube(), candidates: 3, ..table() }), (4, 4)), 1500, 12);
    for (next_vc, groups) in [(false, (4, 4)), (true, (3, 5)), (true, (16, 2)), (false, (1, 16))] {
        let algorithmic = AlgorithmicRouting { address_bits: 12, next_vc, ..Default::default() };
        run(&linked(Routing::Algorithmic(algorithmic), groups), 1500, 13);
    }
}

/// A switch with a forwarding table, a default route, counters, or any of them.
fn tabled(table: TableRouting, counter_bits: Option<u32>) -> Shape {
    let mut config = Config::named("test");
    (config.ports, config.virtual_channels.unicast) = (5, 3);
    config.routing = Routing::Table(table);
    config.counters = counter_bits.map(|bits| Counters { bits });
    config.check().unwrap().shape()
}

#[test]
fn accesses_of_switches_with_tables_and_counters_are_those_of_the_reference() {
    let plain = TableRouting { cache: None, ..Default::default() };
    let chip = |entries, ways| Some(ForwardingTable { entries, ways, ..Default::default() });
    run(&tabled(TableRouting { default_route: true, ..plain.clone() }, None), 1500, 14);
    run(&tabled(TableRouting { forwarding_table: chip(16, 1), external_cam: false, ..plain.clone() }, None), 2000, 15);
    let all = TableRouting {
        address_bits: 40,
        cache: Some(Cache { entries: 16, ways: 2, ..Default::default() }),
        next_vc: true,
        candidates: 3,
        link_aggregation: Some(LinkAggregation::default()),
        forwarding_table: chip(64, 8),
        default_route: true,
        ..Default::default()
    };
    run(&tabled(all.clone(), None), 3000, 16);
    run(&tabled(all, Some(32)), 3000, 17);
    run(&tabled(plain, Some(8)), 2000, 18);
    let mut config = Config::named("test");
    (config.ports, config.counters) = (3, Some(Counters { bits: 20 }));
    config.routing = Routing::Source(SourceRouting::default());
    run(&config.check().unwrap().shape(), 2000, 19);
}

/// The pulse is 1 in the cycle behind the access, and only for a write of 1 to `flush.start` or one to node reduction's
/// settings.
#[test]
fn flush_is_a_pulse() {
    let shape = cached(24, &[Topology::Cube], &[4]);
    let mut bench = Bench::new(apb_registers(&shape), |b| &mut b.clock);
    bench.reset.next = true;
    bench.cycle();
    bench.reset.next = false;
    assert!(bench.cache.as_ref().expect("with caches").enable.val());
    for (at, value, expected) in [
        (address::FLUSH, 1u32, true),
        (address::FLUSH, 0, false),
        (address::FLUSH, 2, false),
        (address::CACHE, 0, false),
        (address::COORDINATE_LOW, 0x12, true),
        (address::COORDINATE_LOW, 1 << 24, false),
        (address::WRAP, 0, true),
        (address::REDUCTION, 0x41, true),
        (address::CACHE_STATUS, 0, false),
    ] {
        bench.apb.psel.next = true;
        bench.apb.pwrite.next = true;
        bench.apb.paddr.next = at.into();
        bench.apb.pwdata.next = value.into();
        bench.apb.penable.next = false;
        bench.cycle();
        assert!(!bench.cache.as_ref().expect("with caches").flush.val());
        bench.apb.penable.next = true;
        bench.cycle();
        assert_eq!(bench.cache.as_ref().expect("with caches").flush.val(), expected, "write of {value:#x} to {at:#x}");
        bench.apb.psel.next = false;
        bench.cycle();
        assert!(!bench.cache.as_ref().expect("with caches").flush.val());
    }
    assert!(!bench.cache.as_ref().expect("with caches").enable.val());
}

#[test]
fn identity_reads_what_was_built() {
    let shape = config(5, 8, &[Topology::Cube], &[4]);
    let mut bench = Bench::new(apb_registers(&shape), |b| &mut b.clock);
    bench.reset.next = true;
    bench.cycle();
    bench.reset.next = false;
    bench.apb.psel.next = true;
    for (at, value) in [(0x000u32, 0x5259_4C44), (0x004, 0x0205), (0x010, 0x40)] {
        bench.apb.paddr.next = at.into();
        bench.cycle();
        assert_eq!(bench.apb.prdata.val().to_u128(), value);
    }
}

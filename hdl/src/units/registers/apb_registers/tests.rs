//! The block against the description of the registers, read once more.

use super::*;
use railyard_spec::registers::{address, registers, Access, Legal, Register, RegisterField as Described};
use railyard_spec::{
    AlgorithmicRouting, Cache, Config, Counters, ForwardingTable, LinkAggregation, NodeReduction, Routing,
    SourceRouting, TableRouting, Topology,
};
use std::collections::HashMap;

mod barrier;
mod events;
mod outputs;
mod switches;

use outputs::{check_links, check_select, check_settings, check_table};
use switches::{cached, config, full_radix, linked, tabled, with_vcs};

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

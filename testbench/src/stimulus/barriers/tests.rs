//! The peers around the golden model.

use super::*;
use crate::bench::SwitchBench;
use crate::stimulus::{Scenario, BARRIERS};
use crate::traffic::Pattern;
use railyard_model::Switch;
use railyard_spec::registers::address::{BARRIER_CORRUPT_LOW, BARRIER_COUNTS, BARRIER_NO_GROUP_LOW, BARRIER_STATUS};
use railyard_spec::{Config, Crossbar, LinkArbitration, Routing, SourceRouting};

fn config(ports: u32, groups: u32, mixed: u32) -> Config {
    let mut config = Config::named("barriers");
    config.ports = ports;
    config.routing = Routing::Source(SourceRouting { hops: 3 });
    (config.virtual_channels.mixed, config.virtual_channels.barrier) = (mixed, 1);
    config.multicast.groups = 8;
    config.barrier.groups = groups;
    config
}

/// What a run showed of barriers.
#[derive(Debug, Default)]
struct Seen {
    completions: u64,
    /// Bits of status registers, of counts, and ports with corrupt messages and those of no group, as far as they were
    /// read.
    status: u32,
    counts: u32,
    corrupt: u32,
    no_group: u32,
    flits: u64,
}

/// Runs the model to the end, where all must be idle.
fn run(config: &Config, scenario: &Scenario, cycles: u64) -> Seen {
    let shape = config.clone().check().unwrap().shape();
    let (mut switch, mut bench) = (Switch::new(&shape), SwitchBench::new(&shape, scenario));
    let mut seen = Seen::default();
    let mut reading = None;
    let mut step = |bench: &mut SwitchBench, switch: &mut Switch| {
        let data = switch.outputs().apb_prdata;
        let groups = |at: u32| at..at + 4 * config.barrier.groups;
        match reading.take() {
            Some(at) if groups(BARRIER_STATUS).contains(&at) => seen.status |= data & !0xff,
            Some(at) if groups(BARRIER_COUNTS).contains(&at) => seen.counts |= data,
            Some(BARRIER_CORRUPT_LOW) => seen.corrupt |= data,
            Some(BARRIER_NO_GROUP_LOW) => seen.no_group |= data,
            _ => {}
        }
        let inputs = bench.cycle(switch.outputs());
        let apb = &inputs.apb;
        reading = (apb.psel && !apb.penable && !apb.pwrite && !inputs.reset).then_some(u32::from(apb.paddr));
        switch.step(inputs);
        assert!(!bench.is_faulty(), "{scenario:?}: {:?}", bench.faults());
    };
    (0..cycles).for_each(|_| step(&mut bench, &mut switch));
    if scenario.mischief == 0.0 {
        bench.drain();
        let end = bench.now() + 40_000;
        while !(bench.is_idle() && switch.is_idle()) {
            assert!(bench.now() < end, "{scenario:?}: {:?}", bench.stimulus().barriers());
            step(&mut bench, &mut switch);
        }
    }
    seen.completions = bench.barrier_board().map_or(0, BarrierBoard::completions);
    seen.flits = bench.packets().1;
    seen
}

fn scenario(seed: u64) -> Scenario {
    Scenario::new(seed, Pattern::Uniform, 0.6)
}

#[test]
fn barriers_complete_beside_traffic_whatever_the_links_do() {
    let (mut status, mut corrupt, mut no_group, mut counts) = (0, 0, 0, 0);
    for seed in 0..12 {
        let mixed = (seed % 2) as u32;
        let seen = run(&config(5, 3, mixed), &scenario(seed), 20_000);
        println!("seed {seed}: {seen:?}");
        assert!(seen.completions > 100 && seen.flits > 1_000, "seed {seed}: {seen:?}");
        status |= seen.status;
        corrupt |= seen.corrupt;
        no_group |= seen.no_group;
        counts |= seen.counts;
    }
    assert_eq!(status, 0xf_0300, "everything that a status can say");
    assert_eq!((corrupt, no_group), (0b11111, 0b11111));
    assert!(counts & 0xffff != 0 && counts >> 16 & 0xff != 0 && counts >> 24 != 0, "{counts:#x}");
}

#[test]
fn barriers_complete_in_every_kind_of_switch() {
    let mut flitwise = config(6, 5, 0);
    flitwise.link_arbitration = LinkArbitration::Flit;
    let mut single = config(4, 2, 1);
    single.crossbar = Crossbar::Single;
    for config in [flitwise, single, config(40, 64, 0), config(16, 32, 1)] {
        for seed in 20..23 {
            let seen = run(&config, &scenario(seed), 8_000);
            println!("{} ports, {} groups, seed {seed}: {seen:?}", config.ports, config.barrier.groups);
            assert!(seen.completions > 100, "{seen:?}");
        }
    }
}

#[test]
fn resets_and_moves_and_mischief_may_come_in_between() {
    for seed in 0..6 {
        let resets = Scenario { resets: 0.001, ..scenario(seed) };
        assert!(run(&config(5, 3, 1), &resets, 20_000).completions > 50);
        let moves = Scenario { moves: 0.002, ..scenario(seed) };
        assert!(run(&config(5, 3, 1), &moves, 20_000).completions > 50);
        run(&config(5, 3, 1), &Scenario { mischief: 0.05, ..scenario(seed) }, 20_000);
    }
    for seed in 0..12 {
        run(&config(4, 4, 1), &Scenario::any(seed), 10_000);
    }
}

#[test]
fn without_a_barrier_vc_or_a_rate_there_are_none() {
    let mut none = config(4, 3, 0);
    none.virtual_channels.barrier = 0;
    assert!(BarrierPeers::new(&none.check().unwrap().shape(), BARRIERS, true, false, 1).is_none());
    assert!(BarrierPeers::new(&config(4, 3, 0).check().unwrap().shape(), 0.0, true, false, 1).is_none());
}

/// A model that completes a barrier early, or twice, is found out: here by a flit that nobody but the test sends.
#[test]
fn the_account_finds_a_completion_out_of_nothing() {
    let shape = config(4, 3, 0).check().unwrap().shape();
    let (mut switch, mut bench) = (Switch::new(&shape), SwitchBench::new(&shape, &scenario(3)));
    for _ in 0..2_000 {
        let inputs = bench.cycle(switch.outputs());
        switch.step(inputs);
    }
    assert!(!bench.is_faulty());
    let mut outputs = switch.outputs().clone();
    let barriers = bench.stimulus().barriers().expect("a barrier VC");
    let group = (0..3).find(|&group| matches!(barriers.phases[group], Phase::Working(_))).expect("one works");
    outputs.tx_valid |= 1;
    outputs.tx_vc[0] = barriers.vc;
    outputs.tx_head |= 1;
    outputs.tx_tail |= 1;
    let kind = railyard_spec::barrier::MessageKind::Completion;
    outputs.tx_flit[0] = Message { kind, group: group as u8, sequence: 200 }.encode();
    outputs.tx_flit[1..outputs.words].fill(0);
    bench.cycle(&outputs);
    assert!(bench.faults()[0].contains("too early, or to the wrong port"), "{:?}", bench.faults());
}

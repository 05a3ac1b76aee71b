//! The block against section 11: whole barriers with everything that can go wrong, settings written in between, and
//! numbers that wrap.

use super::*;
use crate::units::barrier::barrier_unit::reference::{Cycle, Effect, Group, Random, Settings};
use railyard_spec::Config;

/// What happened in a run.
#[derive(Debug, Default)]
struct Seen {
    completed: usize,
    retransmissions: usize,
    urges: usize,
    wraps: usize,
    faults: usize,
}

fn bench(ports: usize) -> Bench<BarrierGroup> {
    let mut config = Config::named("test");
    (config.ports, config.virtual_channels.barrier) = (ports as u32, 1);
    let mut bench = Bench::new(barrier_group(&config.check().unwrap().shape()), |b| &mut b.clock);
    bench.reset.next = true;
    bench.cycle();
    bench
}

/// Runs the block beside the reference; new settings once in `restarts` cycles, by `settings`.
fn run(ports: usize, cycles: usize, restarts: usize, settings: impl Fn(&mut Random) -> Settings) -> Seen {
    let mut bench = bench(ports);
    let mut random = Random((1000 * ports + restarts) as u64);
    let mut group = Group::new(settings(&mut random));
    let mut seen = Seen::default();
    let mask = |set: u64| Value::from(set);
    let (mut retransmit_limit, mut urge_limit) = (3u8, 9u8);
    for cycle in 0..cycles {
        if random.one_in(60) {
            (retransmit_limit, urge_limit) = (random.bits(3) as u8, random.bits(4) as u8);
        }
        let restart = random.one_in(restarts);
        // A message by some of the ports; what others bring is for other groups.
        let mut inputs = Cycle {
            tick: random.one_in(2),
            retransmit_limit,
            urge_limit,
            clear_faults: random.one_in(10),
            ..Default::default()
        };
        for port in 0..ports {
            if random.one_in(2) {
                let message = random.message(&group, 0, port);
                inputs.effects.push((port, group.effect(port, message)));
            }
            if group.first(port).is_some() && !random.one_in(3) {
                inputs.sent |= 1 << port;
            }
        }
        let others = (0..ports).filter(|port| inputs.effects.iter().all(|(one, _)| one != port));
        let others = others.fold(0, |all, port| all | 1u64 << port);
        let mut having = |effect: Effect| {
            let here = inputs.effects.iter().filter(|(_, one)| *one == effect);
            mask(here.fold(others & random.bits(ports), |all, (port, _)| all | 1 << port))
        };
        bench.arrival.next = having(Effect::Arrives);
        bench.repetition.next = having(Effect::Repeats);
        bench.acknowledgement.next = having(Effect::Acknowledges);
        bench.completion.next = having(Effect::Completes);
        bench.inactive.next = having(Effect::Inactive);
        bench.wrong_port.next = having(Effect::WrongPort);
        bench.wrong_number.next = having(Effect::WrongNumber);
        bench.to_here.next = mask(inputs.effects.iter().fold(0, |all, (port, _)| all | 1u64 << port));
        bench.sent.next = mask(inputs.sent);
        bench.tick.next = inputs.tick;
        bench.retransmit_limit.next = u32::from(retransmit_limit).into();
        bench.urge_limit.next = u32::from(urge_limit).into();
        bench.clear_faults.next = inputs.clear_faults;
        bench.leaves.next = mask(group.settings.leaves);
        (bench.enable.next, bench.root.next) = (group.settings.enable, group.settings.root);
        bench.parent.next = group.settings.parent.into();
        bench.reset.next = restart;
        bench.settle();

        assert_eq!(bench.active.val(), group.settings.active(), "cycle {cycle}");
        assert_eq!(bench.waiting.val(), group.waiting, "cycle {cycle}");
        assert_eq!(bench.previous.val(), group.previous, "cycle {cycle}");
        assert_eq!(bench.sequence_number.val().to_u128(), u128::from(group.sequence), "cycle {cycle}");
        let parent = if group.settings.root { 0 } else { 1 << group.settings.parent };
        assert_eq!(bench.parent_port.val().to_u128(), parent, "cycle {cycle}");
        assert_eq!(bench.complete.val().to_u128(), u128::from(group.complete), "cycle {cycle}");
        assert_eq!(bench.acknowledge.val().to_u128(), u128::from(group.acknowledge), "cycle {cycle}");
        assert_eq!((bench.arrive.val(), bench.urge.val()), (group.arrive, group.urge), "cycle {cycle}");
        assert_eq!(bench.arrived.val().to_u128(), u128::from(group.arrived), "cycle {cycle}");
        assert_eq!(bench.status.val().to_u128(), group.status(), "cycle {cycle}");
        assert_eq!(bench.counts.val().to_u128(), group.counts(), "cycle {cycle}");
        // What the blocks rely on: only an active group has anything to send.
        let pending = group.complete | group.acknowledge | u64::from(group.arrive | group.urge);
        assert!(pending == 0 || group.settings.active(), "cycle {cycle}");
        bench.cycle();

        let old = group.clone();
        group.step(ports, &inputs);
        seen.completed += usize::from(group.completed != old.completed);
        seen.retransmissions += usize::from(group.retransmissions != old.retransmissions);
        seen.urges += usize::from(group.urges != old.urges);
        seen.wraps += usize::from(group.sequence < old.sequence);
        seen.faults += usize::from(group.inactive | group.wrong_port | group.wrong_number);
        if restart {
            group = Group::new(settings(&mut random));
        }
    }
    seen
}

#[test]
fn a_group_is_as_the_reference_says() {
    for ports in [2, 3, 8, 16, 40] {
        let seen = run(ports, 4000, 100, |random| random.settings(ports));
        let enough = [seen.completed, seen.retransmissions, seen.urges, seen.faults].iter().all(|times| *times > 10);
        assert!(enough, "{ports} ports: {seen:?}");
    }
}

#[test]
fn numbers_wrap() {
    for root in [true, false] {
        let seen = run(3, 12_000, 1_000_000, |_| Settings { leaves: 1, enable: true, root, parent: 2 });
        assert!(seen.wraps > 0, "root {root}: {seen:?}");
    }
}

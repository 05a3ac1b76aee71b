//! The block against section 11: messages of all kinds, most of them wrong in some way.

use super::*;
use crate::units::barrier::barrier_unit::reference::{Effect, Group, Random, KINDS};
use railyard_spec::barrier::Message;
use railyard_spec::Config;

/// A group in any state, of which the last port is often the parent.
fn group(random: &mut Random, ports: usize) -> Group {
    let mut settings = random.settings(ports);
    if random.one_in(3) {
        (settings.root, settings.parent) = (false, ports - 1);
        settings.leaves = settings.leaves & !(1 << settings.parent) | 1;
    }
    Group {
        sequence: random.bits(2) as u8 | if random.one_in(2) { 0xFC } else { 0 },
        previous: random.one_in(2),
        waiting: random.one_in(2),
        ..Group::new(settings)
    }
}

/// A message mostly of the format, in a flit mostly of the right kind: VC, head, tail, bits.
fn flit(random: &mut Random, groups: &[Group], port: usize, vc: u64) -> (u64, bool, bool, u64) {
    let g = random.below(groups.len());
    let message = random.message(&groups[g], g, port);
    let mut word = match random.below(10) {
        0 => Message { group: random.bits(8) as u8, ..message }.encode(),
        1 => message.encode() ^ 1 << random.below(32),
        2 => {
            // Any kind, with the CRC that it needs.
            let body = message.encode() & 0xFF_FF00 | random.bits(3) as u32;
            (MESSAGE_CRC.of(body.into(), 24) as u32) << 24 | body
        }
        _ => message.encode(),
    };
    if random.one_in(40) {
        word = random.bits(32) as u32;
    }
    let vc = if random.one_in(10) { random.below(vc as usize + 1) as u64 } else { vc };
    (vc, !random.one_in(20), !random.one_in(20), word.into())
}

fn run(ports: usize, groups: usize, cycles: usize) {
    let mut config = Config::named("test");
    (config.ports, config.barrier.groups, config.virtual_channels.barrier) = (ports as u32, groups as u32, 1);
    config.events = true;
    let shape = config.check().unwrap().shape();
    let built = shape.barrier.unwrap();
    let mut bench = Bench::new(barrier_receiver(&shape, &built), |b| &mut b.clock);
    bench.reset.next = true;
    bench.cycle();
    bench.reset.next = false;
    let mut random = Random((64 * ports + groups) as u64);
    let port = ports - 1;
    let mut register: Option<(bool, u32)> = None;
    let (mut corrupt, mut no_group) = (false, false);
    let mut seen = [0; 10];
    let mut all: Vec<Group> = (0..groups).map(|_| group(&mut random, ports)).collect();
    for cycle in 0..cycles {
        if cycle % 3 == 0 {
            let g = random.below(groups);
            all[g] = group(&mut random, ports);
        }
        let mask = |is: &dyn Fn(&Group) -> bool| -> Value {
            all.iter().enumerate().fold(0u64, |sum, (g, group)| sum | u64::from(is(group)) << g).into()
        };
        bench.active.next = mask(&|group| group.settings.active());
        bench.waiting.next = mask(&|group| group.waiting);
        bench.previous.next = mask(&|group| group.previous);
        bench.leaf.next = mask(&|group| group.is_leaf(port));
        bench.parent.next = mask(&|group| group.is_parent(port));
        for (g, group) in all.iter().enumerate() {
            bench.sequence_number[g].next = u32::from(group.sequence).into();
        }
        let valid = !random.one_in(8);
        let (vc, head, tail, word) = flit(&mut random, &all, port, built.vc as u64);
        let clear = random.one_in(16);
        bench.rx.valid.next = valid;
        bench.rx.vc.next = vc.into();
        (bench.rx.head.next, bench.rx.tail.next) = (head, tail);
        bench.rx.message.next = word.into();
        bench.clear.next = clear;
        bench.settle();

        assert_eq!((bench.corrupt.val(), bench.no_group.val()), (corrupt, no_group), "cycle {cycle}");
        let message = register.map(|(whole, word)| Message::decode(word).filter(|_| whole));
        let known = message.flatten().filter(|message| usize::from(message.group) < groups);
        let effect = known.map(|message| all[message.group as usize].effect(port, message));
        let outputs = [
            (Effect::Arrives, bench.arrival.val()),
            (Effect::Repeats, bench.repetition.val()),
            (Effect::Acknowledges, bench.acknowledgement.val()),
            (Effect::Completes, bench.completion.val()),
            (Effect::Inactive, bench.inactive.val()),
            (Effect::WrongPort, bench.wrong_port.val()),
            (Effect::WrongNumber, bench.wrong_number.val()),
        ];
        for (i, (one, output)) in outputs.into_iter().enumerate() {
            assert_eq!(output, effect == Some(one), "cycle {cycle}: {one:?}, {known:?}");
            seen[i] += usize::from(output);
        }
        if let Some(message) = known {
            assert_eq!(bench.to.val().to_u128(), 1 << message.group, "cycle {cycle}");
        }
        seen[7] += usize::from(effect == Some(Effect::Nothing));
        let (is_corrupt, is_stray) = (message == Some(None), message.flatten().is_some() && known.is_none());
        seen[8] += usize::from(is_corrupt);
        seen[9] += usize::from(is_stray);
        let of_group = [Effect::Inactive, Effect::WrongPort, Effect::WrongNumber];
        let faulty = is_corrupt || is_stray || effect.is_some_and(|effect| of_group.contains(&effect));
        assert_eq!(bench.faulty.as_ref().map(|faulty| faulty.val()), Some(faulty), "cycle {cycle}");
        bench.cycle();
        corrupt = corrupt && !clear || is_corrupt;
        no_group = no_group && !clear || is_stray;
        register = (valid && vc == built.vc as u64).then_some((head && tail, word as u32));
    }
    assert!(seen.iter().all(|times| *times > 10), "{ports} ports, {groups} groups: {seen:?}");
}

#[test]
fn messages_do_what_the_reference_says() {
    for (ports, groups, cycles) in [(2, 1, 4000), (5, 3, 3000), (16, 32, 2000), (40, 64, 2000)] {
        run(ports, groups, cycles);
    }
}

#[test]
fn kinds_are_those_of_the_contract() {
    assert_eq!(KINDS.map(|kind| kind as usize), [ARRIVAL, ACKNOWLEDGEMENT, COMPLETION, URGE]);
}

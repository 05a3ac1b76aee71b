//! The block against section 11 (send): groups with anything to send, and round robin over them.

use super::*;
use crate::units::barrier::barrier_unit::reference::{send, Group, Random};
use railyard_spec::barrier::MessageKind;
use railyard_spec::Config;

/// A group with something to send, perhaps.
fn group(random: &mut Random, ports: usize) -> Group {
    let settings = random.settings(ports);
    let mut group = Group { sequence: random.bits(8) as u8, ..Group::new(settings) };
    if settings.active() {
        group.complete = settings.leaves & random.bits(ports);
        group.acknowledge = settings.leaves & random.bits(ports);
        group.arrive = !settings.root && random.one_in(2);
        group.urge = !settings.root && random.one_in(2);
    }
    group
}

fn run(ports: usize, groups: usize, cycles: usize) {
    let mut config = Config::named("test");
    (config.ports, config.barrier.groups, config.virtual_channels.barrier) = (ports as u32, groups as u32, 1);
    let built = config.check().unwrap().shape().barrier.unwrap();
    let mut bench = Bench::new(barrier_sender(&built), |b| &mut b.clock);
    bench.reset.next = true;
    bench.cycle();
    bench.reset.next = false;
    let mut random = Random((64 * ports + groups) as u64);
    let port = ports - 1;
    let (mut pointer, mut register, mut seen) = (0, None, [0; 5]);
    for cycle in 0..cycles {
        let few = random.one_in(2);
        let mut any = || if few && !random.one_in(groups) { Group::default() } else { group(&mut random, ports) };
        let all: Vec<Group> = (0..groups).map(|_| any()).collect();
        let mask = |is: &dyn Fn(&Group) -> bool| -> Value {
            all.iter().enumerate().fold(0u64, |sum, (g, group)| sum | u64::from(is(group)) << g).into()
        };
        bench.complete.next = mask(&|group| group.complete >> port & 1 == 1);
        bench.acknowledge.next = mask(&|group| group.acknowledge >> port & 1 == 1);
        bench.parent.next = mask(&|group| group.is_parent(port));
        bench.arrive.next = mask(&|group| group.arrive);
        bench.urge.next = mask(&|group| group.urge);
        for (g, group) in all.iter().enumerate() {
            bench.sequence_number[g].next = u32::from(group.sequence).into();
        }
        bench.settle();
        assert_eq!(bench.message_valid.val(), register.is_some(), "cycle {cycle}");
        if let Some(message) = register {
            assert_eq!(bench.message.val().to_u128(), u128::from(message), "cycle {cycle}");
        }
        let sent = send(&all, port, &mut pointer);
        assert_eq!(bench.sent.val().to_u128(), sent.map_or(0, |(g, _)| 1 << g), "cycle {cycle}");
        bench.cycle();
        register = sent.map(|(_, message)| message.encode());
        seen[sent.map_or(0, |(_, message)| message.kind as usize)] += 1;
    }
    assert_eq!(MessageKind::Urge as usize, seen.len() - 1);
    assert!(seen.iter().all(|times| *times > 10), "{ports} ports, {groups} groups: {seen:?}");
}

#[test]
fn messages_leave_in_the_order_of_the_reference() {
    for (ports, groups) in [(2, 1), (5, 3), (16, 32), (40, 64)] {
        run(ports, groups, 3000);
    }
}

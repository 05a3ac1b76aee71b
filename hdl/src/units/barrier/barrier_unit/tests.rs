//! The block against section 11: several groups, whose messages share the ports; nodes and switches around it that do
//! what they like.

use super::reference::{send, Cycle, Group, Random, Settings};
use super::*;
use railyard_spec::barrier::Message;
use railyard_spec::Config;

/// The switch, as section 11 has it: what the pins and the registers give in a cycle, and what is in the message
/// registers.
struct Reference {
    ports: usize,
    groups: Vec<Group>,
    receive: Vec<Option<(bool, u32)>>,
    messages: Vec<Option<Message>>,
    pointers: Vec<usize>,
    corrupt: u64,
    no_group: u64,
    cycles: u32,
}

/// What comes from outside in a cycle.
struct Inputs {
    flits: Vec<Option<(bool, u32)>>,
    restart: Vec<Option<Settings>>,
    clear_groups: u64,
    clear_ports: bool,
    limits: (u8, u8),
    scale: u32,
}

impl Reference {
    fn new(ports: usize, groups: usize) -> Reference {
        Reference {
            ports,
            groups: vec![Group::default(); groups],
            receive: vec![None; ports],
            messages: vec![None; ports],
            pointers: vec![0; ports],
            corrupt: 0,
            no_group: 0,
            cycles: 0,
        }
    }

    fn step(&mut self, inputs: &Inputs) {
        let low = (1 << inputs.scale) - 1;
        let tick = self.cycles & low == low;
        let mut cycles =
            vec![
                Cycle { tick, retransmit_limit: inputs.limits.0, urge_limit: inputs.limits.1, ..Default::default() };
                self.groups.len()
            ];
        if inputs.clear_ports {
            (self.corrupt, self.no_group) = (0, 0);
        }
        for port in 0..self.ports {
            if let Some((whole, word)) = self.receive[port] {
                match Message::decode(word).filter(|_| whole) {
                    None => self.corrupt |= 1 << port,
                    Some(message) => match self.groups.get(message.group as usize) {
                        None => self.no_group |= 1 << port,
                        Some(group) => cycles[message.group as usize].effects.push((port, group.effect(port, message))),
                    },
                }
            }
            let sent = send(&self.groups, port, &mut self.pointers[port]);
            if let Some((g, _)) = sent {
                cycles[g].sent |= 1 << port;
            }
            self.messages[port] = sent.map(|(_, message)| message);
        }
        for (g, group) in self.groups.iter_mut().enumerate() {
            cycles[g].clear_faults = inputs.clear_groups >> g & 1 == 1;
            group.step(self.ports, &cycles[g]);
            if let Some(settings) = inputs.restart[g] {
                *group = Group::new(settings);
            }
        }
        self.receive.clone_from(&inputs.flits);
        self.cycles = (self.cycles + 1) % (1 << 15);
    }
}

fn run(ports: usize, groups: usize, cycles: usize) {
    let mut config = Config::named("test");
    (config.ports, config.barrier.groups, config.virtual_channels.barrier) = (ports as u32, groups as u32, 1);
    let shape = config.check().unwrap().shape();
    let built = shape.barrier.unwrap();
    let mut bench = Bench::new(barrier_unit(&shape, &built), |b| &mut b.clock);
    bench.reset.next = true;
    bench.cycle();
    bench.reset.next = false;
    let mut random = Random((64 * ports + groups) as u64);
    let mut reference = Reference::new(ports, groups);
    let (mut limits, mut scale) = ((2, 5), 0);
    let (mut completed, mut sent) = (0, 0);
    for cycle in 0..cycles {
        if random.one_in(100) {
            (limits, scale) = ((random.bits(2) as u8, random.bits(3) as u8), random.bits(2) as u32);
        }
        let mut flits = vec![];
        for port in 0..ports {
            let g = random.below(groups);
            let mut word = random.message(&reference.groups[g], g, port).encode();
            if random.one_in(20) {
                word ^= 1 << random.below(32);
            }
            if random.one_in(30) {
                word = Message {
                    group: random.bits(8) as u8,
                    ..Message::decode(word).unwrap_or(Message {
                        kind: railyard_spec::barrier::MessageKind::Urge,
                        group: 0,
                        sequence: 0,
                    })
                }
                .encode();
            }
            let (valid, whole) = (!random.one_in(4), !random.one_in(30));
            let vc = if random.one_in(10) { random.below(built.vc + 1) } else { built.vc };
            bench.rx[port].valid.next = valid;
            bench.rx[port].vc.next = vc.into();
            (bench.rx[port].head.next, bench.rx[port].tail.next) = (whole || random.one_in(2), whole);
            bench.rx[port].message.next = word.into();
            flits.push((valid && vc == built.vc).then_some((whole, word)));
        }
        let mut restart = || random.one_in(80 * groups).then(|| random.settings(ports));
        let restart: Vec<Option<Settings>> = (0..groups).map(|_| restart()).collect();
        let inputs = Inputs {
            flits,
            restart,
            clear_groups: if random.one_in(20) { 1 << random.below(groups) } else { 0 },
            clear_ports: random.one_in(20),
            limits,
            scale,
        };
        let mask = |is: &dyn Fn(usize) -> bool| -> Value {
            (0..groups).fold(0u64, |sum, g| sum | u64::from(is(g)) << g).into()
        };
        let settings = |g: usize| reference.groups[g].settings;
        bench.tree.enable.next = mask(&|g| settings(g).enable);
        bench.tree.root.next = mask(&|g| settings(g).root);
        bench.tree.restart.next = mask(&|g| inputs.restart[g].is_some());
        for g in 0..groups {
            bench.tree.leaves[g].next = settings(g).leaves.into();
            bench.tree.parent[g].next = settings(g).parent.into();
        }
        bench.control.retransmit_limit.next = u32::from(limits.0).into();
        bench.control.urge_limit.next = u32::from(limits.1).into();
        bench.control.scale.next = scale.into();
        bench.control.clear_group.next = inputs.clear_groups.into();
        bench.control.clear_ports.next = inputs.clear_ports;
        bench.settle();

        for (g, group) in reference.groups.iter().enumerate() {
            assert_eq!(bench.state.status[g].val().to_u128(), group.status(), "group {g}, cycle {cycle}");
            assert_eq!(bench.state.arrived[g].val().to_u128(), u128::from(group.arrived), "group {g}, cycle {cycle}");
            assert_eq!(bench.state.counts[g].val().to_u128(), group.counts(), "group {g}, cycle {cycle}");
        }
        assert_eq!(bench.faults.corrupt.val().to_u128(), u128::from(reference.corrupt), "cycle {cycle}");
        assert_eq!(bench.faults.no_group.val().to_u128(), u128::from(reference.no_group), "cycle {cycle}");
        for (port, message) in reference.messages.iter().enumerate() {
            assert_eq!(bench.message_valid.val().get_bit(port), message.is_some(), "port {port}, cycle {cycle}");
            if let Some(message) = message {
                let word = bench.message[port].val().to_u128();
                assert_eq!(word, u128::from(message.encode()), "port {port}, cycle {cycle}");
                sent += 1;
            }
        }
        bench.cycle();
        let before: Vec<u16> = reference.groups.iter().map(|group| group.completed).collect();
        reference.step(&inputs);
        completed += reference.groups.iter().zip(before).filter(|(group, old)| group.completed == old + 1).count();
    }
    assert!(completed > cycles / 100 && sent > cycles / 10, "{completed} barriers, {sent} messages");
}

#[test]
fn barriers_are_as_the_reference_says() {
    for (ports, groups, cycles) in [(2, 1, 2000), (3, 2, 2000), (5, 3, 1500), (8, 5, 600)] {
        run(ports, groups, cycles);
    }
}

/// The cycles of the diagram: a root with two leaves, each with its arrival.
#[test]
fn the_last_arrival_brings_the_completion_five_cycles_later() {
    let mut config = Config::named("test");
    (config.ports, config.barrier.groups, config.virtual_channels.barrier) = (3, 2, 1);
    let shape = config.check().unwrap().shape();
    let built = shape.barrier.unwrap();
    let mut bench = Bench::new(barrier_unit(&shape, &built), |b| &mut b.clock);
    bench.reset.next = true;
    bench.cycle();
    bench.reset.next = false;
    bench.tree.leaves[1].next = 0b101u32.into();
    (bench.tree.enable.next, bench.tree.root.next) = (2u32.into(), 2u32.into());
    let message = |kind| Message { kind, group: 1, sequence: 0 };
    for port in [0, 2] {
        bench.rx[port].vc.next = built.vc.into();
        (bench.rx[port].head.next, bench.rx[port].tail.next) = (true, true);
        bench.rx[port].message.next = message(railyard_spec::barrier::MessageKind::Arrival).encode().into();
    }
    bench.rx[0].valid.next = true;
    bench.cycle();
    bench.rx[0].valid.next = false;
    for _ in 0..10 {
        bench.cycle();
    }
    bench.rx[2].valid.next = true;
    for t in 0..8 {
        bench.settle();
        // In the message register in t + 4, at the pins a cycle later.
        let full = [0b000u128, 0, 0, 0b100, 0b101, 0, 0, 0][t];
        assert_eq!(bench.message_valid.val().to_u128(), full, "cycle {t}");
        if t == 4 {
            let completion = message(railyard_spec::barrier::MessageKind::Completion).encode();
            assert_eq!(bench.message[0].val().to_u128(), u128::from(completion));
        }
        bench.cycle();
        bench.rx[2].valid.next = false;
    }
}

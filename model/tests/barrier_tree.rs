//! Barriers over trees of switches with links that lose, repeat and corrupt messages: each completes once at each node,
//! and never before the last one has arrived.

mod driver;

use driver::{source, Random};
use railyard_bench::barrier_node::{BarrierNode, Patience};
use railyard_model::{Apb, Inputs, Switch};
use railyard_spec::barrier::Message;
use railyard_spec::registers::address::*;
use railyard_spec::Shape;
use std::collections::VecDeque;

const GROUPS: usize = 4;
const PORTS: usize = 8;

/// One in so many messages is lost, comes twice, is corrupted; 0: none.
#[derive(Clone, Copy, Debug)]
struct Noise {
    lost: u64,
    repeated: u64,
    corrupted: u64,
}

/// Where a port leads: to a port of another switch, to a node, or nowhere.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Far {
    Switch(usize, usize),
    Node(usize),
    Nowhere,
}

/// The participant of a group at a node.
struct Participant {
    machine: BarrierNode,
    /// Cycles until it arrives at its next barrier.
    pause: u64,
    arrived: u64,
}

/// Switch 0 with the others below its ports from 0 on, switch i by its port i; nodes at some of the ports that are
/// left.
struct Tree {
    shape: Shape,
    switches: Vec<Switch>,
    pins: Vec<Inputs>,
    far: Vec<[Far; PORTS]>,
    /// By node: its link, and its participants by group.
    nodes: Vec<Vec<Option<Participant>>>,
    /// Words under way to each (switch, port), with a delay of a few cycles; and to each node.
    links: Vec<VecDeque<(u64, u32)>>,
    to_nodes: Vec<VecDeque<(u64, u32)>>,
    noise: Noise,
    random: Random,
    now: u64,
    longest_pause: u64,
}

impl Tree {
    fn new(seed: u64, noise: Noise, longest_pause: u64) -> Tree {
        let mut random = Random(seed * 2 + 1);
        let mut config = source(PORTS as u32);
        (config.virtual_channels.unicast, config.virtual_channels.barrier) = (1, 1);
        config.barrier.groups = GROUPS as u32;
        let shape = config.clone().check().unwrap().shape();
        let below = 1 + random.below(3) as usize;
        let mut far = vec![[Far::Nowhere; PORTS]; 1 + below];
        for i in 1..=below {
            far[0][i - 1] = Far::Switch(i, i);
            far[i][i] = Far::Switch(0, i - 1);
        }
        let mut nodes = 0;
        for port in far.iter_mut().flatten().filter(|far| **far == Far::Nowhere) {
            if random.below(2) == 0 {
                *port = Far::Node(nodes);
                nodes += 1;
            }
        }
        let mut tree = Tree {
            switches: vec![Switch::new(&shape); 1 + below],
            pins: vec![Inputs::new(&shape); 1 + below],
            nodes: (0..nodes).map(|_| (0..GROUPS).map(|_| None).collect()).collect(),
            links: vec![VecDeque::new(); (1 + below) * PORTS],
            to_nodes: vec![VecDeque::new(); nodes],
            far,
            shape,
            noise,
            random,
            now: 0,
            longest_pause,
        };
        for switch in 0..=below {
            tree.write(switch, BARRIER_TIMERS, 3 | 5 << 8 | 4 << 16);
        }
        (0..GROUPS).for_each(|group| tree.set_up(group));
        tree
    }

    fn write(&mut self, switch: usize, at: u32, value: u32) {
        for penable in [false, true] {
            self.pins[switch].apb = Apb { psel: true, penable, pwrite: true, paddr: at as u16, pwdata: value };
            self.switches[switch].step(&self.pins[switch]);
            assert!(!self.switches[switch].outputs().apb_pslverr);
        }
        self.pins[switch].apb.psel = false;
    }

    /// Random nodes take part in a group; the switches on their way to the root get their leaves and parents.
    fn set_up(&mut self, group: usize) {
        let takes_part: Vec<bool> = self.nodes.iter().map(|_| self.random.below(3) > 0).collect();
        let mut leaves = vec![0u32; self.switches.len()];
        for switch in (0..self.switches.len()).rev() {
            for port in 0..PORTS {
                let is_leaf = match self.far[switch][port] {
                    Far::Node(node) => takes_part[node],
                    Far::Switch(below, _) => switch == 0 && leaves[below] != 0,
                    Far::Nowhere => false,
                };
                leaves[switch] |= (is_leaf as u32) << port;
            }
        }
        for (switch, leaves) in leaves.iter().enumerate().filter(|(_, leaves)| **leaves != 0) {
            self.write(switch, BARRIER_LEAVES_LOW + 4 * group as u32, *leaves);
            let place = if switch == 0 { 3 } else { 1 | (switch as u32) << 8 };
            self.write(switch, BARRIER_GROUP + 4 * group as u32, place);
        }
        for (node, groups) in self.nodes.iter_mut().enumerate().filter(|(node, _)| takes_part[*node]) {
            let machine = BarrierNode::new(group as u8, Patience { retransmit: 60, urge: 90 });
            groups[group] = Some(Participant { machine, pause: node as u64, arrived: 0 });
        }
    }

    /// Sends a word over a link, if it is not lost, perhaps twice or with wrong bits. In order.
    fn transmit(noise: Noise, random: &mut Random, now: u64, link: &mut VecDeque<(u64, u32)>, word: u32) {
        let mut one_in = |n: u64| n > 0 && random.chance(n);
        let (lost, twice, corrupted) = (one_in(noise.lost), one_in(noise.repeated), one_in(noise.corrupted));
        for _ in 0..if lost { 0 } else { 1 + twice as u32 } {
            let due = link.back().map_or(0, |last| last.0 + 1).max(now + 1 + random.below(4));
            let wrong = if corrupted { 1 << random.below(32) | 1 << random.below(32) } else { 0 };
            link.push_back((due, word ^ wrong));
        }
    }

    fn step(&mut self) {
        let (now, noise) = (self.now, self.noise);
        self.now += 1;
        let due = |link: &mut VecDeque<(u64, u32)>| {
            link.front().is_some_and(|front| front.0 <= now).then(|| link.pop_front().expect("checked").1)
        };
        // What is at the outputs goes to the links.
        for (switch, model) in self.switches.iter().enumerate() {
            let out = model.outputs();
            for port in (0..PORTS).filter(|port| out.tx_valid >> port & 1 == 1) {
                let word = out.flit(port)[0];
                let link = match self.far[switch][port] {
                    Far::Switch(to, at) => &mut self.links[to * PORTS + at],
                    Far::Node(node) => &mut self.to_nodes[node],
                    Far::Nowhere => panic!("a message to nobody"),
                };
                Tree::transmit(noise, &mut self.random, now, link, word);
            }
        }
        for node in 0..self.nodes.len() {
            if let Some(message) = due(&mut self.to_nodes[node]).and_then(Message::decode) {
                self.receive(node, message);
            }
        }
        for switch in 0..self.switches.len() {
            self.pins[switch].idle();
            for port in 0..PORTS {
                if let Far::Node(node) = self.far[switch][port] {
                    // A node sends a message in each cycle at most, of its groups by turns.
                    let first = now as usize % GROUPS;
                    let machines = &mut self.nodes[node];
                    let message = (0..GROUPS).find_map(|i| {
                        machines[(first + i) % GROUPS].as_mut().and_then(|one| one.machine.next_message())
                    });
                    if let Some(message) = message {
                        let link = &mut self.links[switch * PORTS + port];
                        Tree::transmit(noise, &mut self.random, now, link, message.encode());
                    }
                }
                if let Some(word) = due(&mut self.links[switch * PORTS + port]) {
                    self.pins[switch].receive(port, self.shape.vcs as u8, true, true, &[word, 0]);
                }
            }
            self.switches[switch].step(&self.pins[switch]);
        }
        for participant in self.nodes.iter_mut().flatten().flatten() {
            participant.machine.tick();
            if participant.machine.is_waiting() {
                continue;
            }
            if participant.pause == 0 {
                participant.machine.arrive();
                participant.arrived += 1;
                participant.pause = if self.longest_pause == 0 { 0 } else { self.random.below(self.longest_pause) };
            } else {
                participant.pause -= 1;
            }
        }
    }

    /// A message comes to a node: a completion only after all have arrived.
    fn receive(&mut self, node: usize, message: Message) {
        let group = message.group as usize;
        let participant = self.nodes[node][group].as_mut().expect("messages go to participants only");
        if participant.machine.take(message) {
            let completed = participant.machine.completed();
            assert_eq!(completed, participant.arrived);
            for (other, groups) in self.nodes.iter().enumerate() {
                let Some(participant) = &groups[group] else { continue };
                assert!(participant.arrived >= completed, "node {node} goes on before node {other} has arrived");
                // Nobody can be two barriers ahead of anybody.
                assert!(participant.machine.completed() + 1 >= completed);
            }
        }
    }

    /// The fewest barriers that a group came to.
    fn fewest(&self) -> u64 {
        self.nodes.iter().flatten().flatten().map(|one| one.machine.completed()).min().unwrap_or(u64::MAX)
    }
}

/// Every group goes on, with no fault at any switch but, with noise, corrupt messages.
fn trees_go_on(seeds: std::ops::Range<u64>, noise: Noise, longest_pause: u64, cycles: u64, barriers: u64) {
    for seed in seeds {
        let mut tree = Tree::new(seed, noise, longest_pause);
        (0..cycles).for_each(|_| tree.step());
        let fewest = tree.fewest();
        assert!(fewest >= barriers, "seed {seed}, {noise:?}: {fewest} barriers in {cycles} cycles");
        for switch in 0..tree.switches.len() {
            for group in 0..GROUPS as u32 {
                let at = (BARRIER_STATUS + 4 * group) as u16;
                tree.pins[switch].apb = Apb { psel: true, penable: false, pwrite: false, paddr: at, pwdata: 0 };
                tree.switches[switch].step(&tree.pins[switch]);
                let status = tree.switches[switch].outputs().apb_prdata;
                assert_eq!(status >> 16, 0, "seed {seed}, switch {switch}, group {group}: a fault");
            }
        }
    }
}

const NONE: Noise = Noise { lost: 0, repeated: 0, corrupted: 0 };

#[test]
fn back_to_back_over_good_links_until_numbers_wrap() {
    trees_go_on(0..6, NONE, 0, 20_000, 400);
}

#[test]
fn messages_may_be_lost_repeated_and_corrupted() {
    for lost in [100, 20] {
        trees_go_on(10..20, Noise { lost, repeated: 50, corrupted: 50 }, 0, 20_000, 50);
        trees_go_on(20..30, Noise { lost, repeated: 20, corrupted: 100 }, 200, 20_000, 30);
    }
}

#[test]
fn lossy_links_until_numbers_wrap() {
    trees_go_on(30..34, Noise { lost: 50, repeated: 30, corrupted: 50 }, 0, 120_000, 600);
}

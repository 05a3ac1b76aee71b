//! Multicast on whole switches: latency, copies, drops, and that nothing stands still.

mod driver;

use driver::*;
use railyard_spec::registers::address::{MULTICAST_MASK_LOW, MULTICAST_STATUS, MULTICAST_WRITE};
use railyard_spec::{Config, Crossbar, FlowControl, Routing, SourceRouting};
use std::collections::VecDeque;

/// A source-routed switch of three hops with one unicast VC (0) and the mixed one (1).
fn mixed(ports: u32, max_flits: u32, depth: u32) -> Config {
    let mut c = source(ports);
    c.routing = Routing::Source(SourceRouting { hops: 3 });
    (c.virtual_channels.unicast, c.virtual_channels.mixed) = (1, 1);
    (c.packet.max_flits, c.buffer_flits) = (max_flits, Some(depth));
    c.multicast.groups = 16;
    c
}

const MIXED: u8 = 1;

fn times(b: &Bench, output: usize, start: u64) -> Vec<u64> {
    b.left[output].iter().map(|l| l.0 - start).collect()
}

/// Header 0, group loaded 1, read 2, requested 3 with bulletin and turn: the turn is given in 3 and seen in 4, granted
/// 4, started 5, popped 6, at the pins 7.
#[test]
fn idle_latency_is_7_cycles_source_routed() {
    let mut b = Bench::new(&mixed(4, 4, 16));
    b.write_groups(&[(0b1011, false)]);
    b.run(20);
    b.multicast(0, 0, 3, 5);
    let start = b.switch.now();
    b.run(30);
    assert_eq!([1, 3].map(|output| times(&b, output, start)), [[7, 8, 9], [7, 8, 9]]);
    assert!(b.left[0].is_empty() && b.left[2].is_empty(), "no loopback");
    assert_eq!(b.left[1], b.left[3]);
    let sent: Vec<Flit> = b.left[1].iter().map(|l| l.1.clone()).collect();
    assert_eq!(sent, b.multicast_packet(0, 3, 5), "it leaves as it came");
    assert!(b.switch.is_idle() && b.errors() == [0; 6]);
    assert_eq!(b.credit[MIXED as usize], 16, "credited once");
}

#[test]
fn groups_with_loopback_without_outputs_and_that_do_not_exist() {
    let mut b = Bench::new(&mixed(4, 2, 4));
    b.write_groups(&[(0b0001, false), (0b0001, true), (0, true)]);
    for group in [0, 2, 3, 15] {
        b.multicast(0, group, 2, 0);
        assert!(b.drain(50), "group {group}");
    }
    assert_eq!((b.drops, b.switch.outputs().drop_count[0]), (4, 4));
    b.multicast(0, 1, 2, 0);
    assert!(b.drain(50));
    assert_eq!((b.drops, b.left[0].len(), b.switch.counters()[0].packets_out), (4, 2, 1));
    // Beyond the table.
    let mut config = mixed(4, 2, 4);
    config.multicast.groups = 3;
    let mut b = Bench::new(&config);
    b.write_groups(&[(15, true); 3]);
    b.multicast(1, 3, 1, 0);
    assert!(b.drain(50));
    assert_eq!(b.drops, 1);
    assert!(b.left.iter().all(|left| left.is_empty()));
}

#[test]
fn the_group_table_is_written_after_the_sweep_only() {
    let mut b = Bench::new(&mixed(4, 2, 4));
    let access = |b: &mut Bench, paddr: u32, pwrite: bool, pwdata: u32| {
        let mut seen = (0, false);
        for penable in [false, true] {
            b.prepare();
            b.pins.apb = railyard_model::Apb { psel: true, penable, pwrite, paddr: paddr as u16, pwdata };
            b.switch.step(&b.pins);
            if !penable {
                seen = (b.switch.outputs().apb_prdata, b.switch.outputs().apb_pslverr);
            }
        }
        seen
    };
    assert_eq!(access(&mut b, MULTICAST_MASK_LOW, true, 6), (0, false));
    // Cycles 2 to 16 of 17.
    for _ in 0..7 {
        assert_eq!(access(&mut b, MULTICAST_WRITE, true, 2), (0, true));
    }
    assert_eq!(access(&mut b, MULTICAST_STATUS, false, 0), (1, false));
    assert_eq!(access(&mut b, MULTICAST_STATUS, false, 0), (0, false));
    assert_eq!(access(&mut b, MULTICAST_WRITE, true, 2), (0, false));
    assert_eq!(access(&mut b, MULTICAST_WRITE, true, 16), (0, true), "no such group");
    b.multicast(0, 2, 2, 0);
    assert!(b.drain(50));
    assert_eq!([0, 1, 2, 3].map(|output: usize| b.left[output].len()), [0, 2, 2, 0]);
    // A reset empties it.
    b.prepare();
    b.pins.reset = true;
    b.switch.step(&b.pins);
    let switch = b.switch.clone();
    b = Bench::new(&mixed(4, 2, 4));
    b.switch = switch;
    b.run(20);
    b.multicast(0, 2, 2, 0);
    b.run(50);
    assert_eq!(b.drops, 1);
}

/// Figure 14 of Cao2016, inside a switch: A has port P1 and wants P0, B has P0 and wants P1. Here neither can have one
/// alone.
#[test]
fn two_multicasts_that_want_each_others_output() {
    for (first, second) in [(2, 3), (3, 2)] {
        let mut b = Bench::new(&mixed(4, 4, 8));
        b.write_groups(&[(0b0011, true), (0b0011, true)]);
        for round in 0..50 {
            b.multicast(first, 0, 4, round);
            b.multicast(second, 1, 4, round);
        }
        assert!(b.drain(3_000), "deadlock");
        assert_eq!([0, 1].map(|output: usize| b.left[output].len()), [400, 400]);
        assert_eq!(b.left[0], b.left[1], "both outputs send the same in the same cycles");
    }
}

/// The next multicast packet is granted while one is under way: back to back it starts in the cycle of the tail, with
/// buffers of four packets behind the outputs.
#[test]
fn multicasts_of_two_inputs_follow_each_other_without_a_gap() {
    let mut b = Bench::new(&mixed(4, 8, 32));
    b.write_groups(&[(0b1100, false)]);
    for round in 0..40 {
        b.multicast(0, 0, 8, round);
        b.multicast(1, 0, 8, round);
    }
    b.run(60);
    let start = b.switch.now();
    b.run(400);
    let flits = b.left[2].iter().filter(|l| l.0 >= start && l.0 < start + 400).count();
    assert!(flits >= 396, "{flits} flits in 400 cycles");
}

/// A unicast packet that waits for an output on the mixed VC has its turn between multicast packets, and they between
/// unicast ones.
#[test]
fn unicast_and_multicast_take_turns_on_the_mixed_vc() {
    let mut b = Bench::new(&mixed(4, 2, 8));
    b.write_groups(&[(0b1100, false)]);
    for round in 0..100 {
        b.multicast(0, 0, 2, round);
        b.send(1, MIXED, 2, 2, round);
    }
    assert!(b.drain(2_000));
    let heads: Vec<bool> = b.left[2].iter().filter(|l| l.1.head).map(|l| l.1.words[0] >> 6 & 1 == 1).collect();
    assert_eq!((heads.len(), heads.iter().filter(|&&multicast| multicast).count()), (200, 100));
    // A second one passes only while the next of the other kind is not there yet.
    let longest = heads[..180].chunk_by(|a, b| a == b).map(<[bool]>::len).max();
    assert!(longest <= Some(2), "in turns: {longest:?}");
}

/// Streams without end to output 2: multicast packets to outputs 2 and 3 from the inputs before `multicasts`, and
/// unicast packets from input 2 (VC 0) and, if `mixed_too`, from input 3 (the mixed VC). Gives the shares of output 2's
/// cycles that they get.
fn shares(multicasts: usize, mixed_too: bool, config: &Config) -> [f64; 3] {
    let mut b = Bench::new(config);
    b.write_groups(&[(0b1100, false)]);
    let m = config.packet.max_flits;
    let cycles = 4_000;
    let start = b.switch.now() + 100;
    while b.switch.now() < start + cycles {
        for input in 0..4 {
            if b.waiting[input].len() > 2 * m as usize {
                continue;
            }
            match input {
                2 => b.send(2, 0, 2, m, 0),
                3 if mixed_too => b.send(3, MIXED, 2, m, 0),
                3 => {}
                _ if input < multicasts => b.multicast(input, 0, m, 0),
                _ => {}
            }
        }
        b.step();
    }
    assert_eq!(b.errors(), [0; 6]);
    let mut flits = [0; 3];
    let mut multicast = false;
    for (_, flit) in b.left[2].iter().filter(|left| left.0 >= start) {
        if flit.head && flit.vc == MIXED {
            multicast = flit.words[0] >> 6 & 1 == 1;
        }
        flits[if flit.vc == 0 { 1 } else { 2 * usize::from(!multicast) }] += 1;
    }
    flits.map(|count| f64::from(count) / cycles as f64)
}

/// Multicast packets that follow each other without a gap leave unicast packets of other VCs their share.
#[test]
fn a_stream_of_multicasts_does_not_starve_unicast_packets() {
    for (max_flits, depth) in [(8, 32), (4, 16), (4, 8), (2, 8)] {
        let parallel = mixed(4, max_flits, depth);
        let mut single = parallel.clone();
        single.crossbar = Crossbar::Single;
        for config in [parallel, single] {
            for multicasts in [1, 2] {
                let [multicast, unicast, _] = shares(multicasts, false, &config);
                let what = format!("M {max_flits}, D {depth}, {multicasts} multicast streams, {:?}", config.crossbar);
                println!("{what}: multicast {multicast:.3}, VC 0 {unicast:.3}");
                assert!(multicast > 0.3 && unicast > 0.3, "{what}: {multicast} and {unicast}");
                let shares = shares(multicasts, true, &config);
                println!("{what}, with unicast packets on the mixed VC: {shares:.3?}");
                assert!(shares.iter().all(|&share| share > 0.15), "{what}: {shares:?}");
            }
        }
    }
}

/// Two switches: port 3 of switch 0 and port 1 of switch 1 are wired to each other.
struct Pair([Bench; 2]);

impl Pair {
    const PORTS: [usize; 2] = [3, 1];

    fn new(config: &Config, groups: [&[(u64, bool)]; 2]) -> Pair {
        Pair(groups.map(|groups| {
            let mut b = Bench::new(config);
            b.write_groups(groups);
            b
        }))
    }

    fn step(&mut self) {
        let outputs = [0, 1].map(|i: usize| self.0[i].switch.outputs().clone());
        for (i, b) in self.0.iter_mut().enumerate() {
            let (port, far, from) = (Pair::PORTS[i], Pair::PORTS[1 - i], &outputs[1 - i]);
            let k = b.shape.vcs;
            b.prepare();
            for vc in 0..k {
                let (here, there) = (port * k + vc, far * k + vc);
                b.pins.tx_credit_valid.put(here, from.rx_credit_valid.get(there));
                b.pins.tx_credit[here] = from.rx_credit[there];
            }
            if from.tx_valid >> far & 1 == 1 {
                let (head, tail) = (from.tx_head >> far & 1 == 1, from.tx_tail >> far & 1 == 1);
                b.pins.receive(port, from.tx_vc[far], head, tail, from.flit(far));
            }
            b.switch.step(&b.pins);
        }
    }

    /// Tails of each group (by its mark) at an output of a switch.
    fn tails(&self, switch: usize, output: usize, mark: u32) -> usize {
        let tails = self.0[switch].left[output].iter().filter(|l| l.1.tail);
        tails.filter(|l| l.1.words[1] & 0xff == mark).count()
    }

    fn is_idle(&self) -> bool {
        self.0.iter().all(|b| b.switch.is_idle() && b.errors() == [0; 6] && b.drops == 0)
    }
}

const A: u32 = 0xA;
const B: u32 = 0xB;

/// Figure 14 of Cao2016, between switches: A has port P3 of switch 0 and wants P1 of switch 1 (it goes back by the link
/// that it came by), B has P1 of switch 1 and wants P3 of switch 0. All offsets in time.
#[test]
fn two_multicasts_that_want_each_others_switch() {
    // Group 0 is A's, group 1 B's. A goes from switch 0 to switch 1, and from there back once; B the other way round.
    let groups: [&[(u64, bool)]; 2] = [&[(0b1001, false), (0b1001, true)], &[(0b0011, true), (0b0011, false)]];
    for offset in 0..25 {
        let mut pair = Pair::new(&mixed(4, 4, 8), groups);
        pair.0[0].multicast(1, 0, 4, A);
        for t in 0..200 {
            if t == offset {
                pair.0[1].multicast(2, 1, 4, B);
            }
            pair.step();
        }
        assert!(pair.is_idle(), "deadlock at offset {offset}");
        let tails = |mark| [0, 1].map(|switch: usize| pair.tails(switch, 0, mark));
        assert_eq!((tails(A), tails(B)), ([2, 1], [1, 2]), "offset {offset}");
    }
}

/// Trees over both switches and multicasts inside each of them, all of which want the same outputs, at full load.
#[test]
fn trees_over_two_switches_under_full_load() {
    let groups: [&[(u64, bool)]; 2] =
        [&[(0b1001, false), (0b0101, false), (0b0101, true)], &[(0b0101, false), (0b0011, false), (0b0101, true)]];
    let mut pair = Pair::new(&mixed(4, 4, 8), groups);
    let mut sent = [[0; 3]; 2];
    for t in 0..30_000 {
        for (switch, sent) in sent.iter_mut().enumerate() {
            for (input, group) in [(0, switch), (1 + switch, switch), (2 + switch, 2)] {
                let b = &mut pair.0[switch];
                if t < 20_000 && b.waiting[input].len() < 8 {
                    b.multicast(input, group as u64, 4, [A, B, 0xC][group]);
                    sent[group] += 1;
                }
            }
        }
        pair.step();
    }
    assert!(pair.is_idle() && pair.0.iter().all(|b| b.waiting.iter().all(|waiting| waiting.is_empty())), "deadlock");
    let [[a, _, local_0], [_, b, local_1]] = sent;
    // Switch 0: A leaves by port 0 (and on to switch 1), B by 0 and 2. Switch 1: B by port 0, A by 0 and 2.
    let tails = |switch: usize, output: usize| [A, B, 0xC].map(|mark| pair.tails(switch, output, mark));
    let from_0 = pair.0[0].left[3].iter().filter(|l| l.1.tail).count();
    let from_1 = pair.0[1].left[1].iter().filter(|l| l.1.tail).count();
    assert_eq!((from_0, from_1), (a, b));
    assert_eq!((tails(0, 2), tails(1, 2)), ([0, b, local_0], [a, 0, local_1]));
    assert_eq!(tails(1, 0)[0], a);
    assert_eq!(tails(0, 0)[1], b);
    assert!([a, b, local_0, local_1].iter().all(|&count| count > 500), "{sent:?}");
}

/// What a run under load came to: packets of each kind, and the longest time that one waited at the front of its input.
#[derive(Clone, Copy, Debug, Default)]
struct Waits {
    packets: u64,
    longest: u64,
}

const NARROW: usize = 0;
const WIDE: usize = 1;
const UNICAST: usize = 2;

/// Packets of a kind, in cycles from the arrival of the head at the switch's input to the tail at the output pins.
struct Load {
    b: Bench,
    /// Heads on their way, by input: kind, outputs, cycle of arrival. In order, as there is one VC.
    travelling: Vec<VecDeque<(usize, u64, u64)>>,
    waits: [Waits; 3],
}

impl Load {
    /// Looks at what left in the last cycle: each tail's word says its input.
    fn watch(&mut self) {
        let now = self.b.switch.now();
        let words = self.b.pins.words;
        let mut outputs = vec![0u64; self.b.shape.ports];
        let out = self.b.switch.outputs();
        for output in 0..self.b.shape.ports {
            if out.tx_valid & out.tx_tail & 1 << output != 0 && out.tx_vc[output] == MIXED {
                outputs[(out.tx_flit[output * words + words - 1] & 0xff) as usize] |= 1 << output;
            }
        }
        for (input, &outputs) in outputs.iter().enumerate().filter(|(_, &outputs)| outputs != 0) {
            let (kind, expected, arrived) = self.travelling[input].pop_front().expect("a packet");
            assert_eq!(outputs, expected, "a packet of input {input} in cycle {now}");
            let waits = &mut self.waits[kind];
            waits.packets += 1;
            waits.longest = waits.longest.max(now - arrived);
        }
        self.b.left.iter_mut().for_each(Vec::clear);
    }
}

/// Overlapping groups, narrow and wide, from all inputs at load 1.0 for so many cycles, with unicast packets on the
/// mixed VC among them and on the other one beside: everything is delivered, each at its outputs and nowhere else.
/// Buffers behind the last two outputs free a flit every `pace` cycles.
fn overload(config: &Config, cycles: u64, pace: u64) -> [Waits; 3] {
    let n = config.ports as usize;
    let all = u64::MAX >> (64 - n);
    // Each pair of neighbours, each output but one, all.
    let mut groups: Vec<(u64, bool)> = (0..n).map(|i| (1 << i | 1 << ((i + 1) % n), true)).collect();
    groups.extend((0..n).map(|i| (all & !(1 << i), true)));
    groups.push((all, true));
    let mut config = config.clone();
    config.multicast.groups = groups.len() as u32;
    let mut b = Bench::new(&config);
    b.write_groups(&groups);
    b.pace[n - 2..].fill(pace);
    let mut load = Load { b, travelling: vec![VecDeque::new(); n], waits: Default::default() };
    let mut random = Random(99);
    let m = u64::from(config.packet.max_flits);
    let end = load.b.switch.now() + cycles;
    while load.b.switch.now() < end + 200_000 * pace {
        let now = load.b.switch.now();
        if now >= end && load.b.switch.is_idle() && load.b.waiting.iter().all(|waiting| waiting.is_empty()) {
            load.b.run(1);
            load.watch();
            break;
        }
        for input in 0..n {
            if now >= end || load.b.waiting[input].len() >= 2 {
                continue;
            }
            let length = (1 + random.below(m)) as u32;
            match random.below(8) {
                0 => load.b.send(input, 0, random.below(n as u64), length, 0xff00),
                1 | 2 => load.b.send(input, MIXED, random.below(n as u64), length, input as u32),
                3 | 4 => load.b.multicast(input, n as u64 + random.below(n as u64 + 1), length, input as u32),
                _ => load.b.multicast(input, random.below(n as u64), length, input as u32),
            }
        }
        load.b.hold_credits = now < end && random.chance(3);
        load.b.prepare();
        for input in (0..n).filter(|&input| load.b.pins.rx_valid & load.b.pins.rx_head & 1 << input != 0) {
            if load.b.pins.rx_vc[input] == MIXED {
                let head = load.b.pins.rx_flit[input * load.b.pins.words];
                let bits = config.clone().check().unwrap().shape().port_bits;
                let number = (head & ((1 << (3 * bits)) - 1)) as usize;
                let (kind, outputs) = match head >> (3 * bits) & 1 {
                    0 => (UNICAST, 1 << (head & ((1 << bits) - 1))),
                    _ if number < n => (NARROW, groups[number].0),
                    _ => (WIDE, groups[number].0),
                };
                load.travelling[input].push_back((kind, outputs, now));
            }
        }
        let pins = load.b.pins.clone();
        load.b.switch.step(&pins);
        load.watch();
    }
    assert!(load.travelling.iter().all(VecDeque::is_empty), "not everything was delivered: {:?}", load.waits);
    assert!(load.b.errors() == [0; 6] && load.b.drops == 0);
    assert!(load.b.credit.iter().all(|&credit| credit == load.b.shape.buffer_flits as i32));
    load.waits
}

/// A switch whose outputs 1 and 2 lead to buffers that free a flit in `pace` cycles, not the same ones, and are kept
/// full by unicast packets on the mixed VC. Input 0 has a multicast packet for both in cycle 200.
fn slow_outputs([m, d, pace]: [u32; 3]) -> Bench {
    let mut b = Bench::new(&mixed(4, m, d));
    b.write_groups(&[(0b0110, false)]);
    (b.pace[1], b.pace[2]) = (pace.into(), pace.into());
    while b.switch.now() < 200 {
        slow_step(&mut b, m);
    }
    b.multicast(0, 0, m, 77);
    b
}

fn slow_step(b: &mut Bench, m: u32) {
    for input in [1, 2] {
        if b.waiting[input].len() < 2 * m as usize {
            b.send(input, MIXED, input as u64, m, 0);
        }
    }
    b.step();
}

/// Whether the tail of a packet on the mixed VC with that mark, a byte, has left by `output`.
fn has_left(b: &Bench, output: usize, mark: u32) -> bool {
    let is_marked = |flit: &Flit| flit.vc == MIXED && flit.tail && flit.words[flit.words.len() - 1] & 0xff == mark;
    b.left[output].iter().any(|(_, flit)| is_marked(flit))
}

/// Cycles until a packet with that mark has left by `output`.
fn until_it_leaves(b: &mut Bench, m: u32, output: usize, mark: u32) -> u64 {
    let start = b.switch.now();
    while !has_left(b, output, mark) {
        assert!(b.switch.now() - start < 20_000, "it starves");
        slow_step(b, m);
    }
    b.switch.now() - start
}

/// Room is saved at one output after the other. Without that, two outputs that have room by turns never have it
/// together.
#[test]
fn slow_outputs_starve_no_packet_that_needs_both() {
    for [m, d, pace] in [[2, 4, 4], [4, 8, 3], [4, 16, 5], [8, 32, 2]] {
        let mut b = slow_outputs([m, d, pace]);
        let waited = until_it_leaves(&mut b, m, 1, 77);
        // Until room is saved; what the buffer holds before it, and M flits of each output.
        assert!(waited < u64::from(64 * m + pace * (d + 2 * m)) + 50, "M {m}, D {d}: {waited}");
    }
}

/// Where room is saved the favoured packet does not wait for a unicast packet's turn: that one waits for room for two,
/// which may depend on what the favoured packet keeps back elsewhere.
#[test]
fn the_favoured_packet_needs_room_for_one_where_it_is_saved() {
    let (m, d) = (4, 16);
    let mut b = Bench::new(&mixed(4, m, d));
    b.write_groups(&[(0b0110, false)]);
    // Output 2 gives no credit: its buffer is filled, and a unicast packet waits.
    b.pace[2] = u64::MAX;
    for _ in 0..=d / m {
        b.send(1, MIXED, 2, m, 0);
    }
    b.run(100);
    b.multicast(0, 0, m, 77);
    b.run(64 * m as usize + 10);
    assert!(!has_left(&b, 1, 77));
    b.free(2, MIXED, m);
    b.run(30);
    assert!(has_left(&b, 1, 77) && has_left(&b, 2, 77), "it waits for the unicast packet");
    b.pace[2] = 1;
    assert!(b.drain(200));
}

/// Small and large, both crossbars, both kinds of credits; buffers of two packets, where nothing can be granted ahead.
fn overloads() -> Vec<Config> {
    let mut list = [mixed(4, 4, 8), mixed(4, 1, 2), mixed(5, 4, 16), mixed(8, 2, 4)].to_vec();
    list[2].crossbar = Crossbar::Single;
    list[1].flow_control = FlowControl::Relative;
    list[3].flow_control = FlowControl::Relative;
    list
}

/// At most D packets before it in its buffer, and each of them waits until each of N inputs was favoured once: a packet
/// of M flits, and the way of its credits; or until room is saved, and then M flits of each of two slow outputs.
fn bound(config: &Config, pace: u64) -> u64 {
    let (n, m, d) = (u64::from(config.ports), u64::from(config.packet.max_flits), u64::from(config.buffer_depth()));
    d * n * (m + 12) + if pace > 1 { d * n * (64 * m + 2 * m * pace) } else { 0 }
}

fn nothing_starves(cycles: u64) {
    for (config, pace) in overloads().iter().flat_map(|config| [(config, 1), (config, 5)]) {
        let waits = overload(config, cycles, pace);
        println!(
            "{} ports, M {}, D {}, pace {pace}: narrow, wide, unicast {waits:?}",
            config.ports,
            config.packet.max_flits,
            config.buffer_depth()
        );
        for wait in waits {
            assert!(wait.packets > cycles / 100 / pace, "{waits:?}");
            assert!(wait.longest < bound(config, pace), "{waits:?}, bound {}", bound(config, pace));
        }
    }
}

#[test]
fn overlapping_groups_under_full_load_do_not_stand_still() {
    nothing_starves(100_000);
}

#[test]
#[ignore = "long"]
fn overlapping_groups_under_full_load_do_not_stand_still_for_long() {
    nothing_starves(1_000_000);
}

//! Whole-switch tests with legal traffic: latency, throughput, delivery.

mod driver;

use driver::*;
use railyard_model::{Apb, Inputs, Switch};
use railyard_spec::reduction::{address, key, ReductionSettings};
use railyard_spec::{
    AlgorithmicRouting, BufferEcc, Cache, Config, Crossbar, FlowControl, ForwardingTable, LinkAggregation,
    LinkArbitration, NodeReduction, Routing,
};
use std::collections::HashMap;

#[test]
fn idle_latency_is_3_cycles_source_routed() {
    let mut b = Bench::new(&source(16));
    b.run(10);
    b.send(2, 1, 9, 3, 7);
    let start = b.switch.now();
    b.run(20);
    let times: Vec<u64> = b.left[9].iter().map(|l| l.0 - start).collect();
    assert_eq!(times, [3, 4, 5]);
}

/// One wrong bit in each stored code word, each bit in turn: but for `tx_corrected`, all pins are as without them. A
/// packet takes a cycle longer than without error correction.
#[test]
fn single_wrong_bits_change_no_other_pin() {
    let mut b = Bench::new(&Config { buffer_ecc: Some(BufferEcc { fault_pins: true }), ..source(4) });
    let mut clean = b.switch.clone();
    let (mut random, mut arrived, mut corrected) = (Random(1), 0, 0);
    b.send(2, 1, 3, 1, 7);
    for t in 0..3000 {
        if random.chance(6) {
            b.send(t % 4, (t / 4 % 2) as u8, random.below(4), 1 + random.below(8) as u32, t as u32);
        }
        b.prepare();
        clean.step(&b.pins);
        for port in 0..4 {
            let (flips, bit) = (&mut b.pins.rx_flip[port * 3..(port + 1) * 3], (t + port) % 73);
            flips.fill(0);
            flips[bit / 32] = 1 << (bit % 32);
        }
        b.switch.step(&b.pins);
        b.pins.rx_flip.fill(0);
        let mut outputs = b.switch.outputs().clone();
        assert_eq!(outputs.tx_corrected & outputs.tx_valid, outputs.tx_valid, "cycle {t}");
        assert!(t > 3 || (outputs.tx_valid != 0) == (t + 1 == 4), "the first packet leaves in cycle 4");
        corrected += outputs.tx_corrected.count_ones();
        arrived += outputs.tx_valid.count_ones();
        outputs.tx_corrected = 0;
        assert_eq!(outputs, *clean.outputs(), "cycle {t}");
    }
    assert!(corrected == arrived && arrived > 1000, "{corrected} corrected of {arrived} flits");
}

/// Two wrong bits in one flit: its packet is bad up to the tail, and the next packet is not.
#[test]
fn two_wrong_bits_mark_the_packet() {
    let mut b = Bench::new(&Config { buffer_ecc: Some(BufferEcc { fault_pins: true }), ..source(4) });
    b.send(2, 1, 3, 4, 7);
    b.send(2, 1, 3, 2, 8);
    let mut bad = vec![];
    for t in 0..16 {
        b.prepare();
        b.pins.rx_flip[6] = if t == 1 { 0b1001 } else { 0 };
        b.switch.step(&b.pins);
        let outputs = b.switch.outputs();
        if outputs.tx_valid != 0 {
            bad.push((outputs.tx_bad >> 3 & 1, outputs.tx_tail >> 3 & 1));
        }
        assert_eq!(outputs.tx_corrected, 0);
    }
    assert_eq!(bad, [(0, 0), (1, 0), (1, 0), (1, 1), (0, 0), (0, 1)]);
}

#[test]
fn idle_latency_is_5_cycles_on_a_hit() {
    let mut b = Bench::new(&table(16, small_cache()));
    b.sweep();
    b.send(2, 1, 9, 1, 7);
    b.run(60);
    assert_eq!(b.left[9].len(), 1);
    b.send(2, 0, 9, 3, 7);
    let start = b.switch.now();
    b.run(20);
    let times: Vec<u64> = b.left[9][1..].iter().map(|l| l.0 - start).collect();
    assert_eq!(times, [5, 6, 7]);
    assert_eq!((b.switch.counters()[2].hits, b.switch.counters()[2].misses), (1, 1));
}

/// A cycle in which the CAM's answer, if one comes, names group 0.
fn step_with_group(b: &mut Bench, apb: Option<Apb>) {
    b.prepare();
    b.pins.cam_response_group_set = true;
    b.pins.cam_response_group = 0;
    if let Some(apb) = apb {
        b.pins.apb = apb;
    }
    b.switch.step(&b.pins);
}

fn write_with_group(b: &mut Bench, paddr: u16, pwdata: u32) {
    for penable in [false, true] {
        step_with_group(b, Some(Apb { psel: true, penable, pwrite: true, paddr, pwdata }));
        assert!(!b.switch.outputs().apb_pslverr);
    }
}

fn grouped(lookups: Option<Cache>) -> Bench {
    let mut config = table(16, lookups);
    if let Routing::Table(t) = &mut config.routing {
        t.link_aggregation = Some(LinkAggregation::default());
    }
    let mut b = Bench::new(&config);
    b.sweep();
    for (link, port) in [12, 13, 14].into_iter().enumerate() {
        write_with_group(&mut b, 0x800 + 4 * link as u16, port);
    }
    write_with_group(&mut b, 0x80, 3);
    b
}

#[test]
fn output_selection_adds_a_cycle() {
    let mut b = grouped(small_cache());
    // By residue: 10 is 1 modulo 3, link 1.
    write_with_group(&mut b, 0x40, 1);
    for latency in [38, 6] {
        b.send(2, 1, 10, 1, 7);
        let start = b.switch.now();
        (0..60).for_each(|_| step_with_group(&mut b, None));
        let times: Vec<u64> = b.left[13].drain(..).map(|l| l.0 - start).collect();
        assert_eq!(times, [latency]);
    }
}

/// Links are taken out of a group one by one, and come back, in mid-traffic in turn: nothing is lost, nothing leaves by
/// a link that was out when its packet was granted, and the packets of a VC are granted in their order.
#[test]
fn links_are_taken_out_under_traffic() {
    let mut b = grouped(small_cache());
    write_with_group(&mut b, 0x40, 2);
    let mut marks = 0;
    for links in [3, 2, 1, 3] {
        write_with_group(&mut b, 0x80, links);
        let written = b.switch.now();
        for t in 0..400 {
            for port in 0..4 {
                if t < 200 && b.waiting[port].is_empty() {
                    b.send(port, 0, 5, 2, port as u32 | marks << 4);
                    marks += 1;
                }
            }
            step_with_group(&mut b, None);
        }
        // Packets that were granted before may still leave for a while.
        let late = |output: usize| b.left[output].iter().any(|l| l.0 > written + 12);
        assert_eq!([12, 13, 14].map(late), [true, links > 1, links > 2]);
        let mut left: Vec<_> = [12, 13, 14].iter().flat_map(|&output| &b.left[output]).collect();
        left.sort_by_key(|l| l.0);
        for port in 0..4 {
            // Equal packets of one VC start on their links in order: all have two flits and one VC.
            let heads = left.iter().filter(|l| l.1.head).map(|l| l.1.words[1]).filter(|w| w & 15 == port);
            assert!(heads.clone().count() > 20 && heads.is_sorted());
        }
        (12..15).for_each(|output| b.left[output].clear());
    }
    for _ in 0..500 {
        step_with_group(&mut b, None);
    }
    assert!(b.switch.is_idle() && b.errors() == [0; 6] && b.drops == 0);
    assert_eq!(b.switch.counters().iter().map(|c| c.packets_out).sum::<u64>(), marks as u64);
}

/// A hot candidate: a packet with another candidate goes round it.
#[test]
fn adaptive_packets_go_where_there_is_room() {
    let mut config = table(16, None);
    if let Routing::Table(t) = &mut config.routing {
        t.candidates = 2;
    }
    let mut b = Bench::new(&config);
    b.hold_credits = true;
    b.route = |_| Some(3);
    for i in 0..8 {
        b.send(2, 1, 9, 8, i);
    }
    for _ in 0..300 {
        b.prepare();
        b.pins.cam_response_candidates = 1;
        b.pins.cam_response_candidate = [6, 0, 0];
        b.switch.step(&b.pins);
    }
    // Buffers of 32 flits, never emptied: four packets to each. Back to back, a packet's output is chosen when the last
    // flits of the one before are not counted yet; so 2 follows 1.
    let packets = |output: usize| b.left[output].iter().filter(|l| l.1.head).map(|l| l.1.words[1]).collect::<Vec<_>>();
    assert_eq!((packets(3), packets(6)), (vec![0, 3, 4, 7], vec![1, 2, 5, 6]));
}

/// A mesh router: destination y = 3 lies ahead in plus direction of dimension 1.
#[test]
fn idle_latency_is_3_cycles_and_one_a_stage_of_node_reduction() {
    for stages in 1..=3 {
        let mut config = Config::named("t");
        let node_reduction = NodeReduction { stages, ..NodeReduction::default() };
        config.routing = Routing::Algorithmic(AlgorithmicRouting { node_reduction, ..AlgorithmicRouting::default() });
        let shape = config.check().unwrap().shape();
        let (mut switch, mut pins) = (Switch::new(&shape), Inputs::new(&shape));
        let settings = ReductionSettings::mesh(4, &[2, 1]).writes(24, false);
        for (paddr, pwdata) in settings.into_iter().chain([(0x400 + 4 * key::plus(1), 0x107)]) {
            for penable in [false, true] {
                pins.apb = Apb { psel: true, penable, pwrite: true, paddr: paddr as u16, pwdata };
                switch.step(&pins);
                assert!(!switch.outputs().apb_pslverr);
            }
        }
        pins.idle();
        for (destination, expected) in [(address(4, &[2, 3]), 1 << 7), (address(4, &[2, 0]), 0)] {
            pins.receive(5, 1, true, true, &[destination as u32, 0]);
            switch.step(&pins);
            pins.idle();
            for _ in 0..2 + stages {
                assert_eq!(switch.outputs().tx_valid, 0);
                switch.step(&pins);
            }
            assert_eq!(switch.outputs().tx_valid, expected);
            switch.step(&pins);
        }
        assert_eq!(switch.outputs().drop_count[5], 1, "no map entry for minus");
        assert!(switch.is_idle());
    }
}

/// Cycle by cycle, from the reference: header 0, resolved 2, request offered 3 and shown 4, CAM answers in 4 + L,
/// applied 5 + L, fill issued 6 + L, resolved 8 + L, done seen 9 + L, head known 10 + L, traverse 11 + L, at the pins
/// 12 + L.
#[test]
fn latency_of_a_miss() {
    for (cache, requested, latency) in [(small_cache(), 4, 37), (None, 3, 35)] {
        let mut b = Bench::new(&table(16, cache));
        b.sweep();
        b.send(2, 1, 9, 1, 7);
        let start = b.switch.now();
        b.run(60);
        assert_eq!(b.left[9].len(), 1);
        assert_eq!(b.left[9][0].0 - start, latency);
        assert_eq!(b.requests, [(start + requested, 2 << 3 | 1 << 2, 9)]);
    }
}

#[test]
fn a_permutation_runs_at_a_flit_a_cycle_on_every_port() {
    for (crossbar, link_arbitration) in [
        (Crossbar::Parallel, LinkArbitration::Packet),
        (Crossbar::Parallel, LinkArbitration::Flit),
        (Crossbar::Single, LinkArbitration::Packet),
    ] {
        for mut config in [source(16), table(16, small_cache())] {
            (config.crossbar, config.link_arbitration) = (crossbar, link_arbitration);
            for length in [1, 2, 3, 8] {
                let mut b = Bench::new(&config);
                b.sweep();
                for p in 0..16 {
                    b.send(p, 0, (p as u64 + 3) % 16, 1, 0);
                }
                b.run(200);
                for p in 0..16 {
                    for i in 0..400 / length {
                        b.send(p, 0, (p as u64 + 3) % 16, length, i);
                    }
                }
                b.run(20);
                for _ in 0..300 {
                    b.step();
                    assert_eq!(b.switch.outputs().tx_valid, 0xffff, "{crossbar:?} {link_arbitration:?} {length}");
                }
            }
        }
    }
}

/// Equal addresses in flight on several VCs of a port ask the CAM once.
#[test]
fn misses_are_merged() {
    let mut b = Bench::new(&table(16, small_cache()));
    b.sweep();
    for _ in 0..3 {
        b.send(4, 0, 9, 1, 0);
        b.send(4, 1, 9, 1, 0);
    }
    assert!(b.drain(200));
    assert_eq!(b.requests.len(), 1);
    assert_eq!(b.left[9].len(), 6);
    let c = b.switch.counters()[4];
    assert_eq!((c.lookups, c.misses, c.merged, c.cam_requests), (6, 6, 5, 1));
    b.send(4, 0, 9, 1, 0);
    assert!(b.drain(50));
    assert_eq!(b.switch.counters()[4].hits, 1);
}

/// A miss holds only its own VC.
#[test]
fn hit_under_miss() {
    let mut b = Bench::new(&table(16, small_cache()));
    b.sweep();
    b.send(4, 0, 9, 1, 0);
    assert!(b.drain(100));
    b.send(4, 0, 10, 1, 0);
    b.send(4, 1, 9, 1, 0);
    let start = b.switch.now();
    b.run(10);
    assert_eq!(b.left[9].last().map(|l| l.0 - start), Some(6));
    assert!(b.left[10].is_empty());
    assert!(b.drain(100));
    assert_eq!(b.left[10].len(), 1);
}

#[test]
fn a_packet_without_a_route_is_dropped_whole() {
    let mut b = Bench::new(&table(16, small_cache()));
    b.route = |address| (address != 5).then_some((address % 16) as u8);
    b.sweep();
    b.send(3, 1, 5, 6, 0);
    b.send(3, 1, 6, 2, 0);
    assert!(b.drain(200));
    assert_eq!((b.drops, b.switch.outputs().drop_count[3]), (1, 1));
    assert_eq!(b.left[6].len(), 2);
    assert_eq!(b.credit[3 * 2 + 1], b.shape.buffer_flits as i32);
    assert_eq!(b.errors(), [0; 6]);

    let mut b = Bench::new(&source(5));
    b.send(3, 0, 7, 3, 0);
    assert!(b.drain(50));
    assert_eq!((b.drops, b.switch.outputs().drop_count[3]), (1, 1));
}

/// Without credit for a whole packet nothing is sent; with it, all.
#[test]
fn credit_starvation() {
    for flow_control in [FlowControl::Absolute, FlowControl::Relative] {
        let mut config = source(4);
        config.flow_control = flow_control;
        let mut b = Bench::new(&config);
        b.hold_credits = true;
        for _ in 0..10 {
            b.send(0, 0, 2, 5, 0);
            b.send(1, 1, 2, 8, 0);
        }
        b.run(300);
        // 32 places: packets are granted while 8 are left: 5 x 5 flits (7 left), and 4 x 8 flits.
        let count = |b: &Bench, vc| b.left[2].iter().filter(|l| l.1.vc == vc).count();
        assert_eq!((count(&b, 0), count(&b, 1)), (25, 32));
        b.hold_credits = false;
        assert!(b.drain(400));
        assert_eq!((count(&b, 0), count(&b, 1)), (50, 80));
        assert_eq!(b.errors(), [0; 6]);
        assert_eq!((b.switch.available(2, 0), b.switch.available(2, 1)), (32, 32));
    }
}

/// A credit report in t lets a packet be granted in t + 2: it is at the output pins in t + 4.
#[test]
fn credit_latency() {
    let mut b = Bench::new(&source(4));
    b.hold_credits = true;
    for _ in 0..5 {
        b.send(0, 0, 2, 8, 0);
    }
    b.run(100);
    assert_eq!(b.left[2].len(), 32);
    b.hold_credits = false;
    let start = b.switch.now();
    b.run(20);
    assert_eq!(b.left[2][32].0 - start, 4);
}

fn random_traffic(config: &Config, seed: u64) {
    let mut b = Bench::new(config);
    let (n, k, m) = (b.shape.ports as u64, b.shape.vcs as u64, b.shape.max_flits as u64);
    // Every packet must have room for its mark.
    let shortest = b.shape.header_flits() as u64 + !b.header_has_room() as u64;
    let table = b.shape.table().is_some();
    b.route = match n {
        2 => |a| Some((a % 2) as u8),
        3 => |a| Some((a % 3) as u8),
        4 => |a| Some((a % 4) as u8),
        5 => |a| Some((a % 5) as u8),
        7 => |a| Some((a % 7) as u8),
        64 => |a| Some((a % 64) as u8),
        _ => |a| Some((a % 16) as u8),
    };
    let mut random = Random(seed);
    // Packets sent, by (output, input, VC), in order.
    let mut expected: HashMap<(u64, u64, u64), Vec<Vec<Flit>>> = HashMap::new();
    for round in 0..1500u32 {
        for port in 0..n {
            if b.waiting[port as usize].len() < 16 {
                let vc = random.below(k);
                let address = if table { random.below(3 * n) } else { random.below(n) };
                let length = shortest + random.below(m + 1 - shortest);
                b.send(port as usize, vc as u8, address, length as u32, port as u32 | (round & 0x3f) << 6);
                let mut flits = b.packet(vc as u8, address, length as u32, port as u32 | (round & 0x3f) << 6);
                if !table {
                    flits[0].words[0] = 0;
                }
                expected.entry((address % n, port, vc)).or_default().push(flits);
            }
        }
        b.hold_credits = random.chance(3);
        b.cam_latency = 1 + random.below(40) / 4;
        b.cam_ready = !random.chance(3);
        b.step();
    }
    (b.hold_credits, b.cam_ready) = (false, true);
    assert!(b.drain(60_000), "traffic stands still");
    assert_eq!(b.errors(), [0; 6]);
    assert!(b.credit.iter().all(|&c| c == b.shape.buffer_flits as i32));

    // Take the output streams apart into packets by VC, and find each at the front of an input's list.
    for output in 0..n {
        let mut open: Vec<Vec<Flit>> = vec![Vec::new(); k as usize];
        let mut last = None;
        for (_, flit) in &b.left[output as usize] {
            let packet = &mut open[flit.vc as usize];
            assert_eq!(flit.head, packet.is_empty());
            if config.link_arbitration == LinkArbitration::Packet {
                assert!(flit.head || last == Some(flit.vc), "packets are mixed");
            }
            last = Some(flit.vc);
            packet.push(flit.clone());
            if flit.tail {
                let packet = std::mem::take(packet);
                let found = (0..n).any(|input| {
                    let Some(list) = expected.get_mut(&(output, input, flit.vc as u64)) else { return false };
                    let same = list.first() == Some(&packet);
                    if same {
                        list.remove(0);
                    }
                    same
                });
                assert!(found, "a packet that nobody sent, or out of order");
            }
        }
    }
    assert!(expected.values().all(|list| list.is_empty()), "packets were lost");
}

#[test]
fn all_packets_arrive_in_order_in_all_configurations() {
    for (i, config) in configurations().iter().enumerate() {
        println!("{config:?}");
        random_traffic(config, 77 + i as u64);
    }
}

/// An address that only the forwarding table on the chip knows, and one that nobody does: header to header as with a
/// CAM of latency 2.
#[test]
fn a_table_on_the_chip_answers_in_the_place_of_a_cam() {
    let mut config = table(16, small_cache());
    if let Routing::Table(t) = &mut config.routing {
        t.forwarding_table = Some(ForwardingTable { entries: 64, ..ForwardingTable::default() });
        (t.external_cam, t.default_route) = (false, true);
    }
    let mut b = Bench::new(&config);
    b.sweep();
    b.run(20);
    let built = b.shape.forwarding_table().expect("a table").clone();
    let index = built.index(built.crc.of(77, 24), 3) as u32;
    // The entry, and the default route to port 4.
    for (paddr, pwdata) in [(0x60, 77), (0x68, 9), (0x70, 1 << 24 | 3 << 16 | index), (0x28, 0x104)] {
        for penable in [false, true] {
            b.prepare();
            b.pins.apb = Apb { psel: true, penable, pwrite: true, paddr, pwdata };
            b.switch.step(&b.pins);
            assert!(!b.switch.outputs().apb_pslverr);
        }
    }
    for (address, port, latency) in [(77, 9, 14), (78, 4, 14), (77, 9, 5), (78, 4, 5)] {
        let start = b.switch.now();
        b.send(2, 1, address, 1, 0);
        assert!(b.drain(100));
        let (left, _) = b.left[port].last().expect("a packet");
        assert_eq!(left - start, latency, "{address}");
    }
    assert_eq!((b.drops, b.requests.len()), (0, 0));
}

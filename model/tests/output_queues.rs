//! Whole-switch tests of output queues.

mod driver;

use driver::*;
use railyard_spec::{BufferEcc, Config, FlowControl, Routing, TableRouting};
use std::collections::BTreeMap;

fn queued(config: Config, flits: u32) -> Config {
    Config { output_queue_flits: Some(flits), ..config }
}

/// The example of the reference: the second packet is popped while the first one is on the link.
#[test]
fn a_packet_waits_in_its_queue_for_the_link() {
    let mut b = Bench::new(&queued(source(4), 2));
    b.send(0, 0, 2, 2, 1);
    b.send(1, 1, 2, 2, 2);
    let start = b.switch.now();
    let mut freed = Vec::new();
    for _ in 0..12 {
        let now = b.switch.now() - start;
        let credits = b.switch.outputs().rx_credit_valid;
        freed.extend([0, 3].into_iter().filter(|&element| credits.get(element)).map(|element| (now, element)));
        b.step();
    }
    assert_eq!(freed, [(3, 0), (4, 0), (4, 3), (5, 3)]);
    let left: Vec<_> = b.left[2].iter().map(|(time, flit)| (time - start, flit.vc, flit.head)).collect();
    assert_eq!(left, [(3, 0, true), (4, 0, false), (5, 1, true), (6, 1, false)]);
}

/// A queue of two flits holds its plane's packet back, and messages hold nothing but the link.
#[test]
fn a_full_queue_stops_its_plane() {
    let mut b = Bench::new(&queued(source(4), 2));
    b.send(0, 0, 2, 6, 1);
    b.send(1, 1, 2, 6, 2);
    b.run(7);
    // The first packet is on the link. Of the other one two flits are in the queue, and four in the buffer.
    assert_eq!(b.switch.occupancy(1, 1), 4);
    assert!(b.drain(40) && b.left[2].len() == 12);
}

/// Room is taken for a maximum packet at the grant, and what a shorter one needs not is given back.
#[test]
fn short_packets_give_room_back() {
    let mut config = queued(source(4), 4);
    (config.packet.max_flits, config.buffer_flits) = (8, Some(16));
    let mut b = Bench::new(&config);
    b.hold_credits = true;
    for i in 0..14 {
        b.send(i % 2, (i / 2 % 2) as u8, 3, 1, i as u32);
    }
    b.run(80);
    assert_eq!((b.left[3].len(), b.switch.available(3, 0) + b.switch.available(3, 1)), (14, 18));
    // Nine more would leave less than a maximum packet.
    for i in 0..16 {
        b.send(0, 0, 3, 1, i);
    }
    b.run(80);
    assert!(b.switch.available(3, 0) == 7, "{}", b.switch.available(3, 0));
    b.hold_credits = false;
    assert!(b.drain(80) && b.switch.available(3, 0) == 16);
}

/// Legal traffic of all kinds arrives once, in order, and all room comes back.
#[test]
fn everything_arrives_and_all_room_comes_back() {
    let next_vc = TableRouting { cache: None, next_vc: true, lookups_per_vc: Some(4), ..TableRouting::default() };
    let ecc = Config { buffer_ecc: Some(BufferEcc { fault_pins: false }), ..source(6) };
    let mut barriers = source(5);
    (barriers.virtual_channels.barrier, barriers.flit_bits) = (1, 32);
    let single_flits = Config { packet: railyard_spec::Packet { max_flits: 1 }, buffer_flits: Some(2), ..source(3) };
    let list = [
        source(4),
        Config { flow_control: FlowControl::Relative, ..source(5) },
        Config { routing: Routing::Table(next_vc), ..source(4) },
        table(7, small_cache()),
        ecc,
        barriers,
        single_flits,
    ];
    for (number, config) in list.into_iter().enumerate() {
        for (vcs, flits) in [(1, 2), (2, 4), (4, 16), (3, 64)] {
            let mut config = queued(config.clone(), flits);
            config.virtual_channels.unicast = vcs;
            let mut b = Bench::new(&config);
            b.route = |address| Some((address % 3) as u8);
            b.sweep();
            random_traffic(&mut b, number as u64 + 1);
        }
    }
}

fn random_traffic(b: &mut Bench, seed: u64) {
    let (mut random, ports, vcs) = (Random(seed), b.shape.ports as u64, b.shape.vcs as u64);
    b.pace = (0..ports).map(|port| 1 + port % 3).collect();
    let mut expected: BTreeMap<(usize, u8), Vec<u32>> = BTreeMap::new();
    for mark in 0..400u32 {
        let (port, vc) = (random.below(ports) as usize, random.below(vcs) as u8);
        let (to, length) = (random.below(3), 1 + random.below(b.shape.max_flits.into()) as u32);
        b.send(port, vc, to, length, mark);
        let has_mark = length > b.shape.header_flits();
        expected.entry((to as usize, vc)).or_default().push(if has_mark {
            mark ^ b.shape.header_flits() << 10
        } else {
            u32::MAX
        });
        b.run(random.below(6) as usize);
    }
    assert!(b.drain(20_000));
    assert!(b.errors() == [0; 6] && b.drops == 0);
    for ((output, vc), marks) in expected {
        let heads = b.left[output].iter().filter(|(_, flit)| flit.head && flit.vc == vc).count();
        assert_eq!(heads, marks.len());
    }
    // A packet's flits follow each other on the link.
    for left in &b.left {
        let mut open: Option<u8> = None;
        for (_, flit) in left {
            assert_eq!(flit.head, open.is_none());
            assert!(open.is_none_or(|vc| vc == flit.vc));
            open = (!flit.tail).then_some(flit.vc);
        }
        assert_eq!(open, None);
    }
    b.run(200);
    for (output, vc) in (0..b.shape.ports).flat_map(|output| (0..b.shape.vcs).map(move |vc| (output, vc))) {
        assert_eq!(b.switch.available(output, vc), b.shape.depth_at(output) as i32);
    }
}

/// Saturated ports with uniform traffic: with queues the links are busier.
#[test]
fn queues_raise_the_throughput() {
    let flits = |queue: Option<u32>| {
        let mut config = Config { output_queue_flits: queue, ..source(8) };
        (config.packet.max_flits, config.buffer_flits, config.virtual_channels.unicast) = (8, Some(32), 2);
        let mut b = Bench::new(&config);
        let mut random = Random(7);
        for cycle in 0..4_000 {
            for port in 0..8 {
                while b.waiting[port].len() < 16 {
                    let (vc, to) = (random.below(2) as u8, random.below(8));
                    b.send(port, vc, to, 8, cycle);
                }
            }
            b.step();
        }
        b.left.iter().map(Vec::len).sum::<usize>()
    };
    let [without, with] = [None, Some(8)].map(flits);
    assert!(with as f64 > 1.03 * without as f64, "{without} {with}");
}

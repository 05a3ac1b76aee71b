//! Whole-switch tests with illegal input and resets.

mod driver;

use driver::*;
use railyard_model::{Apb, Inputs, Outputs, Switch};
use railyard_spec::{Cache, Routing, Shape};

const VC: usize = 0;
const FRAMING: usize = 1;
const OVERFLOW: usize = 2;
const LENGTH: usize = 3;
const CREDIT: usize = 4;
const CAM: usize = 5;

fn only(flag: usize, port: usize) -> [u64; 6] {
    let mut flags = [0; 6];
    flags[flag] = 1 << port;
    flags
}

/// Sends these (VC, head, tail) at port 3, one a cycle, and gives the flags two cycles after the last.
fn flags_of(flits: &[(u8, bool, bool)]) -> [u64; 6] {
    let mut config = source(5);
    config.virtual_channels.unicast = 3;
    let mut b = Bench::new(&config);
    for &(vc, head, tail) in flits {
        b.prepare();
        b.pins.receive(3, vc, head, tail, &[1, 0]);
        b.switch.step(&b.pins);
    }
    b.run(1);
    b.errors()
}

#[test]
fn every_input_flag() {
    assert_eq!(flags_of(&[(2, true, true), (0, true, false), (0, false, true)]), [0; 6]);
    assert_eq!(flags_of(&[(3, true, true)]), only(VC, 3));
    assert_eq!(flags_of(&[(1, false, true)]), only(FRAMING, 3));
    assert_eq!(flags_of(&[(1, true, false), (1, true, true)]), only(FRAMING, 3));
    let mut long = vec![(0, true, false)];
    long.extend([(0, false, false); 7]);
    assert_eq!(flags_of(&long), only(LENGTH, 3));
    long.extend([(0, false, false), (0, false, true), (0, true, true)]);
    assert_eq!(flags_of(&long), only(LENGTH, 3));
}

#[test]
fn overflow_is_flagged_and_credited() {
    let mut b = Bench::new(&source(4));
    b.hold_credits = true;
    // Four packets of 8 go, four fill the buffer, one is too much.
    for _ in 0..8 {
        b.send(1, 0, 2, 8, 0);
    }
    b.run(100);
    assert_eq!(b.switch.occupancy(1, 0), 32);
    assert_eq!(b.errors(), [0; 6]);
    for (head, tail) in [(true, false), (false, true)] {
        b.prepare();
        b.pins.receive(1, 0, head, tail, &[2, 0]);
        b.switch.step(&b.pins);
        assert_eq!(b.errors(), only(OVERFLOW, 1));
        assert!(b.switch.outputs().rx_credit_valid.get(2));
    }
    b.hold_credits = false;
    assert!(b.drain(200));
    assert_eq!(b.left[2].len(), 64);
    assert_eq!(b.credit[2], 32 + 2, "both discarded flits came back, though the bench never counted them");
}

#[test]
fn flags_are_sticky_and_an_event_wins_over_clear() {
    let mut b = Bench::new(&source(4));
    let mut step = |event: bool, clear: bool| {
        b.prepare();
        b.pins.error_clear = clear;
        if event {
            b.pins.receive(2, 0, false, true, &[0, 0]);
        }
        b.switch.step(&b.pins);
        b.errors()[FRAMING]
    };
    assert_eq!(step(true, false), 4);
    assert_eq!(step(false, false), 4);
    assert_eq!(step(false, true), 0);
    assert_eq!(step(false, false), 0);
    assert_eq!(step(true, true), 4);
}

#[test]
fn credits_for_flits_that_were_never_sent() {
    for relative in [false, true] {
        let mut config = source(4);
        if relative {
            config.flow_control = railyard_spec::FlowControl::Relative;
        }
        let mut b = Bench::new(&config);
        b.prepare();
        b.pins.credit(2 * 2 + 1, 1);
        b.switch.step(&b.pins);
        assert_eq!(b.errors(), only(CREDIT, 2));
        assert_eq!(b.switch.available(2, 1), 32);
    }
}

#[test]
fn answers_to_no_request() {
    for (port, expected) in [(0, 1), (7, 1)] {
        let mut b = Bench::new(&table(5, small_cache()));
        b.prepare();
        b.pins.cam_answer(port, Some(0));
        b.switch.step(&b.pins);
        assert_eq!(b.errors()[CAM], 0);
        b.run(1);
        assert_eq!(b.errors()[CAM], expected);
    }
}

#[test]
fn an_answer_with_a_port_that_does_not_exist_drops_the_packet() {
    let mut b = Bench::new(&table(5, small_cache()));
    b.route = |_| Some(6);
    b.sweep();
    b.send(1, 0, 9, 2, 0);
    assert!(b.drain(100));
    assert_eq!((b.errors(), b.drops), (only(CAM, 0), 1));
}

#[test]
fn a_packet_shorter_than_its_header_is_dropped() {
    let mut config = table(4, small_cache());
    config.flit_bits = 16;
    let mut b = Bench::new(&config);
    b.sweep();
    b.prepare();
    b.pins.receive(1, 1, true, true, &[3]);
    b.switch.step(&b.pins);
    b.run(10);
    assert_eq!((b.errors(), b.drops), (only(LENGTH, 1), 1));
    assert!(b.requests.is_empty());
}

/// The outputs as far as they mean anything.
fn meaningful(out: &Outputs, shape: &Shape) -> Outputs {
    let mut o = out.clone();
    for p in 0..shape.ports {
        if o.tx_valid >> p & 1 == 0 {
            o.tx_vc[p] = 0;
            o.tx_flit[p * o.words..(p + 1) * o.words].fill(0);
        }
    }
    o.tx_head &= o.tx_valid;
    o.tx_tail &= o.tx_valid;
    if !o.cam_request_valid {
        (o.cam_request_tag, o.cam_request_address) = (0, 0);
    }
    o
}

/// Any input at all, mostly such that something gets through.
fn anything(pins: &mut Inputs, shape: &Shape, out: &Outputs, random: &mut Random, mild: bool) {
    pins.idle();
    let top = if shape.flit_bits % 32 == 0 { !0 } else { (1u32 << (shape.flit_bits % 32)) - 1 };
    let words = pins.words;
    for p in 0..shape.ports {
        if random.chance(3) {
            continue;
        }
        let vc =
            if random.chance(50) { random.below(1 << shape.vc_bits) } else { random.below(shape.vcs as u64) } as u8;
        let (head, tail) = (random.chance(3), random.chance(3));
        let mut flit: Vec<u32> = (0..words).map(|_| random.next() as u32).collect();
        // Few addresses, so that they hit and merge.
        flit[0] = random.below(11) as u32;
        if random.chance(2) && words > 1 {
            flit[1] = 0;
        }
        flit[words - 1] &= top;
        maybe_multicast(&mut flit, shape, random);
        pins.receive(p, vc, head, tail, &flit);
    }
    for e in 0..shape.ports * shape.vcs {
        if random.chance(if mild { 2 } else { 4 }) {
            pins.credit(e, random.below(1 << shape.credit_bits) as u16);
        }
    }
    pins.error_clear = random.chance(20);
    pins.cam_request_ready = random.chance(2);
    pins.cam_response_valid = random.chance(2);
    if let Some(t) = shape.table() {
        let tag = if out.cam_request_valid && !random.chance(4) {
            out.cam_request_tag as u64
        } else {
            random.below(1 << t.tag_bits)
        };
        pins.cam_response_tag = tag as u32;
    }
    pins.cam_response_hit = !random.chance(5);
    pins.cam_response_port = random.below(1 << shape.port_bits) as u8;
    pins.cam_response_vc_set = shape.next_vc && random.chance(2);
    pins.cam_response_vc = random.below(1 << shape.vc_bits) as u8;
    choices(pins, shape, random);
}

#[test]
fn torture_with_anything_at_the_pins() {
    for (i, config) in all_configurations().iter().enumerate() {
        let shape = config.clone().check().unwrap().shape();
        let mut switch = Switch::new(&shape);
        let mut pins = Inputs::new(&shape);
        let mut random = Random(1000 + i as u64);
        let mut manager = Manager::new(&shape);
        let cycles = if shape.ports == 64 { 1500 } else { 6000 };
        for t in 0..cycles {
            let out = switch.outputs().clone();
            anything(&mut pins, &shape, &out, &mut random, t % 1000 < 500);
            manager.drive(&mut pins, &mut random, 20);
            pins.reset = random.chance(2000);
            switch.step(&pins);
        }
        let flits: u64 = switch.counters().iter().map(|c| c.flits_out + c.flits_dropped).sum();
        assert!(flits > 100, "only {flits} flits got through {config:?}");
    }
}

/// After a reset in the middle of traffic (held for a while, with anything at the pins) a switch can't be told from a
/// new one.
#[test]
fn reset_in_the_middle_of_traffic() {
    for (i, config) in all_configurations().iter().enumerate() {
        let shape = config.clone().check().unwrap().shape();
        let (mut old, mut new) = (Switch::new(&shape), Switch::new(&shape));
        let mut pins = Inputs::new(&shape);
        let mut random = Random(5000 + i as u64);
        let mut manager = Manager::new(&shape);
        let scale = if shape.ports == 64 { 1 } else { 4 };
        for t in 0..500 * scale {
            let out = old.outputs().clone();
            anything(&mut pins, &shape, &out, &mut random, true);
            manager.drive(&mut pins, &mut random, 20);
            pins.reset = t >= 500 * scale - 3;
            old.step(&pins);
        }
        for t in 0..500 * scale {
            assert_eq!(meaningful(old.outputs(), &shape), meaningful(new.outputs(), &shape), "cycle {t} of {config:?}");
            let out = new.outputs().clone();
            anything(&mut pins, &shape, &out, &mut random, true);
            manager.drive(&mut pins, &mut random, 20);
            old.step(&pins);
            new.step(&pins);
        }
    }
}

/// The model passes over ports where nothing can happen. Looking at all of them makes no difference.
#[test]
fn nothing_happens_where_the_model_does_not_look() {
    for (i, config) in all_configurations().iter().enumerate() {
        let shape = config.clone().check().unwrap().shape();
        let (mut fast, mut slow) = (Switch::new(&shape), Switch::new(&shape));
        let mut pins = Inputs::new(&shape);
        let mut random = Random(9000 + i as u64);
        let mut manager = Manager::new(&shape);
        for t in 0..if shape.ports == 64 { 700 } else { 3000 } {
            let out = fast.outputs().clone();
            // Now and then a while without new flits, so that what waits has to find its way alone.
            anything(&mut pins, &shape, &out, &mut random, true);
            if t % 200 > 100 {
                pins.rx_valid = 0;
            }
            manager.drive(&mut pins, &mut random, 20);
            fast.step(&pins);
            slow.look_everywhere();
            slow.step(&pins);
            assert_eq!(fast.outputs(), slow.outputs(), "cycle {t} of {config:?}");
        }
        assert_eq!(fast.counters(), slow.counters());
    }
}

/// Lookups during the sweep after a reset miss, and fills are not kept.
#[test]
fn nothing_is_cached_during_the_sweep() {
    let mut config = table(4, Some(Cache { entries: 4096, ways: 1, ..Cache::default() }));
    if let Routing::Table(t) = &mut config.routing {
        t.lookups_per_vc = Some(2);
    }
    let mut b = Bench::new(&config);
    b.route = |a| Some((a % 4) as u8);
    for _ in 0..3 {
        b.send(0, 0, 2, 1, 0);
        assert!(b.drain(100));
    }
    assert_eq!(b.switch.counters()[0].misses, 3);
    b.sweep();
    for _ in 0..3 {
        b.send(0, 0, 2, 1, 0);
        assert!(b.drain(100));
    }
    assert_eq!((b.switch.counters()[0].misses, b.switch.counters()[0].hits), (4, 2));
}

/// The order that the reference recommends: disable, flush, change table and settings, enable. No packet is lost, and
/// none that arrives after it goes by an old route.
#[test]
fn the_topology_changes_under_traffic() {
    for config in configurations_with_settings().iter().filter(|&c| c.clone().check().unwrap().shape().cache_control())
    {
        let mut b = Bench::new(config);
        let ports = b.shape.ports;
        b.sweep();
        b.cam_latency = 40;
        b.route = |_| Some(1);
        let mut random = Random(7);
        let mut sent = 0;
        let mut traffic = |b: &mut Bench, random: &mut Random, mark: u32| {
            for port in 0..ports {
                if b.waiting[port].is_empty() && random.chance(4) {
                    b.send(port, random.below(2) as u8, sparse(random), 2, mark);
                    sent += 1;
                }
            }
            b.prepare();
        };
        let mut writes = vec![(0x30, 0), (0x34, 1)];
        if let Some(reduction) = b.shape.reduction() {
            writes.push((0x14, 0x111));
            writes.extend((!reduction.full_radix).then_some((0x1C, 0xfff)));
            writes.push((0x10, 0x141));
        }
        writes.push((0x30, 1));
        for (paddr, pwdata) in writes {
            for _ in 0..60 {
                traffic(&mut b, &mut random, 1);
                b.switch.step(&b.pins);
            }
            if (paddr, pwdata) == (0x30, 1) {
                b.route = |_| Some(2);
            }
            for penable in [false, true] {
                traffic(&mut b, &mut random, 1);
                b.pins.apb = Apb { psel: true, penable, pwrite: true, paddr, pwdata };
                b.switch.step(&b.pins);
                assert!(!b.switch.outputs().apb_pslverr);
            }
        }
        for _ in 0..300 {
            traffic(&mut b, &mut random, 2);
            b.switch.step(&b.pins);
        }
        assert!(b.drain(20_000));
        let tails = |output: usize| b.left[output].iter().filter(|(_, flit)| flit.tail);
        assert_eq!((tails(1).count() + tails(2).count(), b.drops, b.errors()), (sent, 0, [0; 6]), "{config:?}");
        assert!(!tails(1).any(|(_, flit)| flit.words[0] & 0xff == 2), "{config:?}");
        assert!(tails(2).filter(|(_, flit)| flit.words[0] & 0xff == 2).count() > 100);
    }
}

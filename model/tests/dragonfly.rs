//! Whole-switch tests of Dragonfly routing: latency, ways, virtual channels, phases, headers that are rewritten.

mod driver;

use driver::*;
use railyard_spec::registers::address;
use railyard_spec::Config;

/// A switch of 9 groups of 4 routers: nodes at ports 0 and 1, local links at 2 to 4, global ones at 5 and 6. It is
/// router 1 of group 2. Ports in the tables: router r at 2 + r (the own place left out), group g at 5 for even ones, at
/// local port 3 for odd ones, and node n at port n.
fn switch(more: &str) -> Bench {
    let text = format!(
        r#"{{"name": "d", "ports": 7, "virtual_channels": {{"unicast": 5}}, "routing": {{"kind": "dragonfly",
        "port_classes": {{"node": {{"ports": 2}}, "local": {{"ports": 3}}, "global": {{"ports": 2}}}}{more}}}}}"#
    );
    let mut b = Bench::new(&Config::from_json(&text).expect("legal"));
    b.write(address::COORDINATE, 2 << 16 | 1);
    for (router, port) in [(0, 2), (2, 3), (3, 4)] {
        b.write(entry(address::ROUTER_MAP, router), 1 << 8 | port);
    }
    for node in 0..2 {
        b.write(entry(address::NODE_MAP, node), 1 << 8 | node);
    }
    for group in (0..9).filter(|&group| group != 2) {
        b.write(entry(address::GROUP_MAP, group), 3 << 8 | if group % 2 == 0 { 5 } else { 3 });
    }
    b
}

fn entry(table: u32, number: u32) -> u32 {
    table + 4 * number
}

const ADAPTIVE: &str = r#", "vcs": {"requests": "lglgl", "replies": "lgl"}, "flexible_vcs": true,
    "random_vcs": true, "adaptive": {"valiant": "router", "in_transit": true, "contention": true, "filter": true}"#;

/// A packet of one flit with that header; gives (output, cycles, VC, header) of what leaves in the next 60 cycles.
fn sent(b: &mut Bench, port: usize, vc: u8, header: u64) -> Option<(usize, u64, u8, u64)> {
    let words = vec![header as u32, (header >> 32) as u32];
    b.waiting[port].push_back(Flit { vc, head: true, tail: true, words });
    let start = b.switch.now();
    b.run(60);
    assert!(b.switch.is_idle() && b.errors() == [0; 6]);
    let mut left = b.left.iter_mut().enumerate().flat_map(|(output, left)| left.drain(..).map(move |l| (output, l)));
    let (output, (time, flit)) = left.next()?;
    assert!(left.next().is_none());
    Some((output, time - start, flit.vc, u64::from(flit.words[0]) | u64::from(flit.words[1]) << 32))
}

/// Destination, class, phase, via: fields of [`ADAPTIVE`].
fn header(group: u64, router: u64, node: u64) -> u64 {
    group << 5 | router << 2 | node
}

const CLASS: u64 = 1 << 11;
const PHASE: u64 = 1 << 12;
const VIA: u64 = 1 << 15;

#[test]
fn an_idle_switch_needs_five_cycles() {
    let mut b = switch("");
    for (at, to) in [((2, 1, 1), 1), ((2, 3, 0), 4), ((4, 0, 0), 5), ((7, 2, 1), 3)] {
        let header = header(at.0, at.1, at.2) | 0x1234 << 20;
        assert_eq!(sent(&mut b, 0, 0, header), Some((to, 5, 0, header)));
    }
    b.send(2, 0, header(4, 0, 0), 3, 7);
    let start = b.switch.now();
    b.run(20);
    assert_eq!(b.left[5].iter().map(|l| l.0 - start).collect::<Vec<_>>(), [5, 6, 7]);
}

#[test]
fn digits_without_an_entry_are_dropped() {
    let mut b = switch("");
    assert_eq!(sent(&mut b, 3, 0, header(9, 0, 0)), None);
    b.write(entry(address::GROUP_MAP, 4), 5);
    assert_eq!(sent(&mut b, 3, 0, header(4, 0, 0)), None, "not valid");
    assert_eq!(sent(&mut b, 3, 0, header(2, 1, 3)), None, "no such node");
    assert_eq!(b.drops, 3);
}

#[test]
fn minimal_ways_climb_the_reference() {
    let mut b = switch(ADAPTIVE);
    let vc = |b: &mut Bench, port, vc, header| sent(b, port, vc, header).map(|l| (l.0, l.2));
    // Indices of lglgl lgl: local 0, 2, 4, 5, 7; global 1, 3, 6.
    assert_eq!(vc(&mut b, 0, 4, header(7, 0, 0)), Some((3, 0)), "case 2 from a node");
    assert_eq!(vc(&mut b, 2, 0, header(4, 0, 0)), Some((5, 0)), "local 0 before it");
    assert_eq!(vc(&mut b, 2, 1, header(4, 0, 0)), Some((5, 1)));
    assert_eq!(vc(&mut b, 5, 0, header(2, 3, 0)), Some((4, 1)));
    assert_eq!(vc(&mut b, 5, 1, header(2, 3, 0)), Some((4, 2)));
    assert_eq!(vc(&mut b, 5, 4, header(2, 3, 0)), Some((4, 2)), "no such VC in the reference: the highest");
    assert_eq!(vc(&mut b, 0, 0, header(7, 0, 0) | CLASS), Some((3, 3)), "a reply from a node");
    assert_eq!(vc(&mut b, 4, 3, header(4, 0, 0) | CLASS), Some((5, 2)));
    assert_eq!(vc(&mut b, 6, 2, header(2, 1, 1) | CLASS), Some((1, 1)), "to a node by class");
    // Most room and highest: the highest of equals. Lowest.
    for (rule, chosen) in [(1, 2), (2, 2), (3, 0)] {
        b.write(address::VC_RULE, rule);
        assert_eq!(vc(&mut b, 0, 0, header(2, 3, 0)), Some((4, chosen)), "rule {rule}");
    }
    b.write(address::VC_MASK_LOCAL, 0b010);
    assert_eq!(vc(&mut b, 0, 0, header(2, 3, 0)), Some((4, 1)), "by the mask");
}

#[test]
fn phases_follow_ports_and_places() {
    let mut b = switch(ADAPTIVE);
    let phase = |b: &mut Bench, port, header| sent(b, port, 0, header).map(|l| (l.0, l.3 >> 12 & 7));
    let far = header(4, 0, 0);
    assert_eq!(phase(&mut b, 0, far | 4 * PHASE), Some((5, 0)), "from a node");
    assert_eq!(phase(&mut b, 3, far), Some((5, 0)));
    assert_eq!(phase(&mut b, 3, far | PHASE), Some((5, 1)));
    assert_eq!(phase(&mut b, 3, far | 6 * PHASE), Some((5, 4)), "6 counts as 4");
    assert_eq!(phase(&mut b, 6, far | 4 * PHASE), Some((5, 3)), "by a global port");
    assert_eq!(phase(&mut b, 3, header(2, 3, 0) | PHASE), Some((4, 3)), "at home in the destination's group");
    // On the way to a via: router in the low bits, group above.
    let via = |group: u64, router: u64| 2 * PHASE | (group << 3 | router) * VIA;
    assert_eq!(phase(&mut b, 6, far | via(7, 0)), Some((3, 2)));
    assert_eq!(phase(&mut b, 6, far | via(2, 3)), Some((4, 2)), "the via's router");
    assert_eq!(phase(&mut b, 6, far | via(2, 1)), Some((5, 3)), "the via is here");
}

#[test]
fn valiant_goes_to_a_via_that_is_written_into_the_header() {
    let mut b = switch(ADAPTIVE);
    b.write(address::MISROUTING, 1);
    let (mut outputs, mut vias) = ([0; 7], [0; 9]);
    for _ in 0..60 {
        let (output, _, vc, left) = sent(&mut b, 1, 0, header(4, 0, 0)).expect("sent");
        assert_eq!((left & 0xFFF, left >> 12 & 7), (header(4, 0, 0), 2));
        let group = (left >> 18 & 63) as usize;
        assert_eq!((output, vc), (if group % 2 == 0 { 5 } else { 3 }, 0));
        outputs[output] += 1;
        vias[group] += 1;
    }
    assert!(outputs[5] > 10 && outputs[3] > 10 && vias[2] == 0, "{outputs:?} {vias:?}");
    // In the own group a router of it.
    for _ in 0..20 {
        let (output, _, _, left) = sent(&mut b, 1, 0, header(2, 3, 0)).expect("sent");
        let router = (left >> 15 & 7) as usize;
        assert_eq!((left >> 18 & 63, left >> 12 & 7, output), (2, 2, [2, 9, 3, 4][router]));
    }
    let at_node = header(2, 1, 1);
    assert_eq!(sent(&mut b, 0, 0, at_node).map(|l| (l.0, l.3)), Some((1, at_node | 3 * PHASE)));
}

/// Each legal VC with room is as likely.
#[test]
fn a_random_vc_is_one_of_those_with_room() {
    let mut b = switch(ADAPTIVE);
    b.write(address::VC_RULE, 4);
    let mut drawn = [0; 5];
    for _ in 0..600 {
        let (output, _, vc, _) = sent(&mut b, 0, 0, header(2, 3, 0)).expect("sent");
        assert_eq!(output, 4);
        drawn[vc as usize] += 1;
    }
    assert!(drawn[..3].iter().all(|count| (160..240).contains(count)) && drawn[3..] == [0, 0], "{drawn:?}");
    b.write(address::VC_MASK_LOCAL, 0b101);
    let vcs: Vec<u8> = (0..40).filter_map(|_| sent(&mut b, 0, 0, header(2, 3, 0))).map(|left| left.2).collect();
    assert!(vcs.len() == 40 && vcs.contains(&0) && vcs.contains(&2) && !vcs.contains(&1), "{vcs:?}");
}

/// The minimal output is held up: packets find ways round it, by each trigger, and escape when they have waited long.
#[test]
fn packets_go_round_a_full_output() {
    for (mode, trigger, goes_round) in
        [(0, 0, false), (2, 0, true), (3, 0, true), (3, 1, true), (3, 2, true), (3, 3, true)]
    {
        let mut b = switch(ADAPTIVE);
        b.write(address::MISROUTING, mode | 2 << 4 | 1 << 8 | trigger << 12);
        b.write(address::CONTENTION, 2 | 2 << 8 | 3 << 16);
        b.write(address::PATIENCE, 200);
        b.pace[5] = 40;
        for i in 0..200 {
            for port in 0..2 {
                let vc = i % 5;
                let header = header(4, 1, 0);
                b.send(port, vc, header, 2, 0);
            }
        }
        b.run(4000);
        let left: Vec<usize> = b.left.iter().map(Vec::len).collect();
        let others = left[2] + left[3] + left[4] + left[6];
        assert_eq!(others > 100, goes_round, "mode {mode}, trigger {trigger}: {left:?}");
        assert_eq!(others > 0, goes_round);
        let bits = |flit: &Flit| flit.words[0] >> 12 & 7;
        let heads = |output: usize| b.left[output].iter().filter(|l| l.1.head).map(|l| bits(&l.1));
        match mode {
            3 => {
                assert!((2..5).flat_map(heads).all(|phase| phase == 1) && heads(6).all(|phase| phase == 0));
                assert!(heads(6).count() > 0);
            }
            2 => assert!((2..5).chain([6]).flat_map(heads).all(|phase| phase == 2)),
            _ => {}
        }
    }
}

/// A packet on the way to a via whose output is full gives the via up after three ticks, and is settled.
#[test]
fn who_waits_long_escapes() {
    for (tick, output) in [(20, 5), (0, 3)] {
        let mut b = switch(ADAPTIVE);
        b.write(address::PATIENCE, tick);
        b.write(address::VC_MASK_LOCAL, 0);
        let via = 2 * PHASE | (7 << 3) * VIA;
        b.waiting[6].push_back(Flit { vc: 0, head: true, tail: true, words: vec![(header(4, 0, 0) | via) as u32, 0] });
        b.run(200);
        assert_eq!(b.left[output].len(), usize::from(tick > 0), "tick {tick}");
        if tick > 0 {
            let (time, flit) = &b.left[5][0];
            assert_eq!((flit.words[0] >> 12 & 7, flit.vc), (4, 1), "settled, above global 0");
            assert!(*time > 40);
        } else {
            assert!(!b.switch.is_idle());
        }
    }
}

//! Dragonfly routing through the whole switch, at its pins.

use super::at_pins::{drive, write, Beat};
use super::*;
use crate::rtl::Bench;
use railyard_spec::registers::address;

/// A switch of a Dragonfly of h = 2: two nodes, three local and two global links.
pub fn config(name: &str, vcs: u32, routing: &str) -> CheckedConfig {
    Config::from_json(&format!(
        r#"{{"name": "{name}", "ports": 7, "flit_bits": 32, "virtual_channels": {{"unicast": {vcs}}}, "buffer_flits": 8,
            "packet": {{"max_flits": 4}}, "routing": {{"kind": "dragonfly", "group_bits": 4, "router_bits": 2,
            "node_bits": 1, "port_classes": {{"node": {{"ports": 2}}, "local": {{"ports": 3}},
            "global": {{"ports": 2}}}}{routing}}}}}"#
    ))
    .unwrap()
}

#[test]
fn dragonflies_have_the_pins_of_the_contract() {
    check_pins(&config("fly_minimal", 2, ""));
    check_pins(&config("fly_replies", 4, r#", "vcs": {"requests": "lgl", "replies": "lgl"}"#));
    let adaptive = |name: &str, vcs, parts: &str| {
        config(name, vcs, &format!(r#", "vcs": {{"requests": "lglgl"}}, "adaptive": {parts}"#))
    };
    check_pins(&adaptive("fly_to_group", 3, r#"{"valiant": "group"}"#));
    check_pins(&adaptive("fly_to_router", 3, r#"{"valiant": "router"}"#));
    check_pins(&adaptive("fly_in_transit", 3, r#"{"in_transit": true}"#));
    check_pins(&config(
        "fly_all",
        5,
        r#", "vcs": {"requests": "lglgl", "replies": "lgl"}, "flexible_vcs": true,
            "adaptive": {"valiant": "router", "in_transit": true, "contention": true}"#,
    ));
    check_pins(&config("fly_rules", 3, r#", "vcs": {"requests": "lglgl"}, "flexible_vcs": true"#));
}

/// Router 1 of group 4, written as `network` would: entries of its group, and of two other groups.
pub fn started(config: &CheckedConfig) -> Bench<Switch> {
    let mut bench = Bench::new(switch(&config.shape()), |b| &mut b.clock);
    bench.reset.next = true;
    bench.cycle();
    bench.reset.next = false;
    let (valid, last) = (1 << 8, 1 << 9);
    write(&mut bench, address::COORDINATE, 4 << 16 | 1);
    for (router, port) in [(0, 2), (2, 3), (3, 4)] {
        write(&mut bench, address::ROUTER_MAP + 4 * router, valid | port);
    }
    (0..2).for_each(|node| write(&mut bench, address::NODE_MAP + 4 * node, valid | node));
    write(&mut bench, address::GROUP_MAP + 4 * 7, valid | last | 5);
    write(&mut bench, address::GROUP_MAP + 4 * 2, valid | last | 3);
    bench
}

/// A packet of three flits comes by `from` on VC `vc`; port, VC and flit of the header that leaves, which is there
/// after five cycles.
pub fn pass(bench: &mut Bench<Switch>, from: usize, vc: usize, header: u64) -> (usize, usize, u64) {
    let leaves: Vec<Vec<(usize, Beat)>> = (0..9)
        .map(|cycle| {
            let flits = [(vc, true, false, header), (vc, false, false, 11), (vc, false, true, 12)];
            drive(bench, from, flits.get(cycle).copied());
            bench.settle();
            let beat = |o: usize| {
                let tx = &bench.tx[o];
                let flit = tx.flit.val().to_u128() as u64;
                tx.valid.val().then(|| (o, (tx.vc.val().index(), tx.head.val(), tx.tail.val(), flit)))
            };
            let beats = (0..7).filter_map(beat).collect();
            bench.cycle();
            beats
        })
        .collect();
    let counts: Vec<usize> = leaves.iter().map(Vec::len).collect();
    assert_eq!(counts, [0, 0, 0, 0, 0, 1, 1, 1, 0], "{leaves:?}");
    let (port, (vc, head, _, flit)) = leaves[5][0];
    assert!(head && leaves[6][0] == (port, (vc, false, false, 11)) && leaves[7][0] == (port, (vc, false, true, 12)));
    (port, vc, flit)
}

#[test]
fn a_header_leaves_after_five_cycles_on_the_vc_of_the_rule() {
    let config = config("fly", 3, r#", "vcs": {"requests": "lglgl"}"#);
    let shape = config.shape();
    let layout = shape.dragonfly().unwrap().header();
    let mut bench = started(&config);
    let (node, local, global) = (1, 2, 5);
    // l0 g1 l2 g3 l4, by the rule next: from, VC; destination; port, VC.
    for (from, vc, to, expected) in [
        (node, 2, (7, 0, 0), (5, 0)),
        (node, 0, (2, 0, 0), (3, 0)),
        (node, 0, (4, 2, 0), (3, 0)),
        (node, 0, (4, 1, 0), (0, 0)),
        (local, 0, (7, 0, 0), (5, 0)),
        (local, 1, (7, 3, 1), (5, 1)),
        (global, 0, (4, 3, 1), (4, 1)),
        (global, 1, (4, 0, 1), (2, 2)),
        (global, 1, (4, 1, 1), (1, 0)),
        // Case 2 allows local VCs 0 and 1 only, and neither is above: the highest.
        (global, 1, (2, 1, 1), (3, 1)),
    ] {
        let header = layout.destination(to.0, to.1, to.2) | 5 << 20;
        assert_eq!(pass(&mut bench, from, vc, header), (expected.0, expected.1, header), "{from} {vc} {to:?}");
    }
}

#[test]
fn a_header_leaves_on_the_vc_that_a_rule_prefers() {
    let config = config("fly", 3, r#", "vcs": {"requests": "lglgl"}, "flexible_vcs": true"#);
    let shape = config.shape();
    let layout = shape.dragonfly().unwrap().header();
    let mut bench = started(&config);
    // Nothing is reported free, so each packet of three flits leaves its VC five places. A hop to the router may use
    // all VCs.
    let header = layout.destination(4, 3, 0);
    for (rule, expected) in [(1, 2), (1, 1), (3, 0), (2, 2), (0, 1), (1, 2)] {
        // By rule 0 from a global port, behind VC g1.
        let from = if rule == 0 { 5 } else { 1 };
        write(&mut bench, address::VC_RULE, rule);
        let left = pass(&mut bench, from, 0, header);
        assert_eq!(left, (4, expected, header), "rule {rule}");
        if (rule, expected) == (2, 2) {
            report(&mut bench, 2, 6);
        }
        if rule == 0 {
            report(&mut bench, 1, 6);
        }
    }
}

/// All places of VC `vc` behind port 4 are free again, after so many flits.
fn report(bench: &mut Bench<Switch>, vc: usize, total: usize) {
    bench.tx_credit_valid[4 * 3 + vc].next = true;
    bench.tx_credit[4 * 3 + vc].next = total.into();
    bench.cycle();
    bench.tx_credit_valid[4 * 3 + vc].next = false;
    (0..3).for_each(|_| bench.cycle());
}

/// A packet of one flit comes by `from` on VC `vc`: cycles until its header leaves, port, VC, header. Its place behind
/// the port is reported free, as the number of flits so far.
fn send(
    bench: &mut Bench<Switch>,
    freed: &mut [u32; 21],
    from: usize,
    vc: usize,
    header: u64,
) -> (usize, usize, usize, u64) {
    for cycle in 0..300 {
        drive(bench, from, (cycle == 0).then_some((vc, true, true, header)));
        bench.settle();
        let left = (0..7).find(|&o| bench.tx[o].valid.val());
        let beat = left.map(|o| (o, bench.tx[o].vc.val().index(), bench.tx[o].flit.val().to_u128() as u64));
        bench.cycle();
        if let Some((port, vc, flit)) = beat {
            let place = 3 * port + vc;
            freed[place] += 1;
            bench.tx_credit_valid[place].next = true;
            bench.tx_credit[place].next = (freed[place] % 32).into();
            bench.cycle();
            bench.tx_credit_valid[place].next = false;
            (0..4).for_each(|_| bench.cycle());
            return (cycle, port, vc, flit);
        }
    }
    panic!("nothing left");
}

/// All of the adaptive ways: what the header says when the packet leaves, and by which port.
#[test]
fn headers_leave_with_phase_and_via() {
    let config = config(
        "fly",
        3,
        r#", "vcs": {"requests": "lglgl"},
            "adaptive": {"valiant": "router", "in_transit": true, "contention": true}"#,
    );
    let shape = config.shape();
    let layout = shape.dragonfly().unwrap().header();
    let place = |field: Option<railyard_spec::dragonfly::HeaderField>| field.unwrap().low;
    let (phase, router, group) = (place(layout.phase), place(layout.via_router), place(layout.via_group));
    let mut bench = started(&config);
    let mut freed = [0; 21];
    write(&mut bench, address::SEED, 12345);
    let header = |to: (usize, usize, usize), of: u64, via: (u64, u64)| {
        layout.destination(to.0, to.1, to.2) | of << phase | via.0 << group | via.1 << router | 3 << 24
    };
    // Minimal, from a node: a phase and a via in the header do not count, and nothing but the phase is written.
    let sent = send(&mut bench, &mut freed, 1, 0, header((7, 0, 0), 2, (3, 1)));
    assert_eq!(sent, (5, 5, 0, header((7, 0, 0), 0, (3, 1))));
    // To a via in another group, to a router of this one, at the via, and behind a global link.
    for (from, vc, came, expected) in [
        (2, 0, header((7, 0, 0), 2, (2, 1)), (3, 0, header((7, 0, 0), 2, (2, 1)))),
        (5, 0, header((7, 0, 0), 2, (4, 3)), (4, 0, header((7, 0, 0), 2, (4, 3)))),
        (5, 0, header((7, 0, 0), 2, (4, 1)), (5, 1, header((7, 0, 0), 3, (4, 1)))),
        (5, 0, header((7, 0, 0), 0, (0, 0)), (5, 1, header((7, 0, 0), 3, (0, 0)))),
        (2, 0, header((7, 0, 0), 1, (0, 0)), (5, 0, header((7, 0, 0), 1, (0, 0)))),
        (2, 0, header((4, 3, 0), 0, (0, 0)), (4, 1, header((4, 3, 0), 3, (0, 0)))),
        (2, 0, header((7, 0, 0), 6, (0, 0)), (5, 0, header((7, 0, 0), 4, (0, 0)))),
    ] {
        assert_eq!(
            send(&mut bench, &mut freed, from, vc, came),
            (5, expected.0, expected.1, expected.2),
            "{from} {came:#x}"
        );
    }
    // Valiant: the via is one to which there is a way, and the packet goes there.
    write(&mut bench, address::MISROUTING, 1);
    let mut vias = std::collections::BTreeSet::new();
    for _ in 0..12 {
        let (_, port, vc, flit) = send(&mut bench, &mut freed, 1, 0, header((7, 0, 0), 0, (0, 0)));
        let via = (flit >> group & 15, flit >> router & 3);
        assert_eq!(flit, header((7, 0, 0), 2, via));
        assert_eq!((port, vc), (if via.0 == 7 { 5 } else { 3 }, 0), "{via:?}");
        assert!(via.0 == 7 || via.0 == 2);
        vias.insert(via);
    }
    assert!(vias.len() > 3, "{vias:?}");
    let (_, port, _, flit) = send(&mut bench, &mut freed, 1, 0, header((4, 3, 1), 0, (0, 0)));
    assert_eq!((flit >> group & 15, flit >> phase & 7), (4, 2));
    assert!(port == [2, 9, 3, 4][(flit >> router & 3) as usize], "{port} {flit:#x}");
    // In transit a detoured packet leaves its group by a global link of this switch, or waits for its escape.
    write(&mut bench, address::MISROUTING, 3 | 3 << 4);
    let (_, port, vc, flit) = send(&mut bench, &mut freed, 2, 0, header((2, 0, 0), 1, (0, 0)));
    assert!(port >= 5 && vc == 0, "{port} {vc}");
    assert_eq!(flit, header((2, 0, 0), 1, (0, 0)));
    write(&mut bench, address::DETOUR_PORTS_LOW, 0);
    let (cycles, port, vc, flit) = send(&mut bench, &mut freed, 2, 0, header((2, 0, 0), 1, (0, 0)));
    assert!(cycles > 48 && cycles < 80, "{cycles}");
    assert_eq!((port, vc, flit), (3, 1, header((2, 0, 0), 1, (0, 0))));
}

/// Of a header the mark of minimal packets, and at both ends of links the totals of their flits.
#[test]
fn packets_that_turn_away_are_not_minimal() {
    let parts =
        r#", "vcs": {"requests": "lglgl"}, "adaptive": {"valiant": "group", "in_transit": true, "min_credits": true}"#;
    let config = config("fly_min_credits", 3, parts);
    check_pins(&config);
    let shape = config.shape();
    let layout = shape.dragonfly().unwrap().header();
    let (phase, mark) = (layout.phase.unwrap().low, layout.minimal.unwrap().low);
    let mut bench = started(&config);
    let mut freed = [0; 21];
    write(&mut bench, address::SEED, 12345);
    let header = |minimal: u64| layout.destination(7, 0, 0) | minimal << mark | 5 << 24;
    // By its minimal port a packet of a node is minimal, and one that came over a link stays what it was.
    for (from, came, left) in [(1, 0, 1), (1, 1, 1), (2, 0, 0), (2, 1, 1), (2, 1, 1)] {
        let (_, port, _, flit) = send(&mut bench, &mut freed, from, 0, header(came));
        assert_eq!((port, flit), (5, header(left)), "{from} {came}");
    }
    // Flits were counted where they came, and those of nodes nowhere.
    assert_eq!(bench.rx_min_credit[2 * 3].val(), 2usize);
    assert_eq!(bench.rx_credit[2 * 3].val(), 3usize);
    assert_eq!((bench.rx_min_credit[3].val(), bench.rx_credit[3].val()), (0usize.into(), 2usize.into()));
    // To a via.
    write(&mut bench, address::MISROUTING, 1);
    let (_, _, _, flit) = send(&mut bench, &mut freed, 1, 0, header(1));
    assert_eq!((flit >> mark & 1, flit >> phase & 7), (0, 2));
    // By the detour of a packet that must leave the group by a global link of this switch.
    write(&mut bench, address::MISROUTING, 3 | 3 << 4);
    let home = layout.destination(2, 0, 0) | 1 << phase | 1 << mark;
    let (_, port, _, flit) = send(&mut bench, &mut freed, 2, 0, home);
    assert!(port >= 5, "{port}");
    assert_eq!(flit, home & !(1 << mark));
    // Its escape is minimal.
    write(&mut bench, address::DETOUR_PORTS_LOW, 0);
    let (_, port, _, flit) = send(&mut bench, &mut freed, 2, 0, home);
    assert_eq!((port, flit), (3, home));
}

/// By UGAL-L, a queue of packets that are not minimal sends no packet away if minimal ones count only.
#[test]
fn places_of_other_packets_do_not_weigh() {
    let parts = r#", "vcs": {"requests": "lglgl"}, "adaptive": {"valiant": "group", "min_credits": true}"#;
    let config = config("fly_weight", 3, parts);
    let shape = config.shape();
    let layout = shape.dragonfly().unwrap().header();
    let (phase, mark) = (layout.phase.unwrap().low, layout.minimal.unwrap().low);
    for (minimal, sense, is_sent_away) in [(0, 0, true), (0, 1, false), (1, 0, true), (1, 1, true)] {
        let mut bench = started(&config);
        write(&mut bench, address::SEED, 12345);
        write(&mut bench, address::UGAL, 8);
        // Two packets stay behind port 5, without room for another one there; the third one is of a node.
        let header = layout.destination(7, 0, 0) | minimal << mark | 3 << phase;
        (0..2).for_each(|_| assert_eq!(pass(&mut bench, 2, 0, header).0, 5));
        write(&mut bench, address::MISROUTING, 2 | sense << 16);
        drive(&mut bench, 1, Some((0, true, true, layout.destination(7, 0, 0))));
        bench.cycle();
        let left = (0..60).find_map(|_| {
            drive(&mut bench, 1, None);
            bench.settle();
            let left = (0..7).find(|&o| bench.tx[o].valid.val());
            let flit = left.map(|o| bench.tx[o].flit.val().to_u128() as u64 >> phase & 7);
            bench.cycle();
            flit
        });
        assert_eq!(left, is_sent_away.then_some(2), "{minimal} {sense}");
    }
}

//! Whole-switch tests of credits of minimal packets.

mod driver;

use driver::*;
use railyard_spec::registers::address;
use railyard_spec::Config;

/// Router 1 of group 2 of 9 groups of 4 routers: nodes at ports 0 and 1, local links at 2 to 4, global ones at 5 and 6.
/// Even groups are behind port 5, odd ones behind port 3. Node n is at port n.
fn switch() -> Bench {
    let text = r#"{"name": "d", "ports": 7, "virtual_channels": {"unicast": 3}, "routing": {"kind": "dragonfly",
        "port_classes": {"node": {"ports": 2}, "local": {"ports": 3}, "global": {"ports": 2, "vcs": 2}},
        "vcs": {"requests": "lglgl"}, "flexible_vcs": true,
        "adaptive": {"valiant": "group", "in_transit": true, "min_credits": true}}}"#;
    let mut b = Bench::new(&Config::from_json(text).expect("legal"));
    b.write(address::COORDINATE, 2 << 16 | 1);
    for (router, port) in [(0, 2), (2, 3), (3, 4)] {
        b.write(address::ROUTER_MAP + 4 * router, 1 << 8 | port);
    }
    for node in 0..2 {
        b.write(address::NODE_MAP + 4 * node, 1 << 8 | node);
    }
    for group in (0..9).filter(|&group| group != 2 && group != 7) {
        b.write(address::GROUP_MAP + 4 * group, 3 << 8 | if group % 2 == 0 { 5 } else { 3 });
    }
    b
}

/// Packets for group g.
const GROUP: u64 = 1 << 5;
const PHASE: u64 = 1 << 11;
const MINIMAL: u64 = 1 << 14;

/// A packet of so many flits with that header.
fn send(b: &mut Bench, port: usize, vc: u8, header: u64, length: u32) {
    let mut flits = b.packet(vc, 0, length, 0);
    flits[0].words = vec![header as u32, 0];
    b.waiting[port].extend(flits);
}

/// Whether a packet that came by `port` with that header leaves as a minimal one.
fn leaves_minimal(b: &mut Bench, port: usize, header: u64) -> bool {
    b.left.iter_mut().for_each(Vec::clear);
    send(b, port, 0, header, 1);
    b.run(60);
    let left: Vec<_> = b.left.iter().flatten().collect();
    assert_eq!(left.len(), 1);
    u64::from(left[0].1.words[0]) & MINIMAL != 0
}

#[test]
fn a_packet_is_minimal_until_it_turns_away() {
    let mut b = switch();
    let far = 4 * GROUP;
    for (port, header, is_minimal) in [
        (0, far, true),
        (1, far | MINIMAL, true),
        (3, far, false),
        (3, far | MINIMAL, true),
        (6, far | PHASE | MINIMAL, true),
        (6, 2 * GROUP | 1 << 2, false),
    ] {
        assert_eq!(leaves_minimal(&mut b, port, header), is_minimal, "{port} {header:#x}");
    }
    b.write(address::MISROUTING, 1);
    assert!(!leaves_minimal(&mut b, 0, far) && leaves_minimal(&mut b, 3, far | MINIMAL));
}

/// Flits of minimal packets that are popped are counted at ports with a link, those of dropped packets, too.
#[test]
fn freed_flits_of_minimal_packets_are_reported() {
    let mut b = switch();
    let totals = |b: &Bench| [0, 3, 5].map(|port| b.switch.outputs().rx_min_credit[port * 3 + 1]);
    for (i, port) in [(0, 0), (1, 3), (2, 5)] {
        send(&mut b, port, 1, 4 * GROUP | MINIMAL, 3 + i);
        send(&mut b, port, 1, 4 * GROUP, 2);
        // No way leads there.
        send(&mut b, port, 1, 7 * GROUP | MINIMAL, 2);
    }
    b.run(80);
    assert!(b.switch.is_idle() && b.drops == 3);
    assert_eq!(totals(&b), [0, 4 + 2, 5 + 2]);
    assert_eq!([0, 3, 5].map(|port| b.switch.outputs().rx_credit[port * 3 + 1]), [7, 8, 9]);
}

/// UGAL-L by all packets and by minimal ones, behind an output whose next buffer holds packets.
#[test]
fn decisions_go_by_minimal_packets() {
    for (held_are_minimal, sense, go_to_vias) in [(false, 0, true), (false, 1, false), (true, 0, true), (true, 1, true)]
    {
        let mut b = switch();
        b.write(address::MISROUTING, 2 | sense << 16);
        b.hold_credits = true;
        for i in 0..7 {
            let vc = i % 2;
            send(&mut b, 6, vc, 4 * GROUP | 3 * PHASE | if held_are_minimal { MINIMAL } else { 0 }, 4);
        }
        b.run(80);
        assert_eq!(b.left[5].len(), 28);
        b.left[5].clear();
        (0..8).for_each(|_| send(&mut b, 0, 0, 4 * GROUP, 1));
        b.run(60);
        let heads: Vec<u64> = b.left.iter().flatten().map(|(_, flit)| u64::from(flit.words[0])).collect();
        let to_vias = heads.iter().filter(|header| *header / PHASE & 7 == 2).count();
        assert!(heads.len() == 8 && (to_vias > 0) == go_to_vias, "{held_are_minimal} {sense}: {to_vias}");
        assert!(heads.iter().all(|header| (header / PHASE & 7 == 2) == (header & MINIMAL == 0)));
        // What is freed counts no more.
        if held_are_minimal && sense == 1 {
            b.hold_credits = false;
            b.prepare();
            for output in 3..7 {
                for vc in 0..3 {
                    let element = output * 3 + vc;
                    b.pins.min_credit(element, b.pins.tx_credit[element]);
                }
            }
            b.switch.step(&b.pins);
            b.run(4);
            b.left.iter_mut().for_each(Vec::clear);
            b.hold_credits = true;
            send(&mut b, 0, 0, 4 * GROUP, 1);
            b.run(20);
            assert_eq!(b.left[5].len(), 1);
        }
    }
}

/// A total that is more than what was sent is ignored, and a VC that is not built gives no error.
#[test]
fn impossible_totals_are_ignored() {
    let mut b = switch();
    b.write(address::MISROUTING, 2 | 1 << 16);
    let unbuilt = 5 * 3 + 2;
    for value in 0..120 {
        b.prepare();
        b.pins.credit(unbuilt, value);
        b.pins.min_credit(unbuilt, value);
        b.pins.credit(5 * 3, 0);
        b.pins.min_credit(5 * 3, 1 + value % 60);
        b.switch.step(&b.pins);
        assert_eq!(b.errors(), [0; 6]);
    }
    assert!(leaves_minimal(&mut b, 0, 4 * GROUP));
    b.prepare();
    b.pins.receive(5, 2, true, true, &[0, 0]);
    b.switch.step(&b.pins);
    assert_eq!((b.errors()[0], b.switch.is_idle()), (1 << 5, true));
}

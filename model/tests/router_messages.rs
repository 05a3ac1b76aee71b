//! Whole-switch tests of messages between the routers of a Dragonfly's group: counts of packets for groups, and
//! saturated global links.

mod driver;

use driver::*;
use railyard_spec::registers::{address, registers};
use railyard_spec::router_message::{RouterMessage, RouterMessageKind};
use railyard_spec::Config;

/// Router 1 of group 2 of 9 groups of 4 routers: nodes at ports 0 and 1, local links at 2 to 4, global ones at 5 and 6.
/// Even groups are behind port 5. Odd ones are behind router 2 at port 3, group g by its link (g - 1) / 2 modulo 2.
fn switch(more: &str) -> Bench {
    let text = format!(
        r#"{{"name": "d", "ports": 7, "virtual_channels": {{"unicast": 3}}, "counters": {{}}, "routing": {{
        "kind": "dragonfly", "port_classes": {{"node": {{"ports": 2}}, "local": {{"ports": 3}}, "global": {{"ports":
        2}}}}, "vcs": {{"requests": "lglgl"}}, "flexible_vcs": true, "adaptive": {{"valiant": "group", "in_transit":
        true, "contention": true, {more}}}}}}}"#
    );
    let mut b = Bench::new(&Config::from_json(&text).expect("legal"));
    b.write(address::COORDINATE, 2 << 16 | 1);
    for (router, port) in [(0, 2), (2, 3), (3, 4)] {
        b.write(address::ROUTER_MAP + 4 * router, 1 << 8 | port);
    }
    for group in (0..9).filter(|&group| group != 2) {
        let link = if text.contains("saturation") { (group - group % 2) / 2 % 2 } else { 0 };
        b.write(address::GROUP_MAP + 4 * group, link << 16 | 3 << 8 | if group % 2 == 0 { 5 } else { 3 });
    }
    b
}

fn header(group: u64) -> u64 {
    group << 5
}

/// Packets to a group from both nodes, one after the other: how many left by each output.
fn spread(b: &mut Bench, group: u64) -> [usize; 7] {
    // A message is taken, and the scan comes to each group.
    b.run(16);
    b.left.iter_mut().for_each(Vec::clear);
    for i in 0..40 {
        b.send(i % 2, 0, header(group), 1, 0);
        b.run(12);
    }
    std::array::from_fn(|output| b.left[output].len())
}

fn counts(payload: u64) -> RouterMessage {
    RouterMessage { kind: RouterMessageKind::Counts, index: 0, payload }
}

fn saturation(payload: u64) -> RouterMessage {
    RouterMessage { kind: RouterMessageKind::Saturation, index: 0, payload }
}

fn counted(b: &mut Bench, name: &str, port: u32) -> u32 {
    let at = registers(&b.shape).iter().find(|register| register.name == name).expect("a counter").address;
    b.write(address::COUNTERS, 1);
    b.read(at + 4 * port)
}

/// Front packets of nodes and global ports are counted, each for its group, and told in a round of each period.
#[test]
fn a_router_tells_how_many_packets_are_for_each_group() {
    let mut b = switch(r#""ectn": true"#);
    b.write(address::ECTN, 90 << 16 | 10);
    // No VC is legal, so that packets stay.
    b.write(address::VC_MASK_LOCAL, 0);
    b.write(address::VC_MASK_GLOBAL, 0);
    for (port, vc, group) in [(0, 0, 4), (0, 1, 4), (1, 2, 7), (5, 0, 4), (6, 1, 7), (6, 2, 7), (3, 0, 4), (4, 1, 7)] {
        b.send(port, vc, header(group), 2, 0);
    }
    b.run(60);
    b.router_messages.iter_mut().for_each(Vec::clear);
    b.run(900);
    for port in 2..5 {
        let messages = &b.router_messages[port];
        assert!((9..=11).contains(&messages.len()), "{messages:?}");
        assert!(messages.iter().all(|(_, message)| *message == counts(3 << 16 | 3 << 28)), "{messages:?}");
        let gaps: Vec<u64> = messages.windows(2).map(|pair| pair[1].0 - pair[0].0).collect();
        assert!(gaps.iter().all(|gap| gap % 9 == 0 && (81..=99).contains(gap)), "whole rounds of nine: {gaps:?}");
    }
    assert!([0, 1, 5, 6].iter().all(|&port| b.router_messages[port].is_empty()));
    let sent = counted(&mut b, "tx_messages", 3) as usize;
    assert!(sent >= b.router_messages[3].len() && counted(&mut b, "tx_messages", 5) == 0);
}

/// What all routers together have for a group makes its packets leave the minimal way at their source.
#[test]
fn counts_of_others_send_packets_away_at_the_source() {
    let mut b = switch(r#""ectn": true"#);
    b.write(address::MISROUTING, 3 | 4 << 12);
    b.write(address::ECTN, 100 << 16 | 20);
    assert_eq!(spread(&mut b, 4), [0, 0, 0, 0, 0, 40, 0]);
    b.tell(2, counts(15 << 16), 0);
    assert_eq!(spread(&mut b, 4), [0, 0, 0, 0, 0, 40, 0], "below the threshold");
    b.tell(4, counts(5 << 16), 1 << 30);
    assert_eq!(spread(&mut b, 4), [0, 0, 0, 0, 0, 40, 0], "a bad message has no effect");
    b.tell(4, counts(5 << 16), 0);
    let [.., minimal, other] = spread(&mut b, 4);
    assert!(minimal + other == 40 && other > 10, "{minimal} {other}");
    assert_eq!(spread(&mut b, 8), [0, 0, 0, 0, 0, 40, 0], "another group");
    b.left.iter_mut().for_each(Vec::clear);
    for _ in 0..20 {
        b.send(2, 0, header(4), 1, 0);
        b.run(12);
    }
    assert_eq!((b.left[5].len(), b.left[6].len()), (20, 0), "not from a local port");
    b.write(address::MISROUTING, 3 | 1 << 12);
    assert_eq!(spread(&mut b, 4), [0, 0, 0, 0, 0, 40, 0], "by another trigger");
    b.write(address::MISROUTING, 3 | 4 << 12);
    b.tell(2, counts(0), 0);
    assert_eq!(spread(&mut b, 4), [0, 0, 0, 0, 0, 40, 0]);
    assert_eq!([2, 4].map(|port| counted(&mut b, "rx_messages", port)), [2, 1]);
    assert_eq!([2, 4].map(|port| counted(&mut b, "bad_messages", port)), [0, 1]);
}

/// A packet goes to a via if its global link is told to be saturated: that link of that router.
#[test]
fn saturated_links_of_others_send_packets_to_vias() {
    let mut b = switch(r#""saturation": true"#);
    b.write(address::MISROUTING, 4);
    let vias = |b: &Bench| {
        let heads = b.left.iter().flatten().filter(|(_, flit)| flit.head);
        heads.filter(|(_, flit)| flit.words[0] >> 11 & 7 == 2).count()
    };
    spread(&mut b, 7);
    assert_eq!(vias(&b), 0);
    b.tell(3, saturation(0b10), 0);
    spread(&mut b, 7);
    assert_eq!(vias(&b), 40, "group 7 is behind link 1");
    spread(&mut b, 5);
    assert_eq!(vias(&b), 0, "group 5 is behind link 0");
    b.tell(2, saturation(0b01), 0);
    b.tell(3, saturation(0b00), 1 << 20);
    spread(&mut b, 7);
    assert_eq!(vias(&b), 40, "another router, and a bad message");
    b.tell(3, saturation(0b01), 0);
    spread(&mut b, 7);
    assert_eq!(vias(&b), 0);
}

/// A router finds its own saturated links: packets for them go to vias, and the others are told.
#[test]
fn a_router_tells_which_of_its_links_are_saturated() {
    let mut b = switch(r#""saturation": true"#);
    b.run(600);
    let cycles: Vec<u64> = b.router_messages[2].iter().map(|(cycle, _)| *cycle).collect();
    assert!(cycles.windows(2).all(|pair| pair[1] - pair[0] == 256) && cycles.len() == 2, "{cycles:?}");
    assert!(b.router_messages[2].iter().all(|(_, message)| *message == saturation(0)));
    b.write(address::SATURATION, 30 << 24 | 4 << 8 | 4);
    b.pace[5] = 40;
    for _ in 0..60 {
        b.send(0, 0, header(4), 4, 0);
        b.send(1, 1, header(4), 4, 0);
    }
    b.run(400);
    let messages = b.router_messages[4].clone();
    assert_eq!(messages.last().map(|(_, message)| *message), Some(saturation(0b01)), "{messages:?}");
    assert!(messages.windows(2).all(|pair| pair[1].0 - pair[0].0 > 30), "{messages:?}");
    let vias =
        |b: &Bench| b.left.iter().flatten().filter(|(_, flit)| flit.head && flit.words[0] >> 11 & 7 == 2).count();
    let before = vias(&b);
    b.write(address::UGAL, 1023 << 8 | 15);
    b.write(address::MISROUTING, 4);
    b.run(200);
    assert!(vias(&b) > before + 5, "not by its queue, which is short");
}

/// Router messages and barrier messages share the control VC.
#[test]
fn barrier_messages_go_first() {
    let text = r#"{"name": "d", "ports": 7, "virtual_channels": {"unicast": 3, "barrier": 1}, "barrier": {"groups": 2},
        "routing": {"kind": "dragonfly", "port_classes": {"node": {"ports": 2}, "local": {"ports": 3}, "global":
        {"ports": 2}}, "vcs": {"requests": "lglgl"}, "adaptive": {"valiant": "group", "in_transit": true, "contention":
        true, "ectn": true, "saturation": true}}}"#;
    let mut b = Bench::new(&Config::from_json(text).expect("legal"));
    b.write(address::ECTN, 1 << 16 | 10);
    b.barrier_group(0, 0b11100, None);
    b.run(100);
    let sent = b.router_messages[3].len();
    assert!(sent >= 9, "a round of nine cycles each time: {sent}");
    for sequence in 0..4 {
        for port in 2..5 {
            let arrival = railyard_spec::barrier::MessageKind::Arrival;
            let message = railyard_spec::barrier::Message { kind: arrival, group: 0, sequence };
            b.prepare();
            b.barrier_flit(port, true, true, message.encode());
            let pins = b.pins.clone();
            b.switch.step(&pins);
        }
        b.run(40);
    }
    for port in 2..5 {
        let completions = b.messages[port]
            .iter()
            .filter(|(_, message)| message.kind == railyard_spec::barrier::MessageKind::Completion);
        assert_eq!(completions.count(), 4);
        assert!(b.router_messages[port].len() > sent + 10);
    }
}

//! Whole-switch tests of which packet gets an output in a Dragonfly: policies, packets in transit first, ages.

mod driver;

use driver::*;
use railyard_spec::registers::address;
use railyard_spec::Config;

/// Bits of an age.
const AGE_BITS: u32 = 8;
const GREATEST: u64 = (1 << AGE_BITS) - 1;

/// A switch whose packets all leave by port 5: nodes at ports 0 and 1, local links at 2 to 4, global ones at 5 and 6.
fn switch(policy: &str) -> Bench {
    let text = format!(
        r#"{{"name": "d", "ports": 7, "virtual_channels": {{"unicast": 3}}, "routing": {{"kind": "dragonfly",
        "port_classes": {{"node": {{"ports": 2}}, "local": {{"ports": 3}}, "global": {{"ports": 2}}}},
        "age_bits": {AGE_BITS}, "arbitration": {{"policy": "{policy}", "transit_first": true}}}}}}"#
    );
    let mut b = Bench::new(&Config::from_json(&text).expect("legal"));
    b.write(address::COORDINATE, 2 << 16 | 1);
    b.write(address::GROUP_MAP + 4 * 4, 3 << 8 | 5);
    b
}

const POLICIES: [&str; 3] = ["round_robin", "least_recent", "oldest"];

/// Where the age stands.
fn low(b: &Bench) -> u32 {
    b.shape.dragonfly().expect("a Dragonfly").header().age.expect("ages").low
}

/// A packet of group 4 with an age.
fn send(b: &mut Bench, port: usize, vc: u8, age: u64, length: u32) {
    let (header, low) = (4 << 5, low(b));
    let mut flits = b.packet(vc, header, length, port as u32);
    flits[0].words[0] |= (age << low) as u32;
    b.waiting[port].extend(flits);
}

/// Ages of the packets that have left by port 5, and the cycles.
fn ages(b: &mut Bench) -> Vec<(u64, u64)> {
    let low = low(b);
    let heads = b.left[5].drain(..).filter(|(_, flit)| flit.head);
    heads.map(|(cycle, flit)| (u64::from(flit.words[0] >> low) & GREATEST, cycle)).collect()
}

/// Inputs, as the marks say, of the packets that have left by port 5.
fn inputs(b: &mut Bench) -> Vec<u32> {
    b.left[5].drain(..).filter(|(_, flit)| flit.head).map(|(_, flit)| flit.words[1]).collect()
}

#[test]
fn packets_age_in_the_switch_and_on_the_link() {
    for policy in POLICIES {
        let mut b = switch(policy);
        for (age, delay, expected) in
            [(0, 1, 5), (7, 1, 12), (7, 200, 211), (250, 1, 255), (255, 9, 255), (100, 0, 104)]
        {
            b.write(address::LINK_DELAY + 4 * 5, delay);
            send(&mut b, 3, 1, age, 2);
            b.run(20);
            assert_eq!(
                ages(&mut b).iter().map(|left| left.0).collect::<Vec<_>>(),
                [expected],
                "{policy} {age} {delay}"
            );
        }
        // Whatever waits, in the buffer or in its selection register, ages by a cycle a cycle.
        let start = b.switch.now();
        b.write(address::LINK_DELAY + 4 * 5, 1);
        (0..4).for_each(|_| send(&mut b, 3, 1, 0, 8));
        (0..4).for_each(|_| send(&mut b, 4, 1, 0, 8));
        let sent = b.switch.now();
        assert!(sent - start < 10);
        b.run(100);
        let left = ages(&mut b);
        assert_eq!(left.len(), 8);
        // A packet of either port comes every 8 cycles.
        let mut expected: Vec<u64> = (0..8).map(|packet| left[packet].1 - left[packet].0).collect();
        expected.sort_unstable();
        let came: Vec<u64> = (0..8).map(|packet| sent + packet / 2 * 8).collect();
        assert_eq!(expected, came, "{policy}");
    }
}

#[test]
fn a_head_that_ends_a_packet_stays_as_it_came() {
    let mut b = switch("oldest");
    let low = low(&b);
    send(&mut b, 3, 1, 9, 3);
    b.waiting[3].truncate(2);
    send(&mut b, 3, 1, 33, 1);
    b.run(30);
    let words: Vec<u32> = b.left[5].iter().map(|(_, flit)| flit.words[0] >> low & GREATEST as u32).collect();
    assert_eq!((words.len(), words[0], words[2]), (3, 14, 33));
}

#[test]
fn the_oldest_packet_goes_first() {
    let mut b = switch("oldest");
    // The first packet holds the output; the others wait.
    send(&mut b, 2, 0, 0, 8);
    b.run(2);
    for (port, vc, age) in [(0, 0, 20), (1, 2, 120), (3, 1, 60), (4, 0, 200), (6, 2, 60)] {
        send(&mut b, port, vc, age, 2);
    }
    b.run(60);
    assert_eq!(inputs(&mut b), [2, 4, 1, 3, 6, 0], "of equals the lower number");
    // Who waits ages, up to the greatest age; among those that have it, who has waited longer goes first.
    send(&mut b, 2, 0, 0, 8);
    send(&mut b, 6, 0, GREATEST - 6, 1);
    b.run(2);
    send(&mut b, 1, 0, GREATEST, 1);
    b.run(4);
    send(&mut b, 3, 0, GREATEST, 1);
    b.run(60);
    assert_eq!(inputs(&mut b), [2, 1, 6, 3]);
}

#[test]
fn the_least_recent_goes_first() {
    for (policy, next) in [("round_robin", [0, 2]), ("least_recent", [2, 0])] {
        let mut b = switch(policy);
        for port in [0, 4] {
            send(&mut b, port, 0, 0, 1);
            b.run(20);
        }
        [0, 2].into_iter().for_each(|port| send(&mut b, port, 0, 0, 2));
        b.run(30);
        assert_eq!(inputs(&mut b)[2..], next, "{policy}: among inputs");
        let mut b = switch(policy);
        for vc in [0, 2] {
            send(&mut b, 3, vc, 0, 1);
            b.run(20);
        }
        send(&mut b, 3, 0, 0, 2);
        send(&mut b, 4, 1, 0, 2);
        b.run(30);
        assert_eq!(inputs(&mut b)[2..], next.map(|n| if n == 0 { 3 } else { 4 }), "{policy}: among VCs");
    }
}

#[test]
fn packets_in_transit_go_first() {
    for policy in POLICIES {
        for first in [0, 1] {
            let mut b = switch(policy);
            b.write(address::ARBITRATION, first);
            for _ in 0..20 {
                send(&mut b, 0, 1, 200, 2);
                send(&mut b, 3, 0, 0, 2);
                send(&mut b, 4, 1, 0, 2);
            }
            b.run(40);
            let early = inputs(&mut b);
            let of_node = early[3..].iter().filter(|&&input| input == 0).count();
            assert!(early.len() > 12 && (of_node == 0) == (first == 1), "{policy} {first}: {early:?}");
            // Nodes get what is left.
            b.run(200);
            assert_eq!(inputs(&mut b).len() + early.len(), 60);
        }
    }
}

/// Each set of arbiters keeps its own order.
#[test]
fn arbiters_of_nodes_are_others() {
    for policy in ["round_robin", "least_recent"] {
        let mut b = switch(policy);
        let race = |b: &mut Bench, ports: [usize; 2]| {
            ports.into_iter().for_each(|port| send(b, port, 0, 0, 1));
            b.run(30);
            inputs(b)[0]
        };
        b.write(address::ARBITRATION, 1);
        assert_eq!(race(&mut b, [0, 1]), 0, "the second set");
        send(&mut b, 0, 0, 0, 1);
        b.run(30);
        inputs(&mut b);
        // The first set has had no winner: 0 goes first once more. In the second one 1 would.
        b.write(address::ARBITRATION, 0);
        assert_eq!(race(&mut b, [0, 1]), 0, "{policy}: the first set");
        b.write(address::ARBITRATION, 1);
        assert_eq!(race(&mut b, [0, 1]), 1, "{policy}: the second set");
    }
}

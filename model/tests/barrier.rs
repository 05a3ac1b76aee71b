//! Barriers on whole switches: the sentences of section 11 of the switch reference, one by one.

mod driver;

use driver::*;
use railyard_bench::barrier_node::{BarrierNode, Patience};
use railyard_spec::barrier::MessageKind::{Acknowledgement, Arrival, Completion, Urge};
use railyard_spec::barrier::{Message, MessageKind};
use railyard_spec::registers::address::*;
use railyard_spec::{Config, Crossbar, LinkArbitration, Routing, SourceRouting};

const GROUPS: u32 = 5;

/// A source-routed switch with one unicast VC (0), the mixed one if it is to have multicast, and the barrier VC.
fn barrier(ports: u32, mixed: u32) -> Config {
    let mut c = source(ports);
    c.routing = Routing::Source(SourceRouting { hops: 3 });
    c.virtual_channels.unicast = 1;
    (c.virtual_channels.mixed, c.virtual_channels.barrier) = (mixed, 1);
    (c.packet.max_flits, c.buffer_flits) = (8, Some(32));
    c.barrier.groups = GROUPS;
    c.multicast.groups = 4;
    c
}

fn message(kind: MessageKind, group: u8, sequence: u8) -> Message {
    Message { kind, group, sequence }
}

/// A cycle in which these messages come.
fn come(b: &mut Bench, messages: &[(usize, Message)]) {
    b.prepare();
    for (port, message) in messages {
        b.barrier_flit(*port, true, true, message.encode());
    }
    b.switch.step(&b.pins);
}

/// Messages that left since cycle `start`: cycle after it, output, message; by cycle and output. Forgets them.
fn left(b: &mut Bench, start: u64) -> Vec<(u64, usize, Message)> {
    let mut list: Vec<_> = (0..b.shape.ports)
        .flat_map(|port| std::mem::take(&mut b.messages[port]).into_iter().map(move |(t, m)| (t - start, port, m)))
        .collect();
    list.sort_by_key(|&(t, port, _)| (t, port));
    list
}

fn status(b: &mut Bench, group: u32) -> u32 {
    b.read(BARRIER_STATUS + 4 * group)
}

const WAITING: u32 = 1 << 8;
const ACKNOWLEDGED: u32 = 1 << 9;
const MISCONFIGURED: u32 = 1 << 16;
const INACTIVE: u32 = 1 << 17;
const PORT: u32 = 1 << 18;
const NUMBER: u32 = 1 << 19;

/// The diagram: the last leaf's arrival at the pins in cycle 0, the completion at all leaves in 5, its acknowledgement
/// in 4.
#[test]
fn a_root_completes_in_5_cycles() {
    let mut b = Bench::new(&barrier(4, 0));
    b.barrier_group(2, 0b1011, None);
    come(&mut b, &[(0, message(Arrival, 2, 0)), (3, message(Arrival, 2, 0))]);
    b.run(10);
    let acknowledgement = message(Acknowledgement, 2, 0);
    let now = b.switch.now();
    assert_eq!(left(&mut b, now - 11), [(4, 0, acknowledgement), (4, 3, acknowledgement)]);
    assert_eq!(b.read(BARRIER_ARRIVED_LOW + 8), 0b1001);
    let start = b.switch.now();
    come(&mut b, &[(1, message(Arrival, 2, 0))]);
    b.run(10);
    let completion = message(Completion, 2, 0);
    assert_eq!(
        left(&mut b, start),
        [(4, 1, acknowledgement), (5, 0, completion), (5, 1, completion), (5, 3, completion)]
    );
    assert_eq!((status(&mut b, 2), b.read(BARRIER_COUNTS + 8), b.read(BARRIER_ARRIVED_LOW + 8)), (1, 1, 0));
    assert!(b.switch.is_idle() && b.errors() == [0; 6]);
}

/// Another switch sends an arrival to its parent in cycle 5, and passes the completion on when it comes.
#[test]
fn another_switch_asks_its_parent() {
    let mut b = Bench::new(&barrier(4, 0));
    b.barrier_group(0, 0b0101, Some(3));
    let start = b.switch.now();
    come(&mut b, &[(0, message(Arrival, 0, 0)), (2, message(Arrival, 0, 0))]);
    b.run(8);
    let acknowledgement = message(Acknowledgement, 0, 0);
    let expected = [(4, 0, acknowledgement), (4, 2, acknowledgement), (5, 3, message(Arrival, 0, 0))];
    assert_eq!(left(&mut b, start), expected);
    assert_eq!(status(&mut b, 0), WAITING);
    come(&mut b, &[(3, acknowledgement)]);
    b.run(3);
    assert_eq!(status(&mut b, 0), WAITING | ACKNOWLEDGED);
    let start = b.switch.now();
    come(&mut b, &[(3, message(Completion, 0, 0))]);
    b.run(8);
    // Received 1, complete 2, message register 3, at the pins 4.
    assert_eq!(left(&mut b, start), [(4, 0, message(Completion, 0, 0)), (4, 2, message(Completion, 0, 0))]);
    assert_eq!(status(&mut b, 0), 1);
}

/// A group of one leaf and a parent, with these time-outs, that waits since the arrival came in the cycle that is
/// given.
fn waiting(retransmit: u32, urge: u32, scale: u32) -> (Bench, u64) {
    let mut b = Bench::new(&barrier(4, 0));
    b.write(BARRIER_TIMERS, retransmit | urge << 8 | scale << 16);
    b.barrier_group(0, 0b0001, Some(3));
    let start = b.switch.now();
    come(&mut b, &[(0, message(Arrival, 0, 0))]);
    (b, start)
}

/// Cycles between what leaves by the parent, of that kind.
fn gaps(b: &Bench, kind: MessageKind) -> Vec<u64> {
    let times: Vec<u64> = b.messages[3].iter().filter(|(_, m)| m.kind == kind).map(|&(t, _)| t).collect();
    times.windows(2).map(|pair| pair[1] - pair[0]).collect()
}

#[test]
fn an_arrival_is_sent_again_until_it_is_acknowledged() {
    let (mut b, _) = waiting(3, 0, 2);
    b.run(60);
    let arrivals = gaps(&b, Arrival);
    assert!((9..=12).contains(&arrivals[0]) && arrivals[1..].iter().all(|&gap| gap == 12), "{arrivals:?}");
    assert_eq!(b.read(BARRIER_COUNTS) >> 16 & 0xff, arrivals.len() as u32);
    come(&mut b, &[(3, message(Acknowledgement, 0, 0))]);
    b.run(10);
    b.messages[3].clear();
    b.run(100);
    assert!(b.messages[3].is_empty());
    // Limit 0: never.
    let (mut b, _) = waiting(0, 0, 0);
    b.run(3_000);
    assert_eq!(b.messages[3].len(), 1);
}

#[test]
fn a_completion_that_does_not_come_is_urged() {
    let (mut b, _) = waiting(0, 2, 3);
    come(&mut b, &[(3, message(Acknowledgement, 0, 0))]);
    b.run(100);
    let urges = gaps(&b, Urge);
    assert!(urges.len() >= 4 && urges.iter().all(|&gap| gap == 16), "{urges:?}");
    assert_eq!(b.read(BARRIER_COUNTS) >> 24, b.messages[3].iter().filter(|(_, m)| m.kind == Urge).count() as u32);
    assert!(b.messages[3].iter().all(|(_, m)| m.sequence == 0));
    come(&mut b, &[(3, message(Completion, 0, 0))]);
    b.run(10);
    b.messages[3].clear();
    b.run(100);
    assert!(b.messages[3].is_empty());
}

/// What is of the last barrier is answered with its completion, and does nothing else.
#[test]
fn late_and_repeated_messages_do_no_harm() {
    let mut b = Bench::new(&barrier(4, 0));
    b.barrier_group(1, 0b0011, None);
    // Before the first barrier there is none before it.
    come(&mut b, &[(0, message(Urge, 1, 255))]);
    b.run(6);
    assert_eq!(status(&mut b, 1), NUMBER);
    b.write(BARRIER_CLEAR, 1);
    // The same arrival twice, and an urge beside it, is one arrival with two acknowledgements.
    let start = b.switch.now();
    for kind in [Arrival, Arrival, Urge] {
        come(&mut b, &[(0, message(kind, 1, 0))]);
        b.run(6);
    }
    assert_eq!(left(&mut b, start).len(), 2);
    assert_eq!(b.read(BARRIER_ARRIVED_LOW + 4), 1);
    come(&mut b, &[(1, message(Arrival, 1, 0))]);
    b.run(10);
    b.messages.iter_mut().for_each(Vec::clear);
    for kind in [Arrival, Urge] {
        let start = b.switch.now();
        come(&mut b, &[(1, message(kind, 1, 0))]);
        b.run(6);
        assert_eq!(left(&mut b, start), [(4, 1, message(Completion, 1, 0))]);
    }
    assert_eq!((status(&mut b, 1), b.read(BARRIER_COUNTS + 4)), (1, 1));
    // Late answers of a parent.
    let (mut b, _) = waiting(0, 0, 0);
    b.run(6);
    come(&mut b, &[(3, message(Completion, 0, 0))]);
    b.run(6);
    for kind in [Acknowledgement, Completion] {
        come(&mut b, &[(3, message(kind, 0, 0))]);
        b.run(6);
    }
    assert_eq!((status(&mut b, 0), b.read(BARRIER_COUNTS)), (1, 1));
}

#[test]
fn each_wrong_message_raises_its_fault_and_does_nothing_else() {
    for (port, wrong, fault) in [
        (1, message(Arrival, 0, 0), PORT),
        (3, message(Arrival, 0, 0), PORT),
        (1, message(Urge, 0, 0), PORT),
        (0, message(Completion, 0, 0), PORT),
        (0, message(Acknowledgement, 0, 0), PORT),
        (0, message(Arrival, 0, 1), NUMBER),
        (0, message(Arrival, 0, 255), NUMBER),
        (0, message(Urge, 0, 7), NUMBER),
        (3, message(Completion, 0, 1), NUMBER),
        // Not waiting.
        (3, message(Completion, 0, 0), NUMBER),
        (3, message(Acknowledgement, 0, 0), NUMBER),
        (0, message(Arrival, 1, 0), 0),
    ] {
        let mut b = Bench::new(&barrier(4, 0));
        b.barrier_group(0, 0b0101, Some(3));
        come(&mut b, &[(port, wrong)]);
        b.run(8);
        assert_eq!(status(&mut b, 0), fault, "{wrong:?} by {port}");
        assert_eq!(status(&mut b, 1), if fault == 0 { INACTIVE } else { 0 });
        assert!(b.messages.iter().all(Vec::is_empty));
        assert_eq!(b.read(BARRIER_ARRIVED_LOW), 0);
        b.write(BARRIER_CLEAR, wrong.group as u32);
        assert_eq!(status(&mut b, wrong.group as u32), 0);
    }
}

#[test]
fn corrupt_messages_and_those_of_no_group_are_faults_of_ports() {
    let mut b = Bench::new(&barrier(4, 0));
    b.barrier_group(0, 0b1111, None);
    let good = message(Arrival, 0, 0).encode();
    for (port, head, tail, word) in
        [(0, true, false, good), (1, false, true, good), (2, true, true, good ^ 1 << 20), (3, true, true, 0)]
    {
        b.prepare();
        b.barrier_flit(port, head, tail, word);
        b.switch.step(&b.pins);
    }
    come(&mut b, &[(1, message(Arrival, GROUPS as u8, 0)), (3, message(Urge, 200, 0))]);
    b.run(5);
    assert_eq!((b.read(BARRIER_CORRUPT_LOW), b.read(BARRIER_NO_GROUP_LOW)), (0b1111, 0b1010));
    assert_eq!((status(&mut b, 0), b.read(BARRIER_ARRIVED_LOW)), (0, 0));
    b.write(BARRIER_CLEAR, 0);
    assert_eq!((b.read(BARRIER_CORRUPT_LOW), b.read(BARRIER_NO_GROUP_LOW)), (0b1111, 0b1010));
    // A fault of the cycle of the access phase wins: the message came in the cycle before.
    for penable in [false, true] {
        b.prepare();
        if !penable {
            b.barrier_flit(2, true, true, 0);
        }
        let pwdata = 1 << 16;
        b.pins.apb = railyard_model::Apb { psel: true, penable, pwrite: true, paddr: BARRIER_CLEAR as u16, pwdata };
        b.switch.step(&b.pins);
    }
    assert_eq!((b.read(BARRIER_CORRUPT_LOW), b.read(BARRIER_NO_GROUP_LOW)), (0b0100, 0));
    assert_eq!(b.errors(), [0; 6], "nothing of this concerns the input units");
    // Beyond the barrier VC there is no VC (with two bits for the VC of a flit).
    let mut b = Bench::new(&barrier(4, 1));
    b.prepare();
    b.pins.receive(1, 3, true, true, &[good, 0]);
    b.switch.step(&b.pins);
    assert_eq!(b.errors(), [0b10, 0, 0, 0, 0, 0]);
}

#[test]
fn a_group_is_misconfigured_without_leaves_or_with_its_parent_among_them() {
    let mut b = Bench::new(&barrier(4, 0));
    for (leaves, parent, misconfigured) in
        [(0, None, true), (0, Some(1), true), (0b0010, Some(1), true), (0b0010, Some(2), false), (0b0010, None, false)]
    {
        b.barrier_group(4, leaves, parent);
        assert_eq!(status(&mut b, 4), if misconfigured { MISCONFIGURED } else { 0 });
        come(&mut b, &[(1, message(Arrival, 4, 0))]);
        b.run(8);
        let expected = if misconfigured { MISCONFIGURED | INACTIVE } else { 0 };
        assert_eq!(status(&mut b, 4) & (MISCONFIGURED | INACTIVE), expected);
        assert_eq!(b.messages[1].is_empty(), misconfigured);
        b.messages.iter_mut().for_each(Vec::clear);
    }
    // The parent's field of a root means nothing.
    b.write(BARRIER_GROUP + 16, 3 | 1 << 8);
    assert_eq!(status(&mut b, 4), 0);
    b.write(BARRIER_GROUP + 16, 0);
    assert_eq!(status(&mut b, 4), 0, "a group that is not enabled is not misconfigured");
}

#[test]
fn a_write_starts_the_group_anew_and_no_other() {
    let mut b = Bench::new(&barrier(4, 0));
    for group in [0, 1] {
        b.barrier_group(group, 0b0011, None);
        for _ in 0..2 {
            let sequence = status(&mut b, group as u32) as u8;
            come(&mut b, &[0, 1].map(|port| (port, message(Arrival, group as u8, sequence))));
            b.run(8);
        }
        come(&mut b, &[(0, message(Arrival, group as u8, 2)), (1, message(Arrival, group as u8, 77))]);
        b.run(8);
        assert_eq!((status(&mut b, group as u32), b.read(BARRIER_COUNTS + 4 * group as u32)), (2 | NUMBER, 2));
    }
    b.write(BARRIER_LEAVES_LOW, 0b0011);
    assert_eq!((status(&mut b, 0), b.read(BARRIER_COUNTS), b.read(BARRIER_ARRIVED_LOW)), (0, 0, 0));
    assert_eq!((status(&mut b, 1), b.read(BARRIER_COUNTS + 4), b.read(BARRIER_ARRIVED_LOW + 4)), (2 | NUMBER, 2, 1));
    b.write(BARRIER_GROUP + 4, 3);
    assert_eq!((status(&mut b, 1), b.read(BARRIER_COUNTS + 4)), (0, 0));
    // An arrival that is taken in the cycle of the access phase is forgotten.
    for penable in [false, true] {
        b.prepare();
        if !penable {
            b.barrier_flit(0, true, true, message(Arrival, 0, 0).encode());
        }
        let paddr = BARRIER_GROUP as u16;
        b.pins.apb = railyard_model::Apb { psel: true, penable, pwrite: true, paddr, pwdata: 3 };
        b.switch.step(&b.pins);
    }
    b.messages.iter_mut().for_each(Vec::clear);
    b.run(10);
    assert!(b.read(BARRIER_ARRIVED_LOW) == 0 && b.messages[0].is_empty());
}

/// Groups take turns at a port; of one group's messages a completion comes first.
#[test]
fn groups_take_turns_at_a_port() {
    let mut b = Bench::new(&barrier(4, 0));
    for group in 0..GROUPS as usize {
        b.barrier_group(group, 0b0001, None);
    }
    let start = b.switch.now();
    for group in 0..GROUPS as u8 {
        come(&mut b, &[(0, message(Arrival, group, 0))]);
    }
    b.run(20);
    let order: Vec<_> = left(&mut b, start).iter().map(|(t, _, m)| (*t, m.kind, m.group)).collect();
    let mut groups = [Vec::new(), Vec::new()];
    for (i, (t, kind, group)) in order.iter().enumerate() {
        assert_eq!(*t, 4 + i as u64, "one in each cycle: {order:?}");
        groups[(*kind == Completion) as usize].push(*group);
    }
    assert_eq!(groups[1], [0, 1, 2, 3, 4], "{order:?}");
}

#[test]
fn numbers_wrap_and_barriers_follow_each_other() {
    let mut b = Bench::new(&barrier(4, 0));
    b.barrier_group(0, 0b0111, None);
    let mut nodes = vec![BarrierNode::new(0, Patience { retransmit: 100, urge: 100 }); 3];
    let mut first = None;
    while nodes[0].completed() < 600 {
        b.prepare();
        for (port, node) in nodes.iter_mut().enumerate() {
            for (_, message) in b.messages[port].drain(..) {
                node.take(message);
            }
            if !node.is_waiting() {
                node.arrive();
            }
            node.tick();
            if let Some(message) = node.next_message() {
                b.barrier_flit(port, true, true, message.encode());
            }
        }
        b.switch.step(&b.pins);
        first = first.or(Some(b.switch.now()));
    }
    // A barrier every five cycles: the nodes arrive in the cycle in which the completion is at their pins.
    let cycles = b.switch.now() - first.expect("a cycle");
    assert_eq!(cycles, 5 * 600);
    assert_eq!(status(&mut b, 0) & !0xff, 0, "no fault");
}

/// Streams from inputs 0 and 1 to output 2 under barrier messages that leave there in every fourth cycle: these wait
/// for nothing, no flit is lost or doubled, and data have all other cycles.
#[test]
fn messages_go_before_all_flits() {
    let flitwise = || {
        let mut c = barrier(4, 0);
        (c.virtual_channels.unicast, c.link_arbitration) = (2, LinkArbitration::Flit);
        c
    };
    let single = || {
        let mut c = barrier(4, 1);
        c.crossbar = Crossbar::Single;
        c
    };
    for (config, multicast) in
        [(barrier(4, 0), false), (flitwise(), false), (barrier(4, 1), true), (single(), false), (single(), true)]
    {
        let mut b = Bench::new(&config);
        let vcs = b.shape.vcs as u8;
        if multicast {
            b.write_groups(&[(0b1100, false)]);
        }
        b.barrier_group(0, 0b0100, None);
        for i in 0..40 {
            for input in 0..2usize {
                match multicast && input == 0 {
                    true => b.multicast(0, 0, 8, i),
                    false => b.send(input, input as u8 % vcs.min(2), 2, 8, i),
                }
            }
        }
        b.run(30);
        let from = b.switch.now();
        let mut sequence = 0;
        for t in 0..400 {
            b.prepare();
            if t % 8 == 0 {
                b.barrier_flit(2, true, true, message(Arrival, 0, sequence).encode());
                sequence = sequence.wrapping_add(1);
            }
            b.switch.step(&b.pins);
        }
        let now = b.switch.now();
        let times: Vec<u64> = b.messages[2].iter().map(|(t, _)| t - from).collect();
        // Acknowledgement and completion of each arrival, at their cycles.
        let expected: Vec<u64> = (0..400).step_by(8).flat_map(|t| [t + 4, t + 5]).filter(|&t| t < 400).collect();
        assert_eq!(times, expected);
        let data = b.left[2].iter().filter(|(t, _)| (from..now).contains(t)).count();
        assert!(data >= 400 - times.len() - 12, "{data} flits in {config:?}");
        assert!(b.drain(2_000), "{config:?}");
        assert_eq!(b.errors(), [0; 6]);
        assert_eq!(b.left[2].len(), 2 * 40 * 8);
        if multicast {
            assert_eq!(b.left[3].len(), 40 * 8);
            let copies: Vec<_> = b.left[2].iter().filter(|l| b.left[3].contains(l)).collect();
            assert_eq!(copies.len(), 40 * 8, "a flit goes to all its outputs in one cycle");
        }
    }
}

/// The VC of messages has no counters, and no credit is counted for them.
#[test]
fn messages_are_not_counted_as_packets() {
    let mut config = barrier(4, 0);
    config.counters = Some(railyard_spec::Counters { bits: 32 });
    let mut b = Bench::new(&config);
    b.barrier_group(0, 0b0001, None);
    for sequence in 0..50 {
        come(&mut b, &[(0, message(Arrival, 0, sequence))]);
        b.run(6);
    }
    assert_eq!(b.messages[0].len(), 100);
    b.write(COUNTERS, 1);
    let list = railyard_spec::registers::registers(&b.shape);
    for name in ["rx_flits", "tx_flits", "tx_packets"] {
        let at = list.iter().find(|r| r.name == name).unwrap().address;
        assert_eq!(b.read(at), 0, "{name}");
    }
    assert_eq!(b.switch.available(0, 0), 32);
}

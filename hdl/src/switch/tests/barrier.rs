//! Messages between the flits of packets: nothing is lost, and a packet waits exactly where a message leaves.

use super::at_pins::{drive, write, Beat};
use super::*;
use crate::rtl::Bench;
use railyard_spec::barrier::{Message, MessageKind};
use railyard_spec::registers::address;

/// Two ports; this switch is the root of group 0, whose leaf is port 0. A packet comes to port 1, for output 0 or for
/// both; cycles later an arrival to port 0. What leaves, by port and cycle.
fn run(
    crossbar: Crossbar,
    link: LinkArbitration,
    multicast: bool,
    length: usize,
    arrival: usize,
) -> (usize, Vec<Vec<Option<Beat>>>) {
    let mut config = Config::named("test");
    (config.ports, config.flit_bits, config.crossbar, config.link_arbitration) = (2, 32, crossbar, link);
    config.routing = Routing::Source(SourceRouting { hops: 1 });
    config.virtual_channels.unicast = 2 - u32::from(multicast);
    (config.virtual_channels.mixed, config.virtual_channels.barrier) = (u32::from(multicast), 1);
    (config.multicast.groups, config.barrier.groups) = (2, 2);
    let shape = config.check().unwrap().shape();
    let mut bench = Bench::new(switch(&shape), |b| &mut b.clock);
    bench.reset.next = true;
    bench.cycle();
    bench.reset.next = false;
    for _ in 0..5 {
        bench.cycle();
    }
    write(&mut bench, address::BARRIER_LEAVES_LOW, 1);
    write(&mut bench, address::BARRIER_GROUP, 3);
    if multicast {
        write(&mut bench, address::MULTICAST_MASK_LOW, 3);
        write(&mut bench, address::MULTICAST_WRITE, 1 << 16);
    }
    // To output 0 by route; or to group 0, by the bit behind the list of ports.
    let header = if multicast { 2 } else { 0 };
    let message = Message { kind: MessageKind::Arrival, group: 0, sequence: 0 }.encode().into();
    let mut left = vec![vec![]; 2];
    for t in 0..40 {
        let flit = 0x100 * t as u64 + header;
        drive(&mut bench, 1, (t < length).then_some((1, t == 0, t == length - 1, flit)));
        drive(&mut bench, 0, (t == arrival).then_some((shape.vcs, true, true, message)));
        bench.settle();
        for (port, beats) in left.iter_mut().enumerate() {
            let beat = (
                bench.tx[port].vc.val().index(),
                bench.tx[port].head.val(),
                bench.tx[port].tail.val(),
                bench.tx[port].flit.val().to_u128() as u64,
            );
            beats.push(bench.tx[port].valid.val().then_some(beat));
        }
        bench.cycle();
    }
    assert!(!bench.error[0].vc.val(), "the barrier VC exists");
    (shape.vcs, left)
}

#[test]
fn messages_go_between_the_flits_of_packets() {
    for (crossbar, link, multicast) in [
        (Crossbar::Parallel, LinkArbitration::Packet, false),
        (Crossbar::Parallel, LinkArbitration::Flit, false),
        (Crossbar::Single, LinkArbitration::Packet, false),
        (Crossbar::Parallel, LinkArbitration::Packet, true),
        (Crossbar::Single, LinkArbitration::Packet, true),
    ] {
        let length = 6;
        // In front of the packet, in it, and at its tail.
        for arrival in 0..14 {
            let (barrier_vc, left) = run(crossbar, link, multicast, length, arrival);
            let message = |kind| Message { kind, group: 0, sequence: 0 }.encode().into();
            for (offset, kind) in [(4, MessageKind::Acknowledgement), (5, MessageKind::Completion)] {
                let beat = Some((barrier_vc, true, true, message(kind)));
                assert_eq!(left[0][arrival + offset], beat, "{crossbar:?} {link:?} {multicast} {arrival}");
            }
            let is_message = |t: &usize| (arrival + 4..arrival + 6).contains(t);
            let packet: Vec<usize> = (0..40).filter(|t| !is_message(t) && left[0][*t].is_some()).collect();
            let header = left[0][packet[0]].unwrap().3;
            let flits: Vec<Option<Beat>> = packet.iter().map(|t| left[0][*t]).collect();
            let expected: Vec<Option<Beat>> = (0..length)
                .map(|i| {
                    (
                        1,
                        i == 0,
                        i == length - 1,
                        if i == 0 { header } else { 0x100 * i as u64 + if multicast { 2 } else { 0 } },
                    )
                })
                .map(Some)
                .collect();
            assert_eq!(flits, expected, "{crossbar:?} {link:?} {multicast} {arrival}");
            // It waits for nothing else than messages.
            let between = packet[0]..packet[length - 1];
            let waits = between.clone().filter(|t| !packet.contains(t)).all(|t| is_message(&t));
            assert!(waits, "{crossbar:?} {link:?} {multicast} {arrival}: {packet:?}");
            if multicast {
                let copies: Vec<usize> = (0..40).filter(|t| left[1][*t].is_some()).collect();
                assert_eq!(copies, packet, "all outputs in the same cycles");
            }
        }
    }
}

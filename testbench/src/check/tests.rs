//! Each kind of fault, planted between the senders and a scoreboard.

use super::*;
use crate::traffic::{AddressMap, Format, Packet, DROP};
use railyard_model::Outputs;
use railyard_spec::{Config, Routing, Shape, SourceRouting, TableRouting};

struct Fixture {
    shape: Shape,
    format: Format,
    map: Option<AddressMap>,
    board: Scoreboard,
    cycle: u64,
}

impl Fixture {
    fn new(flit_bits: u32, routing: Routing) -> Fixture {
        let shape = Config { flit_bits, routing, ..Config::named("board") }.check().unwrap().shape();
        let format = Format::new(&shape);
        let map = shape.table().map(|table| AddressMap::new(&shape, table.address_bits, 8, 1));
        assert!(Scoreboard::can_watch(&shape, &format, map.as_ref()));
        let board = Scoreboard::new(&shape, &format, map.as_ref());
        Fixture { shape, format, map, board, cycle: 0 }
    }

    /// All kinds of headers: with the source's number, known by the address alone, over several flits, source routing.
    fn all() -> Vec<Fixture> {
        let table = |address_bits| Routing::Table(TableRouting { address_bits, ..TableRouting::default() });
        let source = |hops| Routing::Source(SourceRouting { hops });
        vec![
            Fixture::new(64, table(24)),
            Fixture::new(16, table(16)),
            Fixture::new(16, table(64)),
            Fixture::new(33, table(64)),
            Fixture::new(64, source(5)),
            Fixture::new(16, source(4)),
        ]
    }

    fn packet(&self, source: u8, vc: u8, destination: u8, key: u64) -> Packet {
        let mut random = crate::random::Random::new(key, 99);
        let header = match &self.map {
            Some(map) if destination == DROP => map.draw_unroutable(&mut random),
            // Headers that differ, so that a header alone tells what happened.
            Some(map) => map.draw_any(source, destination, &mut random),
            None => u64::from(destination),
        };
        let length = (self.shape.header_flits() as u64 + 1 + key % 3) as u16;
        let outputs = if destination == DROP { 0 } else { 1 << destination };
        Packet { key: random.bits(), header, length, source, destination, outputs, vc, ..Packet::default() }
    }

    fn begin(&mut self, packets: &[Packet]) {
        packets.iter().for_each(|packet| self.board.begin(packet));
    }

    fn flit(&mut self, packet: &Packet, index: u16, port: usize, vc: usize, flip: u32) {
        let mut outputs = Outputs::new(&self.shape);
        let words = outputs.words;
        self.format.forwarded(packet, index, &mut outputs.tx_flit[port * words..][..words]);
        outputs.tx_flit[port * words] ^= flip;
        outputs.tx_valid = 1 << port;
        outputs.tx_vc[port] = vc as u8;
        outputs.tx_head = u64::from(index == 0) << port;
        outputs.tx_tail = u64::from(index + 1 == packet.length) << port;
        self.cycle += 1;
        self.board.watch(self.cycle, &outputs, |_, _, _| {});
    }

    fn deliver_at(&mut self, packet: &Packet, port: usize, vc: usize) {
        (0..packet.length).for_each(|index| self.flit(packet, index, port, vc, 0));
    }

    fn deliver(&mut self, packet: &Packet) {
        self.deliver_at(packet, packet.destination as usize, packet.vc as usize);
    }

    fn kinds(&mut self) -> Vec<PacketFaultKind> {
        self.board.finish(self.cycle);
        self.board.faults().iter().map(|fault| fault.kind).collect()
    }
}

#[test]
fn legal_traffic_passes() {
    for mut f in Fixture::all() {
        let packets: Vec<Packet> =
            (0..200).map(|i| f.packet((i % 16) as u8, (i / 16 % 2) as u8, (i * 7 % 16) as u8, i)).collect();
        f.begin(&packets);
        packets.iter().for_each(|packet| f.deliver(packet));
        assert_eq!(f.kinds(), []);
        assert_eq!((f.board.sent, f.board.delivered), (200, 200));
    }
}

/// Two VCs of an output take turns flit by flit.
#[test]
fn interleaved_packets_pass() {
    for mut f in Fixture::all() {
        let packets = [f.packet(1, 0, 5, 3), f.packet(2, 1, 5, 6)];
        f.begin(&packets);
        for index in 0..packets[0].length {
            packets.iter().for_each(|packet| f.flit(packet, index, 5, packet.vc as usize, 0));
        }
        assert_eq!(f.kinds(), []);
    }
}

#[test]
fn a_lost_packet() {
    for mut f in Fixture::all() {
        let packets = [f.packet(1, 0, 5, 1), f.packet(1, 0, 5, 2), f.packet(1, 0, 5, 3)];
        f.begin(&packets);
        f.deliver(&packets[0]);
        f.deliver(&packets[2]);
        assert_eq!(f.kinds(), [PacketFaultKind::Lost]);
        assert_eq!(f.board.faults()[0].packet, packets[1].to_string());
    }
}

#[test]
fn a_duplicated_packet() {
    for mut f in Fixture::all() {
        let packets = [f.packet(1, 0, 5, 1), f.packet(1, 0, 5, 2)];
        f.begin(&packets);
        for i in [0, 0, 1] {
            f.deliver(&packets[i]);
        }
        assert_eq!(f.kinds(), [PacketFaultKind::Duplicated]);
    }
}

#[test]
fn a_misrouted_packet() {
    for mut f in Fixture::all() {
        let packets = [f.packet(1, 0, 5, 1), f.packet(1, 0, 6, 2)];
        f.begin(&packets);
        f.deliver_at(&packets[0], 6, 0);
        f.deliver(&packets[1]);
        assert_eq!(f.kinds(), [PacketFaultKind::Misrouted]);
    }
}

#[test]
fn a_packet_on_the_wrong_vc() {
    for mut f in Fixture::all() {
        let packet = f.packet(1, 0, 5, 1);
        f.begin(&[packet]);
        f.deliver_at(&packet, 5, 1);
        assert_eq!(f.kinds(), [PacketFaultKind::WrongVc]);
    }
}

#[test]
fn corrupted_payload_and_length() {
    for mut f in Fixture::all() {
        let packets = [f.packet(1, 0, 5, 1), f.packet(1, 0, 5, 2), f.packet(1, 0, 5, 3)];
        f.begin(&packets);
        let last = packets[0].length - 1;
        (0..last).for_each(|index| f.flit(&packets[0], index, 5, 0, 0));
        f.flit(&packets[0], last, 5, 0, 0x100);
        let short = Packet { length: packets[1].length - 1, ..packets[1] };
        f.deliver(&short);
        f.deliver(&packets[2]);
        assert_eq!(f.kinds(), [PacketFaultKind::Corrupted, PacketFaultKind::Corrupted]);
        assert_eq!(f.board.delivered, 1);
    }
}

#[test]
fn reordered_packets() {
    for mut f in Fixture::all() {
        let packets = [f.packet(1, 0, 5, 1), f.packet(1, 0, 5, 2), f.packet(1, 0, 5, 3)];
        f.begin(&packets);
        for i in [1, 0, 2] {
            f.deliver(&packets[i]);
        }
        assert_eq!(f.kinds(), [PacketFaultKind::Reordered]);
    }
}

#[test]
fn packets_that_nobody_sent() {
    for mut f in Fixture::all() {
        let packet = f.packet(1, 0, 5, 1);
        f.deliver(&packet);
        assert_eq!(f.kinds(), [PacketFaultKind::Unknown]);
    }
}

#[test]
fn drops_are_counted_and_judged() {
    for mut f in Fixture::all() {
        let packets = [f.packet(1, 1, DROP, 1), f.packet(1, 1, 5, 2)];
        f.begin(&packets);
        let mut outputs = Outputs::new(&f.shape);
        outputs.drop_valid.set(3);
        f.board.watch(9, &outputs, |_, _, _| {});
        assert_eq!((f.board.dropped, f.board.fault_count), (1, 0));
        f.board.watch(10, &outputs, |_, _, _| {});
        assert_eq!(f.kinds(), [PacketFaultKind::Dropped]);
    }
}

#[test]
fn a_reset_clears_the_account() {
    for mut f in Fixture::all() {
        let packets = [f.packet(1, 0, 5, 1), f.packet(1, 0, 5, 2)];
        f.begin(&packets[..1]);
        f.flit(&packets[0], 0, 5, 0, 0);
        f.board.flush();
        f.begin(&packets[1..]);
        f.deliver(&packets[1]);
        assert_eq!(f.kinds(), []);
        assert_eq!((f.board.sent, f.board.delivered, f.board.flushed), (2, 1, 1));
    }
}

/// A board of a switch with a mixed VC (number 2), and a multicast packet from port 1 to ports 4, 5 and 9.
fn multicast() -> (Fixture, Packet) {
    let mut config = Config { routing: Routing::Source(SourceRouting { hops: 4 }), ..Config::named("board") };
    config.virtual_channels.mixed = 1;
    let shape = config.check().unwrap().shape();
    let format = Format::new(&shape);
    let board = Scoreboard::new(&shape, &format, None);
    let mut packet = Packet { key: 77, header: 3, length: 3, source: 1, vc: 2, multicast: true, ..Packet::default() };
    packet.fan_out(1 << 4 | 1 << 5 | 1 << 9);
    (Fixture { shape, format, map: None, board, cycle: 0 }, packet)
}

impl Fixture {
    /// Flit `index` of a packet at several outputs in one cycle; gives the packets that are whole then.
    fn copies(&mut self, packet: &Packet, index: u16, ports: &[usize]) -> usize {
        let mut outputs = Outputs::new(&self.shape);
        let words = outputs.words;
        for &port in ports {
            self.format.forwarded(packet, index, &mut outputs.tx_flit[port * words..][..words]);
            outputs.tx_valid |= 1 << port;
            outputs.tx_vc[port] = packet.vc;
            outputs.tx_head |= u64::from(index == 0) << port;
            outputs.tx_tail |= u64::from(index + 1 == packet.length) << port;
        }
        self.cycle += 1;
        let mut whole = 0;
        self.board.watch(self.cycle, &outputs, |_, _, _| whole += 1);
        whole
    }
}

#[test]
fn a_multicast_packet_comes_out_once_at_all_its_outputs() {
    for length in [1, 2, 3] {
        let (mut f, packet) = multicast();
        let packets = [Packet { length, ..packet }, Packet { length, key: 78, ..packet }];
        f.begin(&packets);
        for packet in &packets {
            let whole: Vec<usize> = (0..length).map(|index| f.copies(packet, index, &[4, 5, 9])).collect();
            assert_eq!((whole.iter().sum::<usize>(), whole.last()), (1, Some(&1)));
        }
        assert_eq!((f.kinds(), f.board.delivered), (vec![], 2));
    }
}

#[test]
fn copies_that_are_missing_late_or_at_other_outputs() {
    use PacketFaultKind::{Duplicated, Lost, Misrouted, Torn};
    type Act = fn(&mut Fixture, &Packet);
    let acts: [(Act, &[PacketFaultKind]); 5] = [
        (|f, p| _ = (0..3).map(|index| f.copies(p, index, &[4, 9])).count(), &[Torn, Torn, Torn]),
        (
            |f, p| {
                f.copies(p, 0, &[4, 5, 9]);
                f.copies(p, 1, &[4, 5, 9]);
                f.copies(p, 2, &[4, 5]);
            },
            &[Torn],
        ),
        (|f, p| _ = f.copies(p, 0, &[4, 5, 8, 9]), &[Misrouted, Lost]),
        (|f, p| _ = (0..4).map(|index| f.copies(p, index % 3, &[4, 5, 9])).count(), &[Duplicated; 3]),
        (|_, _| (), &[Lost]),
    ];
    for (act, expected) in acts {
        let (mut f, packet) = multicast();
        f.begin(&[packet]);
        act(&mut f, &packet);
        let kinds = f.kinds();
        assert_eq!(kinds[..expected.len().min(kinds.len())], *expected);
    }
}

#[test]
fn a_multicast_packet_whose_group_changes_may_come_out_anywhere_once() {
    let (mut f, packet) = multicast();
    f.begin(&[packet]);
    f.board.loosen(true, |packet| packet.multicast);
    (0..3).for_each(|index| _ = f.copies(&packet, index, &[2, 7]));
    assert_eq!((f.kinds(), f.board.delivered), (vec![], 1));
}

/// A route that fills the flit has the source's number in its second hop, which moves; a multicast packet has its group
/// there, which doesn't.
#[test]
fn multicast_packets_beside_routes_that_fill_the_flit_are_not_watched() {
    let watched = |hops, mixed| {
        let mut config = Config { ports: 3, flit_bits: 32, ..Config::named("full") };
        config.routing = Routing::Source(SourceRouting { hops });
        config.virtual_channels.mixed = mixed;
        let shape = config.check().unwrap().shape();
        Scoreboard::can_watch(&shape, &Format::new(&shape), None)
    };
    assert_eq!([watched(14, 1), watched(15, 1), watched(16, 0)], [true, false, true]);
}

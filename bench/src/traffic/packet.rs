//! Packets and their bits.
//!
//! A packet's bits are a function of its record: the header, then the source's number if the head flit has room for it,
//! the rest scattered from a key. So nobody has to keep flits: the sender makes them when they go out, the scoreboard
//! makes them again when they should come out.

use railyard_model::bits::ones;
use railyard_spec::{Route, RoutingShape, Shape};

/// In place of a destination port: the packet has no route.
pub const DROP: u8 = u8::MAX;

/// In place of a virtual channel: whichever has room.
pub const ANY_VC: u8 = u8::MAX;

/// A packet, without its bits.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Packet {
    /// All bits that are neither header nor source come from it.
    pub key: u64,
    /// The address, or the lowest field of the route; a multicast packet's group.
    pub header: u64,
    /// Cycle in which the source had it.
    pub generated: u64,
    /// Flits.
    pub length: u16,
    /// Input port.
    pub source: u8,
    /// Output port (one of several, if the route leaves a choice), or [`DROP`].
    pub destination: u8,
    /// Mask of the output ports by which it may leave.
    pub outputs: u64,
    /// Virtual channel; before it is sent also [`ANY_VC`], in place of which the sender sets one.
    pub vc: u8,
    /// Virtual channel of the next link, if it isn't its own.
    pub next_vc: Option<u8>,
    /// `next_vc` says which one of its own pair of virtual channels.
    pub in_pair: bool,
    /// Under way while its route changes: it may leave by any port and virtual channel.
    pub any_route: bool,
    /// And it may be dropped, because there was no route for it at some time.
    pub may_drop: bool,
    /// It leaves by all of the output ports.
    pub multicast: bool,
}

impl Packet {
    /// The virtual channel on which it leaves.
    #[inline]
    pub fn leaves_on(&self) -> u8 {
        match self.next_vc {
            Some(named) if self.in_pair => self.vc - self.vc % 2 + named % 2,
            named => named.unwrap_or(self.vc),
        }
    }

    /// Whether its route leads out of that port on that virtual channel.
    #[inline]
    pub fn is_for(&self, port: usize, vc: usize) -> bool {
        !self.any_route && self.outputs >> port & 1 == 1 && self.leaves_on() as usize == vc
    }

    /// Whether it may be dropped.
    #[inline]
    pub fn may_be_dropped(&self) -> bool {
        if self.any_route {
            self.may_drop
        } else {
            self.destination == DROP
        }
    }

    /// Sends it, a multicast packet, to these output ports; none: it is dropped.
    pub fn fan_out(&mut self, outputs: u64) {
        self.outputs = outputs;
        self.destination = if outputs == 0 { DROP } else { outputs.trailing_zeros() as u8 };
    }

    /// Sends it where the table says, `groups` being the links of all groups.
    pub fn follow(&mut self, route: Option<Route>, groups: &[Vec<u8>]) {
        self.outputs = route.map_or(0, |route| route.outputs(groups));
        self.next_vc = route.and_then(|route| route.next_vc);
        self.in_pair = route.is_some_and(|route| route.in_pair);
        self.destination = match self.outputs {
            0 => DROP,
            outputs => {
                route.map(|r| r.port).filter(|&p| outputs >> p & 1 == 1).unwrap_or(outputs.trailing_zeros() as u8)
            }
        };
    }
}

impl std::fmt::Display for Packet {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        let Packet { source, vc, length, header, generated, .. } = self;
        let mut to = match self.destination {
            _ if self.any_route => "wherever its route led at the moment".to_owned(),
            DROP => "nowhere".to_owned(),
            _ if self.multicast => {
                format!("ports {}", ones(self.outputs).map(|port| port.to_string()).collect::<Vec<_>>().join(", "))
            }
            port => format!("port {port}"),
        };
        if self.leaves_on() != *vc && !self.any_route {
            to += &format!(" VC {}", self.leaves_on());
        }
        write!(f, "port {source} VC {vc} to {to}, {length} flits, header {header:#x}, from cycle {generated}")
    }
}

/// A field inside one word of a flit.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
struct Field {
    word: usize,
    shift: u32,
    mask: u32,
}

/// How a switch's packets are laid out in flits of 32-bit words, least significant first.
#[derive(Clone, Debug)]
pub struct Format {
    words: usize,
    /// The used bits of a flit's last word.
    last_mask: u32,
    flit_bits: u32,
    header_bits: u32,
    /// Flits that hold header bits.
    header_flits: u16,
    /// The source's number in the head flit, as sent and as forwarded.
    source: Option<(Field, Field)>,
    /// Source routing: the route's bits, and bits of a port number.
    route: Option<(u32, u32)>,
    /// The mixed VC, and its multicast bit: flit and bit in it.
    multicast: Option<(u8, u16, u32)>,
}

impl Format {
    /// The layout of a switch's packets.
    pub fn new(shape: &Shape) -> Format {
        // Where the switch leaves bits alone, and inside one word.
        let behind = target_bits(shape);
        let route = matches!(shape.routing, RoutingShape::Source(_)).then_some((behind, shape.port_bits));
        let header_bits = route.map_or(behind, |(_, port_bits)| port_bits);
        let multicast =
            shape.multicast.map(|built| (built.vc as u8, (behind / shape.flit_bits) as u16, behind % shape.flit_bits));
        let free = behind + u32::from(multicast.is_some());
        let place = if free % 32 + shape.port_bits > 32 { free.next_multiple_of(32) } else { free };
        let field =
            |place: u32| Field { word: (place / 32) as usize, shift: place % 32, mask: (1 << shape.port_bits) - 1 };
        let source = if place + shape.port_bits <= shape.flit_bits {
            Some((field(place), field(place)))
        } else {
            // A route that leaves no room has a second hop, which is of no interest here and moves down to bit 0.
            route.map(|(_, port_bits)| (field(port_bits), field(0)))
        };
        Format {
            words: shape.flit_bits.div_ceil(32) as usize,
            last_mask: u32::MAX >> ((32 - shape.flit_bits % 32) % 32),
            flit_bits: shape.flit_bits,
            header_bits,
            header_flits: shape.header_flits() as u16,
            source,
            route,
            multicast,
        }
    }

    /// Bits by which packets with equal headers differ in their header flits.
    pub fn free_bits(&self) -> u32 {
        let source = self.source.map_or(0, |(field, _)| field.mask.count_ones());
        (u32::from(self.header_flits) * self.flit_bits).saturating_sub(self.header_bits + source)
    }

    /// 32-bit words of a flit.
    pub fn words(&self) -> usize {
        self.words
    }

    /// The source's number in a forwarded head flit, if these packets carry it. Random bits give a random number.
    #[inline]
    pub fn source(&self, head: &[u32]) -> Option<u8> {
        self.source.map(|(_, field)| (head[field.word] >> field.shift & field.mask) as u8)
    }

    /// Header bits that flit `index` holds, moved to their place in the header.
    #[inline]
    pub fn header_part(&self, index: u16, flit: &[u32]) -> u64 {
        let from = u32::from(index) * self.flit_bits;
        let bits = self.header_bits.saturating_sub(from).min(self.flit_bits);
        if bits == 0 {
            return 0;
        }
        let high = if bits > 32 { u64::from(flit[1]) << 32 } else { 0 };
        ((u64::from(flit[0]) | high) & u64::MAX >> (64 - bits)) << from
    }

    /// Flits that hold header bits.
    pub fn header_flits(&self) -> u16 {
        self.header_flits
    }

    /// Whether packets carry their source's number.
    pub fn has_source(&self) -> bool {
        self.source.is_some()
    }

    /// Whether the switch leaves it where it is: multicast packets have it then, too.
    pub fn source_stays(&self) -> bool {
        self.source.is_some_and(|(sent, forwarded)| sent == forwarded)
    }

    /// Whether a flit is payload flit `index` of a packet: one behind its header.
    #[inline]
    pub fn is_payload(&self, packet: &Packet, index: u16, flit: &[u32]) -> bool {
        debug_assert!(index >= self.header_flits);
        let (mut counter, last) = (first_counter(packet.key, index), self.words - 1);
        let mut differing = 0;
        for (pair, words) in flit[..self.words].chunks(2).enumerate() {
            let bits = scatter(counter);
            counter = counter.wrapping_add(0x9e37_79b9_7f4a_7c15);
            let mask = |word| if word == last { self.last_mask } else { u32::MAX };
            differing |= words[0] ^ bits as u32 & mask(2 * pair);
            if let Some(high) = words.get(1) {
                differing |= high ^ (bits >> 32) as u32 & mask(2 * pair + 1);
            }
        }
        differing == 0
    }

    /// Writes flit `index` of a packet as its sender sends it.
    #[inline]
    pub fn flit(&self, packet: &Packet, index: u16, flit: &mut [u32]) {
        let flit = &mut flit[..self.words];
        fill(packet.key, index, flit);
        if index < self.header_flits {
            self.write_header(packet, index, flit);
        }
        flit[self.words - 1] &= self.last_mask;
    }

    /// Writes flit `index` of a packet as the switch sends it on.
    #[inline]
    pub fn forwarded(&self, packet: &Packet, index: u16, flit: &mut [u32]) {
        self.flit(packet, index, flit);
        if let (0, Some((route_bits, port_bits)), false) = (index, self.route, packet.multicast) {
            shift_route(flit, route_bits, port_bits);
        }
    }

    #[inline]
    fn write_header(&self, packet: &Packet, index: u16, flit: &mut [u32]) {
        let from = u32::from(index) * self.flit_bits;
        // A multicast packet's group has the place of the whole list of ports.
        let whole = self.route.filter(|_| packet.multicast).map_or(self.header_bits, |(route_bits, _)| route_bits);
        let bits = whole.saturating_sub(from).min(self.flit_bits);
        let mut header = packet.header.checked_shr(from).unwrap_or(0);
        for (word, place) in flit[..bits.div_ceil(32) as usize].iter_mut().enumerate() {
            merge(place, u32::MAX >> (32 - (bits - 32 * word as u32).min(32)), header as u32);
            header >>= 32;
        }
        if let Some((vc, flit_index, bit)) = self.multicast {
            if vc == packet.vc && flit_index == index {
                merge(&mut flit[bit as usize / 32], 1 << (bit % 32), u32::from(packet.multicast) << (bit % 32));
            }
        }
        if let (0, Some((field, _))) = (index, self.source) {
            merge(&mut flit[field.word], field.mask << field.shift, u32::from(packet.source) << field.shift);
        }
    }
}

#[inline]
fn merge(word: &mut u32, mask: u32, value: u32) {
    *word = *word & !mask | value & mask;
}

/// Bits of address or route, behind which the multicast bit stands.
pub(super) fn target_bits(shape: &Shape) -> u32 {
    match &shape.routing {
        RoutingShape::Table(table) => table.address_bits,
        RoutingShape::Algorithmic(algorithmic) => algorithmic.address_bits,
        RoutingShape::Dragonfly(dragonfly) => dragonfly.header().bits,
        RoutingShape::Source(source) => source.route_bits,
    }
}

/// Payload of flit `index` of a packet with that key, in all bits of its words.
#[inline]
pub(super) fn fill(key: u64, index: u16, flit: &mut [u32]) {
    let mut counter = first_counter(key, index);
    for pair in flit.chunks_mut(2) {
        let bits = scatter(counter);
        counter = counter.wrapping_add(0x9e37_79b9_7f4a_7c15);
        pair[0] = bits as u32;
        if let Some(high) = pair.get_mut(1) {
            *high = (bits >> 32) as u32;
        }
    }
}

#[inline]
fn first_counter(key: u64, index: u16) -> u64 {
    key.wrapping_add(u64::from(index).wrapping_mul(0xd1b5_4a32_d192_ed03))
}

/// Spreads a counter over 64 bits: scattered enough that no two flits look alike, and cheap.
#[inline]
fn scatter(counter: u64) -> u64 {
    let x = (counter ^ counter >> 32).wrapping_mul(0xd6e8_feb8_6659_fd93);
    x ^ x >> 32
}

/// Moves the low `route_bits` bits down by `port_bits`, zeroes coming in at their top.
fn shift_route(flit: &mut [u32], route_bits: u32, port_bits: u32) {
    let last = ((route_bits - 1) / 32) as usize;
    let top_mask = u32::MAX >> (31 - (route_bits - 1) % 32);
    let kept = flit[last] & !top_mask;
    flit[last] &= top_mask;
    for word in 0..=last {
        let above = if word < last { flit[word + 1] } else { 0 };
        flit[word] = flit[word] >> port_bits | above << (32 - port_bits);
    }
    flit[last] |= kept;
}

#[cfg(test)]
mod tests {
    use super::*;
    use railyard_spec::{packet::field, Config, Routing, SourceRouting, TableRouting};

    fn shape(flit_bits: u32, routing: Routing) -> Shape {
        Config { flit_bits, routing, ..Config::named("packets") }.check().unwrap().shape()
    }

    #[test]
    fn the_address_is_where_the_switch_reads_it() {
        for flit_bits in [16, 17, 24, 32, 33, 64, 100, 512] {
            for address_bits in [8, 16, 24, 31, 33, 64] {
                let shape = shape(flit_bits, Routing::Table(TableRouting { address_bits, ..TableRouting::default() }));
                let format = Format::new(&shape);
                let header = 0x8123_4567_89ab_cdef & u64::MAX >> (64 - address_bits);
                let packet = Packet { key: 77, header, length: 8, source: 13, ..Packet::default() };
                let (mut bits, mut parts) = (Vec::new(), 0);
                for index in 0..shape.header_flits() as u16 {
                    let mut flit = vec![0; format.words()];
                    format.flit(&packet, index, &mut flit);
                    if index == 0 {
                        assert!(format.source(&flit).is_none_or(|source| source == 13), "{flit_bits} {address_bits}");
                    }
                    parts |= format.header_part(index, &flit);
                    bits.extend((0..flit_bits).map(|bit| field(&flit, bit, 1)));
                    assert_eq!(flit[format.words() - 1] & !format.last_mask, 0);
                }
                let read = (0..address_bits as usize).fold(0, |read, bit| read | bits[bit] << bit);
                assert_eq!((read, parts), (header, header), "{flit_bits} {address_bits}");
            }
        }
    }

    #[test]
    fn the_route_moves_down_by_one_field() {
        for (flit_bits, hops) in [(64, 5), (64, 16), (40, 10), (512, 64), (33, 8), (32, 8), (32, 1)] {
            let shape = shape(flit_bits, Routing::Source(SourceRouting { hops }));
            let format = Format::new(&shape);
            let (route_bits, port_bits) = (hops * shape.port_bits, shape.port_bits);
            let packet = Packet { key: 5, header: 9, length: 2, source: 3, ..Packet::default() };
            let (mut sent, mut left) = (vec![0; format.words()], vec![0; format.words()]);
            format.flit(&packet, 0, &mut sent);
            format.forwarded(&packet, 0, &mut left);
            assert_eq!(field(&sent, 0, port_bits), 9);
            for bit in 0..flit_bits {
                let expected = match bit {
                    bit if bit >= route_bits => field(&sent, bit, 1),
                    bit if bit >= route_bits - port_bits => 0,
                    bit => field(&sent, bit + port_bits, 1),
                };
                assert_eq!(field(&left, bit, 1), expected, "{flit_bits} bits, {hops} hops, bit {bit}");
            }
            assert_eq!(format.source(&left), Some(3));
        }
    }

    #[test]
    fn the_multicast_bit_is_behind_the_address_or_the_route_and_payload_on_other_vcs() {
        let table = |address_bits| Routing::Table(TableRouting { address_bits, ..TableRouting::default() });
        let source = |hops| Routing::Source(SourceRouting { hops });
        for (flit_bits, routing, at) in [
            (64, table(24), 24),
            (16, table(16), 16),
            (32, table(64), 64),
            (16, table(20), 20),
            (64, source(5), 20),
            (128, source(20), 80),
        ] {
            let mut config = Config { flit_bits, routing, ..Config::named("multicast") };
            config.virtual_channels.mixed = 1;
            let shape = config.check().unwrap().shape();
            let format = Format::new(&shape);
            let (flit_index, bit) = (at / flit_bits, at % flit_bits);
            let mut seen = [[0; 2]; 2];
            for key in 0..40 {
                for vc in [1, 2] {
                    for multicast in [false, true] {
                        let header = if multicast { 9 } else { 0xB };
                        let packet = Packet { key, header, length: 8, source: 3, vc, multicast, ..Packet::default() };
                        let mut flit = vec![0; format.words()];
                        format.flit(&packet, flit_index as u16, &mut flit);
                        let value = field(&flit, bit, 1);
                        if vc == 2 {
                            assert_eq!(value, u64::from(multicast));
                        } else {
                            seen[multicast as usize][value as usize] += 1;
                        }
                        let mut head = vec![0; format.words()];
                        format.flit(&packet, 0, &mut head);
                        assert_eq!(field(&head, 0, shape.port_bits), header);
                        if multicast && format.route.is_some() {
                            assert!((shape.port_bits..at).all(|bit| field(&head, bit, 1) == 0));
                            let mut left = vec![0; format.words()];
                            format.forwarded(&packet, 0, &mut left);
                            assert_eq!(left, head, "it leaves as it came");
                            assert_eq!(format.source(&left), Some(3));
                        }
                    }
                }
            }
            assert!(seen.iter().flatten().all(|&count| count > 5), "random on unicast VCs: {seen:?}");
        }
    }

    #[test]
    fn payload_is_recognised_and_every_bit_counts() {
        for flit_bits in [16, 31, 32, 33, 64, 65, 512] {
            let format = Format::new(&shape(flit_bits, Routing::Source(SourceRouting { hops: 2 })));
            let packet = Packet { key: 3, length: 8, ..Packet::default() };
            let mut flit = vec![0; format.words()];
            format.flit(&packet, 5, &mut flit);
            assert!(format.is_payload(&packet, 5, &flit));
            for bit in 0..32 * flit.len() {
                flit[bit / 32] ^= 1 << (bit % 32);
                assert!(!format.is_payload(&packet, 5, &flit));
                flit[bit / 32] ^= 1 << (bit % 32);
            }
        }
    }

    #[test]
    fn keys_and_flits_give_different_bits() {
        let format = Format::new(&shape(64, Routing::default()));
        let mut seen = std::collections::BTreeSet::new();
        for key in 0..100 {
            for index in 1..8 {
                let mut flit = [0; 2];
                format.flit(&Packet { key, length: 8, ..Packet::default() }, index, &mut flit);
                seen.insert(flit);
            }
        }
        assert_eq!(seen.len(), 700);
    }
}

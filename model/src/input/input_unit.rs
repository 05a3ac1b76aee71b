//! Input unit of a port: checks each arriving flit, stores it in the buffer of its VC, and finds the headers.
//!
//! A sender that breaks a rule never harms another packet: its packet is cut short or ignored, and a flag says so.
//! Source: switch reference, section 3; Cao2016, 3.2 (virtual-channel input queues).

use crate::input::route_shift::SourceRoute;
use crate::input::vc_buffer::{FlitMarks, VcBuffer};
use crate::output::protection::Code;
use crate::route::route_queue::PacketRoute;
use railyard_spec::{RoutingShape, Shape};

/// What an arriving flit did wrong: a set of the errors of section 3.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct FlitErrors(u8);

impl FlitErrors {
    /// Nothing.
    pub const NONE: FlitErrors = FlitErrors(0);
    /// Its VC does not exist.
    pub const VC: FlitErrors = FlitErrors(1);
    /// A head inside a packet, or a flit outside one.
    pub const FRAMING: FlitErrors = FlitErrors(2);
    /// It came without credit.
    pub const OVERFLOW: FlitErrors = FlitErrors(4);
    /// The packet is over the maximum, or shorter than its header.
    pub const LENGTH: FlitErrors = FlitErrors(8);

    /// Whether `fault` is in the set.
    #[inline]
    pub fn has(self, fault: FlitErrors) -> bool {
        self.0 & fault.0 != 0
    }

    /// Whether the set is empty.
    #[inline]
    pub fn is_empty(self) -> bool {
        self.0 == 0
    }

    #[inline]
    fn add(&mut self, fault: FlitErrors) {
        self.0 |= fault.0;
    }
}

/// A packet that arrives at route computation: its header is complete, or it is malformed.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct HeaderArrival {
    /// VC of the packet.
    pub vc: u8,
    /// The packet ended before its header was complete: it is dropped.
    pub malformed: bool,
    /// It is a multicast packet.
    pub multicast: bool,
    /// Table and algorithmic routing: the destination address (undefined if malformed). Source routing: the lowest
    /// route field. Multicast: the number of the group.
    pub address: u64,
}

impl HeaderArrival {
    /// Where a multicast packet goes in a switch with so many groups.
    #[inline]
    pub fn to_group(&self, groups: u64) -> PacketRoute {
        debug_assert!(self.multicast);
        if self.address < groups {
            PacketRoute::Multicast(self.address as u16)
        } else {
            PacketRoute::Drop
        }
    }
}

/// What became of an arriving flit.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct ReceivedFlit {
    /// A packet arrives at route computation in this cycle.
    pub arrival: Option<HeaderArrival>,
    /// The flit was discarded: it is credited without having been stored.
    pub discarded: bool,
    /// The flags that it sets.
    pub faults: FlitErrors,
}

/// One VC of an input.
#[derive(Clone, Debug)]
struct InputVc {
    /// A packet is being stored.
    open: bool,
    /// The rest of a bad packet is being ignored.
    discarding: bool,
    /// Flits of the open packet stored so far.
    length: u32,
    /// The address bits of the open packet stored so far.
    address: u64,
    buffer: VcBuffer,
}

impl InputVc {
    /// The marks that an arriving flit is stored with, and its number in its packet; none if it is discarded.
    #[inline]
    fn accept(
        &mut self,
        marks: FlitMarks,
        depth: u32,
        max_flits: u32,
        result: &mut ReceivedFlit,
    ) -> Option<(FlitMarks, u32)> {
        let FlitMarks { head, tail } = marks;
        let occupancy = self.buffer.occupancy();
        let mut stored = marks;
        let number;
        if head && self.open {
            // The open packet has no tail: this flit becomes it, and the rest of its own packet is ignored.
            result.faults.add(FlitErrors::FRAMING);
            stored = FlitMarks { head: false, tail: true };
            self.discarding = !tail;
            number = self.length;
        } else {
            if head {
                if self.discarding {
                    result.faults.add(FlitErrors::FRAMING);
                    self.discarding = false;
                }
                if occupancy >= depth || !tail && occupancy >= depth - 1 {
                    result.faults.add(FlitErrors::OVERFLOW);
                    self.discarding = !tail;
                    return None;
                }
                number = 0;
            } else {
                if !self.open {
                    if !self.discarding {
                        result.faults.add(FlitErrors::FRAMING);
                    } else if tail {
                        self.discarding = false;
                    }
                    return None;
                }
                number = self.length;
                if !tail && occupancy >= depth - 1 {
                    result.faults.add(FlitErrors::OVERFLOW);
                    stored.tail = true;
                }
            }
            if !tail && number == max_flits - 1 {
                result.faults.add(FlitErrors::LENGTH);
                stored.tail = true;
            }
            if stored.tail && !tail {
                self.discarding = true;
            }
        }
        self.open = !stored.tail;
        self.length = number + 1;
        Some((stored, number))
    }
}

/// One port's input unit.
#[derive(Clone, Debug)]
pub struct InputUnit {
    vcs: Vec<InputVc>,
    depth: u32,
    max_flits: u32,
    flit_bits: u32,
    header_flits: u32,
    address_bits: u32,
    source: Option<SourceRoute>,
    multicast: Option<MulticastBit>,
    /// With error correction: the code, and room for a code word.
    code: Option<(Code, Vec<u32>)>,
}

/// Where the header says that a packet is a multicast packet.
#[derive(Clone, Copy, Debug)]
struct MulticastBit {
    /// The mixed VC, on which alone it is looked at.
    vc: u8,
    /// The bit, in the last flit of the header.
    at: u32,
}

impl InputUnit {
    /// The input unit of a port of that switch, empty.
    pub fn new(shape: &Shape) -> Self {
        let words = shape.stored_bits().div_ceil(32) as usize;
        let vc = InputVc {
            open: false,
            discarding: false,
            length: 0,
            address: 0,
            buffer: VcBuffer::new(shape.buffer_flits as usize, words),
        };
        let (address_bits, source) = match &shape.routing {
            RoutingShape::Table(table) => (table.address_bits, None),
            RoutingShape::Algorithmic(algorithmic) => (algorithmic.address_bits, None),
            RoutingShape::Dragonfly(dragonfly) => (dragonfly.header().bits, None),
            RoutingShape::Source(source) => {
                (shape.port_bits, Some(SourceRoute { route_bits: source.route_bits, port_bits: shape.port_bits }))
            }
        };
        InputUnit {
            vcs: vec![vc; shape.vcs],
            depth: shape.buffer_flits,
            max_flits: shape.max_flits,
            flit_bits: shape.flit_bits,
            header_flits: shape.header_flits(),
            address_bits,
            multicast: shape.multicast.map(|built| {
                let in_front = source.map_or(address_bits, |source| source.route_bits);
                MulticastBit { vc: built.vc as u8, at: in_front - (shape.header_flits() - 1) * shape.flit_bits }
            }),
            source,
            code: Code::of(shape).map(|code| (code, vec![0; words])),
        }
    }

    /// Virtual channels that are built here.
    #[inline]
    pub fn vcs(&self) -> usize {
        self.vcs.len()
    }

    /// The buffer of VC `vc`.
    #[inline]
    pub fn buffer(&self, vc: usize) -> &VcBuffer {
        &self.vcs[vc].buffer
    }

    /// The buffer of VC `vc`, to pop from.
    #[inline]
    pub fn buffer_mut(&mut self, vc: usize) -> &mut VcBuffer {
        &mut self.vcs[vc].buffer
    }

    /// A flit arrives in cycle `now`. Pops of the same cycle must come after this call.
    #[inline]
    pub fn receive(&mut self, now: u64, vc: u8, marks: FlitMarks, flit: &[u32]) -> ReceivedFlit {
        self.receive_beside(now, vc, marks, flit, (false, &[]))
    }

    /// The same with what comes beside the flit, for error correction: whether its packet is bad, and the bits of the
    /// code word that are inverted.
    #[inline]
    pub fn receive_beside(
        &mut self,
        now: u64,
        vc: u8,
        marks: FlitMarks,
        flit: &[u32],
        (bad, flips): (bool, &[u32]),
    ) -> ReceivedFlit {
        let mut result = ReceivedFlit::default();
        let Some(state) = self.vcs.get_mut(vc as usize) else {
            result.faults.add(FlitErrors::VC);
            return result;
        };
        let Some((stored, number)) = state.accept(marks, self.depth, self.max_flits, &mut result) else {
            result.discarded = true;
            return result;
        };
        let place = match &mut self.code {
            None => state.buffer.store(now, stored, flit),
            Some((_, word)) => {
                word[..flit.len()].copy_from_slice(flit);
                state.buffer.store(now, stored, word)
            }
        };
        // Of a header's last flit.
        let multicast =
            self.multicast.is_some_and(|bit| bit.vc == vc && flit[bit.at as usize / 32] >> (bit.at % 32) & 1 == 1);
        if let (Some(source), true, false) = (&self.source, stored.head, multicast) {
            source.shift(place);
        }
        if let Some((code, _)) = &self.code {
            code.encode(place, bad, flips);
        }
        if number < self.header_flits {
            self.read_header(vc, stored.tail, number, multicast, flit, &mut result);
        }
        result
    }

    /// Flit `number` of a header is read; with its last one, or at the end of a packet that has too few, the packet
    /// arrives at route computation.
    #[inline]
    fn read_header(
        &mut self,
        vc: u8,
        tail: bool,
        number: u32,
        multicast: bool,
        flit: &[u32],
        result: &mut ReceivedFlit,
    ) {
        let state = &mut self.vcs[vc as usize];
        let low = number * self.flit_bits;
        let mut address = if number == 0 { 0 } else { state.address };
        // The last flit may hold nothing but the multicast bit.
        if low < self.address_bits {
            address |= low_bits(flit, (self.address_bits - low).min(self.flit_bits)) << low;
        }
        if let (Some(source), true) = (&self.source, multicast) {
            address = source.number(flit);
        }
        state.address = address;
        let complete = number == self.header_flits - 1;
        let malformed = tail && !complete;
        if malformed {
            result.faults.add(FlitErrors::LENGTH);
        }
        if complete || malformed {
            result.arrival = Some(HeaderArrival { vc, malformed, multicast: multicast && complete, address });
        }
    }

    /// Reset: no packet is open, all buffers are empty.
    pub fn reset(&mut self) {
        for vc in &mut self.vcs {
            vc.open = false;
            vc.discarding = false;
            vc.length = 0;
            vc.buffer.clear();
        }
    }
}

/// The `width` (1 to 64) low bits of a flit.
#[inline]
fn low_bits(flit: &[u32], width: u32) -> u64 {
    let low = flit[0] as u64 | if width > 32 { (flit[1] as u64) << 32 } else { 0 };
    low & (!0 >> (64 - width))
}

#[cfg(test)]
mod tests {
    use super::*;
    use railyard_spec::{Config, Routing, SourceRouting, TableRouting};

    const BODY: FlitMarks = FlitMarks { head: false, tail: false };
    const HEAD: FlitMarks = FlitMarks { head: true, tail: false };
    const TAIL: FlitMarks = FlitMarks { head: false, tail: true };
    const ONLY: FlitMarks = FlitMarks { head: true, tail: true };

    fn unit(max_flits: u32, depth: u32, flit_bits: u32, address_bits: u32) -> InputUnit {
        let mut config = Config::named("t");
        config.flit_bits = flit_bits;
        config.packet.max_flits = max_flits;
        config.buffer_flits = Some(depth);
        config.virtual_channels.unicast = 3;
        config.routing = Routing::Table(TableRouting { address_bits, ..TableRouting::default() });
        InputUnit::new(&config.check().unwrap().shape())
    }

    fn faults(list: &[FlitErrors]) -> FlitErrors {
        list.iter().fold(FlitErrors::NONE, |mut all, &f| {
            all.add(f);
            all
        })
    }

    fn drain(unit: &mut InputUnit, vc: usize) -> Vec<(FlitMarks, u32)> {
        let mut out = [0];
        std::iter::from_fn(|| unit.buffer_mut(vc).pop(1 << 40, &mut out).map(|m| (m, out[0]))).collect()
    }

    #[test]
    fn a_good_packet_is_stored_as_it_is() {
        let mut u = unit(4, 8, 32, 24);
        let r = u.receive(0, 2, HEAD, &[0xff12_3456]);
        assert_eq!(r.arrival, Some(HeaderArrival { vc: 2, address: 0x12_3456, ..HeaderArrival::default() }));
        assert_eq!(u.receive(1, 2, BODY, &[1]), ReceivedFlit::default());
        assert_eq!(u.receive(2, 2, TAIL, &[2]), ReceivedFlit::default());
        assert_eq!(drain(&mut u, 2), [(HEAD, 0xff12_3456), (BODY, 1), (TAIL, 2)]);
    }

    #[test]
    fn a_vc_that_does_not_exist() {
        let mut u = unit(4, 8, 32, 24);
        let r = u.receive(0, 3, HEAD, &[0]);
        assert_eq!(r, ReceivedFlit { faults: FlitErrors::VC, ..ReceivedFlit::default() });
    }

    #[test]
    fn a_flit_outside_a_packet_is_discarded() {
        let mut u = unit(4, 8, 32, 24);
        for marks in [BODY, TAIL, BODY] {
            let r = u.receive(0, 0, marks, &[0]);
            assert_eq!(r, ReceivedFlit { faults: FlitErrors::FRAMING, discarded: true, arrival: None });
        }
        assert!(u.receive(0, 0, ONLY, &[0]).faults.is_empty());
    }

    #[test]
    fn a_head_inside_a_packet_becomes_its_tail() {
        let mut u = unit(4, 8, 32, 24);
        u.receive(0, 0, HEAD, &[10]);
        let r = u.receive(1, 0, HEAD, &[11]);
        assert_eq!(r, ReceivedFlit { faults: FlitErrors::FRAMING, ..ReceivedFlit::default() });
        let ignored = ReceivedFlit { discarded: true, ..ReceivedFlit::default() };
        assert_eq!(u.receive(2, 0, BODY, &[12]), ignored);
        assert_eq!(u.receive(3, 0, TAIL, &[13]), ignored);
        assert!(u.receive(4, 0, ONLY, &[14]).arrival.is_some());
        assert_eq!(drain(&mut u, 0), [(HEAD, 10), (TAIL, 11), (ONLY, 14)]);
        // A one-flit packet inside a packet leaves nothing to ignore.
        u.receive(5, 0, HEAD, &[15]);
        assert!(u.receive(6, 0, ONLY, &[16]).faults.has(FlitErrors::FRAMING));
        assert!(u.receive(7, 0, ONLY, &[17]).faults.is_empty());
    }

    #[test]
    fn a_bad_packet_without_tail_ends_at_the_next_head() {
        let mut u = unit(2, 8, 32, 24);
        u.receive(0, 0, HEAD, &[0]);
        assert_eq!(u.receive(1, 0, BODY, &[1]).faults, FlitErrors::LENGTH);
        assert!(u.receive(2, 0, BODY, &[2]).discarded);
        let r = u.receive(3, 0, ONLY, &[3]);
        assert!(r.faults == FlitErrors::FRAMING && r.arrival.is_some() && !r.discarded);
        assert_eq!(drain(&mut u, 0), [(HEAD, 0), (TAIL, 1), (ONLY, 3)]);
    }

    #[test]
    fn a_packet_over_the_maximum_is_cut() {
        let mut u = unit(1, 4, 32, 24);
        let r = u.receive(0, 0, HEAD, &[5]);
        assert!(r.faults == FlitErrors::LENGTH && r.arrival.is_some() && !r.discarded);
        assert!(u.receive(1, 0, TAIL, &[6]).discarded);
        assert_eq!(drain(&mut u, 0), [(ONLY, 5)]);
    }

    #[test]
    fn overflow_leaves_room_for_a_tail() {
        let mut u = unit(4, 8, 32, 24);
        for t in 0..6 {
            assert!(u.receive(t, 0, ONLY, &[0]).faults.is_empty());
        }
        assert!(u.receive(6, 0, HEAD, &[1]).faults.is_empty());
        assert_eq!(u.buffer(0).occupancy(), 7);
        let r = u.receive(7, 0, BODY, &[2]);
        assert!(r.faults == FlitErrors::OVERFLOW && !r.discarded);
        assert!(u.receive(8, 0, TAIL, &[3]).discarded);
        let r = u.receive(9, 0, ONLY, &[4]);
        assert!(r.faults == FlitErrors::OVERFLOW && r.discarded);
        let r = u.receive(10, 0, HEAD, &[4]);
        assert!(r.faults == FlitErrors::OVERFLOW && r.discarded);
        let r = u.receive(11, 0, HEAD, &[4]);
        assert!(r.faults == faults(&[FlitErrors::OVERFLOW, FlitErrors::FRAMING]) && r.discarded);
        assert_eq!(drain(&mut u, 0)[6..], [(HEAD, 1), (TAIL, 2)]);
    }

    #[test]
    fn a_head_with_one_place_left_needs_its_tail_in_it() {
        let mut u = unit(4, 8, 32, 24);
        for t in 0..7 {
            u.receive(t, 0, ONLY, &[0]);
        }
        assert!(u.receive(7, 0, HEAD, &[1]).discarded);
        assert!(u.receive(8, 0, TAIL, &[1]).discarded);
        assert!(u.receive(9, 0, ONLY, &[1]).faults.is_empty());
        assert_eq!(u.buffer(0).occupancy(), 8);
    }

    #[test]
    fn overflow_and_length_at_once() {
        let mut u = unit(2, 4, 32, 24);
        u.receive(0, 0, ONLY, &[0]);
        u.receive(1, 0, ONLY, &[0]);
        u.receive(2, 0, HEAD, &[0]);
        assert_eq!(u.receive(3, 0, BODY, &[0]).faults, faults(&[FlitErrors::OVERFLOW, FlitErrors::LENGTH]));
    }

    #[test]
    fn a_header_of_several_flits() {
        let mut u = unit(8, 16, 16, 40);
        assert_eq!(u.receive(0, 1, HEAD, &[0x1111]).arrival, None);
        assert_eq!(u.receive(1, 1, BODY, &[0x2222]).arrival, None);
        let r = u.receive(2, 1, TAIL, &[0x3333]);
        assert_eq!(r.arrival, Some(HeaderArrival { vc: 1, address: 0x33_2222_1111, ..HeaderArrival::default() }));
        // Two VCs at once do not disturb each other.
        u.receive(3, 0, HEAD, &[1]);
        u.receive(4, 1, HEAD, &[2]);
        u.receive(5, 0, BODY, &[3]);
        u.receive(6, 1, BODY, &[4]);
        assert_eq!(u.receive(7, 0, BODY, &[5]).arrival.map(|a| a.address), Some(0x05_0003_0001));
        assert_eq!(u.receive(8, 1, BODY, &[6]).arrival.map(|a| a.address), Some(0x06_0004_0002));
    }

    #[test]
    fn malformed_packets() {
        let mut u = unit(8, 16, 16, 40);
        let r = u.receive(0, 0, ONLY, &[1]);
        assert!(r.faults == FlitErrors::LENGTH && r.arrival.is_some_and(|a| a.malformed));
        u.receive(1, 0, HEAD, &[1]);
        let r = u.receive(2, 0, HEAD, &[2]);
        assert_eq!(r.faults, faults(&[FlitErrors::LENGTH, FlitErrors::FRAMING]));
        assert!(r.arrival.is_some_and(|a| a.malformed));
        u.receive(3, 0, TAIL, &[0]);
        // A head that becomes the tail completes the header.
        u.receive(4, 0, HEAD, &[1]);
        u.receive(5, 0, BODY, &[2]);
        let r = u.receive(6, 0, ONLY, &[3]);
        assert_eq!(r.faults, FlitErrors::FRAMING);
        assert_eq!(r.arrival, Some(HeaderArrival { vc: 0, address: 0x03_0002_0001, ..HeaderArrival::default() }));
    }

    #[test]
    fn source_routes_are_shifted_in_the_head_only() {
        let mut config = Config::named("t");
        config.ports = 16;
        config.flit_bits = 32;
        config.routing = Routing::Source(SourceRouting { hops: 3 });
        let mut u = InputUnit::new(&config.check().unwrap().shape());
        let r = u.receive(0, 0, HEAD, &[0xffff_f321]);
        assert_eq!(r.arrival, Some(HeaderArrival { vc: 0, address: 1, ..HeaderArrival::default() }));
        u.receive(1, 0, HEAD, &[0x321]);
        assert_eq!(drain(&mut u, 0), [(HEAD, 0xffff_f032), (TAIL, 0x321)]);
    }

    #[test]
    fn reset_forgets_everything() {
        let mut u = unit(4, 8, 32, 24);
        u.receive(0, 0, HEAD, &[0]);
        u.reset();
        assert_eq!(u.buffer(0).occupancy(), 0);
        assert_eq!(u.receive(1, 0, TAIL, &[0]).faults, FlitErrors::FRAMING);
    }
}

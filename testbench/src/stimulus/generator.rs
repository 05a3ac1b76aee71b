//! Packets as they stand in the queues of the sources.

use super::directed::{AddressChoice as Kind, Corners, DirectedSource, PhasePackets};
use crate::random::{Chance, Random};
use crate::traffic::{AddressTable, Addresses, Arrival, DragonflyPlace, Groups, LegalTraffic, Packet, PlacedSwitch};
use railyard_bench::endpoint::SourceQueues;
use railyard_model::bits::ones;
use railyard_spec::{Route, Shape};

/// What the switch takes of a packet.
#[derive(Clone, Copy, Debug)]
pub(super) struct PacketLimits {
    pub ports: usize,
    pub vcs: usize,
    /// Flits.
    pub shortest: u16,
    pub longest: u16,
}

/// Makes packets for the queues of the sources: address or port, bits.
#[derive(Clone, Debug)]
pub struct Generator {
    pub(super) random: Random,
    limits: PacketLimits,
    /// Where addresses lead; none if senders say the way.
    pub table: Option<AddressTable>,
    fresh: Chance,
    twins: Chance,
    unroutable: Chance,
    /// Where multicast packets lead, if the switch has a mixed VC, and their share.
    pub groups: Option<Groups>,
    multicast: Chance,
    /// Share of multicast packets to a group that nobody wrote.
    unknown_groups: Chance,
    /// Port numbers that don't exist: `ports .. port_numbers`.
    ports: u64,
    port_numbers: u64,
    /// Addresses that directed phases look for.
    corners: Corners,
    /// Flits of all packets that the sources had, sent or not.
    pub offered: u64,
    /// Of these, flits of packets that found their source's queue full.
    pub refused: u64,
}

impl Generator {
    /// For the sources of a switch.
    pub fn new(
        shape: &Shape,
        traffic: &LegalTraffic,
        table: Option<AddressTable>,
        groups: Option<Groups>,
        seed: u64,
    ) -> Generator {
        let port_numbers = 1u64 << shape.port_bits;
        let can_miss = table.is_some() || port_numbers > shape.ports as u64;
        let (shortest, longest) = (shape.header_flits() as u16, shape.max_flits as u16);
        Generator {
            random: Random::new(seed, 1),
            limits: PacketLimits { ports: shape.ports, vcs: shape.vcs, shortest, longest },
            table,
            fresh: Chance::new(traffic.fresh),
            twins: Chance::new(traffic.twins),
            unroutable: if can_miss { Chance::new(traffic.unroutable) } else { Chance::NEVER },
            unknown_groups: Chance::new(traffic.unroutable),
            multicast: if groups.is_some() { Chance::new(traffic.multicast) } else { Chance::NEVER },
            groups,
            ports: shape.ports as u64,
            port_numbers,
            corners: Corners::new(shape),
            offered: 0,
            refused: 0,
        }
    }

    /// All packets are unicast packets: their source says where each of them goes.
    pub fn never_multicast(&mut self) {
        self.multicast = Chance::NEVER;
    }

    /// What the switch takes of a packet.
    #[inline]
    pub(super) fn limits(&self) -> PacketLimits {
        self.limits
    }

    /// Queues a packet that is legal. Sources have stood still in `paused` cycles before it.
    #[inline]
    pub fn give(&mut self, packet: Arrival, paused: u64, queues: &mut SourceQueues) {
        let source = packet.source as usize;
        self.offered += u64::from(packet.flits);
        if queues.is_full(source) {
            self.refused += u64::from(packet.flits);
            return;
        }
        let made = self.multicast_packet(&packet, paused);
        queues.push(source, made.unwrap_or_else(|| self.unicast_packet(&packet, paused)));
    }

    /// Queues a packet of a directed phase at each source that has none; `room` are the free places of all (port, VC).
    pub fn direct(
        &mut self,
        now: u64,
        order: &PhasePackets,
        source: &mut DirectedSource,
        room: &[i32],
        queues: &mut SourceQueues,
    ) {
        let vcs = room.len() / self.limits.ports;
        let groups = self.groups.take();
        let idle = !queues.occupied() & u64::MAX >> (64 - self.ports);
        for port in ones(idle) {
            let unicast = |to: u8| self.directed_packet(port, to, order.addresses);
            let room = &room[port * vcs..(port + 1) * vcs];
            if let Some(packet) = source.packet(port, order, room, groups.as_ref(), unicast) {
                self.offered += u64::from(packet.length);
                queues.push(port, Packet { generated: now, source: port as u8, ..packet });
            }
        }
        self.groups = groups;
    }

    /// A packet of `port` to an address of that kind that leads to output `to`, its length to be set.
    fn directed_packet(&mut self, port: usize, to: u8, addresses: Kind) -> Packet {
        let (table, random) = (self.table.as_ref(), &mut self.random);
        let header = match table {
            Some(table) => self.corners.address(table, port as u8, to, addresses, random),
            None if addresses == Kind::Lost && self.port_numbers > self.ports => self.ports,
            None => u64::from(to),
        };
        let route = match table {
            Some(table) => table.route(header),
            None => (header < self.ports).then_some(Route { port: to, ..Route::default() }),
        };
        let mut packet = Packet { key: random.bits(), header, ..Packet::default() };
        packet.follow(route, table.map_or(&[], |table| &table.groups));
        packet
    }

    /// A multicast packet, if one is due.
    #[inline]
    fn multicast_packet(&mut self, arrival: &Arrival, paused: u64) -> Option<Packet> {
        let random = &mut self.random;
        let groups = self.groups.as_ref().filter(|_| random.happens(self.multicast))?;
        let header = match random.happens(self.unknown_groups) {
            true => groups.draw_unknown(random),
            false => groups.draw_group(random),
        };
        let (vc, multicast) = (groups.vc, true);
        let mut packet = Packet { header, vc, multicast, ..drawn(arrival, paused, random) };
        packet.fan_out(groups.outputs(header, arrival.source));
        Some(packet)
    }

    #[inline]
    fn unicast_packet(&mut self, arrival: &Arrival, paused: u64) -> Packet {
        let random = &mut self.random;
        let (source, to) = (arrival.source, arrival.destination);
        let lost = random.happens(self.unroutable);
        let (header, route) = match self.table.as_ref().map(|table| &table.addresses) {
            Some(Addresses::Place(place)) => {
                let draw = if lost { PlacedSwitch::draw_unroutable } else { PlacedSwitch::draw_address };
                let header = draw(place, to, random);
                (header, self.table.as_ref().and_then(|table| table.route(header)))
            }
            Some(Addresses::Dragonfly(place)) => {
                let draw = if lost { DragonflyPlace::draw_unroutable } else { DragonflyPlace::draw_header };
                let header = draw(place, to, random);
                (header, place.route(header))
            }
            Some(Addresses::Map(addresses)) => {
                let header = match lost {
                    true => addresses.draw_unroutable(random),
                    false if random.happens(self.fresh) => addresses.draw_any(source, to, random),
                    false => addresses.draw_used(source, to, random),
                };
                let twin = if random.happens(self.twins) { addresses.twin(header, source, random) } else { None };
                let header = twin.unwrap_or(header);
                (header, self.table.as_ref().and_then(|table| table.route(header)))
            }
            None if lost => (random.within(self.ports, self.port_numbers - 1), None),
            None => (u64::from(to), Some(Route { port: to, ..Route::default() })),
        };
        let mut packet = Packet { header, vc: arrival.vc, ..drawn(arrival, paused, random) };
        packet.follow(route, self.table.as_ref().map_or(&[], |table| &table.groups));
        packet
    }
}

/// A packet without header and route; its bits are drawn.
#[inline]
fn drawn(arrival: &Arrival, paused: u64, random: &mut Random) -> Packet {
    let Arrival { cycle, source, flits, .. } = *arrival;
    Packet { key: random.bits(), generated: cycle + paused, length: flits, source, ..Packet::default() }
}

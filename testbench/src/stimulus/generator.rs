//! The sources: they fill their queues with packets.

use super::directed::{Addresses as Kind, Corners, Order, Source};
use super::Replay;
use crate::random::{Chance, Random};
use crate::traffic::{Addresses, Arrivals, Destinations, Groups, LengthSource, Packet, Place, Table, Traffic, ANY_VC};
use railyard_bench::endpoint::SourceQueues;
use railyard_model::bits::ones;
use railyard_spec::{Route, Shape};

/// Makes packets of a [`Traffic`].
#[derive(Clone, Debug)]
pub struct Generator {
    random: Random,
    /// In place of arrivals, destinations and lengths.
    replay: Option<Replay>,
    arrivals: Arrivals,
    destinations: Destinations,
    lengths: LengthSource,
    /// Where addresses lead; none if senders say the way.
    pub table: Option<Table>,
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
    /// The destination of the source's burst.
    last: Vec<u8>,
    /// Addresses that directed phases look for.
    corners: Corners,
    running: bool,
    /// Flits of all packets that the sources had, sent or not.
    pub offered: u64,
    /// Of these, flits of packets that found their source's queue full.
    pub refused: u64,
}

impl Generator {
    /// Sources of a switch.
    pub fn new(shape: &Shape, traffic: &Traffic, table: Option<Table>, groups: Option<Groups>, seed: u64) -> Generator {
        let mut random = Random::new(seed, 1);
        let lengths = LengthSource::new(traffic.lengths, shape);
        let port_numbers = 1u64 << shape.port_bits;
        let can_miss = table.is_some() || port_numbers > shape.ports as u64;
        Generator {
            replay: traffic.trace.clone().map(Replay::new),
            arrivals: Arrivals::new(shape.ports, traffic.load, lengths.mean(), traffic.burst, &mut random),
            random,
            destinations: Destinations::of_ports(traffic.pattern, shape.ports, seed),
            lengths,
            table,
            fresh: Chance::new(traffic.fresh),
            twins: Chance::new(traffic.twins),
            unroutable: if can_miss { Chance::new(traffic.unroutable) } else { Chance::NEVER },
            unknown_groups: Chance::new(traffic.unroutable),
            multicast: if groups.is_some() { Chance::new(traffic.multicast) } else { Chance::NEVER },
            groups,
            ports: shape.ports as u64,
            port_numbers,
            last: vec![0; shape.ports],
            corners: Corners::new(shape),
            running: true,
            offered: 0,
            refused: 0,
        }
    }

    /// No packet more.
    pub fn stop(&mut self) {
        self.running = false;
    }

    /// What the sources do in cycle `now` of the run, before which they stood still in `paused` cycles. To be called in every other cycle.
    #[inline]
    pub fn cycle(&mut self, now: u64, paused: u64, queues: &mut SourceQueues) {
        if !self.running {
            return;
        }
        if self.replay.is_some() {
            return self.play(now, paused, queues);
        }
        let time = now - paused;
        for port in ones(self.arrivals.due(time)) {
            let length = self.lengths.draw(&mut self.random);
            if self.arrivals.begins_burst(port) {
                self.last[port] = self.destinations.draw(port, &mut self.random) as u8;
            }
            self.arrivals.plan(port, time, length, &mut self.random);
            self.offered += u64::from(length);
            if queues.is_full(port) {
                self.refused += u64::from(length);
            } else {
                let packet = self.multicast_packet(port, length, now);
                queues.push(port, packet.unwrap_or_else(|| self.unicast_packet(port, length, now)));
            }
        }
    }

    /// Queues what a trace has for this cycle. What finds its queue full waits: nothing of a trace is lost.
    fn play(&mut self, now: u64, paused: u64, queues: &mut SourceQueues) {
        while let Some(next) = self.replay.as_mut().and_then(|replay| replay.next(now - paused, queues)) {
            let port = next.source as usize;
            self.last[port] = next.destination;
            self.offered += u64::from(next.flits);
            queues.push(port, Packet { vc: next.vc, ..self.unicast_packet(port, next.flits, next.cycle + paused) });
        }
    }

    /// Packets of a trace that no source has had yet.
    pub fn unplayed(&self) -> usize {
        self.replay.as_ref().map_or(0, Replay::left)
    }

    /// Queues a packet of a directed phase at each source that has none; `room` are the free places of all (port, VC).
    pub fn direct(&mut self, now: u64, order: &Order, source: &mut Source, room: &[i32], queues: &mut SourceQueues) {
        let vcs = room.len() / self.last.len();
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
    fn multicast_packet(&mut self, port: usize, length: u16, now: u64) -> Option<Packet> {
        let random = &mut self.random;
        let groups = self.groups.as_ref().filter(|_| random.happens(self.multicast))?;
        let header = match random.happens(self.unknown_groups) {
            true => groups.draw_unknown(random),
            false => groups.draw_group(random),
        };
        let (source, key) = (port as u8, random.bits());
        let (vc, multicast) = (groups.vc, true);
        let mut packet = Packet { key, header, generated: now, length, source, vc, multicast, ..Packet::default() };
        packet.fan_out(groups.outputs(header, source));
        Some(packet)
    }

    #[inline]
    fn unicast_packet(&mut self, port: usize, length: u16, now: u64) -> Packet {
        let random = &mut self.random;
        let (source, to) = (port as u8, self.last[port]);
        let lost = random.happens(self.unroutable);
        let (header, route) = match self.table.as_ref().map(|table| &table.addresses) {
            Some(Addresses::Place(place)) => {
                let draw = if lost { Place::draw_unroutable } else { Place::draw_address };
                let header = draw(place, to, random);
                (header, self.table.as_ref().and_then(|table| table.route(header)))
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
        let key = random.bits();
        let mut packet = Packet { key, header, generated: now, length, source, vc: ANY_VC, ..Packet::default() };
        packet.follow(route, self.table.as_ref().map_or(&[], |table| &table.groups));
        packet
    }
}

//! The sources: they fill their queues with packets.

use super::{Replay, SourceQueues};
use crate::random::{Chance, Random};
use crate::traffic::{AddressMap, Arrivals, Destinations, LengthSource, Packet, Place, Traffic, ANY_VC, DROP};
use railyard_model::bits::ones;
use railyard_spec::Shape;

/// Makes packets of a [`Traffic`].
#[derive(Clone, Debug)]
pub struct Generator {
    random: Random,
    /// In place of arrivals, destinations and lengths.
    replay: Option<Replay>,
    arrivals: Arrivals,
    destinations: Destinations,
    lengths: LengthSource,
    /// Table routing.
    addresses: Option<AddressMap>,
    /// Algorithmic routing: where the switch is.
    pub place: Option<Place>,
    fresh: Chance,
    twins: Chance,
    unroutable: Chance,
    /// Port numbers that don't exist: `ports .. port_numbers`.
    ports: u64,
    port_numbers: u64,
    /// The destination of the source's burst.
    last: Vec<u8>,
    running: bool,
    /// Flits of all packets that the sources had, sent or not.
    pub offered: u64,
    /// Packets that found their source's queue full.
    pub refused: u64,
}

impl Generator {
    /// Sources of a switch.
    pub fn new(
        shape: &Shape,
        traffic: &Traffic,
        addresses: Option<AddressMap>,
        place: Option<Place>,
        seed: u64,
    ) -> Generator {
        let mut random = Random::new(seed, 1);
        let lengths = LengthSource::new(traffic.lengths, shape);
        let port_numbers = 1u64 << shape.port_bits;
        let can_miss = addresses.is_some() || place.is_some() || port_numbers > shape.ports as u64;
        Generator {
            replay: traffic.trace.clone().map(Replay::new),
            arrivals: Arrivals::new(shape.ports, traffic.load, lengths.mean(), traffic.burst, &mut random),
            random,
            destinations: Destinations::new(traffic.pattern, shape.ports, seed),
            lengths,
            addresses,
            place,
            fresh: Chance::new(traffic.fresh),
            twins: Chance::new(traffic.twins),
            unroutable: if can_miss { Chance::new(traffic.unroutable) } else { Chance::NEVER },
            ports: shape.ports as u64,
            port_numbers,
            last: vec![0; shape.ports],
            running: true,
            offered: 0,
            refused: 0,
        }
    }

    /// No packet more.
    pub fn stop(&mut self) {
        self.running = false;
    }

    /// What the sources do in cycle `now`. To be called in every cycle.
    #[inline]
    pub fn cycle(&mut self, now: u64, queues: &mut SourceQueues) {
        if !self.running {
            return;
        }
        if self.replay.is_some() {
            return self.play(now, queues);
        }
        for port in ones(self.arrivals.due(now)) {
            let length = self.lengths.draw(&mut self.random);
            if self.arrivals.begins_burst(port) {
                self.last[port] = self.destinations.draw(port, &mut self.random);
            }
            self.arrivals.plan(port, now, length, &mut self.random);
            self.offered += u64::from(length);
            if queues.is_full(port) {
                self.refused += 1;
            } else {
                queues.push(port, self.packet(port, length, now));
            }
        }
    }

    /// Queues what a trace has for this cycle. What finds its queue full waits: nothing of a trace is lost.
    fn play(&mut self, now: u64, queues: &mut SourceQueues) {
        while let Some(next) = self.replay.as_mut().and_then(|replay| replay.next(now, queues)) {
            let port = next.source as usize;
            self.last[port] = next.destination;
            self.offered += u64::from(next.flits);
            queues.push(port, Packet { vc: next.vc, ..self.packet(port, next.flits, next.cycle) });
        }
    }

    /// Packets of a trace that no source has had yet.
    pub fn unplayed(&self) -> usize {
        self.replay.as_ref().map_or(0, Replay::left)
    }

    #[inline]
    fn packet(&mut self, port: usize, length: u16, now: u64) -> Packet {
        let random = &mut self.random;
        let (source, to) = (port as u8, self.last[port]);
        let lost = random.happens(self.unroutable);
        if let Some(place) = &self.place {
            let draw = if lost { Place::draw_unroutable } else { Place::draw_address };
            let (header, destination) = draw(place, to, random);
            return Packet { key: random.bits(), header, generated: now, length, source, destination, vc: ANY_VC };
        }
        let header = match &self.addresses {
            Some(addresses) if lost => addresses.draw_unroutable(random),
            Some(addresses) if random.happens(self.fresh) => addresses.draw_any(source, to, random),
            Some(addresses) => addresses.draw_used(source, to, random),
            None if lost => random.within(self.ports, self.port_numbers - 1),
            None => u64::from(to),
        };
        let destination = if lost { DROP } else { to };
        let twin = match &self.addresses {
            Some(addresses) if random.happens(self.twins) => addresses.twin(header, source, random),
            _ => None,
        };
        let (header, destination) = twin.map_or((header, destination), |(twin, port)| (twin, port.unwrap_or(DROP)));
        Packet { key: random.bits(), header, generated: now, length, source, destination, vc: ANY_VC }
    }
}

//! Pattern traffic: random arrivals, destinations by a pattern.

use super::{Sources, TrafficSource};
use crate::random::Random;
use crate::traffic::{Arrival, Arrivals, Destinations, LegalTraffic, LengthSource, ANY_VC};
use railyard_model::bits::ones;
use railyard_spec::Shape;

/// Packets of a [`LegalTraffic`].
#[derive(Clone, Debug)]
pub struct PatternTraffic {
    name: &'static str,
    arrivals: Arrivals,
    destinations: Destinations,
    lengths: LengthSource,
    /// The destination of the source's burst.
    last: Vec<u8>,
}

impl PatternTraffic {
    /// Traffic before its first cycle; `random` is what [`Sources::random`] gives.
    pub fn new(shape: &Shape, traffic: &LegalTraffic, seed: u64, random: &mut Random) -> PatternTraffic {
        let lengths = LengthSource::new(traffic.lengths, shape);
        PatternTraffic {
            name: traffic.pattern.name(),
            arrivals: Arrivals::new(shape.ports, traffic.load, lengths.mean(), traffic.burst, random),
            destinations: Destinations::of_ports(traffic.pattern, shape.ports, seed),
            lengths,
            last: vec![0; shape.ports],
        }
    }
}

impl TrafficSource for PatternTraffic {
    fn name(&self) -> &'static str {
        self.name
    }

    #[inline]
    fn cycle(&mut self, cycle: u64, sources: &mut Sources<'_>) {
        for source in ones(self.arrivals.due(cycle)) {
            let random = sources.random();
            let flits = self.lengths.draw(random);
            if self.arrivals.begins_burst(source) {
                self.last[source] = self.destinations.draw(source, random) as u8;
            }
            self.arrivals.plan(source, cycle, flits, random);
            let destination = self.last[source];
            sources.give(Arrival { cycle, source: source as u8, destination, flits, vc: ANY_VC });
        }
    }
}

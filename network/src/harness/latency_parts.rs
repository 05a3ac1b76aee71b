//! Of what latencies in a Dragonfly are made: the way, detours, and waits by the kind of buffer.
//!
//! A packet is followed by its head. Each switch says when a head left. What the head took longer than on an idle way
//! is a wait in the buffer in which the switch had it. Parts are cycles, and make the latency together.

use super::packets::Begun;
use super::passages::Passage;
use super::setting::switch_cycles;
use super::Network;
use crate::device::Device;
use crate::run::RunError;
use railyard_bench::Latencies;
use railyard_spec::misrouting::PortKind;
use serde::Serialize;
use std::collections::VecDeque;

/// A packet under way.
#[derive(Clone, Copy, Debug)]
struct Journey {
    /// Cycle in which its head left what it left last, and cycles of the link that followed.
    left: u64,
    link: u64,
    /// Kind of the buffer at that link's end.
    buffer: PortKind,
    /// Cycles of the minimal way, and of the way so far, without waits.
    minimal: u64,
    way: u64,
    /// Waits in the source and the buffers of its switch, at local links, and at global links.
    injection: u64,
    local: u64,
    global: u64,
}

impl Journey {
    fn pass(&mut self, passage: &Passage, switch: u64) {
        let wait = passage.left.saturating_sub(self.left + self.link + switch);
        match self.buffer {
            PortKind::Node => self.injection += wait,
            PortKind::Local => self.local += wait,
            PortKind::Global => self.global += wait,
        }
        self.way += self.link + switch;
        (self.left, self.link, self.buffer) = (passage.left, passage.link, passage.kind);
    }
}

/// Parts of the latencies of some packets.
#[derive(Clone, Debug, Default)]
pub struct LatencyParts {
    minimal: Latencies,
    misrouting: Latencies,
    local: Latencies,
    global: Latencies,
    injection: Latencies,
    tail: Latencies,
}

impl LatencyParts {
    /// A packet of so many flits whose tail came in cycle `now`. A way that is shorter than that of the tables counts
    /// as minimal.
    fn add(&mut self, journey: &Journey, now: u64, length: u64) {
        let head = journey.left + journey.link;
        let (way, behind) = (journey.way + journey.link, length - 1);
        let minimal = journey.minimal.min(way);
        self.minimal.add(minimal + behind);
        self.misrouting.add(way - minimal);
        self.local.add(journey.local);
        self.global.add(journey.global);
        self.injection.add(journey.injection);
        self.tail.add(now.saturating_sub(head + behind));
    }
}

/// A part of the latencies, in cycles.
#[derive(Clone, Copy, Debug, PartialEq, Serialize)]
pub struct LatencyPart {
    /// Mean.
    pub mean: f64,
    /// Median.
    pub p50: u64,
    /// What 99 of 100 packets don't exceed.
    pub p99: u64,
    /// The longest.
    pub max: u64,
}

impl LatencyPart {
    fn new(latencies: &Latencies) -> LatencyPart {
        LatencyPart {
            mean: latencies.mean(),
            p50: latencies.percentile(0.5),
            p99: latencies.percentile(0.99),
            max: latencies.max(),
        }
    }
}

/// Parts of the latencies of all packets that were delivered. Their means make the mean latency.
#[derive(Clone, Copy, Debug, PartialEq, Serialize)]
pub struct LatencyPartsReport {
    /// Packets.
    pub packets: u64,
    /// The minimal way on which nothing waits, and the flits behind the head.
    pub minimal: LatencyPart,
    /// What the way taken was longer.
    pub misrouting: LatencyPart,
    /// Waits in buffers at local links.
    pub local: LatencyPart,
    /// Waits in buffers at global links.
    pub global: LatencyPart,
    /// Waits at the source, and in the buffers of its switch.
    pub injection: LatencyPart,
    /// Cycles in which other flits, such as messages, came between those of the packet.
    pub tail: LatencyPart,
}

impl LatencyPartsReport {
    fn new(parts: &LatencyParts) -> LatencyPartsReport {
        LatencyPartsReport {
            packets: parts.minimal.count(),
            minimal: LatencyPart::new(&parts.minimal),
            misrouting: LatencyPart::new(&parts.misrouting),
            local: LatencyPart::new(&parts.local),
            global: LatencyPart::new(&parts.global),
            injection: LatencyPart::new(&parts.injection),
            tail: LatencyPart::new(&parts.tail),
        }
    }

    /// The parts with their names, in the order of the fields.
    pub fn named(&self) -> [(&'static str, LatencyPart); 6] {
        [
            ("minimal way", self.minimal),
            ("misrouting", self.misrouting),
            ("local queues", self.local),
            ("global queues", self.global),
            ("injection", self.injection),
            ("between flits", self.tail),
        ]
    }
}

/// All packets under way, and what became of the others.
#[derive(Clone, Debug)]
pub struct Journeys {
    /// By source, in the order in which they were begun: as the scoreboard has its records.
    under_way: Vec<VecDeque<Journey>>,
    switch: u64,
    parts: LatencyParts,
    /// The same since somebody asked last.
    recent: LatencyParts,
}

impl Journeys {
    /// Of so many nodes, with so many cycles through a switch.
    pub fn new(nodes: usize, switch: u64) -> Journeys {
        let (parts, recent) = Default::default();
        Journeys { under_way: vec![VecDeque::new(); nodes], switch, parts, recent }
    }

    /// Forgets what was delivered.
    pub fn restart(&mut self) {
        (self.parts, self.recent) = Default::default();
    }

    /// A packet was begun in cycle `now`. Given are the cycles of its node's link, and of its minimal way.
    pub fn begin(&mut self, now: u64, begun: &Begun, link: u64, minimal: u64) {
        let injection = now - begun.generated;
        let (buffer, way, local, global) = (PortKind::Node, 0, 0, 0);
        let journey = Journey { left: now, link, buffer, minimal, way, injection, local, global };
        self.under_way[begun.identity.source].push_back(journey);
    }

    /// The head of a packet left a switch. It is packet number `at` of its source.
    pub fn pass(&mut self, at: usize, passage: &Passage) {
        if let Some(journey) = self.under_way[passage.identity.source].get_mut(at) {
            journey.pass(passage, self.switch);
        }
    }

    /// A packet was delivered in cycle `now`.
    pub fn deliver(&mut self, source: usize, at: usize, now: u64, length: usize) {
        if let Some(journey) = self.under_way[source].get(at) {
            self.parts.add(journey, now, length as u64);
            self.recent.add(journey, now, length as u64);
        }
    }

    /// The first packet of a source is under way no more.
    pub fn forget_first(&mut self, source: usize) {
        self.under_way[source].pop_front();
    }

    /// Parts since the last call or the last [`Journeys::restart`].
    pub fn take_recent(&mut self) -> LatencyPartsReport {
        LatencyPartsReport::new(&std::mem::take(&mut self.recent))
    }
}

impl<D: Device> Network<D> {
    /// From now on, latencies are split into parts. To be called before any packet is made.
    ///
    /// # Errors
    /// Switches do not route in a Dragonfly.
    pub fn keep_latency_parts(&mut self) -> Result<(), RunError> {
        let Some(switch) = switch_cycles(self.setting.shape()) else {
            let rule = "can't be told of switches with other routing than that of kind `dragonfly`";
            return RunError::of("/switch/routing/kind", "the parts of latencies", rule, "\"dragonfly\"");
        };
        self.scoreboard.journeys = Some(Journeys::new(self.setting.blueprint.wiring.nodes().len(), switch));
        self.stations.iter_mut().for_each(|station| station.keep_passages());
        Ok(())
    }

    /// Parts of the latencies since [`Network::measure`], if they are kept.
    pub(super) fn latency_parts(&self) -> Option<LatencyPartsReport> {
        self.scoreboard.journeys.as_ref().map(|journeys| LatencyPartsReport::new(&journeys.parts))
    }
}

#[cfg(test)]
mod tests {
    use super::super::target::Destination;
    use super::*;
    use railyard_bench::traffic::Identity;

    /// A packet of 4 flits: it waits 3 cycles at its source, 2 and 7 in its switch's and the next one's buffer.
    #[test]
    fn parts_make_the_latency() {
        let identity = Identity { source: 1, serial: 9 };
        let packet =
            |generated| Begun { identity, target: Destination::Node(0), vc: 0, generated, length: 4, is_reply: false };
        let mut journeys = Journeys::new(2, 5);
        journeys.begin(103, &packet(100), 1, 1 + 5 + 10 + 5 + 1);
        let pass = |journeys: &mut Journeys, left, kind, link| {
            journeys.pass(0, &Passage { identity, left, link, kind });
        };
        pass(&mut journeys, 103 + 1 + 5 + 2, PortKind::Global, 30);
        pass(&mut journeys, 111 + 30 + 5 + 7, PortKind::Local, 10);
        pass(&mut journeys, 153 + 10 + 5, PortKind::Node, 1);
        // A message between the flits.
        let tail = 168 + 1 + 3 + 1;
        journeys.deliver(1, 0, tail, 4);
        let parts = journeys.take_recent();
        let means = parts.named().map(|(_, part)| part.mean);
        assert_eq!(means, [22.0 + 3.0, 35.0, 0.0, 7.0, 3.0 + 2.0, 1.0]);
        assert_eq!(means.iter().sum::<f64>(), (tail - 100) as f64);
        assert_eq!(journeys.take_recent().packets, 0);
    }

    #[test]
    fn a_way_shorter_than_that_of_the_tables_is_minimal() {
        let identity = Identity { source: 0, serial: 0 };
        let begun = Begun { identity, target: Destination::Node(1), vc: 0, generated: 0, length: 1, is_reply: false };
        let mut journeys = Journeys::new(1, 5);
        journeys.begin(0, &begun, 1, 100);
        journeys.pass(0, &Passage { identity, left: 6, link: 1, kind: PortKind::Node });
        journeys.deliver(0, 0, 7, 1);
        let parts = journeys.take_recent();
        assert_eq!((parts.minimal.mean, parts.misrouting.mean), (7.0, 0.0));
    }
}

//! Where the packets of a run come from: a pattern, a trace, or traffic of one's own.

use super::Generator;
use crate::random::Random;
use crate::traffic::{Arrival, Packet, ANY_VC};
use dyn_clone::DynClone;
use railyard_bench::endpoint::SourceQueues;
use std::fmt::Debug;
use std::sync::Arc;

/// Traffic: which source has a packet, when, to where and how long.
///
/// Patterns and traces are traffic of this kind; [`Scenario::own`](super::Scenario::own) takes any other. The bench
/// does the rest: it queues a packet at its source, makes its address and bits, sends it when there is credit, and
/// keeps account on the scoreboard.
///
/// A run can be made again, so that a failure is seen once more. Each run begins with a clone, so the same calls must
/// have the same effect: random numbers come from [`Sources::random`], not from outside.
pub trait TrafficSource: DynClone + Debug + Send + Sync {
    /// What reports call the traffic.
    fn name(&self) -> &'static str;

    /// Gives the sources the packets that arrive in this cycle. Cycles count from the one in which sources begin: those
    /// of reset and set-up do not count. No call comes after the end of the traffic.
    fn cycle(&mut self, cycle: u64, sources: &mut Sources<'_>);

    /// The tail of a packet was at the output pins in this cycle. Comes behind the call of [`TrafficSource::cycle`] for
    /// the same cycle. Without a scoreboard, as with illegal senders, it does not come. Nor does it for packets that
    /// are dropped, or lost to a reset.
    fn delivered(&mut self, _cycle: u64, _packet: &Packet) {}

    /// Packets that no source has had yet, if a run is to have them all.
    fn unplayed(&self) -> usize {
        0
    }
}

dyn_clone::clone_trait_object!(TrafficSource);

/// The sources of a switch, one at each input port. Each has a queue of packets.
#[derive(Debug)]
pub struct Sources<'a> {
    pub(super) name: &'static str,
    pub(super) generator: &'a mut Generator,
    pub(super) queues: &'a mut SourceQueues,
    /// Cycles that do not count.
    pub(super) paused: u64,
}

impl Sources<'_> {
    /// How many there are.
    pub fn ports(&self) -> usize {
        self.generator.limits().ports
    }

    /// Whether the queue of a source has room.
    #[inline]
    pub fn has_room(&self, source: usize) -> bool {
        !self.queues.is_full(source)
    }

    /// Random numbers from the seed of the run.
    #[inline]
    pub fn random(&mut self) -> &mut Random {
        &mut self.generator.random
    }

    /// Queues a packet. One for a full queue is refused: it is counted and forgotten.
    ///
    /// # Panics
    /// The switch has no such port or VC, or the packet is too long, or shorter than its header.
    #[inline]
    #[track_caller]
    pub fn give(&mut self, packet: Arrival) {
        self.check(&packet);
        self.generator.give(packet, self.paused, self.queues);
    }

    #[inline]
    #[track_caller]
    fn check(&self, packet: &Arrival) {
        let limits = self.generator.limits();
        let fits = |value: usize, count: usize| value < count;
        let is_legal = fits(packet.source.into(), limits.ports)
            && fits(packet.destination.into(), limits.ports)
            && (limits.shortest..=limits.longest).contains(&packet.flits)
            && (packet.vc == ANY_VC || fits(packet.vc.into(), limits.vcs));
        if !is_legal {
            self.refuse(packet);
        }
    }

    #[cold]
    #[track_caller]
    fn refuse(&self, packet: &Arrival) -> ! {
        let limits = self.generator.limits();
        let (ports, vcs) = (limits.ports - 1, limits.vcs - 1);
        let last = |count: usize| (0, count as u64);
        let fields = [
            ("source", u64::from(packet.source), last(ports)),
            ("destination", u64::from(packet.destination), last(ports)),
            ("flits", u64::from(packet.flits), (limits.shortest.into(), limits.longest.into())),
            ("vc", u64::from(packet.vc), last(vcs)),
        ];
        let (name, cycle) = (self.name, packet.cycle);
        for (field, value, (low, high)) in fields {
            assert!(
                (low..=high).contains(&value),
                "traffic `{name}`, cycle {cycle}: `{field}` is {value}; legal: {low} to {high}"
            );
        }
        unreachable!("some field is illegal")
    }
}

/// Traffic as it is before the first cycle; each run has a clone. Two are equal if they are one and the same.
#[derive(Clone, Debug)]
pub struct OwnTraffic(Arc<dyn TrafficSource>);

impl OwnTraffic {
    /// Traffic before its first cycle.
    pub fn new(source: impl TrafficSource + 'static) -> OwnTraffic {
        OwnTraffic(Arc::new(source))
    }

    /// What reports call it.
    pub fn name(&self) -> &'static str {
        self.0.name()
    }

    /// A clone for a run.
    pub(super) fn start(&self) -> Box<dyn TrafficSource> {
        dyn_clone::clone_box(&*self.0)
    }
}

impl PartialEq for OwnTraffic {
    fn eq(&self, other: &OwnTraffic) -> bool {
        Arc::ptr_eq(&self.0, &other.0)
    }
}

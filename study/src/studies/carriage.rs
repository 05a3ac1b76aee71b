//! Barriers beside unicast packets, their messages carried in one of three ways.

use super::dawning::{self, Measured, Runs};
use super::NetworkSize;
use railyard_model::Switch;
use railyard_network::barrier::PacketBarrierSwitch;
use railyard_network::harness::{BarrierTimers, Network, Pattern, Run, RunReport, Traffic};

/// Cycles on a link.
pub(super) const LINK_LATENCY: u64 = 4;

/// Lengths in flits.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(super) struct Queues {
    /// Of all unicast packets, the longest that the switch takes.
    pub packet: u32,
    /// Of the buffer of a VC.
    pub buffer: u32,
}

/// The VC on which barrier messages travel, and how.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(super) enum Carriage {
    /// On the barrier VC: without a queue, before the next flit of any packet.
    Barrier,
    /// As packets on a VC that no other packet uses, without any precedence.
    Own,
    /// As packets on a VC that unicast packets use, too.
    Shared,
}

impl Carriage {
    pub const ALL: [Carriage; 3] = [Carriage::Barrier, Carriage::Own, Carriage::Shared];

    pub fn name(self) -> &'static str {
        match self {
            Carriage::Barrier => "barrier VC",
            Carriage::Own => "own VC",
            Carriage::Shared => "shared VC",
        }
    }

    /// The VC of the messages, where they are packets. That of multicast packets is free, as there are none.
    fn vc(self) -> Option<u8> {
        match self {
            Carriage::Barrier => None,
            Carriage::Own => Some(2),
            Carriage::Shared => Some(0),
        }
    }
}

/// What runs beside the barriers, and how their messages travel.
#[derive(Clone, Copy, Debug)]
pub(super) struct Case {
    /// How messages travel.
    pub carriage: Carriage,
    /// Packets and buffers.
    pub queues: Queues,
    /// Where unicast packets go.
    pub pattern: Pattern,
    /// Their offered load in %.
    pub load: u32,
}

/// A network, its seed, and how long it is measured.
#[derive(Clone, Copy)]
pub(super) struct Bench {
    pub size: NetworkSize,
    pub seed: u64,
    /// Cycles measured first, with packets of so many flits.
    pub cycles: fn(u32) -> u64,
    /// Barriers that are enough.
    pub barriers: u64,
}

impl Bench {
    /// Each case with each seed: all nodes go from barrier to barrier without a pause.
    pub fn measure_all(self, cases: &[Case]) -> Vec<Runs> {
        dawning::measure_all(cases, self.seed, |case, seed| self.measure(case, seed))
    }

    fn measure(self, case: &Case, seed: u64) -> Measured {
        let Case { carriage, queues, pattern, load } = *case;
        let mut config = dawning::switch(self.size);
        (config.packet.max_flits, config.buffer_flits) = (queues.packet, Some(queues.buffer));
        let traffic = Traffic {
            pattern,
            load: f64::from(load) / 100.0,
            length: Some(queues.packet),
            multicast: 0.0,
            ..Traffic::default()
        };
        let run = Run {
            traffic,
            barriers: 1.0,
            barrier_packets: carriage.vc(),
            // Nothing gets lost, so nothing is sent again, however long it waits.
            barrier_timers: BarrierTimers { retransmit: 0, urge: 0, scale: 0 },
            link_latency: LINK_LATENCY,
            seed,
            ..Run::default()
        };
        let (fits, cycles) = ("the run fits the network", (self.cycles)(queues.packet));
        let is_enough = |report: &RunReport| barriers(report) >= self.barriers;
        match carriage.vc() {
            None => {
                let network = Network::new(dawning::blueprint_of(self.size, config), &run, Switch::new);
                dawning::measure_until(network.expect(fits), cycles, is_enough)
            }
            Some(vc) => {
                config.ports *= 2;
                let device = |shape: &_| PacketBarrierSwitch::new(shape, vc);
                let network = Network::new(dawning::blueprint_of(self.size, config), &run, device);
                dawning::measure_until(network.expect(fits), cycles, is_enough)
            }
        }
    }
}

/// Barriers that all members have completed.
fn barriers(report: &RunReport) -> u64 {
    report.barriers.as_ref().and_then(|barriers| barriers.groups.first()).map_or(0, |group| group.barriers)
}

/// Cycles from the last arrival at a barrier to its completion at a node, mean.
pub(super) fn latency(report: &RunReport) -> f64 {
    report.barriers.as_ref().and_then(|barriers| barriers.groups.first()).expect("barriers were run").latency_mean
}

//! What a run came to.

use super::barrier_board::BarrierFigures;
use super::credit_links::CreditCounts;
use super::messages::MessageCounts;
use super::{Broken, Mismatch, Network, Outage};
use crate::device::Device;
use railyard_sampling::Latencies;
use serde::Serialize;

/// Latencies of a kind of packets, in cycles from when the source had a packet to its tail at the (last) destination.
#[derive(Clone, Debug, PartialEq, Serialize)]
pub struct KindReport {
    /// Packets delivered.
    pub packets: u64,
    /// Mean.
    pub latency_mean: f64,
    /// Median.
    pub latency_p50: u64,
    /// What 99 of 100 don't exceed.
    pub latency_p99: u64,
    /// The longest.
    pub latency_max: u64,
}

impl KindReport {
    fn new(latencies: &Latencies) -> KindReport {
        KindReport {
            packets: latencies.count(),
            latency_mean: latencies.mean(),
            latency_p50: latencies.percentile(0.5),
            latency_p99: latencies.percentile(0.99),
            latency_max: latencies.max(),
        }
    }
}

/// Barriers of the groups of a size. Latencies in cycles.
#[derive(Clone, Debug, PartialEq, Serialize)]
pub struct BarrierKindReport {
    /// Members of a group.
    pub members: usize,
    /// Barriers completed at all members.
    pub barriers: u64,
    /// From the last arrival to the completion at a member: mean.
    pub latency_mean: f64,
    /// Median.
    pub latency_p50: u64,
    /// What 99 of 100 don't exceed.
    pub latency_p99: u64,
    /// The longest.
    pub latency_max: u64,
    /// From the first arrival to the completion at the last member: mean.
    pub span_mean: f64,
    /// The longest.
    pub span_max: u64,
}

impl BarrierKindReport {
    fn new((members, figures): (usize, &BarrierFigures)) -> BarrierKindReport {
        let BarrierFigures { latencies, spans } = figures;
        BarrierKindReport {
            members,
            barriers: spans.count(),
            latency_mean: latencies.mean(),
            latency_p50: latencies.percentile(0.5),
            latency_p99: latencies.percentile(0.99),
            latency_max: latencies.max(),
            span_mean: spans.mean(),
            span_max: spans.max(),
        }
    }
}

/// Barriers of a run.
#[derive(Clone, Debug, PartialEq, Serialize)]
pub struct BarrierReport {
    /// By number of members, fewest first.
    pub groups: Vec<BarrierKindReport>,
    /// Messages sent again, lost, corrupted.
    pub messages: MessageCounts,
}

/// Figures of a run. The same seed gives the same figures, whatever the number of threads.
#[derive(Clone, Debug, PartialEq, Serialize)]
pub struct Report {
    /// Switches.
    pub switches: usize,
    /// Nodes.
    pub nodes: usize,
    /// Links between switches.
    pub links: usize,
    /// Cycles measured: without those in which sources paused while a link was taken out.
    pub cycles: u64,
    /// Flits that sources made, for each node and cycle.
    pub offered: f64,
    /// Flits that nodes received, for each node and cycle: 1 is every node's link, always busy.
    pub throughput: f64,
    /// Unicast packets delivered while measuring.
    pub unicast: KindReport,
    /// Multicast packets, delivered to all members.
    pub multicast: KindReport,
    /// Barriers, if the nodes ran any.
    pub barriers: Option<BarrierReport>,
    /// Credit reports lost and corrupted.
    pub credit_reports: CreditCounts,
    /// Packets that are still in source queues.
    pub queued: usize,
    /// Links taken out, in order.
    pub outages: Vec<Outage>,
    /// Links that broke, and what was stranded by the end of the run, its drain included.
    pub broken: Option<Broken>,
    /// Mismatches: packets lost, duplicated, damaged, out of order, standing still.
    pub mismatch_count: u64,
    /// The first of them.
    pub mismatches: Vec<Mismatch>,
}

impl Report {
    pub(super) fn new<D: Device>(network: &Network<D>) -> Report {
        let wiring = &network.setting.blueprint.wiring;
        let (nodes, cycles) = (wiring.nodes().len(), network.of_run(network.now) - network.measured_from);
        let rate = |flits: u64| flits as f64 / (cycles * nodes as u64).max(1) as f64;
        let (mismatches, count) = network.scoreboard.mismatches();
        Report {
            switches: wiring.switches(),
            nodes,
            links: wiring.links().count(),
            cycles,
            offered: rate(network.counts.1),
            throughput: rate(network.counts.0),
            unicast: KindReport::new(&network.scoreboard.unicast.latencies),
            multicast: KindReport::new(&network.scoreboard.multicast.latencies),
            barriers: network.setting.barriers.as_ref().map(|_| BarrierReport {
                groups: network.barriers.figures().map(BarrierKindReport::new).collect(),
                messages: network.message_counts,
            }),
            credit_reports: network.credit_counts,
            queued: network.terminals().map(|terminal| terminal.queued()).sum(),
            outages: network.outages.clone(),
            broken: network.broken(),
            mismatch_count: count,
            mismatches: mismatches.to_vec(),
        }
    }
}

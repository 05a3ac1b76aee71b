//! What a run came to.

use super::barrier_board::BarrierFigures;
use super::credit_links::CreditCounts;
use super::graph500::Graph500Report;
use super::latency_parts::LatencyPartsReport;
use super::messages::MessageCounts;
use super::steady::{is_saturated, is_steady, CacheReport};
use super::{BrokenLinks, Mismatch, Network, Outage, Station};
use crate::device::Device;
use crate::wiring::Port;
use railyard_bench::{Fairness, Latencies};
use railyard_model::route::dragonfly::hop_counts::HopCounts;
use railyard_spec::misrouting::PortKind;
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
    pub(super) fn new(latencies: &Latencies) -> KindReport {
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

/// A link between switches in one direction.
#[derive(Clone, Copy, Debug, PartialEq, Serialize)]
pub struct BusiestLink {
    /// The port from which it leads.
    pub link: Port,
    /// Share of the measured cycles in which a flit left there.
    pub busy: f64,
    /// The same of all links between switches, on the average.
    pub busy_on_average: f64,
}

impl BusiestLink {
    /// Of a network that was measured for so many cycles; of several the first one.
    fn new<D: Device>(network: &Network<D>, cycles: u64) -> Option<BusiestLink> {
        let ends = network.setting.blueprint.wiring.links().flat_map(|(near, far)| [near, far]);
        let busy = |link: Port| network.stations[link.switch].flits(link.port) as f64 / cycles.max(1) as f64;
        let links: Vec<(Port, f64)> = ends.map(|link| (link, busy(link))).collect();
        let busiest = links.iter().copied().reduce(|most, link| if link.1 > most.1 { link } else { most })?;
        let busy_on_average = links.iter().map(|(_, busy)| busy).sum::<f64>() / links.len() as f64;
        Some(BusiestLink { link: busiest.0, busy: busiest.1, busy_on_average })
    }
}

/// Packets off their minimal ways, for each packet that a node sent.
#[derive(Clone, Copy, Debug, PartialEq, Serialize)]
pub struct MisroutingReport {
    /// Packets.
    pub packets: u64,
    /// Left the minimal way in the source's group, by one of the next three ways.
    pub misrouted: f64,
    /// Sent to a via by their source.
    pub to_via: f64,
    /// Detours over a local link of the source's group.
    pub local_at_home: f64,
    /// Detours over a global link of the first or second switch.
    pub global: f64,
    /// Detours over a local link of a later group.
    pub local_behind: f64,
    /// Hops after a wait that left nothing but the escape.
    pub escapes: f64,
}

impl MisroutingReport {
    /// Of the hops of all switches together.
    pub(super) fn new(hops: HopCounts) -> MisroutingReport {
        let share = |hops_of_kind: u64| hops_of_kind as f64 / hops.started.max(1) as f64;
        MisroutingReport {
            packets: hops.started,
            misrouted: hops.misrouted(),
            to_via: share(hops.to_via),
            local_at_home: share(hops.local_at_home),
            global: share(hops.global),
            local_behind: share(hops.local_behind),
            escapes: share(hops.escapes),
        }
    }
}

/// Links between switches for each flit that a node received, by kind.
#[derive(Clone, Copy, Debug, PartialEq, Serialize)]
pub struct HopsByKind {
    /// Links inside of groups.
    pub local: f64,
    /// Links between groups.
    pub global: f64,
}

/// Messages that routers of a Dragonfly's groups sent to each other.
#[derive(Clone, Copy, Debug, PartialEq, Serialize)]
pub struct RouterMessageReport {
    /// Messages.
    pub messages: u64,
    /// Share of the cycles of local links that they took.
    pub busy: f64,
    /// Messages lost on links, barrier messages among them.
    pub lost: u64,
    /// Messages of which a bit was flipped.
    pub corrupted: u64,
}

impl RouterMessageReport {
    /// Of a network that was measured for so many cycles; none if routers send no messages.
    fn new<D: Device>(network: &Network<D>, cycles: u64) -> Option<RouterMessageReport> {
        let of_switches = network.stations.iter().filter_map(|station| station.router_messages());
        let [messages, links] = of_switches.reduce(|[m, l], [messages, links]| [m + messages, l + links])?;
        let MessageCounts { lost, corrupted, .. } = network.measured.messages;
        let busy = messages as f64 / (cycles * links).max(1) as f64;
        Some(RouterMessageReport { messages, busy, lost, corrupted })
    }
}

impl<D: Device> Network<D> {
    /// Hops of all switches since the warm-up, if they choose ways.
    pub(super) fn hops(&self) -> Option<HopCounts> {
        self.setting.shape().dragonfly().filter(|built| built.adaptive())?;
        self.stations.iter().filter_map(|station| station.hops()).reduce(HopCounts::plus)
    }

    /// Of so many flits that nodes received.
    fn hops_by_kind(&self, received: u64) -> Option<HopsByKind> {
        let built = self.setting.shape().dragonfly()?;
        let of = |kind: PortKind| {
            let ports = || (0..self.setting.sizes.ports).filter(|&port| built.kind(port) == kind);
            let flits = |station: &Station<D>| ports().map(|port| station.packet_flits(port)).sum::<u64>();
            self.stations.iter().map(flits).sum::<u64>() as f64 / received.max(1) as f64
        };
        Some(HopsByKind { local: of(PortKind::Local), global: of(PortKind::Global) })
    }
}

/// Figures of a run. The same seed gives the same figures, whatever the number of threads.
#[derive(Clone, Debug, PartialEq, Serialize)]
pub struct RunReport {
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
    /// Flits of packets that were delivered to all their destinations, each packet counted once, for each node and
    /// cycle.
    pub accepted: f64,
    /// Less was accepted than offered, throughout: buffers and source queues fill, and latencies grow for as long as a
    /// run lasts. The cause is the load, or a broken link behind which packets are stranded.
    pub saturated: bool,
    /// Nodes received as much in the second half of the measured cycles as in the first; none if the run was too short
    /// to tell.
    pub steady: Option<bool>,
    /// Flits that nodes received, for each node and cycle: 1 is every node's link, always busy.
    pub throughput: f64,
    /// Links between switches for each flit that a node received.
    pub hops: f64,
    /// The same by kind of link, in a Dragonfly whose switches route in one.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub hops_by_kind: Option<HopsByKind>,
    /// Flits that the nodes of a switch sent, for each of these nodes and cycle: how evenly switches got their load
    /// into the network.
    pub injected: Option<Fairness>,
    /// The link between switches that was busy for longest.
    pub busiest_link: Option<BusiestLink>,
    /// Packets off their minimal ways, if switches choose ways.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub misrouting: Option<MisroutingReport>,
    /// Of what the latencies are made, if that is kept.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub latency_parts: Option<LatencyPartsReport>,
    /// Messages between the routers of a group, if they send some.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub router_messages: Option<RouterMessageReport>,
    /// Lookups in the routing caches, if the switches have some.
    pub caches: Option<CacheReport>,
    /// Unicast packets delivered while measuring.
    pub unicast: KindReport,
    /// Multicast packets, delivered to all members.
    pub multicast: KindReport,
    /// Replies, if nodes answer unicast packets.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub replies: Option<KindReport>,
    /// The search of Graph500, if nodes ran one.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub graph500: Option<Graph500Report>,
    /// Barriers, if the nodes ran any.
    pub barriers: Option<BarrierReport>,
    /// Credit reports lost and corrupted.
    pub credit_reports: CreditCounts,
    /// Packets that are still in source queues.
    pub queued: usize,
    /// Links taken out, in order.
    pub outages: Vec<Outage>,
    /// Links that broke, and what was stranded by the end of the run, its drain included.
    pub broken: Option<BrokenLinks>,
    /// Mismatches: packets lost, duplicated, damaged, out of order, standing still.
    pub mismatch_count: u64,
    /// The first of them.
    pub mismatches: Vec<Mismatch>,
}

impl RunReport {
    /// Whether packets wait for ever for a broken link: then less is accepted than offered at any load.
    pub fn has_stranded(&self) -> bool {
        self.broken.as_ref().is_some_and(|broken| broken.packets_over + broken.packets_behind > 0)
    }

    pub(super) fn new<D: Device>(network: &Network<D>) -> RunReport {
        let wiring = &network.setting.blueprint.wiring;
        let measured = &network.measured;
        let (sums, steps) = (measured.sums, measured.growth.steps());
        let (nodes, cycles) = (wiring.nodes().len(), network.of_run(network.now) - measured.from);
        let rate = |flits: u64| flits as f64 / (cycles * nodes as u64).max(1) as f64;
        let has_caches = network.setting.shape().table().is_some_and(|table| table.cache.is_some());
        let (mismatches, count) = network.scoreboard.mismatches();
        RunReport {
            switches: wiring.switches(),
            nodes,
            links: wiring.links().count(),
            cycles,
            offered: rate(sums.made),
            accepted: rate(sums.delivered),
            saturated: cycles / 2 > network.limits.way && is_saturated(&steps),
            steady: is_steady(&steps),
            throughput: rate(sums.received),
            hops: sums.carried as f64 / sums.received.max(1) as f64,
            hops_by_kind: network.hops_by_kind(sums.received),
            injected: Fairness::of(&network.injected().into_iter().flatten().collect::<Vec<f64>>()),
            busiest_link: BusiestLink::new(network, cycles),
            misrouting: network.hops().map(MisroutingReport::new),
            latency_parts: network.latency_parts(),
            router_messages: RouterMessageReport::new(network, cycles),
            caches: has_caches.then(|| CacheReport::new(sums, &steps)),
            unicast: KindReport::new(&network.scoreboard.unicast.latencies),
            multicast: KindReport::new(&network.scoreboard.multicast.latencies),
            replies: network.setting.replies.then(|| KindReport::new(&network.scoreboard.replies.latencies)),
            graph500: network.graph500(),
            barriers: network.setting.barriers.as_ref().map(|_| BarrierReport {
                groups: network.barriers.figures().map(BarrierKindReport::new).collect(),
                messages: measured.messages,
            }),
            credit_reports: measured.credits,
            queued: network.terminals().map(|terminal| terminal.queued()).sum(),
            outages: network.outages.clone(),
            broken: network.broken(),
            mismatch_count: count,
            mismatches: mismatches.to_vec(),
        }
    }
}

//! Figures of a run by time: a row for each so many cycles.

use super::latency_parts::LatencyPartsReport;
use super::measured::Sums;
use super::report::{KindReport, MisroutingReport};
use super::Network;
use crate::device::Device;
use crate::wiring::{Peer, Port};
use railyard_bench::{Fairness, Latencies};
use railyard_model::route::dragonfly::hop_counts::HopCounts;
use serde::Serialize;

/// A time of a run.
#[derive(Clone, Debug, PartialEq, Serialize)]
pub struct Moment {
    /// Cycle of the run in which it ends.
    pub cycle: u64,
    /// Flits that sources made, for each node and cycle.
    pub offered: f64,
    /// Flits that nodes sent into the network.
    pub injected: f64,
    /// Flits of packets that were delivered.
    pub accepted: f64,
    /// Links between switches for each flit that a node received.
    pub hops: f64,
    /// Share of the packets that left the minimal way in their source's group, if switches choose ways.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub misrouted: Option<f64>,
    /// Packets off their minimal ways by kind, for each packet that a node sent, and escapes.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub misrouting: Option<MisroutingReport>,
    /// How evenly switches got their load into the network.
    pub by_switch: Option<Fairness>,
    /// Latencies of the packets that were delivered.
    pub latency: KindReport,
    /// Of what they are made, if that is kept.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub latency_parts: Option<LatencyPartsReport>,
    /// Share of the cycles in which a flit left by a link, by VC. Links are in the order of [`super::Details::links`];
    /// one that was taken out in the run keeps its place. Only kept with figures by place.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub links: Vec<Vec<f64>>,
}

/// The rows so far.
#[derive(Clone, Debug)]
pub struct Series {
    /// Cycles of a row.
    step: u64,
    /// As of the last row.
    last: Sums,
    last_hops: HopCounts,
    /// Flits that nodes of each switch sent.
    last_injected: Vec<u64>,
    /// The links at the start of the run, if their use is kept.
    links: Option<Vec<Port>>,
    /// Flits that left by each of them, by VC.
    last_links: Vec<Vec<u64>>,
    moments: Vec<Moment>,
}

impl Series {
    fn new(step: u64) -> Series {
        Series {
            step,
            last: Sums::default(),
            last_hops: HopCounts::default(),
            last_injected: Vec::new(),
            links: None,
            last_links: Vec::new(),
            moments: Vec::new(),
        }
    }

    /// Shares of the cycles of a row, given the flits since the warm-up by link and VC.
    fn links_since(&mut self, links: Vec<Vec<u64>>) -> Vec<Vec<f64>> {
        let step = self.step as f64;
        let last = std::mem::replace(&mut self.last_links, links.clone());
        let before = last.into_iter().chain(std::iter::repeat(Vec::new()));
        let share = |(now, before): (&Vec<u64>, Vec<u64>)| {
            let before = before.into_iter().chain(std::iter::repeat(0));
            now.iter().zip(before).map(|(now, before)| (now - before) as f64 / step).collect()
        };
        links.iter().zip(before).map(share).collect()
    }
}

impl<D: Device> Network<D> {
    /// From now on a row is kept for each so many cycles.
    pub fn keep_series(&mut self, step: u64) {
        self.series = Some(Series::new(step.max(1)));
        self.scoreboard.recent = Some(Latencies::default());
    }

    /// Rows have the use of each link and VC, too. To be called behind [`Network::keep_series`].
    pub fn keep_link_series(&mut self) {
        let wiring = &self.setting.blueprint.wiring;
        let ends = (0..wiring.switches()).flat_map(|switch| (0..wiring.ports()).map(move |port| Port { switch, port }));
        let links = ends.filter(|at| matches!(wiring.peer(*at), Peer::Switch(_))).collect();
        self.series = self.series.take().map(|series| Series { links: Some(links), ..series });
    }

    /// Flits since the warm-up by link and VC, if rows have them.
    fn link_flits(&self) -> Option<Vec<Vec<u64>>> {
        let flits = |at: &Port| self.stations[at.switch].flits_by_vc(at.port).to_vec();
        Some(self.series.as_ref()?.links.as_ref()?.iter().map(flits).collect())
    }

    /// The rows so far are forgotten: the warm-up is over.
    pub(super) fn restart_series(&mut self) {
        self.series = self.series.take().map(|series| Series { links: series.links, ..Series::new(series.step) });
    }

    /// The rows since [`Network::measure`].
    pub fn series(&self) -> &[Moment] {
        self.series.as_ref().map_or(&[], |series| &series.moments)
    }

    /// Cycle of the run in which the next row ends.
    pub(super) fn next_moment(&self) -> u64 {
        let passed = self.of_run(self.now) - self.measured.from;
        self.series.as_ref().map_or(u64::MAX, |series| self.measured.from + (passed / series.step + 1) * series.step)
    }

    /// Keeps a row where its time ends.
    pub(super) fn note_moment(&mut self) {
        let cycle = self.of_run(self.now);
        let is_due = |series: &&Series| (cycle - self.measured.from) % series.step == 0;
        let Some(step) = self.series.as_ref().filter(is_due).map(|series| series.step) else { return };
        self.take_sums();
        let nodes = self.setting.blueprint.wiring.nodes().len() as u64;
        let recent = self.scoreboard.recent.replace(Latencies::default()).unwrap_or_default();
        let (sums, hops) = (self.measured.sums, self.hops());
        let latency_parts = self.scoreboard.journeys.as_mut().map(|journeys| journeys.take_recent());
        let injected: Vec<u64> = self.stations.iter().map(|station| station.injected()).collect();
        let nodes_of: Vec<usize> = self.setting.blueprint.wiring.nodes_by_switch().iter().map(Vec::len).collect();
        let links = self.link_flits();
        let Some(series) = &mut self.series else { return };
        let of_row = sums.since(std::mem::replace(&mut series.last, sums));
        let misrouting =
            hops.map(|hops| MisroutingReport::new(hops.since(std::mem::replace(&mut series.last_hops, hops))));
        let last_injected = std::mem::replace(&mut series.last_injected, injected.clone());
        let before = last_injected.into_iter().chain(std::iter::repeat(0));
        let shares = injected.iter().zip(before).zip(nodes_of).filter(|(_, nodes)| *nodes > 0);
        let shares = shares.map(|((now, before), nodes)| (now - before) as f64 / (step * nodes as u64) as f64);
        let by_switch = Fairness::of(&shares.collect::<Vec<f64>>());
        let links = links.map(|links| series.links_since(links)).unwrap_or_default();
        let rate = |flits: u64| flits as f64 / (step * nodes) as f64;
        series.moments.push(Moment {
            cycle,
            offered: rate(of_row.made),
            injected: rate(of_row.sent),
            accepted: rate(of_row.delivered),
            hops: of_row.carried as f64 / of_row.received.max(1) as f64,
            misrouted: misrouting.map(|misrouting| misrouting.misrouted),
            misrouting,
            by_switch,
            latency: KindReport::new(&recent),
            latency_parts,
            links,
        });
    }
}

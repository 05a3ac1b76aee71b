//! Figures of a run by time: a row for each so many cycles.

use super::measured::Sums;
use super::report::KindReport;
use super::Network;
use crate::device::Device;
use railyard_bench::Latencies;
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
    /// Latencies of the packets that were delivered.
    pub latency: KindReport,
}

/// The rows so far.
#[derive(Clone, Debug)]
pub struct Series {
    /// Cycles of a row.
    step: u64,
    /// As of the last row.
    last: Sums,
    last_hops: HopCounts,
    moments: Vec<Moment>,
}

impl Series {
    fn new(step: u64) -> Series {
        Series { step, last: Sums::default(), last_hops: HopCounts::default(), moments: Vec::new() }
    }
}

impl<D: Device> Network<D> {
    /// From now on a row is kept for each so many cycles.
    pub fn keep_series(&mut self, step: u64) {
        self.series = Some(Series::new(step.max(1)));
        self.scoreboard.recent = Some(Latencies::default());
    }

    /// The rows so far are forgotten: the warm-up is over.
    pub(super) fn restart_series(&mut self) {
        if let Some(series) = &mut self.series {
            *series = Series::new(series.step);
        }
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
        let Some(series) = &mut self.series else { return };
        let of_row = sums.since(std::mem::replace(&mut series.last, sums));
        let misrouted = hops.map(|hops| hops.since(std::mem::replace(&mut series.last_hops, hops)).misrouted());
        let rate = |flits: u64| flits as f64 / (step * nodes) as f64;
        series.moments.push(Moment {
            cycle,
            offered: rate(of_row.made),
            injected: rate(of_row.sent),
            accepted: rate(of_row.delivered),
            hops: of_row.carried as f64 / of_row.received.max(1) as f64,
            misrouted,
            latency: KindReport::new(&recent),
        });
    }
}

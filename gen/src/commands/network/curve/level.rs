//! The runs at one load, with a seed each, and what they come to together.

use super::Point;
use railyard_network::harness::{KindReport, RunReport};
use railyard_plot::{Dot, Interval};

/// The runs at one load.
#[derive(Clone, Copy)]
pub(super) struct Level<'a>(&'a [Point]);

/// All loads.
pub(super) fn levels(points: &[Point]) -> impl Iterator<Item = Level<'_>> {
    points.chunk_by(|a, b| a.load == b.load).map(Level)
}

impl<'a> Level<'a> {
    pub(super) fn load(self) -> f64 {
        self.0[0].load
    }

    fn reports(self) -> impl Iterator<Item = &'a RunReport> {
        self.0.iter().map(|point| &point.report)
    }

    /// Mean of a figure, with its 95 % confidence if there are two runs or more.
    pub(super) fn mean(self, figure: impl Fn(&RunReport) -> f64) -> (f64, Option<f64>) {
        let values: Vec<f64> = self.reports().map(figure).collect();
        match values[..] {
            [value] => (value, None),
            _ => {
                let Interval { mean, half } = Interval::of(&values);
                (mean, Some(half))
            }
        }
    }

    /// The mean as a point of a plot: an empty one if a run was saturated.
    pub(super) fn dot(self, figure: impl Fn(&RunReport) -> f64) -> Dot {
        let (mean, half) = self.mean(figure);
        let dot = Dot::at(self.load(), mean).hollow_if(self.reports().any(|report| report.saturated));
        half.map_or(dot, |half| dot.give_or_take(half))
    }

    /// The largest value of a figure.
    pub(super) fn largest(self, figure: impl Fn(&RunReport) -> u64) -> u64 {
        self.reports().map(figure).max().unwrap_or_default()
    }

    /// In a word, the worst of the runs.
    pub(super) fn state(self) -> &'static str {
        let any = |is: fn(&RunReport) -> bool| self.reports().any(is);
        match (any(|run| run.mismatch_count > 0), any(|run| run.saturated), any(RunReport::has_stranded)) {
            (true, ..) => "MISMATCH",
            (_, true, true) => "packets are stranded",
            (_, true, false) => "saturated",
            _ => "",
        }
    }
}

/// A kind of packets in a report.
pub(super) type Kind = fn(&RunReport) -> &KindReport;

/// The kinds of packets that there are, with the names of their series.
pub(super) fn kinds(points: &[Point]) -> Vec<(&'static str, Kind)> {
    let all: [(&str, Kind); 2] = [("unicast", |report| &report.unicast), ("multicast", |report| &report.multicast)];
    all.into_iter().filter(|(_, kind)| points.iter().any(|point| kind(&point.report).packets > 0)).collect()
}

//! Figures 4.8 to 4.10 of Fuentes2017: how fast misrouting follows a change of the traffic.

use super::dragonfly::{golden, network, traffic, Routing, BUFFER};
use super::{dawning, DragonflySize};
use crate::report::rounded;
use crate::{StudyPart, StudyTable};
use railyard_network::adaptive::DetourPolicy;
use railyard_network::harness::{Moment, Pattern, Phase, Traffic};
use railyard_plot::{Axis, Dot, Picture};
use rayon::prelude::*;
use serde_json::{json, Value};

/// Offered load in %.
const LOAD: f64 = 20.0;
/// Cycle of a run in which the traffic changes. Uniform traffic is steady by then.
const CHANGE: u64 = 1_000;
/// Cycles before and behind that are looked at, and those of a row.
const BEFORE: u64 = 200;
const AFTER: u64 = 2_000;
const ROW: u64 = 20;
/// Rows at the end of which the share has settled.
const SETTLED: usize = 25;
/// Share of the way that counts as reaction, and the shortest way in %.
const WAY: f64 = 0.9;
const SHORTEST: f64 = 5.0;

/// What a routing came to with a buffer.
pub(super) struct Reaction {
    pub name: &'static str,
    pub buffer: u32,
    /// Cycles from the change to the end of the first row that has done most of the way; all if there is none.
    pub cycles: f64,
    /// Share of misrouted packets before, in %.
    pub before: f64,
    /// The same when it has settled.
    pub after: f64,
    /// Mean latency of the packets that arrive then.
    pub latency: f64,
    /// By cycles behind the change: share of misrouted packets, in %.
    pub shares: Vec<(f64, f64)>,
}

/// Half of a buffer in use at the least, or none.
fn routings(buffer: u32) -> [(&'static str, Routing); 7] {
    let half_full = Routing::HalfFull(buffer / 2);
    [
        ("PB", Routing::Piggyback),
        ("credits", Routing::Credits(DetourPolicy::Mm)),
        ("credits, half full", half_full),
        ("Base", Routing::Base(None)),
        ("Filtered", Routing::Filtered),
        ("Hybrid", Routing::Hybrid),
        ("ECtN", Routing::Ectn),
    ]
}

/// Each routing in buffers of both depths, as a mean of so many runs.
pub(super) fn measure(size: DragonflySize, seed: u64, runs: u64) -> Vec<Reaction> {
    let depths = [BUFFER, 8 * BUFFER];
    let cases = depths.into_iter().flat_map(|buffer| routings(buffer).map(|(name, routing)| (name, routing, buffer)));
    let of = |(name, routing, buffer)| {
        let blueprint = network(size, buffer, routing);
        let rows: Vec<Vec<Moment>> = (0..runs)
            .into_par_iter()
            .map(|run| {
                let phase = Phase { cycle: CHANGE, pattern: Pattern::Adversarial { offset: 1 }, mix: Vec::new() };
                let traffic = Traffic { changes: vec![phase], ..traffic(Pattern::Uniform, LOAD) };
                let mut network = golden(&blueprint, &traffic, dawning::seed_of(seed, run));
                network.keep_series(ROW);
                network.run(CHANGE - BEFORE, |_| ());
                network.measure();
                network.run(BEFORE + AFTER, |_| ());
                network.series().to_vec()
            })
            .collect();
        Reaction::new(name, buffer, &rows)
    };
    cases.map(of).collect()
}

impl Reaction {
    fn new(name: &'static str, buffer: u32, runs: &[Vec<Moment>]) -> Reaction {
        let mean = |row: usize, figure: &dyn Fn(&Moment) -> f64| {
            runs.iter().map(|rows| figure(&rows[row])).sum::<f64>() / runs.len() as f64
        };
        let rows = runs[0].len();
        let share = |row| 100.0 * mean(row, &|moment| moment.misrouted.unwrap_or(0.0));
        let first = (BEFORE / ROW) as usize;
        let over = |rows: std::ops::Range<usize>, figure: &dyn Fn(usize) -> f64| {
            let count = rows.len() as f64;
            rows.map(figure).sum::<f64>() / count
        };
        let (before, after) = (over(0..first, &share), over(rows - SETTLED..rows, &share));
        let has_reacted = |row: &usize| share(*row) >= before + WAY * (after - before);
        let reacted = (first..rows).find(has_reacted).filter(|_| after - before >= SHORTEST).unwrap_or(rows - 1);
        let behind = |row: usize| ((row + 1) as u64 * ROW) as f64 - BEFORE as f64;
        Reaction {
            name,
            buffer,
            cycles: behind(reacted),
            before,
            after,
            latency: over(rows - SETTLED..rows, &|row| mean(row, &|moment| moment.latency.latency_mean)),
            shares: (0..rows).map(|row| (behind(row), share(row))).collect(),
        }
    }
}

/// A table, and the shares over time in both depths.
pub(super) fn parts(study: &str, reactions: &[Reaction]) -> Vec<StudyPart> {
    let heads = ["routing", "buffer", "reaction", "before %", "after %", "latency after"];
    let mut table = StudyTable::new(&[&heads[..], &["seed", "difference"]].concat());
    let mut series: Vec<(String, Vec<Dot>)> = Vec::new();
    for Reaction { name, buffer, cycles, before, after, latency, shares } in reactions {
        let figures = [cycles, before, after, latency].map(|figure| rounded(*figure));
        table.push([json!(name), json!(buffer)].into_iter().chain(figures).chain([Value::Null, Value::Null]));
        series.push((format!("{name}, {buffer}"), shares.iter().map(|&(x, y)| Dot::at(x, y)).collect()));
    }
    let title = "Misrouted packets behind a change from UN to ADV+1";
    let axes = [Axis::linear("cycles behind the change"), Axis::linear("misrouted packets, %")];
    let legend = Some("routing, buffer in flits".into());
    let picture = Picture { title: title.into(), axes, legend, series, published: Vec::new(), front: None };
    vec![StudyPart { name: format!("{study}-reaction"), title: title.into(), table, picture }]
}

#[cfg(test)]
mod tests {
    use super::*;
    use railyard_network::harness::KindReport;

    /// A share that stands half-way for five rows has done most of the way in the sixth.
    #[test]
    fn the_reaction_is_most_of_the_way() {
        let latency = KindReport { packets: 1, latency_mean: 5.0, latency_p50: 5, latency_p99: 5, latency_max: 5 };
        let moment = |row: u64| Moment {
            cycle: row * ROW,
            offered: 0.2,
            injected: 0.2,
            accepted: 0.2,
            hops: 1.0,
            misrouted: Some([0.1, 0.5, 0.9][[BEFORE / ROW, BEFORE / ROW + 5].iter().filter(|&&at| row >= at).count()]),
            misrouting: None,
            by_switch: None,
            latency: latency.clone(),
            latency_parts: None,
            links: Vec::new(),
        };
        let rows: Vec<Moment> = (0..(BEFORE + AFTER) / ROW).map(moment).collect();
        let found = Reaction::new("x", 8, &[rows.clone(), rows]);
        assert_eq!((found.before.round(), found.after.round(), found.latency), (10.0, 90.0, 5.0));
        assert_eq!(found.cycles, 6.0 * ROW as f64);
    }
}

//! Seed 004 section 7.3, figure 19: broadcasts among unicast packets, and all-to-all multicast.

use super::{dawning, NetworkSize};
use crate::report::{beside, rounded};
use crate::{Options, Part, Report, Seed, Table};
use railyard_network::blueprint::Blueprint;
use railyard_network::harness::{self, Pattern, Run, Traffic};
use railyard_network::multicast::Selection;
use railyard_plot::{Axis, Dot, Picture};
use serde_json::{json, Value};

const NAME: &str = "multicast-network";
const CYCLES: u64 = 4_000;
/// Load of unicast packets, in %.
const UNICAST: [u32; 4] = [10, 30, 50, 60];
/// What nodes receive of broadcasts, in %, beside unicast packets.
const BROADCAST: u32 = 20;
/// What nodes would receive of broadcasts, in %, if there is nothing else.
const ALL_TO_ALL: [u32; 6] = [20, 40, 60, 80, 100, 120];
/// HLSE is the first.
const SELECTIONS: [(&str, Selection); 4] =
    [("HLSE", Selection::Hlse), ("LLP", Selection::Llp), ("LLP_EC", Selection::LlpEc), ("fixed", Selection::Fixed)];
/// How much lower the seed's broadcast latency is with HLSE.
const PRINTED_GAIN: f64 = 3.0;
const PRINTED_THROUGHPUT: f64 = 93.0;

pub(super) fn run(options: &Options) -> Report {
    let parts = parts(options.network, options.seed, CYCLES);
    let notes = vec![
        format!(
            "A fat tree of three levels, {} nodes (the seed's has 1,024: --nodes), switches as in the preset dawning16, packets of 8 flits, \
             {CYCLES} cycles after a third as many. Load and throughput: flits that each node sends (unicast) or receives (broadcast) in \
             each cycle, in %. Latency: cycles from when the source has the packet to its tail at the last destination.",
            options.network.nodes()
        ),
        format!(
            "Mixed: uniform unicast, and broadcasts of which each node receives {BROADCAST} %. Over HLSE's: broadcast latency over that \
             with HLSE. All switches of the top level are candidate roots; a load message each 256 cycles, seen 64 cycles later."
        ),
        "Figure 19 is printed without numbers. The text says nearly three times lower latency with HLSE, not at which load and against \
         what: put beside the slowest at the highest load. LLP and LLP_EC are only named in the seed; what they measure here is our reading."
            .into(),
    ];
    Report { study: NAME, seed: options.seed, parts, notes }
}

fn parts(size: NetworkSize, seed: u64, cycles: u64) -> Vec<Part> {
    let blueprint = dawning::blueprint(size);
    let bench = Bench { blueprint, seed, cycles };
    vec![mixed(&bench), all_to_all(&bench)]
}

/// The network, and what runs have in common.
struct Bench {
    blueprint: Blueprint,
    seed: u64,
    cycles: u64,
}

impl Bench {
    /// Nodes send `unicast` % unicast packets, and receive `broadcast` % of broadcasts.
    fn measure(&self, selection: Selection, unicast: u32, broadcast: u32) -> harness::Report {
        let copies = (self.blueprint.wiring.nodes().len() - 1) as f64;
        let [unicast, broadcast] = [f64::from(unicast) / 100.0, f64::from(broadcast) / 100.0 / copies];
        let load = unicast + broadcast;
        let pattern = if unicast > 0.0 { Pattern::Uniform } else { Pattern::Multicast };
        let traffic = Traffic { pattern, load, length: None, multicast: broadcast / load };
        dawning::measure(&self.blueprint, &Run { traffic, selection, seed: self.seed, ..Run::default() }, self.cycles)
    }
}

fn mixed(bench: &Bench) -> Part {
    let columns =
        ["unicast %", "roots", "broadcasts", "latency", "unicast latency", "over HLSE's", "seed", "difference"];
    let mut table = Table::new(&columns);
    let mut series: Vec<(String, Vec<Dot>)> = SELECTIONS.map(|(name, _)| (name.to_string(), Vec::new())).into();
    for unicast in UNICAST {
        let runs = SELECTIONS.map(|(_, selection)| bench.measure(selection, unicast, BROADCAST));
        let hlse = runs[0].multicast.latency_mean;
        let slowest = runs.iter().map(|run| run.multicast.latency_mean).fold(0.0, f64::max);
        for (which, run) in runs.iter().enumerate() {
            let latency = run.multicast.latency_mean;
            let compared = unicast == UNICAST[UNICAST.len() - 1] && latency == slowest;
            let printed = if compared { Seed::Number(PRINTED_GAIN) } else { Seed::Silent };
            let head = [json!(unicast), json!(SELECTIONS[which].0), json!(run.multicast.packets)];
            let latencies = [rounded(latency), rounded(run.unicast.latency_mean)];
            table.push(head.into_iter().chain(latencies).chain(beside(latency / hlse, printed)));
            series[which].1.push(Dot::at(unicast.into(), latency));
        }
    }
    let axes = [Axis::linear("unicast load, %"), Axis::log("mean broadcast latency, cycles")];
    part("mixed", "Broadcast latency among unicast packets, by selection of the root", axes, table, series)
}

fn all_to_all(bench: &Bench) -> Part {
    let mut table = Table::new(&["roots", "load %", "latency", "throughput %", "seed %", "difference"]);
    let mut series = Vec::new();
    for (name, selection) in SELECTIONS {
        let mut curve = Vec::new();
        for load in ALL_TO_ALL {
            let run = bench.measure(selection, 0, load);
            let throughput = 100.0 * run.throughput;
            let most = load == ALL_TO_ALL[ALL_TO_ALL.len() - 1];
            let printed = if most { Seed::Number(PRINTED_THROUGHPUT) } else { Seed::Silent };
            let head: [Value; 3] = [json!(name), json!(load), rounded(run.multicast.latency_mean)];
            table.push(head.into_iter().chain(beside(throughput, printed)));
            curve.push(Dot::at(load.into(), throughput));
        }
        series.push((name.to_string(), curve));
    }
    let axes = [Axis::linear("load, %"), Axis::linear("throughput, %")];
    part("all-to-all", "Throughput of all-to-all multicast, by selection of the root", axes, table, series)
}

fn part(which: &str, title: &str, axes: [Axis; 2], table: Table, series: Vec<(String, Vec<Dot>)>) -> Part {
    let legend = Some("roots selected by".into());
    let picture = Picture { title: title.into(), axes, legend, series, front: None };
    Part { name: format!("{NAME}-{which}"), title: title.into(), table, picture }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn multicast_fills_the_links() {
        let parts = parts(NetworkSize::with_nodes(16).unwrap(), 1, 600);
        let [mixed, all_to_all] = &parts[..] else { panic!("two parts") };
        assert_eq!(mixed.table.rows.len(), UNICAST.len() * SELECTIONS.len());
        assert!(mixed.table.rows.iter().all(|row| row[2].as_u64().unwrap() > 0 && row[3].as_f64().unwrap() > 8.0));
        let saturated = all_to_all.table.rows.iter().filter(|row| row[1] == json!(120));
        assert_eq!(saturated.filter(|row| row[3].as_f64().unwrap() > PRINTED_THROUGHPUT).count(), SELECTIONS.len());
    }
}

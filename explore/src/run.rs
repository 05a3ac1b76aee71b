//! One piece of work: the estimate of a switch, or a simulation of it or of a network.

use crate::network;
use indexmap::IndexMap;
use railyard_estimate::{estimate, Error, GeneratedDesign, Library, Options, SynthesisReport};
use railyard_network::description::NetworkFile;
use railyard_network::execute_until_steady;
use railyard_network::harness::{KindReport, SteadyRun};
use railyard_spec::CheckedConfig;
use railyard_testbench::simulate::{simulate, Simulation, WarmUp};
use railyard_testbench::stimulus::Scenario;
use serde::{Deserialize, Serialize};
use serde_json::{json, Value};
use sha2::{Digest, Sha256};
use std::path::{Path, PathBuf};

/// What is asked of the hardware, which is not seen from here.
pub trait Hardware: Sync {
    /// The generated Verilog, ready to be estimated.
    ///
    /// # Errors
    /// It can't be generated.
    fn design(&self, config: &CheckedConfig) -> Result<GeneratedDesign, String>;

    /// Bits in all memories of the switch.
    fn memory_bits(&self, config: &CheckedConfig) -> u64;
}

/// Results by name.
pub type Metrics = IndexMap<String, Value>;

/// What to do with a switch.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum RunKind {
    /// Yosys and OpenSTA.
    Estimate {
        /// Name of a library; or the SHA-256 of its file, so that the result is told from that of another file at the
        /// same path.
        library: String,
        /// Feature size of a library file.
        node: Option<u32>,
        /// Only this module.
        block: Option<String>,
        /// The file, where it is on this machine.
        #[serde(skip)]
        file: Option<PathBuf>,
    },
    /// The golden model.
    Simulate {
        /// The stimulus.
        scenario: Box<Scenario>,
        /// Clock cycles measured.
        cycles: u64,
    },
    /// The golden network.
    Network {
        /// The network file, which names no other file.
        network: Box<NetworkFile>,
        /// The seed.
        seed: u64,
        /// Clock cycles measured, at least.
        cycles: u64,
    },
}

/// A switch and what to do with it.
#[derive(Clone, Debug, PartialEq, Serialize)]
pub struct SweepRun {
    /// The switch.
    pub config: CheckedConfig,
    /// What to do.
    pub job: RunKind,
}

/// Why a run has no result.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) enum Failure {
    /// This run can't be made.
    Run(String),
    /// No such run can be made on this machine.
    Machine(String),
}

/// What an estimate measures.
pub(crate) const ESTIMATED: [&str; 10] = [
    "area_um2",
    "cell_area_um2",
    "memory_area_um2",
    "cells",
    "registers",
    FMAX,
    "link_rate_gbps",
    "shortest_frame_rate_gbps",
    "idle_latency_ns",
    "power_w",
];

/// What a simulation measures.
pub(crate) const SIMULATED: [&str; 10] = [
    "offered_load",
    ACCEPTED,
    LATENCY,
    "latency_p50",
    "latency_p99",
    "latency_max",
    "packets",
    "hit_rate",
    STEADY,
    SATURATED,
];

/// What a run of a network measures beside that.
pub(crate) const OF_NETWORKS: [&str; 13] = [
    "throughput",
    "hops",
    "busiest_link",
    "misrouted",
    "local_behind",
    "escapes",
    "injected_min",
    "injected_max_over_min",
    "injected_cov",
    "injected_jain",
    "multicast_latency_mean",
    "reply_latency_mean",
    "warm_up",
];

/// Bits in all memories of the switch, RAMs and register files: known without any run, and the better part of its area.
pub(crate) const MEMORY_BITS: &str = "memory_bits";

/// What follows from estimate and simulation together: flits and cycles become bits and seconds at the highest clock.
pub(crate) const JOINT: &[&str] = &["port_gbps", "latency_mean_ns"];

/// What results mean. To be counted up when the same run of the same version gives other figures, so that old ones are
/// not taken for new: 1, whole switches flattened; 2, linked from their parts; 3, the rates of links and of shortest
/// frames, simulated without the set-up and when steady; 4, steady only if the cycles are enough to tell.
const MEANING: u32 = 4;

/// Columns from which others are worked out.
pub(crate) const FMAX: &str = "fmax_mhz";
pub(crate) const ACCEPTED: &str = "accepted_load";
pub(crate) const LATENCY: &str = "latency_mean";

/// Columns that are true or false: whether a simulation's figures stayed the same, and whether its sources refused
/// packets.
pub(crate) const STEADY: &str = "steady";
pub(crate) const SATURATED: &str = "saturated";
pub(crate) const FLAGS: [&str; 2] = [STEADY, SATURATED];

impl SweepRun {
    /// What the result depends on, as one name.
    pub fn key(&self) -> String {
        #[derive(Serialize)]
        struct Keyed<'a> {
            railyard: &'a str,
            meaning: u32,
            run: &'a SweepRun,
        }
        let all = serde_json::to_string(&Keyed { railyard: crate::VERSION, meaning: MEANING, run: self });
        hex(all.expect("a run is plain data").as_bytes())[..32].to_string()
    }

    /// Does the work.
    pub(crate) fn execute(&self, hardware: &dyn Hardware, cache: Option<&Path>) -> Result<Metrics, Failure> {
        match &self.job {
            RunKind::Simulate { scenario, cycles } => {
                simulate(&self.config.shape(), scenario, WarmUp::UntilSteady, *cycles, |_| {})
                    .map(|result| simulated(&result))
                    .map_err(|broken| Failure::Run(broken.to_string()))
            }
            RunKind::Network { network, seed, cycles } => {
                let input = network::read(&json!(network)).map_err(|faults| Failure::Run(faults.to_string()))?;
                let run = execute_until_steady(&input, &input.run(*seed), *cycles)
                    .map_err(|error| Failure::Run(error.to_string()))?;
                match run.report.mismatches.first() {
                    Some(mismatch) => Err(Failure::Run(format!("the network breaks the rules of packets: {mismatch}"))),
                    None => Ok(networked(&run)),
                }
            }
            RunKind::Estimate { library, node, block, file } => {
                let design = hardware.design(&self.config).map_err(Failure::Run)?;
                let library = match file {
                    Some(path) => Library::File { file: path.as_path().into(), node_nm: *node },
                    None => Library::Name(library.clone()),
                };
                // Runs are side by side already: each keeps to one core.
                let options = Options {
                    library,
                    block: block.clone(),
                    by_block: false,
                    flatten: false,
                    jobs: 1,
                    cache: cache.map(PathBuf::from),
                    ..Options::default()
                };
                estimate(&design, &options).map(|report| estimated(&report)).map_err(Failure::from)
            }
        }
    }
}

impl From<Error> for Failure {
    fn from(error: Error) -> Failure {
        let why = error.to_string();
        match error {
            Error::NoSuchBlock { .. } | Error::Tool { .. } | Error::Result { .. } => Failure::Run(why),
            _ => Failure::Machine(why),
        }
    }
}

fn named<const N: usize>(names: [&str; N], values: [Value; N]) -> Metrics {
    names.map(String::from).into_iter().zip(values).collect()
}

/// What is the same on every machine: the speed of the simulation is not.
fn simulated(result: &Simulation) -> Metrics {
    named(
        SIMULATED,
        [
            json!(result.offered_load),
            json!(result.accepted_load),
            json!(result.latency_mean),
            json!(result.latency_p50),
            json!(result.latency_p99),
            json!(result.latency_max),
            json!(result.packets),
            json!(result.hit_rate),
            json!(result.steady),
            json!(result.saturated),
        ],
    )
}

/// Latencies are those of unicast packets.
fn networked(run: &SteadyRun) -> Metrics {
    let SteadyRun { report, warm_up, .. } = run;
    let latencies = Some(&report.unicast).filter(|kind| kind.packets > 0);
    let mean = |kind: Option<&KindReport>| json!(kind.filter(|kind| kind.packets > 0).map(|kind| kind.latency_mean));
    let mut metrics = named(
        SIMULATED,
        [
            json!(report.offered),
            json!(report.accepted),
            mean(latencies),
            json!(latencies.map(|kind| kind.latency_p50)),
            json!(latencies.map(|kind| kind.latency_p99)),
            json!(latencies.map(|kind| kind.latency_max)),
            json!(report.unicast.packets),
            json!(report.caches.as_ref().filter(|caches| caches.lookups > 0).map(|caches| caches.hit_rate)),
            json!(report.steady),
            json!(report.saturated),
        ],
    );
    let (misrouting, injected) = (report.misrouting, report.injected);
    metrics.extend(named(
        OF_NETWORKS,
        [
            json!(report.throughput),
            json!(report.hops),
            json!(report.busiest_link.map(|link| link.busy)),
            json!(misrouting.map(|of| of.misrouted)),
            json!(misrouting.map(|of| of.local_behind)),
            json!(misrouting.map(|of| of.escapes)),
            json!(injected.map(|of| of.min)),
            json!(injected.and_then(|of| of.max_over_min)),
            json!(injected.map(|of| of.cov)),
            json!(injected.map(|of| of.jain)),
            mean(Some(&report.multicast)),
            mean(report.replies.as_ref()),
            json!(warm_up),
        ],
    ));
    metrics
}

fn estimated(report: &SynthesisReport) -> Metrics {
    named(
        ESTIMATED,
        [
            json!(report.area_um2),
            json!(report.cell_area_um2),
            json!(report.memory_area_um2),
            json!(report.whole.cells),
            json!(report.registers),
            json!(report.timing.fmax_mhz),
            json!(report.timing.link_rate_gbps),
            json!(report.timing.shortest_frame_rate_gbps),
            json!(report.timing.latency_ns),
            json!(report.power.total_w),
        ],
    )
}

/// SHA-256 in hexadecimal.
pub(crate) fn hex(bytes: &[u8]) -> String {
    Sha256::digest(bytes).iter().map(|byte| format!("{byte:02x}")).collect()
}

#[cfg(test)]
mod tests {
    use super::*;
    use railyard_spec::Config;

    #[test]
    fn keys_tell_runs_apart_and_nothing_else() {
        let run = |ports, cycles| SweepRun {
            config: Config { ports, ..Config::named("a") }.check().unwrap(),
            job: RunKind::Simulate { scenario: Box::default(), cycles },
        };
        assert_eq!(run(4, 100).key(), run(4, 100).key());
        assert_ne!(run(4, 100).key(), run(4, 200).key());
        assert_ne!(run(4, 100).key(), run(8, 100).key());
        let estimate = |file: &str| SweepRun {
            config: Config::named("a").check().unwrap(),
            job: RunKind::Estimate { library: "hash".into(), node: None, block: None, file: Some(file.into()) },
        };
        assert_eq!(estimate("here.lib").key(), estimate("there.lib").key());
    }
}

//! Options that say what the senders do, and the stimulus that follows.

use super::value::up_to;
use crate::error::Error;
use crate::text::read_packets;
use clap::Args;
use railyard_input::{shortened, Fault, InputSource};
use railyard_spec::registers::registers as registers_of;
use railyard_spec::Shape;
use railyard_testbench::lockstep::command;
use railyard_testbench::stimulus::{Scenario, MOST_MOVES};
use railyard_testbench::traffic::{Burst, LegalTraffic, Pattern, Trace};
use serde_json::Value;
use std::path::Path;
use std::sync::Arc;

/// Traffic names beyond the patterns.
const MIXES: &[&str] = &["bursty", "any", "limits", "faults"];

/// What the senders do.
#[derive(Args, Debug, Clone)]
pub struct TrafficArgs {
    /// Traffic pattern.
    ///
    /// `bursty` is uniform in bursts of eight packets. `any` is a mix drawn from the seed: lengths, gaps, starved
    /// credits, slow CAM, illegal senders, resets. `limits` are phases that lead the switch to the limits of its
    /// buffers, credits, counters and tables. `faults` are the same among illegal senders. The load of `limits` and
    /// `faults` is what the links take.
    #[arg(long, default_value = "uniform", value_parser = clap::builder::PossibleValuesParser::new(traffic_names()))]
    pub traffic: String,
    /// Offered load in flits for each port and cycle.
    #[arg(long, default_value_t = 0.7, value_parser = up_to(1.0))]
    pub load: f64,
    /// Changes of the table, topology or groups under traffic, for each cycle.
    ///
    /// Only in a switch with registers. The caches are disabled and flushed, the CAM and the settings change, the
    /// caches are enabled again.
    #[arg(long, value_name = "RATE", default_value_t = 0.0, value_parser = up_to(MOST_MOVES))]
    pub moves: f64,
    /// Share of the packets that are multicast packets.
    ///
    /// Only in a switch with a mixed virtual channel. They go to groups of few and many outputs, drawn from the seed.
    #[arg(long, value_name = "SHARE", default_value_t = 0.0, value_parser = up_to(1.0), conflicts_with = "traffic_file")]
    pub multicast: f64,
    /// Barriers at which each node of a group arrives, for each cycle.
    ///
    /// Only in a switch with a barrier virtual channel. A node does not arrive while it waits at a barrier. Left out:
    /// 0.02 in `verify`, none in `simulate` and `bench`. Of more than four groups each is as much slower. Groups and
    /// faults on the links (lost, repeated, corrupted and forged messages) are drawn from the seed.
    #[arg(long, value_name = "RATE", value_parser = up_to(1.0))]
    pub barriers: Option<f64>,
    /// The whole stimulus as JSON, as a failure report prints it.
    ///
    /// `railyard schema --scenario` prints its JSON Schema; docs/src/scenario.md describes it. In place of `--traffic`,
    /// `--load`, `--moves`, `--multicast`, `--barriers` and `--seed`.
    #[arg(long, value_name = "JSON", conflicts_with_all = ["traffic", "load", "moves", "multicast", "barriers", "seed"])]
    pub scenario: Option<String>,
    /// Packets from a file, or `-` for standard input.
    ///
    /// A line each: `cycle source destination flits [vc]`. In place of `--traffic` and `--load`; with `--scenario`, of
    /// its pattern, load, lengths and bursts.
    #[arg(long, value_name = "FILE", conflicts_with_all = ["traffic", "load"])]
    pub traffic_file: Option<InputSource>,
}

fn traffic_names() -> Vec<&'static str> {
    Pattern::OF_SWITCHES.iter().chain(MIXES).copied().collect()
}

/// Whether a file stands where JSON must.
fn is_file_name(text: &str) -> bool {
    let path = Path::new(text);
    serde_json::from_str::<Value>(text).is_err()
        && (path.extension().is_some_and(|end| end == "json") || path.is_file())
}

/// Fields of the switch that do not fit what an option asks for: path, value, rule and legal value of each.
fn lacks(option: &'static str, fields: &[[&str; 4]]) -> Error {
    let fault = |[path, value, rule, legal]: &[&str; 4]| Fault {
        path: (*path).into(),
        value: (*value).into(),
        rule: format!("{rule} for {option}"),
        legal: (*legal).into(),
    };
    Error::Lacks { option, faults: fields.iter().map(fault).collect() }
}

/// The fields without which nothing of a switch can change at run time.
fn without_registers(shape: &Shape) -> Vec<[&'static str; 4]> {
    let mut fields = Vec::new();
    if !shape.registers {
        fields.push(["/registers", "false", "must be true", "true"]);
    }
    if registers_of(&Shape { registers: true, ..shape.clone() }).is_empty() {
        fields.push(match shape.table() {
            Some(_) => ["/routing/cache", "null", "must be there, so that something can change,", "{}"],
            None => ["/routing/kind", "\"source\"", "must be one whose routes can change", "\"table\""],
        });
    }
    fields
}

impl TrafficArgs {
    /// The stimulus for commands that measure: barriers only if they are asked for.
    ///
    /// # Errors
    /// As [`TrafficArgs::scenario`].
    pub fn measured_scenario(&self, seed: u64, shape: &Shape) -> Result<Scenario, Error> {
        let mut scenario = self.scenario(seed, shape)?;
        if self.barriers.is_none() && self.scenario.is_none() {
            scenario.barriers = 0.0;
        }
        Ok(scenario)
    }

    /// The stimulus that the options describe.
    ///
    /// # Errors
    /// `--scenario` is not the JSON of a scenario for this switch, or `--traffic-file` has no packets for this switch.
    pub fn scenario(&self, seed: u64, shape: &Shape) -> Result<Scenario, Error> {
        if self.moves > 0.0 && registers_of(shape).is_empty() {
            return Err(lacks("--moves", &without_registers(shape)));
        }
        if self.multicast > 0.0 && shape.multicast.is_none() {
            return Err(lacks("--multicast", &[["/virtual_channels/mixed", "0", "must be 1", "1"]]));
        }
        if self.barriers.is_some_and(|rate| rate > 0.0) && shape.barrier.is_none() {
            return Err(lacks("--barriers", &[["/virtual_channels/barrier", "0", "must be 1", "1"]]));
        }
        let scenario = self.without_file(seed, shape)?;
        let Some(file) = &self.traffic_file else { return Ok(scenario) };
        let text = read_packets(file)?;
        let trace = Trace::parse(file, &text, shape).map_err(|faults| Error::Traffic { file: file.clone(), faults })?;
        let trace = Arc::new(trace);
        if self.scenario.is_none() {
            let replay = Scenario::replay(seed, trace);
            return Ok(Scenario { moves: self.moves, barriers: self.barriers.unwrap_or(replay.barriers), ..replay });
        }
        Ok(Scenario { traffic: LegalTraffic { trace: Some(trace), ..scenario.traffic }, ..scenario })
    }

    fn without_file(&self, seed: u64, shape: &Shape) -> Result<Scenario, Error> {
        if let Some(json) = &self.scenario {
            if is_file_name(json) {
                let (given, read) = (shortened(json), command(&["cat", json]));
                return Err(Error::Usage(format!(
                    "--scenario: {given:?} is a file name, and the option takes the JSON itself: --scenario \"$({read})\""
                )));
            }
            return Scenario::for_switch(json, shape).map_err(Error::Scenario);
        }
        let mut scenario = match self.traffic.as_str() {
            "any" => Scenario::any(seed),
            "limits" => Scenario::limits(seed),
            "faults" => Scenario::faults(seed),
            "bursty" => {
                let mut scenario = Scenario::new(seed, Pattern::Uniform, self.load);
                scenario.traffic.burst = Some(Burst { packets: 8.0 });
                scenario
            }
            name => Scenario::new(seed, Pattern::named(name).expect("clap has checked the name"), self.load),
        };
        if self.moves > 0.0 {
            scenario.moves = self.moves;
        }
        if self.multicast > 0.0 {
            scenario.traffic.multicast = self.multicast;
        }
        if let Some(rate) = self.barriers {
            scenario.barriers = rate;
        }
        Ok(scenario)
    }
}

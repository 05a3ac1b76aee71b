//! Reads a network file, and the files that it names.

use super::located::Sources;
use super::{links, matrix, All, DescriptionError, Drawn, NetworkFile, Sets, SwitchChoice, COMPUTED};
use crate::blueprint::{Blueprint, BlueprintError, Plan};
use crate::run::{Matrix, Run, Traffic};
use crate::tables::{TablesError, TablesFile};
use crate::topology::{Links, Topology};
use crate::wiring::Wiring;
use railyard_bench::random::Random;
use railyard_bench::traffic::NodeTrace;
use railyard_input::{did_you_mean, nearest, read_text, Fault, Faults, FileKind, InputSource, Schema};
use railyard_spec::{presets, CheckedConfig, Config};
use schemars::JsonSchema;
use serde::de::DeserializeOwned;
use serde_json::{json, Value};
use std::collections::HashSet;
use std::path::Path;
use std::sync::Arc;

/// A network file with all that it names.
#[derive(Clone, Debug)]
pub struct Input {
    /// The file.
    pub description: NetworkFile,
    /// The switch.
    pub config: CheckedConfig,
    /// The network, checked. Runs share it.
    pub blueprint: Arc<Blueprint>,
    /// The packets of its nodes, if the file names a file of them.
    pub packets: Option<Arc<NodeTrace>>,
}

impl Input {
    /// Reads a network file. Files that it names are looked for in `folder`. Tables, computed or not, are checked, and
    /// that the network can be run as the file says.
    ///
    /// # Errors
    /// What is wrong: of a JSON file all at once, of the network the first fault.
    pub fn read(text: &str, folder: &Path) -> Result<Input, DescriptionError> {
        let mut description: NetworkFile = parse(text).map_err(|faults| DescriptionError { file: None, faults })?;
        let config = switch(&description.switch, folder)?;
        let mut wiring = None;
        if let Topology::File(file) = &description.topology {
            let path = folder.join(&file.path);
            description.topology = Topology::Wiring(read_file::<Links>("/topology/path", &file.path, folder)?);
            wiring = Some(path);
        }
        let mut sources =
            Sources { description: &description, routing: &config.routing, wiring, tables: None, nodes: 0 };
        let plan = plan(&mut sources, &config, folder)?;
        let blueprint = Blueprint::new(plan).map_err(|error| sources.locate(error))?;
        links::check(&blueprint, &description.faults)?;
        let packets = packets(&description.traffic, &blueprint, folder)?;
        read_matrix(&mut description.traffic, blueprint.wiring.nodes().len(), folder)?;
        let input = Input { description, config, blueprint: Arc::new(blueprint), packets };
        input.run(0).check(&input.blueprint).map_err(DescriptionError::from)?;
        Ok(input)
    }

    /// What a run does by this file.
    pub fn run(&self, seed: u64) -> Run {
        let NetworkFile { traffic, link_latency, cam_latency, caches, multicast, barriers, faults, .. } =
            &self.description;
        let run = Run {
            traffic: traffic.clone(),
            packets: None,
            link_latency: *link_latency,
            cam_latency: *cam_latency,
            caches: *caches,
            selection: multicast.as_ref().map(|multicast| multicast.selection).unwrap_or_default(),
            messages: multicast.as_ref().map(|multicast| multicast.load_messages).unwrap_or_default(),
            lost_credits: faults.lost_credits,
            corrupt_credits: faults.corrupt_credits,
            barriers: barriers.as_ref().map_or(0.0, |barriers| barriers.rate),
            barrier_packets: None,
            barrier_timers: barriers.as_ref().map(|barriers| barriers.timers).unwrap_or_default(),
            lost_messages: faults.lost_messages,
            corrupt_messages: faults.corrupt_messages,
            seed,
        };
        match &self.packets {
            Some(packets) => run.replay(packets.clone()),
            None => run,
        }
    }
}

/// Legal values that a schema of ours doesn't tell.
fn example(path: &str) -> Option<Value> {
    match path {
        "/switch" => Some(json!("dawning16")),
        _ => None,
    }
}

/// A JSON text that keeps to the schema of its type.
fn parse<T: DeserializeOwned + JsonSchema>(text: &str) -> Result<T, Faults> {
    let read = Schema::new(schemars::schema_for!(T).to_value(), example).read(text);
    read.map_err(|faults| faults.map(in_words))
}

/// What is legal where that depends on the rest of the network, in words: a value that a schema allows need not do
/// there.
fn in_words(fault: Fault) -> Fault {
    let Ok(value) = serde_json::from_str::<Value>(&fault.legal) else { return fault };
    let place: Vec<&str> = fault.path.trim_start_matches("/topology").split('/').skip(1).collect();
    let words = match place[..] {
        ["links"] => "a list of links, each with its two ends: [[switch, port], [switch, port]]",
        ["links", _, "latency"] => return fault,
        ["links", _] | ["links", _, "ends"] => "two ends that are free: [[switch, port], [switch, port]]",
        ["links", _, "ends", _] | ["links", _, _] | ["nodes", _] => "an end that is free: [switch, port]",
        ["links", _, "ends", _, _] | ["links", _, _, _] | ["nodes", _, _] => {
            "a number of a switch or port, so that the end is free"
        }
        ["nodes"] if value.is_array() => "two ends or more that are free: [[switch, port], ...]",
        ["nodes"] => "1, or as many as the switch has ports without links",
        ["ports"] => "an even number of ports, up to those of the switch",
        ["levels"] => "2",
        ["path"] => "a file beside the network file",
        ["roots", _] => "the number of a switch",
        ["traffic", "matrix", _, "0" | "1"] => "the number of a node",
        ["arrangement", "listed", _, _, _] => "a number of a group, switch or link, so that the end is free",
        ["adaptive", "vc_mask_local" | "vc_mask_global" | "reply_vc_mask_local" | "reply_vc_mask_global", _] => {
            "a mask of virtual channels that links of this class have"
        }
        ["multicast" | "barriers", "sets", "members"] => "2, up to the number of nodes",
        ["traffic", "length"] => "a length of up to the switch's `packet.max_flits`",
        ["faults", "links_down" | "links_break", _, "link", ..] => "an end of a link between switches: [switch, port]",
        ["multicast" | "barriers", "sets", _] => "a list of two nodes or more: [0, 1]",
        ["multicast" | "barriers", "sets", _, _] => "another node",
        ["routes"] => "a list for each switch, with an entry for each node",
        ["routes", _] => "an entry for each node: a port, [port, VC] or null",
        ["routes", _, _] => "a port on a way to the node",
        _ => return fault,
    };
    Fault { legal: words.into(), ..fault }
}

/// The text of a file that the network file names at `at`.
fn text_of(at: &str, name: &str, folder: &Path) -> Result<String, DescriptionError> {
    let kind = match at {
        "/tables" => FileKind::Tables,
        "/switch" => FileKind::Description,
        _ => FileKind::Network,
    };
    read_text(folder.join(name), kind).map_err(|error| {
        DescriptionError::of(at, json!(name), format!("can't be read: {error}"), "a file beside the network file")
    })
}

fn read_file<T: DeserializeOwned + JsonSchema>(at: &str, name: &str, folder: &Path) -> Result<T, DescriptionError> {
    let text = text_of(at, name, folder)?;
    parse(&text).map_err(|faults| DescriptionError { file: Some(folder.join(name)), faults })
}

/// The file of tables. It can be large, and a document takes several times what it says: that is made only to tell
/// faults, as the schema of tables asks no more than their type.
fn read_tables(name: &str, folder: &Path) -> Result<TablesFile, DescriptionError> {
    let text = text_of("/tables", name, folder)?;
    let read = serde_json::from_str(&text).or_else(|_| parse(&text));
    read.map_err(|faults| DescriptionError { file: Some(folder.join(name)), faults })
}

/// The packets of the file that the traffic names.
fn packets(
    traffic: &Traffic,
    blueprint: &Blueprint,
    folder: &Path,
) -> Result<Option<Arc<NodeTrace>>, DescriptionError> {
    const PATH: &str = "/traffic/file";
    let Some(name) = &traffic.file else { return Ok(None) };
    if *traffic != (Traffic { file: Some(name.clone()), ..Traffic::default() }) {
        let rule = "stands beside other traffic, and is all of it";
        return Err(DescriptionError::of(PATH, json!(name), rule, "leave the others out"));
    }
    let (file, text) = packed_text_of(PATH, name, folder)?;
    let packets = Run::packets_of(blueprint, &file, &text);
    packets.map(|packets| Some(Arc::new(packets))).map_err(|faults| DescriptionError { file: None, faults })
}

/// Puts the flows of the file that a matrix names into its place.
fn read_matrix(traffic: &mut Traffic, nodes: usize, folder: &Path) -> Result<(), DescriptionError> {
    let Some(Matrix::File(name)) = &traffic.matrix else { return Ok(()) };
    let (file, text) = packed_text_of("/traffic/matrix", name, folder)?;
    let flows = matrix::read(&file, &text, nodes).map_err(|faults| DescriptionError { file: None, faults })?;
    traffic.matrix = Some(Matrix::Flows(flows));
    Ok(())
}

/// A file that the network file names at `at`, with its text; gzip may have packed it.
fn packed_text_of(at: &str, name: &str, folder: &Path) -> Result<(InputSource, String), DescriptionError> {
    let file = InputSource::File(folder.join(name));
    let text = file.read_packets().map_err(|error| {
        DescriptionError::of(at, json!(name), format!("can't be read: {error}"), "a file beside the network file")
    })?;
    Ok((file, text))
}

/// The switch that a network file in `folder` names, with so many ports or more.
///
/// # Errors
/// Neither a preset nor a file there; no switch of a network; too few ports.
pub(crate) fn named_switch(name: &str, ports: usize, folder: &Path) -> Result<CheckedConfig, DescriptionError> {
    let config = switch(&SwitchChoice::Name(name.into()), folder)?;
    if (config.ports as usize) < ports {
        let rule = format!("has {} ports, and the network needs {ports}", config.ports);
        let legal = format!("a switch of {ports} ports or more");
        return Err(DescriptionError::of("/switch", json!(name), rule, legal));
    }
    Ok(config)
}

/// The switch of a network.
fn switch(switch: &SwitchChoice, folder: &Path) -> Result<CheckedConfig, DescriptionError> {
    let config = described_switch(switch, folder)?;
    if config.chip.is_some() {
        let rule = "must have no chip: a network joins the links of its switches";
        return Err(DescriptionError::of("/switch", "a switch with a chip around it", rule, "\"chip\": null"));
    }
    Ok(config)
}

fn described_switch(switch: &SwitchChoice, folder: &Path) -> Result<CheckedConfig, DescriptionError> {
    match switch {
        SwitchChoice::Inline(object) => {
            let text = serde_json::to_string(object).expect("it was JSON");
            Config::from_json(&text).map_err(|faults| {
                let inside = |fault: Fault| Fault { path: format!("/switch{}", fault.path), ..fault };
                DescriptionError { file: None, faults: faults.map(inside) }
            })
        }
        SwitchChoice::Name(name) => {
            let path = folder.join(name);
            let text = match presets::find(name) {
                Some(preset) => preset.json.to_string(),
                None if path.symlink_metadata().is_err() => {
                    let rule = format!("is neither a preset nor a file{}", did_you_mean(name, presets::names()));
                    let legal = nearest(name, presets::names()).unwrap_or("dawning16");
                    return Err(DescriptionError::of("/switch", json!(name), rule, json!(legal).to_string()));
                }
                None => text_of("/switch", name, folder)?,
            };
            Config::from_json(&text).map_err(|faults| DescriptionError { file: Some(path), faults })
        }
    }
}

fn plan(sources: &mut Sources<'_>, config: &CheckedConfig, folder: &Path) -> Result<Plan, DescriptionError> {
    let (description, shape) = (sources.description, config.shape());
    let wiring = description.topology.wiring(shape.ports);
    let wiring = wiring.map_err(|faults| sources.locate(BlueprintError::Topology(faults)))?;
    sources.nodes = wiring.nodes().len();
    let (mut tables, mut trees, mut barrier_trees) = (None, None, None);
    if description.tables != COMPUTED {
        let file = read_tables(&description.tables, folder)?;
        let path = folder.join(&description.tables);
        let wrong = |e: TablesError| DescriptionError::of(&e.path, e.value, e.rule, e.legal).inside(&path);
        tables = Some(file.tables(&wiring, shape.vcs, shape.next_vc).map_err(wrong)?);
        trees = Some(file.trees(&wiring).map_err(wrong)?).filter(|trees| !trees.is_empty());
        barrier_trees = Some(file.barriers(&wiring).map_err(wrong)?).filter(|trees| !trees.is_empty());
        sources.tables = Some((path, file));
    }
    let multicast = description.multicast.as_ref();
    let sets = match multicast.and_then(|multicast| multicast.sets.as_ref()) {
        Some(sets) => members("/multicast/sets", sets, &wiring, trees.is_some())?,
        None => Vec::new(),
    };
    let barriers = match description.barriers.as_ref().and_then(|barriers| barriers.sets.as_ref()) {
        Some(sets) => members("/barriers/sets", sets, &wiring, barrier_trees.is_some())?,
        None if barrier_trees.is_some() => Vec::new(),
        None if description.barriers.is_none() && shape.barrier.is_none() => Vec::new(),
        None => members("/barriers/sets", &Sets::All(All::All), &wiring, false)?,
    };
    Ok(Plan {
        shape,
        topology: description.topology.clone(),
        algorithm: description.algorithm,
        tables,
        trees,
        sets,
        candidates: multicast.map_or(1, |multicast| multicast.roots),
        unicast_on_mixed: description.unicast_on_mixed,
        barriers,
        barrier_trees,
        adaptive: description.adaptive.clone().unwrap_or_default(),
    })
}

/// The first place at which a node stands that has stood before.
fn twice(list: &[usize]) -> Option<usize> {
    let mut seen = HashSet::new();
    list.iter().position(|node| !seen.insert(node))
}

/// The members of each group; `path` is where the sets stand. `are_given` if the tables' file has groups.
fn members(path: &str, sets: &Sets, wiring: &Wiring, are_given: bool) -> Result<Vec<Vec<usize>>, DescriptionError> {
    let nodes = wiring.nodes().len();
    match sets {
        _ if are_given => {
            Err(DescriptionError::of(path, json!(sets), "stands beside groups in the tables' file", "leave it out"))
        }
        Sets::All(All::All) => Ok(vec![(0..nodes).collect()]),
        Sets::Lists(lists) => match lists.iter().enumerate().find_map(|(number, list)| Some((number, twice(list)?))) {
            Some((number, at)) => {
                let (path, node) = (format!("{path}/{number}/{at}"), lists[number][at]);
                Err(DescriptionError::of(&path, json!(node), "is there twice", "leave it out"))
            }
            None => Ok(lists.clone()),
        },
        Sets::Drawn(Drawn { members, .. }) if *members > nodes => {
            let rule = "must be at most the number of nodes";
            Err(DescriptionError::of(&format!("{path}/members"), members, rule, nodes.to_string()))
        }
        Sets::Drawn(Drawn { groups, members, seed }) => {
            let mut random = Random::new(*seed, 0);
            let draw = |_| {
                let mut all: Vec<usize> = (0..nodes).collect();
                for at in 0..*members {
                    all.swap(at, random.within(at as u64, nodes as u64 - 1) as usize);
                }
                all.truncate(*members);
                all
            };
            Ok((0..*groups).map(draw).collect())
        }
    }
}

//! Reads a network file, and the files that it names.

use super::{All, Barriers, Description, Drawn, LinkDown, Sets, Switch, COMPUTED};
use crate::blueprint::{Blueprint, BlueprintError, Plan};
use crate::harness::Run;
use crate::tables::TablesFile;
use crate::topology::{Links, Topology};
use crate::wiring::{Peer, Wiring};
use railyard_sampling::random::Random;
use railyard_spec::{presets, Config, Fault, Faults, Schema};
use schemars::JsonSchema;
use serde::de::DeserializeOwned;
use serde_json::{json, Value};
use std::path::{Path, PathBuf};

/// Why a network file is no network.
#[derive(Debug, thiserror::Error)]
pub enum DescriptionError {
    /// It, or a file that it names, breaks rules.
    #[error("{} ({} fault{})\n{}", what(file.as_deref()), faults.0.len(), if faults.0.len() == 1 { "" } else { "s" }, listed(faults))]
    Faults {
        /// The file that it names; none for the network file itself.
        file: Option<PathBuf>,
        /// All that is wrong.
        faults: Faults,
    },
    /// A file that it names can't be read.
    #[error("{}: {source}", path.display())]
    Io {
        /// The file.
        path: PathBuf,
        /// What the system said.
        source: std::io::Error,
    },
    /// The network can't be built.
    #[error(transparent)]
    Blueprint(#[from] BlueprintError),
}

/// What is at fault.
fn what(file: Option<&Path>) -> String {
    file.map_or("not a legal network".into(), |file| format!("{}: not legal", file.display()))
}

fn listed(faults: &Faults) -> String {
    faults.0.iter().map(|fault| format!("  {fault}")).collect::<Vec<_>>().join("\n")
}

/// A network file with all that it names.
#[derive(Clone, Debug)]
pub struct Input {
    /// The file.
    pub description: Description,
    /// The switch.
    pub config: Config,
    /// The network, checked.
    pub blueprint: Blueprint,
}

impl Input {
    /// Reads a network file. Files that it names are looked for in `folder`. Tables, computed or not, are checked.
    ///
    /// # Errors
    /// What is wrong: of a JSON file all at once, of the network the first fault.
    pub fn read(text: &str, folder: &Path) -> Result<Input, DescriptionError> {
        let mut description: Description =
            parse(text).map_err(|faults| DescriptionError::Faults { file: None, faults })?;
        let config = switch(&description.switch, folder)?;
        if let Topology::File(file) = &description.topology {
            description.topology = Topology::Wiring(read_file::<Links>(&folder.join(&file.path))?);
        }
        let plan = plan(&description, &config, folder)?;
        let blueprint = Blueprint::new(plan)?;
        check_links_down(&blueprint, &description.faults.links_down)?;
        Ok(Input { description, config, blueprint })
    }

    /// What a run does by this file.
    pub fn run(&self, seed: u64) -> Run {
        let Description { traffic, link_latency, cam_latency, multicast, barriers, faults, .. } = &self.description;
        Run {
            traffic: traffic.clone(),
            link_latency: *link_latency,
            cam_latency: *cam_latency,
            selection: multicast.as_ref().map(|multicast| multicast.selection).unwrap_or_default(),
            messages: multicast.as_ref().map(|multicast| multicast.load_messages).unwrap_or_default(),
            lost_credits: faults.lost_credits,
            barriers: barriers.as_ref().map_or(0.0, |barriers| barriers.rate),
            barrier_packets: None,
            barrier_timers: barriers.as_ref().map(|barriers| barriers.timers).unwrap_or_default(),
            lost_messages: faults.lost_messages,
            corrupt_messages: faults.corrupt_messages,
            seed,
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

/// A link that isn't there or can't be spared is a fault of the file, not one to find out in the middle of a run.
fn check_links_down(blueprint: &Blueprint, links: &[LinkDown]) -> Result<(), DescriptionError> {
    let mut left = blueprint.clone();
    for (number, LinkDown { link, .. }) in links.iter().enumerate() {
        let path = format!("/faults/links_down/{number}/link");
        let value = json!(link).to_string();
        let wrong = |rule: String, legal: &str| Err(fault(&path, value.clone(), &rule, legal));
        let wiring = &blueprint.wiring;
        let far = match wiring.exists(*link).then(|| wiring.peer(*link)) {
            Some(Peer::Switch(far)) => far,
            other => {
                let what = match other {
                    Some(Peer::Node(node)) => format!("there is node {node}"),
                    Some(_) => "nothing is wired to it".into(),
                    None => "there is no such port".into(),
                };
                let legal = wiring.links().next().map_or("none".into(), |(near, _)| json!(near).to_string());
                return wrong(
                    format!("must be an end of a link between switches; at {link} is no link: {what}"),
                    &legal,
                );
            }
        };
        // A link has two ends, and either names it.
        let same = |other: &LinkDown| other.link == *link || other.link == far;
        if let Some(earlier) = links[..number].iter().position(same) {
            let rule = format!(
                "is the link of /faults/links_down/{earlier}, from {link} to {far}, which is out of service by then"
            );
            return wrong(rule, "leave it out");
        }
        left = match left.without(*link) {
            Ok(left) => left,
            Err(error) => return wrong(format!("can't be spared: {error}"), "leave it out"),
        };
    }
    Ok(())
}

/// A JSON text that keeps to the schema of its type.
fn parse<T: DeserializeOwned + JsonSchema>(text: &str) -> Result<T, Faults> {
    Schema::new(schemars::schema_for!(T).to_value(), example).read(text)
}

fn text_of(path: &Path) -> Result<String, DescriptionError> {
    std::fs::read_to_string(path).map_err(|source| DescriptionError::Io { path: path.into(), source })
}

fn read_file<T: DeserializeOwned + JsonSchema>(path: &Path) -> Result<T, DescriptionError> {
    parse(&text_of(path)?).map_err(|faults| DescriptionError::Faults { file: Some(path.into()), faults })
}

/// A single fault of the network file.
fn fault(path: &str, value: String, rule: &str, legal: &str) -> DescriptionError {
    let fault = Fault { path: path.into(), value, rule: rule.into(), legal: legal.into() };
    DescriptionError::Faults { file: None, faults: Faults(vec![fault]) }
}

fn switch(switch: &Switch, folder: &Path) -> Result<Config, DescriptionError> {
    match switch {
        Switch::Inline(object) => {
            let text = serde_json::to_string(object).expect("it was JSON");
            Config::from_json(&text).map_err(|faults| {
                let inside = |fault: Fault| Fault { path: format!("/switch{}", fault.path), ..fault };
                DescriptionError::Faults { file: None, faults: Faults(faults.0.into_iter().map(inside).collect()) }
            })
        }
        Switch::Name(name) => {
            let path = folder.join(name);
            let text = match presets::find(name) {
                Some(preset) => preset.json.to_string(),
                None if !path.exists() => {
                    let value = format!("{name:?}");
                    return Err(fault("/switch", value, "is neither a preset nor a file", "\"dawning16\""));
                }
                None => text_of(&path)?,
            };
            Config::from_json(&text).map_err(|faults| DescriptionError::Faults { file: Some(path), faults })
        }
    }
}

fn plan(description: &Description, config: &Config, folder: &Path) -> Result<Plan, DescriptionError> {
    let shape = config.shape();
    let wiring = description.topology.wiring(shape.ports).map_err(BlueprintError::from)?;
    let (mut tables, mut trees) = (None, None);
    if description.tables != COMPUTED {
        let path = folder.join(&description.tables);
        let file: TablesFile = read_file(&path)?;
        let wrong = |e: crate::tables::TablesError| {
            let fault = Fault {
                path: e.path,
                value: e.value,
                rule: e.rule,
                legal: "what `railyard network check --write-tables` writes".into(),
            };
            DescriptionError::Faults { file: Some(path.clone()), faults: Faults(vec![fault]) }
        };
        tables = Some(file.tables(&wiring, shape.vcs, shape.next_vc).map_err(wrong)?);
        trees = Some(file.trees(&wiring).map_err(wrong)?).filter(|trees| !trees.is_empty());
    }
    let multicast = description.multicast.as_ref();
    let sets = match multicast.and_then(|multicast| multicast.sets.as_ref()) {
        Some(_) if trees.is_some() => {
            return Err(fault("/multicast/sets", "groups".into(), "stand in the tables' file", "leave it out"));
        }
        Some(sets) => members("/multicast/sets", sets, &wiring)?,
        None => Vec::new(),
    };
    let barriers = match &description.barriers {
        None if shape.barrier.is_none() => Vec::new(),
        None => members("/barriers/sets", &Barriers::default().sets, &wiring)?,
        Some(barriers) => members("/barriers/sets", &barriers.sets, &wiring)?,
    };
    Ok(Plan {
        shape,
        topology: description.topology.clone(),
        tables,
        trees,
        sets,
        candidates: multicast.map_or(1, |multicast| multicast.roots),
        unicast_on_mixed: description.unicast_on_mixed,
        barriers,
    })
}

/// The members of each group; `path` is where the sets stand.
fn members(path: &str, sets: &Sets, wiring: &Wiring) -> Result<Vec<Vec<usize>>, DescriptionError> {
    let nodes = wiring.nodes().len();
    match sets {
        Sets::All(All::All) => Ok(vec![(0..nodes).collect()]),
        Sets::Lists(lists) => Ok(lists.clone()),
        Sets::Drawn(Drawn { members, .. }) if *members > nodes => Err(fault(
            &format!("{path}/members"),
            members.to_string(),
            "must be at most the number of nodes",
            &nodes.to_string(),
        )),
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

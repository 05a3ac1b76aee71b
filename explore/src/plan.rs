//! What follows from a sweep: its points and the runs that they need.

use crate::error::{at, Error};
use crate::field::Field;
use crate::grid::{alone, product, together, Axis, Setting};
use crate::network_load;
use crate::run::{hex, Hardware, RunKind, SweepRun};
use crate::scenario;
use crate::subject::Subject;
use crate::sweep::{Base, Estimate, Sweep};
use railyard_estimate::Error as Missing;
use railyard_input::{pointer, Fault, Faults, FileKind};
use railyard_spec::{CheckedConfig, Config};
use railyard_testbench::stimulus::Scenario;
use serde::Serialize;
use serde_json::{json, Map, Value};
use std::collections::{HashMap, HashSet};

/// A sweep, worked out.
#[derive(Clone, Debug)]
pub struct SweepPlan {
    /// The sweep.
    pub sweep: Sweep,
    /// Heads of the columns that tell points apart.
    pub variables: Vec<String>,
    /// Points to do, in the order of the results.
    pub points: Vec<SweepPoint>,
    /// Switches and networks that break rules, and loads that they have no part for.
    pub skipped: Vec<Skipped>,
    /// What to run: estimates, which take longest, first. None is there twice.
    pub runs: Vec<SweepRun>,
}

/// A switch or network under a load.
#[derive(Clone, Debug)]
pub struct SweepPoint {
    /// A value for each variable.
    pub values: Vec<Value>,
    /// The switch; of a network that of all places.
    pub config: CheckedConfig,
    /// Indices of its runs.
    pub runs: Vec<usize>,
}

/// A switch or network that breaks rules, or has no part for a load.
#[derive(Clone, Debug, Serialize)]
pub struct Skipped {
    /// The fields that the sweep has set.
    pub values: Map<String, Value>,
    /// What is wrong.
    #[serde(flatten)]
    pub faults: Faults,
}

impl SweepPlan {
    /// Works out a sweep that [`Sweep::read`] has read.
    ///
    /// # Errors
    /// No point is legal; values of the scenario don't go together; the library file can't be read.
    pub fn new(sweep: Sweep) -> Result<SweepPlan, Error> {
        let estimate = sweep.estimate.as_ref().map(estimate).transpose()?;
        let loads = loads(&sweep)?;
        let (mut pairs, mut skipped) =
            (Vec::<(Vec<(String, Value)>, CheckedConfig, Option<RunKind>)>::new(), Vec::new());
        for (setting, subject) in subjects(&sweep) {
            let subject = match subject {
                Ok(subject) => subject,
                Err(faults) => {
                    skipped.push(Skipped { values: setting.values.into_iter().collect(), faults });
                    continue;
                }
            };
            for load in &loads {
                let values = setting.values.iter().chain(&load.setting.values).cloned();
                match load.job(&subject) {
                    Ok(job) => pairs.push((values.collect(), subject.config().clone(), job)),
                    Err(faults) => skipped.push(Skipped { values: values.collect(), faults }),
                }
            }
        }
        if pairs.is_empty() {
            return Err(all_skipped(&sweep, &skipped));
        }
        let mut runs = Runs::default();
        for (_, config, _) in &pairs {
            estimate.iter().for_each(|job| _ = runs.add(config, job.clone()));
        }
        let mut points = Vec::new();
        for (values, config, load) in pairs {
            points.push(SweepPoint {
                values: values.into_iter().map(|(_, value)| value).collect(),
                runs: estimate.iter().chain(&load).map(|job| runs.add(&config, job.clone())).collect(),
                config,
            });
        }
        let variables = sweep.variables().into_keys().collect();
        Ok(SweepPlan { sweep, variables, points, skipped, runs: runs.list })
    }

    /// Whether the block to estimate, if the sweep names one, is in the design of some point.
    ///
    /// # Errors
    /// It is in none, or can't be estimated: a fault of the sweep.
    pub fn check_block(&self, hardware: &dyn Hardware) -> Result<(), Error> {
        let Some(block) = self.sweep.estimate.as_ref().and_then(|estimate| estimate.block.as_ref()) else {
            return Ok(());
        };
        let mut misses = Vec::new();
        for run in self.runs.iter().filter(|run| matches!(run.job, RunKind::Estimate { .. })) {
            // A design that can't be made is the run's failure.
            match hardware.design(&run.config).map(|design| design.check_block(block)) {
                Ok(Err(miss)) => misses.push(miss),
                _ => return Ok(()),
            }
        }
        let Some(miss) = misses.first() else { return Ok(()) };
        let legal = match miss {
            Missing::NoSuchBlock { known, .. } => known.join(", "),
            _ => "leave it out".into(),
        };
        let rule = "must be a module, other than a memory, of a design of the sweep".into();
        let fault = Fault { path: "/estimate/block".into(), value: json!(block).to_string(), rule, legal };
        Err(Error::Sweep(fault.into()))
    }

    /// A point's values by column.
    pub fn values(&self, point: &SweepPoint) -> Map<String, Value> {
        self.variables.iter().cloned().zip(point.values.iter().cloned()).collect()
    }
}

/// Runs, each once.
#[derive(Default)]
struct Runs {
    list: Vec<SweepRun>,
    known: HashMap<String, usize>,
}

impl Runs {
    /// The index of a run, which may be a known one.
    fn add(&mut self, config: &CheckedConfig, job: RunKind) -> usize {
        let run = SweepRun { config: config.clone(), job };
        *self.known.entry(run.key()).or_insert_with(|| {
            self.list.push(run);
            self.list.len() - 1
        })
    }
}

/// The switches or networks of a sweep, read one by one: those that keep the rules, and what is wrong with the others.
fn subjects(sweep: &Sweep) -> impl Iterator<Item = (Setting, Result<Subject, Faults>)> {
    let Base::Inline(base) = &sweep.base else { unreachable!("the document is in its place") };
    let (base, is_network) = (Value::Object(base.clone()), sweep.is_over_networks());
    let base = if is_network { base } else { complete(&base) };
    let axes: Vec<Axis> = sweep
        .vary
        .iter()
        .map(|(name, values)| alone("", name, values))
        .chain(sweep.together.iter().map(together))
        .collect();
    product(&axes).into_iter().map(move |setting| {
        let subject = subject(&base, &setting.sets, is_network);
        (setting, subject)
    })
}

/// A description with its defaults written out, so that a field inside can be set without its neighbours. One that is
/// not legal on its own stays as it is: the sweep may set what it lacks.
fn complete(base: &Value) -> Value {
    match Config::from_json(&base.to_string()) {
        Ok(config) => serde_json::to_value(config).expect("a configuration is plain data"),
        Err(_) => base.clone(),
    }
}

fn subject(base: &Value, sets: &[(Field, Value)], is_network: bool) -> Result<Subject, Faults> {
    let mut document = base.clone();
    for (field, value) in sets {
        field.set(&mut document, value).map_err(Faults::from)?;
    }
    Subject::read(&document, is_network)
}

fn all_skipped(sweep: &Sweep, skipped: &[Skipped]) -> Error {
    let mut known = HashSet::new();
    let all = skipped.iter().flat_map(|skipped| &skipped.faults.first).map(|fault| of_sweep(sweep, fault));
    let faults = all.filter(|(fault, is_name)| {
        // A misspelt field is one fault, whatever its values.
        let value = if *is_name { String::new() } else { fault.value.clone() };
        known.insert((fault.path.clone(), fault.rule.clone(), value))
    });
    Error::AllSkipped { points: skipped.len(), faults: faults.map(|(fault, _)| fault).collect() }
}

/// A fault of a point; that of a field that there is not, where the sweep names it. Whether it is one.
fn of_sweep(sweep: &Sweep, fault: &Fault) -> (Fault, bool) {
    let groups = sweep.together.iter().enumerate().map(|(i, group)| (format!("/together/{i}"), group));
    let mut lists = std::iter::once(("/vary".to_string(), &sweep.vary)).chain(groups);
    let inside = format!("{}/", fault.path);
    let is_meant =
        |name: &&String| Field::parse(name).is_some_and(|field| format!("{}/", field.pointer()).starts_with(&inside));
    let named = lists.find_map(|(list, fields)| Some(pointer(&list, fields.keys().find(is_meant)?)));
    match named.filter(|_| fault.rule.starts_with("is not a field here")) {
        Some(path) => (Fault { path, ..fault.clone() }, true),
        None => (fault.clone(), false),
    }
}

fn estimate(estimate: &Estimate) -> Result<RunKind, Error> {
    let Estimate { library, liberty, node, block } = estimate.clone();
    let library = match &liberty {
        Some(path) => format!("sha256:{}", hex(&railyard_input::read(path, FileKind::Liberty).map_err(at(path))?)),
        None => library.unwrap_or_else(|| "nangate45".into()),
    };
    Ok(RunKind::Estimate { library, node, block, file: liberty })
}

/// What is simulated of a switch or network.
#[derive(Default)]
struct Load {
    setting: Setting,
    stimulus: Stimulus,
}

#[derive(Default)]
enum Stimulus {
    /// Nothing is simulated.
    #[default]
    Nothing,
    /// That of a switch, and the document that it was read from.
    Switch { scenario: Box<Scenario>, said: Value, cycles: u64 },
    /// That of the network file, with the load's settings.
    Network { cycles: u64 },
}

impl Load {
    /// The job that puts the load on a switch or network.
    ///
    /// # Errors
    /// What it has no part for.
    fn job(&self, subject: &Subject) -> Result<Option<RunKind>, Faults> {
        match (&self.stimulus, subject) {
            (Stimulus::Network { cycles }, Subject::Network(input)) => {
                network_load::job(input, &self.setting, *cycles).map(Some)
            }
            (Stimulus::Switch { scenario, said, cycles }, Subject::Switch(config)) => {
                let inside = |fault: Fault| Fault { path: format!("/simulate/scenario{}", fault.path), ..fault };
                match scenario.misfits(said, &config.shape()).map(inside) {
                    faults if faults.is_empty() => {
                        Ok(Some(RunKind::Simulate { scenario: scenario.clone(), cycles: *cycles }))
                    }
                    faults => Err(faults),
                }
            }
            _ => Ok(None),
        }
    }
}

/// Every load of the sweep.
fn loads(sweep: &Sweep) -> Result<Vec<Load>, Error> {
    let Some(simulate) = &sweep.simulate else { return Ok(vec![Load::default()]) };
    let (start, cycles) = (scenario::start(&simulate.scenario), simulate.cycles);
    let load = |setting: Setting| {
        if sweep.is_over_networks() {
            return Ok(Load { setting, stimulus: Stimulus::Network { cycles } });
        }
        let (scenario, said) = scenario::read(&start, &setting).map_err(|why| clash(&setting, &why))?;
        Ok(Load { setting, stimulus: Stimulus::Switch { scenario: Box::new(scenario), said, cycles } })
    };
    product(&scenario::axes(simulate)).into_iter().map(load).collect()
}

/// Values that are legal one by one but not together.
fn clash(setting: &Setting, why: &Faults) -> Error {
    let values: Map<String, Value> = setting.values.iter().cloned().collect();
    let fault = Fault {
        path: "/simulate".into(),
        value: Value::Object(values).to_string(),
        rule: format!("does not make a scenario: {}", why.to_string().replace('\n', "; ")),
        legal: "other values, or a sweep for each".into(),
    };
    Error::Sweep(fault.into())
}

//! The sweep file: what a user writes.

use crate::field::Field;
use crate::network;
use crate::run;
use indexmap::IndexMap;
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};
use serde_json::{Map, Value};
use std::path::PathBuf;

/// Fields, each with the values that it takes.
pub(crate) type Values = IndexMap<String, Vec<Value>>;

/// A sweep over the fields of a switch description or of a network file.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
#[schemars(title = "Railyard sweep")]
pub struct Sweep {
    /// The switch description or network file to start from: a preset, a file (beside the sweep file), or the document
    /// itself. A network has a `topology`.
    pub base: Base,

    /// Fields of that document, each with its values; every combination is a point. A field is named by its path,
    /// `routing.cache.ways` or `/routing/cache/ways`.
    #[serde(default, skip_serializing_if = "IndexMap::is_empty")]
    pub vary: Values,

    /// Groups of fields that take their first values together, then their second ones, and so on.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub together: Vec<Values>,

    /// Simulate each point with the golden model.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub simulate: Option<Simulate>,

    /// Estimate area, clock and power of each point with Yosys and OpenSTA.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub estimate: Option<Estimate>,

    /// Pictures of the results.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub plots: Vec<Plot>,
}

/// The document to start from.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(untagged)]
pub enum Base {
    /// Name of a preset or file.
    Name(String),
    /// The document itself.
    Inline(Map<String, Value>),
}

/// How points are simulated. Each list is one more dimension of the sweep.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct Simulate {
    /// Clock cycles measured, after a warm-up that lasts until the switch or network is steady.
    #[schemars(range(min = 10, max = 1_000_000_000_000_u64))]
    #[serde(default = "default_cycles")]
    pub cycles: u64,

    /// Traffic patterns by name, as `--traffic` of `railyard simulate` or `railyard network run` takes them. Left out:
    /// that of `scenario` or of the network file, or `uniform`.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub traffic: Option<Vec<String>>,

    /// Offered loads in flits for each port or node and cycle. Left out: that of `scenario`, or 0.7; that of the
    /// network file.
    #[schemars(inner(range(min = 0.0, max = 1.0)))]
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub load: Option<Vec<f64>>,

    /// Seeds: repetitions of the same experiment; plots show their mean. Left out: that of `scenario`, or 1.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub seed: Option<Vec<u64>>,

    /// Of a switch: the rest of the stimulus, as `railyard simulate --scenario` takes it; what is left out has its
    /// default.
    #[serde(default, skip_serializing_if = "Map::is_empty")]
    pub scenario: Map<String, Value>,

    /// Of a switch: fields of the scenario, each with its values: `traffic.addresses_per_port`.
    #[serde(default, skip_serializing_if = "IndexMap::is_empty")]
    pub vary: Values,
}

/// How points are estimated.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct Estimate {
    /// Standard-cell library by name, as `railyard estimate --library` takes it. Left out: `nangate45`.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub library: Option<String>,

    /// Standard-cell library by file (beside the sweep file) instead.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub liberty: Option<PathBuf>,

    /// Feature size of `liberty` in nm, for the memories that go with it.
    #[schemars(range(min = 1, max = 1000))]
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub node: Option<u32>,

    /// Only this module of the design and what is in it.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub block: Option<String>,
}

/// A picture of two columns of the results.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct Plot {
    /// Name of its file, and of its column `pareto_<name>`. Left out: `<y>_over_<x>`.
    #[schemars(regex(pattern = "^[A-Za-z0-9_.-]{1,80}$"))]
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub name: Option<String>,

    /// Column across.
    pub x: String,

    /// Column upwards.
    pub y: String,

    /// Column by which points are coloured, and joined by lines where there is no Pareto front.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub series: Option<String>,

    /// Columns and the value that a point must have there to be in the picture.
    #[serde(default, rename = "where", skip_serializing_if = "IndexMap::is_empty")]
    pub only: IndexMap<String, Value>,

    /// Axes with a logarithmic scale.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub log: Vec<AxisName>,

    /// Mark the points that no other point beats.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub pareto: Option<Pareto>,
}

/// An axis.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "snake_case")]
pub enum AxisName {
    /// Across.
    X,
    /// Upwards.
    Y,
}

/// Which way is better.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct Pareto {
    /// Across.
    pub x: Goal,
    /// Upwards.
    pub y: Goal,
}

/// What is better.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "snake_case")]
pub enum Goal {
    /// Less.
    Min,
    /// More.
    Max,
}

fn default_cycles() -> u64 {
    100_000
}

/// JSON Schema (draft 2020-12) of [`Sweep`], generated from its types.
pub fn json_schema() -> Value {
    schemars::schema_for!(Sweep).to_value()
}

impl Sweep {
    /// As JSON text.
    pub fn to_json(&self) -> String {
        serde_json::to_string_pretty(self).expect("a sweep is plain data") + "\n"
    }

    /// What differs from point to point: the heads of the columns, each with its values.
    pub(crate) fn variables(&self) -> IndexMap<String, Vec<Value>> {
        let named = |prefix: &'static str, values: &Values| -> Vec<(String, Vec<Value>)> {
            let column = |name: &String| Some(format!("{prefix}{}", Field::parse(name)?.column()));
            values.iter().filter_map(|(name, values)| Some((column(name)?, values.clone()))).collect()
        };
        let mut columns = named("", &self.vary);
        columns.extend(self.together.iter().flat_map(|group| named("", group)));
        if let Some(simulate) = &self.simulate {
            columns.extend(simulate.lists().into_iter().map(|(name, values)| (name.into(), values)));
            columns.extend(named(SCENARIO, &simulate.vary));
        }
        columns.into_iter().collect()
    }

    /// Whether a network is varied, and not a switch.
    pub(crate) fn is_over_networks(&self) -> bool {
        matches!(&self.base, Base::Inline(base) if network::is_network(base))
    }

    /// What is measured: the heads of the other columns.
    pub(crate) fn metrics(&self) -> Vec<&'static str> {
        let whole = self.estimate.as_ref().is_some_and(|estimate| estimate.block.is_none());
        let mut names = vec![run::MEMORY_BITS];
        names.extend(self.estimate.iter().flat_map(|_| run::ESTIMATED));
        names.extend(self.simulate.iter().flat_map(|_| run::SIMULATED));
        names.extend(self.simulate.iter().filter(|_| self.is_over_networks()).flat_map(|_| run::OF_NETWORKS));
        names.extend(run::JOINT.iter().filter(|_| whole && self.simulate.is_some()));
        names
    }
}

/// What columns of the scenario's fields begin with.
pub(crate) const SCENARIO: &str = "scenario.";

impl Simulate {
    /// The lists that have names of their own, as columns with values.
    pub(crate) fn lists(&self) -> Vec<(&'static str, Vec<Value>)> {
        let lists = [
            ("traffic", self.traffic.as_ref().map(|list| list.iter().cloned().map(Value::from).collect())),
            ("load", self.load.as_ref().map(|list| list.iter().copied().map(Value::from).collect())),
            (SEED, self.seed.as_ref().map(|list| list.iter().copied().map(Value::from).collect())),
        ];
        lists.into_iter().filter_map(|(name, values)| Some((name, values?))).collect()
    }
}

/// The column of repetitions.
pub(crate) const SEED: &str = "seed";

impl Plot {
    /// Its name, given or made of its columns.
    pub fn name(&self) -> String {
        let made = || format!("{}_over_{}", column(&self.y), column(&self.x));
        self.name.clone().unwrap_or_else(made)
    }
}

/// Whether two values are the same: 1 and 1.0 are.
pub(crate) fn same(a: &Value, b: &Value) -> bool {
    match (a.as_f64(), b.as_f64()) {
        (Some(a), Some(b)) => a == b,
        _ => a == b,
    }
}

/// A text that is the same for values that are the same.
pub(crate) fn identity(value: &Value) -> String {
    value.as_f64().map_or_else(|| value.to_string(), |number| Value::from(number + 0.0).to_string())
}

/// The head of a column, however a user spells it.
pub(crate) fn column(name: &str) -> String {
    Field::parse(name).map_or_else(|| name.to_string(), |field| field.column())
}

//! The scenarios of a sweep.

use crate::field::Field;
use crate::grid::{alone, Axis, Setting};
use crate::sweep::{Simulate, SCENARIO};
use railyard_input::Faults;
use railyard_testbench::stimulus::Scenario;
use railyard_testbench::traffic::Pattern;
use serde_json::{json, Map, Value};

/// The name of uniform traffic in bursts of eight packets, as on the command line.
const BURSTY: &str = "bursty";

/// All names of traffic.
pub(crate) fn traffic_names() -> Vec<&'static str> {
    Pattern::OF_SWITCHES.iter().copied().chain([BURSTY]).collect()
}

/// The scenario that the sweep starts from, as a document: what the user wrote, over the defaults of
/// `railyard simulate`.
pub(crate) fn start(own: &Map<String, Value>) -> Value {
    let mut document = Value::Object(own.clone());
    for (path, default) in [("/traffic/load", json!(0.7)), ("/seed", json!(1))] {
        let field = Field::parse(path).expect("a path");
        if document.pointer(path).is_none() {
            // Where the user's document leaves no room for it, reading the document says so.
            let _ = field.set(&mut document, &default);
        }
    }
    document
}

/// The document with a setting, read and checked, and the document.
///
/// # Errors
/// All that is wrong; paths are those of the scenario.
pub(crate) fn read(start: &Value, setting: &Setting) -> Result<(Scenario, Value), Faults> {
    let mut document = start.clone();
    for (field, value) in &setting.sets {
        field.set(&mut document, value).map_err(Faults::from)?;
    }
    Ok((Scenario::from_value(document.clone())?, document))
}

/// The dimensions of the sweep that are the scenario's.
pub(crate) fn axes(simulate: &Simulate) -> Vec<Axis> {
    let lists = simulate.lists().into_iter().map(|(name, values)| match name {
        "traffic" => values.iter().map(traffic).collect(),
        "load" => list(name, "/traffic/load", &values),
        _ => list(name, "/seed", &values),
    });
    lists.chain(simulate.vary.iter().map(|(name, values)| alone(SCENARIO, name, values))).collect()
}

fn list(name: &str, path: &str, values: &[Value]) -> Axis {
    let field = Field::parse(path).expect("a path");
    values.iter().map(|value| Setting::one(name, &field, value)).collect()
}

fn traffic(name: &Value) -> Setting {
    let text = name.as_str().unwrap_or_default();
    let field = |path| Field::parse(path).expect("a path");
    let pattern = Pattern::named(text).unwrap_or(Pattern::Uniform);
    let mut sets = vec![(field("/traffic/pattern"), json!(pattern))];
    if text == BURSTY {
        sets.push((field("/traffic/burst"), json!({"packets": 8.0})));
    }
    Setting { values: vec![("traffic".into(), name.clone())], sets }
}

//! Networks of a sweep. A sweep keeps a network as one document, so that workers on other machines need no other file.

use railyard_input::{read_text, Fault, Faults, FileKind};
use railyard_network::description::{Input, NetworkFile, SwitchChoice};
use railyard_spec::presets;
use serde_json::{json, Map, Value};
use std::path::Path;

/// Fields that can name a file. Computed tables are no file.
const NAMES: [&str; 4] = ["/topology/path", "/tables", "/traffic/file", "/traffic/matrix"];

/// Links that a run takes out or breaks in a cycle of its own.
const LINK_EVENTS: [&str; 2] = ["/faults/links_down", "/faults/links_break"];

/// Whether a document is a network file: no switch description has these fields.
pub(crate) fn is_network(document: &Map<String, Value>) -> bool {
    ["switch", "topology"].into_iter().any(|field| document.contains_key(field))
}

/// A network file with the files that it names in `folder` in their places, and defaults written out, so that a field
/// inside can be set without its neighbours. One that is not legal on its own stays as it is: the sweep may set what it
/// lacks.
///
/// # Errors
/// The file of its switch can't be read.
pub(crate) fn in_place(mut document: Map<String, Value>, folder: &Path) -> Result<Map<String, Value>, Fault> {
    if let Some(Value::String(name)) = document.get("switch").filter(|name| !is_preset(name)) {
        let switch = switch_file(name, folder).map_err(|rule| Fault {
            path: "/base/switch".into(),
            value: json!(name).to_string(),
            rule,
            legal: "\"dragonfly15\"".into(),
        })?;
        document.insert("switch".into(), switch);
    }
    let input = Input::read(&Value::Object(document.clone()).to_string(), folder);
    let described = input.ok().map(|input| json!(whole(&input)));
    Ok(match described {
        Some(Value::Object(described)) => described,
        _ => document,
    })
}

fn is_preset(name: &Value) -> bool {
    name.as_str().is_some_and(|name| presets::find(name).is_some())
}

fn switch_file(name: &str, folder: &Path) -> Result<Value, String> {
    let text = read_text(folder.join(name), FileKind::Description)
        .map_err(|error| format!("is no preset, and can't be read as a file: {error}"))?;
    serde_json::from_str(&text).map_err(|error| format!("is not JSON: {error}"))
}

/// The network file with its switch in place.
pub(crate) fn whole(input: &Input) -> NetworkFile {
    let switch = match json!(input.config) {
        Value::Object(switch) => SwitchChoice::Inline(switch),
        _ => unreachable!("a description is an object"),
    };
    NetworkFile { switch, ..input.description.clone() }
}

/// Reads a network that is one document, and has a steady state.
///
/// # Errors
/// All faults of the file, or the first of the network.
pub(crate) fn read(document: &Value) -> Result<Input, Faults> {
    let is_file = |path: &&str| document.pointer(path).is_some_and(|name| name.is_string() && name != "computed");
    let switch = document.get("switch").filter(|name| name.is_string() && !is_preset(name));
    if let Some(path) = switch.map(|_| "/switch").or_else(|| NAMES.into_iter().find(|path| is_file(path))) {
        let rule = "names a file, and a sweep is kept without other files";
        return Err(fault(document, path, rule, "the contents of the file, if they can stand here"));
    }
    let is_event = |path: &&str| document.pointer(path).is_some_and(|events| *events != json!([]));
    if let Some(path) = LINK_EVENTS.into_iter().find(is_event) {
        return Err(fault(document, path, "leave no steady state to be measured", "[]"));
    }
    Input::read(&document.to_string(), Path::new("")).map_err(|error| error.faults)
}

fn fault(document: &Value, path: &str, rule: &str, legal: &str) -> Faults {
    let value = document.pointer(path).map(Value::to_string).unwrap_or_default();
    Fault { path: path.into(), value, rule: rule.into(), legal: legal.into() }.into()
}

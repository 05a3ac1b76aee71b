//! What can be wrong with a sweep.

mod rules;

use crate::error::Error;
use crate::sweep::{json_schema, Sweep};
use railyard_input::{as_written, Fault, Faults, Schema};
use serde_json::{json, Value};
use std::path::Path;

/// A legal sweep.
const EXAMPLE: &str = r#"{"base": "hpc16", "vary": {"routing.cache.ways": [2, 4]}, "simulate": {}}"#;

impl Sweep {
    /// Reads a sweep and checks all its rules. Files that it names are looked for in `folder`; in the sweep that comes
    /// back the description is in place and paths are absolute, so that it can be stored anywhere.
    ///
    /// # Errors
    /// All faults at once.
    pub fn read(text: &str, folder: &Path) -> Result<Sweep, Error> {
        check(text, folder).map_err(|faults| Error::Sweep(as_written(faults, text)))
    }
}

/// Reads a sweep, puts the description in place and checks all rules.
fn check(text: &str, folder: &Path) -> Result<Sweep, Faults> {
    let (value, mut list) = railyard_input::read_json(text, EXAMPLE).map_err(Faults::from)?;
    list.append(Schema::new(json_schema(), example).faults(&value));
    if list.more > 0 {
        // Which parts are sound is not known: the other rules can't be checked.
        return Err(list.sorted());
    }
    // What the schema has refused is taken out, so that the other rules can be checked in the same go: the values alone
    // or, where a part can't do without one, the part.
    let parts: Vec<String> =
        list.first.iter().map(|fault| format!("/{}", fault.path.split('/').nth(1).unwrap_or_default())).collect();
    let values = list.first.iter().map(|fault| &fault.path);
    let sound = serde_json::from_value::<Sweep>(without(value.clone(), values))
        .or_else(|_| serde_json::from_value(without(value, &parts)));
    match sound {
        Ok(mut sweep) => {
            let refused: Vec<String> = list.first.iter().map(|fault| fault.path.clone()).collect();
            rules::check(&mut sweep, folder, &refused, &mut list);
            if list.is_empty() {
                return Ok(sweep);
            }
        }
        Err(e) if list.is_empty() => list.push(fault("", "this sweep".into(), format!("cannot be read: {e}"), EXAMPLE)),
        Err(_) => {}
    }
    Err(list.sorted())
}

/// Legal values that the schema doesn't tell.
fn example(path: &str) -> Option<Value> {
    match path {
        "" => Some(serde_json::from_str(EXAMPLE).expect("it is JSON")),
        "/base" => Some(json!("hpc16")),
        "/simulate/traffic" => Some(json!(["uniform"])),
        "/simulate/load" => Some(json!([0.5])),
        "/simulate/seed" => Some(json!([1])),
        _ => None,
    }
}

/// A document without the fields at these paths; the description, which no sweep can do without, is replaced.
fn without<'a>(mut document: Value, paths: impl IntoIterator<Item = &'a String>) -> Value {
    for (parent, name) in paths.into_iter().filter_map(|path| path.rsplit_once('/')) {
        document.pointer_mut(parent).and_then(Value::as_object_mut).map(|object| object.shift_remove(name));
    }
    if let Some(object) = document.as_object_mut() {
        object.entry("base").or_insert_with(|| json!({"name": "unnamed"}));
    }
    document
}

fn fault(path: &str, value: String, rule: String, legal: &str) -> Fault {
    Fault { path: path.into(), value, rule, legal: legal.into() }
}

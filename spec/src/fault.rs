//! What can be wrong with a configuration: the report of a fault, and the place where all of them are gathered.

use crate::config::Config;
use crate::json;
use crate::printable::{printable, shortened};
use crate::rules;
use crate::schema;
use serde_json::Value;
use std::fmt;

/// One thing that is wrong with a configuration.
#[derive(Clone, Debug, PartialEq, Eq, serde::Serialize)]
pub struct Fault {
    /// Where, as a JSON pointer: `/routing/cache/ways`; empty for the whole file.
    pub path: String,
    /// What stands there, as JSON.
    pub value: String,
    /// The rule that it breaks.
    pub rule: String,
    /// A value that would do, as JSON.
    pub legal: String,
}

impl fmt::Display for Fault {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let path = if self.path.is_empty() { "(file)".into() } else { shortened(&self.path) };
        // Names and values are whatever stands in the file, and as long as they are there.
        f.write_str(&printable(&format!("{path}: {} {}; legal: {}", shortened(&self.value), self.rule, self.legal)))
    }
}

/// All that is wrong with a configuration: at least one fault, in the order of their paths.
#[derive(Clone, Debug, PartialEq, Eq, serde::Serialize, thiserror::Error)]
#[error("{}", .0.iter().map(Fault::to_string).collect::<Vec<_>>().join("\n"))]
pub struct Faults(pub Vec<Fault>);

impl Faults {
    /// For below a headline: a line for each fault, two columns in.
    pub fn indented(&self) -> String {
        self.0.iter().map(|fault| format!("  {fault}")).collect::<Vec<_>>().join("\n")
    }
}

impl Config {
    /// Reads a configuration and checks all its rules.
    ///
    /// # Errors
    /// All faults at once: those of single fields and those of fields that don't go together. A rule that joins a field
    /// which is itself at fault is not checked.
    pub fn from_json(text: &str) -> Result<Config, Faults> {
        let legal = r#"{"name": "my"} (every other field has a default)"#;
        let (value, mut faults) = json::read(text, legal).map_err(|fault| Faults(vec![fault]))?;
        faults.extend(schema::faults(&value));
        let (sound, left_out) = without(value, &faults);
        match serde_json::from_value::<Config>(sound) {
            Ok(config) => {
                faults.extend(rules::broken(&config).into_iter().filter(|b| !b.joins(&left_out)).map(|b| b.fault));
                if faults.is_empty() {
                    return Ok(config);
                }
            }
            // What is left is sound by the schema, so the schema is laxer than the types: say what serde says.
            Err(e) if faults.is_empty() => faults.push(Fault {
                path: String::new(),
                value: "this description".into(),
                rule: format!("cannot be read: {e}"),
                legal: r#"{"name": "my"}"#.into(),
            }),
            Err(_) => {}
        }
        faults.sort_by(|a, b| a.path.cmp(&b.path));
        Err(Faults(faults))
    }

    /// Checks the rules that join several fields, for a configuration made in Rust.
    ///
    /// # Errors
    /// All faults at once.
    pub fn check(&self) -> Result<(), Faults> {
        let text = serde_json::to_string(self).expect("a configuration is plain data");
        Config::from_json(&text).map(|_| ())
    }
}

/// The description without the fields at fault, so that their defaults stand in while the other rules are checked; and the
/// paths of what was left out. Of a list the whole goes, and of an object its `kind` can't go alone.
fn without(mut value: Value, faults: &[Fault]) -> (Value, Vec<String>) {
    let mut left_out: Vec<String> = faults.iter().map(|fault| fault.path.clone()).collect();
    for path in &mut left_out {
        while let Some((parent, key)) = json::split(path) {
            match value.pointer_mut(parent) {
                Some(Value::Object(object)) if key != "kind" || parent.is_empty() => {
                    object.remove(&key);
                    break;
                }
                // Gone already, with what it is in.
                None => break,
                Some(_) => path.truncate(parent.len()),
            }
        }
    }
    if let Some(object) = value.as_object_mut() {
        object.entry("name").or_insert_with(|| "unnamed".into());
    }
    (value, left_out)
}

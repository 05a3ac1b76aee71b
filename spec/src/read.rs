//! Reads a configuration, and gathers all that is wrong with it.

use crate::chip::ChipShape;
use crate::config::Config;
use crate::rules;
use crate::schema;
use crate::shape::Shape;
use railyard_input::{as_written, parent_and_key, read_json, Fault, Faults};
use serde::Serialize;
use serde_json::Value;
use std::ops::Deref;

/// A configuration that keeps all rules: the only one that has a [`Shape`].
///
/// Its fields can be read and not written. To change one, take the plain configuration and check it again:
///
/// ```
/// # use railyard_spec::Config;
/// let switch = Config::named("my").check().unwrap();
/// let wider = Config { ports: 32, ..switch.into_config() }.check().unwrap();
/// assert_eq!(wider.shape().ports, 32);
/// ```
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
#[serde(transparent)]
pub struct CheckedConfig(Config);

impl CheckedConfig {
    /// Derives the numbers.
    pub fn shape(&self) -> Shape {
        Shape::of(self)
    }

    /// What stands around the switch, if it is in a chip.
    pub fn chip_shape(&self) -> Option<ChipShape> {
        self.chip.as_ref().map(|chip| ChipShape::new(chip, &self.shape()))
    }

    /// The plain configuration, whose fields can be written.
    pub fn into_config(self) -> Config {
        self.0
    }
}

impl Deref for CheckedConfig {
    type Target = Config;

    fn deref(&self) -> &Config {
        &self.0
    }
}

impl Config {
    /// Reads a configuration and checks all its rules.
    ///
    /// # Errors
    /// All faults at once: those of single fields and those of fields that don't go together. A rule that joins a field
    /// which is itself at fault is not checked.
    pub fn from_json(text: &str) -> Result<CheckedConfig, Faults> {
        Config::read(text).map_err(|faults| as_written(faults, text))
    }

    fn read(text: &str) -> Result<CheckedConfig, Faults> {
        let legal = r#"{"name": "my"} (every other field has a default)"#;
        let (value, mut faults) = read_json(text, legal).map_err(Faults::from)?;
        faults.append(schema::faults(&value));
        if faults.more > 0 {
            // Which fields are sound is not known: the other rules can't be checked.
            return Err(faults.sorted());
        }
        let (sound, left_out) = without(value, &faults.first);
        faults = faults.map(|fault| beside_the_others(fault, &sound));
        match serde_json::from_value::<Config>(sound.clone()) {
            Ok(config) => {
                let broken = rules::broken(&config).into_iter().filter(|broken| !broken.joins(&left_out));
                faults.extend(broken.map(|broken| beside_the_others(broken.fault, &sound)));
                if faults.is_empty() {
                    return Ok(CheckedConfig(config));
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
        Err(faults.sorted())
    }

    /// Checks the rules that join several fields, for a configuration made in Rust.
    ///
    /// # Errors
    /// All faults at once.
    pub fn check(self) -> Result<CheckedConfig, Faults> {
        let text = serde_json::to_string(&self).expect("a configuration is plain data");
        Config::from_json(&text).map(|_| CheckedConfig(self))
    }
}

/// Legal values of a field that are tried: each of a further rule of the same field.
const TRIED: usize = 4;

/// The fault with a legal value that goes together with the other fields, where the rules that join them know one: what
/// one rule offers, another rule of the same field may refuse.
fn beside_the_others(fault: Fault, sound: &Value) -> Fault {
    let refused = |legal: &str| {
        let (parent, key) = parent_and_key(&fault.path)?;
        let mut tried = sound.clone();
        tried.pointer_mut(parent)?.as_object_mut()?.insert(key, serde_json::from_str(legal).ok()?);
        let broken = rules::broken(&serde_json::from_value(tried).ok()?);
        broken.into_iter().find(|broken| broken.fault.path == fault.path).map(|broken| broken.fault.legal)
    };
    let offers = std::iter::successors(Some(fault.legal.clone()), |legal| refused(legal));
    let legal = offers.take(TRIED).last().expect("there is the first");
    Fault { legal, ..fault }
}

/// The description without the fields at fault, so that their defaults stand in while the other rules are checked; and
/// the paths of what was left out. Of a list the whole goes, and of an object its `kind` can't go alone.
fn without(mut value: Value, faults: &[Fault]) -> (Value, Vec<String>) {
    let mut left_out: Vec<String> = faults.iter().map(|fault| fault.path.clone()).collect();
    for path in &mut left_out {
        while let Some((parent, key)) = parent_and_key(path) {
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

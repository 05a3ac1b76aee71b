//! The parameters of a switch, and what follows from them.

use crate::commands::check::{notes, rows};
use crate::memory::MemoryBits;
use railyard_report::SectionPart;
use railyard_spec::pins::{pins, Meaningful};
use railyard_spec::{CheckedConfig, Config};
use serde_json::{json, Value};

/// Fields of the description beside their defaults, and the sizes that follow.
pub(super) fn parameters(config: &CheckedConfig) -> Vec<SectionPart> {
    let (own, plain) = (fields(config), fields(&Config::named(&config.name)));
    let row = |(path, value): &(String, Value)| {
        let default = plain.iter().find(|(other, _)| other == path).map(|(_, default)| default);
        let changed = if default == Some(value) { "" } else { "changed" };
        vec![json!(path), shown(value), default.map_or_else(|| json!("(none, or derived)"), shown), json!(changed)]
    };
    let heads = ["field", "value", "default", "set"];
    let shape = config.shape();
    let bits = MemoryBits::of_design(config);
    let mut parts = vec![
        SectionPart::table("Fields of the description", heads, own.iter().map(row).collect()),
        SectionPart::Text("A field that is null is not built, or follows from others. What follows:".into()),
        SectionPart::facts(rows(config, &shape, &bits)),
    ];
    let notes = notes(&shape);
    if !notes.is_empty() {
        parts.push(SectionPart::Notes(notes));
    }
    parts
}

/// The fields of a description by their paths, but its name.
fn fields(config: &Config) -> Vec<(String, Value)> {
    let mut all = Vec::new();
    flatten("", &json!(config), &mut all);
    all.retain(|(path, _)| path != "/name");
    all
}

fn flatten(path: &str, value: &Value, into: &mut Vec<(String, Value)>) {
    match value.as_object() {
        Some(fields) => fields.iter().for_each(|(name, value)| flatten(&format!("{path}/{name}"), value, into)),
        None => into.push((path.into(), value.clone())),
    }
}

/// A value as the description has it; a number stays one.
fn shown(value: &Value) -> Value {
    match value {
        Value::String(_) | Value::Number(_) => value.clone(),
        other => json!(other.to_string()),
    }
}

/// The pins of the top module.
pub(super) fn pin_list(config: &CheckedConfig) -> Vec<SectionPart> {
    let row = |pin: &railyard_spec::pins::Pin| {
        let meaning = match pin.meaningful {
            Meaningful::Always => pin.meaning.to_string(),
            Meaningful::While(other) => format!("{} Counts while {other} is 1.", pin.meaning),
        };
        let direction = format!("{:?}", pin.direction).to_lowercase();
        vec![json!(pin.name), json!(direction), json!(pin.count), json!(pin.bits), json!(meaning)]
    };
    let heads = ["pin", "direction", "elements", "bits each", "meaning"];
    vec![SectionPart::table("", heads, pins(&config.shape()).iter().map(row).collect())]
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_differs_from_the_default_is_marked() {
        let mut config = Config::named("mine");
        config.ports = 8;
        let parts = parameters(&config.check().unwrap());
        let SectionPart::Table(table) = &parts[0] else { panic!("a table first") };
        let changed: Vec<&Vec<Value>> = table.rows.iter().filter(|row| row[3] == "changed").collect();
        assert_eq!(changed, [&vec![json!("/ports"), json!(8), json!(16), json!("changed")]]);
    }
}

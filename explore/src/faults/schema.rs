//! What a sweep's schema says of it.

use super::{fault, EXAMPLE};
use crate::sweep::json_schema;
use jsonschema::error::{TypeKind, ValidationErrorKind as Kind};
use jsonschema::ValidationError;
use railyard_spec::Fault;
use serde_json::Value;

/// Adds the faults that the schema finds.
pub(super) fn check(value: &Value, list: &mut Vec<Fault>) {
    let validator = jsonschema::validator_for(&json_schema()).expect("the generated schema is a schema");
    validator.iter_errors(value).for_each(|error| collect(&error, list));
}

/// Turns an error into faults. A choice that fails is reported as what is wrong with the alternative that was meant.
fn collect(error: &ValidationError<'_>, list: &mut Vec<Fault>) {
    let path = error.instance_path().to_string();
    let value = error.instance().to_string();
    let mut add = |path: &str, value: String, rule: String, legal: &str| list.push(fault(path, value, rule, legal));
    match error.kind() {
        Kind::AdditionalProperties { unexpected } => unexpected.iter().for_each(|name| {
            let known = known_fields(&path);
            add(&format!("{path}/{name}"), error.instance()[name].to_string(), "is not a field here".into(), &known);
        }),
        Kind::Required { property } => {
            let name = property.as_str().unwrap_or_default();
            let legal = if name == "base" { "\"hpc16\"" } else { "give it" };
            add(&format!("{path}/{name}"), "(missing)".into(), "must be given".into(), legal);
        }
        Kind::Minimum { limit } => add(&path, value, format!("must be at least {limit}"), &limit.to_string()),
        Kind::Maximum { limit } => add(&path, value, format!("must be at most {limit}"), &limit.to_string()),
        Kind::Pattern { pattern } => add(&path, value, format!("must match {pattern}"), "\"front\""),
        Kind::Type { kind: TypeKind::Single(t) } => {
            let legal = if path.is_empty() { EXAMPLE } else { example(&t.to_string()) };
            add(&path, value, format!("must be of type {t}"), legal)
        }
        // Of an option, which may be left out or `null`.
        Kind::Type { kind: TypeKind::Multiple(types) } => {
            let names: Vec<String> = types.iter().map(|t| t.to_string()).filter(|name| name != "null").collect();
            add(&path, value, format!("must be of type {}", names.join(" or ")), "leave it out");
        }
        Kind::AnyOf { .. } if path == "/base" => {
            add(&path, value, "must be a preset, a file or a description".into(), "\"hpc16\"");
        }
        Kind::AnyOf { context } | Kind::OneOfNotValid { context } => {
            let other_kind = |e: &ValidationError<'_>| {
                matches!(e.kind(), Kind::Type { .. } | Kind::Constant { .. }) && e.instance_path().to_string() == path
            };
            match context.iter().find(|errors| !errors.iter().any(other_kind)) {
                Some(errors) => errors.iter().for_each(|e| collect(e, list)),
                None => add(&path, value, alternatives(context), "leave it out"),
            }
        }
        // The value stands beside the rule; it may be long.
        _ => add(&path, value, format!("breaks the rule: {}", error.masked()), "leave it out"),
    }
}

/// The rule of a choice of which no alternative was meant.
fn alternatives(context: &[Vec<ValidationError<'static>>]) -> String {
    let name = |e: &ValidationError<'_>| match e.kind() {
        Kind::Constant { expected_value } => Some(expected_value.to_string()),
        Kind::Type { kind: TypeKind::Single(t) } if t.to_string() != "null" => Some(format!("of type {t}")),
        _ => None,
    };
    let names: Vec<String> = context.iter().flatten().filter_map(name).collect();
    format!("must be {}", names.join(" or "))
}

fn example(kind: &str) -> &'static str {
    match kind {
        "array" => "[1, 2]",
        "object" => "{}",
        "string" => "\"text\"",
        _ => "1",
    }
}

/// The names of the fields of the object at `path`, from the schema.
fn known_fields(path: &str) -> String {
    let schema = json_schema();
    let kind = path.trim_start_matches('/').split('/').next().unwrap_or_default();
    let object = match (kind, path.ends_with("/pareto")) {
        ("simulate", _) => &schema["$defs"]["Simulate"],
        ("estimate", _) => &schema["$defs"]["Estimate"],
        ("plots", true) => &schema["$defs"]["Pareto"],
        ("plots", false) => &schema["$defs"]["Plot"],
        _ => &schema,
    };
    let names: Vec<&str> =
        object["properties"].as_object().into_iter().flatten().map(|(name, _)| name.as_str()).collect();
    format!("leave it out; fields here: {}", names.join(", "))
}

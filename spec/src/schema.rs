//! The JSON Schema of the configuration, and what it says of a description.

use crate::config::{Config, Routing, SourceRouting};
use crate::fault::Fault;
use crate::json::pointer;
use jsonschema::error::{TypeKind, ValidationErrorKind as Kind};
use jsonschema::{ValidationError, Validator};
use serde_json::{json, Value};
use std::sync::LazyLock;

/// JSON Schema (draft 2020-12) of [`Config`], generated from its types.
pub fn json_schema() -> Value {
    schemars::schema_for!(Config).to_value()
}

/// The faults that the schema finds in `value`.
pub(crate) fn faults(value: &Value) -> Vec<Fault> {
    // A sweep checks thousands of descriptions: the schema is read once.
    static VALIDATOR: LazyLock<Validator> =
        LazyLock::new(|| jsonschema::validator_for(&json_schema()).expect("the generated schema is a schema"));
    let mut list = Vec::new();
    for error in VALIDATOR.iter_errors(value) {
        collect(&error, &mut list);
    }
    list
}

/// Turns an error into faults. A choice that fails is reported as what is wrong with the alternative that was meant.
fn collect(error: &ValidationError<'_>, list: &mut Vec<Fault>) {
    if let Kind::OneOfNotValid { context } | Kind::AnyOf { context } = error.kind() {
        let meant = context.iter().find(|errors| !errors.iter().any(|e| is_other_alternative(e, error)));
        match meant {
            Some(errors) => errors.iter().for_each(|e| collect(e, list)),
            None => list.push(no_alternative(error, context)),
        }
        return;
    }
    let path = error.instance_path().to_string();
    let fault = |path: String, value: String, rule: String, legal: String| Fault { path, value, rule, legal };
    let shown = error.instance().to_string();
    let default = || default_at(&path).to_string();
    match error.kind() {
        Kind::AdditionalProperties { unexpected } => list.extend(unexpected.iter().map(|key| {
            let rule = "is not a field here".to_string();
            fault(pointer(&path, key), error.instance()[key].to_string(), rule, known_fields(&path, error.instance()))
        })),
        Kind::Required { property } => {
            let key = property.as_str().unwrap_or_default();
            let legal = if key == "name" { json!("my_switch") } else { default_at(&format!("{path}/{key}")) };
            list.push(fault(format!("{path}/{key}"), "(missing)".into(), "must be given".into(), legal.to_string()));
        }
        Kind::Minimum { limit } => {
            list.push(fault(path, shown, format!("must be at least {limit}"), limit.to_string()))
        }
        Kind::Maximum { limit } => list.push(fault(path, shown, format!("must be at most {limit}"), limit.to_string())),
        Kind::Pattern { pattern } => {
            let legal = default();
            list.push(fault(path, shown, format!("must match {pattern}"), legal));
        }
        Kind::Type { kind } => {
            let rule = match kind {
                TypeKind::Single(t) => format!("must be of type {t}"),
                TypeKind::Multiple(_) => "is of the wrong type".to_string(),
            };
            let legal = default();
            list.push(fault(path, shown, rule, legal));
        }
        _ => {
            let legal = default();
            list.push(fault(path, shown, format!("breaks the rule: {error}"), legal));
        }
    }
}

/// Whether `e` says that another alternative of the choice `choice` was meant: a tag, a constant or the type differs.
fn is_other_alternative(e: &ValidationError<'_>, choice: &ValidationError<'_>) -> bool {
    let (at, of) = (e.instance_path().to_string(), choice.instance_path().to_string());
    match e.kind() {
        Kind::Constant { .. } | Kind::Enum { .. } => at == of || at == format!("{of}/kind"),
        Kind::Type { .. } => at == of,
        _ => false,
    }
}

/// The fault of a value that is none of the alternatives.
fn no_alternative(error: &ValidationError<'_>, context: &[Vec<ValidationError<'static>>]) -> Fault {
    let mut constants = Vec::new();
    let mut at = error.instance_path().to_string();
    let mut value = error.instance().to_string();
    for e in context.iter().flatten() {
        let names = match e.kind() {
            Kind::Constant { expected_value } => vec![expected_value.to_string()],
            Kind::Enum { options } => options.as_array().into_iter().flatten().map(Value::to_string).collect(),
            _ => continue,
        };
        constants.extend(names);
        at = e.instance_path().to_string();
        value = e.instance().to_string();
    }
    let legal = constants.first().cloned().unwrap_or_else(|| default_at(&at).to_string());
    let rule = if constants.is_empty() {
        "is of the wrong type".to_string()
    } else {
        format!("must be one of {}", constants.join(", "))
    };
    Fault { path: at, value, rule, legal }
}

/// The default value at a path: of table routing, or of source routing where only that has the field.
fn default_at(path: &str) -> Value {
    let table = serde_json::to_value(Config::named("my_switch")).expect("a configuration is plain data");
    let mut source = table.clone();
    source["routing"] = source_routing();
    source["buffer_flits"] = json!(32);
    table.pointer(path).or_else(|| source.pointer(path)).cloned().unwrap_or(Value::Null)
}

/// Source routing with its defaults.
fn source_routing() -> Value {
    serde_json::to_value(Routing::Source(SourceRouting::default())).expect("a configuration is plain data")
}

/// The names of the fields that `object` at `path` can have.
fn known_fields(path: &str, object: &Value) -> String {
    let fields = match (path, object["kind"].as_str()) {
        ("/routing", Some("source")) => source_routing(),
        _ => default_at(path),
    };
    let mut names: Vec<&str> = fields.as_object().into_iter().flat_map(|o| o.keys()).map(String::as_str).collect();
    if path.is_empty() {
        names.push("buffer_flits");
    }
    format!("leave it out; fields here: {}", names.join(", "))
}

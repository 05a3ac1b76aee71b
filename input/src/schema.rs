//! What a JSON Schema says of a document.

use crate::document::Document;
use crate::fault::{Fault, Faults};
use crate::json::{self, pointer};
use crate::nearest::{did_you_mean, nearest};
use crate::written::as_written;
use jsonschema::error::{TypeKind, ValidationErrorKind as Kind};
use jsonschema::{ValidationError, Validator};
use serde::de::DeserializeOwned;
use serde_json::{json, Map, Value};

/// A JSON Schema that was generated from types, ready to tell faults by path, value, rule and legal value.
pub struct Schema {
    root: Value,
    validator: Validator,
    example: fn(&str) -> Option<Value>,
}

impl Schema {
    /// `example` gives a legal value for the field at a path, where the schema doesn't tell one.
    ///
    /// # Panics
    /// If it is no schema.
    pub fn new(mut root: Value, example: fn(&str) -> Option<Value>) -> Schema {
        limit(&mut root);
        let validator = jsonschema::validator_for(&root).expect("the generated schema is a schema");
        Schema { root, validator, example }
    }

    /// Reads a JSON text that keeps to this schema, which is that of `T`.
    ///
    /// # Errors
    /// All faults at once.
    pub fn read<T: DeserializeOwned>(&self, text: &str) -> Result<T, Faults> {
        let (value, repeated) = json::read(text, &self.legal_at(&Value::Null, "").to_string()).map_err(Faults::from)?;
        self.read_value(value, repeated).map_err(|faults| as_written(faults, text))
    }

    /// As [`Schema::read`], of a document in which these faults are known.
    ///
    /// # Errors
    /// All faults at once.
    pub fn read_value<T: DeserializeOwned>(&self, value: Value, mut faults: Faults) -> Result<T, Faults> {
        faults.append(self.faults(&value));
        if !faults.is_empty() {
            return Err(faults.sorted());
        }
        serde_json::from_value(value).map_err(|e| {
            // The schema is laxer than the types: say what serde says.
            let legal = self.legal_at(&Value::Null, "").to_string();
            let rule = format!("cannot be read: {e}");
            Fault { path: String::new(), value: "this document".into(), rule, legal }.into()
        })
    }

    /// All faults that it finds in `value`; of a document of another kind, that alone.
    pub fn faults(&self, value: &Value) -> Faults {
        let mut list = Faults::default();
        for error in self.validator.iter_errors(value) {
            self.collect(&error, value, &mut list);
        }
        let fields = self.root["properties"].as_object().filter(|_| !list.is_empty());
        fields.and_then(|fields| Document::wrong(value, fields)).map_or(list, Faults::from)
    }

    /// Turns an error of the description `whole` into faults. A choice that fails is reported as what is wrong with the
    /// alternative that was meant.
    fn collect(&self, error: &ValidationError<'_>, whole: &Value, list: &mut Faults) {
        if let Kind::OneOfNotValid { context } | Kind::AnyOf { context } = error.kind() {
            let meant = |lacks_no_field| context.iter().find(|errors| is_meant(errors, error, lacks_no_field));
            // An alternative can be told by its field, as well as by `kind`.
            match meant(true).or_else(|| meant(false)) {
                Some(errors) => errors.iter().for_each(|e| self.collect(e, whole, list)),
                None => list.push_with(|| self.no_alternative(error, whole, context)),
            }
            return;
        }
        if list.is_full() {
            list.more +=
                if let Kind::AdditionalProperties { unexpected } = error.kind() { unexpected.len() } else { 1 };
            return;
        }
        let path = error.instance_path().to_string();
        let legal = self.legal_at(whole, &path).to_string();
        let rule = match error.kind() {
            Kind::AdditionalProperties { unexpected } => {
                let known = self.known_fields(whole, &path);
                for key in unexpected {
                    list.push_with(|| Fault {
                        path: pointer(&path, key),
                        value: error.instance()[key].to_string(),
                        rule: format!("is not a field here{}", did_you_mean(key, known.iter().copied())),
                        legal: format!("leave it out; fields here: {}", known.join(", ")),
                    });
                }
                return;
            }
            Kind::Required { property } => {
                let path = pointer(&path, property.as_str().unwrap_or_default());
                let legal = self.legal_at(whole, &path).to_string();
                list.push(Fault { path, value: "(missing)".into(), rule: "must be given".into(), legal });
                return;
            }
            // The fault of its type says it already.
            Kind::Minimum { .. } | Kind::Maximum { .. } if self.lacks_integer(whole, error) => return,
            Kind::Minimum { limit } => {
                let (rule, legal) = (format!("must be at least {limit}"), limit.to_string());
                list.push(Fault { path, value: error.instance().to_string(), rule, legal });
                return;
            }
            Kind::Maximum { limit } => {
                let (rule, legal) = (format!("must be at most {limit}"), limit.to_string());
                list.push(Fault { path, value: error.instance().to_string(), rule, legal });
                return;
            }
            Kind::Pattern { pattern } => format!("must match {pattern}"),
            Kind::MinItems { limit } => {
                format!("must have at least {limit} item{}", if *limit == 1 { "" } else { "s" })
            }
            Kind::MaxItems { limit } => format!("must have at most {limit} item{}", if *limit == 1 { "" } else { "s" }),
            Kind::UniqueItems => "must not have the same item twice".into(),
            Kind::Type { kind } => of_type(&types(kind)),
            // The value stands beside the rule; it may be long.
            _ => format!("breaks the rule: {}", error.masked()),
        };
        list.push(Fault { path, value: error.instance().to_string(), rule, legal });
    }

    /// The fault of a value that is none of the alternatives.
    fn no_alternative(
        &self,
        error: &ValidationError<'_>,
        whole: &Value,
        context: &[Vec<ValidationError<'static>>],
    ) -> Fault {
        let (mut constants, mut kinds) = (Vec::new(), Vec::new());
        let mut at = error.instance_path().to_string();
        let mut value = error.instance().to_string();
        let leaves: Vec<_> = context.iter().flat_map(|errors| leaves(errors)).collect();
        // What tells the alternatives apart stands nearest; names further in are those of other fields.
        let depth = |e: &ValidationError<'_>| e.instance_path().to_string().matches('/').count();
        let tells = |e: &&&ValidationError<'_>| matches!(e.kind(), Kind::Constant { .. } | Kind::Enum { .. });
        let least_depth = leaves.iter().filter(tells).map(|e| depth(e)).min().unwrap_or(usize::MAX);
        for e in leaves.into_iter().filter(|e| depth(e) <= least_depth) {
            let names = match e.kind() {
                Kind::Constant { expected_value } => vec![expected_value.to_string()],
                Kind::Enum { options } => options.as_array().into_iter().flatten().map(Value::to_string).collect(),
                Kind::Type { kind } => {
                    kinds.extend(types(kind).into_iter().filter(|kind| !kinds.contains(kind)).collect::<Vec<_>>());
                    continue;
                }
                _ => continue,
            };
            constants.extend(names);
            at = e.instance_path().to_string();
            value = e.instance().to_string();
        }
        let meant = nearest(&value, constants.iter().map(String::as_str));
        let hint = meant.map_or(String::new(), |name| format!(" (did you mean `{}`?)", name.trim_matches('"')));
        let legal = meant
            .or(constants.first().map(String::as_str))
            .map_or_else(|| self.legal_at(whole, &at).to_string(), String::from);
        // What is text, but none of those, is not asked for a text again.
        kinds.retain(|kind| constants.is_empty() || kind != "string");
        let rule = match (constants.is_empty(), kinds.is_empty()) {
            (true, _) => of_type(&kinds),
            (false, true) => format!("must be one of {}{hint}", constants.join(", ")),
            (false, false) => {
                format!("must be one of {}, or of type {}{hint}", constants.join(", "), kinds.join(" or "))
            }
        };
        Fault { path: at, value, rule, legal }
    }

    /// A value that the schema allows at `path` of the description `whole`: the default, if the field has one.
    fn legal_at(&self, whole: &Value, path: &str) -> Value {
        if let Some(example) = (self.example)(path) {
            return example;
        }
        let Some(field) = self.schema_at(whole, path) else { return Value::Null };
        let value = whole.pointer(path).unwrap_or(&Value::Null);
        let default = field.get("default").filter(|default| !default.is_null());
        default.cloned().unwrap_or_else(|| self.sample(self.meant(field, value), path))
    }

    /// The least that a schema without a default allows, at `path`.
    fn sample(&self, schema: &Value, path: &str) -> Value {
        let first = |key: &str| schema.get(key)?.as_array()?.first();
        if let Some(one) = schema.get("const").or_else(|| first("enum")).or_else(|| schema.get("minimum")) {
            return one.clone();
        }
        if let Some(one) = first("oneOf").or_else(|| first("anyOf")) {
            return self.sample(self.meant(one, &Value::Null), path);
        }
        let inside = |field: &Value, key: &str| {
            let path = pointer(path, key);
            let legal = (self.example)(&path).or_else(|| field.get("default").cloned());
            legal.unwrap_or_else(|| self.sample(self.meant(field, &Value::Null), &path))
        };
        let kind = schema.get("type").and_then(|kind| kind.as_str().or_else(|| kind.get(0)?.as_str()));
        match kind {
            Some("object") => {
                let required = schema.get("required").and_then(Value::as_array).into_iter().flatten();
                let keys = required.filter_map(Value::as_str);
                Value::Object(
                    keys.map(|key| (key.into(), inside(&schema["properties"][key], key))).collect::<Map<_, _>>(),
                )
            }
            Some("array") => match schema.get("prefixItems").and_then(Value::as_array) {
                Some(items) => items.iter().enumerate().map(|(i, item)| inside(item, &i.to_string())).collect(),
                None => {
                    let count = schema.get("minItems").and_then(Value::as_u64).unwrap_or(0);
                    (0..count).map(|i| inside(&schema["items"], &i.to_string())).collect()
                }
            },
            Some("integer" | "number") => json!(0),
            Some("boolean") => json!(false),
            Some("string") => json!("text"),
            _ => Value::Null,
        }
    }

    /// Whether a value with a fraction stands where an integer must.
    fn lacks_integer(&self, whole: &Value, error: &ValidationError<'_>) -> bool {
        let kind = self
            .schema_at(whole, &error.instance_path().to_string())
            .map(|at| &self.meant(at, error.instance())["type"]);
        let is_integer = kind.is_some_and(|kind| kind == "integer" || kind[0] == "integer");
        is_integer && error.instance().as_f64().is_some_and(|number| number.fract() != 0.0)
    }

    /// The names of the fields that the object at `path` of the description `whole` can have.
    fn known_fields(&self, whole: &Value, path: &str) -> Vec<&str> {
        let object = whole.pointer(path).unwrap_or(&Value::Null);
        let fields =
            self.schema_at(whole, path).and_then(|schema| self.meant(schema, object).get("properties")?.as_object());
        fields.into_iter().flat_map(|fields| fields.keys()).map(String::as_str).collect()
    }

    /// The part of the schema that describes the field at `path` of the description `whole`.
    fn schema_at(&self, whole: &Value, path: &str) -> Option<&Value> {
        let (mut schema, mut value): (&Value, &Value) = (&self.root, whole);
        for key in path.split('/').skip(1) {
            let key = key.replace("~1", "/").replace("~0", "~");
            let here = self.meant(schema, value);
            let number = key.parse::<usize>().ok();
            let field = here.get("properties").and_then(|fields| fields.get(&key));
            let item = || here.get("prefixItems").and_then(|items| items.get(number?));
            let any = || here.get("items").or_else(|| here.get("additionalProperties").filter(|any| any.is_object()));
            schema = field.or_else(item).or_else(any)?;
            value = value.get(&key).or_else(|| value.get(number?)).unwrap_or(&Value::Null);
        }
        Some(schema)
    }

    /// What a schema says once its references are followed and its choice of objects is made: by the value's `kind`,
    /// else the first.
    fn meant<'a>(&'a self, schema: &'a Value, value: &Value) -> &'a Value {
        if let Some(reference) = schema.get("$ref").and_then(Value::as_str) {
            let target =
                self.root.pointer(reference.trim_start_matches('#')).expect("the schema's references are its own");
            return self.meant(target, value);
        }
        let choice = ["oneOf", "anyOf"].iter().find_map(|key| schema.get(key)?.as_array());
        let objects =
            choice.into_iter().flatten().map(|one| self.meant(one, value)).filter(|o| o.get("properties").is_some());
        let objects: Vec<&Value> = objects.collect();
        let has_kind =
            |object: &&&Value| object["properties"].get("kind").is_some_and(|kind| kind["const"] == value["kind"]);
        let has_field = |object: &&&Value| {
            let fields = object["properties"].as_object().into_iter().flat_map(Map::keys);
            fields.into_iter().any(|field| field != "kind" && value.get(field).is_some())
        };
        let found = objects.iter().find(has_kind).or_else(|| objects.iter().find(has_field));
        found.or(objects.first()).copied().unwrap_or(schema)
    }
}

/// Gives integers the largest value of their types, where nothing less is said: to a schema the format is a comment.
fn limit(schema: &mut Value) {
    match schema {
        Value::Object(object) => {
            let most = match object.get("format").and_then(Value::as_str) {
                Some("uint" | "uint64") => Some(u64::MAX),
                Some("uint32") => Some(u32::MAX.into()),
                _ => None,
            };
            if let Some(most) = most {
                object.entry("maximum").or_insert_with(|| most.into());
            }
            object.values_mut().for_each(limit);
        }
        Value::Array(list) => list.iter_mut().for_each(limit),
        _ => {}
    }
}

/// The names of the types that a field may have; `null`, for which it can be left out, comes last.
fn types(kind: &TypeKind) -> Vec<String> {
    let mut names: Vec<String> = match kind {
        TypeKind::Single(t) => vec![t.to_string()],
        TypeKind::Multiple(set) => set.iter().map(|t| t.to_string()).collect(),
    };
    names.sort_by_key(|name| name == "null");
    names
}

fn of_type(types: &[String]) -> String {
    format!("must be of type {}", types.join(" or "))
}

/// What a choice says of each of its alternatives.
fn alternatives<'e>(e: &'e ValidationError<'_>) -> Option<&'e [Vec<ValidationError<'static>>]> {
    match e.kind() {
        Kind::OneOfNotValid { context } | Kind::AnyOf { context } => Some(context),
        _ => None,
    }
}

/// Whether an alternative of the choice `choice` with these errors is the one that was meant; `lacks_no_field`: only if
/// no field is missing. An alternative that is a choice itself is meant if one of its own is.
fn is_meant(errors: &[ValidationError<'static>], choice: &ValidationError<'_>, lacks_no_field: bool) -> bool {
    errors.iter().all(|e| match alternatives(e) {
        Some(all) if e.instance_path() == choice.instance_path() => {
            all.iter().any(|errors| is_meant(errors, choice, lacks_no_field))
        }
        _ => !(is_other_alternative(e, choice) || lacks_no_field && is_missing_field(e, choice)),
    })
}

/// The errors, those of choices inside in place of the choices.
fn leaves<'a>(errors: &'a [ValidationError<'static>]) -> Vec<&'a ValidationError<'static>> {
    let one = |e: &'a ValidationError<'static>| match alternatives(e) {
        Some(all) => all.iter().flat_map(|errors| leaves(errors)).collect(),
        None => vec![e],
    };
    errors.iter().flat_map(one).collect()
}

/// Whether `e` says that a field is missing in the object at which there is the choice `choice`.
fn is_missing_field(e: &ValidationError<'_>, choice: &ValidationError<'_>) -> bool {
    matches!(e.kind(), Kind::Required { .. }) && e.instance_path().to_string() == choice.instance_path().to_string()
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

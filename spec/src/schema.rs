//! The JSON Schema of the configuration.

use crate::config::Config;
use railyard_input::{Faults, Schema};
use serde_json::{json, Value};
use std::sync::LazyLock;

/// JSON Schema (draft 2020-12) of [`Config`], generated from its types.
pub fn json_schema() -> Value {
    schemars::schema_for!(Config).to_value()
}

/// The schema, generated once: a sweep checks thousands of descriptions.
static SCHEMA: LazyLock<Schema> = LazyLock::new(|| Schema::new(json_schema(), example));

/// The faults that the schema finds in `value`.
pub(crate) fn faults(value: &Value) -> Faults {
    SCHEMA.faults(value)
}

/// Legal values that the schema doesn't tell.
fn example(path: &str) -> Option<Value> {
    match path {
        "" => Some(json!({"name": "my_switch"})),
        "/name" => Some(json!("my_switch")),
        // Its default depends on other fields; this is what it is when they have theirs.
        "/buffer_flits" => Some(json!(Config::named("my_switch").buffer_depth())),
        _ => None,
    }
}

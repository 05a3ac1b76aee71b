//! The JSON Schema of the configuration.

use crate::config::Config;

/// JSON Schema (draft 2020-12) of [`Config`], generated from its types.
pub fn json_schema() -> serde_json::Value {
    schemars::schema_for!(Config).to_value()
}

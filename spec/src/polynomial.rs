//! The generator polynomial of a CRC, written in hexadecimal.

use schemars::{json_schema, JsonSchema, Schema, SchemaGenerator};
use serde::{Deserialize, Deserializer, Serialize, Serializer};
use std::borrow::Cow;
use std::fmt;

/// A generator polynomial without its leading term. It is read with leading zeros or without, in upper or lower case,
/// and always written the same way: `0x1021`.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Polynomial(pub u64);

impl fmt::Display for Polynomial {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{:#x}", self.0)
    }
}

impl Serialize for Polynomial {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        serializer.collect_str(self)
    }
}

impl<'de> Deserialize<'de> for Polynomial {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Polynomial, D::Error> {
        let text = Cow::<str>::deserialize(deserializer)?;
        let digits = text.strip_prefix("0x").and_then(|digits| u64::from_str_radix(digits, 16).ok());
        digits.map(Polynomial).ok_or_else(|| serde::de::Error::custom(format!("{text:?} is no hexadecimal number")))
    }
}

impl JsonSchema for Polynomial {
    fn inline_schema() -> bool {
        true
    }
    fn schema_name() -> Cow<'static, str> {
        "Polynomial".into()
    }
    fn json_schema(_: &mut SchemaGenerator) -> Schema {
        json_schema!({"type": "string", "pattern": "^0x[0-9a-fA-F]{1,16}$"})
    }
}

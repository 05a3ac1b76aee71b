//! A value as it stands in the text, where its number has more digits than reading keeps.

use crate::fault::{Fault, Faults};
use crate::json::EXACT;
use serde::de::{DeserializeSeed, Deserializer, IgnoredAny, MapAccess, SeqAccess, Visitor};
use serde::Deserialize;
use serde_json::value::RawValue;
use serde_json::Value;
use std::fmt;

/// Faults of a JSON text, with large numbers as they are written there: `18446744073709551617`, not
/// `1.8446744073709552e19`.
pub fn as_written(faults: Faults, text: &str) -> Faults {
    faults.map(|fault| match serde_json::from_str(&fault.value).is_ok_and(|value| has_rounded(&value)) {
        true => Fault { value: written(text, &fault.path).unwrap_or(fault.value), ..fault },
        false => fault,
    })
}

/// Whether there is a number in it of which digits can be lost.
fn has_rounded(value: &Value) -> bool {
    match value {
        Value::Number(number) => number.is_f64() && number.as_f64().is_some_and(|number| number.abs() >= EXACT),
        Value::Array(items) => items.iter().any(has_rounded),
        Value::Object(fields) => fields.values().any(has_rounded),
        _ => false,
    }
}

/// The text of the value at a JSON pointer, without spaces.
fn written(text: &str, path: &str) -> Option<String> {
    let names: Vec<String> = path.split('/').skip(1).map(|name| name.replace("~1", "/").replace("~0", "~")).collect();
    let raw = Place(&names).deserialize(&mut serde_json::Deserializer::from_str(text)).ok()??;
    let (mut in_string, mut escaped) = (false, false);
    let stays = |c: &char| {
        in_string ^= *c == '"' && !escaped;
        escaped = *c == '\\' && !escaped;
        in_string || !c.is_ascii_whitespace()
    };
    Some(raw.get().chars().filter(stays).collect())
}

/// The names that lead to a value from here.
#[derive(Clone, Copy)]
struct Place<'a>(&'a [String]);

impl<'de> DeserializeSeed<'de> for Place<'_> {
    type Value = Option<&'de RawValue>;

    fn deserialize<D: Deserializer<'de>>(self, deserializer: D) -> Result<Self::Value, D::Error> {
        match self.0 {
            [] => <&RawValue>::deserialize(deserializer).map(Some),
            _ => deserializer.deserialize_any(self),
        }
    }
}

impl<'de> Visitor<'de> for Place<'_> {
    type Value = Option<&'de RawValue>;

    fn expecting(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("an object or a list")
    }

    /// Of a name that stands twice, the last counts, as for all readers.
    fn visit_map<A: MapAccess<'de>>(self, mut object: A) -> Result<Self::Value, A::Error> {
        let mut found = None;
        while let Some(key) = object.next_key::<String>()? {
            if key == self.0[0] {
                found = object.next_value_seed(Place(&self.0[1..]))?;
            } else {
                object.next_value::<IgnoredAny>()?;
            }
        }
        Ok(found)
    }

    fn visit_seq<A: SeqAccess<'de>>(self, mut list: A) -> Result<Self::Value, A::Error> {
        let index = self.0[0].parse().unwrap_or(usize::MAX);
        let mut found = None;
        for at in 0.. {
            let next = match at == index {
                true => list.next_element_seed(Place(&self.0[1..]))?.map(|value| found = value),
                false => list.next_element::<IgnoredAny>()?.map(|_| ()),
            };
            if next.is_none() {
                break;
            }
        }
        Ok(found)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    const TEXT: &str = r#"{"a": 1e400, "b": [1, {"c/d": 123456789012345678901234567890, "e": "x \" y"}], "b": [0,
        {"c/d": 18446744073709551617, "e": "x \" y"}], "f": 7}"#;

    fn shown(path: &str, value: &str) -> String {
        let fault = Fault { path: path.into(), value: value.into(), rule: "is wrong".into(), legal: "1".into() };
        as_written(fault.into(), TEXT).first[0].value.clone()
    }

    #[test]
    fn a_large_number_keeps_its_digits() {
        let text = TEXT.replace("1e400", "1");
        let place = |path| written(&text, path);
        assert_eq!(place("/b/1/c~1d").unwrap(), "18446744073709551617");
        assert_eq!(place("/b/1").unwrap(), r#"{"c/d":18446744073709551617,"e":"x \" y"}"#);
        assert_eq!(["/b/2", "/b/1/x", "/f/0"].map(place), [None, None, None]);
    }

    #[test]
    fn other_values_stay_as_they_are() {
        assert_eq!(shown("/f", "7"), "7");
        assert_eq!(shown("/f", "1 and 2"), "1 and 2");
        assert_eq!(shown("/b/7", "1.8446744073709552e19"), "1.8446744073709552e19");
    }
}

//! Reads JSON as it is written: a key that stands twice in an object is a fault, where `serde_json` alone takes the
//! last.

use crate::fault::{Fault, Faults};
use serde::de::{DeserializeSeed, Deserializer, MapAccess, SeqAccess, Visitor};
use serde_json::{Map, Value};
use std::fmt;

/// Below this a floating-point number without fraction is one integer, not the nearest to several: 2^53.
pub(crate) const EXACT: f64 = 9_007_199_254_740_992.0;

/// The value of a JSON text, and a fault for each repeated key. A number without fraction is an integer, however it is
/// written.
///
/// # Errors
/// The text is not JSON.
fn parse(text: &str) -> serde_json::Result<(Value, Faults)> {
    let mut repeated = Faults::default();
    let mut reader = serde_json::Deserializer::from_str(text);
    let value = Node { place: &Place::Root, repeated: &mut repeated }.deserialize(&mut reader)?;
    reader.end()?;
    Ok((value, repeated))
}

/// What some editors put before a text in UTF-8.
const BYTE_ORDER_MARK: char = '\u{feff}';

/// The value of a JSON file of which `legal` would be a legal one, and a fault for each repeated key. A number without
/// fraction is an integer, however it is written.
///
/// # Errors
/// The file is not JSON.
pub fn read(text: &str, legal: &str) -> Result<(Value, Faults), Fault> {
    let fault = |value: String, rule: String| Fault { path: String::new(), value, rule, legal: legal.into() };
    if text.starts_with(BYTE_ORDER_MARK) {
        let rule = "must not stand before JSON: save the file as UTF-8 without BOM".into();
        return Err(fault("a byte order mark".into(), rule));
    }
    if text.trim().is_empty() {
        return Err(fault("the file".into(), "is empty".into()));
    }
    parse(text).map_err(|e| {
        let (line, column, why) = (e.line(), e.column(), e.to_string());
        // The place stands in front.
        let why = why.strip_suffix(&format!(" at line {line} column {column}")).unwrap_or(&why);
        fault(format!("line {line}, column {column}"), format!("is not JSON: {why}"))
    })
}

/// The JSON pointer of the field `key` of the object at `path`.
pub fn pointer(path: &str, key: &str) -> String {
    format!("{path}/{}", key.replace('~', "~0").replace('/', "~1"))
}

/// The object's pointer and the key of a field's pointer.
pub fn parent_and_key(pointer: &str) -> Option<(&str, String)> {
    let (path, key) = pointer.rsplit_once('/')?;
    Some((path, key.replace("~1", "/").replace("~0", "~")))
}

/// Where a value stands, from the inside out: its pointer is made only where it is asked for, as there can be many
/// values and their names can be long.
enum Place<'a> {
    Root,
    Field(&'a Place<'a>, &'a str),
    Item(&'a Place<'a>, usize),
}

impl Place<'_> {
    fn pointer(&self) -> String {
        match self {
            Place::Root => String::new(),
            Place::Field(object, key) => pointer(&object.pointer(), key),
            Place::Item(list, index) => format!("{}/{index}", list.pointer()),
        }
    }
}

/// A value about to be read.
struct Node<'a> {
    place: &'a Place<'a>,
    repeated: &'a mut Faults,
}

impl<'de> DeserializeSeed<'de> for Node<'_> {
    type Value = Value;
    fn deserialize<D: Deserializer<'de>>(self, deserializer: D) -> Result<Value, D::Error> {
        deserializer.deserialize_any(self)
    }
}

impl<'de> Visitor<'de> for Node<'_> {
    type Value = Value;

    fn expecting(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("any JSON value")
    }
    fn visit_unit<E>(self) -> Result<Value, E> {
        Ok(Value::Null)
    }
    fn visit_bool<E>(self, value: bool) -> Result<Value, E> {
        Ok(value.into())
    }
    fn visit_u64<E>(self, value: u64) -> Result<Value, E> {
        Ok(value.into())
    }
    fn visit_i64<E>(self, value: i64) -> Result<Value, E> {
        Ok(value.into())
    }
    /// `4.0` and `4e0` are integers, as they are to JSON Schema.
    fn visit_f64<E>(self, value: f64) -> Result<Value, E> {
        match value.fract() == 0.0 && value.abs() < EXACT {
            true => Ok((value as i64).into()),
            false => Ok(value.into()),
        }
    }
    fn visit_str<E>(self, value: &str) -> Result<Value, E> {
        Ok(value.into())
    }

    fn visit_seq<A: SeqAccess<'de>>(self, mut list: A) -> Result<Value, A::Error> {
        let mut values = Vec::new();
        loop {
            let place = Place::Item(self.place, values.len());
            match list.next_element_seed(Node { place: &place, repeated: self.repeated })? {
                Some(value) => values.push(value),
                None => {
                    // Most lists have few values, and room for four of them.
                    values.shrink_to_fit();
                    return Ok(values.into());
                }
            }
        }
    }

    fn visit_map<A: MapAccess<'de>>(self, mut object: A) -> Result<Value, A::Error> {
        let mut fields = Map::new();
        while let Some(key) = object.next_key::<String>()? {
            let place = Place::Field(self.place, &key);
            let value = object.next_value_seed(Node { place: &place, repeated: self.repeated })?;
            if let Some(earlier) = fields.get(&key) {
                self.repeated.push_with(|| Fault {
                    path: place.pointer(),
                    value: format!("{earlier} and {value}"),
                    rule: "is given more than once".into(),
                    legal: "give it once".into(),
                });
            }
            fields.insert(key, value);
        }
        Ok(fields.into())
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn reads_what_serde_json_reads() {
        for text in [r#"{"a": [1, -2, 0.5, true, null, "x\n", {}], "b/c": {"~": []}}"#, "7", r#""""#, "1e300"] {
            let (value, repeated) = parse(text).unwrap();
            assert_eq!(value, serde_json::from_str::<Value>(text).unwrap());
            assert!(repeated.is_empty());
        }
        for text in ["", "{", "1 2", "[1,]", r#"{"a": 1e999}"#] {
            assert_eq!(
                parse(text).unwrap_err().to_string(),
                serde_json::from_str::<Value>(text).unwrap_err().to_string()
            );
        }
    }

    #[test]
    fn a_number_without_fraction_is_an_integer() {
        for (text, value) in [("4.0", "4"), ("1e1", "10"), ("-2.0", "-2"), ("-0.0", "0"), ("4.5", "4.5")] {
            assert_eq!(parse(text).unwrap().0.to_string(), value);
        }
    }

    #[test]
    fn repeated_keys_are_found_at_any_depth() {
        let (_, repeated) = parse(r#"{"x": [{"a/b": 1, "a/b": {"c": 1, "c": 2}}], "y": 1, "y": 1, "y": 3}"#).unwrap();
        let found: Vec<_> = repeated.first.iter().map(|f| (f.path.as_str(), f.value.as_str())).collect();
        assert_eq!(
            found,
            [("/x/0/a~1b/c", "1 and 2"), ("/x/0/a~1b", r#"1 and {"c":2}"#), ("/y", "1 and 1"), ("/y", "1 and 3")]
        );
    }

    /// A name costs its length once, not once a value in it.
    #[test]
    fn long_names_of_many_values_are_read() {
        let text = format!(r#"{{"{}": [{}0]}}"#, "k".repeat(1 << 20), "0,".repeat(1 << 19));
        assert!(parse(&text).unwrap().1.is_empty());
    }

    #[test]
    fn pointers_lead_back() {
        assert_eq!(parent_and_key(&pointer("/x", "a~/b~1")), Some(("/x", "a~/b~1".to_string())));
    }
}

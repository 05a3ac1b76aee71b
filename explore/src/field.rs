//! A field of a JSON document by its path.

use railyard_input::{pointer, Fault};
use serde_json::{Map, Value};

/// A path, written `/routing/cache/ways` (a JSON pointer) or `routing.cache.ways`.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub(crate) struct Field(Vec<String>);

impl Field {
    /// Reads a path; none if one of its names is empty.
    pub fn parse(text: &str) -> Option<Field> {
        let names: Vec<String> = match text.strip_prefix('/') {
            Some(pointer) => pointer.split('/').map(|name| name.replace("~1", "/").replace("~0", "~")).collect(),
            None => text.split('.').map(String::from).collect(),
        };
        names.iter().all(|name| !name.is_empty()).then_some(Field(names))
    }

    /// The head of its column in tables.
    pub fn column(&self) -> String {
        self.0.join(".")
    }

    /// As a JSON pointer.
    pub fn pointer(&self) -> String {
        self.0.iter().fold(String::new(), |path, name| pointer(&path, name))
    }

    /// Puts a value there; objects on the way are made where nothing is.
    ///
    /// # Errors
    /// The way leads through something that has no fields.
    pub fn set(&self, document: &mut Value, value: &Value) -> Result<(), Fault> {
        let mut place = document;
        for (depth, name) in self.0.iter().enumerate() {
            if place.is_null() {
                *place = Value::Object(Map::new());
            }
            if !place.is_object() {
                return Err(Fault {
                    path: format!("/{}", self.0[..depth].join("/")),
                    value: place.to_string(),
                    rule: format!("has no fields, so {} can't be set", self.column()),
                    legal: "{}".into(),
                });
            }
            place = &mut place[name];
        }
        *place = value.clone();
        Ok(())
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use serde_json::json;

    #[test]
    fn both_spellings_are_one_field() {
        let field = Field::parse("/routing/cache/ways").unwrap();
        assert_eq!(Some(&field), Field::parse("routing.cache.ways").as_ref());
        assert_eq!(field.column(), "routing.cache.ways");
        assert_eq!(["", "/", "a..b", "/a/"].map(Field::parse), [None, None, None, None]);
    }

    #[test]
    fn values_are_set_where_there_is_room() {
        let field = Field::parse("a.b").unwrap();
        for mut document in [json!({}), json!({"a": null}), json!({"a": {"b": 1}})] {
            field.set(&mut document, &json!(2)).unwrap();
            assert_eq!(document, json!({"a": {"b": 2}}));
        }
        let fault = field.set(&mut json!({"a": 16}), &json!(2)).unwrap_err();
        assert_eq!((fault.path.as_str(), fault.value.as_str()), ("/a", "16"));
    }
}

//! What a JSON document is, told by its keys: for one that stands where another is read.

use crate::fault::Fault;
use serde_json::{Map, Value};

/// A kind of document that users write or get.
#[derive(Clone, Copy, Debug)]
pub struct Document {
    /// What it is called, with its article.
    pub name: &'static str,
    /// What it is for.
    pub advice: &'static str,
    /// Whether a document with these keys is one.
    has: fn(&dyn Fn(&str) -> bool) -> bool,
}

/// All kinds. One whose keys others have, too, comes after those.
const DOCUMENTS: [Document; 7] = [
    Document {
        name: Document::MANIFEST,
        advice: "its folder is for `railyard verify CONFIG --design DIR`",
        has: |has| has("generator") && has("modules"),
    },
    Document { name: Document::SWEEP, advice: "use `railyard explore`", has: |has| has("base") },
    Document { name: Document::NETWORK, advice: "use `railyard network check`", has: |has| has("topology") },
    Document {
        name: "the tables of a network",
        advice: "a network file names it as \"tables\"",
        has: |has| has("routes"),
    },
    Document {
        name: "the wiring of a network",
        advice: "a network file names it as \"topology\": {\"kind\": \"file\", \"path\": ...}",
        has: |has| has("switches") && has("nodes"),
    },
    Document {
        name: "a scenario",
        advice: "its text is for `railyard verify CONFIG --scenario`",
        has: |has| ["traffic", "sink", "cam", "mischief"].into_iter().any(has),
    },
    Document {
        name: "a switch description",
        advice: "use `railyard check`",
        has: |has| ["ports", "flit_bits", "routing", "virtual_channels"].into_iter().any(has),
    },
];

impl Document {
    /// What a manifest is called.
    pub const MANIFEST: &str = "the manifest of a design";
    /// What a network file is called.
    pub const NETWORK: &str = "a network file";
    /// What a sweep is called.
    pub const SWEEP: &str = "a sweep";

    /// The kind of a document, if it is known by its keys.
    pub fn of(value: &Value) -> Option<&'static Document> {
        let keys = value.as_object()?;
        DOCUMENTS.iter().find(|kind| kind.fits(keys))
    }

    fn fits(&self, keys: &Map<String, Value>) -> bool {
        (self.has)(&|key| keys.contains_key(key))
    }

    /// The fault of a document of another kind than the one with these fields.
    pub(crate) fn wrong(value: &Value, fields: &Map<String, Value>) -> Option<Fault> {
        let given = Document::of(value)?;
        let wanted = DOCUMENTS.iter().find(|kind| kind.fits(fields)).map_or("a file of another kind", |kind| kind.name);
        // Stray keys make no other document of it.
        let keys = value.as_object()?;
        let own = keys.keys().filter(|key| fields.contains_key(*key)).count();
        if wanted == given.name || 2 * own > keys.len() {
            return None;
        }
        let rule = format!("is {}: {}", given.name, given.advice);
        Some(Fault { path: String::new(), value: "this".into(), rule, legal: wanted.into() })
    }
}

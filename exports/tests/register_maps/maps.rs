//! The register maps that are exported, and what each must read back as.

use railyard_exports::registers::{MapFormat, RegisterMap};
use railyard_spec::presets::PRESETS;
use railyard_spec::registers::{registers, Access, Legal, Register, RegisterField};
use railyard_spec::Config;
use std::fs;
use std::path::Path;

/// A register map with its own name.
pub struct Named {
    pub name: String,
    pub registers: Vec<Register>,
}

impl Named {
    /// The text of a format.
    pub fn text(&self, format: MapFormat) -> String {
        format.text(&RegisterMap { name: &self.name, registers: &self.registers })
    }

    /// Writes a format's file into a folder.
    pub fn write(&self, folder: &Path, format: MapFormat) {
        let file = folder.join(format!("{}.{}", self.name, format.extension()));
        fs::write(file, self.text(format)).expect("a temporary file");
    }
}

/// Those of all presets that have registers, and one whose names are reserved words.
pub fn all() -> Vec<Named> {
    let preset = |json: &str| {
        let config = Config::from_json(json).expect("a preset is legal");
        Named { registers: registers(&config.shape()), name: config.name.clone() }
    };
    let mut all: Vec<Named> = PRESETS.iter().map(|one| preset(one.json)).collect();
    all.retain(|map| !map.registers.is_empty());
    assert!(all.len() > 5, "most presets have registers");
    all.push(preset(r#"{"name": "eventful", "ports": 40, "events": true}"#));
    all.push(reserved_words());
    all
}

/// Reserved words of SystemRDL, Rust, C and Verilog as the names of registers and fields.
fn reserved_words() -> Named {
    const WORDS: [&str; 14] = [
        "level", "number", "type", "reg", "field", "signal", "default", "self", "crate", "match", "int", "property",
        "wire", "module",
    ];
    let field = |(i, name): (usize, &&'static str)| RegisterField {
        name,
        low: 2 * i as u32,
        bits: 2,
        reset: 1,
        legal: Legal::OneOf(vec![1, 3]),
        meaning: "a \"quoted\" word, a back\\slash, <angles> & more",
    };
    let fields: Vec<RegisterField> = WORDS.iter().enumerate().map(field).collect();
    let register = |(i, name): (usize, &&'static str)| Register {
        name,
        address: 16 * i as u32,
        count: 1 + i as u32 % 3,
        access: [Access::ReadOnly, Access::ReadWrite][i % 2],
        fields: fields.clone(),
        meaning: "a register with the name of a reserved word",
    };
    Named { name: "words".into(), registers: WORDS.iter().enumerate().map(register).collect() }
}

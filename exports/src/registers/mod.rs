//! The register map of a switch, in the formats of software and register tools.

mod c_header;
mod keywords;
mod rust_module;
mod svd;
mod system_rdl;

use railyard_spec::registers::{Access, Legal, Register, RegisterField};

/// The registers of a design.
#[derive(Clone, Copy, Debug)]
pub struct RegisterMap<'a> {
    /// Name of the design.
    pub name: &'a str,
    /// Its registers, by address; at least one.
    pub registers: &'a [Register],
}

/// A format of a register map.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum MapFormat {
    /// SystemRDL 2.0.
    SystemRdl,
    /// C header: offsets, shifts, masks, values after reset.
    CHeader,
    /// Rust module with the same constants.
    RustModule,
    /// CMSIS-SVD.
    Svd,
}

impl MapFormat {
    /// All formats.
    pub const ALL: [MapFormat; 4] = [MapFormat::SystemRdl, MapFormat::CHeader, MapFormat::RustModule, MapFormat::Svd];

    /// How the names of its files end.
    pub fn extension(self) -> &'static str {
        match self {
            MapFormat::SystemRdl => "rdl",
            MapFormat::CHeader => "h",
            MapFormat::RustModule => "rs",
            MapFormat::Svd => "svd",
        }
    }

    /// What it is, in a word.
    pub fn role(self) -> &'static str {
        match self {
            MapFormat::SystemRdl => "system_rdl",
            MapFormat::CHeader => "c_header",
            MapFormat::RustModule => "rust_module",
            MapFormat::Svd => "svd",
        }
    }

    /// The register map as text.
    pub fn text(self, map: &RegisterMap) -> String {
        match self {
            MapFormat::SystemRdl => system_rdl::text(map),
            MapFormat::CHeader => c_header::text(map),
            MapFormat::RustModule => rust_module::text(map),
            MapFormat::Svd => svd::text(map),
        }
    }
}

/// The rule that no format has a word for.
const RESERVED_BITS: &str =
    "Bits of no field read 0 and must be written 0. A word with an illegal value is refused as a whole.";

/// Who may do what, in words.
fn access(register: &Register) -> &'static str {
    match register.access {
        Access::ReadOnly => "read only",
        Access::ReadWrite => "read, write",
        Access::Command => "command: a write acts once, a read gives 0",
        Access::WriteOneClears => "read; a 1 that is written clears its bit",
    }
}

/// The legal values of a field, in words; nothing if all that fit are legal.
fn legal(field: &RegisterField) -> Option<String> {
    match &field.legal {
        Legal::Any => None,
        Legal::OneOf(values) => Some(values.iter().map(u32::to_string).collect::<Vec<_>>().join(", ")),
        Legal::Below(limit) => Some(format!("below {limit}")),
        Legal::BelowChunks => Some("below ceil(address bits / `chunk_bits` of the same word)".into()),
    }
}

/// What a field means, with its legal values.
fn meaning(field: &RegisterField) -> String {
    match legal(field) {
        Some(values) => format!("{} (legal: {values})", field.meaning),
        None => field.meaning.into(),
    }
}

/// The bits of a field, in place.
fn mask(field: &RegisterField) -> u32 {
    u32::MAX >> (32 - field.bits) << field.low
}

/// A register's value after reset.
fn reset(register: &Register) -> u32 {
    register.fields.iter().fold(0, |word, field| word | field.reset << field.low)
}

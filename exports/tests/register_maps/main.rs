//! The register map of every preset, in each format: read back by other tools, it is what `registers --json` says.

mod c_header;
mod maps;
mod other_tools;
mod rust_module;

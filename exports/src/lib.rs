//! A design in the formats of other tools.
//!
//! [`registers`] has the register map for software and for register tools, [`package`] all that package managers and
//! other tools need, [`data_sheet`] a page for people. Everything is written from the description that hardware and
//! model share; no Verilog is parsed.

pub mod data_sheet;
pub mod package;
pub mod registers;

/// What wrote a file, for its first line.
pub const GENERATOR: &str = concat!("railyard ", env!("CARGO_PKG_VERSION"));

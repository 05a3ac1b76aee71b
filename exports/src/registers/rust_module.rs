//! Rust module: a module a register with its offset, a module in it a field with shift, mask and value after reset.

use super::keywords::in_rust;
use super::{access, mask, meaning, reset, RegisterMap, RESERVED_BITS};
use crate::GENERATOR;
use railyard_spec::registers::{Register, RegisterField};

/// The register map as a Rust module.
pub fn text(map: &RegisterMap) -> String {
    let registers: String = map.registers.iter().map(register).collect();
    format!(
        "//! Registers of the switch `{}`. Written by {GENERATOR}.\n\
         //!\n\
         //! `OFFSET` is in bytes from the switch's base address. Registers are 32-bit words; an array has `COUNT` of them, `STRIDE` bytes\n\
         //! apart. {RESERVED_BITS}\n\
         \n\
         #![allow(dead_code)]\n\
         {registers}",
        map.name
    )
}

/// The module of a register.
fn register(register: &Register) -> String {
    let mut constants = constant(1, "Byte offset", "OFFSET", &format!("{:#06x}", register.address));
    if register.count > 1 {
        constants += &constant(1, "Words of the array", "COUNT", &register.count.to_string());
        constants += &constant(1, "Bytes from one word to the next", "STRIDE", "4");
    }
    constants += &constant(1, "Value after reset", "RESET", &format!("{:#010x}", reset(register)));
    let fields: String = register.fields.iter().map(field).collect();
    format!(
        "\n/// {} ({})\npub mod {} {{\n{constants}{fields}}}\n",
        register.meaning,
        access(register),
        in_rust(register.name)
    )
}

/// The module of a field.
fn field(field: &RegisterField) -> String {
    let constants = [
        constant(2, "Lowest bit", "SHIFT", &field.low.to_string()),
        constant(2, "Bits in place", "MASK", &format!("{:#010x}", mask(field))),
        constant(2, "Value after reset, at bit 0", "RESET", &format!("{:#x}", field.reset)),
    ];
    format!("\n    /// {}\n    pub mod {} {{\n{}    }}\n", meaning(field), in_rust(field.name), constants.concat())
}

fn constant(depth: usize, meaning: &str, name: &str, value: &str) -> String {
    let margin = " ".repeat(4 * depth);
    format!("{margin}/// {meaning}.\n{margin}pub const {name}: u32 = {value};\n")
}

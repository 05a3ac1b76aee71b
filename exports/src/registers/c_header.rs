//! C header: byte offsets, shifts, masks and values after reset, as macros. No bit-fields: their layout is the
//! compiler's choice.

use super::{access, mask, meaning, reset, RegisterMap, RESERVED_BITS};
use crate::GENERATOR;
use railyard_spec::registers::{Register, RegisterField};

/// The register map as a C header.
pub fn text(map: &RegisterMap) -> String {
    let prefix = map.name.to_uppercase();
    let registers: String = map.registers.iter().map(|one| register(&prefix, one)).collect();
    format!(
        "/* Registers of the switch `{}`. Written by {GENERATOR}.\n\
         \x20*\n\
         \x20* OFFSET is in bytes from the switch's base address. Registers are 32-bit words; an array has COUNT of them, STRIDE bytes apart.\n\
         \x20* {RESERVED_BITS}\n\
         \x20*/\n\
         #ifndef {prefix}_REGISTERS_H\n\
         #define {prefix}_REGISTERS_H\n\
         {registers}\n\
         #endif\n",
        map.name
    )
}

/// The macros of a register.
fn register(prefix: &str, register: &Register) -> String {
    let prefix = format!("{prefix}_{}", register.name.to_uppercase());
    let mut text = format!("\n/* {} ({}) */\n", register.meaning, access(register));
    text += &define(&prefix, "OFFSET", &format!("0x{:04x}u", register.address));
    if register.count > 1 {
        text += &define(&prefix, "COUNT", &format!("{}u", register.count));
        text += &define(&prefix, "STRIDE", "4u");
    }
    text += &define(&prefix, "RESET", &format!("{:#010x}u", reset(register)));
    text + &register.fields.iter().map(|one| field(&prefix, one)).collect::<String>()
}

/// The macros of a field.
fn field(prefix: &str, field: &RegisterField) -> String {
    let prefix = format!("{prefix}_{}", field.name.to_uppercase());
    let macros = [
        ("SHIFT", format!("{}u", field.low)),
        ("MASK", format!("{:#010x}u", mask(field))),
        ("RESET", format!("{:#x}u", field.reset)),
    ];
    let lines: String = macros.iter().map(|(what, value)| define(&prefix, what, value)).collect();
    format!("/* {} */\n{lines}", meaning(field))
}

fn define(prefix: &str, what: &str, value: &str) -> String {
    format!("#define {prefix}_{what} {value}\n")
}

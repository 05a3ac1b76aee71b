//! SystemRDL 2.0: what PeakRDL and other register tools read.

use super::keywords::in_system_rdl;
use super::{legal, RegisterMap, RESERVED_BITS};
use crate::GENERATOR;
use railyard_spec::registers::{Access, Register, RegisterField};

/// The register map in SystemRDL.
pub fn text(map: &RegisterMap) -> String {
    let name = map.name;
    let registers: String = map.registers.iter().map(register).collect();
    format!(
        "// Registers of the switch `{name}`. Written by {GENERATOR}.\n\
         \n\
         `ifndef RAILYARD_LEGAL\n\
         `define RAILYARD_LEGAL\n\
         // The legal values of a field. A word with another one is refused as a whole.\n\
         property legal {{\n    component = field;\n    type = string;\n}};\n\
         `endif\n\
         \n\
         addrmap {name}_registers {{\n\
         {}    default regwidth = 32;\n    default accesswidth = 32;\n\
         {registers}}};\n",
        said(1, "desc", RESERVED_BITS)
    )
}

/// A register, or an array of them.
fn register(register: &Register) -> String {
    let Register { name, address, count, access, fields, meaning } = register;
    let fields: String = fields.iter().map(|one| field(one, *access)).collect();
    let place = match count {
        1 => format!("@ {address:#06x}"),
        _ => format!("[{count}] @ {address:#06x} += 4"),
    };
    let (software, hardware) = match access {
        Access::ReadOnly => ("r", "w"),
        Access::ReadWrite => ("rw", "r"),
        Access::Command => ("w", "r"),
        Access::WriteOneClears => ("rw", "w"),
    };
    format!(
        "\n    reg {{\n{}        default sw = {software};\n        default hw = {hardware};\n{fields}    }} {} {place};\n",
        said(2, "desc", meaning),
        in_system_rdl(name)
    )
}

/// A field. One bit of a command is a pulse.
fn field(field: &RegisterField, access: Access) -> String {
    let RegisterField { name, low, bits, reset, meaning, .. } = field;
    let mut body = said(3, "desc", meaning);
    if let Some(values) = legal(field) {
        body.push_str(&said(3, "legal", &values));
    }
    if access == Access::Command && *bits == 1 {
        body.push_str("            singlepulse;\n");
    }
    if access == Access::WriteOneClears {
        body.push_str("            onwrite = woclr;\n");
    }
    let high = low + bits - 1;
    format!("        field {{\n{body}        }} {}[{high}:{low}] = {bits}'h{reset:x};\n", in_system_rdl(name))
}

/// A property that is a text.
fn said(depth: usize, property: &str, text: &str) -> String {
    let quoted = text.replace('\\', "\\\\").replace('"', "\\\"");
    format!("{:1$}{property} = \"{quoted}\";\n", "", 4 * depth)
}

//! The ports of a generated model, as Verilator's header declares them.
//!
//! The header has a line such as `VL_IN8(&enable,0,0);` for each port: C++ name, highest and lowest bit. Reading it
//! checks names, widths and directions of the port list exactly, before the C++ compiler runs.

use std::collections::HashMap;

use super::{BuildError, Design, Direction, Port};

struct Declared {
    width: usize,
    direction: Direction,
}

/// The C++ names of the design's ports, in their order, if the header agrees with the port list.
pub(super) fn resolve_ports(header: &str, design: &Design) -> Result<Vec<String>, BuildError> {
    let declared: HashMap<&str, Declared> = header.lines().filter_map(parse_line).collect();
    design.ports.iter().map(|port| resolve(&declared, port, &design.top)).collect()
}

fn resolve(declared: &HashMap<&str, Declared>, port: &Port, top: &str) -> Result<String, BuildError> {
    let plain = mangle(&port.name);
    // Verilator marks names that are words of C++.
    let reserved = format!("__SYM__{plain}");
    let (name, found) = [plain, reserved]
        .into_iter()
        .find_map(|name| declared.get(name.as_str()).map(|found| (name, found)))
        .ok_or_else(|| BuildError::NoSuchPort { top: top.to_owned(), port: port.name.clone() })?;
    if found.width != port.width || found.direction != port.direction {
        return Err(BuildError::PortMismatch {
            port: port.name.clone(),
            listed_width: port.width,
            listed: port.direction,
            actual_width: found.width,
            actual: found.direction,
        });
    }
    Ok(name)
}

/// `VL_INW(&data,199,0,7);` as ("data", 200 bits, input).
fn parse_line(line: &str) -> Option<(&str, Declared)> {
    let line = line.trim();
    let (kind, arguments) = line.strip_suffix(");")?.split_once("(&")?;
    // What follows the direction is the kind of storage; `VL_INOUT8` is a port of neither direction.
    let direction = match kind {
        "VL_IN" | "VL_IN8" | "VL_IN16" | "VL_IN64" | "VL_INW" => Direction::Input,
        "VL_OUT" | "VL_OUT8" | "VL_OUT16" | "VL_OUT64" | "VL_OUTW" => Direction::Output,
        _ => return None,
    };
    let mut arguments = arguments.split(',');
    let name = arguments.next()?;
    let high: i64 = arguments.next()?.parse().ok()?;
    let low: i64 = arguments.next()?.parse().ok()?;
    let width = usize::try_from(high.abs_diff(low)).ok()? + 1;
    Some((name, Declared { width, direction }))
}

/// Verilator's C++ name for a Verilog name: letters, digits and single underscores stay.
fn mangle(name: &str) -> String {
    let mut mangled = String::with_capacity(name.len() + 8);
    let mut bytes = name.bytes().enumerate().peekable();
    while let Some((index, byte)) = bytes.next() {
        match byte {
            b'a'..=b'z' | b'A'..=b'Z' => mangled.push(byte as char),
            b'0'..=b'9' if index > 0 => mangled.push(byte as char),
            b'_' if bytes.next_if(|next| next.1 == b'_').is_some() => mangled.push_str("___05F"),
            b'_' => mangled.push('_'),
            _ => mangled.push_str(&format!("__0{byte:02x}")),
        }
    }
    mangled
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn names_are_mangled_as_verilator_does() {
        assert_eq!(mangle("rx_flit"), "rx_flit");
        assert_eq!(mangle("a__b"), "a___05Fb");
        assert_eq!(mangle("a___b"), "a___05F_b");
        assert_eq!(mangle("q$0.x"), "q__0240__02ex");
    }

    #[test]
    fn port_lines_are_read() {
        let (name, port) = parse_line("    VL_OUTW(&tx_flit,199,0,7);").unwrap();
        assert_eq!((name, port.width, port.direction), ("tx_flit", 200, Direction::Output));
        let (name, port) = parse_line("VL_IN8(&half,15,8);").unwrap();
        assert_eq!((name, port.width, port.direction), ("half", 8, Direction::Input));
        assert!(parse_line("    VL_INOUT8(&pad,0,0);").is_none());
        assert!(parse_line("CData/*0:0*/ __Vtrigprev__TOP__clock;").is_none());
    }
}

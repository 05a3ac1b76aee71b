//! The ports of a generated model, as Verilator's header declares them.
//!
//! The header has a line such as `VL_IN8(&enable,0,0);` for each port: C++ name, highest and lowest bit. Reading it
//! checks names, widths and directions of the port list exactly, before the C++ compiler runs.

use std::collections::BTreeMap;

use crate::{BuildError, PinDirection, TopPort, VerilogDesign};

/// What Verilator puts before names that are words of C++.
const RESERVED: &str = "__SYM__";

struct Declared {
    width: usize,
    direction: PinDirection,
}

/// The C++ names of the design's ports, in their order, if the header agrees with the port list.
pub(crate) fn resolve_ports(header: &str, design: &VerilogDesign) -> Result<Vec<String>, BuildError> {
    let mut declared: BTreeMap<&str, Declared> = header.lines().filter_map(parse_line).collect();
    let (mut names, mut missing) = (Vec::new(), Vec::new());
    for port in &design.ports {
        let plain = mangle(&port.name);
        // Verilator marks names that are words of C++.
        let reserved = format!("{RESERVED}{plain}");
        match [plain, reserved].into_iter().find_map(|name| declared.remove(name.as_str()).map(|found| (name, found))) {
            Some((name, found)) => {
                found.check(port)?;
                names.push(name);
            }
            None => missing.push(format!("{} `{}`", port.direction.word(), port.name)),
        }
    }
    let extra = |(name, port): (&str, Declared)| format!("{} `{}`", port.direction.word(), plain_name(name));
    let extra: Vec<String> = declared.into_iter().filter(|_| design.all_ports).map(extra).collect();
    if missing.is_empty() && extra.is_empty() {
        Ok(names)
    } else {
        Err(BuildError::Ports { top: design.top.clone(), missing, extra })
    }
}

impl Declared {
    fn check(&self, port: &TopPort) -> Result<(), BuildError> {
        if self.width == port.width && self.direction == port.direction {
            return Ok(());
        }
        Err(BuildError::PortMismatch {
            port: port.name.clone(),
            listed_width: port.width,
            listed: port.direction,
            actual_width: self.width,
            actual: self.direction,
        })
    }
}

impl PinDirection {
    pub(crate) fn word(self) -> &'static str {
        match self {
            PinDirection::Input => "input",
            PinDirection::Output => "output",
        }
    }
}

/// The Verilog name of a C++ name, as far as it is made of letters, digits and underscores.
fn plain_name(name: &str) -> String {
    name.trim_start_matches(RESERVED).replace("___05F", "__")
}

/// `VL_INW(&data,199,0,7);` as ("data", 200 bits, input).
fn parse_line(line: &str) -> Option<(&str, Declared)> {
    let line = line.trim();
    let (kind, arguments) = line.strip_suffix(");")?.split_once("(&")?;
    // What follows the direction is the kind of storage; `VL_INOUT8` is a port of neither direction.
    let direction = match kind {
        "VL_IN" | "VL_IN8" | "VL_IN16" | "VL_IN64" | "VL_INW" => PinDirection::Input,
        "VL_OUT" | "VL_OUT8" | "VL_OUT16" | "VL_OUT64" | "VL_OUTW" => PinDirection::Output,
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
pub(crate) fn mangle(name: &str) -> String {
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
    fn missing_and_unexpected_ports_are_all_named() {
        let header =
            "VL_IN8(&clock,0,0);\nVL_IN8(&test___05Fmode,0,0);\nVL_OUT8(&__SYM__int,7,0);\nVL_OUT8(&debug,3,0);";
        let design = || VerilogDesign::new("top").port(TopPort::input("clock", 1)).port(TopPort::output("int", 8));
        assert_eq!(resolve_ports(header, &design()).unwrap(), ["clock", "__SYM__int"]);
        let error = resolve_ports(header, &design().port(TopPort::input("reset", 1)).with_all_ports()).unwrap_err();
        let BuildError::Ports { missing, extra, .. } = error else { panic!("{error}") };
        assert_eq!(missing, ["input `reset`"]);
        assert_eq!(extra, ["output `debug`", "input `test__mode`"]);
        let wider = resolve_ports(header, &VerilogDesign::new("top").port(TopPort::output("debug", 5)));
        assert!(matches!(wider, Err(BuildError::PortMismatch { actual_width: 4, .. })));
    }

    #[test]
    fn port_lines_are_read() {
        let (name, port) = parse_line("    VL_OUTW(&tx_flit,199,0,7);").unwrap();
        assert_eq!((name, port.width, port.direction), ("tx_flit", 200, PinDirection::Output));
        let (name, port) = parse_line("VL_IN8(&half,15,8);").unwrap();
        assert_eq!((name, port.width, port.direction), ("half", 8, PinDirection::Input));
        assert!(parse_line("    VL_INOUT8(&pad,0,0);").is_none());
        assert!(parse_line("CData/*0:0*/ __Vtrigprev__TOP__clock;").is_none());
    }
}

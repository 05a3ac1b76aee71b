//! Memory macros of the user's, from Liberty files of a memory compiler: shape, area and times of each.
//!
//! A macro is a cell with a group `memory`, which has the widths of its address and its word. Times are those of its
//! arcs, at the middle slew and load of their tables: the longest from the clock to an output, and the longest set-up.

use crate::design::MemoryShape;
use crate::error::Error;
use crate::liberty::{argument, check_time, without_comments};
use railyard_input::{FileKind, InputSource};
use serde::Serialize;
use std::path::PathBuf;

/// Groups inside each other, at most; Liberty has some six.
const MOST_DEPTH: usize = 32;

/// Bits of an address, at most.
const MOST_ADDRESS: u32 = 24;

/// A macro of the user's.
#[derive(Clone, Debug, PartialEq, Serialize)]
pub struct UserMacro {
    /// Its file.
    pub file: String,
    /// Its cell.
    pub cell: String,
    /// Words and bits.
    pub shape: MemoryShape,
    /// Area in um2.
    pub area_um2: f64,
    /// Clock to data out in ns.
    pub access_ns: f64,
    /// Set-up time in ns, if the file says.
    pub setup_ns: Option<f64>,
    /// Shortest cycle in ns, if the file says.
    pub cycle_ns: Option<f64>,
}

/// Reads the macros of a file.
///
/// # Errors
/// It can't be read, is no Liberty file, or has no macro; a macro lacks area or times.
pub fn read(file: &InputSource) -> Result<Vec<UserMacro>, Error> {
    let path = PathBuf::from(file.to_string());
    let text = file.read_text(FileKind::Liberty).map_err(crate::error::at(&path))?;
    parse(&text, &file.to_string()).map_err(|reason| Error::Liberty { path, reason })
}

fn parse(text: &str, file: &str) -> Result<Vec<UserMacro>, String> {
    let library = Group::parse(&without_comments(text)?)?;
    let nanoseconds = match library.attribute("time_unit") {
        Some(unit) => nanoseconds(unit)?,
        None => 1.0,
    };
    let cells = library.groups.iter().filter(|group| group.kind == "cell");
    let with_memory = cells.filter_map(|cell| Some((cell, cell.groups.iter().find(|group| group.kind == "memory")?)));
    let macros = with_memory.map(|(cell, memory)| {
        let made = user_macro(cell, memory, nanoseconds, file);
        made.map_err(|what| format!("cell {}: {what}", cell.name))
    });
    let macros = macros.collect::<Result<Vec<_>, _>>()?;
    match macros.is_empty() {
        true => Err("no cell with a group `memory` in it: not a Liberty file of memory macros".into()),
        false => Ok(macros),
    }
}

fn user_macro(cell: &Group, memory: &Group, nanoseconds: f64, file: &str) -> Result<UserMacro, String> {
    let width = |name: &str, most: u32| {
        let given = memory.attribute(name).ok_or(format!("its group `memory` has no {name}"))?;
        let legal = given.parse().ok().filter(|bits| (1..=most).contains(bits));
        legal.ok_or(format!("{name} {given} is none of 1 to {most}"))
    };
    let shape =
        MemoryShape { depth: 1 << width("address_width", MOST_ADDRESS)?, width: width("word_width", u32::MAX)? };
    let area = cell.attribute("area").and_then(|area| area.parse().ok());
    let area_um2 = area.filter(|area: &f64| area.is_finite() && *area > 0.0).ok_or("has no area above 0")?;
    let mut times = Times::default();
    times.of(cell, nanoseconds)?;
    Ok(UserMacro {
        file: file.into(),
        cell: cell.name.clone(),
        shape,
        area_um2,
        access_ns: times.access.ok_or("has no arc from the clock to an output")?,
        setup_ns: times.setup,
        cycle_ns: times.cycle,
    })
}

/// The longest times of a cell, in ns.
#[derive(Default)]
struct Times {
    access: Option<f64>,
    setup: Option<f64>,
    cycle: Option<f64>,
}

impl Times {
    /// Those of a group and of all in it.
    fn of(&mut self, group: &Group, nanoseconds: f64) -> Result<(), String> {
        let longest = |tables: [&str; 2]| -> Result<Option<f64>, String> {
            let tables = group.groups.iter().filter(|table| tables.contains(&table.kind.as_str()));
            let times = tables.map(Group::middle).collect::<Result<Vec<_>, _>>()?;
            Ok(times.into_iter().reduce(f64::max).map(|time| time * nanoseconds))
        };
        match (group.kind.as_str(), group.attribute("timing_type")) {
            ("timing", Some("rising_edge" | "falling_edge")) => {
                self.access = longer(self.access, longest(["cell_rise", "cell_fall"])?);
            }
            ("timing", Some("setup_rising" | "setup_falling")) => {
                self.setup = longer(self.setup, longest(["rise_constraint", "fall_constraint"])?);
            }
            ("minimum_period", _) => {
                let given = group.attribute("constraint").map(time).transpose()?;
                self.cycle = longer(self.cycle, given.map(|time| time * nanoseconds));
            }
            ("pin" | "bus", _) => {
                let given = group.attribute("min_period").map(time).transpose()?;
                self.cycle = longer(self.cycle, given.map(|time| time * nanoseconds));
            }
            _ => {}
        }
        group.groups.iter().try_for_each(|inside| self.of(inside, nanoseconds))
    }
}

fn longer(one: Option<f64>, other: Option<f64>) -> Option<f64> {
    one.into_iter().chain(other).reduce(f64::max)
}

/// A time of a file.
fn time(text: &str) -> Result<f64, String> {
    let time = text.trim().parse().ok().filter(|time| (0.0..1e12).contains(time));
    time.ok_or_else(|| format!("{text} is no time of 0 or more"))
}

/// Nanoseconds of a library's unit, as `1ns` or `100ps`.
fn nanoseconds(unit: &str) -> Result<f64, String> {
    check_time(unit)?;
    let name = unit.trim_start_matches(|c: char| c.is_ascii_digit());
    let number = unit[..unit.len() - name.len()].parse().unwrap_or(1.0);
    let scale = match name {
        "s" => 1e9,
        "ms" => 1e6,
        "us" => 1e3,
        "ns" => 1.0,
        "ps" => 1e-3,
        _ => 1e-6,
    };
    Ok(number * scale)
}

/// A group of a Liberty file.
#[derive(Debug, Default)]
struct Group {
    kind: String,
    /// What stands in its parentheses.
    name: String,
    /// Attributes, simple and complex: name and value.
    attributes: Vec<(String, String)>,
    groups: Vec<Group>,
}

impl Group {
    /// The library of a file without comments.
    fn parse(text: &str) -> Result<Group, String> {
        let mut open = vec![Group::default()];
        let (mut statement, mut quoted) = (0, false);
        for (at, byte) in text.bytes().enumerate() {
            quoted ^= byte == b'"';
            if quoted || !b"{};".contains(&byte) {
                continue;
            }
            let before = text[statement..at].trim();
            statement = at + 1;
            let here = open.last_mut().ok_or("more `}` than `{`")?;
            if byte == b'{' {
                let head = here.take(before);
                let kind = head.split('(').next().unwrap_or("").trim().to_string();
                open.push(Group { kind, name: argument(head), ..Group::default() });
                if open.len() > MOST_DEPTH {
                    return Err(format!("more than {MOST_DEPTH} groups inside each other"));
                }
                continue;
            }
            let rest = here.take(before);
            here.set(rest);
            if byte == b'}' {
                let done = open.pop().ok_or("more `}` than `{`")?;
                open.last_mut().ok_or("more `}` than `{`")?.groups.push(done);
            }
        }
        let file = open.pop().filter(|_| open.is_empty()).ok_or("ends inside a group")?;
        file.groups.into_iter().find(|group| group.kind == "library").ok_or("no library in it".into())
    }

    /// Takes complex attributes off the front of a statement that end with their line, not with `;`. Gives the rest.
    fn take<'a>(&mut self, mut text: &'a str) -> &'a str {
        while let Some((line, rest)) = text.split_once(")\n") {
            if line.split('(').next().is_some_and(|name| name.contains(':')) {
                break;
            }
            self.set(&text[..=line.len()]);
            text = rest.trim_start();
        }
        text
    }

    /// An attribute.
    fn set(&mut self, text: &str) {
        let name = text.split([':', '(']).next().unwrap_or("").trim();
        let rest = text[text.find(name).unwrap_or(0) + name.len()..].trim_start();
        let value = match rest.strip_prefix(':') {
            Some(value) => value.trim().trim_matches('"').trim().to_string(),
            None => rest.trim_start_matches('(').trim_end_matches(')').to_string(),
        };
        if !name.is_empty() {
            self.attributes.push((name.into(), value));
        }
    }

    fn attribute(&self, name: &str) -> Option<&str> {
        self.attributes.iter().find(|(key, _)| key == name).map(|(_, value)| value.as_str())
    }

    /// The value in the middle of a table.
    fn middle(&self) -> Result<f64, String> {
        let values = self.attribute("values").ok_or_else(|| format!("{} has no values", self.kind))?;
        let rows: Vec<&str> = values.split('"').filter(|row| row.bytes().any(|byte| byte.is_ascii_digit())).collect();
        let row: Vec<&str> = rows.get(rows.len() / 2).map_or(vec![], |row| row.split(',').collect());
        let middle = row.get(row.len() / 2).ok_or_else(|| format!("{} has no values", self.kind))?;
        time(middle).map_err(|what| format!("{}: {what}", self.kind))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// As memory compilers write it: attributes without `;`, buses, tables by slew and load, times in ps.
    const FILE: &str = r#"
/* one macro */
library(test) {
  time_unit : "1ps";
  capacitive_load_unit(1, pf)
  library_features(report_delay_calculation);
  cell(RAM_512X20) {
    area : 10500.5;
    memory() { type : ram; address_width : 9; word_width : 20; }
    pin(CLK) { direction : input; minimum_period() { constraint : 900; when : "1"; } }
    bus(ADDR) {
      direction : input;
      timing() {
        related_pin : "CLK"; timing_type : setup_rising;
        rise_constraint(t) { values ("10, 20", "30, 110") }
        fall_constraint(t) { values ("10, 20", "30, 100") }
      }
    }
    bus(Q) {
      direction : output;
      pin(Q[19:0]) {
        timing() {
          related_pin : "CLK"; timing_type : rising_edge;
          cell_rise(t) { index_1("0.1, 0.2"); values("500, 600, 700", \
            "510, 620, 730", "520, 640, 760"); }
          cell_fall(scalar) { values("610") }
        }
      }
    }
  }
  cell(BUF) { area : 1; }
}
"#;

    #[test]
    fn shape_area_and_times_of_a_macro() {
        let expected = UserMacro {
            file: "ram.lib".into(),
            cell: "RAM_512X20".into(),
            shape: MemoryShape { depth: 512, width: 20 },
            area_um2: 10500.5,
            access_ns: 0.62,
            setup_ns: Some(0.11),
            cycle_ns: Some(0.9),
        };
        assert_eq!(parse(FILE, "ram.lib").unwrap(), [expected]);
    }

    /// The shortest cycle is a group or an attribute of the clock pin; the longest of several counts.
    #[test]
    fn a_shortest_cycle_may_be_an_attribute() {
        let group = "minimum_period() { constraint : 900; when : \"1\"; }";
        for (given, cycle) in [("min_period : 1200.0;", 1.2), (&format!("min_period : 800; {group}"), 0.9)] {
            let macros = parse(&FILE.replacen(group, given, 1), "ram.lib").unwrap();
            assert_eq!(macros[0].cycle_ns, Some(cycle), "{given}");
        }
        let wrong = parse(&FILE.replacen(group, "min_period : -1;", 1), "ram.lib").unwrap_err();
        assert!(wrong.contains("-1 is no time of 0 or more"), "{wrong}");
    }

    #[test]
    fn what_is_missing_or_wrong_is_told() {
        for (from, to, why) in [
            ("memory() {", "other() {", "no cell with a group `memory`"),
            ("address_width : 9", "address_width : 40", "cell RAM_512X20: address_width 40 is none of 1 to 24"),
            ("word_width : 20;", "", "cell RAM_512X20: its group `memory` has no word_width"),
            ("area : 10500.5", "area : -1", "cell RAM_512X20: has no area above 0"),
            ("rising_edge", "hold_rising", "cell RAM_512X20: has no arc from the clock to an output"),
            ("620", "nan", "cell RAM_512X20: cell_rise:  nan is no time of 0 or more"),
            ("constraint : 900", "constraint : soon", "cell RAM_512X20: soon is no time"),
            ("\"1ps\"", "\"1day\"", "time_unit 1day is none of"),
            ("library(test)", "module(test)", "no library in it"),
            ("cell(BUF) { area : 1; }", "", ""),
            ("cell(BUF) { area : 1; }", "}", "more `}` than `{`"),
            ("cell(BUF) { area : 1; }", "cell(BUF) {", "ends inside a group"),
        ] {
            match parse(&FILE.replacen(from, to, 1), "ram.lib") {
                Ok(_) => assert_eq!(why, "", "{to}"),
                Err(said) => assert!(!why.is_empty() && said.starts_with(why), "{to}: {said}"),
            }
        }
        let deep = format!("library (a) {{ {}", "b () { ".repeat(100_000));
        assert!(parse(&deep, "deep.lib").unwrap_err().contains("groups inside each other"));
    }
}

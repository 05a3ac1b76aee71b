//! Just enough of Liberty: which cells there are, which may be used, which drive, hold and tie.

use crate::Wires;
use std::ops::Range;

/// A cell of a library.
#[derive(Clone, Debug, Default)]
pub struct Cell {
    /// Name.
    pub name: String,
    /// Area in the library's unit (um2), if the library says.
    pub area: Option<f64>,
    /// The library says to leave it alone.
    pub dont_use: bool,
    /// Flip-flop.
    pub is_register: bool,
    /// Pins: name, direction, function, capacitance in fF.
    pub pins: Vec<CellPin>,
    /// Its text in the file.
    span: Range<usize>,
}

impl Cell {
    /// Area in um2; a cell without any counts as 0.
    pub fn area(&self) -> f64 {
        self.area.unwrap_or(0.0)
    }
}

/// A pin of a cell.
#[derive(Clone, Debug, Default)]
pub struct CellPin {
    /// Name.
    pub name: String,
    /// `input` or `output`.
    pub direction: String,
    /// Logic function of an output.
    pub function: Option<String>,
    /// Load in fF.
    pub capacitance: f64,
    /// Of an output: the load that it may drive, in fF.
    pub max_load: Option<f64>,
}

/// A library, read.
#[derive(Clone, Debug)]
pub struct Liberty {
    /// Name inside the file.
    pub name: String,
    /// Supply in V.
    pub voltage: f64,
    /// The wire load that timing takes unless told otherwise.
    pub wire_load: Option<String>,
    /// Cells.
    pub cells: Vec<Cell>,
    text: String,
    /// Where the statements are that choose a wire load.
    wire_loads: Vec<Range<usize>>,
}

/// Cells that synthesis should not take although libraries allow them: scan, enable (their enable net stays without
/// buffers), clock gates, delays, level shifters, power cells.
const UNUSED: [&str; 18] = [
    "sdf", "edf", "sedf", "clkgate", "dlclk", "lgcp", "slgcp", "clkbuf", "clkinv", "dlygate", "dlymetal", "lpflow",
    "probe", "macro", "decap", "tbuf", "tinv", "ebufn",
];

/// The text with blanks in place of comments: what stands behind them stays where it is.
pub(crate) fn without_comments(text: &str) -> Result<String, String> {
    let mut plain = text.as_bytes().to_vec();
    let mut at = 0;
    while let Some(start) = text[at..].find("/*") {
        let end = text[at + start..].find("*/").map_or(text.len(), |e| at + start + e + 2);
        plain[at + start..end].iter_mut().filter(|b| **b != b'\n').for_each(|b| *b = b' ');
        at = end;
    }
    String::from_utf8(plain).map_err(|_| "not text".to_string())
}

/// A library of which a part is read.
struct Reader<'a> {
    /// The text without comments.
    plain: &'a str,
    library: Liberty,
    /// The library's unit of capacitance in fF.
    load_unit: f64,
    /// One entry a brace that is open: the group's head.
    groups: Vec<String>,
    /// Where the statement begins.
    statement: usize,
}

impl<'a> Reader<'a> {
    fn new(plain: &'a str, text: &str) -> Reader<'a> {
        let library = Liberty {
            name: String::new(),
            voltage: 0.0,
            wire_load: None,
            cells: Vec::new(),
            text: text.to_string(),
            wire_loads: Vec::new(),
        };
        Reader { plain, library, load_unit: 1.0, groups: Vec::new(), statement: 0 }
    }

    /// `{` at `end`: a group begins.
    fn open(&mut self, end: usize) -> Result<(), String> {
        let (head, start) = tidy(self.plain, self.statement, end);
        let argument = argument(head);
        let kind = head.split('(').next().unwrap_or("").trim();
        let library = &mut self.library;
        match (self.groups.len(), kind) {
            (0, "library") => library.name = argument,
            (1, "cell") => library.cells.push(Cell { name: argument, span: start..end, ..Cell::default() }),
            (2, "ff" | "ff_bank") => last(library)?.is_register = true,
            (2, "pin") => last(library)?.pins.push(CellPin { name: argument, ..CellPin::default() }),
            _ => {}
        }
        self.groups.push(kind.to_string());
        self.statement = end + 1;
        Ok(())
    }

    /// `}` at `end`: a group ends.
    fn close(&mut self, end: usize) -> Result<(), String> {
        let closed = self.groups.pop().ok_or("more `}` than `{`")?;
        if self.groups.len() == 1 && closed == "cell" {
            last(&mut self.library)?.span.end = end + 1;
        }
        self.statement = end + 1;
        Ok(())
    }

    /// `;` at `end`: an attribute.
    fn end_statement(&mut self, end: usize) -> Result<(), String> {
        let (text, start) = tidy(self.plain, self.statement, end);
        self.statement = end + 1;
        if self.is_load_unit(text) {
            self.load_unit = femtofarads(text)?;
            return Ok(());
        }
        let Some((key, value)) = text.split_once(':') else { return Ok(()) };
        let (key, value) = (key.trim(), value.trim().trim_matches('"').trim());
        let (library, groups) = (&mut self.library, &self.groups);
        match (groups.len(), key) {
            (1, "nom_voltage") => library.voltage = quantity(key, value)?.unwrap_or(0.0),
            (1, "time_unit") => check_time(value)?,
            (1, key) if key.starts_with("default_wire_load") => {
                library.wire_loads.push(start..end + 1);
                if key == "default_wire_load" {
                    library.wire_load = Some(value.to_string());
                }
            }
            (2, "area") if groups[1] == "cell" => {
                let cell = last(library)?;
                let bad = || format!("cell {}: area {value} is no number of 0 or more", cell.name);
                cell.area = Some(area(value).ok_or_else(bad)?);
            }
            (2, "dont_use") if groups[1] == "cell" => last(library)?.dont_use = value == "true",
            (3, _) if groups[1] == "cell" && groups[2] == "pin" => {
                if let Some(pin) = last(library)?.pins.last_mut() {
                    pin.set(key, value, self.load_unit)?;
                }
            }
            _ => {}
        }
        Ok(())
    }

    /// The end of a line at `end`: complex attributes often end without `;`.
    fn end_line(&mut self, end: usize) -> Result<(), String> {
        let line = &self.plain[self.statement..end];
        if line.contains(':') || !line.trim_end().ends_with(')') {
            return Ok(());
        }
        let (text, _) = tidy(self.plain, self.statement, end);
        if self.is_load_unit(text) {
            self.load_unit = femtofarads(text)?;
            self.statement = end + 1;
        }
        Ok(())
    }

    /// Whether an attribute is that of the library's unit of capacitance.
    fn is_load_unit(&self, text: &str) -> bool {
        self.groups.len() == 1 && text.starts_with("capacitive_load_unit")
    }

    /// The whole library.
    fn finish(self) -> Result<Liberty, String> {
        if !self.groups.is_empty() {
            return Err("ends inside a group".to_string());
        }
        if !self.library.cells.iter().any(|c| c.is_register) {
            return Err("no flip-flop in it: not a Liberty file of standard cells".to_string());
        }
        Ok(self.library)
    }
}

impl CellPin {
    /// An attribute of a pin, capacitances in `load_unit`.
    fn set(&mut self, key: &str, value: &str, load_unit: f64) -> Result<(), String> {
        match key {
            "direction" => self.direction = value.to_string(),
            "function" => self.function = Some(value.to_string()),
            "capacitance" => self.capacitance = quantity(key, value)?.unwrap_or(0.0) * load_unit,
            "max_capacitance" => self.max_load = quantity(key, value)?.map(|c| c * load_unit),
            _ => {}
        }
        Ok(())
    }
}

impl Liberty {
    /// Reads the text of a Liberty file.
    pub fn parse(text: &str) -> Result<Self, String> {
        let plain = without_comments(text)?;
        let mut reader = Reader::new(&plain, text);
        let mut quoted = false;
        for (i, byte) in plain.bytes().enumerate() {
            if byte == b'"' {
                quoted = !quoted;
            }
            if quoted {
                continue;
            }
            match byte {
                b'{' => reader.open(i)?,
                b'}' => reader.close(i)?,
                b';' => reader.end_statement(i)?,
                b'\n' => reader.end_line(i)?,
                _ => {}
            }
        }
        reader.finish()
    }

    /// The library without the cells that synthesis should not take.
    pub fn for_mapping(&self) -> String {
        let unused = self.cells.iter().filter(|cell| cell.dont_use || is_unused(&cell.name));
        self.without(unused.map(|cell| &cell.span))
    }

    /// The library as timing takes it.
    pub fn for_timing(&self, wires: Wires) -> String {
        match wires {
            Wires::Library => self.text.clone(),
            Wires::None => self.without(self.wire_loads.iter()),
        }
    }

    /// The text without some parts of it, given in its order.
    fn without<'a>(&self, parts: impl Iterator<Item = &'a Range<usize>>) -> String {
        let mut text = String::with_capacity(self.text.len());
        let mut at = 0;
        for part in parts {
            text.push_str(&self.text[at..part.start]);
            at = part.end;
        }
        text + &self.text[at..]
    }

    /// The buffers that may be used, small ones first.
    pub fn buffers(&self) -> Vec<&Cell> {
        let mut buffers: Vec<&Cell> =
            self.cells.iter().filter(|c| is_buffer(c) && !c.dont_use && !is_unused(&c.name)).collect();
        buffers.sort_by(|a, b| a.area().total_cmp(&b.area()).then(a.name.cmp(&b.name)));
        buffers
    }

    /// The buffer that drives inputs: the second smallest, for X2 of most libraries.
    pub fn driver(&self) -> Option<&Cell> {
        let buffers = self.buffers();
        buffers.get(1).or(buffers.first()).copied()
    }

    /// Cell, input and output pin of the smallest buffer.
    pub fn smallest_buffer(&self) -> Option<String> {
        let cell = *self.buffers().first()?;
        let pin = |direction: &str| cell.pins.iter().find(|p| p.direction == direction).map(|p| p.name.as_str());
        Some([cell.name.as_str(), pin("input")?, pin("output")?].join(" "))
    }

    /// Load of an output: four of the driver's inputs, in fF.
    pub fn load(&self) -> f64 {
        let pin = |c: &Cell| c.pins.iter().find(|p| p.direction == "input").map(|p| p.capacitance);
        4.0 * self.driver().and_then(pin).filter(|c| *c > 0.0).unwrap_or(2.0)
    }

    /// Cell and pin that give a constant, if the library has them: high, low.
    pub fn ties(&self) -> Option<(String, String)> {
        let tie = |value: &str| {
            self.cells.iter().filter(|c| !c.name.contains("macro")).find_map(|c| match c.pins.as_slice() {
                [pin] if pin.function.as_deref() == Some(value) => Some(format!("{} {}", c.name, pin.name)),
                pins => {
                    let outputs: Vec<&CellPin> = pins.iter().filter(|p| p.direction == "output").collect();
                    let constant = outputs.iter().find(|p| p.function.as_deref() == Some(value))?;
                    (outputs.len() == pins.len()).then(|| format!("{} {}", c.name, constant.name))
                }
            })
        };
        Some((tie("1")?, tie("0")?))
    }

    /// The cell of this name.
    pub fn cell(&self, name: &str) -> Option<&Cell> {
        self.cells.iter().find(|c| c.name == name)
    }
}

fn is_unused(name: &str) -> bool {
    let name = name.to_lowercase();
    // Names carry a library prefix: sky130_fd_sc_hd__edfxtp_1.
    let short = name.rsplit("__").next().unwrap_or(&name);
    UNUSED.iter().any(|u| short.starts_with(u) || short.contains(&format!("_{u}")))
}

fn is_buffer(cell: &Cell) -> bool {
    let inputs: Vec<&CellPin> = cell.pins.iter().filter(|p| p.direction == "input").collect();
    let outputs: Vec<&CellPin> = cell.pins.iter().filter(|p| p.direction == "output").collect();
    match (inputs.as_slice(), outputs.as_slice()) {
        ([input], [output]) => output.function.as_deref().map(|f| f.trim_matches(['(', ')'])) == Some(&input.name),
        _ => false,
    }
}

fn last(library: &mut Liberty) -> Result<&mut Cell, String> {
    library.cells.last_mut().ok_or("a pin outside of a cell".to_string())
}

/// The statement between two places, and where its first letter is.
fn tidy(text: &str, from: usize, to: usize) -> (&str, usize) {
    let raw = &text[from..to];
    let start = from + raw.len() - raw.trim_start().len();
    // A complex attribute without `;` may stand before a group: the group's head is on the last line.
    let body = text[start..to].trim_end();
    match body.rsplit_once('\n') {
        Some((_, line)) if line.contains('(') && !line.trim_start().starts_with('"') && body.ends_with(')') => {
            let line = line.trim_start();
            (line, start + body.len() - line.len())
        }
        _ => (body, start),
    }
}

/// The unit of loads, in fF, from `capacitive_load_unit (1, pf)`.
fn femtofarads(statement: &str) -> Result<f64, String> {
    let list = argument(statement);
    let (number, unit) = list.split_once(',').unwrap_or(("1", "pf"));
    let scale = if unit.trim().to_lowercase().starts_with("pf") { 1000.0 } else { 1.0 };
    Ok(quantity("capacitive_load_unit", number.trim())?.unwrap_or(1.0) * scale)
}

/// A number; none where there is an expression.
fn quantity(key: &str, value: &str) -> Result<Option<f64>, String> {
    match value.parse::<f64>() {
        Ok(number) if !(0.0..1e9).contains(&number) => Err(format!("{key} {value} is no number of 0 or more")),
        number => Ok(number.ok()),
    }
}

pub(crate) fn argument(head: &str) -> String {
    let inside = head.split_once('(').map_or("", |(_, r)| r).rsplit_once(')').map_or("", |(l, _)| l);
    inside.replace('"', "").trim().to_string()
}

fn area(text: &str) -> Option<f64> {
    text.parse().ok().filter(|area: &f64| area.is_finite() && *area >= 0.0)
}

pub(crate) fn check_time(unit: &str) -> Result<(), String> {
    let name = unit.trim_start_matches(|c: char| c.is_ascii_digit());
    match ["s", "ms", "us", "ns", "ps", "fs"].contains(&name) {
        true => Ok(()),
        false => Err(format!("time_unit {unit} is none of s, ms, us, ns, ps, fs")),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn quantities_are_finite_and_not_negative() {
        let library = |voltage: &str, load: &str| {
            format!(
                "library (l) {{\n nom_voltage : {voltage};\n cell (c) {{\n ff (q, n) {{ }}\n pin (a) {{ capacitance : {load}; }} }} }}\n"
            )
        };
        assert!(Liberty::parse(&library("1.1", "VDD + 1")).is_ok());
        for (voltage, load, why) in [
            ("inf", "1", "nom_voltage inf is no number"),
            ("1", "-1", "capacitance -1 is"),
            ("1", "nan", "capacitance nan is"),
        ] {
            assert!(Liberty::parse(&library(voltage, load)).expect_err("refused").contains(why), "{why}");
        }
    }

    #[test]
    fn areas_and_units_that_mean_nothing_are_refused() {
        let library = |unit: &str, area: &str| {
            format!(
                "library (l) {{\n time_unit : \"{unit}\";\n cell (c) {{\n area : {area};\n ff (q, n) {{ }}\n }}\n}}\n"
            )
        };
        for (unit, area) in [("1ns", "0"), ("100ps", "1.5e1")] {
            assert!(Liberty::parse(&library(unit, area)).is_ok());
        }
        for (unit, area, why) in [
            ("1parsec", "1", "time_unit 1parsec is none of"),
            ("1ns", "-5", "cell c: area -5"),
            ("1ns", "1e400", "cell c: area 1e400"),
            ("1ns", "abc", "cell c: area abc"),
        ] {
            assert!(Liberty::parse(&library(unit, area)).expect_err("refused").contains(why));
        }
    }
}

//! The memory model: area, access time and energy of a macro, from a table of points.
//!
//! Per node, each quantity q is a power law of depth and width,
//!
//! ```text
//! ln q = a + b ln depth + c ln width + sum(r_i / d_i^2) / sum(1 / d_i^2)
//! ```
//!
//! with a, b, c by least squares over the node's points, r_i the residual of point i, and d_i its distance in
//! (ln depth, ln width); so the model passes through its points. Points: `estimate/data/sram_points.json`.
//!
//! A library whose node is not in the table takes the nearest node that is, scaled: area by the square of the ratio of
//! the nodes, times by the ratio, energy and leakage by the ratio. Below 22 nm cells have shrunk much less than the
//! node's name: the effective node of 2 nm is 11 nm (a 0.0175 um2 cell against 0.0707 um2 at 22 nm: area
//! ratio 0.25 = (11 / 22)^2), and times are not scaled below 22 nm by more than 0.7.

use crate::design::MemoryShape;
use crate::error::{at, Error};
use crate::macros::UserMacro;
use railyard_input::{Fault, Faults, FileKind, InputSource, Schema};
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};
use serde_json::{json, Value};
use std::collections::{BTreeMap, BTreeSet};
use std::path::PathBuf;

/// A memory that somebody has measured or modelled. No quantity is 0: the model takes logarithms. None is so large or
/// small that a power law leaves the range of numbers.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct Point {
    /// Node in nm.
    #[schemars(range(min = 1, max = 1_000))]
    pub node: u32,
    /// Words.
    #[schemars(range(min = 1))]
    pub depth: u32,
    /// Bits of a word.
    #[schemars(range(min = 1))]
    pub width: u32,
    /// Ports, as text.
    pub ports: String,
    /// Area in um2.
    #[schemars(range(min = 1e-12, max = 1e12))]
    pub area_um2: f64,
    /// Clock to data out in ns.
    #[schemars(range(min = 1e-12, max = 1e12))]
    pub access_ns: Option<f64>,
    /// Shortest cycle in ns.
    #[schemars(range(min = 1e-12, max = 1e12))]
    pub cycle_ns: Option<f64>,
    /// Energy of a read in pJ.
    #[schemars(range(min = 1e-12, max = 1e12))]
    pub read_pj: Option<f64>,
    /// Energy of a write in pJ.
    #[schemars(range(min = 1e-12, max = 1e12))]
    pub write_pj: Option<f64>,
    /// Leakage in mW.
    #[schemars(range(min = 1e-12, max = 1e12))]
    pub leakage_mw: Option<f64>,
    /// The model passes through it; otherwise it is there to compare with.
    pub fit: bool,
    /// Key in [`Table::sources`].
    pub source: String,
}

/// A table of points.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct Table {
    /// What the table is.
    pub about: String,
    /// Where the points come from.
    pub sources: BTreeMap<String, String>,
    /// The points.
    pub points: Vec<Point>,
}

/// What the model says of one memory.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct Macro {
    /// Area in um2.
    pub area_um2: f64,
    /// Clock to data out in ns.
    pub access_ns: f64,
    /// Shortest cycle in ns.
    pub cycle_ns: f64,
    /// Set-up time of address, data and enable in ns: a quarter of a FO4 delay a nm and ps, 1.25 ps x node.
    pub setup_ns: f64,
    /// Energy of a read in pJ.
    pub read_pj: f64,
    /// Energy of a write in pJ.
    pub write_pj: f64,
    /// Leakage in mW.
    pub leakage_mw: f64,
}

impl Macro {
    /// What a file says of a macro of this shape, in place of the model's answer.
    fn replaced_by(self, own: &UserMacro) -> Macro {
        Macro {
            area_um2: own.area_um2,
            access_ns: own.access_ns,
            cycle_ns: own.cycle_ns.unwrap_or(own.access_ns),
            setup_ns: own.setup_ns.unwrap_or(self.setup_ns),
            ..self
        }
    }
}

/// The model for one node.
#[derive(Clone, Debug)]
pub struct SramModel {
    /// Node of the points.
    pub from_nm: u32,
    /// Node that they are scaled to.
    pub node_nm: u32,
    /// Node that timeless quantities (energy, leakage) come from, if the points have none.
    pub energy_from_nm: u32,
    points: Vec<Point>,
    energy_points: Vec<Point>,
    /// Macros of the user's, whose areas and times count in place of the model's.
    pub(crate) macros: BTreeMap<MemoryShape, UserMacro>,
}

impl Table {
    /// The table that comes with Railyard.
    pub fn built_in() -> Self {
        serde_json::from_str(include_str!("../data/sram_points.json")).expect("the built-in table is tested")
    }

    /// A user's table, of the same form.
    ///
    /// # Errors
    /// It can't be read, or breaks rules: all faults at once.
    pub fn read(file: &InputSource) -> Result<Self, Error> {
        let path = PathBuf::from(file.to_string());
        let text = file.read_text(FileKind::Memories).map_err(at(&path))?;
        Table::parse(&text).map_err(|faults| Error::SramTable { path, faults })
    }

    fn parse(text: &str) -> Result<Self, Faults> {
        let table: Table = Schema::new(schemars::schema_for!(Table).to_value(), example).read(text)?;
        if table.points.iter().any(|point| point.fit && point.access_ns.is_some()) {
            return Ok(table);
        }
        let fault = Fault {
            path: "/points".into(),
            value: format!("{} points", table.points.len()),
            rule: "must hold a point with `fit` true and `access_ns`, for the model to pass through".into(),
            legal: json!([example("/points/0")]).to_string(),
        };
        Err(fault.into())
    }

    /// The model for a node.
    pub fn model(&self, node_nm: u32) -> SramModel {
        let with = |has: &dyn Fn(&Point) -> bool| -> (u32, Vec<Point>) {
            let usable = |p: &&Point| p.fit && p.access_ns.is_some() && has(p);
            let distance = |n: u32| (f64::from(n) / f64::from(node_nm)).ln().abs();
            let nodes = self.points.iter().filter(usable).map(|p| p.node);
            let node = nodes.min_by(|a, b| distance(*a).total_cmp(&distance(*b))).unwrap_or(node_nm);
            (node, self.points.iter().filter(usable).filter(|p| p.node == node).cloned().collect())
        };
        let (from_nm, points) = with(&|_| true);
        let (energy_from_nm, energy_points) = with(&|p| p.read_pj.is_some() && p.leakage_mw.is_some());
        SramModel { from_nm, node_nm, energy_from_nm, points, energy_points, macros: BTreeMap::new() }
    }

    /// The model for the same node from what other sources say, if there are any: how far figures of memories can be
    /// apart.
    pub fn other_model(&self, model: &SramModel) -> Option<SramModel> {
        let used: BTreeSet<&String> = model.points.iter().map(|point| &point.source).collect();
        let others = self.points.iter().filter(|point| point.fit && !used.contains(&point.source));
        let others = Table { points: others.cloned().collect(), ..self.clone() }.model(model.node_nm);
        (!others.points.is_empty()).then_some(others)
    }
}

/// Legal values that the schema does not tell.
fn example(path: &str) -> Option<Value> {
    let point = json!({
        "node": 45, "depth": 512, "width": 64, "ports": "1r1w", "area_um2": 28210.0, "access_ns": 0.298, "fit": true, "source": "own"
    });
    let parts: Vec<&str> = path.split('/').skip(1).collect();
    match parts[..] {
        [] => Some(json!({"about": "my memories", "sources": {"own": "data sheet"}, "points": [point]})),
        ["about"] => Some(json!("my memories")),
        ["sources"] => Some(json!({"own": "data sheet"})),
        ["points"] => Some(json!([point])),
        ["points", _] => Some(point),
        ["points", _, field] => point.get(field).cloned().or_else(|| field.contains('_').then(|| json!(0.5))),
        _ => None,
    }
}

/// What a node means for lengths: below 22 nm names shrink faster than cells.
fn effective(node_nm: u32) -> f64 {
    let node = f64::from(node_nm);
    if node >= 22.0 {
        node
    } else {
        11.0 + (node - 2.0) * 11.0 / 20.0
    }
}

impl SramModel {
    /// Area, times and energy of a memory.
    pub fn estimate(&self, shape: MemoryShape) -> Macro {
        let modelled = self.modelled(shape);
        match self.macros.get(&shape) {
            Some(own) => modelled.replaced_by(own),
            None => modelled,
        }
    }

    /// The same by the model alone.
    fn modelled(&self, shape: MemoryShape) -> Macro {
        let ratio = |from: u32| effective(self.node_nm) / effective(from);
        let (here, energy) = (ratio(self.from_nm), ratio(self.energy_from_nm));
        let time = if self.node_nm < 22 { here.max(0.7) } else { here };
        let q = |points: &[Point], of: &dyn Fn(&Point) -> Option<f64>| interpolate(points, shape, of);
        let access = q(&self.points, &|p| p.access_ns).unwrap_or(0.0) * time;
        Macro {
            area_um2: q(&self.points, &|p| Some(p.area_um2)).unwrap_or(0.0) * here * here,
            access_ns: access,
            cycle_ns: q(&self.points, &|p| p.cycle_ns).map_or(access, |c| c * time),
            setup_ns: 0.00125 * effective(self.node_nm),
            read_pj: q(&self.energy_points, &|p| p.read_pj).unwrap_or(0.0) * energy,
            write_pj: q(&self.energy_points, &|p| p.write_pj.or(p.read_pj)).unwrap_or(0.0) * energy,
            leakage_mw: q(&self.energy_points, &|p| p.leakage_mw).unwrap_or(0.0) * energy,
        }
    }

    /// One line that says where the figures come from.
    pub fn describe(&self) -> String {
        let energy = match self.energy_points.is_empty() {
            true => "; energy: no points, so memories take no power".into(),
            false if self.energy_from_nm == self.from_nm => String::new(),
            false => format!("; energy: {}", self.scaled(self.energy_from_nm, &self.energy_points)),
        };
        format!("memories: {}{energy}", self.places())
    }

    /// Where areas and times come from.
    pub fn places(&self) -> String {
        self.scaled(self.from_nm, &self.points)
    }

    fn scaled(&self, from: u32, points: &[Point]) -> String {
        let sources: BTreeSet<&str> = points.iter().map(|point| point.source.as_str()).collect();
        let sources = sources.into_iter().collect::<Vec<_>>().join(", ");
        match from == self.node_nm {
            true => format!("{from} nm points ({sources})"),
            false => format!("{from} nm points ({sources}) scaled to {} nm", self.node_nm),
        }
    }
}

fn interpolate(points: &[Point], shape: MemoryShape, of: &dyn Fn(&Point) -> Option<f64>) -> Option<f64> {
    let place = |depth: u32, width: u32| [f64::from(depth).ln(), f64::from(width).ln()];
    let known: Vec<([f64; 2], f64)> =
        points.iter().filter_map(|p| Some((place(p.depth, p.width), of(p).filter(|v| *v > 0.0)?.ln()))).collect();
    if known.is_empty() {
        return None;
    }
    let fit = least_squares(&known);
    let line = |x: [f64; 2]| fit[0] + fit[1] * x[0] + fit[2] * x[1];
    let at = place(shape.depth, shape.width);
    let (mut sum, mut weight) = (0.0, 0.0);
    for (x, y) in &known {
        let d2 = (x[0] - at[0]).powi(2) + (x[1] - at[1]).powi(2);
        if d2 < 1e-12 {
            return Some(y.exp());
        }
        sum += (y - line(*x)) / d2;
        weight += 1.0 / d2;
    }
    Some((line(at) + sum / weight).exp())
}

/// a + b x + c y through points; fewer than three points: proportional to bits.
fn least_squares(known: &[([f64; 2], f64)]) -> [f64; 3] {
    let mut m = [[0.0; 4]; 3];
    for (x, y) in known {
        let row = [1.0, x[0], x[1]];
        for i in 0..3 {
            for j in 0..3 {
                m[i][j] += row[i] * row[j];
            }
            m[i][3] += row[i] * y;
        }
    }
    for i in 0..3 {
        let pivot = (i..3).max_by(|a, b| m[*a][i].abs().total_cmp(&m[*b][i].abs())).unwrap_or(i);
        m.swap(i, pivot);
        if m[i][i].abs() < 1e-9 {
            let mean: f64 = known.iter().map(|(x, y)| y - x[0] - x[1]).sum::<f64>() / known.len() as f64;
            return [mean, 1.0, 1.0];
        }
        let row = m[i];
        for (k, other) in m.iter_mut().enumerate() {
            if k != i {
                let f = other[i] / row[i];
                other.iter_mut().zip(row).for_each(|(o, r)| *o -= f * r);
            }
        }
    }
    [m[0][3] / m[0][0], m[1][3] / m[1][1], m[2][3] / m[2][2]]
}

/// A Liberty view of memory macros, so that OpenSTA times the paths through them.
pub fn liberty(model: &SramModel, shapes: &[MemoryShape], voltage: f64) -> String {
    use std::fmt::Write;
    let mut text = String::from(
        "library (railyard_memories) {\n  delay_model : table_lookup;\n  time_unit : \"1ns\";\n  voltage_unit : \"1V\";\n  \
         current_unit : \"1mA\";\n  pulling_resistance_unit : \"1kohm\";\n  leakage_power_unit : \"1mW\";\n  \
         capacitive_load_unit (1,ff);\n  nom_process : 1;\n  nom_temperature : 25;\n",
    );
    let _ = writeln!(text, "  nom_voltage : {voltage};");
    for edge in ["rise", "fall"] {
        for (key, percent) in [
            ("input_threshold", 50),
            ("output_threshold", 50),
            ("slew_lower_threshold", 30),
            ("slew_upper_threshold", 70),
        ] {
            let _ = writeln!(text, "  {key}_pct_{edge} : {percent};");
        }
    }
    let mut buses: Vec<u32> = shapes.iter().flat_map(|s| [s.address(), s.width]).collect();
    buses.sort_unstable();
    buses.dedup();
    for bits in buses {
        let _ = writeln!(
            text,
            "  type (bus{bits}) {{ base_type : array; data_type : bit; bit_width : {bits}; bit_from : {}; bit_to : 0; \
             downto : true; }}",
            bits - 1
        );
    }
    for shape in shapes {
        let m = model.estimate(*shape);
        let load = input_load(model);
        let setup = format!(
            "timing () {{ related_pin : \"clock\"; timing_type : setup_rising; rise_constraint (scalar) {{ values \
             (\"{0:.5}\"); }} fall_constraint (scalar) {{ values (\"{0:.5}\"); }} }}",
            m.setup_ns
        );
        let input = |name: &str, bits: u32| {
            format!(
                "    bus ({name}) {{ bus_type : bus{bits}; direction : input; capacitance : {load:.3}; {setup} }}\n"
            )
        };
        let _ = write!(
            text,
            "  cell (ram_1r1w_{}x{}) {{\n    area : {:.3};\n    interface_timing : true;\n    cell_leakage_power : {:.6};\n    \
             pin (clock) {{ direction : input; clock : true; capacitance : {:.3}; }}\n    pin (write_enable) {{ direction : \
             input; capacitance : {load:.3}; {setup} }}\n    pin (read_enable) {{ direction : input; capacitance : \
             {load:.3}; {setup} }}\n",
            shape.depth,
            shape.width,
            m.area_um2,
            m.leakage_mw,
            load * 4.0
        );
        text += &input("write_address", shape.address());
        text += &input("write_data", shape.width);
        text += &input("read_address", shape.address());
        let slew = 0.0007 * effective(model.node_nm);
        let _ = writeln!(
            text,
            "    bus (read_data) {{ bus_type : bus{}; direction : output; timing () {{ related_pin : \"clock\"; timing_type : \
             rising_edge; timing_sense : non_unate; cell_rise (scalar) {{ values (\"{1:.5}\"); }} cell_fall (scalar) {{ \
             values (\"{1:.5}\"); }} rise_transition (scalar) {{ values (\"{slew:.5}\"); }} fall_transition (scalar) {{ values \
             (\"{slew:.5}\"); }} }} }}\n  }}",
            shape.width, m.access_ns
        );
    }
    text + "}\n"
}

/// Load of an input of a memory in fF.
pub(crate) fn input_load(model: &SramModel) -> f64 {
    0.04 * effective(model.node_nm)
}

/// The memories as Verilog black boxes.
pub fn black_boxes(shapes: &[MemoryShape]) -> String {
    let mut text = String::new();
    for MemoryShape { depth, width } in shapes {
        let address = MemoryShape { depth: *depth, width: *width }.address();
        text += &format!(
            "(* blackbox *)\nmodule ram_1r1w_{depth}x{width} (input wire clock, input wire write_enable, input wire \
             [{0}:0] write_address, input wire [{1}:0] write_data, input wire read_enable, input wire [{0}:0] \
             read_address, output wire [{1}:0] read_data);\nendmodule\n",
            address - 1,
            width - 1
        );
    }
    text
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn passes_through_its_points() {
        let table = Table::built_in();
        for point in table.points.iter().filter(|p| p.fit) {
            let shape = MemoryShape { depth: point.depth, width: point.width };
            let got = table.model(point.node).estimate(shape);
            assert!((got.area_um2 / point.area_um2 - 1.0).abs() < 1e-9, "{point:?} {got:?}");
            assert!((got.access_ns / point.access_ns.unwrap() - 1.0).abs() < 1e-9);
        }
        assert!(table.points.iter().all(|p| table.sources.contains_key(&p.source)));
    }

    #[test]
    fn all_faults_of_a_table_are_told_at_once() {
        let mut table = serde_json::to_value(Table::built_in()).unwrap();
        assert!(Table::parse(&table.to_string()).is_ok());
        table["points"][0]["read_pj"] = 0.into();
        table["points"][1]["depth"] = "x".into();
        table["points"][2]["area_um2"] = 1e308.into();
        table["points"][3]["aera"] = 1.into();
        table["points"][4].as_object_mut().unwrap().remove("fit");
        let faults = Table::parse(&table.to_string()).unwrap_err();
        let told: Vec<(&str, &str)> = faults.first.iter().map(|f| (f.path.as_str(), f.rule.as_str())).collect();
        assert_eq!(
            told,
            [
                ("/points/0/read_pj", "must be at least 1e-12"),
                ("/points/1/depth", "must be of type integer"),
                ("/points/2/area_um2", "must be at most 1000000000000.0"),
                ("/points/3/aera", "is not a field here"),
                ("/points/4/fit", "must be given"),
            ]
        );
        table["points"] = json!([]);
        let faults = Table::parse(&table.to_string()).unwrap_err();
        assert!(faults.to_string().contains("/points: 0 points must hold a point with `fit`"), "{faults}");
        assert!(Table::parse(&faults.first[0].legal).is_err() && example("").is_some());
        assert!(Table::parse(&example("").unwrap().to_string()).is_ok());
    }

    #[test]
    fn between_and_beyond_points_it_is_sane() {
        let model = Table::built_in().model(45);
        let at = |depth, width| model.estimate(MemoryShape { depth, width });
        let (small, middle, large) = (at(32, 66), at(64, 66), at(16384, 96));
        assert!(small.area_um2 < middle.area_um2 && middle.area_um2 < large.area_um2);
        assert!(small.access_ns > 0.1 && large.access_ns < 2.0, "{small:?} {large:?}");
        // 1.2 to 1.6 um2 a bit for such small ones.
        assert!((0.8..2.0).contains(&(small.area_um2 / (32.0 * 66.0))));
    }

    #[test]
    fn other_nodes_are_scaled() {
        let table = Table::built_in();
        let shape = MemoryShape { depth: 512, width: 64 };
        let area = |node| table.model(node).estimate(shape).area_um2;
        assert!(area(180) > area(130) && area(130) > area(45) && area(22) > area(2));
        assert_eq!(table.model(180).from_nm, 130);
        assert_eq!(table.model(130).energy_from_nm, 90);
        assert!(table.model(2).describe().contains("22 nm points (cacti) scaled to 2 nm"));
    }

    #[test]
    fn other_sources_are_the_other_end_of_the_range() {
        let table = Table::built_in();
        let shape = MemoryShape { depth: 512, width: 64 };
        for (node, from, other_from) in [(45, 45, 130), (130, 130, 90)] {
            let model = table.model(node);
            let other = table.other_model(&model).unwrap();
            assert_eq!((model.from_nm, other.from_nm, other.node_nm), (from, other_from, node));
            assert_ne!(model.estimate(shape).access_ns, other.estimate(shape).access_ns);
        }
        assert!(table.other_model(&table.model(45)).unwrap().places().contains("130 nm points (ihp) scaled to 45 nm"));
        let mut own = table.clone();
        own.points.retain(|point| point.source == "cacti");
        assert!(own.other_model(&own.model(45)).is_none());
        own.points.iter_mut().for_each(|point| point.read_pj = None);
        assert!(own.model(45).describe().contains("memories take no power"));
    }
}

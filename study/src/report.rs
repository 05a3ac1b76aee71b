//! What a study has to say: tables and pictures, and the files they become.

use railyard_plot::{Picture, Printed, Published};
use serde_json::{json, Map, Value};

/// The result of a study.
pub struct StudyReport {
    /// Name of the study.
    pub study: &'static str,
    /// Seed of all that is random in it.
    pub seed: u64,
    /// Tables, each with its picture.
    pub parts: Vec<StudyPart>,
    /// What to know when reading them.
    pub notes: Vec<String>,
}

/// A table and its picture.
pub struct StudyPart {
    /// Name of its files.
    pub name: String,
    /// What it shows.
    pub title: String,
    /// The numbers.
    pub table: StudyTable,
    /// The same as a picture.
    pub picture: Picture,
}

/// Rows under heads.
#[derive(Clone, Debug, Default)]
pub struct StudyTable {
    /// Heads, with units.
    pub columns: Vec<&'static str>,
    /// A value for each head.
    pub rows: Vec<Vec<Value>>,
}

/// What the seed prints.
#[derive(Clone, Copy, Debug, PartialEq)]
pub enum Seed {
    /// Nothing.
    Silent,
    /// A number.
    Number(f64),
    /// "Less than".
    Below(f64),
    /// "More than".
    Above(f64),
    /// A range.
    Between(f64, f64),
}

impl Seed {
    fn value(self) -> Value {
        match self {
            Seed::Silent => Value::Null,
            Seed::Number(number) => json!(number),
            Seed::Below(bound) => json!(format!("< {bound}")),
            Seed::Above(bound) => json!(format!("> {bound}")),
            Seed::Between(low, high) => json!(format!("{low} to {high}")),
        }
    }

    /// A point of a picture, at a place across.
    pub(crate) fn at(self, x: f64) -> Option<Published> {
        self.converted(x, |printed| printed)
    }

    /// The same, where the picture shows another quantity than is printed; `to` leads from that to this.
    pub(crate) fn converted(self, x: f64, mut to: impl FnMut(f64) -> f64) -> Option<Published> {
        let y = match self {
            Seed::Silent => return None,
            Seed::Number(number) => Printed::Number(to(number)),
            Seed::Below(bound) => Printed::Below(to(bound)),
            Seed::Above(bound) => Printed::Above(to(bound)),
            Seed::Between(low, high) => Printed::Between(to(low), to(high)),
        };
        Some(Published { x, y, series: None })
    }

    /// How far a number is off; from a bound or a range, how far outside.
    fn difference(self, ours: f64) -> Value {
        match self {
            Seed::Silent => Value::Null,
            Seed::Number(number) => rounded(ours - number),
            Seed::Below(bound) => rounded((ours - bound).max(0.0)),
            Seed::Above(bound) => rounded((ours - bound).min(0.0)),
            Seed::Between(low, high) => rounded((ours - high).max(0.0) + (ours - low).min(0.0)),
        }
    }
}

/// A number with the digits that mean something.
pub(crate) fn rounded(number: f64) -> Value {
    // Four decimals below 10, and five digits above.
    let decimals = [10.0, 1e2, 1e3, 1e4].iter().filter(|&&limit| number.abs() < limit).count();
    let scale = [1.0, 10.0, 1e2, 1e3, 1e4][decimals];
    let rounded = (number * scale).round() / scale;
    // No row says "-0".
    json!(if rounded == 0.0 { 0.0 } else { rounded })
}

/// Ours, the seed's, and the difference: three cells of a row.
pub(crate) fn beside(ours: f64, seed: Seed) -> [Value; 3] {
    [rounded(ours), seed.value(), seed.difference(ours)]
}

impl StudyTable {
    /// A table without rows.
    pub(crate) fn new(columns: &[&'static str]) -> StudyTable {
        StudyTable { columns: columns.into(), rows: Vec::new() }
    }

    /// Adds a row.
    pub(crate) fn push(&mut self, cells: impl IntoIterator<Item = Value>) {
        let row: Vec<Value> = cells.into_iter().collect();
        assert_eq!(row.len(), self.columns.len(), "a value for each head");
        self.rows.push(row);
    }

    /// As CSV; what there is not is an empty cell.
    pub fn csv(&self) -> String {
        let mut writer = csv::Writer::from_writer(Vec::new());
        writer.write_record(&self.columns).expect("writing to memory");
        self.rows.iter().for_each(|row| writer.write_record(row.iter().map(cell)).expect("writing to memory"));
        String::from_utf8(writer.into_inner().expect("writing to memory")).expect("made of text")
    }

    fn to_json(&self) -> Vec<Map<String, Value>> {
        let object = |row: &Vec<Value>| self.columns.iter().map(ToString::to_string).zip(row.iter().cloned()).collect();
        self.rows.iter().map(object).collect()
    }
}

/// A value as text.
pub fn cell(value: &Value) -> String {
    match value {
        Value::Null => String::new(),
        Value::String(text) => text.clone(),
        Value::Number(number) if number.as_f64().is_some_and(|n| n.fract() == 0.0) => {
            format!("{:.0}", number.as_f64().unwrap_or_default())
        }
        other => other.to_string(),
    }
}

impl StudyReport {
    /// All of it but the pictures.
    pub fn to_json(&self) -> Value {
        let part = |part: &StudyPart| (part.name.clone(), json!({"title": part.title, "rows": part.table.to_json()}));
        json!({
            "railyard": env!("CARGO_PKG_VERSION"),
            "study": self.study,
            "seed": self.seed,
            "tables": self.parts.iter().map(part).collect::<Map<_, _>>(),
            "notes": self.notes,
        })
    }

    /// The files, name and text: a CSV and an SVG for each part, and one JSON.
    pub fn files(&self) -> Vec<(String, String)> {
        let json = serde_json::to_string_pretty(&self.to_json()).expect("plain data") + "\n";
        let parts = self.parts.iter().flat_map(|part| {
            [(format!("{}.csv", part.name), part.table.csv()), (format!("{}.svg", part.name), part.picture.svg())]
        });
        parts.chain([(format!("{}.json", self.study), json)]).collect()
    }

    /// The value of a cell: in the part, in the row that has these values, under that head.
    #[cfg(test)]
    pub(crate) fn find(&self, part: &str, row: &[(&str, Value)], head: &str) -> Value {
        let table = &self.parts.iter().find(|p| p.name == part).expect("the part is there").table;
        let column = |name: &str| table.columns.iter().position(|head| *head == name).expect("the column is there");
        let same = |a: &Value, b: &Value| a == b || a.as_f64().is_some() && a.as_f64() == b.as_f64();
        let found: Vec<_> = table
            .rows
            .iter()
            .filter(|cells| row.iter().all(|(name, value)| same(&cells[column(name)], value)))
            .collect();
        assert_eq!(found.len(), 1, "one row has {row:?}");
        found[0][column(head)].clone()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn differences_are_those_to_what_is_printed() {
        let difference = |ours, seed: Seed| seed.difference(ours).as_f64();
        assert_eq!(difference(1.5, Seed::Number(2.0)), Some(-0.5));
        assert_eq!(difference(0.05, Seed::Below(0.1)), Some(0.0));
        assert_eq!(difference(0.5, Seed::Below(0.1)), Some(0.4));
        assert_eq!(difference(77.0, Seed::Above(70.0)), Some(0.0));
        assert_eq!(difference(69.0, Seed::Above(70.0)), Some(-1.0));
        assert_eq!(difference(99.0, Seed::Between(99.7, 100.0)), Some(-0.7));
        assert_eq!(difference(99.8, Seed::Between(99.7, 100.0)), Some(0.0));
        assert_eq!(difference(1.0, Seed::Silent), None);
    }

    #[test]
    fn a_cell_that_is_not_there_is_empty() {
        let mut table = StudyTable::new(&["a", "b", "c"]);
        table.push([json!("x, y"), Value::Null, rounded(2.0)]);
        assert_eq!(table.csv(), "a,b,c\n\"x, y\",,2\n");
    }
}

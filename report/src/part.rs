//! What sections are made of.

use serde_json::Value;

/// A part of a section.
#[derive(Clone, Debug)]
pub enum SectionPart {
    /// A paragraph.
    Text(String),
    /// What a check came to.
    Verdict(Verdict),
    /// Names and values.
    Facts(Vec<Fact>),
    /// Rows under heads.
    Table(ReportTable),
    /// A picture.
    Figure(Figure),
    /// Lines as they stand: commands, and what programs say.
    Lines(String),
    /// What to know when reading the rest.
    Notes(Vec<String>),
}

/// What a check came to.
#[derive(Clone, Debug)]
pub struct Verdict {
    /// Whether all went well.
    pub is_good: bool,
    /// In words.
    pub text: String,
}

/// A name and its value.
#[derive(Clone, Debug)]
pub struct Fact {
    /// Name.
    pub name: String,
    /// Value, with its unit.
    pub value: String,
}

/// Rows under heads.
#[derive(Clone, Debug, Default)]
pub struct ReportTable {
    /// What it shows.
    pub title: String,
    /// Heads, with units.
    pub columns: Vec<String>,
    /// A value for each head; null is an empty cell.
    pub rows: Vec<Vec<Value>>,
}

/// A picture.
#[derive(Clone, Debug)]
pub struct Figure {
    /// What it shows.
    pub title: String,
    /// An SVG of our own: it is not escaped.
    pub svg: String,
}

impl SectionPart {
    /// A part of names and values.
    pub fn facts<N: Into<String>>(facts: impl IntoIterator<Item = (N, String)>) -> SectionPart {
        let fact = |(name, value): (N, String)| Fact { name: name.into(), value };
        SectionPart::Facts(facts.into_iter().map(fact).collect())
    }

    /// A table.
    pub fn table<'a>(title: &str, columns: impl IntoIterator<Item = &'a str>, rows: Vec<Vec<Value>>) -> SectionPart {
        let columns = columns.into_iter().map(String::from).collect();
        SectionPart::Table(ReportTable { title: title.into(), columns, rows })
    }

    /// A picture.
    pub fn figure(title: &str, svg: String) -> SectionPart {
        SectionPart::Figure(Figure { title: title.into(), svg })
    }
}

impl ReportTable {
    /// Whether a column holds numbers, which stand to the right.
    pub(crate) fn is_numeric(&self, column: usize) -> bool {
        let mut cells = self.rows.iter().filter_map(|row| row.get(column)).filter(|cell| !cell.is_null()).peekable();
        cells.peek().is_some() && cells.all(Value::is_number)
    }
}

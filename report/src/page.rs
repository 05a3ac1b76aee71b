//! The page. It refers to nothing outside of itself: no scripts, fonts or pictures.

use crate::{Report, ReportTable, SectionPart};
use askama::Template;
use serde_json::Value;

/// The layout, in templates/page.html.
#[derive(Template)]
#[template(path = "page.html")]
struct Page<'a> {
    report: &'a Report,
    style: &'static str,
    version: &'static str,
}

impl Report {
    /// The report as HTML.
    pub fn html(&self) -> String {
        let page = Page { report: self, style: include_str!("../templates/style.css"), version: crate::json::VERSION };
        page.render().expect("writing to a string") + "\n"
    }
}

/// A value as text.
fn cell(value: &Value) -> String {
    match value {
        Value::Null => String::new(),
        Value::String(text) => text.clone(),
        Value::Bool(true) => "yes".into(),
        Value::Bool(false) => "no".into(),
        other => other.to_string(),
    }
}

/// The class of a cell.
fn class(table: &ReportTable, column: &usize) -> &'static str {
    if table.is_numeric(*column) {
        "number"
    } else {
        "word"
    }
}

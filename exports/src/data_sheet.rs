//! A data sheet: one HTML file for people, without a reference to anything outside of it.

use crate::GENERATOR;
use maud::{html, Markup, PreEscaped, DOCTYPE};

/// A data sheet.
#[derive(Clone, Debug)]
pub struct DataSheet {
    /// What it is about.
    pub title: String,
    /// Its sections in order.
    pub sections: Vec<SheetSection>,
}

/// A numbered section.
#[derive(Clone, Debug)]
pub struct SheetSection {
    /// Heading.
    pub heading: &'static str,
    /// What is in it.
    pub parts: Vec<SheetPart>,
}

/// A part of a section. In texts and cells, what is between backticks is code.
#[derive(Clone, Debug)]
pub enum SheetPart {
    /// A paragraph.
    Text(String),
    /// Points.
    List(Vec<String>),
    /// A table; its first row is the heads.
    Table(Vec<Vec<String>>),
    /// An SVG document.
    Picture(String),
    /// Text as it stands, folded away below a summary.
    Code(&'static str, String),
}

/// The name by which an SVG document says that it is one; in HTML it says nothing.
const SVG_NAMESPACE: &str = " xmlns=\"http://www.w3.org/2000/svg\"";

const STYLE: &str = "
:root{color-scheme:light dark}
body{font-family:sans-serif;line-height:1.45;max-width:70rem;margin:2rem auto;padding:0 1rem}
nav ol{columns:2}
table{border-collapse:collapse;margin:1rem 0;font-size:.92rem}
th,td{border:1px solid #8888;padding:.25rem .5rem;text-align:left;vertical-align:top}
th{background:#8882}
figure{margin:1rem 0;overflow-x:auto}
figure svg{max-width:100%;height:auto}
pre{overflow-x:auto;background:#8882;padding:.6rem}
footer{margin-top:3rem;font-size:.85rem}
@media print{h2{break-after:avoid}figure,tr{break-inside:avoid}}
";

impl DataSheet {
    /// The page.
    pub fn html(&self) -> String {
        let page = html! {
            (DOCTYPE)
            html lang="en" {
                head {
                    meta charset="utf-8";
                    meta name="viewport" content="width=device-width, initial-scale=1";
                    title { (self.title) }
                    style { (PreEscaped(STYLE)) }
                }
                body {
                    h1 { (self.title) }
                    nav {
                        ol {
                            @for (index, section) in self.sections.iter().enumerate() {
                                li { a href=(format!("#s{}", index + 1)) { (section.heading) } }
                            }
                        }
                    }
                    @for (index, section) in self.sections.iter().enumerate() {
                        section id=(format!("s{}", index + 1)) {
                            h2 { (index + 1) ". " (section.heading) }
                            @for part in &section.parts { (part.markup()) }
                        }
                    }
                    footer { "Written by " (GENERATOR) "." }
                }
            }
        };
        page.into_string() + "\n"
    }
}

impl SheetPart {
    fn markup(&self) -> Markup {
        match self {
            SheetPart::Text(text) => html! { p { (inline(text)) } },
            SheetPart::List(points) => html! { ul { @for point in points { li { (inline(point)) } } } },
            SheetPart::Table(rows) => table(rows),
            SheetPart::Picture(svg) => html! { figure { (PreEscaped(svg.replacen(SVG_NAMESPACE, "", 1))) } },
            SheetPart::Code(summary, text) => html! { details { summary { (summary) } pre { (text) } } },
        }
    }
}

fn table(rows: &[Vec<String>]) -> Markup {
    let (heads, cells) = rows.split_first().map_or((&[] as &[String], rows), |(heads, cells)| (heads, cells));
    html! {
        table {
            thead { tr { @for head in heads { th { (inline(head)) } } } }
            tbody { @for row in cells { tr { @for cell in row { td { (inline(cell)) } } } } }
        }
    }
}

/// A text with its code.
fn inline(text: &str) -> Markup {
    html! {
        @for (index, piece) in text.split('`').enumerate() {
            @if index % 2 == 1 { code { (piece) } } @else { (piece) }
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_is_special_in_html_is_escaped_and_nothing_refers_to_outside() {
        let parts = vec![
            SheetPart::Text("a < b & `c`".into()),
            SheetPart::Table(vec![vec!["head".into()], vec!["<cell>".into()]]),
            SheetPart::Picture(format!("<svg{SVG_NAMESPACE} width=\"1\"></svg>")),
        ];
        let sheet = DataSheet { title: "\"t\"".into(), sections: vec![SheetSection { heading: "h", parts }] };
        let html = sheet.html();
        assert!(html.contains("<p>a &lt; b &amp; <code>c</code></p>"), "{html}");
        assert!(html.contains("<th>head</th>") && html.contains("<td>&lt;cell&gt;</td>"), "{html}");
        assert!(html.contains("<svg width=\"1\">") && !html.contains("http"), "{html}");
    }
}

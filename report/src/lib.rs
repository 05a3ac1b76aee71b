//! Reports: one page that needs nothing but itself, and the same content as JSON.
//!
//! A [`Report`] is a list of sections, and a section a list of parts: facts, tables, pictures, notes. Whoever makes a
//! report chooses these; this crate lays them out. All text is escaped but pictures, which are our own.

mod json;
mod page;
mod part;

pub use part::{Fact, Figure, ReportTable, SectionPart, Verdict};

/// A report.
#[derive(Clone, Debug, Default)]
pub struct Report {
    /// Of what it is: `switch`, `network`, `sweep` or `study`.
    pub of: &'static str,
    /// Its heading.
    pub title: String,
    /// What is below the heading: the subject in a sentence.
    pub about: String,
    /// The sections, in order.
    pub sections: Vec<Section>,
}

/// A section.
#[derive(Clone, Debug)]
pub struct Section {
    /// Its name in links and in JSON.
    pub name: &'static str,
    /// Its heading.
    pub title: &'static str,
    /// What is in it.
    pub parts: Vec<SectionPart>,
}

impl Report {
    /// Adds a section, unless there is nothing in it.
    pub fn add(&mut self, name: &'static str, title: &'static str, parts: Vec<SectionPart>) {
        if !parts.is_empty() {
            self.sections.push(Section { name, title, parts });
        }
    }

    /// Whether no verdict in it is bad.
    pub fn is_good(&self) -> bool {
        let parts = self.sections.iter().flat_map(|section| &section.parts);
        parts.into_iter().all(|part| !matches!(part, SectionPart::Verdict(Verdict { is_good: false, .. })))
    }
}

#[cfg(test)]
mod tests;

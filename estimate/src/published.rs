//! Published figures that the hardware is held against, with sources.

use crate::Report;
use serde::{Deserialize, Serialize};

/// A published figure.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct Published {
    /// What it is.
    pub what: String,
    /// What the module of ours that it compares with begins with; the whole when empty.
    pub block: String,
    /// Library of the figure.
    pub library: String,
    /// Area in um2.
    pub area_um2: Option<f64>,
    /// Longest path in ns.
    pub delay_ns: Option<f64>,
    /// Where it is printed, or how it was measured.
    pub source: String,
}

/// A published figure beside ours.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct Comparison {
    /// Theirs.
    pub published: Published,
    /// Our module, if the report has one.
    pub module: Option<String>,
    /// Our area in um2, memories included.
    pub area_um2: Option<f64>,
    /// Our longest path in ns (of the whole: register to register).
    pub delay_ns: Option<f64>,
}

/// All published figures.
pub fn all() -> Vec<Published> {
    serde_json::from_str(include_str!("../data/published.json")).expect("the built-in table is tested")
}

/// Each published figure in the report's library beside what the report says.
pub fn compare(report: &Report) -> Vec<Comparison> {
    let mut rows = Vec::new();
    for published in all().into_iter().filter(|p| p.library == report.library.name) {
        let (module, area, delay) = if published.block.is_empty() {
            let delay = report.timing.critical.as_ref().map(|p| p.delay_ns);
            (Some(report.top.clone()), Some(report.area_um2), delay)
        } else {
            let block = report.blocks.iter().find(|b| b.module.starts_with(&published.block));
            (block.map(|b| b.module.clone()), block.map(|b| b.area_um2), block.and_then(|b| b.longest_ns))
        };
        rows.push(Comparison { published, module, area_um2: area, delay_ns: delay });
    }
    rows
}

#[cfg(test)]
mod tests {
    #[test]
    fn the_table_reads() {
        let all = super::all();
        assert!(all.len() >= 6 && all.iter().all(|p| !p.source.is_empty()));
        assert!(all.iter().all(|p| crate::Named::get(&p.library).is_ok()));
    }
}

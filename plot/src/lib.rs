//! Pictures of results as SVG: points by series, joined to curves where that makes sense, and the Pareto front.

#![warn(missing_docs)]

mod draw;

/// A picture, ready to be drawn.
#[derive(Clone, Debug)]
pub struct Picture {
    /// What it shows.
    pub title: String,
    /// Across and upwards.
    pub axes: [Axis; 2],
    /// What series differ in.
    pub legend: Option<String>,
    /// Points by series, each with its label.
    pub series: Vec<(String, Vec<Dot>)>,
    /// Draw the Pareto front, the border of what [`Dot::on_front`] beats; which way is better upwards.
    pub front: Option<Better>,
}

/// An axis.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Axis {
    /// Quantity and unit.
    pub title: String,
    /// Logarithmic scale; values that are not positive are not shown.
    pub log: bool,
}

/// Which way is better.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Better {
    /// Less is better.
    Lower,
    /// More is better.
    Higher,
}

/// A point.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Dot {
    /// Across.
    pub x: f64,
    /// Upwards.
    pub y: f64,
    /// No other point beats it.
    pub on_front: bool,
}

impl Dot {
    /// A point of a curve.
    pub fn at(x: f64, y: f64) -> Dot {
        Dot { x, y, on_front: false }
    }
}

impl Axis {
    /// A linear axis.
    pub fn linear(title: &str) -> Axis {
        Axis { title: title.into(), log: false }
    }

    /// A logarithmic axis.
    pub fn log(title: &str) -> Axis {
        Axis { title: title.into(), log: true }
    }
}

impl Picture {
    /// The picture as SVG.
    pub fn svg(&self) -> String {
        draw::svg(self)
    }

    fn dots(&self) -> impl Iterator<Item = &Dot> {
        self.series.iter().flat_map(|(_, dots)| dots)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_picture_can_be_drawn() {
        let curve = |from: i32| (0..4).map(|i| Dot::at(f64::from(i), f64::from(from + i * i))).collect();
        for axes in [[Axis::linear("x"), Axis::log("y")], [Axis::log("x"), Axis::linear("y")]] {
            for series in [vec![], vec![("a".into(), vec![])], vec![("a".into(), curve(1)), ("b".into(), curve(-3))]] {
                for front in [None, Some(Better::Lower), Some(Better::Higher)] {
                    let (title, legend, axes) = ("what".into(), Some("who".into()), axes.clone());
                    let svg = Picture { title, axes, legend, series: series.clone(), front }.svg();
                    assert!(svg.starts_with("<svg") && svg.ends_with("</svg>\n") && !svg.contains("NaN"), "{svg}");
                }
            }
        }
    }
}

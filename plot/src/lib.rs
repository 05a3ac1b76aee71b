//! Pictures of results as SVG: points by series, joined to curves where that makes sense, and the Pareto front.

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
    /// Of a run that was saturated or not steady: an empty circle that no line leads to.
    pub hollow: bool,
}

impl Dot {
    /// A point of a curve.
    pub fn at(x: f64, y: f64) -> Dot {
        Dot { x, y, on_front: false, hollow: false }
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
    fn no_line_leads_to_a_hollow_point() {
        let picture = |hollow: &[f64]| {
            let dot = |x: f64| Dot { hollow: hollow.contains(&x), ..Dot::at(x, x) };
            let series = vec![("a".into(), [1.0, 2.0, 3.0, 4.0].map(dot).into())];
            let axes = [Axis::linear("x"), Axis::linear("y")];
            Picture { title: "t".into(), axes, legend: None, series, front: None }.svg()
        };
        let corners = |svg: &str| {
            let curve = svg.lines().find(|line| line.starts_with("<polyline") && line.contains("stroke-width=\"2\""));
            curve.map_or(0, |line| {
                line.split("points=\"").nth(1).unwrap().trim().split(' ').filter(|p| p.contains(',')).count()
            })
        };
        let (filled, hollow) = (picture(&[]), picture(&[4.0]));
        assert_eq!((corners(&filled), corners(&hollow), corners(&picture(&[3.0, 4.0]))), (4, 3, 2));
        assert!(!filled.contains("saturated") && hollow.contains("saturated, or not steady"), "{hollow}");
    }

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

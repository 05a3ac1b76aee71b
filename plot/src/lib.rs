//! Pictures of results as SVG: points by series, joined to curves where that makes sense, beside what is published, and
//! the Pareto front.

mod colours;
mod draw;
mod drawing;
mod interval;
mod legend;
mod marker;
mod ticks;

pub use interval::Interval;

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
    /// What others have published of the same quantity.
    pub published: Vec<Published>,
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
    /// Numbers of rows: only whole ones are written, and no line joins the points.
    pub rows: bool,
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
    /// Ends of its error bar: 95 % confidence of the mean of several runs.
    pub bar: Option<[f64; 2]>,
    /// No other point beats it.
    pub on_front: bool,
    /// Of a run that was saturated or not steady: an empty mark that no line leads to.
    pub hollow: bool,
}

/// What is published at a place across.
#[derive(Clone, Debug, PartialEq)]
pub struct Published {
    /// Across.
    pub x: f64,
    /// Upwards.
    pub y: Printed,
    /// The series that it is of, by its label: its colour is the same.
    pub series: Option<String>,
}

/// What a source prints of a quantity.
#[derive(Clone, Copy, Debug, PartialEq)]
pub enum Printed {
    /// A number.
    Number(f64),
    /// "Less than".
    Below(f64),
    /// "More than".
    Above(f64),
    /// A range.
    Between(f64, f64),
}

impl Dot {
    /// A point of a curve.
    pub fn at(x: f64, y: f64) -> Dot {
        Dot { x, y, bar: None, on_front: false, hollow: false }
    }

    /// The mean of several runs, with an error bar.
    pub fn of(x: f64, interval: Interval) -> Dot {
        Dot::at(x, interval.mean).give_or_take(interval.half)
    }

    /// The point with an error bar of that length to each side.
    pub fn give_or_take(self, half: f64) -> Dot {
        Dot { bar: Some([self.y - half, self.y + half]), ..self }
    }

    /// The point as one of a run that was saturated or not steady, if it was.
    pub fn hollow_if(self, hollow: bool) -> Dot {
        Dot { hollow, ..self }
    }

    /// The heights that it takes.
    fn heights(&self) -> impl Iterator<Item = f64> {
        std::iter::once(self.y).chain(self.bar.into_iter().flatten())
    }
}

impl Published {
    /// The same as one of a series.
    pub fn of(self, series: &str) -> Published {
        Published { series: Some(series.into()), ..self }
    }
}

impl Printed {
    /// The heights that are named.
    fn heights(self) -> Vec<f64> {
        match self {
            Printed::Number(number) | Printed::Below(number) | Printed::Above(number) => vec![number],
            Printed::Between(low, high) => vec![low, high],
        }
    }
}

impl Axis {
    /// A linear axis.
    pub fn linear(title: &str) -> Axis {
        Axis { title: title.into(), log: false, rows: false }
    }

    /// A logarithmic axis.
    pub fn log(title: &str) -> Axis {
        Axis { title: title.into(), log: true, rows: false }
    }

    /// An axis of rows of a table.
    pub fn rows(title: &str) -> Axis {
        Axis { title: title.into(), log: false, rows: true }
    }
}

impl Picture {
    /// The picture as SVG, readable in light and dark surroundings and on paper.
    pub fn svg(&self) -> String {
        draw::svg(self)
    }

    fn dots(&self) -> impl Iterator<Item = &Dot> {
        self.series.iter().flat_map(|(_, dots)| dots)
    }

    fn xs(&self) -> impl Iterator<Item = f64> + '_ {
        self.dots().map(|dot| dot.x).chain(self.published.iter().map(|published| published.x))
    }

    fn ys(&self) -> impl Iterator<Item = f64> + '_ {
        let published = self.published.iter().flat_map(|published| published.y.heights());
        // On a logarithmic axis a bar that comes near to zero would leave no room for the points.
        let lowest = self.dots().map(|dot| dot.y).filter(|y| *y > 0.0).fold(f64::INFINITY, f64::min);
        let floor = if self.axes[1].log { lowest / 2.0 } else { f64::NEG_INFINITY };
        self.dots().flat_map(Dot::heights).filter(move |y| *y >= floor).chain(published)
    }
}

#[cfg(test)]
mod tests;

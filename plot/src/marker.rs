//! Shapes of points, so that series are told apart without colour, too.

use crate::Printed;
use plotters::element::{Drawable, PointCollection};
use plotters::style::ShapeStyle;
use plotters_backend::{DrawingBackend, DrawingErrorKind};

/// A place beside that of the point, in pixels.
type Place = (i32, i32);

/// Corners around a point.
type Corners = &'static [Place];

const CIRCLE: Corners =
    &[(5, 0), (4, 3), (3, 4), (0, 5), (-3, 4), (-4, 3), (-5, 0), (-4, -3), (-3, -4), (0, -5), (3, -4), (4, -3)];
const SQUARE: Corners = &[(-4, -4), (4, -4), (4, 4), (-4, 4)];
const TRIANGLE: Corners = &[(0, -6), (5, 4), (-5, 4)];
const DIAMOND: Corners = &[(0, -6), (6, 0), (0, 6), (-6, 0)];
const TURNED: Corners = &[(0, 6), (5, -4), (-5, -4)];
const CROSS: Corners =
    &[(-2, -6), (2, -6), (2, -2), (6, -2), (6, 2), (2, 2), (2, 6), (-2, 6), (-2, 2), (-6, 2), (-6, -2), (-2, -2)];
const HOURGLASS: Corners = &[(-5, -5), (5, -5), (1, 0), (5, 5), (-5, 5), (-1, 0)];

/// Around the points of a Pareto front.
pub(crate) const RING: Corners =
    &[(8, 0), (7, 4), (4, 7), (0, 8), (-4, 7), (-7, 4), (-8, 0), (-7, -4), (-4, -7), (0, -8), (4, -7), (7, -4)];

const MARKERS: [Corners; 7] = [CIRCLE, SQUARE, TRIANGLE, DIAMOND, TURNED, CROSS, HOURGLASS];

/// The shape of a series. Where colours begin again, another shape goes with each.
pub(crate) fn of_series(number: usize) -> Corners {
    MARKERS[(number + number / MARKERS.len()) % MARKERS.len()]
}

/// A mark of the same size wherever it is drawn.
pub(crate) struct Mark<Spot> {
    spot: Spot,
    strokes: Vec<Vec<Place>>,
    style: ShapeStyle,
}

impl<Spot> Mark<Spot> {
    /// A point of that shape, filled or hollow as the style says.
    pub(crate) fn point(spot: Spot, corners: Corners, style: impl Into<ShapeStyle>) -> Mark<Spot> {
        let outline = [corners, &corners[..1]].concat();
        Mark { spot, strokes: vec![outline], style: style.into() }
    }

    /// Lines around a spot.
    pub(crate) fn lines(spot: Spot, lines: &[&[Place]], style: ShapeStyle) -> Mark<Spot> {
        Mark { spot, strokes: lines.iter().map(|line| line.to_vec()).collect(), style }
    }
}

impl<'a, Spot> PointCollection<'a, Spot> for &'a Mark<Spot> {
    type Point = &'a Spot;
    type IntoIter = std::iter::Once<&'a Spot>;

    fn point_iter(self) -> Self::IntoIter {
        std::iter::once(&self.spot)
    }
}

impl<Spot, Backend: DrawingBackend> Drawable<Backend> for Mark<Spot> {
    fn draw<I: Iterator<Item = Place>>(
        &self,
        mut spots: I,
        backend: &mut Backend,
        _size: (u32, u32),
    ) -> Result<(), DrawingErrorKind<Backend::ErrorType>> {
        let Some((x, y)) = spots.next() else { return Ok(()) };
        for stroke in &self.strokes {
            let places = stroke.iter().map(|(right, down)| (x + right, y + down));
            match self.style.filled {
                true => backend.fill_polygon(places, &self.style)?,
                false => backend.draw_path(places, &self.style)?,
            }
        }
        Ok(())
    }
}

/// Width of the lines of a published point.
pub(crate) const PUBLISHED: u32 = 2;

/// The lines by which a published point is known: a cross; of a bound, an arrow to the side where the values are.
pub(crate) fn strokes(printed: Printed) -> &'static [&'static [(i32, i32)]] {
    match printed {
        Printed::Number(_) => &[&[(-6, -6), (6, 6)], &[(-6, 6), (6, -6)]],
        Printed::Below(_) => &[&[(-8, 0), (8, 0)], &[(0, 0), (0, 12), (-4, 7), (0, 12), (4, 7)]],
        Printed::Above(_) => &[&[(-8, 0), (8, 0)], &[(0, 0), (0, -12), (-4, -7), (0, -12), (4, -7)]],
        Printed::Between(..) => &[&[(-8, 0), (8, 0)]],
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::collections::HashSet;

    #[test]
    fn colour_and_shape_together_tell_many_series_apart() {
        let all: HashSet<_> = (0..49).map(|number| (number % 7, of_series(number))).collect();
        assert_eq!(all.len(), 49);
        assert!((0..7).all(|number| of_series(number) == MARKERS[number]));
    }
}

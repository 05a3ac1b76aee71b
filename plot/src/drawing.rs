//! What chart and legend share.

use plotters::coord::Shift;
use plotters::drawing::DrawingArea;
use plotters::prelude::SVGBackend;

/// A part of the picture.
pub(crate) type Area<'a> = DrawingArea<SVGBackend<'a>, Shift>;

/// Writing to a string never fails; the types do not say so.
pub(crate) type Drawn = Result<(), Box<dyn std::error::Error>>;

/// The font of all text.
pub(crate) const FONT: &str = "sans-serif";

//! A picture as SVG.

use crate::colours::{sheet, MAIN, PAPER, SERIES};
use crate::drawing::{Area, Drawn, FONT};
use crate::marker::{of_series, strokes, Mark, PUBLISHED, RING};
use crate::ticks::ticks;
use crate::{legend, Axis, Better, Dot, Picture};
use plotters::coord::combinators::BindKeyPoints;
use plotters::coord::ranged1d::{AsRangedCoord, Ranged, ValueFormatter};
use plotters::prelude::*;
use std::ops::Range;

const SIZE: (u32, u32) = (960, 600);
/// Width that is kept for the legend.
const LEGEND: i32 = 200;

/// The picture as text.
pub(super) fn svg(picture: &Picture) -> String {
    let mut text = String::new();
    let area = SVGBackend::with_string(&mut text, SIZE).into_drawing_area();
    draw(picture, &area).expect("writing to a string");
    drop(area);
    // What the drawing has no words for: a class for the style sheet, and a title for readers who do not see the
    // picture.
    let title = picture.title.replace('&', "&amp;").replace('<', "&lt;").replace('"', "&quot;");
    let text = text.replacen("<svg ", &format!("<svg class=\"railyard-plot\" role=\"img\" aria-label=\"{title}\" "), 1);
    text.replacen('\n', &format!("\n<style>\n{}</style>\n", sheet()), 1)
}

fn draw(picture: &Picture, area: &Area) -> Drawn {
    area.fill(&PAPER.ink())?;
    let (chart, beside) = area.split_horizontally(SIZE.0 as i32 - LEGEND);
    legend::draw(picture, &beside)?;
    let [across, upwards] = &picture.axes;
    let [x, y] = [range(picture.xs(), across.log), range(picture.ys(), upwards.log)];
    let [base_x, base_y] = [base(picture.dots().map(|d| d.x)), base(picture.dots().map(|d| d.y))];
    let log = |range: Range<f64>, base| range.clone().log_scale().base(base).with_key_points(ticks(&range, base));
    match (across.log, upwards.log) {
        (false, false) => draw_chart(picture, &chart, x, y),
        (true, false) => draw_chart(picture, &chart, log(x, base_x), y),
        (false, true) => draw_chart(picture, &chart, x, log(y, base_y)),
        (true, true) => draw_chart(picture, &chart, log(x, base_x), log(y, base_y)),
    }
}

fn draw_chart<X, Y>(picture: &Picture, area: &Area, x: X, y: Y) -> Drawn
where
    X: AsRangedCoord<Value = f64, CoordDescType: Ranged<ValueType = f64> + ValueFormatter<f64>>,
    Y: AsRangedCoord<Value = f64, CoordDescType: Ranged<ValueType = f64> + ValueFormatter<f64>>,
{
    let [Axis { title: across, rows, .. }, Axis { title: upwards, .. }] = &picture.axes;
    let main = MAIN.ink();
    let mut chart = ChartBuilder::on(area)
        .caption(&picture.title, (FONT, 20).into_font().color(&main))
        .margin(12)
        .x_label_area_size(48)
        .y_label_area_size(76)
        .build_cartesian_2d(x, y)?;
    chart
        .configure_mesh()
        .x_desc(across)
        .y_desc(upwards)
        .x_label_formatter(&|value| {
            if *rows && value.fract() != 0.0 {
                String::new()
            } else {
                short(*value)
            }
        })
        .y_label_formatter(&|value| short(*value))
        .axis_style(main)
        .light_line_style(TRANSPARENT)
        .bold_line_style(main.mix(0.15))
        .label_style((FONT, 15).into_font().color(&main))
        .axis_desc_style((FONT, 18).into_font().color(&main))
        .draw()?;
    if let Some(better) = picture.front {
        chart.draw_series(LineSeries::new(staircase(picture.dots(), better), main.mix(0.6)))?;
    }
    let floor = range(picture.ys(), picture.axes[1].log).start;
    // Bars lie below the points of all series.
    for (number, (_, dots)) in picture.series.iter().enumerate() {
        let ink = SERIES[number % SERIES.len()].ink();
        for (x, ends) in dots.iter().filter_map(|dot| dot.bar.map(|ends| (dot.x, ends))) {
            let style = ink.stroke_width(1);
            chart.draw_series([PathElement::new(ends.map(|end| (x, end.max(floor))), style)])?;
            // A bar that goes on below the axis has no end there.
            let ends = ends.into_iter().filter(|end| *end >= floor);
            chart.draw_series(ends.map(|end| Mark::lines((x, end), &[&[(-4, 0), (4, 0)]], style)))?;
        }
    }
    for (number, (_, dots)) in picture.series.iter().enumerate() {
        let ink = SERIES[number % SERIES.len()].ink();
        let filled = || dots.iter().filter(|dot| !dot.hollow);
        if picture.front.is_none() && !rows && is_curve(filled()) {
            chart.draw_series(LineSeries::new(in_order(filled()), ink.stroke_width(2)))?;
        }
        let style = |dot: &Dot| if dot.hollow { ink.stroke_width(2) } else { ink.filled() };
        chart.draw_series(dots.iter().map(|dot| Mark::point((dot.x, dot.y), of_series(number), style(dot))))?;
    }
    for published in &picture.published {
        let number = picture.series.iter().position(|(label, _)| published.series.as_ref() == Some(label));
        let ink = number.map_or(main, |number| SERIES[number % SERIES.len()].ink());
        for y in published.y.heights() {
            let style = ink.stroke_width(PUBLISHED);
            chart.draw_series([Mark::lines((published.x, y), strokes(published.y), style)])?;
        }
    }
    let front = picture.dots().filter(|dot| dot.on_front);
    chart.draw_series(front.map(|dot| Mark::point((dot.x, dot.y), RING, main.stroke_width(1))))?;
    Ok(())
}

/// A line through points makes sense where each has an x of its own.
fn is_curve<'a>(dots: impl Iterator<Item = &'a Dot>) -> bool {
    in_order(dots).windows(2).all(|pair| pair[0].0 < pair[1].0)
}

fn in_order<'a>(dots: impl Iterator<Item = &'a Dot>) -> Vec<(f64, f64)> {
    let mut points: Vec<(f64, f64)> = dots.map(|dot| (dot.x, dot.y)).collect();
    points.sort_by(|a, b| a.0.total_cmp(&b.0).then(a.1.total_cmp(&b.1)));
    points
}

/// The border of what the front beats: from a point of the front to the next, the corner is the worse of both values.
fn staircase<'a>(dots: impl Iterator<Item = &'a Dot>, better: Better) -> Vec<(f64, f64)> {
    let points = in_order(dots.filter(|dot| dot.on_front));
    let corner = |pair: &[(f64, f64)]| {
        let ((x0, y0), (x1, y1)) = (pair[0], pair[1]);
        let worse = if better == Better::Lower { y0.max(y1) } else { y0.min(y1) };
        // The corner shares its height with the point on the side of the worse value.
        [if worse == y0 { (x1, y0) } else { (x0, y1) }, (x1, y1)]
    };
    points.iter().take(1).copied().chain(points.windows(2).flat_map(corner)).collect()
}

/// The values with some room around them.
fn range(values: impl Iterator<Item = f64>, log: bool) -> Range<f64> {
    let values: Vec<f64> = values.filter(|value| !log || *value > 0.0).collect();
    let low = values.iter().copied().fold(f64::INFINITY, f64::min);
    let high = values.iter().copied().fold(f64::NEG_INFINITY, f64::max);
    match (values.is_empty(), log) {
        (true, _) => 1.0..2.0,
        (_, true) => low / 1.3..high * 1.3,
        (_, false) => {
            let room = if high > low { 0.06 * (high - low) } else { 0.5 * high.abs().max(1.0) };
            // A quantity that is never negative gets no negative part of an axis.
            let floor = if low >= 0.0 { 0.0 } else { f64::NEG_INFINITY };
            (low - room).max(floor)..high + room
        }
    }
}

/// Base of a logarithmic scale: two for powers of two, else ten.
fn base(mut values: impl Iterator<Item = f64>) -> f64 {
    let power_of_two = |value: f64| value >= 1.0 && value.log2().fract() == 0.0;
    if values.all(power_of_two) {
        2.0
    } else {
        10.0
    }
}

/// A number, shortened.
fn short(value: f64) -> String {
    let (scale, unit) = match value.abs() {
        large if large >= 1e9 => (1e9, " G"),
        large if large >= 1e6 => (1e6, " M"),
        large if large >= 1e5 => (1e3, " k"),
        _ => (1.0, ""),
    };
    let digits = format!("{:.4}", value / scale);
    format!("{}{unit}", digits.trim_end_matches('0').trim_end_matches('.'))
}

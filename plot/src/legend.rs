//! The legend: which mark is which series, and what other marks mean.

use crate::colours::{MAIN, SERIES};
use crate::drawing::{Area, Drawn, FONT};
use crate::marker::{of_series, strokes, Mark, PUBLISHED, RING};
use crate::{Picture, Printed};
use plotters::element::Text;
use plotters::style::{Color, IntoTextStyle, TextStyle};

/// Characters of a line that have room.
const ROOM: usize = 24;
/// Pixels from a line to the next.
const LINE: i32 = 18;
/// Pixels from an entry to the next, beside those of its lines.
const GAP: i32 = 5;

/// A legend under construction.
struct Legend<'a, 'b> {
    area: &'b Area<'a>,
    text: TextStyle<'b>,
    /// Where the next line goes.
    y: i32,
}

impl Legend<'_, '_> {
    /// An entry, with its mark if it has one.
    fn entry(&mut self, text: &str, mark: Option<Mark<(i32, i32)>>) -> Drawn {
        let left = if mark.is_some() { 24 } else { 4 };
        if let Some(mark) = mark {
            self.area.draw(&mark)?;
        }
        for line in wrapped(text) {
            self.area.draw(&Text::new(line, (left, self.y - 8), &self.text))?;
            self.y += LINE;
        }
        self.y += GAP;
        Ok(())
    }

    /// The place of the next mark.
    fn place(&self) -> (i32, i32) {
        (10, self.y)
    }
}

/// Draws it.
pub(crate) fn draw(picture: &Picture, area: &Area) -> Drawn {
    let main = MAIN.ink();
    let mut legend = Legend { area, text: (FONT, 16).into_text_style(area).color(&main), y: 56 };
    if let Some(title) = &picture.legend {
        legend.entry(title, None)?;
        for (number, (label, _)) in picture.series.iter().enumerate() {
            let ink = SERIES[number % SERIES.len()].ink();
            legend.entry(label, Some(Mark::point(legend.place(), of_series(number), ink.filled())))?;
        }
    }
    if picture.dots().any(|dot| dot.hollow) {
        let hollow = Mark::point(legend.place(), of_series(0), main.stroke_width(2));
        legend.entry("saturated, or not steady", Some(hollow))?;
    }
    if picture.dots().any(|dot| dot.bar.is_some()) {
        let bar: [&[_]; 2] = [&[(0, -7), (0, 7)], &[(-4, -7), (4, -7), (0, -7), (0, 7), (-4, 7), (4, 7)]];
        legend
            .entry("95 % confidence of several runs", Some(Mark::lines(legend.place(), &bar, main.stroke_width(1))))?;
    }
    let is_number = |printed: Printed| matches!(printed, Printed::Number(_));
    for (name, wanted) in [("published", true), ("published bound or range", false)] {
        if let Some(shown) = picture.published.iter().find(|published| is_number(published.y) == wanted) {
            legend.entry(name, Some(Mark::lines(legend.place(), strokes(shown.y), main.stroke_width(PUBLISHED))))?;
        }
    }
    if picture.front.is_some() {
        legend.entry("Pareto front", Some(Mark::point(legend.place(), RING, main.stroke_width(1))))?;
    }
    Ok(())
}

/// A text in lines that have room, broken between words.
fn wrapped(text: &str) -> Vec<String> {
    let mut lines = vec![String::new()];
    for word in text.split_whitespace() {
        let line = lines.last_mut().expect("starts with one");
        match line.is_empty() {
            true => line.push_str(word),
            false if line.chars().count() + 1 + word.chars().count() <= ROOM => line.extend([" ", word]),
            false => lines.push(word.into()),
        }
    }
    lines
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn long_labels_are_broken_between_words() {
        assert_eq!(wrapped("short"), ["short"]);
        assert_eq!(wrapped("traffic, what a message waits for"), ["traffic, what a message", "waits for"]);
    }
}

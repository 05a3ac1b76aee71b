//! Where the boxes of a block diagram stand.

use crate::canvas::{Anchor, Canvas, PixelPoint, Rect};
use crate::style::{Font, Ink, Stroke};

/// Width of a box.
const WIDTH: i32 = 132;
/// Height of a box.
const HEIGHT: i32 = 92;
const GAP: i32 = 40;
/// More room between inputs and outputs.
const BETWEEN: i32 = 44;
const DOWN: i32 = 44;
/// Height of half a box.
const HALF: i32 = HEIGHT / 2 - 4;
/// Room between a frame and its boxes.
pub const FRAME: i32 = 20;

/// The box in a column and row.
pub fn cell(column: i32, row: i32) -> Rect {
    let between = if column > 2 { BETWEEN } else { 0 };
    Rect::new(column * (WIDTH + GAP) + between, row * (HEIGHT + DOWN), WIDTH, HEIGHT)
}

/// A box below the frames: in a column, and in a row that is counted from the last one in them.
pub fn below(column: i32, last: i32, row: i32) -> Rect {
    let frame = cell(column, last).bottom() + FRAME;
    Rect { y: frame + DOWN + row * (HALF + DOWN), height: HALF, ..cell(column, last) }
}

/// The upper half of a box.
pub fn upper(rect: Rect) -> Rect {
    Rect::new(rect.x, rect.y, rect.width, HALF)
}

/// The lower half of a box.
pub fn lower(rect: Rect) -> Rect {
    Rect::new(rect.x, rect.bottom() - HALF, rect.width, HALF)
}

/// The middle of the left side.
pub fn left(rect: Rect) -> PixelPoint {
    (rect.x, rect.middle().1)
}

/// The middle of the right side.
pub fn right(rect: Rect) -> PixelPoint {
    (rect.right(), rect.middle().1)
}

/// A box with its name and notes.
pub fn block(canvas: &mut Canvas, rect: Rect, lines: &[&str]) {
    canvas.panel(rect);
    canvas.label(rect, lines);
}

/// Boxes one behind the other, the first one with the text: `count` of them, of which three are drawn.
pub fn stack(canvas: &mut Canvas, rect: Rect, count: usize, lines: &[&str]) {
    for behind in (1..count.min(3) as i32).rev() {
        canvas.panel(Rect::new(rect.x + 5 * behind, rect.y - 5 * behind, rect.width, rect.height));
    }
    block(canvas, rect, lines);
}

/// A frame around boxes, with a note at its upper left corner.
pub fn frame(canvas: &mut Canvas, around: Rect, note: &str) {
    let rect = Rect::new(around.x - FRAME, around.y - 40, around.width + 2 * FRAME, around.height + 40 + FRAME);
    canvas.area(rect, Ink::Paper, Ink::Soft, Stroke::Dashed);
    canvas.text((rect.x + 10, rect.y + 18), Anchor::Start, Font::Note, Ink::Soft, note);
}

/// An arrow with a label beside its middle: how many bits it has, or another word.
pub fn wire(canvas: &mut Canvas, places: &[PixelPoint], ink: Ink, label: &str) {
    let length = |pair: &&[PixelPoint]| (pair[0].0 - pair[1].0).abs() + (pair[0].1 - pair[1].1).abs();
    let longest = places.windows(2).max_by_key(length).unwrap_or(places);
    let middle = |of: fn(&PixelPoint) -> i32| longest.iter().map(of).sum::<i32>() / longest.len() as i32;
    labelled(canvas, places, (middle(|place| place.0), middle(|place| place.1)), ink, label);
}

/// An arrow whose label is beside a place on it.
pub fn labelled(canvas: &mut Canvas, places: &[PixelPoint], (x, y): PixelPoint, ink: Ink, label: &str) {
    canvas.arrow(places, ink, Stroke::Thin);
    let is_level = places.windows(2).any(|pair| pair[0].1 == y && pair[1].1 == y);
    match is_level {
        true => canvas.text((x, y - 6), Anchor::Middle, Font::Code, ink, label),
        false => canvas.text((x + 7, y + 4), Anchor::Start, Font::Code, ink, label),
    }
}

/// Beyond a frame, where a pin's name starts.
const PIN: i32 = 46;

/// A pin's name, and an arrow between it and the box that has it, with its width.
pub fn pin(canvas: &mut Canvas, at: PixelPoint, side: PinSide, name: &str, ink: Ink, bits: u32) {
    let (away, anchor) = if side.is_left { (-1, Anchor::End) } else { (1, Anchor::Start) };
    let outside = (at.0 + away * (FRAME + PIN), at.1);
    let places = if side.is_input { [outside, at] } else { [at, outside] };
    labelled(canvas, &places, (at.0 + away * (FRAME + PIN / 2), at.1), ink, &bits.to_string());
    canvas.text((outside.0 + away * 4, at.1 + 4), anchor, Font::Code, Ink::Main, name);
}

/// Where a pin is.
#[derive(Clone, Copy, Debug)]
pub struct PinSide {
    /// On the left side.
    pub is_left: bool,
    /// It is an input of the switch.
    pub is_input: bool,
}

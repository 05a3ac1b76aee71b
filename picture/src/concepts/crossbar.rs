//! The crossbar: planes of crosspoints, an arbiter for each output and plane, and the links that the planes share.

use crate::blocks::names::count;
use crate::canvas::{Anchor, Canvas, PixelPoint};
use crate::style::{Font, Ink, Stroke};
use railyard_spec::{CheckedConfig, Crossbar};

/// Inputs and outputs that are drawn at most.
const MOST: usize = 6;
const PITCH: i32 = 30;
const APART: i32 = 96;

/// The planes of the crossbar.
pub fn crossbar(config: &CheckedConfig) -> Canvas {
    let shape = config.shape();
    let (planes, inputs) = match shape.crossbar {
        Crossbar::Parallel => (shape.vcs, shape.ports),
        Crossbar::Single => (1, shape.ports * shape.vcs),
    };
    let title =
        format!("{}: {} of {inputs} × {} crosspoints", config.name, count(planes, "crossbar plane"), shape.ports);
    let description = format!(
        "Each plane joins {inputs} inputs to {} outputs. Each output has an arbiter in each plane, which chooses among the inputs.{}",
        shape.ports,
        if planes > 1 { " A link arbiter joins the planes of an output." } else { "" }
    );
    let mut canvas = Canvas::new("crossbar", &title, &description);
    let (rows, columns) = (inputs.min(MOST) as i32, shape.ports.min(MOST) as i32);
    let drawn = planes.min(3) as i32;
    for plane in 0..drawn {
        let left = plane * (columns * PITCH + APART);
        let of = if shape.crossbar == Crossbar::Parallel { format!("plane of VC {plane}") } else { "all VCs".into() };
        canvas.text((left + columns * PITCH / 2, -30), Anchor::Middle, Font::Name, Ink::Main, &of);
        draw_plane(&mut canvas, [left, plane], rows, columns, inputs);
    }
    links(&mut canvas, drawn, rows, columns, shape.ports);
    if planes > 3 {
        let x = drawn * (columns * PITCH + APART) - APART / 2;
        canvas.text((x, rows * PITCH / 2), Anchor::Start, Font::Note, Ink::Soft, &format!("and {} more", planes - 3));
    }
    canvas
}

fn draw_plane(canvas: &mut Canvas, [left, plane]: [i32; 2], rows: i32, columns: i32, inputs: usize) {
    let (right, bottom) = (left + columns * PITCH, rows * PITCH);
    for row in 0..rows {
        let y = row * PITCH + PITCH / 2;
        canvas.line(&[(left - 22, y), (right, y)], Ink::Data, Stroke::Thin);
        if left == 0 {
            canvas.text((left - 28, y + 5), Anchor::End, Font::Code, Ink::Soft, &format!("in {row}"));
        }
    }
    for column in 0..columns {
        let x = left + column * PITCH + PITCH / 2;
        canvas.line(&[(x, -10), (x, bottom)], Ink::Data, Stroke::Thin);
        canvas.circle((x, bottom + 12), 11, Ink::Panel, Ink::Control);
        for row in 0..rows {
            // By way of example, some inputs are connected: in each plane to other outputs.
            let is_closed = row % 2 == 0 && row < columns && column == (row + 1 + 2 * plane) % columns;
            let ink = if is_closed { Ink::Control } else { Ink::Soft };
            canvas.circle((x, row * PITCH + PITCH / 2), if is_closed { 6 } else { 3 }, ink, ink);
        }
    }
    if left == 0 {
        let note = format!("1:{inputs}");
        canvas.text((left - 28, bottom + 17), Anchor::End, Font::Code, Ink::Control, &note);
    }
}

/// The links of the outputs: each is shared by the planes.
fn links(canvas: &mut Canvas, planes: i32, rows: i32, columns: i32, ports: usize) {
    let bottom = rows * PITCH + 24;
    let middle = (planes * (columns * PITCH + APART) - APART) / 2;
    let x = middle - (columns * PITCH) / 2 - 18;
    let outputs = if ports > MOST { format!("outputs, {MOST} of {ports}") } else { "outputs".into() };
    if planes == 1 {
        for column in 0..columns {
            let x = column * PITCH + PITCH / 2;
            canvas.arrow(&[(x, bottom), (x, bottom + 26)], Ink::Data, Stroke::Thin);
            canvas.text((x, bottom + 44), Anchor::Middle, Font::Code, Ink::Soft, &column.to_string());
        }
        return canvas.text((x - 10, bottom + 44), Anchor::End, Font::Note, Ink::Soft, &outputs);
    }
    for column in 0..columns {
        let level = bottom + 30 + column * 9;
        let end: PixelPoint = (middle + (column - columns / 2) * PITCH + PITCH / 2, bottom + 64 + columns * 9);
        for plane in 0..planes {
            let x = plane * (columns * PITCH + APART) + column * PITCH + PITCH / 2;
            canvas.line(&[(x, bottom), (x, level), (end.0, level)], Ink::Soft, Stroke::Thin);
        }
        canvas.arrow(&[(end.0, level), end], Ink::Data, Stroke::Thin);
        canvas.text((end.0, end.1 + 34), Anchor::Middle, Font::Code, Ink::Soft, &column.to_string());
        canvas.circle((end.0, end.1 + 8), 8, Ink::Panel, Ink::Control);
    }
    let y = bottom + 64 + columns * 9;
    canvas.text((x, y + 13), Anchor::End, Font::Note, Ink::Control, "link arbiters");
    canvas.text((x, y + 34), Anchor::End, Font::Note, Ink::Soft, &outputs);
}

//! A torus or mesh, drawn as a grid: dimension 0 to the right, dimension 1 downwards. Of further dimensions one plane
//! is drawn.

use super::{counts, draw_node, draw_port, draw_switch, nodes_of, shown};
use crate::canvas::{Anchor, Canvas, PixelPoint, Rect};
use crate::style::{Font, Ink, Stroke};
use railyard_network::topology::Cube;
use railyard_network::wiring::{Peer, Port, Wiring};

const WIDTH: i32 = 88;
const HEIGHT: i32 = 56;
const STEP: PixelPoint = (172, 148);
/// Switches of a dimension that are drawn at most.
const MOST: usize = 5;

/// Draws a torus or mesh.
pub(super) fn draw(cube: &Cube, wiring: &Wiring, torus: bool) -> Canvas {
    let radix: Vec<String> = cube.radix.iter().map(usize::to_string).collect();
    let kind = if torus { "torus" } else { "mesh" };
    let title = format!("{} {kind}: {}", radix.join(" × "), counts(wiring));
    let description = format!(
        "A {kind} of {} switches. Coordinates stand in the switches, port numbers at the links, addresses in the nodes. {}",
        wiring.switches(),
        if torus { "Each ring is closed by a wrap-around link." } else { "Rows and columns are not closed." }
    );
    let mut canvas = Canvas::new("network", &title, &description);
    let grid = Grid {
        cube,
        wiring,
        columns: shown(cube.radix[0], MOST),
        rows: shown(cube.radix.get(1).copied().unwrap_or(1), MOST),
    };
    grid.links(&mut canvas);
    grid.switches(&mut canvas);
    grid.note(&mut canvas);
    canvas
}

struct Grid<'a> {
    cube: &'a Cube,
    wiring: &'a Wiring,
    columns: Vec<Option<usize>>,
    rows: Vec<Option<usize>>,
}

impl Grid<'_> {
    fn switch(&self, column: usize, row: usize) -> usize {
        column + row * self.cube.radix[0]
    }

    fn rect(&self, column: usize, row: usize) -> Rect {
        Rect::new(column as i32 * STEP.0, row as i32 * STEP.1, WIDTH, HEIGHT)
    }

    /// The switches that are drawn: place in the grid, number.
    fn places(&self) -> impl Iterator<Item = (usize, usize, usize)> + '_ {
        let rows = self.rows.iter().enumerate().filter_map(|(at, row)| row.map(|row| (at, row)));
        rows.flat_map(move |(at_row, row)| {
            let columns = self.columns.iter().enumerate();
            columns.filter_map(move |(at, column)| column.map(|column| (at, at_row, self.switch(column, row))))
        })
    }

    fn links(&self, canvas: &mut Canvas) {
        for (column, row, switch) in self.places() {
            for dimension in 0..self.cube.radix.len().min(2) {
                let port = |plus: bool| self.cube.nodes + 2 * dimension + usize::from(!plus);
                let is_linked = |port: usize| matches!(self.wiring.peer(Port { switch, port }), Peer::Switch(_));
                let rect = self.rect(column, row);
                for plus in [true, false].into_iter().filter(|&plus| is_linked(port(plus))) {
                    self.port_number(canvas, rect, dimension, plus, port(plus));
                    let (drawn, at) = if dimension == 0 { (&self.columns, column) } else { (&self.rows, row) };
                    let is_last = if plus { at + 1 == drawn.len() } else { at == 0 };
                    match (plus, is_last) {
                        (true, true) => self.wrap(canvas, column, row, dimension),
                        (true, false) => self.straight(canvas, rect, dimension),
                        (false, _) => {}
                    }
                }
            }
        }
    }

    fn port_number(&self, canvas: &mut Canvas, rect: Rect, dimension: usize, plus: bool, port: usize) {
        let (x, y) = rect.middle();
        let place = match (dimension, plus) {
            (0, true) => (rect.right() + 10, y - 10),
            (0, false) => (rect.x - 10, y - 10),
            (_, true) => (x + 10, rect.bottom() + 11),
            (_, false) => (x + 10, rect.y - 10),
        };
        draw_port(canvas, place, port);
    }

    /// To the next switch, or to those that are left out.
    fn straight(&self, canvas: &mut Canvas, rect: Rect, dimension: usize) {
        let (x, y) = rect.middle();
        let line = match dimension {
            0 => [(rect.right(), y), (rect.x + STEP.0, y)],
            _ => [(x, rect.bottom()), (x, rect.y + STEP.1)],
        };
        canvas.line(&line, Ink::Main, Stroke::Thin);
    }

    /// From the last switch around to the first one.
    fn wrap(&self, canvas: &mut Canvas, column: usize, row: usize, dimension: usize) {
        let (last, (x, y)) = (self.rect(column, row), self.rect(column, row).middle());
        let first = if dimension == 0 { self.rect(0, row) } else { self.rect(column, 0) };
        let line = match dimension {
            0 => {
                let (under, left, right) = (last.bottom() + 34, first.x - 22, last.right() + 22);
                [(last.right(), y), (right, y), (right, under), (left, under), (left, y), (first.x, y)]
            }
            _ => {
                let (beside, top, bottom) = (last.right() + 42, first.y - 24, last.bottom() + 24);
                [(x, last.bottom()), (x, bottom), (beside, bottom), (beside, top), (x, top), (x, first.y)]
            }
        };
        canvas.line(&line, Ink::Control, Stroke::Thin);
    }

    fn switches(&self, canvas: &mut Canvas) {
        for (column, row, switch) in self.places() {
            let rect = self.rect(column, row);
            let nodes = nodes_of(self.wiring, switch);
            if let [(port, node)] = nodes[..] {
                let at = (rect.x - 8, rect.y - 24);
                canvas.line(&[(rect.x + 12, rect.y), at], Ink::Data, Stroke::Thin);
                draw_node(canvas, at, node);
                draw_port(canvas, (rect.x + 22, rect.y - 10), port);
            }
            let place = coordinates(switch, &self.cube.radix);
            let nodes = match (nodes.first(), nodes.last()) {
                (Some((_, first)), Some((_, last))) if first != last => Some(format!("nodes {first}-{last}")),
                _ => None,
            };
            let lines: Vec<&str> = std::iter::once(place.as_str()).chain(nodes.as_deref()).collect();
            draw_switch(canvas, rect, &lines);
        }
        self.gaps(canvas);
    }

    fn gaps(&self, canvas: &mut Canvas) {
        let is_gap = |places: &[Option<usize>], at: usize| places[at].is_none();
        for row in 0..self.rows.len() {
            for column in 0..self.columns.len() {
                if is_gap(&self.rows, row) || is_gap(&self.columns, column) {
                    let (x, y) = self.rect(column, row).middle();
                    canvas.area(Rect::new(x - 16, y - 16, 32, 32), Ink::Paper, Ink::Paper, Stroke::Thin);
                    canvas.text((x, y + 2), Anchor::Middle, Font::Heading, Ink::Soft, "…");
                }
            }
        }
    }

    fn note(&self, canvas: &mut Canvas) {
        let Some(more) = self.cube.radix.get(2..).filter(|more| !more.is_empty()) else { return };
        let planes: usize = more.iter().product();
        let ports = |dimension: usize| {
            let plus = self.cube.nodes + 2 * dimension;
            format!("ports {plus} and {} lead along dimension {dimension}", plus + 1)
        };
        let ways: Vec<String> = (2..self.cube.radix.len()).map(ports).collect();
        let extent = canvas.extent();
        let note = format!("one of {planes} planes; {}", ways.join(", "));
        canvas.text((extent.x, extent.bottom() + 24), Anchor::Start, Font::Note, Ink::Soft, &note);
    }
}

/// A switch's coordinates in words.
fn coordinates(mut switch: usize, radix: &[usize]) -> String {
    let digits: Vec<String> = radix
        .iter()
        .map(|k| {
            let digit = switch % k;
            switch /= k;
            digit.to_string()
        })
        .collect();
    format!("({})", digits.join(","))
}

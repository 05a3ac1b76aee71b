//! A waveform: signals by cycle, drawn as engineers draw them.

use crate::canvas::{Anchor, Canvas, Rect};
use crate::style::{Font, Ink, Stroke};

/// A signal in a cycle.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum WaveCell {
    /// A bit that is 0 or 1.
    Bit(bool),
    /// A value. Equal values in neighbouring cycles are drawn as one.
    Value(String),
    /// Nothing that means anything.
    Blank,
}

/// A signal over all cycles of a waveform.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct WaveRow {
    /// Its name.
    pub name: String,
    /// What it is in each cycle.
    pub cells: Vec<WaveCell>,
    /// The ink of its ones and values.
    pub ink: Ink,
}

/// Signals over the same cycles.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Wave {
    /// The signals, from the top.
    pub rows: Vec<WaveRow>,
}

/// A column of the drawing: a cycle, or the place of cycles in which nothing changes.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Column {
    Cycle(usize),
    /// Stands for the cycles from here on to the next column's.
    Break(usize),
}

/// Cycles without a change that are drawn one by one; longer times are cut.
const QUIET: usize = 4;
const ROW: i32 = 32;
/// Height of a wave in its row.
const HIGH: i32 = 20;
const NARROWEST: i32 = 22;
const BREAK: i32 = 26;
/// Room beside a value.
const PADDING: i32 = 10;

impl WaveRow {
    /// A signal of bits.
    pub fn bits(name: &str, ink: Ink, bits: impl IntoIterator<Item = bool>) -> WaveRow {
        WaveRow { name: name.into(), cells: bits.into_iter().map(WaveCell::Bit).collect(), ink }
    }

    /// A signal of values, none where it means nothing.
    pub fn values(name: &str, ink: Ink, values: impl IntoIterator<Item = Option<String>>) -> WaveRow {
        let cell = |value: Option<String>| value.map_or(WaveCell::Blank, WaveCell::Value);
        WaveRow { name: name.into(), cells: values.into_iter().map(cell).collect(), ink }
    }

    /// Runs of equal cells over columns: first column, one past the last one, cell.
    fn runs(&self, columns: &[Column]) -> Vec<(usize, usize, &WaveCell)> {
        let mut runs: Vec<(usize, usize, &WaveCell)> = Vec::new();
        for (number, column) in columns.iter().enumerate() {
            let cell = &self.cells[column.cycle()];
            match runs.last_mut() {
                Some((_, end, last)) if *last == cell => *end = number + 1,
                _ => runs.push((number, number + 1, cell)),
            }
        }
        runs
    }
}

impl Column {
    fn cycle(self) -> usize {
        match self {
            Column::Cycle(cycle) | Column::Break(cycle) => cycle,
        }
    }
}

impl Wave {
    fn cycles(&self) -> usize {
        self.rows.iter().map(|row| row.cells.len()).min().unwrap_or(0)
    }

    /// The columns: where nothing changes for long, the middle is left out.
    fn columns(&self) -> Vec<Column> {
        let changes = |cycle: usize| cycle == 0 || self.rows.iter().any(|row| row.cells[cycle] != row.cells[cycle - 1]);
        let starts: Vec<usize> = (0..self.cycles()).filter(|&cycle| changes(cycle)).collect();
        let ends = starts.iter().skip(1).copied().chain([self.cycles()]);
        let quiet = |(start, end): (usize, usize)| match end - start > QUIET + 1 {
            true => vec![Column::Cycle(start), Column::Break(start + 1), Column::Cycle(end - 1)],
            false => (start..end).map(Column::Cycle).collect(),
        };
        starts.iter().copied().zip(ends).flat_map(quiet).collect()
    }

    /// Leaves out what follows the last change, but for two cycles.
    pub fn trim(&mut self) {
        let changes =
            |row: &WaveRow| (1..row.cells.len()).rev().find(|&cycle| row.cells[cycle] != row.cells[cycle - 1]);
        let end = self.rows.iter().filter_map(changes).max().map_or(self.cycles(), |last| last + 2);
        self.rows.iter_mut().for_each(|row| row.cells.truncate(end));
    }

    /// Draws the waveform from the origin on.
    pub fn draw(&self, canvas: &mut Canvas) {
        let columns = self.columns();
        let left = self.rows.iter().map(|row| Font::Code.width(&row.name)).max().unwrap_or(0) + 16;
        let edges = self.edges(&columns, left);
        let bottom = self.rows.len() as i32 * ROW + 12;
        canvas.text((0, 0), Anchor::Start, Font::Note, Ink::Soft, "cycle");
        for (column, edge) in columns.iter().zip(edges.windows(2)) {
            let middle = (edge[0] + edge[1]) / 2;
            let text = match column {
                Column::Cycle(cycle) => cycle.to_string(),
                Column::Break(_) => "…".into(),
            };
            canvas.text((middle, 0), Anchor::Middle, Font::Code, Ink::Soft, &text);
            canvas.line(&[(edge[0], 10), (edge[0], bottom)], Ink::Panel, Stroke::Thin);
        }
        for (number, row) in self.rows.iter().enumerate() {
            let base = 10 + (number as i32 + 1) * ROW - (ROW - HIGH) / 2;
            canvas.text((0, base - 5), Anchor::Start, Font::Code, Ink::Main, &row.name);
            draw_row(canvas, row, &columns, &edges, base);
        }
        for (_, edge) in columns.iter().zip(edges.windows(2)).filter(|(column, _)| matches!(column, Column::Break(_))) {
            let middle = (edge[0] + edge[1]) / 2;
            canvas.area(Rect::new(middle - 4, 12, 8, bottom - 12), Ink::Paper, Ink::Paper, Stroke::Thin);
            for x in [middle - 4, middle + 4] {
                canvas.line(&[(x, 10), (x, bottom)], Ink::Soft, Stroke::Dashed);
            }
        }
    }

    /// Left edges of the columns, and the right edge of the last one: as wide as the values in them need.
    fn edges(&self, columns: &[Column], left: i32) -> Vec<i32> {
        let mut width =
            columns.last().map_or(0, |last| Font::Code.width(&last.cycle().to_string()) + PADDING).max(NARROWEST);
        for row in &self.rows {
            for (start, end, cell) in row.runs(columns) {
                let WaveCell::Value(text) = cell else { continue };
                let [from, to] = unbroken(&columns[start..end]);
                let cycles = (to - from) as i32;
                width = width.max((Font::Code.width(text) + PADDING + cycles - 1) / cycles);
            }
        }
        let mut edges = vec![left];
        for column in columns {
            let step = if matches!(column, Column::Break(_)) { BREAK } else { width };
            edges.push(edges[edges.len() - 1] + step);
        }
        edges
    }
}

/// The longest run of columns without a break: its first one, and one past its last one.
fn unbroken(columns: &[Column]) -> [usize; 2] {
    let is_break = |column: &Column| matches!(column, Column::Break(_));
    let breaks: Vec<usize> = (0..columns.len()).filter(|&number| is_break(&columns[number])).collect();
    let starts = std::iter::once(0).chain(breaks.iter().map(|number| number + 1));
    let ends = breaks.iter().copied().chain([columns.len()]);
    starts.zip(ends).max_by_key(|(from, to)| to - from).map_or([0, 1], |(from, to)| [from, to.max(from + 1)])
}

fn draw_row(canvas: &mut Canvas, row: &WaveRow, columns: &[Column], edges: &[i32], base: i32) {
    let mut level: Option<i32> = None;
    for (start, end, cell) in row.runs(columns) {
        let (left, right) = (edges[start], edges[end]);
        match cell {
            WaveCell::Bit(bit) => {
                let y = if *bit { base - HIGH } else { base };
                if *bit {
                    canvas.area(Rect::new(left, y, right - left, HIGH), Ink::Panel, Ink::Panel, Stroke::Thin);
                }
                let step = level.filter(|before| *before != y).map(|before| (left, before));
                let places: Vec<_> = step.into_iter().chain([(left, y), (right, y)]).collect();
                canvas.line(&places, row.ink, Stroke::Thick);
                level = Some(y);
            }
            WaveCell::Value(text) => {
                let rect = Rect::new(left + 2, base - HIGH, right - left - 4, HIGH);
                canvas.area(rect, Ink::Panel, row.ink, Stroke::Thin);
                let [from, to] = unbroken(&columns[start..end]).map(|column| edges[start + column]);
                canvas.text(((from + to) / 2, base - 5), Anchor::Middle, Font::Code, row.ink, text);
            }
            WaveCell::Blank => {
                canvas.line(&[(left, base - HIGH / 2), (right, base - HIGH / 2)], Ink::Panel, Stroke::Thick)
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn long_times_without_a_change_are_cut() {
        let wave = Wave { rows: vec![WaveRow::bits("a", Ink::Data, (0..40).map(|cycle| cycle >= 30))] };
        use Column::{Break, Cycle};
        assert_eq!(wave.columns(), [Cycle(0), Break(1), Cycle(29), Cycle(30), Break(31), Cycle(39)]);
        let short = Wave { rows: vec![WaveRow::bits("a", Ink::Data, (0..6).map(|cycle| cycle >= 3))] };
        assert_eq!(short.columns(), (0..6).map(Cycle).collect::<Vec<_>>());
    }

    #[test]
    fn a_column_is_as_wide_as_its_values_need() {
        let values = ["a long value", "a long value", "b"].map(|text| Some(text.to_string()));
        let wave = Wave { rows: vec![WaveRow::values("v", Ink::Data, values)] };
        let edges = wave.edges(&wave.columns(), 0);
        assert!(edges[2] >= Font::Code.width("a long value"), "{edges:?}");
    }
}

//! Pictures of results: which rows of the table are in them, and which of these are on the Pareto front.

use crate::axis::axis;
use crate::pareto;
use crate::run::{JOINT, OF_NETWORKS, SATURATED, SIMULATED, STEADY};
use crate::sweep::{column, same, AxisName, Goal, Pareto, Plot, SEED};
use indexmap::IndexMap;
use railyard_plot::{Better, Dot, Interval};
use serde_json::Value;

/// A picture of a table.
#[derive(Clone, Debug)]
pub struct TablePicture {
    /// Name of its file.
    pub(crate) name: String,
    /// Index of the column across.
    pub(crate) x: usize,
    /// Index of the column upwards.
    pub(crate) y: usize,
    /// Which way is better, if that is asked.
    pub(crate) pareto: Option<Pareto>,
    /// For each row whether it is on the front; nothing if it is not in the picture.
    pub(crate) marks: Vec<Option<bool>>,
    drawing: railyard_plot::Picture,
}

impl TablePicture {
    /// The picture of a table, whose first columns are the variables.
    pub(crate) fn new(
        plot: &Plot,
        variables: &[String],
        columns: &[String],
        rows: &[Vec<Value>],
        is_network: bool,
    ) -> TablePicture {
        let index = |name: &str| columns.iter().position(|head| *head == column(name)).expect("checked with the sweep");
        let (x, y) = (index(&plot.x), index(&plot.y));
        let series = plot.series.as_deref().map(index);
        let only: Vec<(usize, &Value)> = plot.only.iter().map(|(name, value)| (index(name), value)).collect();

        // Seeds are repetitions, unless the picture is about them.
        let shown: Vec<usize> = [x, y].into_iter().chain(series).chain(only.iter().map(|(index, _)| *index)).collect();
        let told_apart: Vec<usize> =
            (0..variables.len()).filter(|index| variables[*index] != SEED || shown.contains(index)).collect();
        let mut groups: IndexMap<String, Vec<usize>> = IndexMap::new();
        for (number, row) in rows.iter().enumerate() {
            let number_at = |index: usize| row[index].as_f64().is_some();
            if only.iter().all(|(index, value)| same(&row[*index], value)) && number_at(x) && number_at(y) {
                let key: Vec<&Value> = told_apart.iter().map(|index| &row[*index]).collect();
                groups.entry(serde_json::to_string(&key).expect("plain data")).or_default().push(number);
            }
        }
        let values = |group: &Vec<usize>, index: usize| -> Vec<f64> {
            group.iter().filter_map(|row| rows[*row][index].as_f64()).collect()
        };
        let mean = |group: &Vec<usize>, index: usize| values(group, index).iter().sum::<f64>() / group.len() as f64;
        let means: Vec<(f64, f64)> = groups.values().map(|group| (mean(group, x), mean(group, y))).collect();
        let front = plot.pareto.map_or_else(|| vec![false; means.len()], |goals| pareto::front(&means, goals));

        let doubts = Doubts::new([x, y], columns);
        let mut marks = vec![None; rows.len()];
        let mut by_series: IndexMap<String, Vec<Dot>> = IndexMap::new();
        for ((group, &(at, height)), &on_front) in groups.values().zip(&means).zip(&front) {
            group.iter().for_each(|row| marks[*row] = Some(on_front));
            let label = series.map_or_else(String::new, |index| text(&rows[group[0]][index]));
            let hollow = group.iter().any(|row| doubts.holds_of(&rows[*row]));
            let dot = match group.len() {
                1 => Dot::at(at, height),
                _ => Dot::of(at, Interval::of(&values(group, y))),
            };
            by_series.entry(label).or_default().push(Dot { on_front, hollow, ..dot });
        }
        let axis = |index: usize, name| axis(&columns[index], plot.log.contains(&name), is_network);
        let [across, upwards] = [&columns[x], &columns[y]];
        let at = match only.iter().map(|(i, value)| format!("{} {}", columns[*i], text(value))).collect::<Vec<_>>() {
            shared if shared.is_empty() => String::new(),
            shared => format!(" at {}", shared.join(", ")),
        };
        let drawing = railyard_plot::Picture {
            title: format!("{upwards} over {across}{at}"),
            axes: [axis(x, AxisName::X), axis(y, AxisName::Y)],
            legend: series.map(|index| columns[index].clone()),
            series: by_series.into_iter().collect(),
            published: Vec::new(),
            front: plot.pareto.map(|goals| match goals.y {
                Goal::Min => Better::Lower,
                Goal::Max => Better::Higher,
            }),
        };
        TablePicture { name: plot.name(), x, y, pareto: plot.pareto, marks, drawing }
    }

    /// What it shows.
    pub fn title(&self) -> &str {
        &self.drawing.title
    }

    /// The picture as SVG.
    pub fn svg(&self) -> String {
        self.drawing.svg()
    }
}

/// Points whose simulation does not show the switch at ease, in pictures of what was simulated.
struct Doubts {
    /// Columns and the value that tells.
    signs: Vec<(usize, Value)>,
}

impl Doubts {
    fn new(axes: [usize; 2], columns: &[String]) -> Doubts {
        let all = || SIMULATED.iter().chain(&OF_NETWORKS).chain(JOINT);
        let is_simulated = |name: &String| all().any(|simulated| simulated == name);
        let signs = [(STEADY, Value::Bool(false)), (SATURATED, Value::Bool(true))];
        let found = signs.into_iter().filter_map(|(name, sign)| Some((columns.iter().position(|c| c == name)?, sign)));
        Doubts {
            signs: if axes.iter().any(|&axis| is_simulated(&columns[axis])) { found.collect() } else { Vec::new() },
        }
    }

    fn holds_of(&self, row: &[Value]) -> bool {
        self.signs.iter().any(|(column, sign)| row[*column] == *sign)
    }
}

fn text(value: &Value) -> String {
    value.as_str().map_or_else(|| value.to_string(), String::from)
}

#[cfg(test)]
mod tests {
    use super::*;
    use serde_json::json;

    fn picture(plot: Value) -> TablePicture {
        let columns = ["ways", "load", "seed", "latency"].map(String::from);
        let rows: Vec<Vec<Value>> = [
            json!([1, 0.1, 1, 10.0]),
            json!([1, 0.1, 2, 20.0]),
            json!([1, 0.9, 1, 30.0]),
            json!([2, 0.1, 1, 12.0]),
            json!([2, 0.9, 1, null]),
        ]
        .into_iter()
        .map(|row| row.as_array().unwrap().clone())
        .collect();
        TablePicture::new(&serde_json::from_value(plot).unwrap(), &columns[..3], &columns, &rows, false)
    }

    #[test]
    fn seeds_are_averaged_and_points_without_a_value_left_out() {
        let picture = picture(json!({"x": "load", "y": "latency", "series": "ways"}));
        // Two seeds, 10 and 20: Student's t of one degree of freedom times the error of the mean is 12.706 x 5.
        let [low, high] = picture.drawing.series[0].1[0].bar.expect("two seeds have a bar");
        assert!((low + 48.53).abs() < 1e-9 && (high - 78.53).abs() < 1e-9, "{low} to {high}");
        let averaged = Dot { bar: Some([low, high]), ..Dot::at(0.1, 15.0) };
        let curves = [("1".into(), vec![averaged, Dot::at(0.9, 30.0)]), ("2".into(), vec![Dot::at(0.1, 12.0)])];
        assert_eq!(picture.drawing.series, curves);
        assert_eq!(picture.marks, [Some(false), Some(false), Some(false), Some(false), None]);
    }

    #[test]
    fn only_what_is_asked_for_is_compared() {
        let goals = json!({"x": "min", "y": "min"});
        let picture = picture(json!({"x": "ways", "y": "latency", "where": {"load": 0.1, "seed": 1}, "pareto": goals}));
        assert_eq!(picture.marks, [Some(true), None, None, Some(false), None]);
        assert_eq!(picture.drawing.title, "latency over ways at load 0.1, seed 1");
    }

    /// Only in pictures of what was simulated: the area of a switch does not depend on the load.
    #[test]
    fn saturated_and_unsteady_points_are_hollow() {
        let columns = ["load", "area_um2", "latency_mean", "steady", "saturated"].map(String::from);
        let row =
            |load: f64, steady: Value, saturated| vec![json!(load), json!(7), json!(load), steady, json!(saturated)];
        let flags = [(json!(true), false), (json!(null), false), (json!(true), true), (json!(false), false)];
        let rows: Vec<Vec<Value>> = flags
            .into_iter()
            .zip(1..)
            .map(|((steady, saturated), load)| row(f64::from(load), steady, saturated))
            .collect();
        let hollow = |y: &str| -> Vec<bool> {
            let plot = serde_json::from_value(json!({"x": "load", "y": y})).unwrap();
            let picture = TablePicture::new(&plot, &columns[..1], &columns, &rows, false);
            picture.drawing.series[0].1.iter().map(|dot| dot.hollow).collect()
        };
        assert_eq!(hollow("latency_mean"), [false, false, true, true]);
        assert_eq!(hollow("area_um2"), [false; 4]);
    }

    #[test]
    fn every_picture_can_be_drawn() {
        for log in [json!([]), json!(["x"]), json!(["y"]), json!(["x", "y"])] {
            for only in [json!({}), json!({"load": 0.9}), json!({"ways": 7})] {
                let svg =
                    picture(json!({"x": "ways", "y": "latency", "log": log, "where": only, "series": "load"})).svg();
                assert!(svg.starts_with("<svg") && svg.ends_with("</svg>\n"), "{svg}");
                assert!(svg.contains("latency") && !svg.contains("NaN"), "{svg}");
            }
        }
    }
}

//! The finished points, as tables.

use crate::error::Error;
use crate::execute::Failed;
use crate::plan::{SweepPlan, SweepPoint};
use crate::plot::TablePicture;
use crate::run::{Hardware, Metrics, ACCEPTED, FMAX, JOINT, LATENCY, MEMORY_BITS};
use crate::store::{Kept, Store};
use railyard_cache::BrokenSeal;
use railyard_input::{read, shown, FileKind};
use serde::Serialize;
use serde_json::{json, Map, Value};
use std::fs;
use std::path::PathBuf;

const CSV: &str = "results.csv";
const JSON: &str = "results.json";

/// A point without results.
#[derive(Clone, Debug, Serialize)]
pub struct Unfinished {
    /// What it is.
    pub values: Map<String, Value>,
    /// Why there are none.
    pub why: String,
}

/// The points that nothing beats, in one plot.
#[derive(Clone, Debug, Serialize)]
pub struct Front {
    /// The plot.
    pub plot: String,
    /// Rows in it.
    pub of: usize,
    /// Its rows, each with the sweep's values and the two compared.
    pub points: Vec<Map<String, Value>>,
}

/// The results of a sweep.
pub struct Results {
    /// Heads of the columns.
    columns: Vec<String>,
    /// A row for each finished point.
    rows: Vec<Vec<Value>>,
    /// Points without results.
    pub unfinished: Vec<Unfinished>,
    /// Pareto fronts.
    pub fronts: Vec<Front>,
    pictures: Vec<TablePicture>,
}

impl Results {
    /// Gathers what the store has. Runs that have just failed say why their points have no results.
    pub fn gather(plan: &SweepPlan, store: &Store, hardware: &dyn Hardware, failed: &[Failed]) -> Results {
        let kept: Vec<Kept> = plan.runs.iter().map(|run| store.look(run)).collect();
        let metrics_of = |run: usize| match &kept[run] {
            Kept::Finished(metrics) => Some(metrics),
            _ => None,
        };
        let metrics = plan.sweep.metrics();
        let mut columns = plan.variables.clone();
        columns.extend(metrics.iter().map(ToString::to_string));
        let (mut rows, mut unfinished) = (Vec::new(), Vec::new());
        for point in &plan.points {
            match point.runs.iter().map(|&run| metrics_of(run)).collect::<Option<Vec<_>>>() {
                Some(parts) => {
                    let measured = measured(point, &parts, hardware);
                    let value = |name: &&str| measured.get(*name).cloned().unwrap_or_default();
                    rows.push(point.values.iter().cloned().chain(metrics.iter().map(value)).collect());
                }
                None => {
                    let why = why_not(point, &kept, failed);
                    unfinished.push(Unfinished { values: plan.values(point), why });
                }
            }
        }
        let mut results = Results { columns, rows, unfinished, fronts: Vec::new(), pictures: Vec::new() };
        let pictures: Vec<TablePicture> = plan
            .sweep
            .plots
            .iter()
            .map(|plot| {
                let is_network = plan.sweep.is_over_networks();
                TablePicture::new(plot, &plan.variables, &results.columns, &results.rows, is_network)
            })
            .collect();
        pictures.iter().filter(|picture| picture.pareto.is_some()).for_each(|picture| results.mark(picture, plan));
        results.pictures = pictures;
        results
    }

    /// Adds a picture's Pareto front: a column, and the list of its points.
    fn mark(&mut self, picture: &TablePicture, plan: &SweepPlan) {
        let wanted: Vec<usize> = (0..plan.variables.len()).chain([picture.x, picture.y]).collect();
        let mut front =
            Front { plot: picture.name.clone(), of: picture.marks.iter().flatten().count(), points: Vec::new() };
        for (row, on) in self.rows.iter_mut().zip(&picture.marks) {
            if *on == Some(true) {
                front.points.push(wanted.iter().map(|&i| (self.columns[i].clone(), row[i].clone())).collect());
            }
            row.push(json!(on));
        }
        self.columns.push(format!("pareto_{}", picture.name));
        self.fronts.push(front);
    }

    /// Heads of the table, and a row for each finished point.
    pub fn table(&self) -> (&[String], &[Vec<Value>]) {
        (&self.columns, &self.rows)
    }

    /// The pictures.
    pub fn pictures(&self) -> &[TablePicture] {
        &self.pictures
    }

    /// Finished points.
    pub fn len(&self) -> usize {
        self.rows.len()
    }

    /// Whether no point is finished.
    pub fn is_empty(&self) -> bool {
        self.rows.is_empty()
    }

    /// The table as CSV. A value that was not measured is an empty cell.
    pub fn csv(&self) -> String {
        let mut writer = csv::Writer::from_writer(Vec::new());
        let cell = |value: &Value| match value {
            Value::Null => String::new(),
            Value::String(text) => text.clone(),
            other => other.to_string(),
        };
        let rows =
            std::iter::once(self.columns.clone()).chain(self.rows.iter().map(|row| row.iter().map(cell).collect()));
        rows.for_each(|row| writer.write_record(row).expect("writing to memory"));
        String::from_utf8(writer.into_inner().expect("writing to memory")).expect("made of text")
    }

    /// Writes table and pictures into the sweep's folder; pictures of a sweep that was there before go. Returns what is
    /// there now.
    ///
    /// # Errors
    /// Something can't be written.
    pub fn write(&self, plan: &SweepPlan, store: &Store) -> Result<Vec<PathBuf>, Error> {
        let before =
            read(store.path(JSON), FileKind::Result).ok().and_then(|text| serde_json::from_slice::<Value>(&text).ok());
        let mut files = vec![store.write(CSV, &self.csv())?, store.path(JSON)];
        let mut names = Vec::new();
        for picture in &self.pictures {
            let name = format!("plots/{}.svg", picture.name);
            files.push(store.write(&name, &picture.svg())?);
            names.push(name);
        }
        let object = |row: &Vec<Value>| self.columns.iter().cloned().zip(row.iter().cloned()).collect::<Map<_, _>>();
        let all = json!({
            "railyard": crate::VERSION,
            "points": self.rows.iter().map(object).collect::<Vec<_>>(),
            "unfinished": self.unfinished,
            "skipped": plan.skipped,
            "pareto": self.fronts,
            "plots": names,
        });
        store.write(JSON, &(serde_json::to_string_pretty(&all).expect("plain data") + "\n"))?;
        let stale =
            before.iter().flat_map(|before| before["plots"].as_array().into_iter().flatten()).filter_map(Value::as_str);
        for name in stale.filter(|name| name.starts_with("plots/") && !names.iter().any(|now| now == name)) {
            // One that is gone already is as good as removed.
            let _ = fs::remove_file(store.path(name));
        }
        Ok(files)
    }
}

/// Why a point has no results.
fn why_not(point: &SweepPoint, kept: &[Kept], failed: &[Failed]) -> String {
    if let Some(failed) = failed.iter().find(|failed| point.runs.contains(&failed.run)) {
        return failed.why.clone();
    }
    let damaged = point.runs.iter().find_map(|&run| match &kept[run] {
        Kept::Damaged(path) => Some(format!("{}: {BrokenSeal}", shown(path))),
        _ => None,
    });
    damaged.unwrap_or("not finished".into())
}

/// All that is known of a point, by column.
fn measured(point: &SweepPoint, parts: &[&Metrics], hardware: &dyn Hardware) -> Metrics {
    let mut all: Metrics =
        parts.iter().flat_map(|part| part.iter().map(|(name, value)| (name.clone(), value.clone()))).collect();
    all.insert(MEMORY_BITS.into(), json!(hardware.memory_bits(&point.config)));
    let number = |name: &str| all.get(name).and_then(Value::as_f64);
    if let (Some(mhz), Some(flits), Some(cycles)) = (number(FMAX), number(ACCEPTED), number(LATENCY)) {
        let joint = [flits * f64::from(point.config.flit_bits) * mhz / 1_000.0, cycles * 1_000.0 / mhz];
        all.extend(JOINT.iter().map(ToString::to_string).zip(joint.map(|value| json!(value))));
    }
    all
}

//! Rules of a sweep that a schema can't express.

use super::fault;
use crate::field::Field;
use crate::grid::{self, Setting};
use crate::network;
use crate::run::FLAGS;
use crate::scenario;
use crate::sweep::{column, identity, same, Base, Estimate, Plot, Simulate, Sweep, Values};
use indexmap::IndexMap;
use railyard_estimate::NamedLibrary;
use railyard_input::{did_you_mean, nearest, open, read_text, Fault, Faults, FileKind};
use railyard_spec::presets;
use railyard_testbench::traffic::Pattern;
use serde_json::{json, Map, Value};
use std::collections::{BTreeSet, HashSet};
use std::io::ErrorKind;
use std::path::Path;

/// More points than this are a slip of the pen.
const MOST_POINTS: u128 = 1_000_000;

/// The columns of the results.
struct Columns {
    /// Those that tell points apart, each with its values.
    variables: IndexMap<String, Vec<Value>>,
    /// Those that are measured.
    metrics: Vec<&'static str>,
}

/// Adds what the other rules say; files that the sweep names are put in their place on the way. Not checked: the fields
/// `refused`.
pub(super) fn check(sweep: &mut Sweep, folder: &Path, refused: &[String], list: &mut Faults) {
    if let Err(fault) = put_in_place(&mut sweep.base, folder) {
        list.push(fault);
    }
    let jobs_refused = refused.iter().any(|path| path.starts_with("/simulate") || path.starts_with("/estimate"));
    if sweep.simulate.is_none() && sweep.estimate.is_none() && !jobs_refused {
        let rule = "must be given, or \"estimate\": without either there is nothing to do";
        list.push(fault("/simulate", "(missing)".into(), rule.into(), "{}"));
    }
    let mut seen = BTreeSet::new();
    values("/vary", &sweep.vary, &mut seen, list);
    for (index, group) in sweep.together.iter().enumerate() {
        let path = format!("/together/{index}");
        values(&path, group, &mut seen, list);
        let lengths: Vec<String> = group.values().map(|values| values.len().to_string()).collect();
        if lengths.iter().any(|length| *length != lengths[0]) {
            let value = format!("lists of {} values", lengths.join(", "));
            list.push(fault(
                &path,
                value,
                "must have lists of one length".into(),
                &format!("{} values each", lengths[0]),
            ));
        }
    }
    if let Some(estimate) = &mut sweep.estimate {
        by_estimate(estimate, folder, list);
    }
    if let Some(simulate) = &sweep.simulate {
        match sweep.is_over_networks() {
            true => by_run(simulate, &mut seen, list),
            false => by_simulation(simulate, list),
        }
    }
    let groups = sweep.together.iter().filter_map(|group| group.values().next());
    let lengths = sweep.vary.values().chain(groups).map(Vec::len);
    let loads = sweep.simulate.iter().flat_map(|s| {
        let lists = s.lists().into_iter().map(|(_, values)| values.len());
        lists.chain(s.vary.values().map(Vec::len))
    });
    let points = lengths.chain(loads).fold(1u128, |all, length| all.saturating_mul(length as u128));
    if points > MOST_POINTS {
        list.push(fault(
            "",
            format!("{points} points"),
            format!("must be at most {MOST_POINTS}"),
            "fewer or shorter lists",
        ));
    }
    let columns = Columns { variables: sweep.variables(), metrics: sweep.metrics() };
    let mut names = BTreeSet::new();
    for (index, plot) in sweep.plots.iter().enumerate() {
        let path = format!("/plots/{index}");
        if !names.insert(plot.name()) {
            let rule = "is the name of another plot";
            list.push(fault(
                &format!("{path}/name"),
                json!(plot.name()).to_string(),
                rule.into(),
                "give each a name of its own",
            ));
        }
        by_plot(&path, plot, &columns, refused, list);
    }
}

/// Puts the document of a name in place, and what a network names.
fn put_in_place(base: &mut Base, folder: &Path) -> Result<(), Fault> {
    let (document, folder) = match base {
        Base::Inline(document) => (document.clone(), folder.to_path_buf()),
        Base::Name(name) => {
            let document =
                description(name, folder).map_err(|why| fault("/base", json!(name).to_string(), why, "\"hpc16\""))?;
            (document, folder.join(name).parent().unwrap_or(folder).to_path_buf())
        }
    };
    *base = Base::Inline(match network::is_network(&document) {
        true => network::in_place(document, &folder)?,
        false => document,
    });
    Ok(())
}

/// The document of that name: a file in `folder`, or a preset.
fn description(name: &str, folder: &Path) -> Result<Map<String, Value>, String> {
    let path = folder.join(name);
    let text = match presets::find(name) {
        Some(preset) if !path.is_file() => preset.json.to_string(),
        _ => read_text(&path, FileKind::Description).map_err(|error| match error.kind() {
            ErrorKind::NotFound => format!(
                "is no file beside the sweep file, and no preset{}; `railyard presets` lists them",
                did_you_mean(name, presets::names())
            ),
            _ => format!("can't be read: {error}"),
        })?,
    };
    serde_json::from_str(&text).map_err(|e| format!("is not a JSON object: {e}"))
}

/// Lists of values by field.
fn values(path: &str, fields: &Values, seen: &mut BTreeSet<String>, list: &mut Faults) {
    for (name, values) in fields {
        let path = format!("{path}/{}", name.replace('~', "~0").replace('/', "~1"));
        let shown = json!(values).to_string();
        match Field::parse(name) {
            None => list.push(fault(&path, shown.clone(), "is not the path of a field".into(), "routing.cache.ways")),
            Some(field) => {
                let field = field.column();
                match overlap(seen, &field) {
                    Some(other) if other == field => {
                        list.push(fault(&path, shown.clone(), "is varied twice".into(), "one list of values"));
                    }
                    Some(other) => {
                        let rule = format!("can't be varied beside {other}: one is inside the other");
                        list.push(fault(
                            &path,
                            shown.clone(),
                            rule,
                            "vary one of them, or let them go together as one value",
                        ));
                    }
                    None => {}
                }
                seen.insert(field);
            }
        }
        distinct(&path, values, list);
    }
}

/// One of the fields `seen` that is this one, or around it, or inside it.
fn overlap(seen: &BTreeSet<String>, field: &str) -> Option<String> {
    let dots = field.match_indices('.').map(|(at, _)| at);
    let around = dots.chain([field.len()]).find_map(|end| seen.get(&field[..end]));
    let start = format!("{field}.");
    let inside = || seen.range(start.clone()..).next().filter(|first| first.starts_with(&start));
    around.or_else(inside).cloned()
}

/// A list has at least one value and none twice. (Fields that move together may repeat theirs.)
fn distinct(path: &str, values: &[Value], list: &mut Faults) {
    if values.is_empty() {
        list.push(fault(path, "[]".into(), "must have at least one value".into(), "leave it out"));
    }
    let mut known = HashSet::new();
    let twice = values.iter().enumerate().find(|(_, value)| !known.insert(identity(value)));
    if let (Some((index, value)), false) = (twice, path.starts_with("/together")) {
        list.push(fault(&format!("{path}/{index}"), value.to_string(), "is there twice".into(), "leave it out"));
    }
}

/// The field that a list sets.
fn place(name: &str) -> &str {
    match name {
        "traffic" => "traffic.pattern",
        "load" => "traffic.load",
        other => other,
    }
}

/// Runs of networks: what they vary beside the network file's fields `seen`.
fn by_run(simulate: &Simulate, seen: &mut BTreeSet<String>, list: &mut Faults) {
    for (name, values) in simulate.lists() {
        distinct(&format!("/simulate/{name}"), &values, list);
        if let Some(other) = overlap(seen, place(name)) {
            let rule = format!("can't be varied beside {other}, which sets it, too");
            list.push(fault(&format!("/simulate/{name}"), json!(values).to_string(), rule, "leave one of them out"));
        }
    }
    let rule = "is of a switch alone: the fields of a network, its traffic too, are varied in /vary";
    let given = [("scenario", simulate.scenario.is_empty()), ("vary", simulate.vary.is_empty())];
    for (name, _) in given.into_iter().filter(|(_, is_empty)| !is_empty) {
        let path = format!("/simulate/{name}");
        let value = json!(simulate)[name].to_string();
        list.push(fault(&path, value, rule.into(), "leave it out"));
    }
    traffic_names(simulate, Pattern::OF_NETWORKS, list);
}

fn traffic_names(simulate: &Simulate, names: &[&str], list: &mut Faults) {
    for (index, name) in
        simulate.traffic.iter().flatten().enumerate().filter(|(_, name)| !names.contains(&name.as_str()))
    {
        let rule = format!("must be one of {}", names.join(", "));
        let meant = json!(nearest(name, names.iter().copied()).unwrap_or("uniform")).to_string();
        list.push(fault(&format!("/simulate/traffic/{index}"), json!(name).to_string(), rule, &meant));
    }
}

fn by_simulation(simulate: &Simulate, list: &mut Faults) {
    let mut seen = BTreeSet::new();
    for (name, values) in simulate.lists() {
        distinct(&format!("/simulate/{name}"), &values, list);
        let place = place(name);
        let pointer = format!("/{}", place.replace('.', "/"));
        if let Some(said) = json!(simulate.scenario).pointer(&pointer) {
            let rule = format!("stands beside /simulate/{name}, which sets it");
            list.push(fault(&format!("/simulate/scenario{pointer}"), said.to_string(), rule, "leave it out"));
        }
        seen.insert(place.to_string());
    }
    values("/simulate/vary", &simulate.vary, &mut seen, list);
    traffic_names(simulate, &scenario::traffic_names(), list);
    let start = scenario::start(&simulate.scenario);
    if let Err(why) = scenario::read(&start, &Setting::default()) {
        list.append(why.map(|fault| Fault { path: format!("/simulate/scenario{}", fault.path), ..fault }));
        return;
    }
    for (name, values) in simulate.vary.iter().filter(|(name, _)| Field::parse(name).is_some()) {
        let path = format!("/simulate/vary/{}", name.replace('~', "~0").replace('/', "~1"));
        for (index, setting) in grid::alone("", name, values).iter().enumerate() {
            if let Err(why) = scenario::read(&start, setting) {
                let rule = format!("does not fit into a scenario: {}", why.to_string().replace('\n', "; "));
                let legal = "a field and value of `railyard simulate --scenario`";
                list.push(fault(&format!("{path}/{index}"), values[index].to_string(), rule, legal));
            }
        }
    }
}

fn by_estimate(estimate: &mut Estimate, folder: &Path, list: &mut Faults) {
    if let Some(name) = &estimate.library {
        if NamedLibrary::get(name).is_err() {
            let known: Vec<&str> = NamedLibrary::all().iter().map(|named| named.name).collect();
            let rule = format!("must be one of {}, or give a file as \"liberty\"", known.join(", "));
            let meant = json!(nearest(name, known).unwrap_or("nangate45")).to_string();
            list.push(fault("/estimate/library", json!(name).to_string(), rule, &meant));
        }
        if estimate.liberty.is_some() {
            let rule = "can't go with \"liberty\": one library at a time";
            list.push(fault("/estimate/library", json!(name).to_string(), rule.into(), "leave it out"));
        }
    }
    if let Some(path) = &mut estimate.liberty {
        let given = folder.join(&*path);
        match open(&given, FileKind::Liberty).and_then(|_| given.canonicalize()) {
            Ok(found) if found.to_str().is_none() => {
                let rule = "is in a folder whose name is not UTF-8: a sweep can't be kept with it".into();
                list.push(fault("/estimate/liberty", json!(path).to_string(), rule, "a folder of another name"));
            }
            Ok(found) => *path = found,
            Err(error) => {
                let rule = match error.kind() {
                    ErrorKind::NotFound => "is no file beside the sweep file".into(),
                    _ => format!("can't be read: {error}"),
                };
                list.push(fault(
                    "/estimate/liberty",
                    json!(path).to_string(),
                    rule,
                    "the path of a .lib or .lib.gz file",
                ));
            }
        }
    } else if let Some(node) = estimate.node {
        list.push(fault("/estimate/node", node.to_string(), "goes with \"liberty\" only".into(), "leave it out"));
    }
}

fn by_plot(path: &str, plot: &Plot, columns: &Columns, refused: &[String], list: &mut Faults) {
    let Columns { variables, metrics } = columns;
    let numbers: Vec<&str> = metrics.iter().copied().filter(|metric| !FLAGS.contains(metric)).collect();
    let known = || variables.keys().map(String::as_str).chain(metrics.iter().copied());
    let mut is_known = |at: &str, name: &str| {
        let path = format!("{path}/{at}");
        let plain = column(name);
        let fine = variables.contains_key(&plain) || metrics.contains(&plain.as_str());
        if !fine && !refused.contains(&path) {
            let legal = || known().collect::<Vec<_>>().join(", ");
            let rule = || format!("is no column of this sweep{}", did_you_mean(&plain, known()));
            list.push_with(|| fault(&path, json!(name).to_string(), rule(), &legal()));
        }
        fine
    };
    let mut axes = Vec::new();
    for (at, name) in [("x", &plot.x), ("y", &plot.y)] {
        if is_known(at, name) {
            axes.push((at, name));
        }
    }
    plot.series.iter().for_each(|name| _ = is_known("series", name));
    let only: Vec<(&String, &Value)> =
        plot.only.iter().filter(|(name, _)| is_known(&format!("where/{name}"), name)).collect();
    for (at, name) in axes {
        let words = variables.get(&column(name)).is_some_and(|values| !values.iter().all(Value::is_number));
        if words || FLAGS.contains(&column(name).as_str()) {
            let rule = "must be a column of numbers; others can be the series";
            list.push(fault(&format!("{path}/{at}"), json!(name).to_string(), rule.into(), &numbers.join(", ")));
        }
    }
    for (name, value) in only {
        let flag = FLAGS.contains(&column(name).as_str()).then(|| vec![json!(false), json!(true)]);
        let legal = variables.get(&column(name)).or(flag.as_ref());
        if legal.is_none_or(|values| !values.iter().any(|v| same(v, value))) {
            let shown = legal
                .map_or_else(|| variables.keys().cloned().collect::<Vec<_>>().join(", "), |v| json!(v).to_string());
            let rule = match legal {
                Some(_) => "is not a value of this column, so the picture would be empty",
                None => "is a measured column; take one that the sweep varies",
            };
            list.push(fault(&format!("{path}/where/{name}"), value.to_string(), rule.into(), &shown));
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn told(values: &[Value]) -> Vec<String> {
        let mut list = Faults::default();
        distinct("/vary/a", values, &mut list);
        list.first.into_iter().map(|fault| fault.path).collect()
    }

    #[test]
    fn a_value_that_is_there_twice_is_found() {
        assert_eq!(told(&[json!(1), json!("1"), json!(1.5), json!([1])]), [""; 0]);
        assert_eq!(told(&[json!(1), json!(2), json!(1.0)]), ["/vary/a/2"]);
        assert_eq!(told(&[json!(0.0), json!(-0.0)]), ["/vary/a/1"]);
        assert_eq!(told(&[json!({"b": 1}), json!({"b": 1})]), ["/vary/a/1"]);
    }

    #[test]
    fn fields_inside_each_other_are_found() {
        let seen = BTreeSet::from(["a.b".to_string(), "a.b-c".into(), "d".into()]);
        let found = |field: &str| overlap(&seen, field);
        assert_eq!(found("a.b").as_deref(), Some("a.b"));
        assert_eq!(found("a").as_deref(), Some("a.b"));
        assert_eq!(found("a.b.c.d").as_deref(), Some("a.b"));
        assert_eq!(["a.c", "a.bc", "dd", "e", "a.b-"].map(found), [None, None, None, None, None]);
    }

    /// As many values and fields as a file can hold: a look at every pair of them would take hours.
    #[test]
    fn many_values_and_fields_are_checked_in_one_pass() {
        assert_eq!(told(&(0..300_000).map(Value::from).collect::<Vec<_>>()), [""; 0]);
        let fields: Values = (0..50_000).map(|i| (format!("a.b{i}.c"), vec![json!(1)])).collect();
        let (mut seen, mut list) = (BTreeSet::new(), Faults::default());
        values("/vary", &fields, &mut seen, &mut list);
        assert!(list.is_empty() && seen.len() == fields.len());
        let axes: Vec<_> = fields.iter().take(20_000).map(|(name, values)| grid::alone("", name, values)).collect();
        assert_eq!(grid::product(&axes)[0].sets.len(), axes.len());
    }
}

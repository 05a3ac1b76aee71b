//! The tables of `docs/src/studies.md` are those of the studies. `RAILYARD_UPDATE=1` writes them anew.
//!
//! A comment before a table says where it is from: `<!-- table STUDY PART; COLUMN = VALUE, VALUE; ... -->`, the
//! conditions being those of its rows. The table's own head says which columns it shows; without a head it shows all.
//! Fat trees have 16 nodes, where no `--nodes = N` says another number. Dragonflies have h = 2, or that of `--h = N`.
//! Applications have 64 ranks.

use railyard_study::{
    cell, Caminos, DragonflySize, NetworkSize, Study, StudyNetwork, StudyOptions, StudyReport, StudyTable,
    SIMGRID_PACKAGE, STUDIES,
};
use std::collections::BTreeMap;
use std::fs;
use std::path::PathBuf;
use std::sync::Mutex;

const MARK: &str = "<!-- table ";
const NODES: &str = "--nodes";
const H: &str = "--h";
/// Nodes of a network that takes seconds.
const QUICK: usize = 16;

/// One test at a time writes the page.
static PAGE: Mutex<()> = Mutex::new(());

fn path() -> PathBuf {
    PathBuf::from(concat!(env!("CARGO_MANIFEST_DIR"), "/../docs/src/studies.md"))
}

/// Where a table of the page is from.
struct Source<'a> {
    study: &'a str,
    part: &'a str,
    conditions: Vec<(&'a str, Vec<&'a str>)>,
    nodes: usize,
    h: usize,
}

impl Source<'_> {
    fn of(line: &str) -> Option<Source<'_>> {
        let text = line.strip_prefix(MARK)?.strip_suffix("-->").expect("a mark is one line");
        let mut fields = text.split(';').map(str::trim);
        let (study, part) = fields.next()?.split_once(' ').expect("a study and its table");
        let conditions = fields.map(|text| {
            let (column, values) = text.split_once('=').expect("COLUMN = VALUE");
            (column.trim(), values.split(',').map(str::trim).collect())
        });
        let all: Vec<(&str, Vec<&str>)> = conditions.collect();
        let size = |name: &str, default: usize| {
            let given = all.iter().find(|(column, _)| *column == name);
            given.map_or(default, |(_, values)| values[0].parse().expect("a size"))
        };
        let (nodes, h) = (size(NODES, QUICK), size(H, DragonflySize::default().h()));
        let conditions = all.into_iter().filter(|(column, _)| ![NODES, H].contains(column)).collect();
        Some(Source { study, part: part.trim(), conditions, nodes, h })
    }

    /// The lines of a table, under the heads that the page has or all.
    fn lines(&self, report: &StudyReport, head: Option<&str>) -> Vec<String> {
        let part = report.parts.iter().find(|part| part.name == self.part);
        let table = &part.unwrap_or_else(|| panic!("{} has no table {}", self.study, self.part)).table;
        let column = |head: &str| {
            let found = table.columns.iter().position(|column| *column == head);
            found.unwrap_or_else(|| panic!("{} has no column {head:?}: {:?}", self.part, table.columns))
        };
        let heads: Vec<&str> = match head {
            Some(line) => line.trim_matches('|').split('|').map(str::trim).collect(),
            None => table.columns.clone(),
        };
        let columns: Vec<usize> = heads.iter().map(|head| column(head)).collect();
        let conditions: Vec<(usize, &Vec<&str>)> =
            self.conditions.iter().map(|(head, values)| (column(head), values)).collect();
        let rows = rows(table, &conditions);
        assert!(!rows.is_empty(), "no row of {} is shown", self.part);
        let line = |cells: Vec<String>| format!("| {} |", cells.join(" | "));
        let top = [line(heads.iter().map(ToString::to_string).collect()), line(vec!["---".into(); heads.len()])];
        let rows = rows.into_iter().map(|row| line(columns.iter().map(|&at| row[at].clone()).collect()));
        top.into_iter().chain(rows).collect()
    }
}

/// The rows, as text, that meet all conditions.
fn rows(table: &StudyTable, conditions: &[(usize, &Vec<&str>)]) -> Vec<Vec<String>> {
    let texts = table.rows.iter().map(|row| row.iter().map(cell).collect::<Vec<String>>());
    texts.filter(|row| conditions.iter().all(|(at, values)| values.contains(&row[*at].as_str()))).collect()
}

/// The page with some of its tables made anew.
fn page(text: &str, is_meant: impl Fn(&Study) -> bool) -> String {
    let mut reports: BTreeMap<(&str, usize, usize), StudyReport> = BTreeMap::new();
    let (lines, mut made): (Vec<&str>, Vec<String>) = (text.lines().collect(), Vec::new());
    let mut at = 0;
    while at < lines.len() {
        made.push(lines[at].into());
        at += 1;
        let Some(source) = Source::of(lines[at - 1]) else { continue };
        let study = STUDIES.iter().find(|study| study.name == source.study);
        let study = study.unwrap_or_else(|| panic!("there is no study {}", source.study));
        if !is_meant(study) {
            continue;
        }
        let network = NetworkSize::with_nodes(source.nodes).expect("there is a network of that size");
        let dragonfly = DragonflySize::ALL.into_iter().find(|size| size.h() == source.h);
        let dragonfly = dragonfly.expect("there is a Dragonfly of that size");
        let options = StudyOptions { network, dragonfly, ..StudyOptions::default() };
        let run = || study.run(&options).expect("the study can be made");
        let report = reports.entry((study.name, source.nodes, source.h)).or_insert_with(run);
        while lines.get(at).is_some_and(|line| line.is_empty()) {
            at += 1;
        }
        let head = lines.get(at).filter(|line| line.starts_with('|')).copied();
        while lines.get(at).is_some_and(|line| line.starts_with('|')) {
            at += 1;
        }
        made.push(String::new());
        made.extend(source.lines(report, head));
        if lines.get(at).is_some_and(|line| !line.is_empty()) {
            made.push(String::new());
        }
    }
    made.join("\n") + "\n"
}

fn check(is_meant: impl Fn(&Study) -> bool) {
    let _alone = PAGE.lock();
    let text = fs::read_to_string(path()).unwrap();
    let made = page(&text, is_meant);
    if std::env::var_os("RAILYARD_UPDATE").is_some() {
        fs::write(path(), made).unwrap();
        return;
    }
    let differs = text.lines().zip(made.lines()).enumerate().find(|(_, (there, made))| there != made);
    if let Some((line, (there, made))) = differs {
        let how = "RAILYARD_UPDATE=1 cargo test -p railyard-study --test page -- --include-ignored";
        panic!("docs/src/studies.md:{}: the study gives\n{made}\nin place of\n{there}\n{how}", line + 1);
    }
    assert_eq!(text.lines().count(), made.lines().count());
}

#[test]
fn tables_are_those_of_the_studies() {
    check(|study| study.network.is_none());
}

fn is_of_applications(study: &Study) -> bool {
    study.network == Some(StudyNetwork::Applications)
}

/// Whether SimGrid is there. CI can't do without.
fn has_simgrid() -> bool {
    let is_there = railyard_programs::find("smpirun".as_ref(), SIMGRID_PACKAGE, None).is_ok();
    if !is_there {
        assert!(std::env::var_os("CI").is_none(), "scripts/setup --simgrid did not install SimGrid");
        eprintln!("not run: SimGrid is not installed (scripts/setup --simgrid)");
    }
    is_there
}

#[test]
fn tables_of_applications_are_those_of_the_study() {
    if has_simgrid() {
        check(is_of_applications);
    }
}

fn is_of_caminos(study: &Study) -> bool {
    study.name == "caminos"
}

/// Its tables take a minute. They are made where CAMINOS is.
#[test]
#[ignore = "networks take minutes"]
fn tables_of_caminos_are_those_of_the_study() {
    match Caminos::new() {
        Ok(_) => check(is_of_caminos),
        Err(error) => eprintln!("not run: {error}"),
    }
}

/// Some minutes in a release build.
#[test]
#[ignore = "networks take minutes"]
fn tables_of_networks_are_those_of_the_studies() {
    check(|study| study.network.is_some() && !is_of_applications(study) && !is_of_caminos(study));
}

/// Each table comes from a study, so that none is typed; each study is on the page.
#[test]
fn no_table_is_typed() {
    let text = fs::read_to_string(path()).unwrap();
    let lines: Vec<&str> = text.lines().collect();
    let is_head = |at: usize| lines[at].starts_with('|') && (at == 0 || !lines[at - 1].starts_with('|'));
    for at in (0..lines.len()).filter(|&at| is_head(at)) {
        let before = lines[..at].iter().rfind(|line| !line.is_empty()).unwrap();
        assert!(before.starts_with(MARK), "docs/src/studies.md:{}: a table without a mark", at + 1);
    }
    for study in &STUDIES {
        let mark = format!("{MARK}{} ", study.name);
        assert!(lines.iter().any(|line| line.starts_with(&mark)), "{} is not on the page", study.name);
    }
}

//! `railyard report`: pages on switches, networks, sweeps and studies, and what is none of these.

use serde_json::Value;
use std::fs;
use std::path::Path;
use std::process::{Command, Output};

fn run(args: &[&str], environment: &[(&str, &str)]) -> Output {
    let mut command = Command::new(env!("CARGO_BIN_EXE_railyard"));
    command.args(args).envs(environment.iter().copied()).output().expect("the binary runs")
}

fn text(bytes: &[u8]) -> String {
    String::from_utf8_lossy(bytes).into_owned()
}

/// The answer of a command that ends well, quietly.
fn answer(args: &[&str]) -> String {
    let output = run(args, &[]);
    assert_eq!(output.status.code(), Some(0), "{args:?}: {}{}", text(&output.stdout), text(&output.stderr));
    assert!(output.stderr.is_empty(), "quiet in a pipe: {}", text(&output.stderr));
    text(&output.stdout)
}

/// The error of a report that can't be made.
fn refusal(source: &str) -> String {
    let output = run(&["report", source], &[]);
    assert_eq!(output.status.code(), Some(2), "{source}: {}", text(&output.stdout));
    text(&output.stderr)
}

fn root() -> &'static Path {
    Path::new(concat!(env!("CARGO_MANIFEST_DIR"), "/.."))
}

fn path(path: &Path) -> &str {
    path.to_str().expect("UTF-8")
}

/// A page has these sections, and nothing that a browser would fetch.
fn check_page(html: &str, sections: &[&str]) {
    assert!(html.starts_with("<!DOCTYPE html>\n") && html.ends_with("</html>\n"), "{html}");
    let ids: Vec<&str> = html.split("<section id=\"").skip(1).map(|rest| rest.split('"').next().unwrap()).collect();
    assert_eq!(ids, sections);
    let text = html.replace("http://www.w3.org/2000/svg", "");
    for reference in ["http:", "https:", "src=", "url(", "@import", "<link", "<script"] {
        assert!(!text.contains(reference), "{reference}");
    }
    assert!(html.contains("prefers-color-scheme: dark") && html.contains("@media print"));
    assert_eq!(html.matches("<svg").count(), html.matches("</svg>").count());
}

const SWITCH: [&str; 7] = ["diagram", "parameters", "pins", "curves", "area", "verification", "made"];

/// Short runs without tools.
const QUICK: [&str; 7] =
    ["--no-verify", "--no-estimate", "--loads=0.2,1.0", "--curve-cycles=2000", "--runs=2", "--seed=5", "tiny"];

fn quick(more: &[&str]) -> String {
    answer(&[&["report"], &QUICK[..], more].concat())
}

#[test]
fn a_verified_switch_is_shown_on_one_page() {
    let folder = tempfile::tempdir().unwrap();
    let file = folder.path().join("new/tiny.html");
    let args = ["--no-estimate", "--loads=0.5", "--curve-cycles=500", "--runs=1", "--cycles=2000"];
    let said = answer(&[&["report", "tiny"], &args[..], &["-o", path(&file)]].concat());
    assert_eq!(said, format!("wrote  {}\n", path(&file)));
    let html = fs::read_to_string(&file).unwrap();
    check_page(&html, &SWITCH);
    for part in ["Switch tiny", "Passed: every output", "cycles compared", "/ports</td>", "Verilator"] {
        assert!(html.contains(part), "{part}");
    }
    assert_eq!(fs::read_dir(file.parent().unwrap()).unwrap().count(), 1, "nothing but the page");
}

/// No date, no speed: the same seed gives the same bytes, another one other figures.
#[test]
fn the_same_seed_gives_the_same_page() {
    let page = quick(&[]);
    check_page(&page, &SWITCH);
    assert_eq!(page, quick(&[]));
    let other = [&["report"], &QUICK[..5], &["--seed=6", "tiny"]].concat();
    assert_ne!(page, answer(&other));
    // Saturated points are hollow; two runs have error bars; what was left out is said.
    for part in ["saturated, or not steady", "95 % confidence of", "left out (--no-verify)", "changed"] {
        assert!(page.contains(part), "{part}");
    }
}

#[test]
fn the_command_on_the_page_makes_it_again() {
    let page = quick(&[]);
    let command = page.split("<pre>railyard ").nth(1).and_then(|rest| rest.split("</pre>").next()).expect("a command");
    let words: Vec<&str> = command.split(' ').collect();
    let words = words.strip_suffix(&["-o", "report.html"]).expect("it names a file");
    assert_eq!(answer(words), page);
}

#[test]
fn json_has_what_the_page_has() {
    let page = quick(&[]);
    let json: Value = serde_json::from_str(&quick(&["--json"])).unwrap();
    let sections = json["sections"].as_object().unwrap();
    assert_eq!(sections.keys().collect::<Vec<_>>(), SWITCH);
    let parts = |section: &str| sections[section]["parts"].as_array().unwrap().clone();
    assert!(page.contains(parts("diagram")[0]["svg"].as_str().unwrap()));
    let curve = parts("curves").into_iter().find(|part| part["rows"].is_array()).expect("a table");
    assert_eq!(curve["rows"][1]["load"], 1.0);
    assert_eq!(curve["rows"][1]["state"], "saturated");
    assert_eq!(curve["rows"][1].as_object().unwrap().len(), 10, "no two columns have the same head");
}

#[test]
fn what_is_missing_is_said_on_the_page() {
    let args = ["report", "tiny", "--loads=0.2", "--curve-cycles=100", "--runs=1"];
    let output = run(&args, &[("PATH", "/nowhere")]);
    assert_eq!(output.status.code(), Some(0), "{}", text(&output.stderr));
    let page = text(&output.stdout);
    check_page(&page, &SWITCH);
    for part in ["Not verified:", "Verilator is missing (apt-get install verilator)", "Yosys is missing"] {
        assert!(page.contains(part), "{part}");
    }
}

#[test]
fn a_network_is_known_by_its_content() {
    let folder = tempfile::tempdir().unwrap();
    // Text from outside stays text.
    let file = folder.path().join("<b>net.json");
    fs::copy(root().join("configs/pictures/torus.json"), &file).unwrap();
    let page = answer(&["report", path(&file), "--loads=0.1,1", "--curve-cycles=300"]);
    check_page(&page, &["topology", "check", "curves", "parameters", "made"]);
    for part in ["no ring of channels", "Every packet arrived once", "&#60;b&#62;net.json"] {
        assert!(page.contains(part), "{part}");
    }
    assert!(!page.contains("<b>"), "nothing from outside is markup");
}

#[test]
fn a_sweep_is_known_by_its_folder() {
    let folder = tempfile::tempdir().unwrap();
    let (sweep, out) = (folder.path().join("sweep.json"), folder.path().join("out"));
    let text = r#"{ "base": "tiny", "vary": { "buffer_flits": [16, 32] },
        "simulate": { "cycles": 500, "load": [0.3, 0.6], "seed": [1, 2] },
        "plots": [{ "x": "load", "y": "latency_mean", "series": "buffer_flits" }] }"#;
    fs::write(&sweep, text).unwrap();
    answer(&["explore", path(&sweep), "-o", path(&out)]);
    let csv = out.join("results.csv");
    for source in [path(&out), path(&csv)] {
        let page = answer(&["report", source]);
        check_page(&page, &["plots", "points", "sweep", "made"]);
        assert!(page.contains("mean latency (cycles)") && page.contains("8 points"), "{source}");
    }
    assert!(refusal(path(&sweep)).contains("is a sweep; run `railyard explore`"));
}

#[test]
fn a_study_is_known_by_its_name() {
    let page = answer(&["report", "lookup-energy"]);
    check_page(&page, &["tables", "notes", "made"]);
    assert!(page.contains("power, W") && page.contains("published"));
}

#[test]
fn what_is_nothing_to_report_on_is_refused() {
    let folder = tempfile::tempdir().unwrap();
    let file = |name: &str, contents: &str| {
        let path = folder.path().join(name);
        fs::write(&path, contents).unwrap();
        path.to_str().unwrap().to_string()
    };
    for (source, said) in [
        (path(folder.path()).to_string(), "is no folder of `railyard explore`"),
        (file("results.csv", "a,b\n"), "is no folder of `railyard explore`, and no table in one"),
        (file("study.json", r#"{"study": "trace", "tables": {}}"#), "is the result of a study"),
        (file("tables.json", r#"{"routes": []}"#), "the tables of a network"),
        (file("text.json", "no JSON"), "not a legal switch description"),
        ("tinny".into(), "no such file, preset or study (did you mean `tiny`?)"),
    ] {
        let error = refusal(&source);
        assert!(error.contains(said), "{source}: {error}");
    }
    let network =
        file("net.json", r#"{"switch": "source16", "topology": {"kind": "fat_tree", "ports": 4, "levels": 2}}"#);
    for (args, said) in [
        (&[&network[..], "--cycles", "100"][..], "--cycles: changes nothing in the report of a network"),
        (&["lookup-energy", "--no-verify"], "--no-verify: changes nothing in the report of a study"),
        (&["lookup-energy", "--loads", "0.1"], "it is for that of a switch or a network"),
        (&["tiny", "--nodes", "128"], "--nodes: changes nothing in the report of a switch"),
    ] {
        let output = run(&[&["report"], args].concat(), &[]);
        let error = text(&output.stderr);
        assert!(output.status.code() == Some(2) && error.contains(said), "{args:?}: {error}");
    }
}

/// A page is written whole or not at all, and nothing is run for one that has no place.
#[test]
fn a_page_that_cant_be_made_leaves_what_was_there() {
    let folder = tempfile::tempdir().unwrap();
    let file = folder.path().join("page.html");
    fs::write(&file, "before").unwrap();
    let bad = run(&["report", "no-such-thing", "-o", path(&file)], &[]);
    assert_eq!((bad.status.code(), fs::read_to_string(&file).unwrap()), (Some(2), "before".into()));
    let taken = run(&["report", "tiny", "-o", path(folder.path())], &[]);
    assert!(text(&taken.stderr).contains("is a folder, not a file"), "{}", text(&taken.stderr));
    answer(&["report", "lookup-energy", "-o", path(&file)]);
    assert!(fs::read_to_string(&file).unwrap().starts_with("<!DOCTYPE html>"));
}

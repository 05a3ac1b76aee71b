//! The report of a design.

use super::{answer, write};
use serde_json::Value;

#[test]
fn a_report_says_what_there_was_to_measure() {
    let folder = tempfile::tempdir().unwrap();
    let uncached = r#"{"name": "x", "ports": 2, "routing": {"kind": "table", "cache": null}}"#;
    let uncached = write(folder.path(), "uncached.json", uncached);
    let report = answer(&["simulate", &uncached, "--cycles", "200000"]);
    assert!(report.contains("no cache") && !report.contains('%'), "{report}");
    let json: Value = serde_json::from_str(&answer(&["simulate", &uncached, "--cycles", "2000", "--json"])).unwrap();
    assert!(json["hit_rate"].is_null(), "{json}");
    let empty = write(folder.path(), "empty.trace", "# nothing\n");
    let report = answer(&["simulate", "tiny", "--traffic-file", &empty, "--cycles", "100"]);
    assert!(report.contains("file has none") && report.contains("latency, mean             -\n"), "{report}");
    assert!(report.contains("latency, p50 / p99 / max  - / - / - cycles"), "{report}");
    let one = write(folder.path(), "one.trace", "5 0 1 1\n");
    let one = ["simulate", "tiny", "--traffic-file", &one, "--cycles", "100"];
    let report = answer(&one);
    assert!(
        report.contains("unknown: see notes") && report.contains("note: a trace is measured as a whole"),
        "{report}"
    );
    let late = write(folder.path(), "late.trace", "98 0 1 1\n");
    let late = ["simulate", "tiny", "--traffic-file", &late, "--cycles", "100", "--json"];
    let json: Value = serde_json::from_str(&answer(&late)).unwrap();
    assert!(["mean", "p50", "p99", "max"].iter().all(|kind| json[format!("latency_{kind}")].is_null()), "{json}");
}

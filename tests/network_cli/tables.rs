//! Tables and trees go out and come back.

use super::{example, file, network, report, text};
use serde_json::{json, Value};
use std::fs;

#[test]
fn tables_go_out_and_come_back_and_planted_faults_are_refused() {
    let folder = tempfile::tempdir().unwrap();
    let tables = folder.path().join("tables.json");
    network(&["check", &example("wiring.json"), "--write-tables", tables.to_str().unwrap()], 0);
    let again = network(&["check", &example("wiring.json"), "--write-tables", tables.to_str().unwrap()], 2);
    assert!(text(&again.stderr).contains("exists"), "nothing is overwritten");
    let below = tables.join("below.json");
    let early = network(&["check", "no_such_file.json", "--write-tables", below.to_str().unwrap()], 2);
    assert!(text(&early.stderr).contains("tables.json: is a file, not a folder"), "{}", text(&early.stderr));
    fs::copy(example("ring_with_chord.json"), folder.path().join("ring_with_chord.json")).unwrap();
    let mut value: Value = serde_json::from_str(&fs::read_to_string(example("wiring.json")).unwrap()).unwrap();
    value["tables"] = json!("tables.json");
    let path = file(folder.path(), "net.json", &value);
    let path = path.to_str().unwrap();
    network(&["run", path, "--cycles", "200"], 0);
    let refused = |change: &dyn Fn(&mut Value)| {
        let mut value: Value = serde_json::from_str(&fs::read_to_string(&tables).unwrap()).unwrap();
        let sound = value.clone();
        change(&mut value);
        fs::write(&tables, value.to_string()).unwrap();
        let error = text(&network(&["check", path], 2).stderr);
        fs::write(&tables, sound.to_string()).unwrap();
        error
    };
    let error = refused(&|v| v["routes"][2][11] = Value::Null);
    assert!(error.contains("no way from node 4 to node 11: switch 2 has no route"), "{error}");
    let around = |v: &mut Value| {
        let routes = v["routes"].as_array_mut().unwrap().iter_mut().enumerate();
        routes.for_each(|(switch, row)| {
            let row = row.as_array_mut().unwrap().iter_mut().enumerate();
            row.filter(|(node, _)| node / 2 != switch).for_each(|(_, entry)| *entry = json!(1));
        });
    };
    let error = refused(&around);
    assert!(error.contains("deadlock: switch 0 port 1 VC 0 -> switch 1 port 1 VC 0 ->"), "{error}");
    let error = refused(&|v| v["routes"][0][0] = json!(99));
    assert!(error.contains("tables.json") && error.contains("/routes/0/0: 99 is no port"), "{error}");
}

#[test]
fn tables_and_trees_of_multicast_and_barriers_that_come_back_run_the_same() {
    let folder = tempfile::tempdir().unwrap();
    let mut value: Value = serde_json::from_str(&fs::read_to_string(example("verified.json")).unwrap()).unwrap();
    // A tree of a file is a group of its own, so that each group has one.
    value["multicast"]["roots"] = json!(1);
    value["barriers"]["sets"] = json!([[0, 1, 2, 3, 4, 5, 6, 7], [1, 6], [7, 0, 3]]);
    value["faults"]["links_down"] = json!([{"link": [0, 2], "cycle": 1_500}]);
    let computed = file(folder.path(), "computed.json", &value);
    let computed = computed.to_str().unwrap();
    let tables = folder.path().join("tables.json");
    network(&["check", computed, "--write-tables", tables.to_str().unwrap()], 0);
    let written: Value = serde_json::from_str(&fs::read_to_string(&tables).unwrap()).unwrap();
    assert_eq!((written["trees"].as_array().unwrap().len(), written["barriers"].as_array().unwrap().len()), (2, 3));
    value["tables"] = json!("tables.json");
    for sets in ["multicast", "barriers"] {
        let path = file(folder.path(), "read.json", &value);
        let error = text(&network(&["check", path.to_str().unwrap()], 2).stderr);
        assert!(error.contains(&format!("/{sets}/sets: ")) && error.contains("legal: leave it out"), "{error}");
        value[sets].as_object_mut().unwrap().remove("sets");
    }
    let read = file(folder.path(), "read.json", &value);
    let first = report(&[computed, "--cycles", "3000"]);
    assert!(first["barriers"]["groups"][1]["barriers"].as_u64().unwrap() > 10, "{first}");
    assert_eq!(first["outages"].as_array().unwrap().len(), 1);
    assert_eq!(first, report(&[read.to_str().unwrap(), "--cycles", "3000"]));
}

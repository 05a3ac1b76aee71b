//! Networks come from other tools, and go to others.

use super::{network, text};
use serde_json::Value;
use std::fs;

/// A file of another tool comes in, is checked, and goes out as a graph and as a platform.
#[test]
fn networks_come_from_other_tools_and_go_to_others() {
    let folder = tempfile::tempdir().unwrap();
    let place = |name: &str| folder.path().join(name).to_str().unwrap().to_string();
    let foreign = place("anynet_file");
    fs::write(&foreign, "router 0 node 0 node 1 router 1 15\nrouter 1 node 2 node 3 router 0 15\n").unwrap();
    let made = place("made.json");
    let import = ["import", &foreign, "--from", "anynet", "-o", &made];
    let table = text(&network(&import, 0).stdout);
    assert!(table.contains("ports of a switch       3 or more") && table.contains("made.json"), "{table}");
    assert!(text(&network(&["check", &made], 0).stdout).contains("no ring of channels"));
    assert!(text(&network(&import, 2).stderr).contains("exists; remove it first"));
    let refused = ["import", &foreign, "--from", "graphml", "-o", &place("other.json"), "--json"];
    let answer: Value = serde_json::from_slice(&network(&refused, 2).stdout).unwrap();
    assert_eq!(answer["faults"][0]["path"], "line 1", "{answer}");
    // A switch that the file could not be read with is refused before anything is written.
    let other = place("other.json");
    let with = |switch: &str| {
        let import = ["import", &foreign, "--from", "anynet", "-o", &other, "--switch", switch, "--json"];
        let answer: Value = serde_json::from_slice(&network(&import, 2).stdout).unwrap();
        assert!(answer["error"].as_str().unwrap().starts_with(&format!("--switch {switch}: ")), "{answer}");
        assert_eq!(answer["faults"][0]["path"], "/switch", "{answer}");
        ["value", "rule", "legal"].map(|key| answer["faults"][0][key].as_str().unwrap().to_string())
    };
    let [value, rule, legal] = with("hcp16");
    assert_eq!((value.as_str(), legal.as_str()), ("\"hcp16\"", "\"hpc16\""));
    assert_eq!(rule, "is neither a preset nor a file (did you mean `hpc16`?)");
    let [value, rule, legal] = with("tiny");
    assert_eq!((value.as_str(), legal.as_str()), ("\"tiny\"", "a switch of 3 ports or more"));
    assert_eq!(rule, "has 2 ports, and the network needs 3");
    assert!(with("../x.json")[1].contains("neither a preset nor a file") && with(".")[1].contains("can't be read"));
    assert!(!fs::exists(&other).unwrap());
    // A file is looked for beside the network file, and named as it was given.
    fs::create_dir(place("networks")).unwrap();
    fs::write(place("x.json"), r#"{"name": "x", "ports": 4}"#).unwrap();
    let below = place("networks/with.json");
    network(&["import", &foreign, "--from", "anynet", "-o", &below, "--switch", "../x.json"], 0);
    let written: Value = serde_json::from_str(&fs::read_to_string(&below).unwrap()).unwrap();
    assert_eq!(written["switch"], "../x.json");
    network(&["check", &below], 0);
    let option = ["import", &foreign, "--from", "anynet", "-o", &place("other.json"), "--uplinks", "2"];
    assert!(text(&network(&option, 2).stderr).contains("--uplinks: is an option of --from topology-conf only"));

    let graph = text(&network(&["export", &made, "--to", "dot"], 0).stdout);
    assert!(graph.starts_with("graph {") && graph.contains("taillabel = 2 headlabel = 2 label = 15"), "{graph}");
    let platform = place("platform.xml");
    network(&["export", &made, "--to", "simgrid", "--clock", "500", "-o", &platform], 0);
    let platform = fs::read_to_string(platform).unwrap();
    let link = "<link id=\"link_0_2_1_2\" bandwidth=\"32000Mbps\" latency=\"30ns\" sharing_policy=\"SPLITDUPLEX\"/>";
    let route = "<route src=\"node3\" dst=\"node0\" symmetrical=\"NO\"><link_ctn id=\"link_node3\" direction=\"UP\"/>\
        <link_ctn id=\"switch1\"/><link_ctn id=\"link_0_2_1_2\" direction=\"DOWN\"/><link_ctn id=\"switch0\"/>\
        <link_ctn id=\"link_node0\" direction=\"DOWN\"/></route>";
    assert!(platform.contains(link) && platform.contains(route), "{platform}");
    let shortest = text(&network(&["export", &made, "--to", "simgrid", "--shortest"], 0).stdout);
    assert!(shortest.contains("<route src=\"router1\" dst=\"router0\"") && shortest.contains("Dijkstra"), "{shortest}");
}

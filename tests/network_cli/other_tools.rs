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

//! The network file: the examples are networks, faults are told by path and value.

use railyard_network::description::Input;
use serde_json::{json, Value};
use std::path::Path;

fn examples() -> &'static Path {
    Path::new(concat!(env!("CARGO_MANIFEST_DIR"), "/../configs/networks"))
}

fn error(value: &Value) -> String {
    Input::read(&value.to_string(), examples()).expect_err("a fault").to_string()
}

#[test]
fn the_examples_are_networks() {
    let sizes =
        [("fat_tree", 12, 32), ("torus", 48, 48), ("wiring", 6, 12), ("barriers", 24, 128), ("dawning1024", 320, 1024)];
    for (name, switches, nodes) in sizes {
        let text = std::fs::read_to_string(examples().join(format!("{name}.json"))).unwrap();
        let input = Input::read(&text, examples()).unwrap_or_else(|e| panic!("{name}: {e}"));
        assert_eq!(
            (input.blueprint.wiring.switches(), input.blueprint.wiring.nodes().len()),
            (switches, nodes),
            "{name}"
        );
    }
}

#[test]
fn a_link_that_goes_down_has_two_names() {
    let with = |link: [usize; 2]| {
        let faults = json!({"links_down": [{"link": link, "cycle": 1}]});
        let value = json!({"switch": "hpc16", "topology": {"kind": "mesh", "radix": [3, 3]}, "faults": faults});
        Input::read(&value.to_string(), examples()).expect("a network").blueprint
    };
    assert_eq!(
        with([0, 1]).without((0, 1).into()).unwrap().wiring,
        with([1, 2]).without((1, 2).into()).unwrap().wiring
    );
}

#[test]
fn faults_name_path_value_and_rule() {
    let sound = json!({"switch": "hpc16", "topology": {"kind": "mesh", "radix": [3, 3]}});
    assert!(Input::read(&sound.to_string(), examples()).is_ok());
    let with = |change: &dyn Fn(&mut Value)| {
        let mut value = sound.clone();
        change(&mut value);
        error(&value)
    };
    let too_many_for_the_chip = |v: &mut Value| {
        v["switch"] = "table16".into();
        v["topology"] = json!({"kind": "mesh", "radix": [10, 10], "nodes": 11});
    };
    for (text, parts) in [
        (with(&|v| v["speed"] = 3.into()), ["/speed: 3 is not a field here", "link_latency"]),
        (with(&|v| v["topology"]["levels"] = 3.into()), ["/topology/levels", "is not a field here"]),
        (with(&|v| v["topology"]["radix"] = json!([1, 3])), ["/topology/radix/0: 1", "at least 2"]),
        (with(&|v| v["topology"]["kind"] = "star".into()), ["/topology/kind: \"star\"", "fat_tree"]),
        (with(&|v| v["switch"] = "nothing".into()), ["/switch: \"nothing\"", "neither a preset nor a file"]),
        (with(&|v| v["switch"] = json!({"name": "x", "ports": 1})), ["/switch/ports: 1", "at least 2"]),
        (with(&|v| v["switch"] = "tiny".into()), ["/topology/nodes", "needs 5 ports"]),
        (with(&too_many_for_the_chip), ["/switch: switch 0: its forwarding table", "has 1024 entries, and"]),
        (with(&|v| v["traffic"] = json!({"load": 1.5})), ["/traffic/load: 1.5", "at most 1"]),
        (with(&|v| v["tables"] = "none.json".into()), ["none.json", "No such file"]),
        (with(&|v| v["tables"] = "ring_with_chord.json".into()), ["ring_with_chord.json", "/routes"]),
        (with(&|v| v["multicast"] = json!({"sets": "all"})), ["/multicast", "mixed virtual channel"]),
        (with(&|v| v["barriers"] = json!({})), ["/barriers", "barrier virtual channel"]),
        (with(&|v| v["barriers"] = json!({"rate": 2})), ["/barriers/rate: 2", "at most 1"]),
        (with(&|v| v["barriers"] = json!({"timers": {"scale": 16}})), ["/barriers/timers/scale: 16", "at most 15"]),
        (
            with(&|v| v["barriers"] = json!({"sets": {"groups": 1, "members": 10}})),
            ["/barriers/sets/members: 10", "at most the number of nodes"],
        ),
        (
            with(&|v| v["topology"] = json!({"kind": "torus", "radix": [5]})),
            ["deadlock: switch 0 port 1 VC 0", "-> switch 0"],
        ),
        (
            with(&|v| v["faults"] = json!({"links_down": [{"link": [0, 0], "cycle": 1}]})),
            ["/faults/links_down/0/link: [0,0] must be", "switch 0 port 0 is no link: there is node 0; legal: [0,1]"],
        ),
        (
            with(&|v| v["faults"] = json!({"links_down": [{"link": [0, 16], "cycle": 1}]})),
            ["/faults/links_down/0/link: [0,16]", "there is no such port"],
        ),
        (
            with(&|v| {
                v["faults"] = json!({"links_down": [{"link": [0, 1], "cycle": 5}, {"link": [1, 2], "cycle": 9}]})
            }),
            [
                "/faults/links_down/1/link: [1,2] is the link of /faults/links_down/0",
                "from switch 1 port 2 to switch 0 port 1",
            ],
        ),
        (
            with(&|v| {
                v["topology"] = json!({"kind": "mesh", "radix": [3]});
                v["faults"] = json!({"links_down": [{"link": [0, 1], "cycle": 5}]});
            }),
            ["/faults/links_down/0/link: [0,1] can't be spared", "no way from node 1 to node 0"],
        ),
    ] {
        assert!(parts.iter().all(|part| text.contains(part)), "{text}\n  should say {parts:?}");
    }
}

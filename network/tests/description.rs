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
        (
            with(&too_many_for_the_chip),
            ["/switch: \"table16\" does not suffice: switch 0: its forwarding table", "has 1024 entries, and"],
        ),
        (with(&|v| v["traffic"] = json!({"load": 1.5})), ["/traffic/load: 1.5", "at most 1"]),
        (with(&|v| v["tables"] = "none.json".into()), ["none.json", "No such file"]),
        (
            with(&|v| v["tables"] = "ring_with_chord.json".into()),
            ["ring_with_chord.json", "this is the wiring of a network"],
        ),
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
        (
            with(&|v| v["faults"] = json!({"links_break": [{"link": [0, 9], "cycle": 1}]})),
            ["/faults/links_break/0/link: [0,9] must be", "nothing is wired to it; legal: [0,1]"],
        ),
        (
            with(&|v| {
                v["faults"] = json!({"links_break": [{"link": [0, 1], "cycle": 5}, {"link": [1, 2], "cycle": 9}]})
            }),
            [
                "/faults/links_break/1/link: [1,2] is the link of /faults/links_break/0",
                "only once; legal: leave it out",
            ],
        ),
        (
            with(&|v| {
                let (down, broken) = (json!([{"link": [0, 1], "cycle": 5}]), json!([{"link": [1, 2], "cycle": 9}]));
                v["faults"] = json!({"links_down": down, "links_break": broken});
            }),
            ["/faults/links_break/0/link: [1,2] is the link of /faults/links_down/0", "can go only once"],
        ),
        (
            with(&|v| {
                let (down, broken) = (json!([{"link": [0, 1], "cycle": 9}]), json!([{"link": [4, 1], "cycle": 9}]));
                v["faults"] = json!({"links_down": down, "links_break": broken});
            }),
            ["/faults/links_down/0/cycle: 9 must be below 9, the cycle of /faults/links_break/0", "legal: 8"],
        ),
    ] {
        assert!(parts.iter().all(|part| text.contains(part)), "{text}\n  should say {parts:?}");
    }
}

/// Whatever a run would refuse is a fault of the file, by its own check, and the legal value heals it.
#[test]
fn a_file_that_can_not_be_run_is_at_fault() {
    let relative = json!({"name": "r", "ports": 5, "flow_control": "relative"});
    let mesh = json!({"kind": "mesh", "radix": [3, 3]});
    for (switch, path, value, rule) in [
        (json!("hpc16"), "/traffic/length", json!(99), "must be 1 (header, source and number of a packet) to 8 flits"),
        (json!("hpc16"), "/traffic/pattern", json!("multicast"), "needs multicast groups"),
        (json!("hpc16"), "/traffic/multicast", json!(0.25), "needs multicast groups"),
        (relative.clone(), "/faults/lost_credits", json!(0.125), "needs absolute credits"),
        (relative, "/faults/corrupt_credits", json!(0.125), "needs absolute credits"),
        (
            json!("hpc16"),
            "/faults/lost_messages",
            json!(0.125),
            "needs a switch with messages, of barriers or between routers",
        ),
        (
            json!("hpc16"),
            "/faults/corrupt_messages",
            json!(0.125),
            "needs a switch with messages, of barriers or between routers",
        ),
        (json!("hpc16"), "/unicast_on_mixed", json!(true), "needs a switch with a mixed virtual channel"),
    ] {
        let mut file =
            json!({"switch": switch, "topology": mesh, "traffic": {}, "faults": {}, "unicast_on_mixed": false});
        let (place, field) = path.rsplit_once('/').unwrap();
        file.pointer_mut(place).unwrap()[field] = value.clone();
        let faults = Input::read(&file.to_string(), examples()).expect_err(path).faults.first;
        let [fault] = &faults[..] else { panic!("{faults:?}") };
        assert_eq!((&fault.path[..], &fault.value), (path, &value.to_string()));
        assert!(fault.rule.contains(rule), "{fault}");
        file.pointer_mut(place).unwrap()[field] = serde_json::from_str(&fault.legal).unwrap();
        Input::read(&file.to_string(), examples()).unwrap_or_else(|error| panic!("{error}"));
    }
}

#[test]
fn messages_that_no_node_sends_can_get_lost() {
    let faults = json!({"lost_messages": 0.1, "corrupt_messages": 0.1});
    let file = json!({"switch": "dawning16", "topology": {"kind": "mesh", "radix": [3, 3]}, "faults": faults});
    Input::read(&file.to_string(), examples()).unwrap_or_else(|error| panic!("{error}"));
}

#[test]
fn packets_without_room_for_their_identity_are_a_fault_of_the_switch() {
    let switch = json!({"name": "s", "ports": 6, "flit_bits": 16, "packet": {"max_flits": 2}});
    let error = error(&json!({"switch": switch, "topology": {"kind": "mesh", "radix": [3, 3]}}));
    assert!(error.contains("/switch: packets of 2 flits are too short: header, source and number need 3"), "{error}");
    assert!(error.contains("legal: a switch with `packet.max_flits` of 3 or more"), "{error}");
}

#[test]
fn all_faults_of_a_wiring_are_told_at_once() {
    let links = json!([[[0, 1], [1, 1]], [[0, 1], [7, 0]], [[1, 2], [1, 2]], [[0, 16], [1, 1]]]);
    let wiring = json!({"switches": 2, "links": links, "nodes": [[0, 0], [1, 0], [1, 0], [2, 0]]});
    let expected = [
        ("/links/1/0", "[0,1]", "switch 0 port 1: is wired already by links/0/0"),
        ("/links/1/1", "[7,0]", "switch 7 port 0: there is no such port"),
        ("/links/2/1", "[1,2]", "switch 1 port 2: is wired already by links/2/0"),
        ("/links/3/0", "[0,16]", "switch 0 port 16: there is no such port"),
        ("/links/3/1", "[1,1]", "switch 1 port 1: is wired already by links/0/1"),
        ("/nodes/2", "[1,0]", "switch 1 port 0: is wired already by nodes/1"),
        ("/nodes/3", "[2,0]", "switch 2 port 0: there is no such port"),
    ];
    let folder = tempfile::tempdir().unwrap();
    std::fs::write(folder.path().join("wiring.json"), wiring.to_string()).unwrap();
    let mut inline = wiring;
    inline["kind"] = json!("wiring");
    for (topology, prefix) in [(inline, "/topology"), (json!({"kind": "file", "path": "wiring.json"}), "")] {
        let file = json!({"switch": "hpc16", "topology": topology});
        let faults = Input::read(&file.to_string(), folder.path()).expect_err("faults").faults.first;
        let told: Vec<(String, &str, &str)> =
            faults.iter().map(|f| (f.path.clone(), &f.value[..], &f.rule[..])).collect();
        let expected = expected.map(|(path, value, rule)| (format!("{prefix}{path}"), value, rule));
        assert_eq!(told, expected);
    }
}

/// Networks of few switches in which each part of a file is used.
fn samples() -> Vec<Value> {
    let row = json!({"kind": "wiring", "switches": 3, "links": [[[0, 0], [1, 0]], [[1, 1], [2, 1]], [[0, 2], [2, 2]]],
        "nodes": [[0, 1], [1, 2], [2, 0], [2, 3]]});
    let faults = json!({"lost_credits": 0.1, "lost_messages": 0.1, "links_down": [{"link": [0, 0], "cycle": 5}],
        "links_break": [{"link": [2, 1], "cycle": 9}]});
    vec![
        json!({"switch": "dawning16", "topology": row, "link_latency": 2, "unicast_on_mixed": true,
            "multicast": {"sets": [[0, 1], [1, 2, 3]], "roots": 2, "selection": "llp", "load_messages": {"period": 9}},
            "barriers": {"sets": {"groups": 2, "members": 3}, "rate": 0.1, "timers": {"urge": 9}},
            "traffic": {"pattern": "multicast", "load": 0.1, "length": 4}, "faults": faults}),
        json!({"switch": "hpc16", "topology": {"kind": "mesh", "radix": [4, 4], "nodes": 2}}),
        json!({"switch": "dawning16", "topology": {"kind": "fat_tree", "ports": 8, "levels": 2}, "multicast": {"sets": "all"},
            "traffic": {"multicast": 0.5}}),
        json!({"switch": "hpc16", "topology": {"kind": "file", "path": "row.json"}}),
    ]
}

fn wrong_values() -> impl Iterator<Item = Value> {
    [json!(null), json!("x"), json!(-1), json!(99_999), json!(0), json!([[]])].into_iter()
}

/// The paths of all values inside one.
fn paths(value: &Value, path: &str) -> Vec<String> {
    let inside: Vec<(String, &Value)> = match value {
        Value::Object(fields) => fields.iter().map(|(key, value)| (key.clone(), value)).collect(),
        Value::Array(items) => items.iter().enumerate().map(|(i, value)| (i.to_string(), value)).collect(),
        _ => Vec::new(),
    };
    let below = inside.into_iter().flat_map(|(key, value)| paths(value, &format!("{path}/{key}")));
    std::iter::once(path.to_string()).chain(below).collect()
}

/// Each legal value that is JSON is put in the place of what is wrong: then nothing is wrong there. Whether another
/// switch suffices is left open.
#[test]
fn legal_values_are_legal() {
    let folder = tempfile::tempdir().unwrap();
    let row = samples()[0]["topology"].clone();
    let wiring = json!({"switches": row["switches"], "links": row["links"], "nodes": row["nodes"]});
    std::fs::write(folder.path().join("row.json"), wiring.to_string()).unwrap();
    let read = |file: &Value| Input::read(&file.to_string(), folder.path()).map_err(|error| error.faults.first);
    for sound in samples() {
        read(&sound).unwrap_or_else(|faults| panic!("{faults:?}"));
        let paths = paths(&sound, "").into_iter().filter(|path| !["", "/switch"].contains(&&path[..]));
        for (path, wrong) in paths.flat_map(|path| wrong_values().map(move |wrong| (path.clone(), wrong))) {
            let mut file = sound.clone();
            *file.pointer_mut(&path).unwrap() = wrong;
            let Err(faults) = read(&file) else { continue };
            let mut put = Vec::new();
            for fault in &faults {
                let Ok(legal) = serde_json::from_str::<Value>(&fault.legal) else { continue };
                if let Some(place) = file.pointer_mut(&fault.path) {
                    *place = legal;
                    put.push(&fault.path[..]);
                }
            }
            let still = read(&file).err().unwrap_or_default();
            let bad = still.iter().find(|fault| put.iter().any(|put| fault.path.starts_with(put)));
            assert!(bad.is_none(), "{path}: {faults:?}, and then {bad:?}");
        }
    }
}

/// Path, value, rule and legal value of what a network can't be built for.
#[test]
fn what_does_not_fit_together_is_told_by_path_too() {
    let folder = tempfile::tempdir().unwrap();
    let write = |name: &str, value: Value| std::fs::write(folder.path().join(name), value.to_string()).unwrap();
    let links = json!([[[0, 1], [1, 1]]]);
    write("cut.json", json!({"switches": 2, "nodes": [[0, 0], [1, 0]]}));
    write("twice.json", json!({"switches": 2, "links": links, "nodes": [[0, 0], [1, 1]]}));
    write("tables.json", json!({"routes": [[0, null], [1, 0]]}));
    let pair = json!({"kind": "wiring", "switches": 2, "links": links, "nodes": [[0, 0], [1, 0]]});
    let cases = [
        (
            json!({"topology": {"kind": "fat_tree", "ports": 5, "levels": 2}}),
            None,
            "/topology/ports",
            "5",
            "be even",
            "4",
        ),
        (
            json!({"topology": {"kind": "fat_tree", "ports": 18, "levels": 2}}),
            None,
            "/topology/ports",
            "18",
            "at most 16",
            "16",
        ),
        (
            json!({"topology": {"kind": "fat_tree", "ports": 16, "levels": 6}}),
            None,
            "/topology/levels",
            "6",
            "more than",
            "2",
        ),
        (
            json!({"topology": {"kind": "mesh", "radix": [3, 3], "nodes": 13}}),
            None,
            "/topology/nodes",
            "13",
            "17 ports",
            "12",
        ),
        (
            json!({"topology": {"kind": "mesh", "radix": [256, 256]}}),
            None,
            "/topology/radix",
            "[256,256]",
            "more than",
            "[2,2]",
        ),
        (
            json!({"topology": {"kind": "torus", "radix": [5]}}),
            None,
            "/tables",
            "\"computed\"",
            "can deadlock: ",
            "next_vc",
        ),
        (
            json!({"switch": "source16", "topology": {"kind": "torus", "radix": [5]}}),
            None,
            "/tables",
            "\"computed\"",
            "can deadlock: ",
            "\"algorithm\": \"up_down\", or \"shortest\" with 2",
        ),
        (
            json!({"switch": "sorce16", "topology": {"kind": "torus", "radix": [5]}}),
            None,
            "/switch",
            "\"sorce16\"",
            "is neither a preset nor a file",
            "\"source16\"",
        ),
        (
            json!({"topology": {"kind": "file", "path": "cut.json"}}),
            None,
            "/topology/kind",
            "\"wiring\"",
            "leaves no way",
            "links",
        ),
        (
            json!({"topology": {"kind": "file", "path": "twice.json"}}),
            Some("twice.json"),
            "/nodes/1",
            "[1,1]",
            "is wired already by links/0/1",
            "a free port of switch 1: 0, 2, 3, ",
        ),
        (
            json!({"topology": {"kind": "file", "path": "none.json"}}),
            None,
            "/topology/path",
            "\"none.json\"",
            "can't be read: No such file",
            "a file beside",
        ),
        (
            json!({"topology": pair, "tables": "tables.json"}),
            Some("tables.json"),
            "/routes/0/1",
            "null",
            "leaves no way from node 0 to node 1: switch 0 has no route",
            "a port on a way to node 1",
        ),
        (
            json!({"switch": "source16", "topology": {"kind": "mesh", "radix": [20]}}),
            None,
            "/switch",
            "\"source16\"",
            "does not suffice: from node",
            "routing.hops",
        ),
        (
            json!({"switch": "dawning16", "topology": pair, "barriers": {"sets": [[0, 1], [1, 1]]}}),
            None,
            "/barriers/sets/1/1",
            "1",
            "is there twice",
            "leave it out",
        ),
        (
            json!({"switch": "dawning16", "topology": pair, "barriers": {"sets": {"groups": 33, "members": 2}}}),
            None,
            "/barriers",
            "\"members\":2",
            "makes 33 groups, and the switch has 32",
            "up to 32",
        ),
        (
            json!({"switch": "dawning16", "topology": pair, "multicast": {"sets": [[0, 1], [0, 2]]}}),
            None,
            "/multicast/sets/1",
            "[0,2]",
            "node 2 does not exist",
            "nodes 0 to 1",
        ),
        (
            json!({"switch": "dawning16", "topology": pair, "multicast": {"sets": {"groups": 300, "members": 2}}}),
            None,
            "/multicast",
            "300",
            "makes 300 trees, and the switch has 256",
            "up to 256",
        ),
        (
            json!({"topology": pair, "multicast": {"sets": "all"}}),
            None,
            "/multicast",
            "\"all\"",
            "mixed virtual channel",
            "leave it out",
        ),
        (
            json!({"switch": "torus16", "topology": pair}),
            None,
            "/switch",
            "\"torus16\"",
            "algorithmic routing needs",
            "table routing",
        ),
    ];
    for (mut value, file, path, stands, rule, legal) in cases {
        value.as_object_mut().unwrap().entry("switch").or_insert_with(|| "hpc16".into());
        let error = Input::read(&value.to_string(), folder.path()).expect_err(path);
        assert_eq!(error.file.as_deref(), file.map(|name| folder.path().join(name)).as_deref(), "{error}");
        let [fault] = &error.faults.first[..] else { panic!("{error}") };
        assert_eq!(fault.path, path, "{error}");
        let parts = [(&fault.value, stands), (&fault.rule, rule), (&fault.legal, legal)];
        assert!(parts.iter().all(|(text, part)| text.contains(part)), "{error}\n  should say {parts:?}");
    }
}

/// What a ring is told to change leaves no ring.
#[test]
fn the_repairs_of_a_ring_are_repairs() {
    let ring = |vcs: u32, mut routing: Value, algorithm: &str| {
        if routing["kind"] == "source" {
            routing["hops"] = 4.into();
        }
        let switch = json!({"name": "s", "ports": 4, "virtual_channels": {"unicast": vcs}, "routing": routing});
        let network = json!({"switch": switch, "topology": {"kind": "torus", "radix": [5]}, "algorithm": algorithm});
        Input::read(&network.to_string(), examples()).map(|_| ()).map_err(|error| error.to_string())
    };
    let next_vc = "a switch with `routing.next_vc` and 2 unicast VCs";
    for (kind, advice) in [("source", "\"algorithm\": "), ("table", next_vc), ("algorithmic", next_vc)] {
        let told = ring(1, json!({"kind": kind}), "by_topology").unwrap_err();
        assert!(told.contains(&format!("; legal: {advice}")), "{told}");
        if kind != "source" {
            assert_eq!(ring(2, json!({"kind": kind, "next_vc": true}), "by_topology"), Ok(()), "{kind}");
        }
        for (algorithm, vcs) in [("up_down", 1), ("shortest", 2)].into_iter().filter(|_| kind != "algorithmic") {
            assert!(told.contains(&format!("\"{algorithm}\"")), "{told}");
            assert_eq!(ring(vcs, json!({"kind": kind}), algorithm), Ok(()), "{kind}");
        }
    }
}

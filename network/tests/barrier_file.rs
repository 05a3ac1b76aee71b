//! Barrier trees in a tables file: what is written comes back and runs the same, and what is no tree is told by path,
//! value and rule.

mod common;

use common::*;
use railyard_network::blueprint::{Blueprint, BlueprintError, Plan};
use railyard_network::description::Input;
use railyard_network::harness::{BarrierTimers, Pattern, Run};
use railyard_network::multicast::Tree;
use railyard_network::tables::TablesFile;
use railyard_network::topology::Topology;
use serde_json::{json, Value};
use std::fs;
use std::path::Path;

fn switch(ports: u32) -> railyard_spec::Config {
    let mut config = source(ports, 8);
    config.virtual_channels.barrier = 1;
    config.barrier.groups = 8;
    config
}

fn sets(nodes: usize) -> Vec<Vec<usize>> {
    vec![(0..nodes).collect(), (0..nodes).step_by(2).collect(), vec![0, 1], vec![1, nodes / 2, nodes - 1]]
}

fn barriers() -> Run {
    let barrier_timers = BarrierTimers { retransmit: 15, urge: 40, scale: 3 };
    let mut run = Run { barriers: 0.05, lost_messages: 0.01, barrier_timers, ..run(Pattern::Uniform, 0.2) };
    run.traffic.multicast = 0.2;
    run
}

/// The plan that a blueprint's tables and trees make once they have been a text.
fn read_back(blueprint: &Blueprint) -> Plan {
    let trees: Vec<Tree> = blueprint.trees().cloned().collect();
    let text = serde_json::to_string(&TablesFile::new(&blueprint.tables, &trees, &blueprint.barriers)).unwrap();
    let file: TablesFile = serde_json::from_str(&text).unwrap();
    let (wiring, shape) = (&blueprint.wiring, &blueprint.plan.shape);
    Plan {
        tables: Some(file.tables(wiring, shape.vcs, shape.next_vc).unwrap()),
        trees: Some(file.trees(wiring).unwrap()),
        barrier_trees: Some(file.barriers(wiring).unwrap()),
        sets: Vec::new(),
        barriers: Vec::new(),
        ..blueprint.plan.clone()
    }
}

#[test]
fn trees_that_were_a_text_run_the_same() {
    for topology in [fat_tree(4, 3), fat_tree(8, 2), ring()] {
        let groups = sets(topology.wiring(8).unwrap().nodes().len());
        let computed = Plan { sets: groups.clone(), barriers: groups, ..plan(&switch(8), topology) };
        let read = read_back(&Blueprint::new(computed.clone()).unwrap());
        let first = faultless(network(computed, &barriers()), 3_000);
        assert!(first.barriers.as_ref().unwrap().groups.iter().all(|kind| kind.barriers > 10), "{first:?}");
        assert_eq!(first, faultless(network(read, &barriers()), 3_000));
    }
}

/// A chain of switches serves as well as the star that is computed, until a link of it goes down: then all trees are
/// computed.
#[test]
fn trees_of_a_file_are_run_and_give_way_to_computed_ones_when_a_link_goes_down() {
    let mut plan = Plan { barriers: vec![(0..10).collect()], ..plan(&switch(8), ring()) };
    let wiring = plan.topology.wiring(8).unwrap();
    let place = |switch: usize| match switch {
        0 => json!({"switch": 0, "leaves": [0, 1, 2]}),
        4 => json!({"switch": 4, "leaves": [0, 1], "parent": 3}),
        _ => json!({"switch": switch, "leaves": [0, 1, 2], "parent": 3}),
    };
    let places: Vec<Value> = (0..5).map(place).collect();
    let members: Vec<usize> = (0..10).collect();
    let file = json!({"routes": [], "barriers": [{"members": members, "root": 0, "places": places}]});
    let file: TablesFile = serde_json::from_value(file).unwrap();
    let computed = Blueprint::new(plan.clone()).unwrap();
    plan.barrier_trees = Some(file.barriers(&wiring).unwrap());
    let blueprint = Blueprint::new(plan.clone()).unwrap();
    assert_ne!(blueprint.barriers, computed.barriers);
    let run = barriers();
    let run = Run { traffic: railyard_network::harness::Traffic { multicast: 0.0, ..run.traffic.clone() }, ..run };
    let report = faultless(network(plan.clone(), &run), 2_000);
    assert!(report.barriers.unwrap().groups[0].barriers > 10);

    let link = (2, 2).into();
    assert_eq!(blueprint.without(link).unwrap().barriers, computed.without(link).unwrap().barriers);
    let mut network = network(plan, &run);
    network.run(1_000, |_| ());
    network.take_out(link).unwrap();
    faultless(network, 1_000);
}

/// FT(4, 2): nodes 0 and 1 at switch 0, 2 and 3 at switch 1; parents at ports 2 (switch 4) and 3 (switch 5).
fn file() -> Value {
    let place = |switch: usize| json!({"switch": switch, "leaves": [0, 1], "parent": 2});
    let root = json!({"switch": 4, "leaves": [0, 1]});
    json!({"members": [0, 1, 2, 3], "root": 4, "places": [place(0), place(1), root]})
}

/// A network whose tables file has these barrier trees.
fn input(folder: &Path, change: &dyn Fn(&mut Value, &mut Value)) -> Result<Input, String> {
    let topology: Topology = fat_tree(4, 2);
    let mut config = switch(4);
    config.barrier.groups = 2;
    let mut network = json!({"switch": config, "topology": topology, "tables": "tables.json"});
    let plan = plan(&config, topology);
    let tables = Blueprint::new(plan).unwrap().tables;
    let mut value = json!(TablesFile::new(&tables, &[], &[]));
    value["barriers"] = json!([file()]);
    change(&mut value, &mut network);
    fs::write(folder.join("tables.json"), value.to_string()).unwrap();
    Input::read(&network.to_string(), folder).map_err(|error| error.to_string())
}

#[test]
fn what_is_no_barrier_tree_is_told_by_path_value_and_rule() {
    let folder = tempfile::tempdir().unwrap();
    assert_eq!(input(folder.path(), &|_, _| ()).unwrap().blueprint.barriers[0].root(), 4);
    type Change = &'static dyn Fn(&mut Value);
    let cases: [(Change, &[&str]); 19] = [
        (&|t| t["members"] = json!([0, 1, 2, 3, 1]), &["/members/4: 1 is there twice"]),
        (&|t| t["members"] = json!([0, 1, 2, 8]), &["/members/3: 8 is no node", "legal: 0 to 7"]),
        (&|t| t["members"] = json!([0]), &["/members: [0] must be at least two nodes"]),
        (&|t| t["places"][0]["leaves"] = json!([0, 4]), &["/places/0/leaves/1: 4 is no wired port"]),
        (&|t| t["places"][0]["leaves"] = json!([0, 99]), &["/places/0/leaves/1: 99 is no wired port"]),
        (&|t| t["places"][0]["leaves"] = json!([0, 1, 2]), &["/places/0/leaves/2: 2 is both the port to the parent"]),
        (&|t| t["places"][0]["leaves"] = json!([0, 1, 0]), &["/places/0/leaves/2: 0 is there twice"]),
        (&|t| t["places"][0]["parent"] = json!(64), &["/places/0/parent: 64 is no port of switch 0", "legal: 2, 3"]),
        (&|t| t["places"][0]["parent"] = json!(1), &["/places/0/parent: 1 is no port of switch 0 with a link"]),
        (&|t| t["places"][0]["parent"] = Value::Null, &["/places/0/parent: (missing) must be given: switch 0 is not"]),
        (&|t| t["places"][2]["parent"] = json!(1), &["/places/2/parent: 1 must be left out: switch 4 is the root"]),
        (&|t| t["places"][1]["switch"] = json!(0), &["/places/1/switch: 0 is there twice"]),
        (&|t| t["places"][1]["switch"] = json!(6), &["/places/1/switch: 6 is no switch", "legal: 0 to 5"]),
        (&|t| t["root"] = json!(5), &["/places/2/parent: (missing) must be given: switch 4 is not the root"]),
        (&|t| t["places"] = json!([]), &["/root: 4 is the root, but no switch of the tree"]),
        (&|t| t["members"] = json!([0, 1, 2, 3, 4]), &["is no tree: node 4 is at no leaf of the tree"]),
        (&|t| t["members"] = json!([0, 1, 2]), &["is no tree: below switch 1 port 1 there is no member"]),
        (&|t| t["places"][1]["parent"] = json!(3), &["is no tree: switch 1 does not have its parent where"]),
        (
            &|t| t["places"].as_array_mut().unwrap().push(json!({"switch": 3, "leaves": [], "parent": 2})),
            &["is no tree: there is no way from the root to switch 3"],
        ),
    ];
    for (change, parts) in cases {
        let text = input(folder.path(), &|tables, _| change(&mut tables["barriers"][0])).expect_err(parts[0]);
        assert!(text.contains("tables.json: not legal (1 fault)\n  /barriers/0"), "{text}");
        assert!(parts.iter().all(|part| text.contains(part)), "{text}\n  should say {parts:?}");
    }
    type Both = &'static dyn Fn(&mut Value, &mut Value);
    let cases: [(Both, &str); 4] = [
        (&|t, _| t["barriers"] = json!([file(), file(), file()]), "makes 3 groups, and the switch has 2"),
        (
            &|_, n| n["switch"]["virtual_channels"]["barrier"] = json!(0),
            "needs a switch with a barrier virtual channel",
        ),
        (&|_, n| n["barriers"] = json!({"sets": [[0, 1]]}), "/barriers/sets: [[0,1]] stands beside groups in the"),
        (&|t, _| t["barriers"][0]["colour"] = json!(1), "/barriers/0/colour: 1 is not a field here"),
    ];
    for (change, part) in cases {
        let text = input(folder.path(), change).expect_err(part);
        assert!(text.contains(part) && text.contains("legal: "), "{text}\n  should say {part:?}");
    }
}

/// Two ways to a switch, of which one has to be a link of its own.
#[test]
fn a_ring_is_no_tree() {
    let plan = plan(&switch(8), ring());
    let wiring = plan.topology.wiring(8).unwrap();
    let place = |switch: usize, leaves: &[usize], parent: Option<usize>| json!({"switch": switch, "leaves": leaves, "parent": parent});
    let places = [
        place(0, &[0, 2, 3], None),
        place(1, &[2], Some(3)),
        place(2, &[0, 2], Some(3)),
        place(3, &[2], Some(3)),
        place(4, &[3], Some(2)),
    ];
    let file = json!({"routes": [], "barriers": [{"members": [0, 4], "root": 0, "places": places}]});
    let file: TablesFile = serde_json::from_value(file).unwrap();
    let barrier_trees = Some(file.barriers(&wiring).unwrap());
    let error = Blueprint::new(Plan { barrier_trees, ..plan }).unwrap_err();
    assert!(matches!(&error, BlueprintError::BarrierTree { group: 0, .. }), "{error}");
}

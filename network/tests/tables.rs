//! Tables and trees: computed ones pass the checks, planted faults are reported as what they are.

use railyard_network::check::{deadlock, reach, reach_members, Channel, Rules};
use railyard_network::multicast::{roots, Tree};
use railyard_network::tables::{Hop, Tables, TablesFile};
use railyard_network::topology::{Cube, FatTree, Links, SwitchLink, Topology};
use railyard_network::wiring::{Port, Wiring};
use railyard_spec::{Config, Routing, Shape, TableRouting};

/// Table routing with a mixed VC, routes naming VCs or not.
fn shape(ports: u32, next_vc: bool) -> Shape {
    let mut config = Config::named("n");
    config.ports = ports;
    config.virtual_channels.mixed = 1;
    config.routing = Routing::Table(TableRouting { next_vc, ..TableRouting::default() });
    config.check().unwrap().shape()
}

fn rules(shape: &Shape) -> Rules {
    let mixed = shape.multicast.unwrap().vc;
    Rules { unicast: (0..mixed).collect(), mixed: Some(mixed), pairs: false }
}

fn fat_tree(ports: usize, levels: usize) -> Topology {
    Topology::FatTree(FatTree::new(ports, levels))
}

fn cube(radix: &[usize], nodes: usize) -> Cube {
    Cube { radix: radix.into(), nodes }
}

/// Five switches in a ring with a chord, a node at each.
fn ring() -> Topology {
    let link = |a: usize, b: usize| [Port { switch: a, port: 1 }, Port { switch: b, port: 2 }];
    let chord = [Port { switch: 0, port: 3 }, Port { switch: 2, port: 3 }];
    Topology::Wiring(Links {
        switches: 5,
        links: [link(0, 1), link(1, 2), link(2, 3), link(3, 4), link(4, 0), chord].map(SwitchLink::from).into(),
        nodes: (0..5).map(|switch| Port { switch, port: 0 }).collect(),
        roots: None,
    })
}

fn made(topology: &Topology, shape: &Shape) -> (Wiring, Tables) {
    let wiring = topology.wiring(shape.ports).unwrap();
    let tables = topology.tables(&wiring, shape);
    (wiring, tables)
}

#[test]
fn computed_tables_reach_every_node_without_deadlock() {
    let shape = shape(16, true);
    let topologies = [
        fat_tree(4, 1),
        fat_tree(4, 3),
        fat_tree(8, 2),
        fat_tree(16, 2),
        Topology::Torus(cube(&[5, 4], 1)),
        Topology::Torus(cube(&[2, 3, 4], 2)),
        Topology::Mesh(cube(&[4, 4], 2)),
        ring(),
    ];
    for topology in topologies {
        let (wiring, tables) = made(&topology, &shape);
        reach(&wiring, &tables).unwrap();
        deadlock(&wiring, &tables, &[], &rules(&shape)).unwrap();
    }
}

#[test]
fn ft_16_3_passes_too() {
    let shape = shape(16, false);
    let (wiring, tables) = made(&fat_tree(16, 3), &shape);
    reach(&wiring, &tables).unwrap();
    deadlock(&wiring, &tables, &[], &rules(&shape)).unwrap();
}

/// Down by the digits where the way up ends; up by the destination's digit.
#[test]
fn fat_tree_tables_go_by_the_digits() {
    let shape = shape(8, false);
    let (wiring, tables) = made(&fat_tree(8, 3), &shape);
    for switch in 0..wiring.switches() {
        let settings_of = |level: usize, label: usize| (level, [label % 4, label / 4]);
        let (level, label) = match switch {
            0..32 => settings_of(0, switch),
            32..64 => settings_of(1, switch - 32),
            _ => settings_of(2, switch - 64),
        };
        for node in 0..128 {
            let digits = [node % 4, node / 4 % 4, node / 16];
            let is_above = (level..2).all(|j| digits[j + 1] == label[j]);
            let port = if is_above { digits[level] } else { 4 + digits[level] };
            assert_eq!(tables.hop(switch, node), Some(Hop { port, vc: None }), "switch {switch}, node {node}");
        }
    }
}

#[test]
fn a_torus_whose_routes_name_no_vc_is_reported_as_a_ring_of_channels() {
    let shape = shape(8, false);
    let (wiring, tables) = made(&Topology::Torus(cube(&[5], 1)), &shape);
    reach(&wiring, &tables).unwrap();
    let ring = deadlock(&wiring, &tables, &[], &rules(&shape)).unwrap_err();
    let channel = |switch| Channel { from: Port { switch, port: 1 }, vc: 0 };
    assert_eq!(ring.0, [0, 1, 2, 3, 4].map(channel));
    assert_eq!(
        ring.to_string(),
        "deadlock: switch 0 port 1 VC 0 -> switch 1 port 1 VC 0 -> switch 2 port 1 VC 0 -> switch 3 port 1 VC 0 -> switch 4 port 1 VC 0 -> switch 0 port 1 VC 0"
    );
}

#[test]
fn a_planted_ring_is_found_in_a_file() {
    let shape = shape(8, false);
    let (wiring, tables) = made(&ring(), &shape);
    let mut file = TablesFile::new(&tables, &[], &[]);
    let text = serde_json::to_string(&file).unwrap();
    assert_eq!(serde_json::from_str::<TablesFile>(&text).unwrap().tables(&wiring, 3, false).unwrap(), tables);
    // Everything goes round by port 1, whatever the chord.
    let mut around = tables.clone();
    for (switch, node) in (0..5).flat_map(|switch| (0..5).map(move |node| (switch, node))) {
        around.set(switch, node, Some(Hop { port: usize::from(switch != node), vc: None }));
    }
    file = TablesFile::new(&around, &[], &[]);
    let read = file.tables(&wiring, 3, false).unwrap();
    reach(&wiring, &read).unwrap();
    assert_eq!(deadlock(&wiring, &read, &[], &rules(&shape)).unwrap_err().0.len(), 5);
}

#[test]
fn an_unreachable_pair_is_named() {
    let shape = shape(8, false);
    let (wiring, mut tables) = made(&ring(), &shape);
    tables.set(3, 1, None);
    let text = reach(&wiring, &tables).unwrap_err().to_string();
    assert_eq!(text, "no way from node 3 to node 1: switch 3 has no route");
    // To and fro.
    let (there, back) = (Hop { port: 1, vc: None }, Hop { port: 2, vc: None });
    tables.set(3, 1, Some(there));
    tables.set(4, 1, Some(back));
    let text = reach(&wiring, &tables).unwrap_err().to_string();
    assert_eq!(text, "no way from node 3 to node 1: packets come back to switch 3");
}

#[test]
fn what_a_file_names_must_exist() {
    let shape = shape(8, false);
    let (wiring, tables) = made(&ring(), &shape);
    let error = |change: &dyn Fn(&mut serde_json::Value)| {
        let mut value = serde_json::to_value(TablesFile::new(&tables, &[], &[])).unwrap();
        change(&mut value);
        let file: TablesFile = serde_json::from_value(value).unwrap();
        file.tables(&wiring, 3, false)
            .map(|_| ())
            .and_then(|()| file.trees(&wiring).map(|_| ()))
            .unwrap_err()
            .to_string()
    };
    let tree = |members: &[usize], ports: &[(usize, Vec<usize>)]| serde_json::json!([{"members": members, "root": 0, "ports": ports}]);
    assert_eq!(error(&|v| v["routes"][2][1] = 9.into()), "/routes/2/1: 9 is no port: there are 8");
    assert_eq!(error(&|v| v["routes"][2] = serde_json::json!([])), "/routes/2: 0 entries, but there are 5 nodes");
    assert!(error(&|v| v["routes"][2][1] = serde_json::json!([1, 0])).contains("can't name one"));
    assert_eq!(error(&|v| v["trees"] = tree(&[1, 7], &[])), "/trees/0/members/1: 7 is no node");
    assert_eq!(
        error(&|v| v["trees"] = tree(&[0, 1], &[(0, vec![0, 7])])),
        "/trees/0/ports/0/1/1: 7 is no wired port of switch 0"
    );
    assert_eq!(error(&|v| v["trees"] = tree(&[0, 1, 0], &[])), "/trees/0/members/2: 0 is there twice");
    assert_eq!(error(&|v| v["trees"] = tree(&[0, 1], &[(0, vec![0, 0])])), "/trees/0/ports/0/1/1: 0 is there twice");
    let twice = [(0, vec![0]), (0, vec![1])];
    assert_eq!(error(&|v| v["trees"] = tree(&[0, 1], &twice)), "/trees/0/ports/1/0: 0 is there twice");
}

#[test]
fn trees_reach_their_members_from_each_member() {
    let shape = shape(8, true);
    for topology in [fat_tree(4, 3), fat_tree(8, 2), Topology::Torus(cube(&[4, 3], 2)), ring()] {
        let (wiring, tables) = made(&topology, &shape);
        let nodes = wiring.nodes().len();
        let sets = [vec![0, 1], vec![0, nodes - 1, nodes / 2], (0..nodes).collect()];
        for root in roots(&wiring) {
            let trees: Vec<Tree> = sets.iter().map(|set| Tree::new(&wiring, root, set).unwrap()).collect();
            for tree in &trees {
                reach_members(&wiring, tree).unwrap();
            }
            deadlock(&wiring, &tables, &trees, &rules(&shape)).unwrap();
            let read = TablesFile::new(&tables, &trees, &[]);
            assert_eq!(read.trees(&wiring).unwrap(), trees);
        }
    }
}

#[test]
fn a_tree_with_a_ring_and_one_that_misses_a_member() {
    let shape = shape(8, false);
    let (wiring, tables) = made(&ring(), &shape);
    let whole = Tree::new(&wiring, 0, &[0, 1, 2, 3, 4]).unwrap();
    let tree = |ports: serde_json::Value, members: &[usize]| {
        let mut value = serde_json::to_value(TablesFile::new(&tables, std::slice::from_ref(&whole), &[])).unwrap();
        value["trees"][0] = serde_json::json!({"members": members, "root": 0, "ports": ports});
        serde_json::from_value::<TablesFile>(value).unwrap().trees(&wiring).unwrap().remove(0)
    };
    let around: Vec<(usize, [usize; 3])> = (0..5).map(|switch| (switch, [0, 1, 2])).collect();
    let ring = tree(serde_json::json!(around), &[0, 1, 2, 3, 4]);
    assert!(reach_members(&wiring, &ring).unwrap_err().to_string().contains("twice"));
    assert!(deadlock(&wiring, &tables, &[ring], &rules(&shape)).is_err());
    let short = tree(serde_json::json!([[0, [0, 1]], [1, [0, 2]]]), &[0, 1, 2]);
    let text = reach_members(&wiring, &short).unwrap_err().to_string();
    assert_eq!(text, "no way from node 0 to node 2: 0 copies of a multicast packet, not 1");
}

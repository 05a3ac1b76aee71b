//! Networks in Verilog, as one Verilated model: held against golden models in every cycle, under traffic and injected
//! faults. And links with a fault planted, which are found.

use railyard::commands::network::generate::generated;
use railyard_network::description::Input;
use railyard_network::harness::Mismatch;
use railyard_network::{Execution, Extent};
use railyard_testbench::lockstep::Verilog;
use railyard_testbench::network::NetworkVerify;
use railyard_verilated::Build;
use serde_json::{json, Value};
use std::path::Path;

fn input(network: &Value) -> Input {
    Input::read(&network.to_string(), Path::new("")).unwrap_or_else(|error| panic!("{error}"))
}

fn verilog(input: &Input) -> Verilog {
    generated(&std::path::Path::new("network.json").into(), input, "net").unwrap_or_else(|error| panic!("{error}"))
}

fn run(input: &Input, verilog: &Verilog, cycles: u64) -> Execution {
    let prepared = NetworkVerify::prepare(input, verilog, &Build::quick()).unwrap_or_else(|error| panic!("{error}"));
    prepared.run(&input.run(1), Extent::new(cycles), |_| ()).unwrap_or_else(|error| panic!("{error}"))
}

fn passes(network: &Value, cycles: u64) -> Execution {
    let input = input(network);
    let execution = run(&input, &verilog(&input), cycles);
    assert!(execution.report.mismatches.is_empty(), "{:#?}", execution.report.mismatches);
    execution
}

/// FT(4, 2): 6 switches with all classes of virtual channels, 8 nodes.
fn fat_tree() -> Value {
    json!({
        "switch": {"name": "leaf", "ports": 4, "flit_bits": 64, "virtual_channels": {"unicast": 2, "mixed": 1, "barrier": 1},
            "multicast": {"groups": 16}, "barrier": {"groups": 4}, "packet": {"max_flits": 4},
            "routing": {"kind": "source", "hops": 3}},
        "topology": {"kind": "fat_tree", "ports": 4, "levels": 2},
        "link_latency": 2,
        "multicast": {"sets": [[0, 1, 2, 3, 4, 5, 6, 7], [0, 3, 6]], "roots": 2},
        "barriers": {"sets": [[0, 1, 2, 3, 4, 5, 6, 7], [0, 2, 5], [1, 6]], "rate": 0.05,
            "timers": {"retransmit": 15, "urge": 40, "scale": 3}},
        "traffic": {"load": 0.5, "multicast": 0.2},
        "faults": {"corrupt_credits": 0.01, "lost_credits": 0.01, "lost_messages": 0.01, "corrupt_messages": 0.01}
    })
}

/// Unicast, multicast and barriers; lost and corrupted messages, lost credits.
#[test]
fn a_fat_tree_under_all_faults() {
    let report = passes(&fat_tree(), 6_000).report;
    assert!(report.unicast.packets > 1_000 && report.multicast.packets > 100, "{report:?}");
    let barriers = report.barriers.expect("barriers were run");
    let messages = barriers.messages;
    assert!(barriers.groups.iter().all(|group| group.barriers > 20), "{barriers:?}");
    assert!(messages.lost > 20 && messages.corrupted > 20 && messages.retransmissions > 5, "{messages:?}");
}

/// 3 x 2 switches that look routes up in cache and CAM and cross the dateline; relative credits, no barriers. A ring of
/// two has two links.
#[test]
fn a_torus_that_looks_up() {
    let network = json!({
        "switch": {"name": "cube", "ports": 5, "flit_bits": 40, "virtual_channels": {"unicast": 2}, "packet": {"max_flits": 4},
            "memory_pins": {},
            "flow_control": "relative",
            "routing": {"kind": "table", "address_bits": 8, "cache": {"entries": 16, "ways": 2}, "next_vc": true}},
        "topology": {"kind": "torus", "radix": [3, 2]},
        "link_latency": 1,
        "cam_latency": 7,
        "traffic": {"load": 0.5}
    });
    assert!(passes(&network, 2_000).report.unicast.packets > 1_000);
}

/// The same torus with error correction and parity. Nodes mark packets as bad, of one flit in eight a bit is stored
/// inverted, and so are bits of the caches: every packet arrives, and the mark with it. Mutants forget marks, or
/// correct nothing.
#[test]
fn wrong_bits_in_the_switches_of_a_torus() {
    let network = json!({
        "switch": {"name": "cube", "ports": 5, "flit_bits": 40, "virtual_channels": {"unicast": 2}, "packet": {"max_flits": 4},
            "buffer_ecc": {"fault_pins": true}, "events": true,
            "routing": {"kind": "table", "address_bits": 8, "cache": {"entries": 16, "ways": 2}, "next_vc": true,
                "parity": {"fault_pins": true}}},
        "topology": {"kind": "torus", "radix": [3, 2]},
        "link_latency": 2,
        "traffic": {"load": 0.5}
    });
    assert!(passes(&network, 2_000).report.unicast.packets > 1_000);
    let input = input(&network);
    let sound = verilog(&input);
    for (file, from, to) in [
        ("net_link.v", "assign rx_bad = rank_bad_q[1]", "assign rx_bad = 1'b0"),
        ("cube_wrong_bit.v", "syndrome == ", "syndrome != "),
        ("cube_routing_cache.v", "matching = matching & ~wrong", "matching = matching"),
    ] {
        let mut mutant = sound.clone();
        let (_, text) = mutant.files.iter_mut().find(|(name, _)| name == file).expect("the file");
        assert!(text.contains(from), "{from}\n{text}");
        *text = text.replace(from, to);
        let mismatches = run(&input, &mutant, 2_000).report.mismatches;
        assert!(mismatches.iter().any(|mismatch| matches!(mismatch, Mismatch::Observed { .. })), "{file}");
    }
}

/// A Dragonfly under ADVc that routes in transit by contention counters, with flexible VCs, and its links as long as
/// their classes say.
fn dragonfly(h: usize) -> Value {
    let (p, a) = (h, 2 * h);
    json!({
        "switch": {"name": "router", "ports": 4 * h - 1, "flit_bits": 64, "virtual_channels": {"unicast": 3},
            "packet": {"max_flits": 4},
            "routing": {"kind": "dragonfly", "vcs": {"requests": "lglgl"}, "flexible_vcs": true,
                "port_classes": {"node": {"ports": p}, "local": {"ports": a - 1}, "global": {"ports": h}},
                "adaptive": {"valiant": "group", "in_transit": true, "contention": true}}},
        "topology": {"kind": "dragonfly", "p": p, "a": a, "h": h, "latency": {"local": 2, "global": 5}},
        "adaptive": {"mode": "in_transit", "policy": "mm", "local_detour": true, "trigger": "contention",
            "contention": {"threshold": 2}, "vc_rule": "room"},
        "traffic": {"pattern": {"adversarial_consecutive": {}}, "load": 0.6}
    })
}

fn detours_are_taken(network: &Value, cycles: u64) {
    let report = passes(network, cycles).report;
    let misrouting = report.misrouting.expect("switches choose ways");
    assert!(report.unicast.packets > 500 && misrouting.misrouted > 0.1, "{misrouting:?}");
}

/// h = 1: six switches.
#[test]
fn a_dragonfly_that_routes_in_transit() {
    detours_are_taken(&dragonfly(1), 3_000);
}

/// Reports of minimal packets between switches, whose nodes' ports have fewer virtual channels.
#[test]
fn a_dragonfly_that_counts_minimal_packets() {
    let mut network = dragonfly(1);
    network["switch"]["routing"]["adaptive"]["min_credits"] = json!(true);
    network["switch"]["routing"]["port_classes"]["node"]["vcs"] = json!(2);
    network["adaptive"]["trigger"] = json!("credits");
    network["adaptive"]["sense"] = json!("minimal");
    detours_are_taken(&network, 3_000);
}

#[test]
fn a_dragonfly_with_output_queues() {
    let mut network = dragonfly(1);
    network["switch"]["output_queue_flits"] = json!(4);
    detours_are_taken(&network, 3_000);
}

/// h = 2: 36 switches.
#[test]
#[ignore = "long"]
fn a_dragonfly_of_36_switches() {
    detours_are_taken(&dragonfly(2), 20_000);
}

/// A ring of three with error correction whose ports are not all wired, and a link that goes down.
fn ring() -> Value {
    json!({
        "switch": {"name": "ring", "ports": 4, "flit_bits": 64, "virtual_channels": {"unicast": 1, "barrier": 1}, "buffer_ecc": {},
            "barrier": {"groups": 2}, "packet": {"max_flits": 4}, "routing": {"kind": "source", "hops": 3}},
        "topology": {"kind": "wiring", "switches": 3, "links": [[[0, 1], [1, 0]], [[1, 1], [2, 0]], [[2, 1], [0, 0]]],
            "nodes": [[0, 2], [1, 2], [2, 2], [2, 3]]},
        "link_latency": 3,
        "barriers": {"rate": 0.05, "timers": {"retransmit": 15, "urge": 40, "scale": 3}},
        "traffic": {"load": 0.4},
        "faults": {"corrupt_credits": 0.01, "lost_credits": 0.02, "lost_messages": 0.01, "corrupt_messages": 0.01,
            "links_down": [{"link": [2, 0], "cycle": 1_000}]}
    })
}

/// One link is shorter than the others, and one is longer.
#[test]
fn a_wiring_whose_link_goes_down() {
    let mut network = ring();
    let links = network["topology"]["links"].as_array_mut().unwrap();
    links[0] = json!({"ends": links[0], "latency": 1});
    links[1] = json!({"ends": links[1], "latency": 7});
    let report = passes(&network, 2_000).report;
    assert_eq!(report.outages.len(), 1);
    assert!(report.unicast.packets > 500, "{report:?}");
}

/// Nothing crosses a link that breaks under load, and what is stranded is so in both networks alike; and each mutant of
/// the link is found: a rank too few, a VC swapped, a fault ignored.
#[test]
fn a_link_that_breaks_and_broken_links() {
    let mut network = ring();
    let faults = network["faults"].as_object_mut().unwrap();
    faults.remove("links_down");
    faults.insert("links_break".into(), json!([{"link": [2, 0], "cycle": 1_000}]));
    let broken = passes(&network, 2_000).report.broken.expect("a link broke");
    assert!(broken.links[0].flits_lost > 0 && broken.packets_over > 0, "{broken:?}");
    assert_eq!(broken.barrier_groups, [0]);

    let input = input(&network);
    let sound = verilog(&input);
    let mutants = [
        ("a rank too few", "assign rx_valid = rank_valid_q[2]", "assign rx_valid = rank_valid_q[1]"),
        ("VC swapped", "assign rx_vc = rank_vc_q[2]", "assign rx_vc = ~rank_vc_q[2]"),
        ("messages are never lost", "if (is_message & message_lost)", "if (is_message & message_lost & down)"),
        ("bits are never flipped", "if (is_message & message_flip)", "if (is_message & message_flip & down)"),
        ("totals are never corrupted", " ^ flipped_credit;", ";"),
        ("totals are never repeated", "if (credit_repeat)", "if (credit_repeat & down)"),
        ("links are never down", "passes = ~down", "passes = ~down | down"),
        ("bad packets are forgotten", "assign rx_bad = rank_bad_q[2]", "assign rx_bad = rank_bad_q[2] & down"),
    ];
    for (name, from, to) in mutants {
        let mut mutant = sound.clone();
        let (_, link) = mutant.files.iter_mut().find(|(file, _)| file == "net_link.v").expect("the link");
        assert!(link.contains(from), "{name}: {from}\n{link}");
        *link = link.replace(from, to);
        let mismatches = run(&input, &mutant, 2_000).report.mismatches;
        let differs = |mismatch: &&Mismatch| matches!(mismatch, Mismatch::Observed { .. });
        let found = mismatches.iter().find(differs).map(ToString::to_string).unwrap_or_default();
        assert!(found.contains("Verilog and golden model differ"), "{name}: {found}");
    }
}

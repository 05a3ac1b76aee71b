//! Traffic of networks: what theory says of a pattern, and what the golden network makes of it.

use railyard_network::check::{limit, Bottleneck};
use railyard_network::description::Input;
use railyard_network::harness::{mixture, RunReport};
use railyard_network::topology::{Dragonfly, Topology};
use railyard_network::{execute, Execution, Extent};
use serde_json::{json, Value};
use std::path::Path;

/// A balanced Dragonfly of h = 2: 9 groups of 4 switches, 72 nodes. Its switches route by digits.
fn fly(traffic: Value) -> Value {
    let routing = json!({"kind": "algorithmic", "address_bits": 16, "next_vc": true,
        "node_reduction": {"topologies": ["dragonfly"], "chunk_bits": [4]}});
    let switch = json!({"name": "fly", "ports": 7, "virtual_channels": {"unicast": 2}, "packet": {"max_flits": 4},
        "buffer_flits": 32, "routing": routing});
    json!({"switch": switch, "topology": {"kind": "dragonfly", "p": 2, "a": 4, "h": 2}, "traffic": traffic})
}

fn input(network: &Value) -> Input {
    Input::read(&network.to_string(), Path::new("")).unwrap_or_else(|error| panic!("{error}"))
}

fn execution(traffic: Value, extent: Extent) -> Execution {
    let input = input(&fly(traffic));
    let execution = execute(&input, &input.run(1), extent, |_| ()).unwrap();
    assert_eq!(execution.report.mismatches, []);
    execution
}

fn report(traffic: Value, cycles: u64) -> RunReport {
    execution(traffic, Extent::new(cycles)).report
}

/// What fills a link of the network first.
fn limit_of(traffic: Value) -> Bottleneck {
    let input = input(&fly(traffic));
    let blueprint = &input.blueprint;
    let traffic = input.run(1).traffic;
    let mixture = mixture(&traffic, &traffic.phases()[0], &blueprint.wiring, 1);
    let weights = traffic.weights(blueprint.wiring.nodes().len());
    let weight = |from: usize| weights.get(from).copied().unwrap_or(1.0);
    limit(&blueprint.wiring, &blueprint.tables, |from, to| weight(from) * mixture.share(from, to))
}

/// All a p nodes of a group share the one link to the next group, or the n links to the n groups that follow.
#[test]
fn limits_of_adversarial_traffic_are_those_of_theory() {
    for (pattern, expected) in [
        (json!({"adversarial": {"offset": 1}}), 1.0 / 8.0),
        (json!({"adversarial": {"offset": 2}}), 1.0 / 8.0),
        (json!({"adversarial_consecutive": {"targets": 1}}), 1.0 / 8.0),
        (json!({"adversarial_consecutive": {}}), 2.0 / 8.0),
        (json!({"adversarial_consecutive": {"targets": 8}}), 1.0),
    ] {
        let found = limit_of(json!({"pattern": pattern}));
        assert!((found.load - expected).abs() < 1e-9, "{pattern}: {found:?}");
        assert_eq!(found.link.is_some(), expected < 1.0, "{pattern}: {found:?}");
    }
    // Half of the packets are uniform, and a p / (G - 1) of those of a group use the link, too: of 71 other nodes 8 are
    // in that group.
    let mixed = json!({"pattern": "uniform", "mix": [{"pattern": {"adversarial": {"offset": 1}}, "share": 0.5}]});
    let expected = 1.0 / (0.5 * 8.0 + 0.5 * 8.0 * 8.0 / 71.0);
    assert!((limit_of(mixed).load - expected).abs() < 1e-9);
}

/// Three quarters of all flits go from node 0 to node 71: its link is full at a mean load of 4 / (3 x 72).
#[test]
fn a_matrix_says_who_sends_how_much_to_whom() {
    let flows = json!([[0, 71, 3.0], [5, 9, 0.25], [5, 8, 0.75]]);
    let traffic = |matrix: &Value, load: f64| json!({"matrix": matrix, "load": load, "burst": {"packets": 3.0}});
    let found = limit_of(traffic(&flows, 0.01));
    assert!((found.load - 1.0 / 54.0).abs() < 1e-9 && found.link.is_none(), "{found:?}");
    let extent = Extent { details: true, ..Extent::new(20_000) };
    let run = execution(traffic(&flows, 0.01), extent);
    let injected = run.details.as_ref().unwrap().injected.iter().map(|share| share.unwrap());
    for (switch, injected) in injected.enumerate() {
        let expected = [0.27, 0.0, 0.09].get(switch).copied().unwrap_or(0.0);
        // Some 270 bursts of node 5, of sizes by chance.
        assert!((injected - expected).abs() <= 0.25 * expected, "switch {switch}: {injected}");
    }

    let folder = tempfile::tempdir().unwrap();
    std::fs::write(folder.path().join("flows"), "0 71 3 # most\n\n5 9 .25\n5\t8 0.75").unwrap();
    let read = |traffic: Value| Input::read(&fly(traffic).to_string(), folder.path());
    let by_file = read(traffic(&json!("flows"), 0.01)).unwrap();
    assert_eq!(execute(&by_file, &by_file.run(1), extent, |_| ()).unwrap().report, run.report);
    std::fs::write(folder.path().join("wrong"), "0 72 1\n1 1 1\n0 1 -1\n0 1\n0 1 1").unwrap();
    let faults = read(traffic(&json!("wrong"), 0.01)).unwrap_err().faults;
    assert_eq!((faults.len(), &*faults.first[1].value), (4, "`1 1 1`"), "{faults}");
    for (told, refused) in [
        ("/traffic/load: 0.02 is the mean of all nodes: node 0 would send 1.0800", traffic(&flows, 0.02)),
        ("/traffic/matrix: [0, 72, 1] must lead from a node to another one", traffic(&json!([[0, 72, 1.0]]), 0.01)),
        ("/traffic/matrix: a matrix stands beside", json!({"matrix": flows, "pattern": "local", "load": 0.01})),
        ("/traffic/rates: 2 weights must have a weight for each node", json!({"rates": [1.0, 2.0]})),
        ("/traffic/file: \"nothing\" stands beside other traffic", json!({"file": "nothing", "load": 0.1})),
    ] {
        let error = read(refused).unwrap_err().to_string();
        assert!(error.contains(told), "{error}");
    }
}

/// Every other node sends nothing, and the others twice the load.
#[test]
fn nodes_have_rates_of_their_own() {
    let rates: Vec<u64> = (0..72).map(|node| [0, 1, 0, 3][node % 4]).collect();
    let run = execution(json!({"rates": rates, "load": 0.2}), Extent { details: true, ..Extent::new(5_000) });
    assert!((run.report.offered - 0.2).abs() < 0.01, "{}", run.report.offered);
    for (switch, injected) in run.details.unwrap().injected.into_iter().enumerate() {
        let expected = [0.1, 0.3][switch % 2];
        assert!((injected.unwrap() - expected).abs() < 0.05, "switch {switch}: {injected:?}");
    }
}

/// h = 4: 33 groups of 8 switches with 4 nodes.
#[test]
fn the_limit_falls_with_the_square_of_h() {
    let fly = Dragonfly::new(4, 8, 4);
    let topology = Topology::Dragonfly(fly);
    let wiring = topology.wiring(15).unwrap();
    let tables = topology.tables(&wiring, &railyard_spec::Config::named("n").check().unwrap().shape());
    let next_group = |from: usize, to: usize| if to / 32 == (from / 32 + 1) % 33 { 1.0 / 32.0 } else { 0.0 };
    assert!((limit(&wiring, &tables, next_group).load - 1.0 / 32.0).abs() < 1e-12);
}

/// Minimal routing comes to the limit, and not above it. Traffic to the two groups that follow fills two links of a
/// group at once: the global ones, and the local link from the switch at which other groups enter to that at which
/// packets leave.
#[test]
fn the_golden_network_comes_to_the_limit() {
    for (pattern, least) in
        [(json!({"adversarial": {"offset": 1}}), 0.95), (json!({"adversarial_consecutive": {}}), 0.75)]
    {
        let limit = limit_of(json!({"pattern": pattern})).load;
        let report = report(json!({"pattern": pattern, "load": 2.0 * limit}), 4_000);
        assert!(report.saturated, "{pattern}");
        let share = report.accepted / limit;
        assert!((least..=1.01).contains(&share), "{pattern}: {share} of the limit");
    }
    let below = report(json!({"pattern": {"adversarial": {"offset": 1}}, "load": 0.1}), 4_000);
    assert!(!below.saturated && (below.accepted / below.offered - 1.0).abs() < 0.03, "{below:?}");
}

/// Bursts of one destination are harder than single packets, at the same load.
#[test]
fn bursts_keep_the_load_and_raise_the_latency() {
    let single = report(json!({"load": 0.3}), 6_000);
    let bursts = report(json!({"load": 0.3, "burst": {"packets": 5.0}}), 6_000);
    for report in [&single, &bursts] {
        assert!((report.offered - 0.3).abs() < 0.02, "{}", report.offered);
    }
    assert!(bursts.unicast.latency_mean > 1.2 * single.unicast.latency_mean);
}

/// Uniform packets pass fewer global links than adversarial ones, all of which leave their group.
#[test]
fn patterns_change_at_a_cycle() {
    let change = json!({"pattern": "local", "load": 0.1,
        "changes": [{"cycle": 2000, "pattern": {"adversarial": {"offset": 1}}}]});
    let extent = Extent { series: Some(500), ..Extent::new(4_000) };
    let execution = execution(change.clone(), extent);
    let rows: Vec<(u64, f64)> = execution.series.iter().map(|moment| (moment.cycle, moment.hops)).collect();
    assert_eq!(rows.iter().map(|row| row.0).collect::<Vec<_>>(), [900, 1400, 1900, 2400, 2900, 3400, 3900]);
    assert!(rows.iter().all(|&(cycle, hops)| if cycle < 2000 { hops < 1.0 } else { hops > 1.5 || cycle < 2900 }));
    let latencies: Vec<f64> = execution.series.iter().map(|moment| moment.latency.latency_mean).collect();
    assert!(latencies[6] > latencies[0] && execution.notes.is_empty(), "{latencies:?} {:?}", execution.notes);
    let short = self::execution(change, Extent::new(1_000));
    assert!(short.notes[0].starts_with("/traffic/changes/0/cycle: 2000 is not below 1000"), "{:?}", short.notes);
}

#[test]
fn each_request_gets_a_reply() {
    let report = report(json!({"load": 0.4, "replies": true}), 4_000);
    let replies = report.replies.clone().unwrap();
    assert!((report.offered - 0.4).abs() < 0.02 && (report.accepted - 0.4).abs() < 0.02, "{report:?}");
    let ratio = replies.packets as f64 / report.unicast.packets as f64;
    assert!((ratio - 1.0).abs() < 0.02, "{ratio}");
}

/// Figures by place add up to those of the whole.
#[test]
fn links_and_switches_add_up() {
    let extent = Extent { details: true, ..Extent::new(2_000) };
    let Execution { report, details, .. } = execution(json!({"load": 0.3}), extent);
    let details = details.unwrap();
    assert_eq!((details.links.len(), details.injected.len()), (36 * 5, 36));
    let busy: f64 = details.links.iter().map(|link| link.busy).sum();
    assert!((busy / (report.throughput * 72.0) - report.hops).abs() < 1e-6, "{busy} {}", report.hops);
    assert!(details.links.iter().all(|link| (link.vcs.iter().sum::<f64>() - link.busy).abs() < 1e-9));
    // Global links and first local links use the first VC, last local links the second one.
    assert!(details.links.iter().all(|link| link.link.port < 5 || link.vcs[1] == 0.0));
    let injected = report.injected.unwrap();
    let mean = details.injected.iter().flatten().sum::<f64>() / 36.0;
    assert!((injected.mean - mean).abs() < 1e-9 && injected.jain > 0.99 && injected.cov < 0.1, "{injected:?}");
    assert!((2.0..2.6).contains(&report.hops), "{}", report.hops);
}

#[test]
fn patterns_that_do_not_fit_are_refused() {
    let error = |network: &Value| Input::read(&network.to_string(), Path::new("")).unwrap_err().to_string();
    let mesh = json!({"switch": "hpc16", "topology": {"kind": "mesh", "radix": [3, 3]},
        "traffic": {"pattern": {"adversarial": {"offset": 1}}}});
    assert!(error(&mesh).contains("/traffic/pattern") && error(&mesh).contains("needs the groups of a Dragonfly"));
    for (traffic, part) in [
        (json!({"pattern": {"adversarial": {"offset": 9}}}), "there are 9 groups"),
        (json!({"pattern": {"adversarial_consecutive": {"targets": 9}}}), "leads past the other groups"),
        (
            json!({"mix": [{"pattern": "local", "share": 0.6}, {"pattern": "tornado", "share": 0.6}]}),
            "must be 1 at most",
        ),
        (json!({"mix": [{"pattern": "multicast", "share": 0.6}]}), "is no part of a mix"),
        (
            json!({"changes": [{"cycle": 5, "pattern": "local"}, {"cycle": 5, "pattern": "local"}]}),
            "/traffic/changes: 5",
        ),
        (json!({"changes": [{"cycle": 0, "pattern": "local"}]}), "after cycle 0"),
    ] {
        let told = error(&fly(traffic.clone()));
        assert!(told.contains(part), "{traffic}: {told}");
    }
}

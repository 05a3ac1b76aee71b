//! Graph500 as traffic: levels come one after the other, everything is sent once, and bad searches are refused.

use railyard_network::description::Input;
use railyard_network::harness::{Graph500LevelReport, Graph500Report};
use railyard_network::{execute, Extent};
use serde_json::{json, Value};
use std::num::NonZeroUsize;
use std::path::Path;

fn network(search: Value) -> Value {
    let mut network: Value =
        serde_json::from_str(include_str!("../../configs/networks/dragonfly_adaptive.json")).unwrap();
    (network["adaptive"], network["traffic"]) = (json!({}), json!({"graph500": search}));
    network
}

fn search(search: Value, cycles: u64, threads: usize) -> Graph500Report {
    let network = network(search);
    let input = Input::read(&network.to_string(), Path::new("")).unwrap_or_else(|error| panic!("{network}: {error}"));
    let extent = Extent { threads: NonZeroUsize::new(threads), ..Extent::new(cycles) };
    let report = execute(&input, &input.run(1), extent, |_| ()).unwrap().report;
    assert_eq!(report.mismatches, [], "{network}");
    report.graph500.expect("a search is the traffic")
}

/// One level with as many messages as equations 2.2 to 2.4 say, and the stages behind it.
#[test]
fn a_fit_of_one_level_is_what_is_sent() {
    // e^11 ends of 2^17: about 59,874, 831.6 of a node, 820 queries; 71.999 others are reached, with a message each.
    let fitted = json!({"fitted": [{"a": 0.0, "b": 0.0, "c": 11.0}]});
    let spec = json!({"scale": 12, "query_cycles": 0.5, "root_degree": 1.0, "constants": fitted});
    let report = search(spec.clone(), 50_000, 1);
    assert!(report.is_over && report.processes == 72 && report.root_degree == 1.0, "{report:?}");
    let [root, level] = report.levels[..] else { panic!("two levels: {report:?}") };
    assert!(root.messages <= 1 && (5_180..=72 * 72).contains(&level.messages), "{report:?}");
    assert_eq!(level.begun, root.begun + root.cycles);
    assert_eq!(report.cycles, level.begun + level.cycles - root.begun);
    // Queries, signals to all others, the way to the root and back.
    assert!(level.query_cycles > 72 * 71 && level.cycles > level.query_cycles + 40, "{report:?}");
    assert_eq!(search(spec, 50_000, 2), report, "with any number of threads");
}

/// A process answers as many messages as it sends, one thing at a time: slow nodes take twice the time of their own.
#[test]
fn slow_nodes_take_the_time_of_their_queries() {
    let fitted = json!({"fitted": [{"a": 0.0, "b": 0.0, "c": 12.0}]});
    let cycles = |query: f64| {
        let spec = json!({"scale": 14, "query_cycles": query, "root_degree": 1.0, "constants": fitted});
        let report = search(spec, 2_000_000, 1);
        assert!(report.is_over);
        report.levels[1].query_cycles as f64
    };
    let (fast, slow) = (cycles(0.01), cycles(20.0));
    assert!(slow > 20.0 * fast, "{fast} {slow}");
    // The rate of a process is that of full messages; its messages here are not full.
    let messages = 73.0;
    let time = messages * 256.0 * 20.0;
    assert!((time..1.6 * time).contains(&slow), "{slow}: {time}");
}

#[test]
fn a_search_of_some_nodes_ends_with_all_ends_explored() {
    let report = search(json!({"scale": 14, "query_cycles": 0.1, "processes": 8}), 400_000, 1);
    assert!(report.is_over && report.processes == 8 && report.root < 8, "{report:?}");
    let explored: f64 = report.levels.iter().map(|level: &Graph500LevelReport| level.explored).sum();
    assert!(explored <= f64::from(1 << 19) + 1.0 && explored > 0.5 * f64::from(1 << 19), "{report:?}");
    let begun: Vec<u64> = report.levels.iter().map(|level| level.begun + level.cycles).collect();
    assert!(report.levels[1..].iter().map(|level| level.begun).eq(begun[..begun.len() - 1].iter().copied()));
    let early = search(json!({"scale": 30, "query_cycles": 0.1}), 5_000, 1);
    assert!(!early.is_over, "{early:?}");
}

#[test]
fn bad_searches_are_refused() {
    let refused = |traffic: Value| {
        let mut network = network(json!({"scale": 10, "query_cycles": 1.0}));
        network["traffic"] = traffic;
        Input::read(&network.to_string(), Path::new("")).unwrap_err().to_string()
    };
    let of = |search: Value| refused(json!({ "graph500": search }));
    let both = refused(json!({"graph500": {"scale": 10, "query_cycles": 1.0}, "load": 0.3}));
    assert!(both.contains("/traffic/graph500") && both.contains("is all of it"), "{both}");
    for (search, path, rule) in [
        (json!({"scale": 41, "query_cycles": 1.0}), "/traffic/graph500/scale", "40"),
        (json!({"scale": 9}), "/traffic/graph500", "query_cycles"),
        (json!({"scale": 9, "query_cycles": -1.0}), "/traffic/graph500/query_cycles", "0"),
        (json!({"scale": 9, "query_cycles": 1.0, "coalescing": 0}), "/traffic/graph500/coalescing", "1"),
        (json!({"scale": 9, "query_cycles": 1.0, "processes": 73}), "/traffic/graph500/processes", "72 nodes"),
        (json!({"scale": 9, "query_cycles": 1.0, "root_degree": 0.0}), "/traffic/graph500/root_degree", "1"),
        (json!({"scale": 9, "query_cycles": 1.0, "constants": "mine"}), "/traffic/graph500/constants", "printed"),
        (json!({"scale": 9, "query_cycles": 1.0, "constants": {"fitted": []}}), "constants/fitted", "levels"),
        (
            json!({"scale": 9, "query_cycles": 1.0, "constants": {"fitted": [{"a": 1e9, "b": 0, "c": 0}]}}),
            "constants/fitted",
            "1000000000",
        ),
    ] {
        let text = of(search);
        assert!(text.contains(path) && text.contains(rule), "{path} {rule}: {text}");
    }
}

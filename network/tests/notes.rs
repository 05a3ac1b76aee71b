//! What a reader is told beside the figures: saturation, cold caches, roots, time-outs that are off.

use railyard_model::Switch;
use railyard_network::description::Input;
use railyard_network::harness::{Caches, NetworkCycle, Observer, Run};
use railyard_network::{execute, execute_observed, notes, Execution, Extent, Outlook};
use serde_json::{json, Value};
use std::path::Path;

fn read(network: &Value) -> Input {
    Input::read(&network.to_string(), Path::new("")).unwrap_or_else(|error| panic!("{error}"))
}

fn run_of(network: &Value, cycles: u64) -> Execution {
    let input = read(network);
    let execution = execute(&input, &input.run(1), Extent::new(cycles), |_| ()).unwrap();
    assert_eq!(execution.report.mismatches, []);
    execution
}

fn note<'a>(notes: &'a [String], start: &str) -> Option<&'a str> {
    notes.iter().find(|note| note.starts_with(start)).map(String::as_str)
}

fn source(ports: usize) -> Value {
    json!({"name": "s", "ports": ports, "flit_bits": 64, "virtual_channels": {"unicast": 2}, "packet": {"max_flits": 4},
        "routing": {"kind": "source", "hops": 8}})
}

fn table(ports: usize) -> Value {
    json!({"name": "t", "ports": ports, "flit_bits": 64, "virtual_channels": {"unicast": 2}, "packet": {"max_flits": 4},
        "routing": {"kind": "table", "address_bits": 8, "next_vc": true, "cache": {"entries": 64, "ways": 4}}})
}

/// Eight leaves of four nodes and four spines; the spines stand first in the file, or the leaves do. Node numbers are
/// the same.
fn leaf_spine(spines_first: bool) -> Value {
    let (leaf, spine) = if spines_first { (4, 0) } else { (0, 8) };
    let pairs = (0..8).flat_map(|l| (0..4).map(move |s| (l, s)));
    let links: Vec<Value> = pairs.map(|(l, s)| json!([[leaf + l, 4 + s], [spine + s, l]])).collect();
    let nodes: Vec<Value> = (0..32).map(|node| json!([leaf + node / 4, node % 4])).collect();
    json!({"switch": source(8), "traffic": {"load": 1.0},
        "topology": {"kind": "wiring", "switches": 12, "links": links, "nodes": nodes}})
}

#[test]
fn spines_carry_the_same_wherever_they_stand_in_the_file() {
    let [spines, leaves] = [true, false].map(|spines_first| run_of(&leaf_spine(spines_first), 1_500).report);
    assert!(leaves.throughput > 0.7, "{}", leaves.throughput);
    assert_eq!((spines.throughput, spines.unicast), (leaves.throughput, leaves.unicast));
    let input = read(&leaf_spine(true));
    let outlook = Outlook::new(&input.blueprint);
    assert_eq!((&outlook.up_down.as_ref().unwrap().switches[..], outlook.uniform_limit), (&[0, 1, 2, 3][..], 1.0));
    assert_eq!(outlook.note(&input.blueprint), None);
}

#[test]
fn a_single_root_limits_and_that_is_told() {
    let mut network = leaf_spine(true);
    network["topology"]["roots"] = json!([2]);
    let input = read(&network);
    let outlook = Outlook::new(&input.blueprint);
    // All routes between leaves, which are 28 of 31.
    assert!((outlook.up_down.as_ref().unwrap().share - 28.0 / 31.0).abs() < 1e-9, "{outlook:?}");
    let told = "up*/down* routes have one root, switch 2: 90 % of all routes go through it, and uniform traffic fills it at 0.28";
    let said = outlook.note(&input.blueprint).unwrap();
    assert!(said.starts_with(told) && said.ends_with(". \"algorithm\": \"shortest\" takes 1.00"), "{said}");
    // A line of switches has no better routes, whatever the root.
    let line = json!({"switch": source(4), "topology": {"kind": "wiring", "switches": 3, "roots": [2],
        "links": [[[0, 2], [2, 0]], [[1, 2], [2, 1]]], "nodes": [[0, 0], [0, 1], [1, 0], [1, 1]]}});
    let line = read(&line);
    let outlook = Outlook::new(&line.blueprint);
    assert!(outlook.uniform_limit < 1.0);
    assert_eq!(outlook.note(&line.blueprint), None);
    let execution = run_of(&network, 1_500);
    assert!(execution.report.throughput < 0.3 && note(&execution.notes, told).is_some(), "{:?}", execution.notes);
}

#[test]
fn roots_must_be_switches_with_ways_down_to_all() {
    let error = |roots: Value| {
        let mut network = leaf_spine(true);
        network["topology"]["roots"] = roots;
        // Spine 0 loses its link to leaf 0.
        network["topology"]["links"].as_array_mut().unwrap().remove(0);
        Input::read(&network.to_string(), Path::new("")).map(|_| ()).map_err(|error| error.to_string())
    };
    assert_eq!(error(json!([1])), Ok(()));
    assert!(error(json!([1, 12])).unwrap_err().contains("/topology/roots/1: 12 is no switch; legal: 0 to 11"));
    assert!(error(json!([])).unwrap_err().contains("/topology/roots"));
    // Two leaves as roots: from none of them a way down to the other.
    assert!(error(json!([4, 5])).unwrap_err().contains("/topology/roots: [4,5] leaves no way from node 4 to node 0"));
}

#[test]
fn a_saturated_run_says_so() {
    let network = |load: f64| {
        json!({"switch": source(8), "topology": {"kind": "fat_tree", "ports": 8, "levels": 2},
            "traffic": {"pattern": "hot_region", "load": load}})
    };
    let light = run_of(&network(0.2), 3_000);
    assert!(!light.report.saturated && note(&light.notes, "saturated").is_none(), "{:?}", light.notes);
    let full = run_of(&network(0.9), 3_000);
    assert!(full.report.saturated && full.report.accepted < 0.6 * full.report.offered, "{:?}", full.report);
    let told = note(&full.notes, "saturated: 0.").unwrap();
    assert!(told.contains("The busiest link between switches, that of switch "), "{told}");
    let busiest = full.report.busiest_link.unwrap();
    assert!(busiest.busy > busiest.busy_on_average && busiest.busy <= 1.0, "{busiest:?}");
}

/// A deep buffer takes what is not delivered for long: source queues are empty, and still it is saturated.
#[test]
fn buffers_that_fill_are_no_steady_state() {
    let mut switch = source(8);
    switch["buffer_flits"] = json!(512);
    let network = json!({"switch": switch, "topology": {"kind": "fat_tree", "ports": 8, "levels": 2},
        "traffic": {"pattern": "hot_region", "load": 0.5}});
    let execution = run_of(&network, 2_000);
    assert!(execution.report.saturated && execution.report.queued < 100, "{:?}", execution.report);
}

fn torus(load: f64) -> Value {
    json!({"switch": table(5), "topology": {"kind": "torus", "radix": [4, 4]}, "traffic": {"load": load}})
}

#[test]
fn cold_caches_are_told_and_warm_ones_show_long_traffic_at_once() {
    let short = run_of(&torus(0.1), 1_000);
    let caches = short.report.caches.as_ref().unwrap();
    assert!(caches.rising && caches.hit_rate_of_halves[0] < caches.hit_rate_of_halves[1], "{caches:?}");
    assert!(note(&short.notes, "the routing caches were cold: ").unwrap().contains("`caches` is `warm`"));
    let long = run_of(&torus(0.1), 40_000);
    assert!(!long.report.caches.as_ref().unwrap().rising && long.notes.is_empty(), "{:?}", long.notes);
    let mut warm = torus(0.1);
    warm["caches"] = json!("warm");
    let warm = run_of(&warm, 1_000).report;
    let caches = warm.caches.as_ref().unwrap();
    assert!(caches.hit_rate > 0.999 && caches.lookups > 400 && !caches.rising, "{caches:?}");
    let (warm, long, short) =
        (warm.unicast.latency_mean, long.report.unicast.latency_mean, short.report.unicast.latency_mean);
    assert!((warm / long - 1.0).abs() < 0.05 && short > 1.5 * long, "{warm} {long} {short}");
}

/// Sixteen entries for ninety-six destinations: what long traffic leaves in a cache misses as often as long traffic
/// does.
#[test]
fn warm_caches_that_are_too_small_miss_as_after_long_traffic() {
    let mut network = torus(0.05);
    network["topology"] = json!({"kind": "torus", "radix": [4, 4], "nodes": 6});
    network["switch"] = table(10);
    network["switch"]["routing"]["cache"]["entries"] = json!(16);
    let hit_rate = |caches: &str, cycles| {
        let mut network = network.clone();
        network["caches"] = json!(caches);
        run_of(&network, cycles).report.caches.unwrap().hit_rate
    };
    let (warm, long) = (hit_rate("warm", 1_000), hit_rate("cold", 10_000));
    assert!(long < 0.7 && (warm - long).abs() < 0.02, "{warm} {long}");
}

struct Nobody;

impl Observer<Switch> for Nobody {
    fn see(&mut self, _: &NetworkCycle<'_, Switch>) -> Option<String> {
        None
    }
}

#[test]
fn caches_can_be_warm_where_there_are_some_and_nothing_is_verified() {
    let source = read(&json!({"switch": source(4), "topology": {"kind": "fat_tree", "ports": 4, "levels": 2}}));
    let run = Run { caches: Caches::Warm, ..source.run(1) };
    let error = execute(&source, &run, Extent::new(100), |_| ()).unwrap_err().to_string();
    assert_eq!(error, "/caches: \"warm\" needs switches with routing caches");
    let torus = read(&torus(0.1));
    let run = Run { caches: Caches::Warm, ..torus.run(1) };
    let error = execute_observed(&torus, &run, Extent::new(100), Some(Box::new(Nobody)), |_| ()).unwrap_err();
    assert!(error.to_string().starts_with("/caches: \"warm\" can't be verified"), "{error}");
}

#[test]
fn time_outs_that_are_off_are_told_where_messages_get_lost() {
    let network = |timers: Value, lost: f64| {
        let switch = json!({"name": "b", "ports": 4, "virtual_channels": {"unicast": 1, "barrier": 1},
            "packet": {"max_flits": 4}, "routing": {"kind": "source", "hops": 3}});
        json!({"switch": switch, "topology": {"kind": "fat_tree", "ports": 4, "levels": 2}, "traffic": {"load": 0.0},
            "barriers": {"rate": 1.0, "timers": timers}, "faults": {"lost_messages": lost}})
    };
    let off = json!({"retransmit": 0, "urge": 0});
    let told = |network: &Value| {
        let input = read(network);
        notes::before(&input.blueprint, &input.run(1))
    };
    assert!(told(&network(json!({}), 0.1)).is_empty() && told(&network(off.clone(), 0.0)).is_empty());
    let both = told(&network(off.clone(), 0.1));
    assert!(both[0].starts_with("/barriers/timers/retransmit is 0, and messages get lost: a lost arrival"), "{both:?}");
    assert!(both[1].starts_with("/barriers/timers/urge is 0, and messages get lost: a lost completion"), "{both:?}");
    let input = read(&network(off, 0.1));
    let execution = execute(&input, &input.run(1), Extent::new(1_000), |_| ()).unwrap();
    assert!(execution.report.mismatch_count > 0 && execution.notes[..2] == both, "{:?}", execution.notes);
}

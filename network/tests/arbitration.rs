//! Networks of Dragonfly switches with each policy of arbitration: packets have the ages that they should, and settings
//! that do not fit are told by their place.

use railyard_network::description::Input;
use railyard_network::{execute, Execution, Extent};
use serde_json::{json, Value};
use std::path::Path;

/// A balanced Dragonfly of h = 2 with all latencies of links different, at most of its load.
fn network(arbitration: Value, age_bits: Value, adaptive: Value) -> Value {
    let mut network: Value =
        serde_json::from_str(include_str!("../../configs/networks/dragonfly_adaptive.json")).unwrap();
    let routing = &mut network["switch"]["routing"];
    (routing["arbitration"], routing["age_bits"]) = (arbitration, age_bits);
    network["adaptive"] = adaptive;
    network["traffic"] = json!({"pattern": {"adversarial_consecutive": {}}, "load": 0.5});
    network["topology"]["latency"] = json!({"local": 3, "global": 20});
    network["link_latency"] = json!(2);
    network
}

fn run(network: &Value, cycles: u64) -> Execution {
    let input = Input::read(&network.to_string(), Path::new("")).unwrap_or_else(|error| panic!("{network}: {error}"));
    let execution = execute(&input, &input.run(1), Extent::new(cycles), |_| ()).unwrap();
    assert_eq!(execution.report.mismatches, [], "{network}");
    assert!(execution.report.unicast.packets > 200, "{network}");
    execution
}

fn refused(network: &Value) -> String {
    Input::read(&network.to_string(), Path::new("")).unwrap_err().to_string()
}

/// The scoreboard holds each packet's age against the cycle in which it was made.
#[test]
fn packets_have_the_ages_that_they_should() {
    for (i, policy) in ["round_robin", "least_recent", "oldest"].into_iter().enumerate() {
        for (j, (age_bits, mode)) in [(16, "in_transit"), (10, "minimal"), (7, "valiant")].into_iter().enumerate() {
            let arbitration = json!({"policy": policy, "transit_first": true});
            let adaptive = json!({"mode": mode, "transit_first": (i + j) % 2 == 0});
            run(&network(arbitration, json!(age_bits), adaptive), 300);
        }
    }
    run(&network(json!({"policy": "least_recent"}), Value::Null, json!({"mode": "in_transit"})), 300);
}

/// Ages order packets that leave a node: the oldest first keeps the longest latency short.
#[test]
fn the_oldest_first_shortens_the_longest_latency() {
    let longest = |policy: &str| {
        let mut network = network(json!({"policy": policy}), json!(16), json!({}));
        network["traffic"] = json!({"load": 0.6});
        run(&network, 1_500).report.unicast.latency_max
    };
    let [round_robin, oldest] = ["round_robin", "oldest"].map(longest);
    assert!(oldest < round_robin, "{oldest} {round_robin}");
}

#[test]
fn starving_nodes_are_told() {
    for (first, notes) in [(true, 1), (false, 0)] {
        let adaptive = json!({"mode": "in_transit", "transit_first": first});
        let execution = run(&network(json!({"transit_first": true}), json!(16), adaptive), 300);
        let found = execution.notes.iter().filter(|note| note.starts_with("/adaptive/transit_first: "));
        assert_eq!(found.count(), notes, "{:?}", execution.notes);
    }
}

#[test]
fn what_does_not_fit_is_told_by_its_place() {
    let first = json!({"mode": "in_transit", "transit_first": true});
    let text = refused(&network(json!({}), json!(16), first.clone()));
    assert!(
        text.contains("/adaptive/transit_first: true") && text.contains("`routing.arbitration.transit_first`"),
        "{text}"
    );
    let mut far = network(json!({}), json!(16), json!({}));
    far["link_latency"] = json!(255);
    let text = refused(&far);
    assert!(text.contains("/link_latency: 255 must be at most 254 cycles with `age_bits`"), "{text}");
    far["link_latency"] = json!(254);
    far["topology"]["latency"] = json!({"global": 300});
    assert!(refused(&far).contains("/topology/latency: 300"), "{}", refused(&far));
    far["switch"]["routing"]["age_bits"] = Value::Null;
    assert!(Input::read(&far.to_string(), Path::new("")).is_ok());
}

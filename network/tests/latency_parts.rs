//! Parts of latencies: they make the latency, and each is where it should be.

use railyard_network::description::Input;
use railyard_network::harness::{LatencyPartsReport, RunReport};
use railyard_network::{execute, Execution, Extent};
use serde_json::{json, Value};
use std::num::NonZeroUsize;
use std::path::Path;

/// The example, a balanced Dragonfly of h = 2 with links of 10 and 100 cycles, with these settings and traffic.
fn example(adaptive: Value, traffic: Value) -> Value {
    let mut network: Value =
        serde_json::from_str(include_str!("../../configs/networks/dragonfly_adaptive.json")).unwrap();
    network["topology"]["latency"] = json!({"local": 10, "global": 100});
    network["switch"]["buffer_flits"] = json!(256);
    (network["adaptive"], network["traffic"]) = (adaptive, traffic);
    network
}

fn run(network: &Value, extent: Extent) -> Execution {
    let input = Input::read(&network.to_string(), Path::new("")).unwrap_or_else(|error| panic!("{network}: {error}"));
    let execution = execute(&input, &input.run(1), extent, |_| ()).unwrap();
    assert_eq!(execution.report.mismatches, [], "{network}");
    execution
}

fn parts(network: &Value, cycles: u64) -> (RunReport, LatencyPartsReport) {
    let report = run(network, Extent { latency_parts: true, ..Extent::new(cycles) }).report;
    let parts = report.latency_parts.expect("they are kept");
    let replies = report.replies.as_ref();
    let of_replies = replies.map_or(0.0, |replies| replies.latency_mean * replies.packets as f64);
    let packets = report.unicast.packets + replies.map_or(0, |replies| replies.packets);
    let sum = report.unicast.latency_mean * report.unicast.packets as f64 + of_replies;
    assert_eq!(parts.packets, packets);
    let of_parts: f64 = parts.named().iter().map(|(_, part)| part.mean).sum();
    assert!((of_parts - sum / packets as f64).abs() < 1e-6, "{of_parts}: {report:?}");
    (report, parts)
}

#[test]
fn parts_make_the_latency_under_any_routing() {
    let uniform = json!({"pattern": "uniform", "load": 0.5});
    let adversarial = json!({"pattern": {"adversarial": {"offset": 1}}, "load": 0.35});
    let (_, minimal) = parts(&example(json!({}), uniform.clone()), 2_000);
    assert_eq!((minimal.misrouting.max, minimal.tail.max), (0, 0));
    assert!(minimal.local.mean > 0.1 && minimal.global.mean > 0.1 && minimal.injection.mean > 0.1, "{minimal:?}");
    // A via costs a global link and a local one or two, for all that leave their group and some others.
    let (_, valiant) = parts(&example(json!({"mode": "valiant"}), uniform), 2_000);
    assert!((80.0..110.0).contains(&valiant.misrouting.mean), "{valiant:?}");
    assert!((valiant.minimal.mean - minimal.minimal.mean).abs() < 3.0, "{valiant:?} {minimal:?}");
    let in_transit = json!({"mode": "in_transit", "policy": "mm", "trigger": "contention", "local_detour": true});
    let (report, parts) = parts(&example(in_transit, adversarial), 2_000);
    let misrouted = report.misrouting.unwrap();
    assert!(misrouted.misrouted > 0.5 && parts.misrouting.mean > 50.0, "{misrouted:?} {parts:?}");
}

/// In an idle network, nothing waits but for a packet in front by chance. Ways are those of the links.
#[test]
fn an_idle_network_has_only_ways() {
    let (report, parts) = parts(&example(json!({}), json!({"pattern": "uniform", "load": 0.001})), 20_000);
    let [local, global, injection] = [parts.local, parts.global, parts.injection].map(|part| part.mean);
    assert!(local + global + injection < 0.2, "{parts:?}");
    // Two node links of 1, the flits behind the head, and 5 cycles a switch.
    let hops = report.hops_by_kind.unwrap();
    let links = hops.local + hops.global;
    assert!((links - report.hops).abs() < 1e-9);
    let way = 2.0 + 7.0 + 5.0 * (1.0 + links) + 10.0 * hops.local + 100.0 * hops.global;
    assert!((parts.minimal.mean - way).abs() < 0.02 * way, "{way}: {parts:?}");
    assert_eq!(parts.minimal.max, 2 + 7 + 4 * 5 + 120);
}

/// Messages between routers, and rows of time: all add up, with any number of threads.
#[test]
fn parts_hold_with_messages_and_by_time() {
    let mut network = example(
        json!({"mode": "in_transit", "policy": "mm", "trigger": "ectn", "ectn": {"threshold": 4, "period": 30}}),
        json!({"pattern": "uniform", "load": 0.4}),
    );
    network["switch"]["routing"]["adaptive"]["ectn"] = json!(true);
    let (report, all) = parts(&network, 2_000);
    let messages = report.router_messages.expect("routers send messages");
    // The next switch makes up for a message between flits: they wait there for their head.
    assert!(messages.busy > 0.01 && all.tail.max == 0, "{messages:?} {all:?}");
    let extent = |threads| Extent {
        threads: NonZeroUsize::new(threads),
        series: Some(300),
        latency_parts: true,
        details: true,
        ..Extent::new(2_000)
    };
    let [one, two] = [1, 2].map(|threads| run(&network, extent(threads)));
    assert_eq!((&one.report, &one.series), (&two.report, &two.series));
    let packets = |execution: &Execution| execution.series.iter().map(|row| row.latency.packets).sum::<u64>();
    assert_eq!(one.series.len(), 6);
    assert!(packets(&one) <= all.packets && packets(&one) > all.packets / 2);
    for row in &one.series {
        let parts = row.latency_parts.expect("kept by time, too");
        let sum: f64 = parts.named().iter().map(|(_, part)| part.mean).sum();
        assert!((sum - row.latency.latency_mean).abs() < 1e-6 && parts.packets == row.latency.packets, "{row:?}");
        assert_eq!(row.links.len(), 2 * one.report.links);
        let busy: f64 = row.links.iter().flatten().sum::<f64>();
        assert!(busy > 0.0 && row.links.iter().flatten().all(|share| (0.0..=1.0).contains(share)));
        let misrouting = row.misrouting.unwrap();
        assert_eq!(Some(misrouting.misrouted), row.misrouted);
        assert!(row.by_switch.is_some_and(|by_switch| (by_switch.mean - row.injected).abs() < 1e-9), "{row:?}");
    }
}

/// Replies are packets among others. Barriers are not: their messages come between flits at nodes, too.
#[test]
fn replies_have_parts_too() {
    let mut network = example(json!({}), json!({"pattern": "uniform", "load": 0.3, "replies": true}));
    let switch = &mut network["switch"];
    switch["virtual_channels"] = json!({"unicast": 4});
    switch["routing"]["vcs"] = json!({"requests": "lgl", "replies": "lgl"});
    switch["routing"]["adaptive"] = json!(null);
    let (report, all) = parts(&network, 2_000);
    assert!(report.replies.is_some_and(|replies| replies.packets > all.packets / 3), "{all:?}");
}

/// What is not asked for is not there, and changes nothing.
#[test]
fn parts_are_only_kept_where_they_are_asked_for() {
    let network = example(json!({}), json!({"pattern": "uniform", "load": 0.5}));
    let plain = run(&network, Extent::new(1_000)).report;
    let split = run(&network, Extent { latency_parts: true, ..Extent::new(1_000) }).report;
    assert!(plain.latency_parts.is_none());
    assert_eq!(plain, RunReport { latency_parts: None, ..split });
}

#[test]
fn other_routing_has_no_parts() {
    let network = json!({"switch": "hpc16", "topology": {"kind": "mesh", "radix": [2, 2]}});
    let input = Input::read(&network.to_string(), Path::new("")).unwrap();
    let extent = Extent { latency_parts: true, ..Extent::new(100) };
    let error = execute(&input, &input.run(1), extent, |_| ()).unwrap_err();
    assert_eq!(error.path, "/switch/routing/kind");
    assert!(error.to_string().contains("`dragonfly`") && error.legal.contains("dragonfly"), "{error}");
}

//! What a run finds and measures where links are slow, messages get lost, sources pause, and not all nodes are in a
//! set.

use railyard_input::InputSource;
use railyard_model::Switch;
use railyard_network::description::Input;
use railyard_network::harness::{Delivered, NetworkCycle, Observer, Run};
use railyard_network::{execute, execute_logged, execute_observed, Execution, Extent};
use serde_json::{json, Value};
use std::path::Path;

fn run_of(network: &Value, seed: u64, cycles: u64) -> Execution {
    let input = Input::read(&network.to_string(), Path::new("")).unwrap_or_else(|error| panic!("{error}"));
    let execution = execute(&input, &input.run(seed), Extent::new(cycles), |_| ()).unwrap();
    assert_eq!(execution.report.mismatches, []);
    execution
}

fn switch(name: &str) -> Value {
    json!({"name": name, "ports": 4, "virtual_channels": {"unicast": 1, "mixed": 1, "barrier": 1}, "packet": {"max_flits": 4},
        "multicast": {"groups": 4}, "barrier": {"groups": 4}, "routing": {"kind": "source", "hops": 16}})
}

/// The first packet arrives after 40,000 cycles, the first barrier completes after 60,000.
#[test]
fn long_ways_over_slow_links_are_no_standstill() {
    let links: Vec<Value> = (0..39).map(|i| json!([[i, 1], [i + 1, 2]])).collect();
    let line = json!({"kind": "wiring", "switches": 40, "links": links, "nodes": [[0, 0], [39, 0]]});
    let unicast = json!({"name": "line", "ports": 3, "virtual_channels": {"unicast": 1}, "packet": {"max_flits": 4}});
    let packets = json!({"switch": unicast, "topology": line, "link_latency": 1000, "traffic": {"load": 0.5}});
    run_of(&packets, 1, 100);

    let barriers = json!({"rate": 1.0, "sets": "all", "timers": {"retransmit": 3, "urge": 3, "scale": 3}});
    let mut switch = switch("row");
    switch["routing"] = json!({"kind": "table"});
    let row = json!({"switch": switch, "topology": {"kind": "mesh", "radix": [30]}, "link_latency": 1000,
        "barriers": barriers, "traffic": {"load": 0.0}});
    run_of(&row, 1, 1_000);
}

/// Two switches with a link between them, a node at each: the longer link adds its cycles to every packet, and the
/// others' links none.
#[test]
fn a_link_has_a_latency_of_its_own() {
    let run = |link: Value, link_latency: u64| {
        let switch = json!({"name": "pair", "ports": 4, "virtual_channels": {"unicast": 1}, "packet": {"max_flits": 4},
            "routing": {"kind": "source", "hops": 2}});
        let topology = json!({"kind": "wiring", "switches": 2, "links": [link], "nodes": [[0, 1], [1, 1]]});
        let network =
            json!({"switch": switch, "topology": topology, "link_latency": link_latency, "traffic": {"load": 0.02}});
        run_of(&network, 1, 4_000).report.unicast.latency_p50
    };
    let ends = json!([[0, 0], [1, 0]]);
    let long = |latency: u64| json!({"ends": ends, "latency": latency});
    let all = run(ends.clone(), 2);
    assert_eq!(run(long(2), 2), all);
    assert_eq!(run(long(19), 2), all + 17);
    assert_eq!(run(long(0), 2), all - 2);
    // The links of both nodes are on the way, too.
    assert_eq!(run(long(2), 5), all + 6);
}

#[test]
fn barriers_complete_where_three_of_four_messages_are_lost() {
    let network = json!({"switch": switch("tree"), "topology": {"kind": "fat_tree", "ports": 4, "levels": 2},
        "barriers": {"rate": 1.0, "sets": "all"}, "traffic": {"load": 0.0},
        "faults": {"lost_messages": 0.5, "corrupt_messages": 0.5}});
    (1..=5).for_each(|seed| _ = run_of(&network, seed, 5_000));
}

/// While a link is taken out the sources pause for thousands of cycles, because barriers have to complete first.
#[test]
fn pauses_of_the_sources_are_not_measured() {
    let network = json!({"switch": switch("tree"), "topology": {"kind": "fat_tree", "ports": 4, "levels": 2},
        "barriers": {"rate": 0.01, "sets": "all"}, "traffic": {"load": 0.5},
        "faults": {"lost_messages": 0.05, "links_down": [{"link": [0, 2], "cycle": 2_000}]}});
    let report = run_of(&network, 1, 5_000).report;
    assert_eq!((report.cycles, report.outages.len()), (4_500, 1));
    assert!((0.47..0.53).contains(&report.offered), "{}", report.offered);
}

#[test]
fn where_all_is_multicast_only_members_send() {
    let network = json!({"switch": switch("tree"), "topology": {"kind": "fat_tree", "ports": 4, "levels": 2},
        "multicast": {"sets": [[0, 1]]}, "traffic": {"pattern": "multicast", "load": 0.4}});
    let report = run_of(&network, 1, 2_000).report;
    assert_eq!(report.unicast.packets, 0);
    assert!(report.multicast.packets > 100 && (0.09..0.11).contains(&report.offered), "{report:?}");
}

/// Sees every cycle, so that switches make single cycles.
struct Onlooker;

impl Observer<Switch> for Onlooker {
    fn see(&mut self, _: &NetworkCycle<'_, Switch>) -> Option<String> {
        None
    }
}

/// The figures of a run, but for its speed, as JSON.
fn figures(input: &Input, run: &Run, extent: Extent, observer: Option<Box<dyn Observer<Switch> + Send>>) -> Value {
    let run = execute_observed(input, run, extent, observer, |_| ()).unwrap();
    assert_eq!(run.report.mismatches, []);
    let mut figures = json!(run);
    figures["cycles_per_second"] = json!(0);
    figures
}

/// Networks in which something happens to all switches at once, on one thread and on two, without rows and with rows of
/// up to sixteen cycles: every figure is the same, those of places and times included.
#[test]
fn cycles_in_a_row_give_what_single_cycles_give() {
    let tree = json!({"kind": "fat_tree", "ports": 4, "levels": 2});
    let all = json!({"switch": switch("tree"), "topology": tree, "link_latency": 3,
        "multicast": {"sets": "all", "roots": 2, "load_messages": {"period": 37, "lag": 5}},
        "barriers": {"rate": 0.02, "sets": "all"},
        "traffic": {"load": 0.6, "multicast": 0.1, "changes": [{"cycle": 403, "pattern": "complement"}]},
        "faults": {"lost_messages": 0.02, "links_down": [{"link": [0, 2], "cycle": 700}]}});
    let five = json!({"name": "five", "ports": 5, "virtual_channels": {"unicast": 1}, "packet": {"max_flits": 4},
        "routing": {"kind": "table", "cache": {"entries": 16, "ways": 2}}});
    let broken = json!({"switch": five, "topology": {"kind": "mesh", "radix": [3, 3]}, "link_latency": 1,
        "traffic": {"load": 0.3}, "faults": {"lost_credits": 0.1, "links_break": [{"link": [4, 1], "cycle": 501}]}});
    let long = json!({"switch": five, "topology": {"kind": "mesh", "radix": [8, 8]}, "link_latency": 40,
        "traffic": {"load": 0.2, "burst": {"packets": 3}}});
    let short = json!({"switch": five, "topology": {"kind": "mesh", "radix": [4, 2]}, "link_latency": 0,
        "traffic": {"load": 0.3, "replies": true}});
    for network in [all, broken, long, short] {
        let input = Input::read(&network.to_string(), Path::new("")).unwrap_or_else(|error| panic!("{error}"));
        let figures = |threads: usize, observer: Option<Box<dyn Observer<Switch> + Send>>| {
            let threads = std::num::NonZeroUsize::new(threads);
            let extent = Extent { threads, details: true, series: Some(90), ..Extent::new(1_001) };
            figures(&input, &input.run(3), extent, observer)
        };
        let single = figures(1, Some(Box::new(Onlooker)));
        assert!(single["unicast"]["packets"].as_u64() > Some(100), "{network}");
        assert_eq!(figures(1, None), single, "{network}");
        assert_eq!(figures(2, None), single, "{network}");
    }
}

/// Packets from a file, with pauses that are stepped through where an onlooker sees each cycle, and are not otherwise.
#[test]
fn time_in_which_nothing_happens_costs_nothing_and_changes_nothing() {
    let cache = json!({"entries": 16, "ways": 2});
    let switches = [
        json!({"name": "table", "ports": 5, "packet": {"max_flits": 4}, "routing": {"kind": "table", "cache": cache}}),
        json!({"name": "source", "ports": 5, "packet": {"max_flits": 4}, "flow_control": "relative",
            "routing": {"kind": "source", "hops": 8}}),
    ];
    let line = |i: u64| format!("{} {} {} {}\n", i * i * 7, i % 9, (i * 5 + 1) % 9, 2 + i % 3);
    let text = (0..40).map(line).collect::<String>();
    for switch in switches {
        let network = json!({"switch": switch, "topology": {"kind": "mesh", "radix": [3, 3]}, "link_latency": 2});
        let input = Input::read(&network.to_string(), Path::new("")).unwrap();
        let replay = |text: &str| {
            input.run(3).replay(Run::packets_of(&input.blueprint, &InputSource::StandardInput, text).unwrap())
        };
        let run = replay(&text);
        let cycles = run.packets.as_ref().unwrap().cycles();
        let extent = Extent { details: true, series: Some(500), ..Extent::new(cycles) };
        let all = figures(&input, &run, extent, None);
        assert_eq!(all, figures(&input, &run, extent, Some(Box::new(Onlooker))));
        assert_eq!(all["unicast"]["packets"].as_u64().unwrap() + run.packets.as_ref().unwrap().own, 40);

        // What the packets have waited is what waited in the source queues, cycle by cycle.
        let (send, packets) = std::sync::mpsc::channel();
        let log = Box::new(move |packet: &Delivered| send.send(*packet).unwrap());
        let logged = execute_logged(&input, &run, extent, log, |_| ()).unwrap();
        let packets: Vec<Delivered> = packets.iter().collect();
        assert_eq!(packets.len() as u64, logged.report.unicast.packets);
        let latency = packets.iter().map(|p| p.delivered - p.made).sum::<u64>() as f64 / packets.len() as f64;
        assert!((latency - logged.report.unicast.latency_mean).abs() < 1e-9, "{latency}");
        let (details, cycles) = (logged.details.unwrap(), logged.report.cycles as f64);
        for (source, node) in details.nodes.iter().enumerate() {
            let own = packets.iter().filter(|p| p.source == source);
            let waited = own.map(|p| p.begun - p.made).sum::<u64>() as f64;
            assert!((waited - node.queued * cycles).abs() < 1e-6, "{source}: {waited}, {node:?}");
            let is_buffered = node.buffered.iter().sum::<f64>() > 0.0;
            assert!(node.sent == node.offered && is_buffered == (node.sent > 0.0), "{source}: {node:?}");
        }
        assert!(details.links.iter().any(|link| link.buffered.iter().sum::<f64>() > 0.0));

        let long = replay("0 0 8 4\n5000000000 8 0 3 # after a long pause\n");
        let report = execute(&input, &long, Extent::new(5_000_000_001), |_| ()).unwrap().report;
        assert_eq!((report.unicast.packets, report.mismatch_count), (2, 0));
        assert!(report.cycles > 5_000_000_000 && report.unicast.latency_max < 300, "{report:?}");
    }
}

//! Links that break under load: what is stranded by them is told, and is no mismatch; everything else is.

mod common;

use common::*;
use railyard_model::{Inputs, Switch};
use railyard_network::blueprint::{Blueprint, Plan};
use railyard_network::description::Input;
use railyard_network::harness::{BarrierTimers, BrokenLinks, Mismatch, Network, Pattern, Run};
use railyard_network::topology::{Links, Topology};
use railyard_network::wiring::Port;
use railyard_network::{execute, Execution, Extent};
use railyard_spec::Shape;
use serde_json::{json, Value};
use std::path::Path;

/// A row of four switches with two nodes each: every packet between its halves goes over the link in the middle, [1,
/// 2].
fn row() -> Value {
    json!({
        "switch": {"name": "row", "ports": 4, "flit_bits": 64, "virtual_channels": {"unicast": 1, "mixed": 1, "barrier": 1},
            "multicast": {"groups": 4}, "barrier": {"groups": 4}, "packet": {"max_flits": 4},
            "routing": {"kind": "source", "hops": 4}},
        "topology": {"kind": "mesh", "radix": [4], "nodes": 2},
        "link_latency": 3,
        "multicast": {"sets": [[0, 7]]},
        "barriers": {"sets": [[0, 1, 2, 3], [2, 3, 4, 5], [6, 7]], "timers": {"retransmit": 15, "urge": 40, "scale": 3}},
        "faults": {"links_break": [{"link": [1, 2], "cycle": 1_000}]}
    })
}

fn run_of(network: &Value) -> Execution {
    let input = Input::read(&network.to_string(), Path::new("")).unwrap_or_else(|error| panic!("{error}"));
    execute(&input, &input.run(1), Extent::new(2_000), |_| ()).unwrap()
}

fn broken(execution: &Execution) -> &BrokenLinks {
    assert_eq!(execution.report.mismatches, [], "what a broken link does is no mismatch");
    execution.report.broken.as_ref().expect("a link broke")
}

#[test]
fn packets_across_are_stranded_and_those_behind_wait_too() {
    let mut network = row();
    network["traffic"] = json!({"load": 0.4, "multicast": 0.1});
    let execution = run_of(&network);
    let BrokenLinks { links, packets_over, packets_behind, packets_queued, barrier_groups } = broken(&execution);
    assert_eq!((links.len(), links[0].link), (1, (1, 2).into()));
    assert_eq!(links[0].cycle, 1_000, "as in the file");
    assert!(links[0].flits_lost > 0, "{links:?}");
    assert!(*packets_over > 0 && *packets_behind > 0 && *packets_queued > 0, "{execution:?}");
    assert!(barrier_groups.is_empty() && !execution.has_sent_nothing);
}

/// Set-up, and the time in which another link is taken out, are no cycles of the run.
#[test]
fn cycles_are_told_as_the_file_counts_them() {
    let mut network = row();
    network["switch"]["ports"] = json!(6);
    network["switch"]["routing"]["hops"] = json!(8);
    network["topology"] = json!({"kind": "mesh", "radix": [2, 3], "nodes": 2});
    network["multicast"]["sets"] = json!([[0, 5]]);
    network["barriers"]["sets"] = json!([[0, 1]]);
    network["traffic"] = json!({"load": 0.2});
    let links_down = json!([{"link": [0, 2], "cycle": 300}, {"link": [4, 2], "cycle": 700}]);
    network["faults"] = json!({"links_down": links_down, "links_break": [{"link": [2, 2], "cycle": 1_500}]});
    let report = run_of(&network).report;
    let stopped: Vec<u64> = report.outages.iter().map(|outage| outage.stopped).collect();
    assert_eq!(stopped, [300, 700]);
    assert!(report.outages.iter().all(|outage| outage.stopped < outage.cut && outage.cut < outage.resumed));
    assert_eq!(report.broken.unwrap().links[0].cycle, 1_500);
}

#[test]
fn groups_that_need_the_link_are_stranded_and_others_go_on() {
    let mut network = row();
    network["traffic"] = json!({"load": 0.0});
    network["barriers"]["rate"] = json!(0.05);
    let execution = run_of(&network);
    let broken = broken(&execution);
    assert_eq!((broken.packets_over, broken.packets_behind, broken.packets_queued), (0, 0, 0));
    assert_eq!(broken.barrier_groups, [1]);
    let barriers = execution.report.barriers.unwrap();
    assert!(barriers.groups.iter().all(|kind| kind.barriers > 5), "{barriers:?}");
}

#[test]
fn a_link_that_nobody_uses_breaks_without_a_consequence() {
    let mut network = row();
    network["traffic"] = json!({"load": 0.0});
    let execution = run_of(&network);
    let broken = broken(&execution);
    assert_eq!((broken.links[0].flits_lost, broken.packets_over, &broken.barrier_groups[..]), (0, 0, &[][..]));
    assert!(execution.has_sent_nothing);
    assert!(execution.notes[0].starts_with("no node sent a packet or a barrier message"), "{:?}", execution.notes);
}

#[test]
fn a_link_that_would_break_after_the_run_is_told() {
    let mut network = row();
    network["faults"]["links_break"][0]["cycle"] = json!(2_000);
    let execution = run_of(&network);
    assert!(execution.report.broken.is_none());
    let note = "/faults/links_break/0/cycle: 2000 is not below 2000, the cycles of this run: the link at switch 1 port 2 stays";
    assert_eq!(execution.notes[0], note);
}

/// A broken link explains what needs it, and nothing else: a barrier without time-outs that loses a message elsewhere
/// is found.
#[test]
fn a_standstill_that_the_broken_link_does_not_explain_is_a_mismatch() {
    let mut config = source(8, 8);
    config.virtual_channels.barrier = 1;
    config.barrier.groups = 8;
    let plan = Plan { barriers: vec![vec![0, 1, 2, 3]], ..plan(&config, ring()) };
    let barrier_timers = BarrierTimers { retransmit: 0, urge: 0, scale: 0 };
    let run = Run { barriers: 1.0, lost_messages: 0.05, barrier_timers, ..run(Pattern::Uniform, 0.0) };
    let mut network = network(plan, &run);
    network.break_link((3, 2).into()).unwrap();
    network.run(10_000, |_| ());
    network.finish();
    let (mismatches, _) = network.scoreboard().mismatches();
    assert!(matches!(mismatches[0], Mismatch::BarrierIncomplete { group: 0, .. }), "{mismatches:?}");
    assert!(network.broken().unwrap().barrier_groups.is_empty());
}

/// No way leads over the link that breaks.
#[test]
fn packets_lost_elsewhere_are_a_mismatch() {
    let links = vec![[(0, 2), (1, 2)], [(0, 3), (2, 1)], [(1, 3), (2, 2)]];
    let links = links.into_iter().map(|ends| ends.map(Port::from).into()).collect();
    let nodes = [(0, 0), (0, 1), (1, 0), (1, 1)].map(Port::from).to_vec();
    let plan = plan(&source(4, 8), Topology::Wiring(Links { switches: 3, links, nodes, roots: None }));
    let blueprint = Blueprint::new(plan).unwrap();
    // Nothing comes to port 0 of any switch.
    let make = |shape: &Shape| Misled(Switch::new(shape), |inputs: &mut Inputs| inputs.rx_valid &= !1);
    let mut network = Network::new(blueprint, &run(Pattern::Uniform, 0.3), make).unwrap();
    network.break_link((0, 3).into()).unwrap();
    network.run(1_000, |_| ());
    network.finish();
    let (mismatches, _) = network.scoreboard().mismatches();
    let Mismatch::Stalled { since, .. } = mismatches[0] else { panic!("{mismatches:?}") };
    assert!(since < 1_000, "a cycle of the run: {since}");
    let broken = network.broken().unwrap();
    assert!(broken.packets_over == 0 && broken.packets_behind > 0, "{broken:?}");
}

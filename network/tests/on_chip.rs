//! Networks of switches that find their routes in a forwarding table on the chip, with and without a CAM behind it.

mod common;

use common::*;
use railyard_network::blueprint::{Blueprint, BlueprintError};
use railyard_network::harness::Pattern;
use railyard_network::topology::Topology;
use railyard_spec::{Config, ForwardingTable, Routing};

/// A table-routed switch with so many entries on the chip.
fn switch(entries: u32, external_cam: bool) -> Config {
    let mut config = table(8);
    let Routing::Table(routing) = &mut config.routing else { panic!("it is table-routed") };
    routing.forwarding_table = Some(ForwardingTable { entries, ..ForwardingTable::default() });
    routing.external_cam = external_cam;
    config
}

fn topologies() -> [Topology; 3] {
    [fat_tree(8, 2), torus(&[4, 3], 2), ring()]
}

#[test]
fn every_packet_finds_its_way_without_a_cam() {
    for topology in topologies() {
        let config = switch(64, false);
        let report = faultless(network(plan(&config, topology.clone()), &run(Pattern::Uniform, 0.6)), 2_000);
        assert!(report.unicast.packets > 1_000, "{topology:?}: {report:?}");
    }
}

#[test]
fn a_cam_answers_what_finds_no_room() {
    // 32 nodes.
    let network = network(plan(&switch(16, true), fat_tree(8, 2)), &run(Pattern::Uniform, 0.3));
    assert!(faultless(network, 2_000).unicast.packets > 1_000);
    let error = Blueprint::new(plan(&switch(16, false), fat_tree(8, 2))).unwrap_err();
    assert!(matches!(&error, BlueprintError::NoRoom(no) if no.entries == 16 && no.routes == 32), "{error}");
    assert!(error.to_string().contains("has 16 entries, and"), "{error}");
}

#[test]
fn a_link_taken_out_changes_the_entries() {
    let plan = plan(&switch(64, false), fat_tree(8, 2));
    let wiring = plan.topology.wiring(8).unwrap();
    let (link, _) = wiring.links().next().unwrap();
    let mut network = network(plan, &run(Pattern::Uniform, 0.4));
    network.run(1_000, |_| ());
    network.take_out(link).unwrap();
    let report = faultless(network, 1_000);
    assert_eq!((report.outages.len(), report.links), (1, wiring.links().count() - 1));
}

//! Large networks are set up in time that grows with what is computed: with the square of the nodes, these would take
//! minutes.

mod common;

use common::*;
use railyard_network::blueprint::{Blueprint, BlueprintError};
use railyard_network::topology::{Links, Topology};
use railyard_network::wiring::Port;

/// 8,192 nodes, 3,584 switches: 67 million pairs of nodes, but 29 million entries of tables.
#[test]
fn a_fat_tree_of_four_levels() {
    let blueprint = Blueprint::new(plan(&source(16, 7), fat_tree(16, 4))).unwrap();
    assert_eq!((blueprint.wiring.nodes().len(), blueprint.wiring.switches()), (8_192, 3_584));
}

/// The first of the longest ways is named.
#[test]
fn ways_that_are_too_long_for_a_header() {
    let error = Blueprint::new(plan(&source(8, 4), fat_tree(8, 3))).unwrap_err();
    assert_eq!(error, BlueprintError::TooFar { from: 0, to: 16, hops: 5, most: 4 });
    let error = Blueprint::new(plan(&source(8, 4), mesh(&[3, 3], 2))).unwrap_err();
    assert_eq!(error, BlueprintError::TooFar { from: 0, to: 16, hops: 5, most: 4 });
}

#[test]
fn a_million_links_that_are_wired_twice() {
    let link = [Port { switch: 0, port: 1 }, Port { switch: 1, port: 1 }];
    let nodes = vec![Port { switch: 0, port: 0 }, Port { switch: 1, port: 0 }];
    let twice = Links { switches: 2, links: vec![link.into(); 1_000_000], nodes, roots: None };
    let faults = Topology::Wiring(twice).wiring(4).unwrap_err();
    assert_eq!((faults.first.len(), faults.len()), (20, 1_999_998));
    assert_eq!(faults.first[0].path, "/links/1/0");
}

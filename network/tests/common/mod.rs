//! Small networks for the tests.

#![allow(dead_code)] // each test uses a part

use railyard_model::{Inputs, Outputs, Switch};
use railyard_network::blueprint::{Blueprint, Plan};
use railyard_network::harness::{Network, Pattern, Run, RunReport, Traffic};
use railyard_network::topology::{Cube, FatTree, Links, SwitchLink, Topology};
use railyard_network::wiring::Port;
use railyard_network::Device;
use railyard_spec::{
    AlgorithmicRouting, Cache, Config, NodeReduction, Routing, Shape, SourceRouting, TableRouting, Topology as Family,
};

fn config(ports: u32, routing: Routing) -> Config {
    let mut config = Config::named("n");
    config.ports = ports;
    config.virtual_channels.mixed = 1;
    config.multicast.groups = 16;
    config.packet.max_flits = 4;
    config.routing = routing;
    config
}

/// Table routing with a small cache, routes that name VCs, multicast.
pub fn table(ports: u32) -> Config {
    let cache = Some(Cache { entries: 16, ways: 2, ..Cache::default() });
    config(ports, Routing::Table(TableRouting { next_vc: true, cache, ..TableRouting::default() }))
}

pub fn source(ports: u32, hops: u32) -> Config {
    config(ports, Routing::Source(SourceRouting { hops }))
}

pub fn algorithmic(ports: u32) -> Config {
    let node_reduction = NodeReduction {
        topologies: vec![Family::Cube, Family::FatTree],
        chunk_bits: vec![2, 4],
        ..NodeReduction::default()
    };
    let routing = AlgorithmicRouting { address_bits: 24, node_reduction, next_vc: true, ..Default::default() };
    config(ports, Routing::Algorithmic(routing))
}

pub fn fat_tree(ports: usize, levels: usize) -> Topology {
    Topology::FatTree(FatTree::new(ports, levels))
}

pub fn torus(radix: &[usize], nodes: usize) -> Topology {
    Topology::Torus(Cube { radix: radix.into(), nodes })
}

pub fn mesh(radix: &[usize], nodes: usize) -> Topology {
    Topology::Mesh(Cube { radix: radix.into(), nodes })
}

/// Five switches in a ring with a chord, two nodes at each.
pub fn ring() -> Topology {
    let link = |a: usize, b: usize| [Port { switch: a, port: 2 }, Port { switch: b, port: 3 }];
    let chord = [Port { switch: 0, port: 4 }, Port { switch: 2, port: 4 }];
    Topology::Wiring(Links {
        switches: 5,
        links: [link(0, 1), link(1, 2), link(2, 3), link(3, 4), link(4, 0), chord].map(SwitchLink::from).into(),
        nodes: (0..10).map(|node| Port { switch: node / 2, port: node % 2 }).collect(),
        roots: None,
    })
}

pub fn plan(config: &Config, topology: Topology) -> Plan {
    Plan::new(config.clone().check().unwrap().shape(), topology)
}

pub fn run(pattern: Pattern, load: f64) -> Run {
    Run { traffic: Traffic { pattern, load, ..Traffic::default() }, ..Run::default() }
}

pub fn network(plan: Plan, run: &Run) -> Network<Switch> {
    let make = |shape: &Shape| Switch::new(shape);
    Network::new(Blueprint::new(plan).unwrap(), run, make).unwrap()
}

/// Runs a network, drains it, and wants it without a mismatch.
pub fn faultless(mut network: Network<Switch>, cycles: u64) -> RunReport {
    network.measure();
    network.run(cycles, |_| ());
    network.finish();
    let report = network.report();
    assert!(report.mismatches.is_empty(), "{:#?}", report.mismatches);
    assert_eq!(report.queued, 0);
    report
}

/// A switch that sees other inputs than there are.
pub struct Misled<F>(pub Switch, pub F);

impl<F: Fn(&mut Inputs) + Send + Sync> Device for Misled<F> {
    fn shape(&self) -> &Shape {
        self.0.shape()
    }

    fn outputs(&self) -> &Outputs {
        self.0.outputs()
    }

    fn step(&mut self, inputs: &Inputs) {
        let mut inputs = inputs.clone();
        (self.1)(&mut inputs);
        self.0.step(&inputs);
    }
}

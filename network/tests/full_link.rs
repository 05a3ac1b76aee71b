//! The link that one virtual channel keeps full is as long as the shape says, whatever the routing, the packets and the
//! depth.

mod common;

use common::*;
use railyard_network::blueprint::Blueprint;
use railyard_network::harness::Pattern;
use railyard_network::FullLink;
use railyard_spec::{
    AlgorithmicRouting, Cache, Config, NodeReduction, Routing, SourceRouting, TableRouting, VirtualChannels,
};

fn reduced(stages: u32) -> NodeReduction {
    NodeReduction { stages, ..NodeReduction::default() }
}

/// Every pipeline in front of the allocators.
fn routings() -> Vec<Routing> {
    let mut all = vec![Routing::Source(SourceRouting { hops: 2 })];
    let table = |node_reduction, candidates| {
        let cache = Some(Cache { entries: 16, ..Cache::default() });
        Routing::Table(TableRouting { address_bits: 8, cache, node_reduction, candidates, ..TableRouting::default() })
    };
    for stages in 1..=3 {
        let (address_bits, node_reduction) = (8, reduced(stages));
        all.push(Routing::Algorithmic(AlgorithmicRouting { address_bits, node_reduction, ..Default::default() }));
        all.push(table(Some(reduced(stages)), 1));
    }
    all.extend([table(None, 1), table(None, 2)]);
    all
}

/// Flits for each cycle over the link of two switches, each with a node that sends to the other one, packets of the
/// greatest length only.
fn throughput(config: &Config, latency: u64) -> f64 {
    let mut run = run(Pattern::Permutation, 1.0);
    (run.link_latency, run.traffic.length) = (latency, Some(config.packet.max_flits));
    let mut network = network(plan(config, mesh(&[2], 1)), &run);
    network.run(400, |_| ());
    network.measure();
    network.run(1_200, |_| ());
    network.report().throughput
}

#[test]
fn one_vc_fills_links_as_long_as_the_shape_says() {
    for routing in routings() {
        for (max_flits, depth) in [(1, 16), (1, 32), (2, 32), (4, 32), (8, 64)] {
            let mut config = Config::named("n");
            (config.ports, config.routing) = (3, routing.clone());
            config.virtual_channels = VirtualChannels { unicast: 1, mixed: 0, barrier: 0 };
            (config.packet.max_flits, config.buffer_flits) = (max_flits, Some(depth));
            let cycles = u64::from(
                config.clone().check().unwrap().shape().full_link_cycles().expect("links of no cycle at least"),
            );
            // Sources pause between packets by chance: what a link can carry is what it carries with buffers that don't
            // limit it.
            let deep = Config { buffer_flits: Some(1024), ..config.clone() };
            let share = |cycles| throughput(&config, cycles) / throughput(&deep, cycles);
            let (full, longer) = (share(cycles), share(cycles + 8));
            let what = format!("{:?}: packets of {max_flits}, {depth} places, {cycles} cycles", config.routing);
            assert!(full > 0.99, "{what}: {full}");
            assert!(longer < 0.99, "{what}, and 8 more: {longer}");
        }
    }
}

/// The longest link counts, with its own latency.
#[test]
fn a_network_says_how_deep_its_buffers_must_be() {
    let mut config = Config::named("n");
    (config.ports, config.routing) = (3, Routing::Source(SourceRouting { hops: 2 }));
    (config.packet.max_flits, config.buffer_flits) = (1, Some(16));
    let blueprint = Blueprint::new(plan(&config, mesh(&[2], 1))).unwrap();
    let full = |latency| FullLink::tightest(&FullLink::of_kinds(&blueprint, latency)).unwrap();
    // 4 + 3 + 2 + 2 L flits.
    assert_eq!((full(1).needed, full(3).needed), (11, 15));
    let notes = |latency| FullLink::notes(&FullLink::of_kinds(&blueprint, latency));
    assert_eq!(notes(3), [""; 0]);
    let [note] = notes(4).try_into().unwrap();
    assert!(note.contains("a link of 4 cycles") && note.contains("buffers of 17 flits"), "{note}");
}

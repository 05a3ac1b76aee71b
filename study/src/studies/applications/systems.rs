//! The systems of the seeds: networks, and times of their switches; and our own switch, its times measured.

use super::super::dawning;
use crate::random;
use railyard_bench::traffic::NodeTrace;
use railyard_input::InputSource;
use railyard_model::Switch;
use railyard_network::blueprint::{Algorithm, Blueprint, Plan};
use railyard_network::export::{simgrid, Platform};
use railyard_network::harness::{Network, Run};
use railyard_network::topology::{Cube, Dragonfly, Links, Topology};
use railyard_network::wiring::Port;
use railyard_spec::{Cache, Config, Routing, TableRouting};
use rand::RngExt;
use std::path::Path;
use std::sync::Arc;

/// Cycles of a link: ns in the seeds' systems. Not printed; with 20 ns the reductions of `zero-load-latency` come out.
pub(super) const LINK: u64 = 20;
/// MHz. So a cycle is a ns, as in the seeds.
pub(super) const CLOCK: f64 = 1000.0;
/// Cycles from a request to the CAM to its answer.
const CAM: u64 = 25;

/// Cycles of a header through a switch.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct SwitchCycles {
    /// Without a cache.
    pub conventional: u64,
    /// With a cache that hits.
    pub hit: u64,
    /// With a cache that misses.
    pub miss: u64,
}

/// A network with nodes that compute.
pub(super) struct System {
    /// What it is called.
    pub name: &'static str,
    /// The network.
    pub blueprint: Blueprint,
    /// Its switches.
    pub cycles: SwitchCycles,
    /// Bandwidth of a link in bits a cycle, so Gbps.
    pub bandwidth: u32,
    /// Operations of a node in a ns, so 10^9 a second.
    pub gigaflops: f64,
}

impl System {
    /// The platform file, a header being so many cycles in a switch.
    pub fn platform(&self, switch_cycles: u64) -> String {
        let platform = Platform {
            wiring: &self.blueprint.wiring,
            tables: Some(&self.blueprint.tables),
            link_latency: LINK,
            switch_cycles: switch_cycles as usize,
            flit_bits: self.bandwidth,
            clock: CLOCK,
            gigaflops: self.gigaflops,
        };
        simgrid(&platform).expect("networks of studies have few nodes")
    }
}

/// A switch with so many ports and unicast VCs, with or without a cache.
fn switch(ports: usize, vcs: u32, cache: Option<Cache>, next_vc: bool) -> Config {
    let mut config = Config::named("switch");
    config.ports = ports as u32;
    config.virtual_channels.unicast = vcs;
    config.routing = Routing::Table(TableRouting { cache, next_vc, ..TableRouting::default() });
    config
}

fn plan(config: Config, topology: Topology) -> Plan {
    Plan::new(config.check().expect("a legal switch").shape(), topology)
}

/// A torus with a node a switch, in dimension order.
pub(crate) fn torus(radix: &[usize]) -> Blueprint {
    let config = switch(2 * radix.len() + 1, 2, Some(Cache::default()), true);
    dawning::build(plan(config, Topology::Torus(Cube { radix: radix.into(), nodes: 1 })))
}

/// A Dragonfly with a node a switch, and a link between each two groups; minimal routes.
pub(super) fn dragonfly(groups: usize, routers: usize) -> Blueprint {
    let config = switch(routers + 1, 3, Some(Cache::default()), true);
    let fly = Dragonfly {
        p: 1,
        a: routers,
        h: 1,
        groups: Some(groups),
        arrangement: Default::default(),
        trunks: Some(1),
        latency: Default::default(),
    };
    dawning::build(plan(config, Topology::Dragonfly(fly)))
}

/// Switches that are each linked to so many others, drawn; a node each, and shortest routes.
pub(super) fn drawn(switches: usize, degree: usize, seed: u64) -> Blueprint {
    let mut used = vec![0; switches];
    let mut end = |switch: usize| {
        used[switch] += 1;
        Port { switch, port: used[switch] }
    };
    let links = drawn_links(switches, degree, seed).into_iter().map(|(a, b)| [end(a), end(b)].into()).collect();
    let nodes = (0..switches).map(|switch| Port { switch, port: 0 }).collect();
    let config = switch(degree + 1, 8, Some(Cache::default()), false);
    let topology = Topology::Wiring(Links { switches, links, nodes, roots: None });
    dawning::build(Plan { algorithm: Algorithm::Shortest, ..plan(config, topology) })
}

/// Random links: those of a ring with chords, of which two at a time exchange their ends.
fn drawn_links(switches: usize, degree: usize, seed: u64) -> Vec<(usize, usize)> {
    const EXCHANGES: usize = 20;
    let mut random = random(seed, 1);
    let chords = (1..=degree / 2).flat_map(|step| (0..switches).map(move |a| (a, (a + step) % switches)));
    let mut links: Vec<(usize, usize)> = chords.collect();
    for _ in 0..EXCHANGES * links.len() {
        let [i, j] = [0; 2].map(|_| random.random_range(0..links.len()));
        let ((a, b), (c, d)) = (links[i], links[j]);
        let is_new =
            |link: (usize, usize)| link.0 != link.1 && !links.iter().any(|&(x, y)| (x, y) == link || (y, x) == link);
        if is_new((a, d)) && is_new((c, b)) && a != c && b != d {
            (links[i], links[j]) = ((a, d), (c, b));
        }
    }
    links
}

/// Cycles of our own switch, of the golden model: two packets cross a network of two switches, the second long after
/// the first. The first misses twice, the second hits twice.
pub(crate) fn own_cycles() -> SwitchCycles {
    let [miss, hit] = crossed(Some(Cache::default()));
    let [conventional, _] = crossed(None);
    SwitchCycles { conventional, hit, miss }
}

/// Cycles in a switch of the first and of the second of two packets.
fn crossed(cache: Option<Cache>) -> [u64; 2] {
    const SWITCHES: u64 = 2;
    const FLITS: u32 = 2;
    let topology = Topology::Mesh(Cube { radix: vec![SWITCHES as usize], nodes: 1 });
    let blueprint = dawning::build(plan(switch(3, 1, cache, false), topology));
    let text = format!("0 0 1 {FLITS}\n1000 0 1 {FLITS}\n");
    let file = InputSource::from(Path::new("packets"));
    let packets = NodeTrace::parse(&file, &text, 2, (FLITS, FLITS), |_, _| 1).expect("two packets");
    let run = Run { packets: Some(Arc::new(packets)), link_latency: LINK, cam_latency: CAM, ..Run::default() };
    let mut network = Network::new(blueprint, &run, Switch::new).expect("the run fits the network");
    network.run(2000, |_| {});
    let report = network.report();
    assert!(report.mismatches.is_empty() && report.unicast.packets == 2, "{:#?}", report.mismatches);
    let [slow, both] = [report.unicast.latency_max, (2.0 * report.unicast.latency_mean).round() as u64];
    // A link before each switch and one behind the last; the last flit follows the first.
    let outside = (SWITCHES + 1) * LINK + u64::from(FLITS) - 1;
    [slow, both - slow].map(|latency| (latency - outside) / SWITCHES)
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::collections::BTreeSet;

    /// The switch reference: 5 cycles on a hit, 12 and those of the CAM on a miss.
    #[test]
    fn our_cycles_are_those_of_the_reference() {
        let cycles = own_cycles();
        assert_eq!((cycles.hit, cycles.miss), (5, 12 + CAM), "{cycles:?}");
        assert!(cycles.conventional > cycles.hit && cycles.conventional <= cycles.miss, "{cycles:?}");
    }

    #[test]
    fn drawn_links_are_regular_and_simple() {
        for (switches, degree) in [(16, 6), (64, 6), (256, 8)] {
            let links = drawn_links(switches, degree, 1);
            let of = |switch| links.iter().filter(|(a, b)| *a == switch || *b == switch).count();
            assert!((0..switches).all(|switch| of(switch) == degree));
            let once: BTreeSet<_> = links.iter().map(|(a, b)| (a.min(b), a.max(b))).collect();
            assert_eq!(once.len(), switches * degree / 2);
            assert!(links.iter().all(|(a, b)| a != b));
            assert_ne!(links, drawn_links(switches, degree, 2));
        }
    }
}

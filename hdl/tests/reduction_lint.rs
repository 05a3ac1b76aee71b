//! Node reduction of any legal kind is clean under Verilator's lint with all warnings: alone, and in a switch.

mod common;

use common::tools::run;
use proptest::prelude::Rng;
use proptest::test_runner::{RngAlgorithm, TestRng};
use railyard_hdl::rtl::verilog::emit_prefixed;
use railyard_hdl::units::route::reduction::node_reduction::{node_reduction, open_node_reduction};
use railyard_hdl::{elaborate, Design};
use railyard_spec::{
    AlgorithmicRouting, Cache, CheckedConfig, Config, Crossbar, NodeReduction, Radix, Routing, TableRouting, Topology,
};

/// Node reductions drawn, and how many of them are looked at in their switch as well.
const DRAWN: usize = 100;
const SWITCHES: usize = 5;

fn pick<T: Clone>(rng: &mut TestRng, list: &[T]) -> T {
    list[rng.next_u32() as usize % list.len()].clone()
}

/// Some of a list, at least one.
fn some<T: Clone>(rng: &mut TestRng, list: &[T]) -> Vec<T> {
    let mask = 1 + rng.next_u32() % ((1 << list.len()) - 1);
    (0..list.len()).filter(|i| mask >> i & 1 == 1).map(|i| list[i].clone()).collect()
}

/// A small switch, legal or not.
fn drawn(rng: &mut TestRng, number: usize) -> Config {
    let node_reduction = NodeReduction {
        topologies: some(rng, &[Topology::Cube, Topology::FatTree, Topology::Dragonfly]),
        chunk_bits: some(rng, &[2, 3, 4, 6, 8]),
        stages: pick(rng, &[1, 2, 3]),
        radix: pick(rng, &[Radix::Any, Radix::Full]),
    };
    let address_bits = pick(rng, &[8, 8, 9, 12, 16, 23, 24, 48, 64]);
    let next_vc = pick(rng, &[false, true]);
    let mut config = Config::named(&format!("s{number}"));
    config.ports = 2;
    config.virtual_channels.unicast = pick(rng, &[1, 2]);
    config.crossbar = pick(rng, &[Crossbar::Parallel, Crossbar::Single]);
    config.routing = match pick(rng, &[false, true]) {
        true => Routing::Algorithmic(AlgorithmicRouting {
            address_bits,
            node_reduction,
            next_vc,
            link_aggregation: None,
            ..Default::default()
        }),
        false => {
            let cache = Some(Cache { entries: 16, ways: pick(rng, &[1, 2]), ..Cache::default() });
            let node_reduction = Some(node_reduction);
            Routing::Table(TableRouting { address_bits, node_reduction, next_vc, cache, ..TableRouting::default() })
        }
    };
    config
}

/// The node reduction of a switch on its own: with all its registers, and with the last rank left to others.
fn alone(config: &CheckedConfig) -> [Design; 2] {
    let shape = config.shape();
    let (address_bits, reduction) = (shape.address_bits().unwrap() as usize, shape.reduction().unwrap());
    let ranks = reduction.stages as usize;
    let blocks = [node_reduction(address_bits, reduction, ranks), open_node_reduction(address_bits, reduction, ranks)];
    let names = ["whole", "open"].map(|kind| format!("{}_{kind}", config.name));
    [0, 1].map(|i| emit_prefixed(&blocks[i], &names[i], &format!("{}_", names[i])).unwrap())
}

/// What Verilator has to say of all of these in one run.
fn lint(designs: &[Design]) -> String {
    let folder = tempfile::tempdir().unwrap();
    std::fs::write(folder.path().join("all.v"), designs.iter().map(Design::text).collect::<String>()).unwrap();
    let quiet = ["-Wno-fatal", "-Wno-MULTITOP", "-Wno-DECLFILENAME"];
    let arguments = [&["--lint-only", "-Wall", "--default-language", "1364-2005"], &quiet[..], &["all.v"]].concat();
    let output = run("verilator", &arguments, folder.path());
    format!("{}{}", String::from_utf8_lossy(&output.stdout), String::from_utf8_lossy(&output.stderr))
}

/// A chunk as wide as the address is among them.
#[test]
fn every_legal_node_reduction_is_clean() {
    let mut rng = TestRng::deterministic_rng(RngAlgorithm::ChaCha);
    let legal = (0..).map(|number| drawn(&mut rng, number)).filter_map(|config| config.check().ok());
    let json = r#"{"name": "a", "ports": 2, "routing": {"kind": "table", "address_bits": 8, "node_reduction": {"chunk_bits": [8], "radix": "full"}}}"#;
    let configs: Vec<CheckedConfig> = [Config::from_json(json).unwrap()].into_iter().chain(legal.take(DRAWN)).collect();
    let switches = configs.iter().take(SWITCHES).map(|config| elaborate(config).unwrap());
    let designs: Vec<Design> = switches.chain(configs.iter().flat_map(alone)).collect();
    let said = lint(&designs);
    assert!(said.is_empty(), "{said}\n{configs:#?}");
}

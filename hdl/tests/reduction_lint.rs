//! Switches with node reduction of any legal kind are clean under Verilator's lint with all warnings.

mod common;

use common::tools::run;
use proptest::prelude::Rng;
use proptest::test_runner::{RngAlgorithm, TestRng};
use railyard_hdl::elaborate;
use railyard_spec::{
    AlgorithmicRouting, Cache, Config, Crossbar, NodeReduction, Radix, Routing, TableRouting, Topology,
};

/// Switches drawn; one run of the lint looks at all of them.
const SWITCHES: usize = 240;

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
        true => {
            Routing::Algorithmic(AlgorithmicRouting { address_bits, node_reduction, next_vc, link_aggregation: None })
        }
        false => {
            let cache = Some(Cache { entries: 16, ways: pick(rng, &[1, 2]), ..Cache::default() });
            let node_reduction = Some(node_reduction);
            Routing::Table(TableRouting { address_bits, node_reduction, next_vc, cache, ..TableRouting::default() })
        }
    };
    config
}

/// What Verilator has to say of all of these in one run.
fn lint(configs: &[Config]) -> String {
    let folder = tempfile::tempdir().unwrap();
    let mut text = String::new();
    for config in configs {
        let design = elaborate(config).unwrap_or_else(|errors| panic!("{config:?}: {errors:#?}"));
        text += &design.text();
    }
    std::fs::write(folder.path().join("all.v"), text).unwrap();
    let quiet = ["-Wno-fatal", "-Wno-MULTITOP", "-Wno-DECLFILENAME"];
    let arguments = [&["--lint-only", "-Wall", "--default-language", "1364-2005"], &quiet[..], &["all.v"]].concat();
    let output = run("verilator", &arguments, folder.path());
    format!("{}{}", String::from_utf8_lossy(&output.stdout), String::from_utf8_lossy(&output.stderr))
}

/// A chunk as wide as the address is among them.
#[test]
fn every_legal_node_reduction_is_clean() {
    let mut rng = TestRng::deterministic_rng(RngAlgorithm::ChaCha);
    let legal = (0..).map(|number| drawn(&mut rng, number)).filter(|config| config.check().is_ok());
    let mut configs: Vec<Config> = legal.take(SWITCHES).collect();
    let json = r#"{"name": "a", "ports": 2, "routing": {"kind": "table", "address_bits": 8, "node_reduction": {"chunk_bits": [8], "radix": "full"}}}"#;
    configs.push(Config::from_json(json).unwrap());
    let said = lint(&configs);
    assert!(said.is_empty(), "{said}\n{configs:#?}");
}

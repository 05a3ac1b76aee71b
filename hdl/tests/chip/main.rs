//! `<name>_chip`: what stands around a switch.

mod bad;
#[path = "../common/mod.rs"]
mod common;
mod proofs;
mod reset;
mod streams;

use common::tools::lint;
use railyard_hdl::{chip, Design};
use railyard_spec::chip::ChipShape;
use railyard_spec::{CheckedConfig, Config};

/// A chip of a description.
struct Chip {
    config: CheckedConfig,
    around: ChipShape,
    design: Design,
}

impl Chip {
    fn new(json: &str) -> Chip {
        let config = Config::from_json(json).unwrap_or_else(|faults| panic!("{json}: {faults}"));
        let around = config.chip_shape().expect("a chip");
        let design = chip::elaborate(&config, &around).unwrap_or_else(|errors| panic!("{json}: {}", errors[0]));
        Chip { config, around, design }
    }

    /// Writes all modules and the list of their files.
    fn write(&self, folder: &std::path::Path) {
        let mut list = String::new();
        for module in &self.design.modules {
            std::fs::write(folder.join(format!("{}.v", module.name)), &module.text).unwrap();
            list += &format!("{}.v\n", module.name);
        }
        std::fs::write(folder.join("files.f"), list).unwrap();
    }
}

/// Streams that store, of two VCs, with registers behind AXI4-Lite.
const STORING: &str = r#"{"name": "storing", "ports": 4, "flit_bits": 32, "packet": {"max_flits": 4}, "counters": {},
    "routing": {"kind": "source", "hops": 2}, "reset": {"kind": "asynchronous", "active": "low"},
    "chip": {"streams": {}, "register_port": "axi_lite", "reset_synchronizer": true}}"#;

/// A header of two flits, queues in memories that have pins, error correction, a mixed VC, flits of three bytes.
const LONG_HEADER: &str = r#"{"name": "long", "ports": 4, "flit_bits": 24, "packet": {"max_flits": 20},
    "virtual_channels": {"unicast": 1, "mixed": 1}, "routing": {"kind": "source", "hops": 11},
    "buffer_ecc": {}, "memory_pins": {"test_bits": 3}, "chip": {"streams": {}}}"#;

/// Cut-through, a single VC, relative credits, no port to the registers.
const CUT_THROUGH: &str = r#"{"name": "cut_through", "ports": 3, "flit_bits": 16, "packet": {"max_flits": 4},
    "virtual_channels": {"unicast": 1}, "flow_control": "relative", "routing": {"kind": "source", "hops": 1},
    "chip": {"streams": {"cut_through": true}, "register_port": "none"}}"#;

/// A mixed VC, and registers for its groups.
const MULTICAST: &str = r#"{"name": "members", "ports": 3, "flit_bits": 32, "packet": {"max_flits": 4},
    "virtual_channels": {"unicast": 1, "mixed": 1}, "multicast": {"groups": 4},
    "routing": {"kind": "source", "hops": 2}, "chip": {"streams": {}, "register_port": "axi_lite"}}"#;

/// Some ports are streams, in a table-routed switch with barriers.
const SOME_PORTS: &str = r#"{"name": "some_ports", "ports": 5, "flit_bits": 64, "buffer_ecc": {"fault_pins": true}, "memory_pins": {}, "virtual_channels": {"unicast": 2, "barrier": 1},
    "chip": {"streams": {"ports": [1, 3]}}}"#;

#[test]
fn all_parts_are_lint_free() {
    for json in [STORING, LONG_HEADER, CUT_THROUGH, MULTICAST, SOME_PORTS] {
        assert_eq!(lint(&Chip::new(json).design), "", "{json}");
    }
}

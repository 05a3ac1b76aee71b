//! `manifest.json`: what test benches, wrappers and other tools read instead of parsing the Verilog.

use crate::folder_files::FolderFiles;
use railyard_spec::chip::{top_pins, ChipShape};
use railyard_spec::network::{network_pins, Lanes};
use railyard_spec::pins::Pin;
use railyard_spec::registers::{registers, Register};
use railyard_spec::{CheckedConfig, Config, Shape};
use serde::{Deserialize, Serialize};
use sha2::{Digest, Sha256};

/// The contents of `manifest.json`.
#[derive(Debug, Serialize)]
pub struct Manifest {
    /// Name and version of the generator.
    pub generator: String,
    /// Top module.
    pub top: String,
    /// Name of the clock pin.
    pub clock: &'static str,
    /// Name of the reset pin; `config.reset` says how it acts.
    pub reset: &'static str,
    /// Pins of the top module in order.
    pub ports: Vec<PortEntry>,
    /// Run-time registers behind the APB port, by address.
    pub registers: Vec<Register>,
    /// Modules, each in a file of its own, or all in one.
    pub modules: Vec<ModuleEntry>,
    /// All other files of the folder but this one.
    pub files: Vec<FileEntry>,
    /// What stands around the switch, if the design is a chip.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub chip: Option<ChipEntry>,
    /// The network, if the design is one.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub network: Option<NetworkEntry>,
    /// Numbers derived from the configuration.
    pub parameters: Shape,
    /// The configuration (in a network: of its switches), complete with defaults.
    pub config: CheckedConfig,
    /// SHA-256 of this file with nothing between these quotes: tells whether it was edited since. Last, and on a line
    /// of its own.
    pub sha256: String,
}

/// A pin of the top module.
#[derive(Debug, Serialize)]
pub struct PortEntry {
    /// Total width in bits.
    pub width: u32,
    /// The rest.
    #[serde(flatten)]
    pub pin: Pin,
}

/// What stands around a switch.
#[derive(Debug, Serialize)]
pub struct ChipEntry {
    /// Module of the switch.
    pub switch: String,
    /// The rest.
    #[serde(flatten)]
    pub around: ChipShape,
}

/// What a network is made of.
#[derive(Debug, Serialize)]
pub struct NetworkEntry {
    /// Number of switches.
    pub switches: usize,
    /// Number of nodes: the first edge ports.
    pub nodes: usize,
    /// Number of edge ports: nodes, and ports of switches without a link.
    pub edge_ports: usize,
    /// Cycles from one end of a link to the other, where a link has no latency of its own.
    pub link_latency: u64,
    /// The links by their numbers, each a direction.
    pub links: Vec<LinkEntry>,
}

/// A link: from where to where.
#[derive(Debug, Serialize)]
pub struct LinkEntry {
    /// Where it begins.
    pub from: String,
    /// Where it ends.
    pub to: String,
    /// Cycles from one end to the other.
    pub latency: usize,
}

/// A module.
#[derive(Debug, Serialize)]
pub struct ModuleEntry {
    /// Name.
    pub name: String,
    /// File in this folder.
    pub file: String,
    /// What it does.
    pub meaning: String,
    /// SHA-256 of the file as generated: tells whether it was edited since.
    pub sha256: String,
}

/// A file beside the Verilog.
#[derive(Debug, Serialize)]
pub struct FileEntry {
    /// File in this folder.
    pub file: String,
    /// What it is, in a word.
    pub role: &'static str,
    /// SHA-256 of the file as generated.
    pub sha256: String,
}

/// What `verify --design` needs of a manifest.
#[derive(Debug, Deserialize)]
pub struct DesignSource {
    /// The configuration that the design was generated from.
    pub config: Config,
    /// Top module.
    pub top: String,
    /// What stands around the switch, if the top is a chip.
    pub chip: Option<ChipSource>,
}

/// What `verify --design` needs of a chip.
#[derive(Debug, Deserialize)]
pub struct ChipSource {
    /// Module of the switch.
    pub switch: String,
}

/// What `generate` needs of a manifest that some version wrote, to find what was edited since.
#[derive(Debug, Deserialize)]
pub struct DesignFiles {
    /// Modules.
    pub modules: Vec<DesignFile>,
    /// Other files.
    #[serde(default)]
    pub files: Vec<DesignFile>,
}

/// A file that a manifest lists.
#[derive(Debug, Deserialize)]
pub struct DesignFile {
    /// File in the same folder.
    pub file: String,
    /// SHA-256 of the file as generated.
    pub sha256: String,
}

/// The SHA-256 of a text, in hexadecimal.
pub fn sha256(text: &[u8]) -> String {
    Sha256::digest(text).iter().map(|byte| format!("{byte:02x}")).collect()
}

impl Manifest {
    /// The manifest of a switch, or of the chip around it.
    pub fn new(config: &CheckedConfig, design: &railyard_hdl::Design, files: &FolderFiles) -> Manifest {
        let manifest =
            Manifest::with(config, design, files, top_pins(&config.shape(), config.chip_shape().as_ref()), None);
        let switch = format!("{}_switch", config.name);
        Manifest { chip: config.chip_shape().map(|around| ChipEntry { switch, around }), ..manifest }
    }

    /// The manifest of a network.
    pub fn of_network(
        config: &CheckedConfig,
        design: &railyard_hdl::Design,
        files: &FolderFiles,
        lanes: &Lanes,
        link_latency: u64,
    ) -> Manifest {
        let link = |(to, from): (usize, &usize)| LinkEntry {
            from: lanes.name(*from),
            to: lanes.name(to),
            latency: lanes.latencies[to],
        };
        let network = NetworkEntry {
            switches: lanes.switches,
            nodes: lanes.nodes,
            edge_ports: lanes.edges(),
            link_latency,
            links: lanes.origins.iter().enumerate().map(link).collect(),
        };
        Manifest::with(config, design, files, network_pins(&config.shape(), lanes), Some(network))
    }

    fn with(
        config: &CheckedConfig,
        design: &railyard_hdl::Design,
        files: &FolderFiles,
        pins: Vec<Pin>,
        network: Option<NetworkEntry>,
    ) -> Manifest {
        let shape = config.shape();
        let sums: Vec<String> = files.verilog.iter().map(|(_, text)| sha256(text.as_bytes())).collect();
        let modules = design.modules.iter().enumerate().map(|(index, module)| {
            let at = files.file_of(index);
            let (name, meaning, file) = (module.name.clone(), module.doc.clone(), files.verilog[at].0.clone());
            ModuleEntry { name, file, meaning, sha256: sums[at].clone() }
        });
        let more = files.more.iter().map(|file| FileEntry {
            file: file.name.clone(),
            role: file.role,
            sha256: sha256(file.text.as_bytes()),
        });
        Manifest {
            generator: concat!("railyard ", env!("CARGO_PKG_VERSION")).into(),
            top: design.top().name.clone(),
            clock: "clock",
            reset: shape.reset.pin(),
            ports: pins.into_iter().map(|pin| PortEntry { width: pin.width(), pin }).collect(),
            registers: registers(&shape),
            modules: modules.collect(),
            files: more.collect(),
            chip: None,
            network,
            parameters: shape,
            config: config.clone(),
            sha256: String::new(),
        }
    }

    /// As JSON text, with its own SHA-256.
    pub fn to_json(&self) -> String {
        let text = serde_json::to_string_pretty(self).expect("a manifest is plain data") + "\n";
        let (before, _, after) = seal(&text).expect("the last field is the sum");
        [before, &sha256(text.as_bytes()), after].concat()
    }
}

/// A manifest's text in three: up to its own SHA-256, that, and the rest.
fn seal(text: &str) -> Option<(&str, &str, &str)> {
    const FIELD: &str = "\n  \"sha256\": \"";
    let start = text.rfind(FIELD)? + FIELD.len();
    let end = start + text[start..].find('"')?;
    Some((&text[..start], &text[start..end], &text[end..]))
}

/// Whether a manifest is as it was written.
pub fn is_as_written(text: &str) -> bool {
    seal(text).is_some_and(|(before, sum, after)| sum == sha256([before, after].concat().as_bytes()))
}

#[cfg(test)]
mod tests {
    use super::*;
    use serde_json::Value;
    use std::collections::BTreeSet;

    const PAGE: &str = include_str!("../../docs/src/manifest.md");

    /// Switches that between them have everything that a manifest can tell of.
    const SWITCHES: [&str; 5] = [
        r#"{"name": "a", "ports": 3, "virtual_channels": {"unicast": 1, "mixed": 1, "barrier": 1}, "barrier": {"groups": 2},
            "multicast": {"parity": {}}, "counters": {}, "events": true, "buffer_ecc": {}, "memory_pins": {}, "routing":
            {"kind": "table", "cache": {"entries": 16}, "forwarding_table": {"entries": 16}, "parity": {}, "next_vc": true,
            "candidates": 2, "link_aggregation": {}, "node_reduction": {"topologies": ["fat_tree"]}}}"#,
        r#"{"name": "b", "ports": 3, "routing": {"kind": "source", "hops": 2}}"#,
        r#"{"name": "c", "ports": 3, "routing": {"kind": "algorithmic"}, "chip": {"streams": {}}}"#,
        r#"{"name": "d", "ports": 3, "flit_bits": 32, "output_queue_flits": 2, "virtual_channels": {"unicast": 3}, "routing": {"kind": "dragonfly", "port_classes":
            {"node": {"ports": 1}, "local": {"ports": 1}, "global": {"ports": 1}}, "group_bits": 2, "router_bits": 1,
            "node_bits": 1, "vcs": {"requests": "lglgl"}, "flexible_vcs": true, "adaptive": {"valiant": "group",
            "in_transit": true, "contention": true, "filter": true, "ectn": true, "saturation": true}, "random_vcs": true, "arbitration": {"policy": "oldest", "transit_first": true},
            "age_bits": 8}}"#,
        r#"{"name": "e", "ports": 3, "flit_bits": 32, "virtual_channels": {"unicast": 3}, "routing": {"kind": "dragonfly",
            "port_classes": {"node": {"ports": 1, "vcs": 1}, "local": {"ports": 1}, "global": {"ports": 1}}, "group_bits": 2,
            "router_bits": 1, "node_bits": 1, "vcs": {"requests": "lglgl"},
            "adaptive": {"valiant": "group", "min_credits": true}}}"#,
    ];

    /// The paths of all texts and numbers under `value`, but for those of the description.
    fn leaves(value: &Value, path: &str, found: &mut BTreeSet<String>) {
        match value {
            Value::Object(fields) => {
                for (name, value) in fields.iter().filter(|(name, _)| !(path.is_empty() && *name == "config")) {
                    leaves(value, &if path.is_empty() { name.clone() } else { format!("{path}.{name}") }, found);
                }
            }
            Value::Array(list) => list.iter().for_each(|value| leaves(value, &format!("{path}[]"), found)),
            Value::Null => {}
            _ => {
                found.insert(path.into());
            }
        }
    }

    /// The fields that the page lists, and those that manifests have, are the same.
    #[test]
    fn every_field_has_its_line_on_the_page() {
        let mut found = BTreeSet::from(["config".to_string()]);
        for json in SWITCHES {
            let config = Config::from_json(json).unwrap_or_else(|faults| panic!("{json}: {faults}"));
            let design = railyard_hdl::elaborate(&config).unwrap();
            let lanes =
                Lanes { switches: 2, ports: 3, nodes: 2, origins: vec![6, 4, 5, 7, 1, 2, 0, 3], latencies: vec![1; 8] };
            let files = FolderFiles::new(&design, false);
            let of_network = Manifest::of_network(&config, &design, &files, &lanes, 1);
            for manifest in [Manifest::new(&config, &design, &files), of_network] {
                let manifest: Value = serde_json::from_str(&manifest.to_json()).unwrap();
                leaves(&manifest, "", &mut found);
                for register in manifest["registers"].as_array().into_iter().flatten() {
                    let access = register["access"].as_str().unwrap();
                    assert!(PAGE.contains(&format!("`{access}`")), "{access} is not on the page");
                }
            }
        }
        let rows = PAGE.lines().filter_map(|line| line.strip_prefix("| `")?.split_once('`'));
        let listed: BTreeSet<String> = rows.map(|(path, _)| path.to_string()).collect();
        let missing: Vec<_> = found.difference(&listed).collect();
        assert!(missing.is_empty(), "not on the page: {missing:?}");
        let holds = |row: &str| found.iter().any(|path| path == row || path.starts_with(&format!("{row}.")));
        let idle: Vec<_> = listed.iter().filter(|row| !holds(row)).collect();
        assert!(idle.is_empty(), "in no manifest: {idle:?}");
    }

    /// The tag is that of the memory: 24 address bits, 9 of which follow from the set.
    #[test]
    fn tag_bits_are_those_of_the_memory() {
        let mut config = Config::named("t");
        config.ports = 2;
        let config = config.check().unwrap();
        let design = railyard_hdl::elaborate(&config).unwrap();
        let manifest = Manifest::new(&config, &design, &FolderFiles::new(&design, false));
        let manifest: Value = serde_json::from_str(&manifest.to_json()).unwrap();
        assert_eq!(manifest["parameters"]["routing"]["cache"]["tag_bits"], 15);
        // Tag, output port, valid bit.
        assert!(design.modules.iter().any(|module| module.name == "t_ram_1r1w_512x17"));
    }
}

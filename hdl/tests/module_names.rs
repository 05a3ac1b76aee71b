//! Two designs in one chip: they share no module name.

use railyard_hdl::elaborate;
use railyard_spec::{module_prefix, presets::PRESETS, Config};
use std::collections::{BTreeSet, HashSet};

/// Designs that between them have every kind of block.
const SHAPES: &[&str] = &[
    r#"{"name": "n", "ports": 3, "flit_bits": 32, "virtual_channels": {"unicast": 1, "mixed": 1, "barrier": 1}, "barrier": {"groups": 2}, "counters": {}, "routing": {"kind": "table", "cache": {"entries": 64, "ways": 4, "replacement": "random"}, "forwarding_table": {"entries": 64}, "default_route": true, "next_vc": true, "candidates": 3, "link_aggregation": {}, "node_reduction": {"topologies": ["cube", "fat_tree", "dragonfly"], "chunk_bits": [2, 3, 4], "stages": 3}}}"#,
    r#"{"name": "n", "ports": 3, "link_arbitration": "flit", "routing": {"kind": "table", "cache": null}}"#,
    r#"{"name": "n", "ports": 3, "crossbar": "single", "routing": {"kind": "algorithmic", "next_vc": true, "node_reduction": {"topologies": ["cube"], "chunk_bits": [4], "radix": "full"}}}"#,
    r#"{"name": "n", "ports": 3, "virtual_channels": {"unicast": 1, "mixed": 1}, "multicast": {"groups": 4}, "routing": {"kind": "source", "hops": 2}}"#,
    r#"{"name": "n", "ports": 3, "routing": {"kind": "table", "cache": {"entries": 64, "ways": 4, "replacement": "pseudo_lru"}, "node_reduction": {"stages": 1}}}"#,
    r#"{"name": "n", "ports": 3, "routing": {"kind": "table", "cache": {"entries": 64, "ways": 4, "replacement": "round_robin"}}}"#,
];

/// The blocks of these designs by the names that follow the prefix, and of the presets.
fn blocks() -> BTreeSet<String> {
    let mut blocks = BTreeSet::from(["link".to_string()]);
    for json in SHAPES.iter().copied().chain(PRESETS.iter().map(|preset| preset.json)) {
        let config = Config::from_json(json).unwrap_or_else(|faults| panic!("{json}: {faults}"));
        let design = elaborate(&config).unwrap();
        let prefix = module_prefix(&config.name);
        let below = &design.modules[..design.modules.len() - 1];
        blocks.extend(below.iter().map(|module| module.name.strip_prefix(&prefix).expect("the prefix").to_string()));
    }
    blocks
}

/// All names that a design of this name can have: its switch, its network, its blocks.
fn modules(name: &str, blocks: &BTreeSet<String>) -> HashSet<String> {
    let prefix = module_prefix(name);
    let of_blocks = blocks.iter().map(|block| format!("{prefix}{block}"));
    of_blocks.chain(["switch", "network"].map(|top| format!("{name}_{top}"))).collect()
}

/// Whatever follows a name: each beginning and each end of each block's name, and what stands between.
#[test]
fn no_two_designs_share_a_module_name() {
    let blocks = blocks();
    assert!(blocks.len() > 100, "{} blocks", blocks.len());
    let mut names = BTreeSet::from(["chip", "chip_", "chip__", "chip2"].map(String::from));
    for block in &blocks {
        let words: Vec<&str> = block.split('_').collect();
        for (from, to) in (0..words.len()).flat_map(|from| (from + 1..=words.len()).map(move |to| (from, to))) {
            let part = words[from..to].join("_");
            names.extend(["_", "__", "___"].map(|joint| format!("chip{joint}{part}")));
            names.insert(format!("chip_{part}_"));
        }
    }
    names.extend(["switch", "network"].map(|top| format!("chip_{top}")));
    let mut owners = std::collections::HashMap::new();
    for name in &names {
        for module in modules(name, &blocks) {
            if let Some(other) = owners.insert(module.clone(), name) {
                panic!("`{name}` and `{other}` have a module {module}");
            }
        }
    }
}

/// What the mapping relies on: a block's name can be told from what stands before it, and is no top's.
#[test]
fn names_of_blocks_have_no_double_underscore() {
    for block in blocks() {
        let whole = !block.contains("__") && !block.starts_with('_') && !block.ends_with('_');
        let top = ["switch", "network"].iter().any(|top| block == *top || block.ends_with(&format!("_{top}")));
        assert!(whole && !top, "{block}");
    }
}

#[test]
fn designs_are_what_the_prefix_says() {
    let named = |name: &str| {
        let json = format!(r#"{{"name": "{name}", "ports": 2, "routing": {{"kind": "source", "hops": 1}}}}"#);
        elaborate(&Config::from_json(&json).unwrap()).unwrap()
    };
    let (chip, credit) = (named("chip"), named("chip_credit"));
    assert!(chip.modules.iter().any(|module| module.name == "chip_credit_counter"));
    assert!(credit.modules.iter().any(|module| module.name == "chip_credit__credit_counter"));
    assert_eq!(credit.top().name, "chip_credit_switch");
    assert!(credit.modules.iter().all(|ours| chip.modules.iter().all(|theirs| theirs.name != ours.name)));
}

//! All kinds of pictures, of many switches and networks: they can be drawn, are well-formed and readable.

use railyard_picture::canvas::Canvas;
use railyard_picture::kind::{Trouble, KINDS};
use railyard_spec::{presets, Config};
use std::fs;
use std::path::Path;

/// A switch with everything that can be built together.
const EVERYTHING: &str = r#"{
    "name": "everything", "ports": 40, "flit_bits": 128, "virtual_channels": { "unicast": 3, "mixed": 1, "barrier": 1 },
    "packet": { "max_flits": 16 }, "flow_control": "relative", "crossbar": "single",
    "routing": {
        "kind": "table", "address_bits": 32, "lookups_per_vc": 8, "cache": { "entries": 4096, "ways": 8, "replacement": "pseudo_lru" },
        "node_reduction": { "topologies": ["cube", "fat_tree", "dragonfly"], "chunk_bits": [4, 8], "stages": 2 },
        "next_vc": true, "candidates": 4, "link_aggregation": { "groups": 8, "links": 8 },
        "forwarding_table": { "entries": 4096, "ways": 4 }, "default_route": true
    },
    "counters": { "bits": 32 }
}"#;

/// Switches of the least and the largest sizes.
const SMALL: &str = r#"{ "name": "small", "ports": 2, "flit_bits": 16, "virtual_channels": { "unicast": 1 }, "packet": { "max_flits": 1 },
    "buffer_flits": 2, "routing": { "kind": "source", "hops": 1 } }"#;
const WIDE: &str = r#"{ "name": "wide", "ports": 64, "flit_bits": 16, "virtual_channels": { "unicast": 8, "mixed": 1 }, "packet": { "max_flits": 256 },
    "routing": { "kind": "table", "address_bits": 40, "cache": null } }"#;
const PLAIN: &str = r#"{ "name": "plain", "ports": 12, "virtual_channels": { "unicast": 2, "mixed": 1 },
    "routing": { "kind": "algorithmic", "link_aggregation": { "groups": 4, "links": 4 }, "node_reduction": { "topologies": ["cube", "fat_tree"], "chunk_bits": [4] } } }"#;

fn check(what: &str, drawn: Result<Canvas, Trouble>) -> bool {
    match drawn {
        Ok(canvas) => {
            assert_eq!(canvas.flaws(), Vec::<String>::new(), "{what}");
            let svg = canvas.svg();
            let is_whole = svg.starts_with("<svg") && svg.ends_with("</svg>\n");
            assert!(
                is_whole && svg.contains("<title") && svg.contains("<desc") && !svg.contains("NaN"),
                "{what}: {svg}"
            );
            true
        }
        Err(Trouble::Unsuited(fault)) => {
            assert!(
                fault.path.starts_with('/') && !fault.rule.is_empty() && !fault.legal.is_empty(),
                "{what}: {fault:?}"
            );
            false
        }
        Err(trouble) => panic!("{what}: {trouble}"),
    }
}

#[test]
fn every_kind_can_be_drawn_of_every_switch_that_has_the_parts() {
    let presets = presets::PRESETS.iter().map(|preset| preset.json);
    let mut drawn = vec![0; KINDS.len()];
    for json in presets.chain([EVERYTHING, SMALL, WIDE, PLAIN]) {
        let config = Config::from_json(json).unwrap_or_else(|faults| panic!("{json}: {faults}"));
        for (number, kind) in KINDS.iter().enumerate() {
            let picture = kind.of_switch(&config);
            drawn[number] +=
                usize::from(picture.is_some_and(|picture| check(&format!("{} {}", kind.name, config.name), picture)));
        }
    }
    for (kind, count) in KINDS.iter().zip(drawn) {
        assert!(kind.is_of_network() || count > 0, "{} was never drawn", kind.name);
    }
}

#[test]
fn every_kind_can_be_drawn_of_every_network_that_it_has_room_for() {
    let root = Path::new(concat!(env!("CARGO_MANIFEST_DIR"), "/.."));
    let mut drawn = vec![0; KINDS.len()];
    for folder in ["configs/networks", "configs/pictures"] {
        for entry in fs::read_dir(root.join(folder)).unwrap() {
            let path = entry.unwrap().path();
            let text = fs::read_to_string(&path).unwrap();
            // A file of links is no network, and the check of a network of 1,024 nodes takes long.
            if !text.contains("\"switch\"") || text.contains("\"levels\": 3") && text.contains("\"ports\": 16") {
                continue;
            }
            for (number, kind) in KINDS.iter().enumerate() {
                let what = format!("{} {}", kind.name, path.display());
                match kind.of_network(&text, path.parent().unwrap()) {
                    // The one with a ring is drawn by its kind alone.
                    Some(Err(Trouble::Description(error))) => {
                        assert!(error.to_string().contains("deadlock"), "{what}: {error}")
                    }
                    Some(picture) => drawn[number] += usize::from(check(&what, picture)),
                    None => {}
                }
            }
        }
    }
    for (kind, count) in KINDS.iter().zip(drawn) {
        assert!(!kind.is_of_network() || count > 0, "{} was never drawn", kind.name);
    }
}

/// A picture is the same each time.
#[test]
fn pictures_are_reproducible() {
    let config = Config::from_json(presets::find("dawning16").unwrap().json).unwrap();
    for kind in KINDS {
        let draw = || kind.of_switch(&config).and_then(Result::ok).map(Canvas::svg);
        assert!(draw() == draw(), "{}", kind.name);
    }
}

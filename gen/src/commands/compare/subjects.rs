//! What is synthesised for the comparison: blocks of `hdl/` on their own, and whole switches.
//!
//! A block to come is a row in [`SUBJECTS`] and rows in the table of figures.

use railyard_estimate::{Design, Recipe};
use railyard_hdl::blocks::{cube_reduction, fat_tree_reduction, node_reduction};
use railyard_hdl::parts::crc_hash::{crc_hash, tag_bits};
use railyard_hdl::parts::round_robin_arbiter::round_robin_arbiter;
use railyard_hdl::rtl::verilog::emit;
use railyard_hdl::units::packet_allocator::packet_allocator;
use railyard_hdl::units::routing_cache::routing_cache;
use railyard_hdl::units::single_allocator::single_allocator;
use railyard_hdl::{elaborate_plain, ElaborationError};
use railyard_spec::presets::find;
use railyard_spec::{Cache, Config, Crossbar, Routing, SourceRouting, Topology};

/// Something to synthesise.
pub struct Subject {
    /// Name in the answer.
    pub name: &'static str,
    /// The library that it is always mapped to; `None`: the one asked for.
    pub library: Option<&'static str>,
    /// What is asked of ABC.
    pub recipe: Recipe,
    /// Its Verilog.
    pub design: fn() -> Result<Design, Vec<ElaborationError>>,
}

/// Chunk widths for 12, 8, 6, 4 and 3 dimensions of a 24-bit address.
const ALL_CHUNKS: &[u32] = &[2, 3, 4, 6, 8];
const ALL_TOPOLOGIES: &[Topology] = &[Topology::Cube, Topology::FatTree, Topology::Dragonfly];

/// All of them, small ones first.
pub const SUBJECTS: &[Subject] = &[
    Subject {
        name: "arbiter 1:16",
        library: None,
        recipe: Recipe::Speed,
        design: || block(&round_robin_arbiter(16), "round_robin_arbiter"),
    },
    Subject {
        name: "arbiter 1:64",
        library: None,
        recipe: Recipe::Speed,
        design: || block(&round_robin_arbiter(64), "round_robin_arbiter"),
    },
    Subject {
        name: "CRC hash",
        library: None,
        recipe: Recipe::Speed,
        design: || {
            let cache = Cache::default();
            let sets = cache.entries / cache.ways;
            block(&crc_hash(24, sets.ilog2() as usize, cache.hash.crc()), "crc_hash")
        },
    },
    Subject {
        name: "routing cache",
        library: None,
        recipe: Recipe::Speed,
        design: || {
            let shape = Config::named("default").shape();
            let cache = shape.table().and_then(|t| t.cache.as_ref()).expect("the default switch has a cache");
            let tag = tag_bits(24, cache.index_bits as usize, &cache.crc);
            block(&routing_cache(cache, tag, shape.port_bits as usize), "routing_cache")
        },
    },
    Subject {
        name: "cube, 6 dimensions",
        library: None,
        recipe: Recipe::Area,
        design: || alone(cube_reduction(24, &[4], 0)),
    },
    Subject {
        name: "fat tree, 5 dimensions",
        library: None,
        recipe: Recipe::Area,
        design: || alone(fat_tree_reduction(24, &[4], 0)),
    },
    Subject {
        name: "cube, any dimensions",
        library: None,
        recipe: Recipe::Area,
        design: || alone(cube_reduction(24, ALL_CHUNKS, 0)),
    },
    Subject {
        name: "cube, any dimensions, 3 stages",
        library: None,
        recipe: Recipe::Area,
        design: || alone(cube_reduction(24, ALL_CHUNKS, 3)),
    },
    Subject {
        name: "all topologies, 3 stages",
        library: None,
        recipe: Recipe::Speed,
        design: || alone(node_reduction(24, ALL_TOPOLOGIES, ALL_CHUNKS, 3)),
    },
    Subject {
        name: "parallel allocator",
        library: None,
        recipe: Recipe::Speed,
        design: || block(&packet_allocator(&four_vcs(Crossbar::Parallel).shape()), "packet_allocator"),
    },
    Subject {
        name: "single allocator",
        library: None,
        recipe: Recipe::Speed,
        design: || block(&single_allocator(&four_vcs(Crossbar::Single).shape()), "single_allocator"),
    },
    Subject {
        name: "parallel switch",
        library: None,
        recipe: Recipe::Speed,
        design: || switch(&four_vcs(Crossbar::Parallel)),
    },
    Subject {
        name: "single switch",
        library: None,
        recipe: Recipe::Speed,
        design: || switch(&four_vcs(Crossbar::Single)),
    },
    Subject { name: "router", library: None, recipe: Recipe::Speed, design: || switch(&named("noc5")) },
    Subject { name: "hpc16", library: None, recipe: Recipe::Speed, design: || switch(&named("hpc16")) },
    Subject { name: "hpc64", library: None, recipe: Recipe::Speed, design: || switch(&named("hpc64")) },
    Subject { name: "0.18 um chip", library: Some("osu018"), recipe: Recipe::Speed, design: || switch(&chip()) },
];

fn alone(design: Result<railyard_hdl::Design, Vec<ElaborationError>>) -> Result<Design, Vec<ElaborationError>> {
    Ok(files(&design?, None))
}

fn block(block: &dyn railyard_hdl::rtl::prelude::Block, top: &str) -> Result<Design, Vec<ElaborationError>> {
    Ok(files(&emit(block, top)?, None))
}

fn switch(config: &Config) -> Result<Design, Vec<ElaborationError>> {
    Ok(files(&elaborate_plain(config)?, Some(config.ports)))
}

fn files(design: &railyard_hdl::Design, ports: Option<u32>) -> Design {
    let modules = design.modules.iter().map(|m| (format!("{}.v", m.name), m.text.clone())).collect();
    Design { top: design.top().name.clone(), modules, latency_cycles: None, ports }
}

fn named(name: &str) -> Config {
    let preset = find(name).expect("the preset comes with Railyard");
    Config::from_json(preset.json).expect("presets are tested")
}

/// 16 ports, 4 VCs, source-routed, so that the crossbar's arbitration is what there is.
fn four_vcs(crossbar: Crossbar) -> Config {
    let mut config = Config::named("four_vcs");
    config.virtual_channels.unicast = 4;
    config.crossbar = crossbar;
    config.routing = Routing::Source(SourceRouting::default());
    config
}

/// The shape of seed 004's chip: 16 ports, 4 VCs of 4 KiB, packets of up to 1,024 bytes. Its mixed and its barrier VC are taken as unicast VCs.
fn chip() -> Config {
    let mut config = Config::named("chip");
    config.virtual_channels.unicast = 4;
    config.packet.max_flits = 128;
    config.buffer_flits = Some(512);
    config.routing = Routing::Source(SourceRouting::default());
    config
}

//! What is synthesised for the comparison: blocks of `hdl/` on their own, and whole switches.
//!
//! A block to come is a row in [`SUBJECTS`] and rows in the table of figures.

use crate::commands::estimate::design;
use crate::Error;
use railyard_estimate::{GeneratedDesign, Recipe};
use railyard_hdl::blocks::{cube_reduction, fat_tree_reduction, full_radix_cube_reduction, node_reduction};
use railyard_hdl::parts::crc_hash::{crc_hash, tag_bits};
use railyard_hdl::parts::round_robin_arbiter::round_robin_arbiter;
use railyard_hdl::rtl::verilog::emit;
use railyard_hdl::units::allocate::packet_allocator::packet_allocator;
use railyard_hdl::units::allocate::single_allocator::single_allocator;
use railyard_hdl::units::route::port_map::port_map;
use railyard_hdl::units::route::routing_cache::routing_cache;
use railyard_hdl::ElaborationError;
use railyard_spec::presets::find;
use railyard_spec::{Cache, CheckedConfig, Config, Crossbar, Routing, SourceRouting, TableRouting, Topology};

/// Something to synthesise.
pub struct SynthesisSubject {
    /// Name in the answer.
    pub name: &'static str,
    /// The library that it is always mapped to; `None`: the one asked for.
    pub library: Option<&'static str>,
    /// A whole switch; else a block.
    pub is_switch: bool,
    /// A point of a curve: left out by `--quick`, as whole switches are.
    pub is_point: bool,
    /// Flat; else by its parts.
    pub flat: bool,
    /// What is asked of ABC.
    pub recipe: Recipe,
    /// Its Verilog.
    pub design: Elaborate,
}

/// Chunk widths for 12, 8, 6, 4 and 3 dimensions of a 24-bit address.
const ALL_CHUNKS: &[u32] = &[2, 3, 4, 6, 8];
const ALL_TOPOLOGIES: &[Topology] = &[Topology::Cube, Topology::FatTree, Topology::Dragonfly];

/// Of a port's number in a switch of 64 ports.
const PORT_BITS: usize = 6;

type Elaborate = fn() -> Result<GeneratedDesign, Error>;

impl SynthesisSubject {
    const fn block(name: &'static str, design: Elaborate) -> SynthesisSubject {
        SynthesisSubject {
            name,
            library: None,
            is_switch: false,
            is_point: false,
            flat: true,
            recipe: Recipe::Speed,
            design,
        }
    }

    /// A block that is compared by its area first.
    const fn small(name: &'static str, design: Elaborate) -> SynthesisSubject {
        SynthesisSubject { recipe: Recipe::Area, ..SynthesisSubject::block(name, design) }
    }

    /// A block of another size than that of a switch.
    const fn point(name: &'static str, design: Elaborate) -> SynthesisSubject {
        SynthesisSubject { is_point: true, ..SynthesisSubject::block(name, design) }
    }

    const fn small_point(name: &'static str, design: Elaborate) -> SynthesisSubject {
        SynthesisSubject { recipe: Recipe::Area, ..SynthesisSubject::point(name, design) }
    }

    const fn switch(name: &'static str, design: Elaborate) -> SynthesisSubject {
        SynthesisSubject { is_switch: true, flat: false, ..SynthesisSubject::block(name, design) }
    }
}

/// All of them, small ones first.
pub const SUBJECTS: &[SynthesisSubject] = &[
    SynthesisSubject::block("arbiter 1:16", || block(&round_robin_arbiter(16), "round_robin_arbiter")),
    SynthesisSubject::block("arbiter 1:64", || block(&round_robin_arbiter(64), "round_robin_arbiter")),
    SynthesisSubject::block("CRC hash", || {
        let cache = Cache::default();
        let sets = cache.entries / cache.ways;
        block(&crc_hash(24, sets.ilog2() as usize, cache.hash.crc()), "crc_hash")
    }),
    SynthesisSubject::block("routing cache", || cache_of(Cache::default().entries)),
    SynthesisSubject::point("routing cache, 512 entries", || cache_of(512)),
    SynthesisSubject::point("routing cache, 1,024 entries", || cache_of(1_024)),
    SynthesisSubject::point("routing cache, 4,096 entries", || cache_of(4_096)),
    SynthesisSubject::point("routing cache, 8,192 entries", || cache_of(8_192)),
    SynthesisSubject::small_point("cube, 3 dimensions", || alone(cube_reduction(24, &[8], 0))),
    SynthesisSubject::small_point("cube, 4 dimensions", || alone(cube_reduction(24, &[6], 0))),
    SynthesisSubject::small_point("cube, 8 dimensions", || alone(cube_reduction(24, &[3], 0))),
    SynthesisSubject::small_point("cube, 12 dimensions", || alone(cube_reduction(24, &[2], 0))),
    SynthesisSubject::small_point("port map, 2 entries", || block(&port_map(1, PORT_BITS), "port_map")),
    SynthesisSubject::small_point("port map, 4 entries", || block(&port_map(2, PORT_BITS), "port_map")),
    SynthesisSubject::small_point("port map, 8 entries", || block(&port_map(3, PORT_BITS), "port_map")),
    SynthesisSubject::small_point("port map, 16 entries", || block(&port_map(4, PORT_BITS), "port_map")),
    SynthesisSubject::small("cube, 6 dimensions", || alone(cube_reduction(24, &[4], 0))),
    SynthesisSubject::small("cube, 6 dimensions, full radix", || alone(full_radix_cube_reduction(24, &[4], 0))),
    SynthesisSubject::small("fat tree, 5 dimensions", || alone(fat_tree_reduction(24, &[4], 0))),
    SynthesisSubject::small("cube, any dimensions", || alone(cube_reduction(24, ALL_CHUNKS, 0))),
    SynthesisSubject::small("cube, any dimensions, 3 stages", || alone(cube_reduction(24, ALL_CHUNKS, 3))),
    SynthesisSubject::block("all topologies, 3 stages", || alone(node_reduction(24, ALL_TOPOLOGIES, ALL_CHUNKS, 3))),
    SynthesisSubject::block("parallel allocator", || {
        block(&packet_allocator(&four_vcs(Crossbar::Parallel).shape()), "packet_allocator")
    }),
    SynthesisSubject::block("single allocator", || {
        block(&single_allocator(&four_vcs(Crossbar::Single).shape()), "single_allocator")
    }),
    SynthesisSubject::switch("parallel switch", || design(&four_vcs(Crossbar::Parallel))),
    SynthesisSubject::switch("single switch", || design(&four_vcs(Crossbar::Single))),
    // As the router that it is compared with was synthesised.
    SynthesisSubject {
        recipe: Recipe::Yosys,
        flat: true,
        ..SynthesisSubject::switch("router", || design(&named("noc5")))
    },
    SynthesisSubject::switch("hpc16", || design(&named("hpc16"))),
    SynthesisSubject::switch("hpc64", || design(&named("hpc64"))),
    SynthesisSubject { library: Some("osu018"), ..SynthesisSubject::switch("0.18 um chip", || design(&chip())) },
];

/// A routing cache of so many entries.
fn cache_of(entries: u32) -> Result<GeneratedDesign, Error> {
    let mut config = Config::named("default");
    config.routing =
        Routing::Table(TableRouting { cache: Some(Cache { entries, ..Cache::default() }), ..TableRouting::default() });
    let shape = config.check().expect("a legal switch").shape();
    let cache = shape.table().and_then(|t| t.cache.as_ref()).expect("the switch has a cache");
    let tag = tag_bits(24, cache.index_bits as usize, &cache.crc);
    block(&routing_cache(cache, tag, shape.port_bits as usize, None, false, false), "routing_cache")
}

fn alone(design: Result<railyard_hdl::Design, Vec<ElaborationError>>) -> Result<GeneratedDesign, Error> {
    Ok(files(&design?))
}

fn block(block: &dyn railyard_hdl::rtl::prelude::Block, top: &str) -> Result<GeneratedDesign, Error> {
    Ok(files(&emit(block, top)?))
}

fn files(design: &railyard_hdl::Design) -> GeneratedDesign {
    let modules = design.modules.iter().map(|m| (format!("{}.v", m.name), m.text.clone())).collect();
    GeneratedDesign { top: design.top().name.clone(), modules, switch: None }
}

fn named(name: &str) -> CheckedConfig {
    let preset = find(name).expect("the preset comes with Railyard");
    Config::from_json(preset.json).expect("presets are tested")
}

/// 16 ports, 4 VCs, source-routed, so that the crossbar's arbitration is what there is.
fn four_vcs(crossbar: Crossbar) -> CheckedConfig {
    let mut config = Config::named("four_vcs");
    config.virtual_channels.unicast = 4;
    config.crossbar = crossbar;
    config.routing = Routing::Source(SourceRouting::default());
    config.check().expect("a legal switch")
}

/// Cao2016's chip: all four classes of virtual channels, with packets of up to 1,024 bytes.
fn chip() -> CheckedConfig {
    let mut config = named("dawning16").into_config();
    config.packet.max_flits = 128;
    config.check().expect("a legal switch")
}

//! Rules that join several fields of a configuration, or that a JSON Schema can't express.

mod chip;
mod dragonfly;

use crate::barrier;
use crate::config::{
    AlgorithmicRouting, Cache, Config, Crossbar, ForwardingTable, LinkArbitration, NodeReduction, Radix, Routing,
    SourceRouting, TableRouting, Topology,
};
use crate::polynomial::Polynomial;
use crate::shape::{LinkAggregationShape, MulticastShape, RoutingShape, Shape};
use railyard_input::Fault;

/// Chunk widths that node reduction can have, those first that are offered first.
const CHUNK_CHOICE: [u32; 5] = [4, 3, 2, 6, 8];

/// Paths of the chunk widths; more than there are legal widths can't be different.
const CHUNK_PATHS: [&str; 5] = [
    "/routing/node_reduction/chunk_bits/0",
    "/routing/node_reduction/chunk_bits/1",
    "/routing/node_reduction/chunk_bits/2",
    "/routing/node_reduction/chunk_bits/3",
    "/routing/node_reduction/chunk_bits/4",
];

/// Widest key of the port map, which is in registers.
const MAX_MAP_KEY_BITS: u32 = 7;

/// Widest hash.
const MAX_CRC_BITS: u32 = 64;

/// Most links of all groups of link aggregation: each has a register.
const MAX_GROUP_LINKS: usize = 512;

/// A broken rule, and all the fields that it joins.
pub(crate) struct Broken {
    pub fault: Fault,
    fields: Vec<&'static str>,
}

impl Broken {
    /// Whether the rule joins one of the fields at these paths (or one inside them).
    pub fn joins(&self, paths: &[String]) -> bool {
        let inside = |field: &str, path: &str| field == path || field.starts_with(&format!("{path}/"));
        self.fields.iter().any(|f| paths.iter().any(|p| inside(f, p)))
    }
}

/// Takes a rule: the fields that it joins, whether it holds, value, rule, legal value.
type Rule<'a> = dyn FnMut(&[&'static str], bool, String, String, String) + 'a;

/// Whether all chunks of this width are whole.
fn divides(bits: u32, address_bits: u32) -> bool {
    CHUNK_CHOICE.contains(&bits) && address_bits % bits == 0
}

/// A chunk width that divides the address, if there is one.
fn dividing(address_bits: u32) -> Option<u32> {
    CHUNK_CHOICE.into_iter().find(|bits| divides(*bits, address_bits))
}

/// A chunk width whose keys are narrow: at most 7 bits, by the widest address that has to be cut into chunks of this
/// one.
fn narrow_chunk(reduction: &NodeReduction, address_bits: u32) -> u32 {
    dividing(address_bits).filter(|_| reduction.radix == Radix::Full).unwrap_or(4)
}

/// Rules of node reduction, wherever it stands.
fn reduction_rules(rule: &mut Rule, reduction: &NodeReduction, address_bits: u32) {
    let chunk_bits = &reduction.chunk_bits;
    let free = CHUNK_CHOICE.into_iter().find(|bits| !chunk_bits.contains(bits)).unwrap_or(4);
    for (path, bits) in CHUNK_PATHS.iter().zip(chunk_bits) {
        let holds = CHUNK_CHOICE.contains(bits);
        rule(&[path], holds, bits.to_string(), "must be 2, 3, 4, 6 or 8".into(), free.to_string());
    }
    let full = reduction.radix == Radix::Full;
    let legal = dividing(address_bits);
    rule(
        &["/routing/node_reduction/chunk_bits", "/routing/node_reduction/radix", "/routing/address_bits"],
        !full || legal.is_none() || chunk_bits.iter().all(|bits| divides(*bits, address_bits)),
        format!("{chunk_bits:?}"),
        format!("must divide address_bits, which is {address_bits}, with radix full: every chunk has all its values"),
        format!("[{}]", legal.unwrap_or(4)),
    );
    rule(
        &["/routing/node_reduction/radix", "/routing/address_bits"],
        !full || legal.is_some(),
        "\"full\"".into(),
        format!("needs address_bits that a chunk width divides; no one divides {address_bits}"),
        "\"any\"".into(),
    );
    rule(
        &["/routing/node_reduction/radix", "/routing/node_reduction/topologies"],
        reduction.radix == Radix::Any || reduction.topologies.contains(&Topology::Cube),
        "\"full\"".into(),
        "is about cubes, and there is none among the topologies".into(),
        "\"any\"".into(),
    );
}

/// Rules of the forwarding table on the chip.
fn table_rules(rule: &mut Rule, table: &ForwardingTable, registers: bool) {
    rule(
        &["/routing/forwarding_table", "/registers"],
        registers,
        "forwarding table".into(),
        "needs registers, through which it is written".into(),
        "null".into(),
    );
    rule(
        &["/routing/forwarding_table/entries"],
        table.entries.is_power_of_two(),
        table.entries.to_string(),
        "must be a power of two".into(),
        table.entries.next_power_of_two().to_string(),
    );
    rule(
        &["/routing/forwarding_table/ways"],
        table.ways.is_power_of_two(),
        table.ways.to_string(),
        "must be 1, 2, 4 or 8".into(),
        table.ways.next_power_of_two().to_string(),
    );
    let index_bits = (table.entries / table.ways).max(2).ilog2();
    let (crc_bits, polynomial) = (table.hash.crc_bits, table.hash.polynomial);
    rule(
        &["/routing/forwarding_table/ways", "/routing/forwarding_table/entries"],
        table.ways * index_bits <= MAX_CRC_BITS,
        table.ways.to_string(),
        format!("must be few enough for {index_bits} bits each of a hash of {MAX_CRC_BITS}"),
        "4".into(),
    );
    rule(
        &[
            "/routing/forwarding_table/hash/crc_bits",
            "/routing/forwarding_table/entries",
            "/routing/forwarding_table/ways",
        ],
        crc_bits >= (table.ways * index_bits).min(MAX_CRC_BITS),
        crc_bits.to_string(),
        format!("must give each of {} ways {index_bits} bits of its own", table.ways),
        (table.ways * index_bits).min(MAX_CRC_BITS).to_string(),
    );
    rule(
        &["/routing/forwarding_table/hash/polynomial", "/routing/forwarding_table/hash/crc_bits"],
        polynomial.0 != 0 && polynomial.0 >> (crc_bits - 1) <= 1,
        format!("\"{polynomial}\""),
        format!("must be 1 to 2^{crc_bits} - 1: a polynomial of degree {crc_bits} without its leading term"),
        "\"0x1\"".into(),
    );
}

/// Rules of the input buffers.
fn buffer_rules(rule: &mut Rule, config: &Config) {
    let max_flits = config.packet.max_flits;
    let depth = config.buffer_depth();

    // A Dragonfly's switch starts no packet in two places at once.
    let (packets, what) = match &config.routing {
        Routing::Dragonfly(_) => (1, format!("a maximum packet ({max_flits} flits)")),
        _ => (2, format!("two maximum packets (2 x {max_flits} flits)")),
    };
    let least = (packets * max_flits).max(2);
    let mut depth_rules = |paths: [&'static str; 2], depth: u32| {
        rule(
            &paths[..1],
            depth.is_power_of_two(),
            depth.to_string(),
            "must be a power of two".into(),
            depth.max(least).next_power_of_two().to_string(),
        );
        rule(
            &paths,
            depth >= packets * max_flits,
            depth.to_string(),
            format!("must hold at least {what}"),
            least.next_power_of_two().to_string(),
        );
    };
    depth_rules(["/buffer_flits", "/packet/max_flits"], depth);
    if let Routing::Dragonfly(dragonfly) = &config.routing {
        let paths = [
            "/routing/port_classes/node/buffer_flits",
            "/routing/port_classes/local/buffer_flits",
            "/routing/port_classes/global/buffer_flits",
        ];
        let given = paths.into_iter().zip(dragonfly.port_classes.all());
        for (path, depth) in given.filter_map(|(path, (_, class))| Some((path, class.buffer_flits?))) {
            depth_rules([path, "/packet/max_flits"], depth);
        }
    }
}

/// Rules of the links: what shares them, and by which virtual channel a packet leaves.
fn link_rules(rule: &mut Rule, config: &Config, shape: &Shape) {
    rule(
        &["/link_arbitration", "/crossbar"],
        !(config.crossbar == Crossbar::Single && config.link_arbitration == LinkArbitration::Flit),
        "\"flit\"".into(),
        "needs the parallel crossbar: a single one serves an output packet by packet".into(),
        "\"packet\"".into(),
    );
    rule(
        &["/routing/next_vc", "/link_arbitration"],
        !(shape.next_vc && shape.dragonfly().is_none() && config.link_arbitration == LinkArbitration::Flit),
        "true".into(),
        "needs packet-wise link arbitration: flits of two packets would mix on one VC".into(),
        "false".into(),
    );
}

/// Rules of output queues.
fn output_queue_rules(rule: &mut Rule, config: &Config, queue_flits: u32) {
    rule(
        &["/output_queue_flits"],
        queue_flits.is_power_of_two(),
        queue_flits.to_string(),
        "must be a power of two".into(),
        queue_flits.next_power_of_two().min(64).to_string(),
    );
    rule(
        &["/output_queue_flits", "/crossbar"],
        config.crossbar == Crossbar::Parallel,
        queue_flits.to_string(),
        "needs the parallel crossbar: a single one has no planes that a link keeps waiting".into(),
        "null".into(),
    );
    rule(
        &["/output_queue_flits", "/link_arbitration"],
        config.link_arbitration == LinkArbitration::Packet,
        queue_flits.to_string(),
        "needs packet-wise link arbitration: flit by flit all planes of an output are connected already".into(),
        "null".into(),
    );
    rule(
        &["/output_queue_flits", "/virtual_channels/mixed"],
        config.virtual_channels.mixed == 0,
        queue_flits.to_string(),
        "must be null with a mixed virtual channel: a multicast packet takes all its outputs at once".into(),
        "null".into(),
    );
}

/// Rules of the mixed virtual channel.
fn multicast_rules(rule: &mut Rule, config: &Config, shape: &Shape, multicast: &MulticastShape) {
    rule(
        &["/virtual_channels/mixed", "/link_arbitration"],
        config.link_arbitration == LinkArbitration::Packet,
        "1".into(),
        "needs packet-wise link arbitration: a multicast packet's flits leave by all its outputs at once".into(),
        "0".into(),
    );
    rule(
        &["/virtual_channels/mixed", "/registers"],
        config.registers,
        "1".into(),
        "needs registers, through which multicast groups are written".into(),
        "0".into(),
    );
    let number_bits = match &shape.routing {
        RoutingShape::Source(source) => source.route_bits,
        _ => shape.address_bits().unwrap_or(0),
    };
    rule(
        &["/multicast/groups", "/routing/address_bits", "/routing/hops"],
        multicast.group_bits <= number_bits,
        multicast.groups.to_string(),
        format!("must be few enough for the {number_bits} bits of a header's address or list of ports"),
        (1u64 << number_bits.min(12)).to_string(),
    );
}

/// Rules of the parity of group tables, with a mixed virtual channel or without.
fn group_parity_rules(rule: &mut Rule, config: &Config) {
    rule(
        &["/multicast/parity", "/virtual_channels/mixed"],
        config.multicast.parity.is_none() || config.virtual_channels.mixed > 0,
        "an object".into(),
        "must be null: without a mixed virtual channel there are no group tables".into(),
        "null".into(),
    );
}

/// Rules of the barrier virtual channel.
fn barrier_rules(rule: &mut Rule, config: &Config) {
    rule(
        &["/virtual_channels/barrier", "/registers"],
        config.registers,
        "1".into(),
        "needs registers, through which barrier groups are set".into(),
        "0".into(),
    );
    rule(
        &["/virtual_channels/barrier", "/flit_bits"],
        config.flit_bits >= barrier::MESSAGE_BITS,
        "1".into(),
        format!("needs flits of at least {} bits: a barrier message is one flit", barrier::MESSAGE_BITS),
        "0".into(),
    );
}

/// Rules of groups of links.
fn link_aggregation_rules(rule: &mut Rule, built: &LinkAggregationShape) {
    let (groups, links, crc) = (built.groups, built.links, built.crc);
    rule(
        &["/routing/link_aggregation/links", "/routing/link_aggregation/groups"],
        groups * links <= MAX_GROUP_LINKS,
        links.to_string(),
        format!("must be at most {MAX_GROUP_LINKS} / {groups} `groups`: all links of all groups have registers"),
        (MAX_GROUP_LINKS / groups).to_string(),
    );
    rule(
        &["/routing/link_aggregation/hash/polynomial", "/routing/link_aggregation/hash/crc_bits"],
        crc.polynomial != 0 && crc.polynomial >> (crc.bits - 1) <= 1,
        format!("\"{}\"", Polynomial(crc.polynomial)),
        format!("must be 1 to 2^{0} - 1: a polynomial of degree {0} without its leading term", crc.bits),
        "\"0x1\"".into(),
    );
}

/// Rules of features that are set or read by registers.
fn register_rules(rule: &mut Rule, config: &Config, shape: &Shape) {
    rule(
        &["/registers", "/routing/node_reduction", "/routing/link_aggregation"],
        config.registers || (shape.reduction().is_none() && shape.link_aggregation.is_none()),
        "false".into(),
        "must be true: node reduction and link aggregation are set at run time".into(),
        "true".into(),
    );
    rule(
        &["/counters", "/registers"],
        config.registers || config.counters.is_none(),
        "counters".into(),
        "need registers, through which they are read".into(),
        "null".into(),
    );
    rule(
        &["/buffer_ecc", "/routing/kind"],
        config.buffer_ecc.is_none() || shape.dragonfly().is_none(),
        "an object".into(),
        "must be null: a Dragonfly's switch rewrites stored headers".into(),
        "null".into(),
    );
    rule(
        &["/memory_pins", "/buffer_flits", "/routing", "/virtual_channels/mixed"],
        config.memory_pins.is_none() || shape.has_memory(),
        "an object".into(),
        "must be null: the switch has no memory, as its buffers are flip-flops and it has neither cache nor table"
            .into(),
        "null".into(),
    );
    rule(
        &["/events", "/registers"],
        config.registers || !config.events,
        "true".into(),
        "needs registers, through which events are read and cleared".into(),
        "false".into(),
    );
}

/// Rules of headers, which hold an address.
fn header_rules(rule: &mut Rule, config: &Config, shape: &Shape, address_bits: u32) {
    let max_flits = config.packet.max_flits;
    let header_flits = shape.header_flits();
    rule(
        &["/packet/max_flits", "/routing/address_bits", "/flit_bits", "/virtual_channels/mixed"],
        max_flits >= header_flits,
        max_flits.to_string(),
        format!(
            "must hold the header: {header_flits} flits of {} bits for an address of {address_bits} bits{}",
            config.flit_bits,
            if shape.multicast.is_some() { " and the multicast bit" } else { "" }
        ),
        header_flits.to_string(),
    );
}

/// Rules of source routing.
fn source_rules(rule: &mut Rule, config: &Config, source: &SourceRouting, port_bits: u32) {
    let room = config.flit_bits - config.virtual_channels.mixed;
    rule(
        &["/routing/hops", "/ports", "/flit_bits", "/virtual_channels/mixed"],
        source.hops * port_bits <= room,
        source.hops.to_string(),
        format!(
            "must be few enough for the first flit: {room} bits hold {} ports of {} bits",
            room / port_bits,
            port_bits
        ),
        (room / port_bits).to_string(),
    );
}

/// Rules of algorithmic routing.
fn algorithmic_rules(rule: &mut Rule, algorithmic: &AlgorithmicRouting, shape: &Shape) {
    reduction_rules(rule, &algorithmic.node_reduction, algorithmic.address_bits);
    let chunk_bits = &algorithmic.node_reduction.chunk_bits;
    let key_bits = shape.algorithmic().map_or(0, |a| a.reduction.key_bits);
    rule(
        &["/routing/node_reduction/chunk_bits", "/routing/node_reduction/topologies", "/routing/next_vc"],
        key_bits <= MAX_MAP_KEY_BITS,
        format!("{chunk_bits:?}"),
        format!("gives keys of {key_bits} bits; the port map holds keys of at most {MAX_MAP_KEY_BITS}"),
        format!("[{}]", narrow_chunk(&algorithmic.node_reduction, algorithmic.address_bits)),
    );
    if algorithmic.vc_pairs {
        pair_rules(rule, shape);
    }
}

/// Rules of virtual channels in pairs.
fn pair_rules(rule: &mut Rule, shape: &Shape) {
    rule(
        &["/routing/vc_pairs", "/routing/next_vc"],
        shape.next_vc,
        "true".into(),
        "needs routes that name a VC, by `next_vc`".into(),
        "false".into(),
    );
    rule(
        &["/routing/vc_pairs", "/virtual_channels/unicast", "/virtual_channels/mixed"],
        shape.multicast.is_none() && shape.vcs % 2 == 0 && shape.vcs >= 4,
        "true".into(),
        "needs an even number of unicast VCs, 4 or more, and no mixed VC".into(),
        "false".into(),
    );
}

/// Rules of table routing.
fn table_routing_rules(rule: &mut Rule, config: &Config, table: &TableRouting) {
    if let Some(reduction) = &table.node_reduction {
        reduction_rules(rule, reduction, table.address_bits);
        rule(
            &["/routing/node_reduction", "/routing/cache"],
            table.cache.is_some(),
            "node reduction".into(),
            "stands in front of a routing cache, and there is none".into(),
            "null".into(),
        );
    }
    rule(
        &["/routing/external_cam", "/routing/forwarding_table"],
        table.external_cam || table.forwarding_table.is_some(),
        "false".into(),
        "must be true: there is no forwarding table on the chip either".into(),
        "true".into(),
    );
    rule(
        &["/routing/default_route", "/registers"],
        config.registers || !table.default_route,
        "true".into(),
        "needs registers, which hold it".into(),
        "false".into(),
    );
    rule(
        &["/routing/parity", "/routing/cache", "/routing/forwarding_table"],
        table.parity.is_none() || table.cache.is_some() || table.forwarding_table.is_some(),
        "an object".into(),
        "must be null: there is neither a routing cache nor a forwarding table".into(),
        "null".into(),
    );
    if let Some(built) = &table.forwarding_table {
        table_rules(rule, built, config.registers);
    }
    if let Some(cache) = &table.cache {
        cache_rules(rule, cache);
    }
}

/// Rules of the routing caches.
fn cache_rules(rule: &mut Rule, cache: &Cache) {
    rule(
        &["/routing/cache/entries"],
        cache.entries.is_power_of_two(),
        cache.entries.to_string(),
        "must be a power of two".into(),
        cache.entries.next_power_of_two().to_string(),
    );
    rule(
        &["/routing/cache/ways"],
        cache.ways.is_power_of_two(),
        cache.ways.to_string(),
        "must be 1, 2, 4, 8 or 16".into(),
        cache.ways.next_power_of_two().to_string(),
    );
    let index_bits = (cache.entries / cache.ways).max(1).ilog2();
    let crc_bits = cache.hash.crc_bits;
    rule(
        &["/routing/cache/hash/crc_bits", "/routing/cache/entries", "/routing/cache/ways"],
        crc_bits >= index_bits,
        crc_bits.to_string(),
        format!("must cover the {index_bits} bits that select one of {} sets", 1u32 << index_bits),
        index_bits.to_string(),
    );
    let polynomial = cache.hash.polynomial;
    rule(
        &["/routing/cache/hash/polynomial", "/routing/cache/hash/crc_bits"],
        polynomial.0 != 0 && polynomial.0 >> (crc_bits - 1) <= 1,
        format!("\"{polynomial}\""),
        format!("must be 1 to 2^{crc_bits} - 1: a polynomial of degree {crc_bits} without its leading term"),
        "\"0x1\"".into(),
    );
}

/// Every broken rule.
pub(crate) fn broken(config: &Config) -> Vec<Broken> {
    let mut list = Vec::new();
    let rule = &mut |fields: &[&'static str], holds: bool, value: String, rule: String, legal: String| {
        if !holds {
            let fault = Fault { path: fields[0].into(), value, rule, legal };
            list.push(Broken { fault, fields: fields.to_vec() });
        }
    };
    let shape = Shape::of(config);
    buffer_rules(rule, config);
    link_rules(rule, config, &shape);
    if let Some(queue_flits) = config.output_queue_flits {
        output_queue_rules(rule, config, queue_flits);
    }
    register_rules(rule, config, &shape);
    group_parity_rules(rule, config);
    if let Some(multicast) = &shape.multicast {
        multicast_rules(rule, config, &shape, multicast);
    }
    if shape.barrier.is_some() {
        barrier_rules(rule, config);
    }
    if let Some(built) = &shape.link_aggregation {
        link_aggregation_rules(rule, built);
    }
    if let Some(address_bits) = shape.address_bits().filter(|_| shape.dragonfly().is_none()) {
        header_rules(rule, config, &shape, address_bits);
    }
    if let Some(chip) = &config.chip {
        chip::rules(rule, config, chip, &shape);
    }
    match &config.routing {
        Routing::Source(source) => source_rules(rule, config, source, shape.port_bits),
        Routing::Algorithmic(algorithmic) => algorithmic_rules(rule, algorithmic, &shape),
        Routing::Dragonfly(dragonfly) => dragonfly::rules(rule, config, dragonfly),
        Routing::Table(table) => table_routing_rules(rule, config, table),
    }
    list
}

//! `railyard check`.

use crate::cli::CheckArgs;
use crate::memory::MemoryBits;
use crate::table::two_columns;
use crate::{answer, Error, Outcome};
use railyard_spec::chip::ChipShape;
use railyard_spec::misrouting::PortKind;
use railyard_spec::registers::registers;
use railyard_spec::{
    CheckedConfig, DragonflyShape, ReductionShape, RegisterPort, RoutingShape, Shape, TableShape, Via,
};
use serde::Serialize;
use serde_json::{json, Value};

/// Checks a description; shows the numbers that follow from it.
///
/// # Errors
/// The description can't be read or breaks rules.
pub fn run(args: &CheckArgs) -> Result<Outcome, Error> {
    let config = args.description.load()?;
    let shape = config.shape();
    let bits = MemoryBits::of_design(&config);
    if args.json {
        let words: u32 = registers(&shape).iter().map(|register| register.count).sum();
        answer::json(&json!({
            "legal": true, "config": config, "derived": shape, "memory_bits": bits,
            "memory_bits_total": bits.total(), "register_words": words,
            "full_link_cycles": full_link_cycles(&shape), "notes": notes(&shape),
        }))?;
    } else {
        let notes: String = notes(&shape).iter().map(|note| format!("note: {note}\n")).collect();
        answer::text(&(two_columns(&rows(&config, &shape, &bits)) + &notes))?;
    }
    Ok(Outcome::Fine)
}

pub(crate) type Row = (&'static str, String);

/// What is legal, and may not be what was meant.
pub(super) fn notes(shape: &Shape) -> Vec<String> {
    let shallow = shape.by_depth().into_iter().filter_map(|(kind, shape)| {
        let (depth, needed) = (shape.buffer_flits, shape.full_link_flits(0)?);
        let (link, field) = match kind.map(PortKind::name) {
            Some(kind) => (format!("{kind} link"), format!("routing.port_classes.{kind}.buffer_flits")),
            None => ("link".into(), "buffer_flits".into()),
        };
        let deep = needed.next_power_of_two();
        (needed > depth).then(|| {
            format!("one VC alone fills a {link} with buffers of {needed} flits; these have {depth} ({field}: {deep})")
        })
    });
    let lookups = shape.table().filter(|table| table.cache.is_some()).and_then(|table| {
        let needed = table.pipeline_lookups();
        (table.lookups_per_vc < needed as usize).then(|| {
            format!(
                "packets of one flit take {needed} lookups in flight a VC; there are {} (routing.lookups_per_vc)",
                table.lookups_per_vc
            )
        })
    });
    shallow.chain(lookups).collect()
}

/// A line for each block.
pub(crate) fn rows(config: &CheckedConfig, shape: &Shape, bits: &MemoryBits) -> Vec<Row> {
    let mut rows = vec![
        ("top module", format!("{}_{}", config.name, if config.chip.is_some() { "chip" } else { "switch" })),
        ("ports", shape.ports.to_string()),
        ("virtual channels", format!("{} a link", shape.vcs)),
        ("flit", format!("{} bits", shape.flit_bits)),
        ("longest packet", format!("{} flits = {} bytes", shape.max_flits, shape.max_flits * shape.flit_bits / 8)),
        ("input buffer", format!("{}, {} in all", depths(shape), kibit(bits.input_buffers))),
        ("full link", full_link(shape)),
        ("flow control", format!("{}, reports of {} bits", word(&shape.flow_control), shape.credit_bits)),
        ("crossbar", format!("{}, link shared by {}", word(&shape.crossbar), word(&shape.link_arbitration))),
    ];
    match &shape.routing {
        RoutingShape::Source(s) => {
            rows.push(("routing", format!("source, {} hops in {} header bits", s.hops, s.route_bits)));
        }
        RoutingShape::Algorithmic(a) => {
            rows.push(("routing", format!("algorithmic, {}", addresses(a.address_bits, a.header_flits))));
            rows.extend(reduction(&a.reduction));
            rows.push(("port map", format!("{} entries", 1u32 << a.reduction.key_bits)));
        }
        RoutingShape::Dragonfly(d) => rows.extend(dragonfly(d)),
        RoutingShape::Table(t) => rows.extend(table(t, bits)),
    }
    if shape.next_vc && shape.dragonfly().is_none() {
        rows.push(("next VC", "a route may name the VC on which the packet leaves".into()));
    }
    if shape.candidates > 1 {
        let text = format!("up to {} ports a route, the one with the most credit is taken", shape.candidates);
        rows.push(("adaptive candidates", text));
    }
    if let Some(l) = &shape.link_aggregation {
        let hash = format!("CRC-{} {:#x}", l.crc.bits, l.crc.polynomial);
        rows.push(("link aggregation", format!("{} groups of up to {} links, {hash}", l.groups, l.links)));
    }
    if let Some(m) = &shape.multicast {
        let text = format!("{} groups on VC {}, {} in all", m.groups, m.vc, kibit(bits.group_tables));
        rows.push(("multicast", text));
    }
    if let Some(b) = &shape.barrier {
        rows.push(("barriers", format!("{} groups on VC {}, which has no buffer", b.groups, b.vc)));
    }
    if let Some(bits) = shape.counter_bits {
        rows.push(("counters", format!("{bits} bits each, of ports, VCs and the switch")));
    }
    let words: u32 = registers(shape).iter().map(|register| register.count).sum();
    rows.push(match words {
        0 => ("registers", "none".into()),
        _ => ("registers", format!("{words} words{}", reached(config.chip_shape().as_ref()))),
    });
    rows.push(("memories", format!("{} in all", kibit(bits.total()))));
    rows.extend(config.chip_shape().into_iter().flat_map(chip));
    rows
}

/// What reaches the registers.
fn reached(chip: Option<&ChipShape>) -> &'static str {
    match chip.and_then(|chip| chip.register_port) {
        None | Some(RegisterPort::Apb) => " behind the APB port: `railyard registers`",
        Some(RegisterPort::AxiLite) => " behind the AXI4-Lite port: `railyard registers`",
        Some(RegisterPort::None) => ", which no port reaches",
    }
}

/// Lines of what stands around the switch.
fn chip(chip: ChipShape) -> Vec<Row> {
    let mut rows = Vec::new();
    if let Some(streams) = &chip.streams {
        let kind = if streams.cut_through { "cut through" } else { "store and forward" };
        let counted = |count: usize, of: &str| format!("{count} {of}{}", if count == 1 { "" } else { "s" });
        let (ports, header) = (counted(streams.ports.len(), "port"), counted(streams.header_flits as usize, "flit"));
        rows.push(("AXI4-Streams", format!("at {ports}, {kind}, headers of {header}")));
    }
    let port = match chip.register_port {
        None => None,
        Some(RegisterPort::Apb) => Some("APB"),
        Some(RegisterPort::AxiLite) => Some("AXI4-Lite"),
        Some(RegisterPort::None) => Some("none: settings keep their reset values"),
    };
    rows.extend(port.map(|port| ("register port", port.into())));
    rows.extend(chip.reset_synchronizer.then(|| ("reset", "synchronized in the chip".into())));
    rows
}

/// Dragonfly routing.
fn dragonfly(d: &DragonflyShape) -> Vec<(&'static str, String)> {
    let (nodes, locals, globals) = (d.node_ports, d.local_ports, d.global_ports);
    let tables = format!("{} groups, {} routers, {nodes} nodes", d.groups, d.routers());
    let digits = format!("{} + {} + {} bits for group, router and node", d.group_bits, d.router_bits, d.node_bits);
    let mut rows = vec![
        ("routing", format!("Dragonfly, {digits}; header of {} bits", d.header().bits)),
        ("port classes", format!("{nodes} to nodes, {locals} local, {globals} global")),
        ("route tables", tables),
        ("reference VCs", d.reference().to_string()),
    ];
    if d.flexible_vcs {
        let random = if d.random_vcs { ", chance among the rules" } else { "" };
        rows.push(("flexible VCs", format!("a packet may take any legal VC; the rule is in a register{random}")));
    }
    if d.adaptive() {
        let parts = [
            (d.valiant == Some(Via::Router), "Valiant and UGAL-L over a router"),
            (d.valiant == Some(Via::Group), "Valiant and UGAL-L over a group"),
            (d.in_transit, "in transit"),
            (d.contention, "contention counters"),
            (d.filter, "filtered ones"),
            (d.ectn, "counts of packets for groups (ECtN)"),
            (d.saturation, "PiggyBack"),
        ];
        let built: Vec<&str> = parts.into_iter().filter(|(built, _)| *built).map(|(_, text)| text).collect();
        rows.push(("adaptive ways", built.join(", ")));
    }
    rows
}

/// Places of a VC's buffer.
fn depths(shape: &Shape) -> String {
    let each = shape.by_depth().into_iter().map(|(kind, shape)| match kind {
        Some(kind) => format!("{} ({})", shape.buffer_flits, kind.name()),
        None => shape.buffer_flits.to_string(),
    });
    format!("{} flits a VC", each.collect::<Vec<_>>().join(", "))
}

/// Most cycles of a link that one VC alone keeps full; of kinds with buffers of their own, by kind.
fn full_link_cycles(shape: &Shape) -> Value {
    let each = shape.by_depth().into_iter().map(|(kind, shape)| (kind, shape.full_link_cycles()));
    match each.collect::<Vec<_>>()[..] {
        [(None, cycles)] => json!(cycles),
        ref kinds => kinds.iter().filter_map(|(kind, cycles)| Some((kind.as_ref()?.name(), json!(cycles)))).collect(),
    }
}

/// The links that one VC alone keeps full.
fn full_link(shape: &Shape) -> String {
    let each = shape.by_depth().into_iter().map(|(kind, shape)| {
        let links = match (shape.full_link_cycles(), shape.full_link_flits(0)) {
            (Some(0), _) => "links that are wires only".into(),
            (Some(1), _) => "links of 1 cycle each way".into(),
            (Some(cycles), _) => format!("links of up to {cycles} cycles each way"),
            (None, Some(_)) => "none".into(),
            (None, None) => "as fast as lookups are answered".into(),
        };
        kind.map_or(links.clone(), |kind| format!("{}: {links}", kind.name()))
    });
    format!("by one VC alone: {}", each.collect::<Vec<_>>().join("; "))
}

/// Lines of table routing.
fn table(t: &TableShape, bits: &MemoryBits) -> Vec<Row> {
    let mut rows = vec![("routing", format!("table, {}", addresses(t.address_bits, t.header_flits)))];
    rows.push(("lookups in flight", format!("{} a VC", t.lookups_per_vc)));
    rows.extend(t.reduction.iter().flat_map(reduction));
    rows.push(match &t.cache {
        None => ("routing cache", "none: every lookup is a miss".into()),
        Some(c) => {
            let hash = format!("CRC-{} {:#x}", c.crc.bits, c.crc.polynomial);
            let shape = format!("{} sets x {} ways a port, {}, {hash}", c.sets, c.ways, word(&c.replacement));
            ("routing cache", format!("{shape}, {} in all", kibit(bits.routing_caches)))
        }
    });
    rows.extend(t.forwarding_table.as_ref().map(|f| {
        let hash = format!("CRC-{} {:#x}", f.crc.bits, f.crc.polynomial);
        let text = format!("{} ways x {} entries, {hash}, {}", f.ways, f.sets, kibit(bits.forwarding_table));
        ("forwarding table", text)
    }));
    rows.push(match t.external_cam {
        true => ("external CAM", format!("tags of {} bits", t.tag_bits)),
        false => ("external CAM", "none".into()),
    });
    rows.extend(t.default_route.then(|| ("default route", "in a register".into())));
    rows
}

fn addresses(bits: u32, header_flits: u32) -> String {
    let header = if header_flits == 1 { String::new() } else { format!(", header of {header_flits} flits") };
    format!("{bits}-bit addresses{header}")
}

fn reduction(r: &ReductionShape) -> [Row; 2] {
    let topologies: Vec<String> = r.topologies.iter().map(word).collect();
    let chunks: Vec<String> = r.chunk_bits.iter().map(u32::to_string).collect();
    let cycles = if r.stages == 1 { "1 cycle".into() } else { format!("{} cycles", r.stages) };
    let radix = if r.full_radix { ", full radix" } else { "" };
    let dateline = if r.dateline { ", dateline" } else { "" };
    [
        ("node reduction", format!("{}; chunks of {} bits{radix}", topologies.join(", "), chunks.join(", "))),
        ("reduction keys", format!("{} bits, in {cycles}{dateline}", r.key_bits)),
    ]
}

/// A name as the description has it.
fn word(name: &impl Serialize) -> String {
    json!(name).as_str().unwrap_or_default().to_string()
}

fn kibit(bits: u64) -> String {
    match bits {
        0..10_240 => format!("{bits} bits"),
        _ => format!("{} Kibit", bits / 1024),
    }
}

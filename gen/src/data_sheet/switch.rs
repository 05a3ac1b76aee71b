//! The data sheet of a switch: twelve sections.

use super::{curve, latency, notes, picture, row, tables, SheetSubject};
use crate::commands::check;
use crate::counted::counted;
use crate::memory::MemoryBits;
use railyard_exports::data_sheet::{DataSheet, SheetPart, SheetSection};
use railyard_picture::kind::find;
use railyard_spec::chip::ChipShape;
use railyard_spec::registers::registers;
use railyard_spec::{CheckedConfig, FlowControl, RegisterPort, RoutingShape, Shape};

/// The data sheet.
pub fn switch(config: &CheckedConfig, subject: &SheetSubject) -> DataSheet {
    let shape = &config.shape();
    let section = |heading, parts| SheetSection { heading, parts };
    let drawn = |name: &str| picture(find(name)?.of_switch(config));
    let pictures = |names: &[&str]| names.iter().filter_map(|name| drawn(name)).collect::<Vec<_>>();
    let sections = vec![
        section("What it is", vec![SheetPart::Text(about(config, subject, shape))]),
        section("Block diagram", pictures(&["blocks"])),
        section("Parameters", parameters(config, shape)),
        section("Pins and their timing", [vec![tables::pins(subject.pins)], pictures(&["cycles", "credits"])].concat()),
        section("Latency", latency::parts(shape)),
        section("Packets", pictures(&["packet"])),
        section("Registers", registers_of(config, shape)),
        section("Memories", tables::memories(subject.design, shape, Some(MemoryBits::of_design(config)))),
        section("Clock, reset, constraints", tables::clocking(subject, shape.reset, config.chip.as_ref())),
        section("Throughput and latency under load", curve::parts(shape)),
        section("Area and clock", tables::estimate(config)),
        section("Integration notes", vec![SheetPart::List(notes::of_switch(config, shape))]),
    ];
    DataSheet { title: subject.design.top().name.clone(), sections }
}

/// What the switch is, in a paragraph.
fn about(config: &CheckedConfig, subject: &SheetSubject, shape: &Shape) -> String {
    let routes = match &shape.routing {
        RoutingShape::Source(_) => "the packet's header",
        RoutingShape::Algorithmic(_) => "arithmetic on the address",
        RoutingShape::Dragonfly(_) => "tables for the digits of a place in a Dragonfly",
        RoutingShape::Table(table) => match (&table.cache, &table.forwarding_table, table.external_cam) {
            (Some(_), _, true) => "a routing cache at each port, in front of an external CAM",
            (Some(_), _, false) => "a routing cache at each port, in front of a forwarding table on the chip",
            (None, Some(_), _) => "a forwarding table on the chip",
            (None, None, _) => "an external CAM",
        },
    };
    let credits = match shape.flow_control {
        FlowControl::Absolute => "absolute credits, whose lost reports do no harm",
        FlowControl::Relative => "relative credits",
    };
    let multicast =
        shape.multicast.as_ref().map(|m| format!(" It replicates packets of {} multicast groups.", m.groups));
    let barrier = shape.barrier.as_ref().map(|b| format!(" It gathers barriers of {} groups.", b.groups));
    format!(
        "`{}_switch` is a virtual cut-through switch with {} ports and {} a link. Flits have {} bits, and packets up \
         to {} flits. Flow control is by {credits}. Routes come from {routes}.{}{}{}",
        subject.name,
        shape.ports,
        counted(shape.vcs, "virtual channel"),
        shape.flit_bits,
        shape.max_flits,
        multicast.unwrap_or_default(),
        barrier.unwrap_or_default(),
        config.chip_shape().map(|chip| around(subject, &chip)).unwrap_or_default()
    )
}

/// What stands around the switch.
fn around(subject: &SheetSubject, chip: &ChipShape) -> String {
    let streams = chip.streams.as_ref().map(|streams| match streams.ports.len() {
        1 => " One port is an AXI4-Stream.".to_string(),
        count => format!(" {count} ports are AXI4-Streams."),
    });
    let axi_lite = chip.register_port == Some(RegisterPort::AxiLite);
    format!(
        " The top module `{}_chip` holds the switch.{}{}{}",
        subject.name,
        streams.unwrap_or_default(),
        if axi_lite { " An AXI4-Lite port reaches the registers." } else { "" },
        if chip.reset_synchronizer { " A reset synchronizer is built in." } else { "" }
    )
}

/// The registers, and a word if no port reaches them.
fn registers_of(config: &CheckedConfig, shape: &Shape) -> Vec<SheetPart> {
    let chip = config.chip_shape();
    let is_out_of_reach = chip.is_some_and(|chip| chip.register_port == Some(RegisterPort::None));
    let note = is_out_of_reach.then(|| SheetPart::Text("No port reaches them: all keep their reset values.".into()));
    tables::registers(&registers(shape)).into_iter().chain(note).collect()
}

/// What was asked for, and what follows from it.
fn parameters(config: &CheckedConfig, shape: &Shape) -> Vec<SheetPart> {
    let rows = check::rows(config, shape, &MemoryBits::of_design(config));
    let rows = rows.into_iter().map(|(name, value)| row(name, value));
    let json = serde_json::to_string_pretty(config).expect("a description is plain data");
    vec![
        SheetPart::Table(std::iter::once(row("parameter", "value")).chain(rows).collect()),
        SheetPart::Code("The description, with all defaults", json),
    ]
}

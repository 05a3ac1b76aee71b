//! Tables that switches and networks share.

use super::{row, SheetSubject};
use crate::commands::estimate::{cache, design};
use crate::memory::MemoryBits;
use crate::pages::pins::meaning;
use crate::pages::registers as words;
use railyard_estimate::{kept, Options};
use railyard_exports::data_sheet::SheetPart;
use railyard_hdl::Design;
use railyard_spec::pins::Pin;
use railyard_spec::registers::Register;
use railyard_spec::{CheckedConfig, Chip, Reset, ResetKind, Shape};

fn heads<const N: usize>(names: [&str; N]) -> std::iter::Once<Vec<String>> {
    std::iter::once(names.map(String::from).to_vec())
}

/// The pins of the top module.
pub fn pins(pins: &[Pin]) -> SheetPart {
    let cells = |pin: &Pin| {
        let direction = format!("{:?}", pin.direction).to_lowercase();
        vec![format!("`{}`", pin.name), direction, format!("{} x {}", pin.count, pin.bits), meaning(pin)]
    };
    SheetPart::Table(heads(["pin", "direction", "elements x bits", "meaning"]).chain(pins.iter().map(cells)).collect())
}

/// The register map, a row a field.
pub fn registers(registers: &[Register]) -> Vec<SheetPart> {
    if registers.is_empty() {
        return vec![SheetPart::Text("This switch has nothing to set, and no registers.".into())];
    }
    let fields = registers.iter().flat_map(|register| {
        register.fields.iter().map(move |field| {
            vec![
                words::address(register),
                format!("`{}`", register.name),
                words::bits(field),
                format!("`{}`", field.name),
                words::access(register.access).into(),
                format!("{:#x}", field.reset),
                words::legal(field),
                format!("{}: {}", register.meaning, field.meaning),
            ]
        })
    });
    let heads = heads(["address", "register", "bits", "field", "access", "reset", "legal", "meaning"]);
    vec![SheetPart::Table(heads.chain(fields).collect())]
}

/// What memories hold, if that is known, and their modules.
pub fn memories(design: &Design, shape: &Shape, bits: Option<MemoryBits>) -> Vec<SheetPart> {
    let mut parts = Vec::new();
    if let Some(bits) = bits {
        let rows = [
            ("input buffers", bits.input_buffers),
            ("queues of headers and results", bits.queues),
            ("routing caches", bits.routing_caches),
            ("forwarding table", bits.forwarding_table),
            ("multicast group tables", bits.group_tables),
            ("queues of streams", bits.streams),
            ("all", bits.total()),
        ];
        let rows = rows.into_iter().filter(|(_, bits)| *bits > 0).map(|(what, bits)| row(what, bits));
        parts.push(SheetPart::Table(heads(["what they hold", "bits"]).chain(rows).collect()));
    }
    let modules = design.modules.iter().filter_map(|module| Some((module, module.memory?)));
    let modules = modules.map(|(module, memory)| {
        vec![format!("`{}`", module.name), format!("{} x {}", memory.depth, memory.width), module.doc.clone()]
    });
    parts.push(SheetPart::Table(heads(["module", "words x bits", "what it is"]).chain(modules).collect()));
    let codes = codes(shape);
    parts.push(SheetPart::Text(format!("Each module can be replaced by a macro with the same ports. {codes}")));
    parts
}

/// Which memories find wrong bits.
fn codes(shape: &Shape) -> String {
    let table = shape.table();
    let kinds = [
        (shape.buffer_code.is_some(), "Input buffers have an error-correcting code."),
        (table.is_some_and(|table| table.cache_parity.is_some()), "Routing caches have parity."),
        (table.is_some_and(|table| table.table_parity.is_some()), "The forwarding table has parity."),
        (shape.multicast.as_ref().is_some_and(|m| m.parity.is_some()), "Multicast group tables have parity."),
    ];
    let built: Vec<&str> = kinds.into_iter().filter(|(is_built, _)| *is_built).map(|(_, text)| text).collect();
    match built.is_empty() {
        true => "No memory has parity or an error-correcting code.".into(),
        false => format!("{} All other memories have neither.", built.join(" ")),
    }
}

/// Clock, reset, and the files that say so to tools.
pub fn clocking(subject: &SheetSubject, reset: Reset, chip: Option<&Chip>) -> Vec<SheetPart> {
    let (name, clock) = (subject.name, subject.args.clock);
    let level = if reset.is_low() { "low" } else { "high" };
    let false_path = format!("a false path from `{}`; no path of several cycles", reset.pin());
    let (resets, exceptions) = match reset.kind {
        _ if chip.is_some_and(|chip| chip.reset_synchronizer) => (
            format!(
                "`{}`, active {level}, at any time: it is synchronized inside, and ends two cycles later",
                reset.pin()
            ),
            false_path,
        ),
        ResetKind::Synchronous => (
            format!("`{}`, synchronous, active {level}, at least one cycle", reset.pin()),
            "none: no false path, no path of several cycles".to_string(),
        ),
        ResetKind::Asynchronous => (
            format!(
                "`{}`, asynchronous, active {level}, at least one cycle; released between clock edges",
                reset.pin()
            ),
            false_path,
        ),
    };
    let rows = [
        row("clock", "`clock`, one for all registers, rising edge"),
        row("reset", resets),
        row(
            "constraints",
            format!("`{name}.sdc` and `{name}.xdc`: {clock} MHz, 30 % of a period outside for inputs and outputs"),
        ),
        row("exceptions", exceptions),
    ];
    vec![SheetPart::Table(heads(["what", "value"]).chain(rows).collect())]
}

/// The estimate, if one was made before; it takes minutes to hours.
pub fn estimate(config: &CheckedConfig) -> Vec<SheetPart> {
    let options = Options { by_block: false, flatten: false, cache: cache(), ..Options::default() };
    let report = design(config).ok().and_then(|design| kept(&design, &options));
    let Some(report) = report else {
        return vec![SheetPart::Text(
            "No estimate is kept for this switch. `railyard estimate` makes one; the next package has it then.".into(),
        )];
    };
    let clock = report
        .timing
        .fmax_mhz
        .map_or("none".into(), |mhz| format!("{mhz:.0} MHz, limited by {}", report.timing.limited_by));
    let rows = [
        row("library", format!("{} at {} V", report.library.name, report.library.voltage)),
        row(
            "area",
            format!(
                "{:.0} um2 = {:.0} cells + {:.0} memories",
                report.area_um2, report.cell_area_um2, report.memory_area_um2
            ),
        ),
        row("registers", report.registers),
        row("highest clock", clock),
        row("made by", report.tools.join(", ")),
    ];
    let said = "Before place and route, mapped for the shortest path, with a model of memories.";
    vec![SheetPart::Text(said.into()), SheetPart::Table(heads(["what", "value"]).chain(rows).collect())]
}

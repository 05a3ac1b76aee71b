//! The data sheet of a network.

use super::{notes, picture, row, tables, SheetSubject};
use crate::commands::network::summary;
use railyard_exports::data_sheet::{DataSheet, SheetPart, SheetSection};
use railyard_network::description::Input;
use railyard_network::Outlook;
use railyard_picture::network::topology;
use railyard_spec::registers::registers;

/// The data sheet.
pub fn network(input: &Input, subject: &SheetSubject) -> DataSheet {
    let config = &input.config;
    let shape = &config.shape();
    let section = |heading, parts| SheetSection { heading, parts };
    let drawn: Vec<SheetPart> = picture(Some(topology(input).map_err(Into::into))).into_iter().collect();
    let registers = match registers(shape) {
        list if list.is_empty() => tables::registers(&list),
        list => {
            let each =
                SheetPart::Text("Each switch has these registers, behind its own element of the `apb_*` pins.".into());
            [vec![each], tables::registers(&list)].concat()
        }
    };
    let sections = vec![
        section("What it is", vec![SheetPart::Text(about(input, subject))]),
        section("Topology", drawn),
        section("Parameters", parameters(input)),
        section("Pins", vec![tables::pins(subject.pins)]),
        section("Registers", registers),
        section("Memories", tables::memories(subject.design, shape, None)),
        section("Clock, reset, constraints", tables::clocking(subject, shape.reset, None)),
        section("Integration notes", vec![SheetPart::List(notes::of_network())]),
    ];
    DataSheet { title: format!("{}_network", subject.name), sections }
}

fn about(input: &Input, subject: &SheetSubject) -> String {
    let wiring = &input.blueprint.wiring;
    format!(
        "`{}_network` is a network of {} equal switches with {} ports each, for {} nodes. A link takes {} cycles. The switches are \
         those of the data sheet that `railyard generate --package` writes for their description.",
        subject.name,
        wiring.switches(),
        input.config.ports,
        wiring.nodes().len(),
        input.description.link_latency
    )
}

fn parameters(input: &Input) -> Vec<SheetPart> {
    let rows = summary::rows(&input.blueprint, &Outlook::new(&input.blueprint));
    let rows = rows.into_iter().map(|(name, value)| row(name, value));
    let json = serde_json::to_string_pretty(&input.config).expect("a description is plain data");
    vec![
        SheetPart::Table(std::iter::once(row("parameter", "value")).chain(rows).collect()),
        SheetPart::Code("The description of the switches, with all defaults", json),
    ]
}

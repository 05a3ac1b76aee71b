//! `railyard network generate`.

use super::read;
use crate::cli::NetworkGenerateArgs;
use crate::commands::generate::{elaborated, packed, write, Place};
use crate::data_sheet::{self, SheetSubject};
use crate::{Error, Manifest, Outcome};
use railyard_hdl::Design;
use railyard_input::{Fault, InputSource};
use railyard_network::description::{DescriptionError, Input};
use railyard_network::topology::{Links, Topology};
use railyard_spec::network::network_pins;
use railyard_spec::Config;
use railyard_testbench::lockstep::Verilog;
use serde_json::json;

/// Writes the network's folder.
///
/// # Errors
/// A bad network file or name, or the folder can't be written.
pub fn run(args: &NetworkGenerateArgs) -> Result<Outcome, Error> {
    let input = read(&args.network)?;
    let name = name(args)?;
    let design = elaborate(&args.network, &input, &name)?;
    let lanes = input.blueprint.wiring.lanes(input.description.link_latency);
    let about = format!("network of {} switches of {} ports", lanes.switches, lanes.ports);
    let pins = network_pins(&input.config.shape(), &lanes);
    let subject = SheetSubject { name: &name, design: &design, pins: &pins, args: &args.package };
    let files = packed(&subject, &about, &input.config, || data_sheet::network(&input, &subject));
    let manifest = Manifest::of_network(&input.config, &design, &files, &lanes, input.description.link_latency);
    write(&design, files, &manifest, &Place { folder: &args.output, force: args.force }, args.json)
}

/// The Verilog of a network, for a simulator.
///
/// # Errors
/// Its links have no register; the hardware can't be elaborated.
pub fn generated(file: &InputSource, input: &Input, name: &str) -> Result<Verilog, Error> {
    let design = elaborate(file, input, name)?;
    let top = design.top().name.clone();
    let files = design.modules.into_iter().map(|m| (format!("{}.v", m.name), m.text)).collect();
    Ok(Verilog { top, files })
}

fn elaborate(file: &InputSource, input: &Input, name: &str) -> Result<Design, Error> {
    if let Some(fault) = fault(input) {
        let cause = DescriptionError { file: None, faults: fault.into() };
        return Err(Error::Network { path: file.to_string(), cause });
    }
    let lanes = input.blueprint.wiring.lanes(input.description.link_latency);
    elaborated(railyard_hdl::network::elaborate(&input.config, name, &lanes))
}

/// What the Verilog of a network can't have.
fn fault(input: &Input) -> Option<Fault> {
    let path = without_register(input)?;
    let rule = "must be at least 1: in hardware a link is a register or more".into();
    Some(Fault { path, value: "0".into(), rule, legal: "1".into() })
}

/// Where the file has links without latency.
fn without_register(input: &Input) -> Option<String> {
    if input.description.link_latency == 0 {
        return Some("/link_latency".into());
    }
    let Topology::Wiring(Links { links, .. }) = &input.description.topology else { return None };
    let link = links.iter().position(|link| link.latency == Some(0))?;
    Some(format!("/topology/links/{link}/latency"))
}

/// The network's name: as given, or the file's.
fn name(args: &NetworkGenerateArgs) -> Result<String, Error> {
    let stem = match &args.network {
        InputSource::StandardInput => None,
        InputSource::File(path) => path.file_stem().map(|stem| stem.to_string_lossy().into_owned()),
    };
    let name = args.name.clone().or(stem).unwrap_or_default();
    match Config::from_json(&json!({ "name": name }).to_string()) {
        Ok(_) => Ok(name),
        Err(faults) => {
            let of = if args.name.is_some() { "" } else { ", by the file's name; --name gives another" };
            let faults: Vec<String> = faults.first.iter().map(|fault| format!("--name{of}: {fault}")).collect();
            Err(Error::Usage(faults.join("\n")))
        }
    }
}

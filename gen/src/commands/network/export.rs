//! `railyard network export`: a network for another tool.

use crate::cli::{ExportFormat, NetworkExportArgs};
use crate::folder::{check_new_file, write_new_file};
use crate::{answer, Error, Outcome};
use railyard_network::export::{dot, simgrid, Platform};
use railyard_picture::cycles::pipeline::stages;

/// Writes a network in a format of another tool.
///
/// # Errors
/// A bad network file; too many nodes for the format; a file that can't be written.
pub fn run(args: &NetworkExportArgs) -> Result<Outcome, Error> {
    args.output.as_deref().map_or(Ok(()), check_new_file)?;
    let input = super::read(&args.network)?;
    let (blueprint, link_latency) = (&input.blueprint, input.description.link_latency);
    let text = match args.to {
        ExportFormat::Dot => dot(&blueprint.wiring, link_latency),
        ExportFormat::Simgrid => {
            let shape = input.config.shape();
            let platform = Platform {
                wiring: &blueprint.wiring,
                tables: (!args.shortest).then_some(&blueprint.tables),
                link_latency,
                switch_cycles: stages(&shape).map_or(0, |stages| stages.len()),
                flit_bits: shape.flit_bits,
                clock: args.clock,
                gigaflops: 1.0,
            };
            let refused =
                |fault: railyard_input::Fault| Error::Export { path: args.network.to_string(), faults: fault.into() };
            simgrid(&platform).map_err(refused)?
        }
    };
    match &args.output {
        Some(path) => write_new_file(path, &text)?,
        None => answer::text(&text)?,
    }
    Ok(Outcome::Fine)
}

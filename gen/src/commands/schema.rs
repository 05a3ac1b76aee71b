//! `railyard schema`.

use crate::cli::SchemaArgs;
use crate::pages::{configuration, pins, registers, scenario};
use crate::{answer, Error, Outcome};
use railyard_network::description;
use railyard_testbench::stimulus;

/// Prints a JSON Schema, or a reference page.
///
/// # Errors
/// Standard output takes no more.
pub fn run(args: &SchemaArgs) -> Result<Outcome, Error> {
    match args {
        SchemaArgs { pins: true, .. } => answer::text(&pins::page())?,
        SchemaArgs { registers: true, .. } => answer::text(&registers::page())?,
        SchemaArgs { scenario: true, markdown: true, .. } => answer::text(&scenario())?,
        SchemaArgs { markdown: true, .. } => answer::text(&configuration())?,
        SchemaArgs { sweep: true, .. } => answer::json(&railyard_explore::json_schema())?,
        SchemaArgs { scenario: true, .. } => answer::json(&stimulus::json_schema())?,
        SchemaArgs { network: true, .. } => answer::json(&description::json_schema())?,
        SchemaArgs { .. } => answer::json(&railyard_spec::json_schema())?,
    }
    Ok(Outcome::Fine)
}

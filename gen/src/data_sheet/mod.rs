//! The data sheet of a design, put together from its description, its shape, pictures and runs of the golden model.

mod curve;
mod latency;
mod network;
mod notes;
mod switch;
mod tables;

pub use network::network;
pub use switch::switch;

use crate::cli::PackageArgs;
use railyard_exports::data_sheet::SheetPart;
use railyard_hdl::Design;
use railyard_picture::canvas::Canvas;
use railyard_picture::kind::Trouble;
use railyard_spec::pins::Pin;

/// What a data sheet is of, beside its description.
#[derive(Clone, Copy)]
pub struct SheetSubject<'a> {
    /// Name of the design.
    pub name: &'a str,
    /// Its hardware.
    pub design: &'a Design,
    /// Pins of the top module.
    pub pins: &'a [Pin],
    /// What the package was asked for.
    pub args: &'a PackageArgs,
}

/// A picture, unless the design has no part for it.
fn picture(drawn: Option<Result<Canvas, Trouble>>) -> Option<SheetPart> {
    Some(SheetPart::Picture(drawn?.ok()?.svg()))
}

/// Name and value.
fn row(name: &str, value: impl ToString) -> Vec<String> {
    vec![name.into(), value.to_string()]
}

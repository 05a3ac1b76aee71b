//! `railyard schema`.

use crate::{Error, Outcome};

/// Prints the JSON Schema.
///
/// # Errors
/// None.
pub fn run() -> Result<Outcome, Error> {
    println!("{:#}", railyard_spec::json_schema());
    Ok(Outcome::Fine)
}

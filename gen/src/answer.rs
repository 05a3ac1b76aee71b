//! The answer of a command, on standard output.

use crate::error::Error;
use serde::Serialize;
use std::io::Write;

/// An answer for people, as it is.
///
/// # Errors
/// Standard output takes no more.
pub fn text(text: &str) -> Result<(), Error> {
    let mut out = std::io::stdout().lock();
    out.write_all(text.as_bytes()).and_then(|()| out.flush()).map_err(Error::io("(standard output)"))
}

/// An answer for machines: JSON, for reading and comparing.
///
/// # Errors
/// Standard output takes no more.
pub fn json(value: &impl Serialize) -> Result<(), Error> {
    text(&(serde_json::to_string_pretty(value).expect("answers are plain numbers and names") + "\n"))
}

//! Texts that the command line names.

use crate::error::Error;
use railyard_input::{FileKind, InputSource};

/// The packets of a file that the command line names; gzip may have packed it.
///
/// # Errors
/// It can't be read or unpacked; it is no text.
pub fn read_packets(source: &InputSource) -> Result<String, Error> {
    source.read_packets().map_err(Error::io(source.to_string()))
}

/// The text of a file that the command line names.
///
/// # Errors
/// It can't be read; it is none.
pub fn read_text(source: &InputSource, kind: FileKind) -> Result<String, Error> {
    source.read_text(kind).map_err(Error::io(source.to_string()))
}

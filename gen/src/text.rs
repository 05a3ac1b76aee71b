//! Texts that the command line names.

use crate::error::Error;
use railyard_input::{unpacked, Kind, Source};
use std::io::{Error as IoError, ErrorKind};

/// The packets of a file that the command line names; gzip may have packed it.
///
/// # Errors
/// It can't be read or unpacked; it is no text.
pub fn read_packets(source: &Source) -> Result<String, Error> {
    let io = || Error::io(source.to_string());
    let bytes = source.read(Kind::Trace).and_then(|bytes| unpacked(bytes, Kind::Trace)).map_err(io())?;
    String::from_utf8(bytes).map_err(|_| io()(IoError::new(ErrorKind::InvalidData, "is not text in UTF-8")))
}

/// The text of a file that the command line names.
///
/// # Errors
/// It can't be read; it is none.
pub fn read_text(source: &Source, kind: Kind) -> Result<String, Error> {
    source.read_text(kind).map_err(Error::io(source.to_string()))
}

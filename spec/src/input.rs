//! Reads input files of a sane size: a device or a pipe without an end is refused before it fills the memory.

use std::fs::File;
use std::io::{Error, ErrorKind, Read, Result};
use std::path::Path;

/// Most bytes of a description: of a switch, a network, a sweep.
pub const DESCRIPTION_BYTES: u64 = 64 << 20;

/// Most bytes of data: the tables of a network, the packets of a trace.
pub const DATA_BYTES: u64 = 512 << 20;

/// The text of a file with at most so many bytes.
///
/// # Errors
/// It can't be read, has more, or is not UTF-8.
pub fn read_text(path: impl AsRef<Path>, most: u64) -> Result<String> {
    text_of(File::open(path)?, most)
}

/// The text that a reader gives until its end, of at most so many bytes.
///
/// # Errors
/// As [`read_text`].
pub fn text_of(reader: impl Read, most: u64) -> Result<String> {
    String::from_utf8(bytes_of(reader, most)?).map_err(|_| Error::new(ErrorKind::InvalidData, "is not text in UTF-8"))
}

/// The bytes that a reader gives until its end, at most so many.
///
/// # Errors
/// It can't be read or has more.
pub fn bytes_of(reader: impl Read, most: u64) -> Result<Vec<u8>> {
    let mut bytes = Vec::new();
    reader.take(most + 1).read_to_end(&mut bytes)?;
    match bytes.len() as u64 > most {
        true => {
            Err(Error::new(ErrorKind::FileTooLarge, format!("has more than {} MiB, the most that is read", most >> 20)))
        }
        false => Ok(bytes),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_has_no_end_is_refused() {
        assert_eq!(text_of(&b"{}"[..], 2).unwrap(), "{}");
        let error = text_of(std::io::repeat(b' '), 1 << 20).unwrap_err();
        assert_eq!(error.to_string(), "has more than 1 MiB, the most that is read");
        assert_eq!(text_of(&b"\xff"[..], 2).unwrap_err().to_string(), "is not text in UTF-8");
    }
}

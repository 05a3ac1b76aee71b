//! The one way to open a file that a user names: it is a regular file, and of a size that fits its kind.
//!
//! A pipe is not waited for, a device is not touched, and a file without an end is refused before it fills the memory.
//! Standard input may be anything that ends.

use crate::kind::FileKind;
use crate::printable::shown;
use rustix::fs::OFlags;
use std::ffi::OsString;
use std::fmt;
use std::fs::{self, File, FileType, Metadata, OpenOptions};
use std::io::{Error, ErrorKind, Read, Result};
use std::os::unix::fs::{FileTypeExt, OpenOptionsExt};
use std::path::{Path, PathBuf};

/// A file, or standard input, which is written `-`.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum InputSource {
    /// Standard input.
    StandardInput,
    /// A file.
    File(PathBuf),
}

impl InputSource {
    /// Its bytes.
    ///
    /// # Errors
    /// As [`read`].
    pub fn read(&self, kind: FileKind) -> Result<Vec<u8>> {
        Reader::new(kind).bytes(self.open(kind)?)
    }

    /// Its text.
    ///
    /// # Errors
    /// As [`read_text`].
    pub fn read_text(&self, kind: FileKind) -> Result<String> {
        text(self.read(kind)?)
    }

    /// Its text, a line for each packet; gzip may have packed it.
    ///
    /// # Errors
    /// As [`read_text`]; it can't be unpacked.
    pub fn read_packets(&self) -> Result<String> {
        text(unpacked(self.read(FileKind::Trace)?, FileKind::Trace)?)
    }

    /// Opens it for one pass. Who reads it counts the bytes of standard input.
    ///
    /// # Errors
    /// As [`open`].
    pub fn open(&self, kind: FileKind) -> Result<Box<dyn Read>> {
        Ok(match self {
            InputSource::StandardInput => Box::new(std::io::stdin()),
            InputSource::File(path) => Box::new(open(path, kind)?),
        })
    }

    /// The word for a command that is to be repeated: standard input, which can be read only once, is called by the
    /// name of a file in which it is to be saved.
    pub fn again(&self, saved: &str) -> String {
        match self {
            InputSource::StandardInput => saved.into(),
            InputSource::File(path) => path.display().to_string(),
        }
    }

    /// Where the files are that it names: its own folder, or the current one.
    pub fn folder(&self) -> &Path {
        match self {
            InputSource::StandardInput => Path::new(""),
            InputSource::File(path) => path.parent().unwrap_or(Path::new("")),
        }
    }
}

impl From<OsString> for InputSource {
    fn from(name: OsString) -> InputSource {
        match name.to_str() {
            Some("-") => InputSource::StandardInput,
            _ => InputSource::File(name.into()),
        }
    }
}

impl From<&Path> for InputSource {
    fn from(path: &Path) -> InputSource {
        InputSource::File(path.into())
    }
}

/// As in messages.
impl fmt::Display for InputSource {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            InputSource::StandardInput => f.write_str("(standard input)"),
            InputSource::File(path) => f.write_str(&shown(path)),
        }
    }
}

/// The bytes of a file.
///
/// # Errors
/// It can't be read, is no regular file, or is larger than its kind may be.
pub fn read(path: impl AsRef<Path>, kind: FileKind) -> Result<Vec<u8>> {
    Reader::new(kind).read(path)
}

/// The text of a file.
///
/// # Errors
/// As [`read`]; or it is not UTF-8.
pub fn read_text(path: impl AsRef<Path>, kind: FileKind) -> Result<String> {
    text(read(path, kind)?)
}

/// Opens a file for one pass.
///
/// # Errors
/// As [`read`], by the size that the file has now.
pub fn open(path: impl AsRef<Path>, kind: FileKind) -> Result<File> {
    open_within(path.as_ref(), kind, kind.most_bytes())
}

/// Reads files of one kind, which together have at most the bytes of that kind.
pub struct Reader {
    kind: FileKind,
    left: u64,
}

impl Reader {
    /// A reader of files of that kind.
    pub fn new(kind: FileKind) -> Reader {
        Reader { kind, left: kind.most_bytes() }
    }

    /// The bytes of one more file.
    ///
    /// # Errors
    /// As [`read`], of all files together.
    pub fn read(&mut self, path: impl AsRef<Path>) -> Result<Vec<u8>> {
        let file = open_within(path.as_ref(), self.kind, self.left)?;
        self.bytes(file)
    }

    /// The text of one more file.
    ///
    /// # Errors
    /// As [`Reader::read`]; or it is not UTF-8.
    pub fn read_text(&mut self, path: impl AsRef<Path>) -> Result<String> {
        text(self.read(path)?)
    }

    fn bytes(&mut self, reader: impl Read) -> Result<Vec<u8>> {
        let mut bytes = Vec::new();
        reader.take(self.left + 1).read_to_end(&mut bytes)?;
        self.left = self.left.checked_sub(bytes.len() as u64).ok_or_else(|| too_large(self.kind))?;
        Ok(bytes)
    }
}

/// The bytes of a file as it was before gzip, if gzip has packed it.
///
/// # Errors
/// It is damaged, or larger than its kind may be once it is unpacked.
pub fn unpacked(bytes: Vec<u8>, kind: FileKind) -> Result<Vec<u8>> {
    match bytes.starts_with(&[0x1f, 0x8b]) {
        true => Reader::new(kind).bytes(flate2::read::MultiGzDecoder::new(bytes.as_slice())),
        false => Ok(bytes),
    }
}

fn text(bytes: Vec<u8>) -> Result<String> {
    String::from_utf8(bytes).map_err(|_| Error::new(ErrorKind::InvalidData, "is not text in UTF-8"))
}

/// Opens a regular file of at most so many bytes. What it is, is asked before it is opened, as opening a device can do
/// something; and again after that, as another file can stand there by then. Opening a pipe does not wait for its
/// writer.
fn open_within(path: &Path, kind: FileKind, most: u64) -> Result<File> {
    let check = |found: Metadata| match not_a_file(found.file_type()) {
        Some(error) => Err(error),
        None if found.len() > most => Err(too_large(kind)),
        None => Ok(()),
    };
    check(fs::metadata(path)?)?;
    let flags = (OFlags::NONBLOCK | OFlags::NOCTTY).bits() as i32;
    let file = OpenOptions::new().read(true).custom_flags(flags).open(path)?;
    check(file.metadata()?)?;
    Ok(file)
}

/// Why what is there is no regular file, if it is none.
fn not_a_file(found: FileType) -> Option<Error> {
    let refused = |kind, why: &str| Some(Error::new(kind, why));
    match found {
        _ if found.is_file() => None,
        _ if found.is_dir() => refused(ErrorKind::IsADirectory, "is a folder, not a file"),
        _ if found.is_fifo() => refused(ErrorKind::InvalidInput, "is a pipe, not a file; standard input is `-`"),
        _ if found.is_socket() => refused(ErrorKind::InvalidInput, "is a socket, not a file"),
        _ => refused(ErrorKind::InvalidInput, "is a device, not a file"),
    }
}

fn too_large(kind: FileKind) -> Error {
    let text = format!("has more than {} MiB, the most for {}", kind.most_mib(), kind.name());
    Error::new(ErrorKind::FileTooLarge, text)
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::io::Write;
    use std::os::unix::fs::symlink;

    fn refusal(path: impl AsRef<Path>, kind: FileKind) -> String {
        read_text(path, kind).unwrap_err().to_string()
    }

    #[test]
    fn only_regular_files_are_read() {
        let folder = tempfile::tempdir().unwrap();
        let at = |name: &str| folder.path().join(name);
        let fifo = at("fifo");
        rustix::fs::mkfifoat(rustix::fs::CWD, &fifo, rustix::fs::Mode::RUSR).unwrap();
        symlink("/dev/zero", at("zero")).unwrap();
        symlink("fifo", at("to_fifo")).unwrap();
        fs::write(at("file"), "text").unwrap();
        symlink("file", at("link")).unwrap();
        assert_eq!(read_text(at("link"), FileKind::Description).unwrap(), "text");
        assert_eq!(refusal(at("zero"), FileKind::Verilog), "is a device, not a file");
        assert_eq!(refusal(at("to_fifo"), FileKind::Verilog), "is a pipe, not a file; standard input is `-`");
        assert_eq!(refusal(folder.path(), FileKind::Verilog), "is a folder, not a file");
        assert!(refusal(at("none"), FileKind::Verilog).contains("No such file"));
        // Of its size the system says 0.
        assert!(read_text("/proc/self/status", FileKind::Description).is_ok());
    }

    #[test]
    fn a_file_fits_its_kind() {
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join("sparse");
        let file = File::create(&path).unwrap();
        for kind in FileKind::ALL.into_iter().filter(|&kind| kind != FileKind::Activity) {
            file.set_len(kind.most_bytes() + 1).unwrap();
            let why = format!("has more than {} MiB, the most for {}", kind.most_mib(), kind.name());
            assert_eq!(refusal(&path, kind), why);
        }
        file.set_len(FileKind::Description.most_bytes()).unwrap();
        assert!(read(&path, FileKind::Description).is_ok());
    }

    #[test]
    fn files_of_a_reader_share_its_limit() {
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join("half");
        File::create(&path).unwrap().set_len(FileKind::Description.most_bytes() / 2).unwrap();
        let mut reader = Reader::new(FileKind::Description);
        assert!(reader.read(&path).is_ok() && reader.read(&path).is_ok());
        File::create(&path).unwrap().write_all(b"1").unwrap();
        assert!(reader.read(&path).is_err());
    }

    #[test]
    fn what_has_no_end_is_refused() {
        let endless = Reader::new(FileKind::Description).bytes(std::io::repeat(b' ')).unwrap_err();
        assert_eq!(endless.to_string(), "has more than 1 MiB, the most for a switch description");
        assert_eq!(text(b"\xff".to_vec()).unwrap_err().to_string(), "is not text in UTF-8");
    }

    #[test]
    fn a_packed_file_is_unpacked_within_its_limit() {
        let packed = |bytes: &[u8]| {
            let mut encoder = flate2::write::GzEncoder::new(Vec::new(), flate2::Compression::best());
            encoder.write_all(bytes).unwrap();
            encoder.finish().unwrap()
        };
        let two = [packed(b"one "), packed(b"two")].concat();
        assert_eq!(unpacked(two, FileKind::Description).unwrap(), b"one two");
        assert_eq!(unpacked(b"plain".to_vec(), FileKind::Description).unwrap(), b"plain");
        let bomb = packed(&vec![b' '; FileKind::Description.most_bytes() as usize + 1]);
        assert!(bomb.len() < 10_000);
        assert_eq!(unpacked(bomb, FileKind::Description).unwrap_err().kind(), ErrorKind::FileTooLarge);
        assert!(unpacked(vec![0x1f, 0x8b, 1, 2, 3], FileKind::Description).is_err());
    }
}

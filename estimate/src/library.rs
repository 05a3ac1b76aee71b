//! Standard-cell libraries: the named ones, and any Liberty file by path.

use crate::error::{at, Error};
use railyard_input::{unpacked, FileKind, InputSource};
use std::io::ErrorKind;
use std::path::PathBuf;

/// Which library to map to.
#[derive(Clone, Debug, PartialEq)]
pub enum Library {
    /// One of [`NamedLibrary::all`], by name.
    Name(String),
    /// A Liberty file, `.gz` accepted; the node in nm says which memory model goes with it (guessed from a known
    /// library's name inside the file, otherwise 45).
    File {
        /// The file, or standard input.
        file: InputSource,
        /// Feature size in nm.
        node_nm: Option<u32>,
    },
}

/// A library that Railyard knows by name. Libraries are never part of Railyard.
#[derive(Clone, Copy, Debug)]
pub struct NamedLibrary {
    /// Name.
    pub name: &'static str,
    /// Feature size in nm, for the memory model.
    pub node_nm: u32,
    /// What the name inside the file begins with.
    pub inside: &'static str,
    /// File name without `.gz`.
    pub file: &'static str,
    /// Where it may also be installed.
    pub installed: Option<&'static str>,
    /// Where it comes from.
    pub origin: &'static str,
}

const NAMED: [NamedLibrary; 5] = [
    NamedLibrary {
        name: "nangate45",
        node_nm: 45,
        inside: "NangateOpenCellLibrary",
        file: "nangate45_typ.lib",
        installed: None,
        origin: "NangateOpenCellLibrary_typical.lib of the Nangate 45 nm Open Cell Library (in OpenROAD-flow-scripts, \
                 flow/platforms/nangate45/lib)",
    },
    NamedLibrary {
        name: "sky130hd",
        node_nm: 130,
        inside: "sky130_fd_sc_hd",
        file: "sky130hd_tt.lib",
        installed: None,
        origin: "sky130_fd_sc_hd__tt_025C_1v80.lib of the SkyWater open PDK",
    },
    NamedLibrary {
        name: "sg13g2",
        node_nm: 130,
        inside: "sg13g2_stdcell",
        file: "sg13g2_typ.lib",
        installed: None,
        origin: "sg13g2_stdcell_typ_1p20V_25C.lib of the IHP open PDK",
    },
    NamedLibrary {
        name: "gt2n",
        node_nm: 2,
        inside: "gt2_6t",
        file: "gt2n_svt.lib",
        installed: None,
        origin: "gt2_6t_w13_svt_tt_0p7v25c.lib of the GT2N predictive 2 nm kit",
    },
    NamedLibrary {
        name: "osu018",
        node_nm: 180,
        inside: "osu018_stdcells",
        file: "osu018_stdcells.lib",
        installed: Some("/usr/share/qflow/tech/osu018/osu018_stdcells.lib"),
        origin: "`apt-get install qflow-tech-osu018`",
    },
];

/// Environment variable: folder with Liberty files.
pub const LIBERTY_DIR: &str = "RAILYARD_LIBERTY_DIR";

impl NamedLibrary {
    /// All of them.
    pub fn all() -> &'static [NamedLibrary] {
        &NAMED
    }

    /// The one of this name.
    pub fn get(name: &str) -> Result<&'static NamedLibrary, Error> {
        let known = || NAMED.iter().map(|n| n.name.to_string()).collect();
        NAMED.iter().find(|n| n.name == name).ok_or_else(|| Error::UnknownLibrary { name: name.into(), known: known() })
    }

    /// Its file on this machine: in `directories`, in [`LIBERTY_DIR`], or where its package puts it.
    pub fn find(&self, directories: &[PathBuf]) -> Result<PathBuf, Error> {
        let set = std::env::var_os(LIBERTY_DIR).map(PathBuf::from);
        let folders = directories.iter().cloned().chain(set);
        let files = folders.flat_map(|d| [d.join(self.file), d.join(format!("{}.gz", self.file))]);
        let mut all = files.chain(self.installed.map(PathBuf::from));
        all.find(|path| path.is_file()).ok_or_else(|| {
            let how = match self.installed {
                Some(_) => format!("{} (or give `estimate` a file: --liberty FILE)", self.origin),
                None => format!(
                    "get {}, and put it as {} (or .gz) into the folder that {LIBERTY_DIR} names (or give `estimate` the file: \
                     --liberty FILE)",
                    self.origin, self.file
                ),
            };
            Error::MissingLibrary { name: self.name.into(), how }
        })
    }
}

/// A library's file as it is on disk.
pub(crate) struct Found {
    /// For messages and reports.
    pub path: PathBuf,
    pub name: String,
    pub bytes: Vec<u8>,
    /// The node, where it is known without looking into the file.
    pub node_nm: Option<u32>,
}

/// A library's text, uncompressed.
pub(crate) struct Loaded {
    pub text: String,
    pub node_nm: u32,
    /// The node was guessed for want of anything better.
    pub guessed: bool,
}

impl Library {
    pub(crate) fn find(&self, directories: &[PathBuf]) -> Result<Found, Error> {
        let (file, name, node_nm) = match self {
            Library::Name(name) => {
                let named = NamedLibrary::get(name)?;
                (InputSource::File(named.find(directories)?), name.clone(), Some(named.node_nm))
            }
            Library::File { file, node_nm } => {
                let name = match file {
                    InputSource::StandardInput => file.to_string(),
                    InputSource::File(path) => path.file_name().unwrap_or_default().to_string_lossy().into_owned(),
                };
                (file.clone(), name, *node_nm)
            }
        };
        let path = PathBuf::from(file.to_string());
        let missing = || Error::MissingLibrary { name: file.to_string(), how: "it is no file".to_string() };
        let bytes = file.read(FileKind::Liberty).map_err(|error| match error.kind() {
            ErrorKind::NotFound => missing(),
            _ => at(&path)(error),
        })?;
        Ok(Found { path, name, bytes, node_nm })
    }
}

impl Found {
    /// Uncompresses it and looks which library it is.
    pub fn load(&self) -> Result<Loaded, Error> {
        let text = unpacked(self.bytes.clone(), FileKind::Liberty).map_err(at(&self.path))?;
        let not_text = |_| Error::Liberty { path: self.path.clone(), reason: "not text".into() };
        let text = String::from_utf8(text).map_err(not_text)?;
        let header = |n: &&NamedLibrary| {
            text.lines().take(60).any(|l| l.trim_start().starts_with("library") && l.contains(n.inside))
        };
        let node_nm = self.node_nm.or_else(|| NAMED.iter().find(header).map(|n| n.node_nm));
        Ok(Loaded { node_nm: node_nm.unwrap_or(45), guessed: node_nm.is_none(), text })
    }
}

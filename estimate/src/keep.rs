//! The folder in which a user keeps what an estimate has worked on.

use crate::design::MemoryShape;
use crate::error::{at, Error};
use crate::sram;
use railyard_programs::NewFolders;
use std::fs;
use std::io::ErrorKind;
use std::path::Path;

/// Makes the folder, or takes it if it is empty. A new one goes again if it is still empty when what is given is
/// dropped.
///
/// # Errors
/// It holds files, or can't be made.
pub(crate) fn claim(folder: &Path) -> Result<NewFolders, Error> {
    let made = NewFolders::make(folder).map_err(at(folder))?;
    if fs::read_dir(folder).map_err(at(folder))?.next().is_some() {
        let why = "holds files already; empty it first or name another folder";
        return Err(at(folder)(std::io::Error::new(ErrorKind::AlreadyExists, why)));
    }
    Ok(made)
}

/// Keeps what Yosys and OpenSTA have worked on in `work`, and the design and its memories.
pub(crate) fn files(work: &Path, folder: &Path, verilog: &str, macros: &[MemoryShape]) -> Result<(), Error> {
    for name in ["netlist.v", "macros.lib", "stat.txt"] {
        let (from, to) = (work.join(name), folder.join(name));
        if from.is_file() {
            fs::copy(&from, &to).map_err(at(&to))?;
        }
    }
    let put = |name: &str, text: &str| {
        let to = folder.join(name);
        fs::write(&to, text).map_err(at(&to))
    };
    put("design.v", verilog)?;
    match macros {
        [] => Ok(()),
        macros => put("macros.v", &sram::black_boxes(macros)),
    }
}

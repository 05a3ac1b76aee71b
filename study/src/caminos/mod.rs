//! CAMINOS, a simulator of networks by others: what it is told of a Dragonfly, and what it measures.
//!
//! It shares no code with Railyard. So its figures are a witness for those of the golden model.

mod configuration;

pub use configuration::{PeerPattern, PeerRouter, PeerRouting, PeerRun};

use crate::Error;
use railyard_programs::{find, run, DraftFolder};
use std::env;
use std::fs;
use std::io;
use std::path::PathBuf;
use std::process::Command;

/// The version with which the page was made.
pub const VERSION: &str = "0.6.3";

/// Names the program, in place of `caminos` in the folders of `PATH`.
pub const VARIABLE: &str = "CAMINOS";

/// CAMINOS, ready to run.
pub struct Caminos {
    program: PathBuf,
    folder: DraftFolder,
}

/// What it measured.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct PeerFigures {
    /// Flits that nodes received, for each node and cycle.
    pub accepted: f64,
    /// Cycles from the making of a packet to its last flit at the destination, on average.
    pub latency: f64,
    /// Links between routers of a packet.
    pub hops: f64,
}

impl Caminos {
    /// Finds it.
    ///
    /// # Errors
    /// It is missing, or scratch space can't be written.
    pub fn new() -> Result<Caminos, Error> {
        let named = env::var_os(VARIABLE).filter(|name| !name.is_empty());
        let program = named.map_or_else(|| PathBuf::from("caminos"), PathBuf::from);
        let program = find(&program, "", None).map_err(|_| Error::NoCaminos { program })?;
        Ok(Caminos { program, folder: DraftFolder::scratch().map_err(Error::Scratch)? })
    }

    /// Runs it, one core for some seconds.
    ///
    /// # Errors
    /// It fails or says nothing of what is asked, or scratch space can't be written.
    pub fn measure(&self, of: &PeerRun) -> Result<PeerFigures, Error> {
        let scratch = DraftFolder::new_in(self.folder.path(), railyard_programs::FolderAccess::Private);
        let scratch = scratch.map_err(Error::Scratch)?;
        fs::write(scratch.path().join("run.cfg"), of.configuration()).map_err(Error::Scratch)?;
        let mut command = Command::new(&self.program);
        run(command.current_dir(scratch.path()).args(["run.cfg", "--results=result"]))?;
        let text = fs::read_to_string(scratch.path().join("result")).map_err(Error::Scratch)?;
        read(&text).ok_or_else(|| Error::Scratch(io::Error::other("the result of CAMINOS is not whole")))
    }
}

/// The figures in a result; none if one is missing.
fn read(text: &str) -> Option<PeerFigures> {
    let figure = |name: &str| {
        let (_, rest) = text.split_once(&format!("{name}:"))?;
        let end = rest.find([',', '\n', '}'])?;
        rest[..end].trim().parse().ok().filter(|figure: &f64| figure.is_finite())
    };
    Some(PeerFigures {
        accepted: figure("accepted_load")?,
        latency: figure("average_message_delay")?,
        hops: figure("average_packet_hops")?,
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn figures_are_read_and_none_is_made_up() {
        let text = "Result {\n\tcycle: 9,\n\taccepted_load: 0.25,\n\taverage_message_delay: 61.5,\n\taverage_packet_hops: 2.5,\n}";
        assert_eq!(read(text), Some(PeerFigures { accepted: 0.25, latency: 61.5, hops: 2.5 }));
        assert_eq!(read(&text.replace("61.5", "NaN")), None);
        assert_eq!(read("accepted_load: 1"), None);
        assert_eq!(read(""), None);
    }
}

//! Designs from a folder, and how far they are trusted.

use super::value::whole;
use crate::error::Error;
use clap::Args;
use railyard_verilated::{missing_confinement, Guard};
use std::path::PathBuf;
use std::time::Duration;

/// Most seconds that a limit can be: eleven days.
const MOST_SECONDS: u64 = 1_000_000;

/// A design in place of a generated one.
#[derive(Args, Debug)]
pub struct DesignArgs {
    /// Take the Verilog from this folder instead of generating it.
    ///
    /// `generate` or `network generate` wrote it; it may have been edited since.
    #[arg(long, value_name = "DIR")]
    pub design: Option<PathBuf>,
    /// Let the design's code do all that you may do.
    ///
    /// Verilog can hold C++ and run programs. Without this option, the design gets no network and writes no files.
    #[arg(long, requires = "design")]
    pub trust: bool,
    /// Processor time for Verilator and for each C++ compilation, in seconds; more is an error.
    #[arg(long, requires = "design", value_name = "SECONDS", default_value_t = 1800, value_parser = whole::<u64>(1, MOST_SECONDS))]
    pub build_limit: u64,
    /// Processor time of the design for one clock cycle, in seconds; more is a failed verdict.
    #[arg(long, requires = "design", value_name = "SECONDS", default_value_t = 20, value_parser = whole::<u64>(1, MOST_SECONDS))]
    pub cycle_limit: u64,
}

impl DesignArgs {
    /// What the design may do. Generated Verilog is trusted.
    ///
    /// # Errors
    /// This system can't confine a design.
    pub fn guard(&self) -> Result<Guard, Error> {
        let Some(path) = &self.design else { return Ok(Guard::default()) };
        let guard = Guard {
            confined: !self.trust,
            build_time: Some(Duration::from_secs(self.build_limit)),
            cycle_time: Duration::from_secs(self.cycle_limit),
            ..Guard::foreign()
        };
        match missing_confinement().filter(|_| guard.confined) {
            None => Ok(guard),
            Some(missing) => Err(Error::Design {
                path: path.clone(),
                why: format!("can't be run safely on this system, which lacks {missing}; --trust runs it with all that you may do"),
            }),
        }
    }

    /// The words by which a command names the design.
    pub fn words(&self) -> Vec<String> {
        let Some(folder) = &self.design else { return Vec::new() };
        let mut words = vec!["--design".to_owned(), folder.display().to_string()];
        words.extend(self.trust.then(|| "--trust".to_owned()));
        words
    }
}

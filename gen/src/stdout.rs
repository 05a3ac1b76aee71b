//! Standard output, kept for the answer.

use crate::error::Error;
use std::os::fd::{AsFd, OwnedFd};

/// While it lives, what anybody in this process writes to standard output goes to standard error: a simulated design prints
/// with `$display`, Verilator with every failed assertion, and the answer must be the only thing on standard output.
pub struct Aside {
    own: OwnedFd,
}

impl Aside {
    /// From now on.
    ///
    /// # Errors
    /// The process may open no more files.
    pub fn new() -> Result<Aside, Error> {
        let own = std::io::stdout().as_fd().try_clone_to_owned().map_err(Error::io("(standard output)"))?;
        rustix::stdio::dup2_stdout(std::io::stderr()).map_err(|e| Error::io("(standard output)")(e.into()))?;
        Ok(Aside { own })
    }
}

impl Drop for Aside {
    fn drop(&mut self) {
        // Where this fails, the answer can't be written either, and says so.
        let _ = rustix::stdio::dup2_stdout(&self.own);
    }
}

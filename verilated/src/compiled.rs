//! A built model.

use std::{fs, path::PathBuf};

use railyard_cache::Folder;

use crate::{
    compile::RUNNER_FILE, messages, process::Parts, Guard, Model, ModelError, Process, Session, Start, VerilogDesign,
};

/// What Verilator said about a design, beside its model.
pub(crate) const WARNINGS: &str = "warnings.txt";

/// A built model, from which any number of independent instances can be started.
#[derive(Clone, Debug)]
pub struct Compiled {
    pub(crate) folder: Folder,
    /// The folder of the program that runs the model in a process of its own.
    pub(crate) runner: Folder,
    pub(crate) design: VerilogDesign,
    pub(crate) guard: Guard,
}

impl Compiled {
    /// True if the model was in the cache.
    pub fn cached(&self) -> bool {
        self.folder.found()
    }

    /// The shared object.
    pub fn library(&self) -> PathBuf {
        self.folder.path().join("model.so")
    }

    /// What Verilator said about the design that did not stop it; empty for a clean design.
    pub fn warnings(&self) -> String {
        fs::read_to_string(self.folder.path().join(WARNINGS)).unwrap_or_default()
    }

    /// The loops of logic without a register that Verilator found in the design, as it names them. One that settles is
    /// legal, if slow; one that doesn't stops the model.
    pub fn loops(&self) -> Vec<String> {
        messages::loops(&self.warnings())
    }

    /// Where delays stand that the model leaves out, as far as Verilator says so: in all statements, not in
    /// assignments.
    pub fn delays(&self) -> Vec<String> {
        messages::delays(&self.warnings())
    }

    /// Starts an instance in this process.
    pub fn start(&self, start: &Start) -> Result<Model, ModelError> {
        Model::load(&self.library(), &self.design, start)
    }

    /// Starts an instance in a process of its own, with the guard that it was built with. `clock` is the port that each
    /// cycle raises.
    ///
    /// # Errors
    /// There is no such clock, or the process can't be started. What the design does wrong shows later.
    pub fn process(&self, clock: &str, session: Session) -> Result<Process, ModelError> {
        let (library, runner) = (self.library(), self.runner.path().join(RUNNER_FILE));
        let parts = Parts { runner: &runner, library: &library, design: &self.design, guard: &self.guard };
        Process::start(&parts, clock, session)
    }
}

//! A network file's run, with the Verilated network beside it.

use super::design::design;
use super::NetworkHardware;
use crate::lockstep::Verilog;
use railyard_network::description::Input;
use railyard_network::harness::{Run, RunError};
use railyard_network::{execute_observed, Execution, Extent};
use railyard_spec::network::Lanes;
use railyard_verilated::{Build, BuildError, Compiled, ModelError};

/// A network whose model is built.
#[derive(Debug)]
pub struct NetworkVerify<'a> {
    input: &'a Input,
    lanes: Lanes,
    compiled: Compiled,
}

/// The run couldn't be made.
#[derive(Debug, thiserror::Error)]
pub enum NetworkVerifyError {
    /// The built model doesn't load or lacks a pin.
    #[error(transparent)]
    Model(#[from] ModelError),
    /// The run does not fit the network.
    #[error(transparent)]
    Run(#[from] RunError),
}

impl<'a> NetworkVerify<'a> {
    /// Builds the Verilated network, or finds it built.
    ///
    /// # Errors
    /// A tool is missing, or the Verilog doesn't build.
    pub fn prepare(input: &'a Input, verilog: &Verilog, build: &Build) -> Result<NetworkVerify<'a>, BuildError> {
        let lanes = input.blueprint.wiring.lanes(input.description.link_latency);
        let switch = format!("{}_switch", input.config.name);
        let compiled = build.compile(&design(&input.blueprint.plan.shape, &switch, &lanes, verilog))?;
        Ok(NetworkVerify { input, lanes, compiled })
    }

    /// Starts an instance, to be put beside a network that somebody runs; `seed` is that of unknown values.
    ///
    /// # Errors
    /// The built model doesn't load.
    pub fn hardware(&self, seed: u64) -> Result<NetworkHardware, ModelError> {
        NetworkHardware::new(&self.compiled, &self.input.blueprint.plan.shape, &self.lanes, seed)
    }

    /// Runs the network with traffic, and drains it; the first difference ends it and is a mismatch of the report.
    ///
    /// # Errors
    /// The built model doesn't load; the run does not fit the network.
    pub fn run(
        &self,
        run: &Run,
        extent: Extent,
        progress: impl FnMut(u64) + Send,
    ) -> Result<Execution, NetworkVerifyError> {
        let hardware = self.hardware(run.seed)?;
        Ok(execute_observed(self.input, run, extent, Some(Box::new(hardware)), progress)?)
    }
}

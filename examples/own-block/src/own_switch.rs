//! The switch with the arbiter in it: its Verilog and its golden model.

use crate::{matrix_arbiter, LeastRecentlyServed};
use railyard_hdl::switch::switch;
use railyard_hdl::{elaborate_as, ElaborationError};
use railyard_model::Switch;
use railyard_spec::CheckedConfig;
use railyard_testbench::lockstep::Verilog;

/// The Verilog of the described switch, with matrix arbiters.
///
/// # Errors
/// The blocks of the switch do not fit together.
pub fn verilog(config: &CheckedConfig) -> Result<Verilog, Vec<ElaborationError>> {
    let switch = switch(&config.shape()).with_input_arbiters(matrix_arbiter);
    let design = elaborate_as(&switch, config)?;
    let top = design.top().name.clone();
    let files = design.modules.into_iter().map(|module| (format!("{}.v", module.name), module.text)).collect();
    Ok(Verilog { top, files })
}

/// Its golden model.
pub fn golden(config: &CheckedConfig) -> Switch {
    Switch::new(&config.shape()).with_input_arbiters(LeastRecentlyServed::new)
}

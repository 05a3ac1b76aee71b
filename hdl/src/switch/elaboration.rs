//! The switch as Verilog.

use super::{switch, Switch};
use crate::rtl::verilog::{emit_styled, Design, ElaborationError, ResetStyle, Style};
use railyard_spec::{module_prefix, CheckedConfig, Shape};

/// The switch that the configuration describes, as Verilog: top `<name>_switch`, all other modules [`module_prefix`]
/// and block.
pub fn elaborate(config: &CheckedConfig) -> Result<Design, Vec<ElaborationError>> {
    elaborate_as(&switch(&config.shape()), config)
}

/// A switch of that configuration which has blocks of a user's own, as Verilog.
pub fn elaborate_as(switch: &Switch, config: &CheckedConfig) -> Result<Design, Vec<ElaborationError>> {
    let (top, prefix) = (format!("{}_switch", config.name), module_prefix(&config.name));
    emit_styled(switch, &top, &prefix, style(&config.shape()))
}

/// A switch with plain block names, for a look at single blocks.
pub fn elaborate_plain(config: &CheckedConfig) -> Result<Design, Vec<ElaborationError>> {
    emit_styled(&switch(&config.shape()), &format!("{}_switch", config.name), "", style(&config.shape()))
}

/// What all modules of a switch, and around it, have in common.
pub(crate) fn style(shape: &Shape) -> Style {
    Style {
        reset: ResetStyle { asynchronous: shape.reset.is_asynchronous(), active_low: shape.reset.is_low() },
        memory_test_bits: shape.memory_test_bits.map(|bits| bits as usize),
    }
}

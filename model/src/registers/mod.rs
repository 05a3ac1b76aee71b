//! Registers: the run-time settings behind the APB port.

pub mod apb_registers;
mod barrier_registers;
pub mod dragonfly_registers;
pub mod event_registers;
pub mod link_registers;
mod reduction_registers;
mod route_setting;

//! Registers: the run-time settings behind the APB port.

pub mod adaptive_registers;
pub mod address_setting;
pub mod apb_decoder;
pub mod apb_pins;
pub mod apb_registers;
pub mod barrier_group_registers;
pub mod barrier_registers;
pub mod bus;
pub mod cache_registers;
pub mod counter_registers;
pub mod description;
pub mod dragonfly_registers;
pub mod event_ports;
pub mod event_registers;
pub mod event_wires;
pub mod identity_registers;
pub mod link_registers;
pub mod multicast_registers;
pub mod port_map_registers;
pub mod port_mask;
pub mod reduction_registers;
pub mod register_array;
pub mod register_fields;
pub mod register_setting;
pub mod register_table;
pub mod register_word;
pub mod route_setting;
pub mod table_registers;

pub use self::{
    adaptive_registers::*, address_setting::*, apb_decoder::*, apb_pins::*, apb_registers::*,
    barrier_group_registers::*, barrier_registers::*, bus::*, cache_registers::*, counter_registers::*, description::*,
    dragonfly_registers::*, event_ports::*, event_registers::*, event_wires::*, identity_registers::*,
    link_registers::*, multicast_registers::*, port_map_registers::*, port_mask::*, reduction_registers::*,
    register_array::*, register_fields::*, register_setting::*, register_table::*, register_word::*, route_setting::*,
    table_registers::*,
};

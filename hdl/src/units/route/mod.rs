//! Route computation: from headers to output ports.

pub mod algorithmic_route;
pub mod arrival;
pub mod cache_control;
pub mod cam_port;
pub mod cam_wires;
pub mod forwarding_table;
pub mod layout;
pub mod link_groups;
pub mod lookup_delay;
pub mod lookup_issue;
pub mod lookup_pipeline;
pub mod lookup_ports;
pub mod miss_table;
pub mod output_choice;
pub mod output_selection;
pub mod port_map;
pub mod reduction;
pub mod request_queue;
pub mod result_fifo;
pub mod result_queue;
pub mod route_computation;
pub mod route_head;
pub mod route_ports;
pub mod route_queue;
pub mod route_unit;
pub mod routing_cache;
pub mod selection_register;
pub mod source_route;
pub mod table_port;
pub mod table_write;

pub use self::{
    algorithmic_route::*, arrival::*, cache_control::*, cam_port::*, cam_wires::*, forwarding_table::*, layout::*,
    link_groups::*, lookup_delay::*, lookup_issue::*, lookup_pipeline::*, lookup_ports::*, miss_table::*,
    output_choice::*, output_selection::*, port_map::*, reduction::*, request_queue::*, result_fifo::*,
    result_queue::*, route_computation::*, route_head::*, route_ports::*, route_queue::*, route_unit::*,
    routing_cache::*, selection_register::*, source_route::*, table_port::*, table_write::*,
};

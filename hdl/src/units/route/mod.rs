//! Route computation: from headers to output ports.

pub mod algorithmic_route;
pub mod cam_port;
pub mod cam_wires;
pub mod forwarding_table;
pub mod layout;
pub mod link_groups;
pub mod lookup_delay;
pub mod lookup_issue;
pub mod lookup_pipeline;
pub mod lookup_stage;
pub mod miss_table;
pub mod output_choice;
pub mod output_selection;
pub mod port_map;
pub mod reduction;
pub mod request_queue;
pub mod result_fifo;
pub mod result_queue;
pub mod route_head;
pub mod route_queue;
pub mod route_unit;
pub mod routing_cache;
pub mod selection_register;
pub mod source_route;
pub mod table_port;
pub mod table_write;

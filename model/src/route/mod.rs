//! Route computation: from headers to output ports.

pub mod algorithmic_route;
pub mod cache_index;
pub mod cam_port;
pub mod dragonfly;
pub mod forwarding_table;
pub mod miss_table;
pub mod output_selection;
pub mod reduction;
pub mod route_queue;
pub mod route_unit;
pub mod routing_cache;

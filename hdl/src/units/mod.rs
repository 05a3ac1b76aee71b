//! Units of a switch: the boxes of its block diagram.

pub mod cam_port;
pub mod lookup_issue;
pub mod lookup_pipeline;
pub mod lookup_stage;
pub mod miss_table;
pub mod request_queue;
pub mod route_queue;
pub mod route_unit;
pub mod routing_cache;
pub mod source_route;

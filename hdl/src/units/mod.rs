//! Units of a switch: the boxes of its block diagram.

pub mod allocator;
pub mod cam_port;
pub mod connection;
pub mod credit_counter;
pub mod credit_return;
pub mod crossbar;
pub mod crossbar_plane;
pub mod drop_counter;
pub mod flit_allocator;
pub mod header_assembly;
pub mod input_unit;
pub mod lookup_issue;
pub mod lookup_pipeline;
pub mod lookup_stage;
pub mod miss_table;
pub mod output_unit;
pub mod packet_allocator;
pub mod packet_check;
pub mod request_queue;
pub mod route_queue;
pub mod route_shift;
pub mod route_unit;
pub mod routing_cache;
pub mod single_allocator;
pub mod source_route;
pub mod vc_buffer;

//! Route computation: from headers to output ports.

pub mod adaptive_wires;
pub mod age_clock;
pub mod age_register;
pub mod algorithmic_route;
pub mod arrival;
pub mod arrival_phase;
pub mod cache_control;
pub mod cam_port;
pub mod cam_wires;
pub mod contention_counter;
pub mod contention_filter;
pub mod detour_candidate;
pub mod detour_vcs;
pub mod dragonfly_route;
pub mod dragonfly_settings;
pub mod forwarding_table;
pub mod hop_choice;
pub mod hop_proposal;
pub mod hop_register;
pub mod hop_selection;
pub mod hop_wires;
pub mod layout;
pub mod link_groups;
pub mod lookup_delay;
pub mod lookup_issue;
pub mod lookup_pipeline;
pub mod lookup_ports;
pub mod miss_table;
pub mod next_vcs;
pub mod output_choice;
pub mod output_selection;
pub mod output_sense;
pub mod parity_steps;
pub mod patience_timer;
pub mod port_draw;
pub mod port_draws;
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
pub mod seed_watch;
pub mod selection_register;
pub mod source_route;
pub mod table_port;
pub mod table_write;
pub mod vc_choice;
pub mod via_candidate;
pub mod via_draw;
pub mod via_way;
pub mod way_decision;

pub use self::{
    adaptive_wires::*, age_clock::*, age_register::*, algorithmic_route::*, arrival::*, arrival_phase::*,
    cache_control::*, cam_port::*, cam_wires::*, contention_counter::*, contention_filter::*, detour_candidate::*,
    detour_vcs::*, dragonfly_route::*, dragonfly_settings::*, forwarding_table::*, hop_choice::*, hop_proposal::*,
    hop_register::*, hop_selection::*, hop_wires::*, layout::*, link_groups::*, lookup_delay::*, lookup_issue::*,
    lookup_pipeline::*, lookup_ports::*, miss_table::*, next_vcs::*, output_choice::*, output_selection::*,
    output_sense::*, parity_steps::*, patience_timer::*, port_draw::*, port_draws::*, port_map::*, reduction::*,
    request_queue::*, result_fifo::*, result_queue::*, route_computation::*, route_head::*, route_ports::*,
    route_queue::*, route_unit::*, routing_cache::*, seed_watch::*, selection_register::*, source_route::*,
    table_port::*, table_write::*, vc_choice::*, via_candidate::*, via_draw::*, via_way::*, way_decision::*,
};

//! Routing in a Dragonfly. Source: reference page of Dragonfly routing.

pub mod ages;
pub mod candidates;
pub mod choice_registers;
pub mod decision;
pub mod dragonfly_route;
pub mod draws;
pub mod group_counts;
mod header_field;
pub mod hop_counts;
pub mod router_messages;
pub mod saturation;
pub mod selection_register;
pub mod sensed;
pub mod ways;

//! Every hardware block on its own in rust-hdl's simulator, cycle by cycle against the golden model's box.
//!
//! The hardware is cut finer than the model. What a block is compared with:
//!
//! | file | blocks | held against |
//! | --- | --- | --- |
//! | `arbiter` | round_robin_arbiter | model `RoundRobin`, `WideRoundRobin` |
//! | `parts` | lowest_bit, counter, sticky_flags, drop_counter, crossbar_plane | the reference's line about it, written out; model `SlotBits` |
//! | `queues` | fifo, vc_buffer, route_queue, source_route, request_queue | model `DelayFifo`, `VcBuffer`, `RouteQueue`; for the request queue a list |
//! | `input` | packet_check, header_assembly, route_shift; input_unit | model `InputUnit`, with `Crossbar` and `CreditReturn` for the whole |
//! | `credits` | credit_return, credit_counter, output_unit | model `CreditReturn`, `Credits` |
//! | `allocation` | allocator with each of packet_, flit_, single_allocator; these alone; connection, crossbar | model `Allocator`, `Crossbar`, `OutputUnits` |
//! | `cache` | crc_hash, lru, pseudo_lru, round_robin_way, random_way, routing_cache with each | model `AddressHash`, `RoutingCache`; for a policy alone the reference's line about it, written out |
//! | `misses` | lookup_issue, lookup_pipeline, miss_table, route_unit with and without cache | model `RouteUnit`, `MissTable`, `RouteQueue` |
//! | `cam` | cam_port | model `CamPort`, `MissTable` |
//!
//! Each block is driven by random stimulus or by the model around it, never by another block (the three blocks of an
//! arriving flit excepted, which only together are the model's box), and is reset at random times. Stimulus breaks
//! every rule that the reference has an answer to; what a block's head forbids (a pop of an empty queue) its neighbours
//! never do.

#[macro_use]
mod support;

mod allocation;
mod arbiter;
mod cache;
mod cam;
mod credits;
mod input;
mod misses;
mod parts;
mod queues;

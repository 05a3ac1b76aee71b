//! The golden model of the Railyard switch: cycle-exact at the pins, plain fast Rust.
//!
//! It is written from the switch reference (`docs/src/switch-reference.md`) and the types of `railyard_spec` alone and
//! knows nothing of the hardware's source. Each box of the block diagram is a module of its name and can be used alone:
//!
//! | box | module |
//! | --- | --- |
//! | input unit, VC buffer, route shift | [`input_unit`], [`vc_buffer`], [`source_route`] |
//! | route unit, address hash, routing cache, miss table, CAM port | [`route_unit`], [`address_hash`], [`cache_index`], [`routing_cache`], [`miss_table`], [`cam_port`] |
//! | forwarding table | [`forwarding_table`] |
//! | node reduction, port map, registers, event counters | [`node_reduction`], [`algorithmic`], [`registers`], [`event_counters`] |
//! | route queue, output selection | [`route_queue`], [`output_selection`] |
//! | fan-out registers, group table, global resource bulletin | [`fan_out`], [`multicast`] |
//! | allocator, crossbar, arbiters | [`allocator`], [`crossbar`], [`arbiter`] |
//! | barrier unit, its groups | [`barrier`], [`barrier_group`] |
//! | output unit, credits | [`output_unit`], [`credits`] |
//!
//! Beside the switch, [`barrier_node`] is a node's side of the barrier protocol, for whatever drives a switch or a network of them.
//!
//! ```
//! use railyard_model::{Inputs, Switch};
//! use railyard_spec::{Config, Routing, SourceRouting};
//!
//! let mut config = Config::named("example");
//! config.routing = Routing::Source(SourceRouting { hops: 1 });
//! let shape = config.shape();
//! let mut switch = Switch::new(&shape);
//! let mut pins = Inputs::new(&shape);
//!
//! // Cycle 0: a one-flit packet from port 3 to port 5 on VC 1.
//! pins.receive(3, 1, true, true, &[5, 0xcafe]);
//! switch.step(&pins);
//! pins.idle();
//! switch.step(&pins);
//! switch.step(&pins);
//! // Cycle 3: it leaves.
//! assert_eq!(switch.outputs().tx_valid, 1 << 5);
//! assert_eq!(switch.outputs().flit(5), [0, 0xcafe]);
//! ```

pub mod address_hash;
pub mod algorithmic;
pub mod allocator;
pub mod arbiter;
pub mod barrier;
pub mod barrier_group;
pub mod barrier_node;
pub mod bits;
pub mod cache_index;
pub mod cam_port;
pub mod counters;
pub mod credits;
pub mod crossbar;
pub mod delay_fifo;
pub mod event_counters;
pub mod fan_out;
pub mod forwarding_table;
pub mod input_unit;
pub mod miss_table;
pub mod multicast;
pub mod node_reduction;
pub mod output_selection;
pub mod output_unit;
pub mod pins;
pub mod registers;
pub mod route_queue;
pub mod route_unit;
pub mod routing_cache;
pub mod source_route;
mod switch;
pub mod vc_buffer;

pub use bits::VcBits;
pub use counters::PortCounters;
pub use pins::{flit_words, Inputs, Outputs};
pub use registers::Apb;
pub use switch::Switch;

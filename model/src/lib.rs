//! The golden model of the Railyard switch: cycle-exact at the pins, plain fast Rust.
//!
//! It is written from the switch reference (`docs/src/switch-reference.md`) and the types of `railyard_spec` alone and
//! knows nothing of the hardware's source. The boxes of the block diagram lie in rooms, with the names that the
//! hardware's source has for them, so that the two can be read side by side. Each box can be used alone:
//!
//! | room | boxes |
//! | --- | --- |
//! | [`input`] | input unit, VC buffer, route shift, credit return |
//! | [`route`] | route unit, routing cache, miss table, CAM port, forwarding table, node reduction, route queue, output selection |
//! | [`allocate`] | allocator |
//! | [`output`] | crossbar, output unit, credit counter |
//! | [`multicast`] | fan-out registers and group table, multicast unit with the global resource bulletin |
//! | [`barrier`] | barrier unit, its groups |
//! | [`registers`], [`counters`] | what software sets and reads |
//! | [`parts`] | arbiters, queue, address hash |
//!
//! ```
//! use railyard_model::{Inputs, Switch};
//! use railyard_spec::{Config, Routing, SourceRouting};
//!
//! let mut config = Config::named("example");
//! config.routing = Routing::Source(SourceRouting { hops: 1 });
//! let shape = config.check().expect("a legal switch").shape();
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

pub mod allocate;
pub mod barrier;
pub mod bits;
pub mod counters;
pub mod input;
pub mod multicast;
pub mod output;
pub mod parts;
pub mod pins;
pub mod registers;
pub mod route;
mod statistics;
mod switch;

pub use bits::VcBits;
pub use input::vc_buffer::copy_flit;
pub use pins::{flit_words, Apb, Inputs, Outputs};
pub use statistics::PortCounters;
pub use switch::Switch;

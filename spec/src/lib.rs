//! What a Railyard switch is: the configuration a user writes, its rules, and every number derived from it.
//!
//! This crate is the contract between the hardware (`railyard-hdl`) and the golden model (`railyard-model`). Neither
//! of the two sees the other; both see only what is here and the switch reference in `docs/`.
//!
//! - [`Config`]: the JSON file, one field a parameter, with range, default and meaning (also as a JSON Schema);
//! - [`Config::from_json`]: reads and checks it; a bad file yields all its [`Faults`](railyard_input::Faults) at once;
//! - [`CheckedConfig`]: a configuration that keeps all rules; every crate that needs a legal switch takes this type;
//! - [`Shape`]: widths, depths and counts derived from a checked configuration;
//! - [`module_prefix`]: what the names of a design's modules begin with;
//! - [`Crc`]: the hash of routing cache and forwarding table;
//! - [`dragonfly`]: the header of a Dragonfly's packets;
//! - [`legal`]: virtual channels of adaptive routing;
//! - [`misrouting`]: where a packet may leave its minimal way;
//! - [`packet`]: where the address or the route sits in a header;
//! - [`barrier`]: barrier messages;
//! - [`router_message`]: messages between the routers of a Dragonfly;
//! - [`pins`]: every pin of the top module with direction, width and meaning;
//! - [`chip`]: what stands around a switch in `<name>_chip`, and its pins;
//! - [`network`]: lanes and pins of a network of switches;
//! - [`registers`]: the run-time registers behind the APB port;
//! - [`forwarding_table`]: which place in the forwarding table on the chip each address gets, and the register writes
//!   for it;
//! - [`Route`]: where a table entry leads;
//! - [`reduction`]: their values for a switch of a torus, mesh, fat tree or Dragonfly;
//! - [`presets`]: the switch descriptions that come with Railyard.

pub mod barrier;
pub mod chip;
mod config;
mod crc;
pub mod dragonfly;
pub mod forwarding_table;
mod full_link;
pub mod legal;
pub mod misrouting;
mod module_names;
pub mod network;
pub mod packet;
pub mod pins;
mod polynomial;
pub mod presets;
mod read;
pub mod reduction;
pub mod registers;
mod reset;
mod route;
pub mod router_message;
mod rules;
mod schema;
mod shape;

pub use config::{
    Adaptive, AlgorithmicRouting, Arbitration, ArbitrationPolicy, Barrier, BufferEcc, Cache, Chip, Config, Counters,
    Crossbar, DragonflyRouting, FlowControl, ForwardingTable, GroupParity, Hash, LinkAggregation, LinkArbitration,
    MemoryPins, Multicast, NodeReduction, Packet, Parity, PortClass, PortClasses, Radix, ReferenceVcs, RegisterPort,
    Replacement, Routing, SourceRouting, Streams, TableRouting, Topology, Via, VirtualChannels,
};
pub use crc::Crc;
pub use module_names::module_prefix;
pub use polynomial::Polynomial;
pub use read::CheckedConfig;
pub use reset::{Reset, ResetKind, ResetLevel};
pub use route::Route;
pub use schema::json_schema;
pub use shape::{
    AlgorithmicShape, BarrierShape, CacheShape, CodeShape, DragonflyShape, ForwardingTableShape, LinkAggregationShape,
    MulticastShape, ParityShape, ReductionShape, RoutingShape, Shape, SourceShape, TableShape,
};

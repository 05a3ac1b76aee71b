//! Run-time binding to Verilator: Verilog text in, a simulated design with readable and writable pins out.
//!
//! A design whose ports are known only at run time can't be bound through Rust types made at compile time. So
//! [`Build`] writes a small C++ shim beside what Verilator generates, compiles both to a shared object, keeps it in a
//! cache addressed by content, and loads it. [`Model`] then reads and writes ports through pointers that were
//! fetched once, and advances the clock with one C++ call a cycle.
//!
//! ```no_run
//! use railyard_verilated::{Build, Pins, TopPort, VerilogDesign};
//!
//! let counter = VerilogDesign::new("counter")
//!     .source("counter.v", "module counter(input wire clock, output reg [7:0] count); \
//!                           always @(posedge clock) count <= count + 8'd1; endmodule")
//!     .port(TopPort::input("clock", 1))
//!     .port(TopPort::output("count", 8));
//! let mut model = Build::default().model(&counter)?;
//! let (clock, count) = (model.clock("clock")?, model.output("count")?);
//! for cycle in 1..=100 {
//!     model.tick(clock);
//!     assert_eq!(model.get(count), cycle);
//! }
//! # Ok::<(), Box<dyn std::error::Error>>(())
//! ```
//!
//! A [`Model`] is for designs of one's own: what their code does, it does to this process. [`Compiled::process`] runs
//! any design in a process of its own, and [`Guard::foreign`] confines it there. Both have their values behind
//! [`Pins`].
//!
//! A cycle of lock-step comparison costs two evaluations: write the inputs, [`Model::settle`], read the outputs (also
//! those that depend on inputs without a register between), [`Model::tick`].

mod block;
mod build;
mod compile;
mod compiled;
mod confine;
mod design;
mod error;
mod field;
mod guard;
mod header;
mod layout;
mod messages;
mod model;
mod outside;
mod pin;
mod pins;
mod process;
mod shim;
mod tools;
mod trace;
mod workshop;

pub use build::{Build, Optimise, Unknowns};
pub use compiled::Compiled;
pub use confine::missing_confinement;
pub use design::{HierarchicalBlock, PinDirection, TopPort, VerilogDesign, VerilogFile};
pub use error::{BuildError, ModelError};
pub use field::{read_field, write_field};
pub use guard::Guard;
pub use model::{Model, Start};
pub use pin::{Clock, In, Out, ReadablePin, WordsMut};
pub use pins::Pins;
pub use process::{Ending, Image, Print, Process, Recording, Session};
pub use tools::{is_old_verilator, Tools};
pub use trace::Waveforms;

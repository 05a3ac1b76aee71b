//! Pictures of Railyard's switches and networks as SVG, made from descriptions, topologies and runs of the golden model.

#![warn(missing_docs)]

pub mod bench;
pub mod canvas;
pub mod cycles;
pub mod style;
pub mod wave;

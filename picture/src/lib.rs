//! Pictures of Railyard's switches and networks as SVG, made from descriptions, topologies and runs of the golden
//! model.

pub mod bench;
pub mod blocks;
pub mod book;
pub mod canvas;
pub mod concepts;
pub mod cycles;
pub mod kind;
pub mod network;
pub mod packet;
pub mod style;
mod trouble;
pub mod wave;

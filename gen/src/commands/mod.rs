//! The verbs, one a module.

pub mod bench;
pub mod check;
pub mod compare;
pub mod completions;
pub mod doctor;
pub mod estimate;
pub mod explore;
pub mod generate;
pub mod man;
pub mod network;
pub mod new;
pub mod picture;
pub mod presets;
pub mod registers;
pub mod report;
pub mod schema;
pub mod simulate;
pub mod study;
pub mod verify;

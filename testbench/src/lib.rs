//! Test bench: builds and drives the Verilated design and holds it against the golden model.

pub mod bench;
pub mod check;
pub mod ideal;
pub mod measure;
pub mod random;
pub mod simulate;
pub mod stimulus;
pub mod traffic;
pub mod verilated;

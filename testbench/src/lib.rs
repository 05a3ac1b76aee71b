//! Test bench: builds and drives the Verilated design and holds it against the golden model.

pub mod ideal;
pub mod random;
pub mod stimulus;
pub mod traffic;
pub mod verilated;

//! Reference pages of the book, made from what the other crates say of themselves.

mod fields;
pub mod pins;
pub mod registers;

pub use fields::{configuration, scenario};

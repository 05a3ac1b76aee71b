//! What the tests share.
#![allow(dead_code)]

pub mod blocks;
pub mod resets;
pub mod tools;

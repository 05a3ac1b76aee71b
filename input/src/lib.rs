//! What users hand in: files read within limits, JSON read as it is written, and a report of what is wrong with it.
//!
//! - [`InputSource`] is a file or standard input; [`read`] and its relatives read a file, of a [`FileKind`] that limits
//!   its size;
//! - [`Schema`] checks a JSON document against the schema of its type;
//! - [`Fault`] and [`Faults`] say what is wrong: path, value, rule, and a value that would do;
//! - [`Document`] tells by its keys what a JSON document is, [`nearest`] which name was meant;
//! - [`printable`] makes text from outside fit for a terminal.

mod document;
mod fault;
mod json;
mod kind;
mod nearest;
mod printable;
mod read;
mod schema;
mod written;

pub use document::Document;
pub use fault::{Fault, Faults};
pub use json::{parent_and_key, pointer, read as read_json};
pub use kind::FileKind;
pub use nearest::{did_you_mean, nearest};
pub use printable::{drives_terminal, printable, printable_lines, shortened, shown};
pub use read::{open, read, read_text, unpacked, InputSource, Reader};
pub use schema::Schema;
pub use written::as_written;

//! Tools that a run starts, and drafts of what it writes: all of them end with the run, however it ends.
//!
//! - [`output`] runs a tool to its end; [`Child`] is a tool that is still running;
//! - [`DraftFile`] and [`DraftFolder`] are written beside their place and moved there when they are whole;
//! - [`NewFolders`] are the folders on the way to an output;
//! - [`end_on_signals`] makes SIGINT, SIGTERM, SIGHUP and SIGQUIT kill the tools and delete the drafts before the process dies of the
//!   signal.
//!
//! SIGKILL leaves no time for that. Then the kernel kills the tools, and [`sweep`] deletes the drafts in a later run. A draft is
//! locked while its process lives, so no run deletes that of another.

mod child;
mod draft;
mod folders;
mod registry;
mod signals;

pub use child::{output, Child, MOST_OUTPUT};
pub use draft::{sweep, Access, DraftFile, DraftFolder};
pub use folders::NewFolders;
pub use signals::end_on_signals;

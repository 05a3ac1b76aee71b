//! Whether standard output was open when the process started.
//!
//! Rust's run-time library opens `/dev/null` where a standard file is closed, and an answer would be lost there without
//! an error. So this looks before that library starts.

use std::sync::atomic::{AtomicBool, Ordering};

static WAS_CLOSED: AtomicBool = AtomicBool::new(false);

#[used]
#[link_section = ".init_array"]
static BEFORE_MAIN: extern "C" fn() = look;

extern "C" fn look() {
    // SAFETY: asks the system about a descriptor.
    let is_closed = unsafe { libc::fcntl(libc::STDOUT_FILENO, libc::F_GETFD) } < 0;
    WAS_CLOSED.store(is_closed, Ordering::Relaxed);
}

/// Whether nobody can read an answer.
pub fn was_closed() -> bool {
    WAS_CLOSED.load(Ordering::Relaxed)
}

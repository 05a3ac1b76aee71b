//! Notes on standard error: what libraries warn of (the crate `log`), each once.

use railyard_input::printable_lines;
use std::collections::BTreeSet;
use std::io::{IsTerminal, Write};
use std::sync::{Mutex, PoisonError};

/// What has been said.
struct Notes(Mutex<BTreeSet<String>>);

static NOTES: Notes = Notes(Mutex::new(BTreeSet::new()));

/// From now on, warnings are notes on standard error.
pub fn show() {
    // Somebody else's logger, in a test of this library, does as well.
    if log::set_logger(&NOTES).is_ok() {
        log::set_max_level(log::LevelFilter::Warn);
    }
}

impl log::Log for Notes {
    fn enabled(&self, metadata: &log::Metadata) -> bool {
        metadata.level() <= log::Level::Warn
    }

    fn log(&self, record: &log::Record) {
        let note = record.args().to_string();
        let is_new = |note: &String| self.0.lock().unwrap_or_else(PoisonError::into_inner).insert(note.clone());
        if !self.enabled(record.metadata()) || !is_new(&note) {
            return;
        }
        let mut stderr = std::io::stderr().lock();
        // A spinner may be on the line.
        let clear = if stderr.is_terminal() { "\r\x1b[2K" } else { "" };
        // Where not even standard error takes anything, there is nobody to tell.
        let _ = writeln!(stderr, "{clear}note: {}", printable_lines(&note));
    }

    fn flush(&self) {}
}

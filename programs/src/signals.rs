//! Signals that end or stop the process.

use crate::registry::registry;
use rustix::process::Signal;
use signal_hook::consts::{SIGHUP, SIGINT, SIGQUIT, SIGTERM, SIGTSTP};
use signal_hook::flag::register_conditional_default;
use signal_hook::iterator::Signals;
use signal_hook::low_level::emulate_default_handler;
use std::io;
use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::Arc;
use std::thread;

/// Signals that end the process.
const ENDING: [i32; 4] = [SIGINT, SIGTERM, SIGHUP, SIGQUIT];

/// From now on a signal that ends the process kills the programs that it runs and deletes its drafts first; a second
/// one ends it at once. The process dies of the signal, so that its parent sees that. Ctrl-Z stops the programs, too.
/// Signals that the parent had ignored (`nohup`) stay ignored. To be called once, by the main program.
///
/// # Errors
/// The system takes no handler, or no thread.
pub fn end_on_signals() -> io::Result<()> {
    let ignored = ignored();
    let is_ignored = |signal: i32| ignored >> (signal - 1) & 1 == 1;
    let ending = Arc::new(AtomicBool::new(false));
    let mut caught = Vec::new();
    for signal in ENDING.into_iter().filter(|&signal| !is_ignored(signal)) {
        register_conditional_default(signal, Arc::clone(&ending))?;
        caught.push(signal);
    }
    caught.extend(Some(SIGTSTP).filter(|&signal| !is_ignored(signal)));
    let mut signals = Signals::new(&caught)?;
    let work = move || {
        for signal in signals.forever() {
            match signal {
                SIGTSTP => stop(),
                _ => end(signal, &ending),
            }
        }
    };
    thread::Builder::new().name("signals".into()).spawn(work).map(drop)
}

/// Ends the process by a signal. The registry stays locked: no thread begins anything until the process is gone.
fn end(signal: i32, ending: &AtomicBool) {
    ending.store(true, Ordering::Relaxed);
    let mut registry = registry();
    registry.end();
    // Does not return: the default of these signals is death.
    let _ = emulate_default_handler(signal);
    drop(registry);
}

/// Stops tools and process until somebody continues it.
fn stop() {
    let registry = registry();
    registry.signal(Signal::STOP);
    let _ = emulate_default_handler(SIGTSTP);
    registry.signal(Signal::CONT);
}

/// The signals that the process ignores, bit n - 1 for signal n; none where the system does not tell.
fn ignored() -> u64 {
    let status = std::fs::read_to_string("/proc/self/status").unwrap_or_default();
    let mask = status.lines().find_map(|line| line.strip_prefix("SigIgn:"));
    mask.and_then(|mask| u64::from_str_radix(mask.trim(), 16).ok()).unwrap_or(0)
}

//! Why a model's process is no more.

use std::{os::unix::process::ExitStatusExt, process::ExitStatus, time::Duration};

/// How a design ended the process that it was simulated in, or was ended with it.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Ending {
    /// It stopped itself by the means of Verilog: `$finish`, `$stop`, `$fatal`, or an assertion that failed. With the
    /// reason.
    Stopped(String),
    /// It ended its process with this exit code.
    Exited(i32),
    /// A signal ended its process.
    Signal(i32),
    /// It failed in its C++: an exception that nobody caught, no memory left. With what is known of it.
    Failed(String),
    /// It did not come to the end of a cycle in this much processor time, or slept for as long.
    Stalled(Duration),
    /// It wrote to memory that is not its own.
    Corrupted,
}

/// The signals that a design is likely to end by, and what they mean for it.
const SIGNALS: [(i32, &str, &str); 11] = [
    (libc::SIGABRT, "SIGABRT", "its C++ gave up"),
    (libc::SIGBUS, "SIGBUS", "it used memory that isn't there"),
    (libc::SIGFPE, "SIGFPE", "it divided by zero"),
    (libc::SIGILL, "SIGILL", "it ran what is no code"),
    (libc::SIGKILL, "SIGKILL", "it killed itself, or the system had no memory left"),
    (libc::SIGSEGV, "SIGSEGV", "it used memory that isn't there"),
    (
        libc::SIGSYS,
        "SIGSYS",
        "it used a service of the system that no design needs: a process, a network connection, a signal",
    ),
    (libc::SIGTERM, "SIGTERM", "it was ended from outside"),
    (libc::SIGTRAP, "SIGTRAP", "its C++ gave up"),
    (libc::SIGXCPU, "SIGXCPU", "it used up its processor time"),
    (libc::SIGXFSZ, "SIGXFSZ", "it wrote to a file"),
];

impl Ending {
    /// That of a process that the parent did not end.
    pub(super) fn of(status: ExitStatus) -> Ending {
        match (status.code(), status.signal()) {
            (Some(code), _) => Ending::Exited(code),
            (None, Some(signal)) => Ending::Signal(signal),
            (None, None) => Ending::Failed("its process is gone".into()),
        }
    }
}

impl std::fmt::Display for Ending {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        match self {
            Ending::Stopped(reason) => f.write_str(reason),
            Ending::Exited(code) => write!(f, "the design ended its process with exit code {code}"),
            Ending::Signal(signal) => match SIGNALS.iter().find(|(number, ..)| number == signal) {
                Some((_, name, why)) => write!(f, "the design's process was ended by signal {name}: {why}"),
                None => write!(f, "the design's process was ended by signal {signal}"),
            },
            Ending::Failed(why) => write!(f, "the design's process failed: {why}"),
            Ending::Stalled(time) => {
                write!(f, "a cycle did not end within {} s of processor time", time.as_secs_f64())
            }
            Ending::Corrupted => f.write_str("the design wrote to memory that is not its own"),
        }
    }
}

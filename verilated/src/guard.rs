//! How far a design is trusted.

use std::time::Duration;

/// What a design's code may use up and reach, when it is built and when it runs.
///
/// A Verilog file can hold any C++ (`$c`), call any function of the C library (DPI) and run any program (`$system`). So
/// a design from elsewhere is foreign code. The default is for designs of one's own.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Guard {
    /// Verilator, the compiler and the design's own process get no network, and write nowhere but where the model and a
    /// waveform are made. They read the system's folders and what belongs to the model. The design's process also
    /// starts no other and sends no signals.
    pub confined: bool,
    /// Address space of each process, in bytes; `None` for no limit.
    pub memory: Option<u64>,
    /// Processor time of Verilator and of each compilation; `None` for no limit.
    pub build_time: Option<Duration>,
    /// Processor time that the design may take for one cycle. A design that sleeps may do that for as long.
    pub cycle_time: Duration,
    /// Bytes of a file that Verilator or a compilation may write.
    pub file_size: u64,
    /// Bytes that a run of the design may print. What is printed after them is left out.
    pub printed: usize,
}

impl Default for Guard {
    fn default() -> Guard {
        Guard {
            confined: false,
            memory: None,
            build_time: None,
            cycle_time: Duration::from_secs(20),
            file_size: 4 << 30,
            printed: 1 << 20,
        }
    }
}

impl Guard {
    /// For a design from elsewhere: confined, at most three quarters of the machine's memory, and half an hour for
    /// Verilator and for each compilation.
    pub fn foreign() -> Guard {
        let system = rustix::system::sysinfo();
        let memory = (system.totalram as u64).saturating_mul(u64::from(system.mem_unit.max(1)));
        Guard {
            confined: true,
            memory: Some(memory / 4 * 3),
            build_time: Some(Duration::from_secs(30 * 60)),
            ..Guard::default()
        }
    }
}

//! Runs of Verilator and the compiler on a design, as far as it is trusted.

use std::{
    io::{self, Read},
    os::unix::process::ExitStatusExt,
    path::{Path, PathBuf},
    process::{Command, ExitStatus, Stdio},
    time::Duration,
};

use railyard_programs::{how, Child};
use rustix::{
    pipe::{pipe_with, PipeFlags},
    process::{waitid, Pid, WaitId, WaitIdOptions},
};

use crate::{
    confine::{self, installation, Kind},
    error::IoContext,
    process::processor_time,
    tools::{unswayed, Toolchain},
    BuildError, Guard,
};

/// Bytes of a message that are kept.
const MESSAGE_BYTES: u64 = 4 << 20;

/// What tools say that get no more memory.
const NO_MEMORY: [&str; 3] = ["std::bad_alloc", "out of memory", "Cannot allocate memory"];

/// What tools say that can't write a file as large as they want.
const LARGE: [&str; 2] = ["File too large", "File size limit exceeded"];

/// Where tools work on a design.
pub(crate) struct Workshop<'a> {
    guard: &'a Guard,
    /// The design's name.
    top: &'a str,
    /// What they may read beside the folder that they write to and what a command is about.
    readable: Vec<PathBuf>,
}

/// A run that has ended.
pub(crate) struct Finished {
    pub success: bool,
    /// What the tool has printed.
    pub text: String,
}

impl<'a> Workshop<'a> {
    /// One for a design; `root` is the folder of Verilator's own files.
    pub fn new(guard: &'a Guard, top: &'a str, tools: &Toolchain, root: &Path) -> Workshop<'a> {
        let mut readable = vec![root.to_path_buf()];
        let compilers = [&tools.cxx, &tools.generated_cxx];
        readable.extend(compilers.iter().flat_map(|cxx| cxx.headers.clone()));
        let programs = compilers.map(|cxx| &cxx.program).into_iter().chain([&tools.verilator]);
        readable.extend(programs.flat_map(|program| installation(program)));
        Workshop { guard, top, readable }
    }

    /// Runs `command` to its end; it may write to `folder`, and read `files`: files or folders.
    ///
    /// # Errors
    /// It doesn't start, or reaches a limit.
    pub fn run(
        &self,
        tool: &'static str,
        command: &mut Command,
        folder: &Path,
        files: &[&Path],
    ) -> Result<Finished, BuildError> {
        let program = PathBuf::from(command.get_program());
        unswayed(command);
        // What a killed tool leaves goes with the folder.
        command.env("TMPDIR", folder);
        if self.guard.confined {
            // A cache of compiled files would be outside.
            command.env("CCACHE_DISABLE", "1");
        }
        let writable = [folder.to_path_buf()];
        let readable: Vec<PathBuf> = files.iter().map(|file| file.to_path_buf()).chain(self.readable.clone()).collect();
        confine::apply(command, self.guard, Kind::Tool, &readable, &writable).io("confining", &program)?;
        let (text, status, time) = watched(command).io("running", &program)?;
        match self.limit(&text, status, time).filter(|_| !status.success()) {
            Some(what) => Err(BuildError::Limit { top: self.top.to_owned(), tool, what }),
            None if status.signal().is_some() => {
                Ok(Finished { success: false, text: format!("{tool} {}\n{text}", how(status)) })
            }
            None => Ok(Finished { success: status.success(), text }),
        }
    }

    /// The limit that a tool which failed has reached, if so.
    fn limit(&self, text: &str, status: ExitStatus, time: Duration) -> Option<String> {
        let is_large = status.signal() == Some(libc::SIGXFSZ) || LARGE.iter().any(|message| text.contains(message));
        if is_large {
            return Some(format!("writes a file of more than {} MiB", self.guard.file_size >> 20));
        }
        // The kernel counts finer than it tells.
        if let Some(limit) = self.guard.build_time.filter(|&limit| time + Duration::from_millis(50) >= limit) {
            return Some(format!("took more than {} s of processor time", limit.as_secs_f64()));
        }
        let limit = self.guard.memory.filter(|_| NO_MEMORY.iter().any(|message| text.contains(message)))?;
        Some(format!("needs more than {} MiB of memory", limit >> 20))
    }
}

/// Runs a command: what it prints, how it ends, and the processor time that it took with all that it has started.
fn watched(command: &mut Command) -> io::Result<(String, ExitStatus, Duration)> {
    let (printed, out) = pipe_with(PipeFlags::CLOEXEC)?;
    command.stdin(Stdio::null()).stdout(out.try_clone()?).stderr(out);
    let mut child = Child::spawn(command)?;
    // This process' copies of the pipe's other end.
    command.stdout(Stdio::null()).stderr(Stdio::null());
    let mut printed = std::fs::File::from(printed);
    let mut text = Vec::new();
    Read::by_ref(&mut printed).take(MESSAGE_BYTES).read_to_end(&mut text)?;
    io::copy(&mut printed, &mut io::sink())?;
    let time = time_taken(&child);
    let status = child.wait()?;
    Ok((String::from_utf8_lossy(&text).into_owned(), status, time))
}

/// The processor time of a process that has ended, or is about to.
fn time_taken(child: &Child) -> Duration {
    let pid = Pid::from_child(child);
    let _ = waitid(WaitId::Pid(pid), WaitIdOptions::EXITED | WaitIdOptions::NOWAIT);
    processor_time(pid).unwrap_or_default()
}

//! Programs that run.

use crate::registry::registry;
use rustix::process::{kill_process_group, Pid, Signal};
use std::io::{self, Read};
use std::ops::{Deref, DerefMut};
use std::os::unix::process::CommandExt;
use std::process::{Command, ExitStatus, Output, Stdio};
use std::thread;
use std::time::{Duration, Instant};

/// Most bytes that are taken of each of a program's outputs.
const MOST_OUTPUT: u64 = 256 << 20;

/// A running program with all processes that it starts: one process group. A signal that ends this process kills it.
/// Dropped before its end, it is killed.
pub struct Child {
    child: std::process::Child,
    group: Pid,
    is_running: bool,
}

impl Child {
    /// Starts a program in a process group of its own.
    ///
    /// # Errors
    /// It can't be started.
    pub fn spawn(command: &mut Command) -> io::Result<Child> {
        command.process_group(0);
        let mut registry = registry();
        let child = command.spawn()?;
        let group = Pid::from_child(&child);
        registry.add_group(group);
        Ok(Child { child, group, is_running: true })
    }

    /// Waits for its end.
    ///
    /// # Errors
    /// The system does not tell how it ended.
    pub fn wait(&mut self) -> io::Result<ExitStatus> {
        let status = self.child.wait()?;
        self.ended();
        Ok(status)
    }

    /// How it ended, if it has.
    ///
    /// # Errors
    /// As [`Child::wait`].
    pub fn try_wait(&mut self) -> io::Result<Option<ExitStatus>> {
        let status = self.child.try_wait()?;
        if status.is_some() {
            self.ended();
        }
        Ok(status)
    }

    /// Kills it and all processes of its group.
    pub fn kill(&mut self) {
        if self.is_running {
            // One that has ended needs no signal.
            let _ = kill_process_group(self.group, Signal::KILL);
        }
    }

    /// Whether it ends in time. If not, it is killed.
    fn ends_within(&mut self, limit: Duration) -> io::Result<bool> {
        let start = Instant::now();
        while self.try_wait()?.is_none() {
            if start.elapsed() > limit {
                self.kill();
                return Ok(false);
            }
            thread::sleep(BETWEEN_LOOKS);
        }
        Ok(true)
    }

    fn ended(&mut self) {
        self.is_running = false;
        registry().remove_group(self.group);
    }
}

impl Deref for Child {
    type Target = std::process::Child;
    fn deref(&self) -> &std::process::Child {
        &self.child
    }
}

impl DerefMut for Child {
    fn deref_mut(&mut self) -> &mut std::process::Child {
        &mut self.child
    }
}

impl Drop for Child {
    fn drop(&mut self) {
        if self.is_running {
            self.kill();
            let _ = self.wait();
        }
    }
}

/// Time between two looks at whether a program has ended.
const BETWEEN_LOOKS: Duration = Duration::from_millis(5);

/// Runs a program to its end, without input, and captures its output. It can't be started, prints too much, or is
/// killed because its time is over.
pub(crate) fn output(command: &mut Command, limit: Option<Duration>) -> io::Result<Output> {
    let mut child = Child::spawn(command.stdin(Stdio::null()).stdout(Stdio::piped()).stderr(Stdio::piped()))?;
    let (out, err) = (child.stdout.take(), child.stderr.take());
    let (in_time, stdout, stderr) = thread::scope(|scope| {
        let (out, err) = (scope.spawn(|| all_of(out)), scope.spawn(|| all_of(err)));
        let in_time = limit.map_or(Ok(true), |limit| child.ends_within(limit));
        let [out, err] = [out, err].map(|reader| reader.join().expect("reading does not panic"));
        (in_time, out, err)
    });
    match (in_time?, limit) {
        (false, Some(limit)) => {
            let why = format!("did not end within {} s", limit.as_secs());
            Err(io::Error::new(io::ErrorKind::TimedOut, why))
        }
        _ => Ok(Output { status: child.wait()?, stdout: stdout?, stderr: stderr? }),
    }
}

/// All that a pipe gives.
fn all_of(pipe: Option<impl Read>) -> io::Result<Vec<u8>> {
    let mut bytes = Vec::new();
    pipe.map_or(Ok(0), |pipe| pipe.take(MOST_OUTPUT + 1).read_to_end(&mut bytes))?;
    match bytes.len() as u64 > MOST_OUTPUT {
        true => Err(io::Error::other(format!("printed more than {} MiB", MOST_OUTPUT >> 20))),
        false => Ok(bytes),
    }
}

//! Programs that run.

use crate::registry::registry;
use rustix::process::{kill_process_group, Pid, Signal};
use std::io::{self, Read};
use std::ops::{Deref, DerefMut};
use std::os::unix::process::CommandExt;
use std::process::{Command, ExitStatus, Output, Stdio};
use std::thread;

/// Most bytes that are taken of each of a program's outputs.
const MOST_OUTPUT: u64 = 256 << 20;

/// A running program with all processes that it starts: one process group. A signal that ends this process kills it. Dropped before its
/// end, it is killed.
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

/// Runs a program to its end, without input, and captures its output. It can't be started, or it prints too much.
pub(crate) fn output(command: &mut Command) -> io::Result<Output> {
    let mut child = Child::spawn(command.stdin(Stdio::null()).stdout(Stdio::piped()).stderr(Stdio::piped()))?;
    let (out, err) = (child.stdout.take(), child.stderr.take());
    let (stdout, stderr) = thread::scope(|scope| {
        let stderr = scope.spawn(|| all_of(err));
        (all_of(out), stderr.join().expect("reading does not panic"))
    });
    let (stdout, stderr) = (stdout?, stderr?);
    Ok(Output { status: child.wait()?, stdout, stderr })
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

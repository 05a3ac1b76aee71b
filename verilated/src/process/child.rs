//! Another process, from its start to its end.
//!
//! A thread of its own starts it, reads what it prints, and waits for it. The system ends the process when that thread
//! ends, and so with this process, however this one ends.

use std::{
    io,
    os::fd::{AsFd, AsRawFd, BorrowedFd, OwnedFd},
    os::unix::process::CommandExt,
    process::{Command, ExitStatus, Stdio},
    sync::{
        atomic::{AtomicBool, Ordering},
        mpsc, Arc,
    },
    thread::{self, JoinHandle},
    time::Duration,
};

use rustix::{
    event::{poll, PollFd, PollFlags, Timespec},
    io::{fcntl_setfd, Errno, FdFlags},
    net::{send, socketpair, AddressFamily, SendFlags, SocketFlags, SocketType},
    pipe::{pipe_with, PipeFlags},
    process::{kill_process_group, waitid, Pid, Signal, WaitId, WaitIdOptions},
};

/// Gets what a process prints.
pub type Print = Box<dyn FnMut(&str) + Send>;

/// How long a process that has closed its files may take to end.
const LAST_BREATH: Duration = Duration::from_secs(2);

/// A running process. Dropping it ends it.
pub(super) struct Child {
    pid: Pid,
    /// To wake each other. Its end is open for as long as it runs.
    link: OwnedFd,
    state: Arc<State>,
    /// Held until the process may be waited for: before that, nobody else gets its number.
    release: Option<mpsc::Sender<()>>,
    keeper: Option<JoinHandle<io::Result<ExitStatus>>>,
}

#[derive(Default)]
struct State {
    /// Something is just being printed; the process may have to wait for that.
    printing: AtomicBool,
    ending: AtomicBool,
}

/// What a look at a process finds.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Look {
    /// It may have something new.
    Awake,
    /// It has closed its end of the link: it is ending.
    Gone,
}

impl Child {
    /// Starts `command`, which `prepare` completes: it gets the descriptors of `memory` and of the link to this
    /// process, all that the other one inherits. At most `limit` bytes of what it prints are printed.
    pub fn start(
        mut command: Command,
        memory: BorrowedFd<'_>,
        prepare: impl FnOnce(&mut Command, [i32; 2]) -> io::Result<()>,
        limit: usize,
        print: Print,
    ) -> io::Result<Child> {
        let (link, other) = socketpair(AddressFamily::UNIX, SocketType::STREAM, SocketFlags::CLOEXEC, None)?;
        rustix::io::ioctl_fionbio(&link, true)?;
        let inherited = [memory.try_clone_to_owned()?, other];
        let files = [0, 1].map(|index| inherited[index].as_raw_fd());
        alone(&mut command, inherited);
        prepare(&mut command, files)?;
        let (printed, out) = pipe_with(PipeFlags::CLOEXEC)?;
        command.stdin(Stdio::null()).stdout(out.try_clone()?).stderr(out);

        let state = Arc::new(State::default());
        let (started, start) = mpsc::channel();
        let (release, released) = mpsc::channel();
        let of_keeper = Arc::clone(&state);
        let keeper = thread::Builder::new().name("simulated design".into()).spawn(move || {
            let child = command.spawn();
            // With it this process' copies of what the other one inherits.
            drop(command);
            let mut child = child?;
            let _ = started.send(Pid::from_child(&child));
            relay(&printed, &of_keeper, limit, print);
            let _ = released.recv();
            child.wait()
        })?;
        match start.recv() {
            Ok(pid) => Ok(Child { pid, link, state, release: Some(release), keeper: Some(keeper) }),
            // The thread has ended before: with the reason.
            Err(_) => Err(joined(keeper).expect_err("started processes are told")),
        }
    }

    pub fn pid(&self) -> Pid {
        self.pid
    }

    /// Whether it waits until something is printed.
    pub fn is_printing(&self) -> bool {
        self.state.printing.load(Ordering::Relaxed)
    }

    /// Tells it to look again.
    pub fn wake(&self) {
        // What is full wakes it as well, and one that has ended is found by those who wait for it.
        let _ = send(&self.link, &[0], SendFlags::NOSIGNAL);
    }

    /// Waits until it says something, or for that long.
    pub fn look(&self, time: Duration) -> Look {
        let mut of_child = [PollFd::new(&self.link, PollFlags::IN)];
        let time = Timespec::try_from(time).expect("a short time");
        // An interrupted wait is a short one.
        let _ = poll(&mut of_child, Some(&time));
        match rustix::io::read(&self.link, &mut [0; 64]) {
            Ok(0) => Look::Gone,
            Ok(_) | Err(Errno::AGAIN | Errno::INTR) => Look::Awake,
            Err(_) => Look::Gone,
        }
    }

    /// Whether it ends by itself within a moment.
    pub fn is_ending(&self) -> bool {
        let options = WaitIdOptions::EXITED | WaitIdOptions::NOHANG | WaitIdOptions::NOWAIT;
        let has_ended = || !matches!(waitid(WaitId::Pid(self.pid), options), Ok(None));
        let moment = Duration::from_millis(1);
        let looks = LAST_BREATH.as_millis() / moment.as_millis();
        (0..looks).any(|_| {
            has_ended() || {
                thread::sleep(moment);
                false
            }
        })
    }

    /// Ends it, with all that it has started.
    pub fn end(&mut self) -> io::Result<ExitStatus> {
        self.state.ending.store(true, Ordering::Relaxed);
        let Some(keeper) = self.keeper.take() else { return Err(io::Error::other("has ended before")) };
        // It leads its group, and has not been waited for: the number is still its own.
        let _ = kill_process_group(self.pid, Signal::KILL);
        drop(self.release.take());
        joined(keeper)
    }
}

impl Drop for Child {
    fn drop(&mut self) {
        let _ = self.end();
    }
}

fn joined(keeper: JoinHandle<io::Result<ExitStatus>>) -> io::Result<ExitStatus> {
    keeper.join().unwrap_or_else(|_| Err(io::Error::other("printing failed")))
}

/// The process will be in a session of its own, end with the thread that starts it, and have no files but `inherited`.
fn alone(command: &mut Command, inherited: [OwnedFd; 2]) {
    let parent = rustix::process::getpid();
    let begin = move || -> io::Result<()> {
        rustix::process::setsid()?;
        rustix::process::set_parent_process_death_signal(Some(Signal::KILL))?;
        if rustix::process::getppid() != Some(parent) {
            return Err(io::ErrorKind::BrokenPipe.into());
        }
        // Whoever has started this process may have left files open. An old kernel can't do that, and has no Landlock.
        // SAFETY: a system call that marks descriptors.
        unsafe { libc::close_range(3, libc::c_uint::MAX, libc::CLOSE_RANGE_CLOEXEC as libc::c_int) };
        for file in &inherited {
            fcntl_setfd(file.as_fd(), FdFlags::empty())?;
        }
        Ok(())
    };
    // SAFETY: in the new process there are system calls only.
    unsafe { command.pre_exec(begin) };
}

/// Hands on what a process prints, line by line, until it has closed the pipe.
fn relay(pipe: &OwnedFd, state: &State, limit: usize, mut print: Print) {
    let mut left = limit;
    let mut pending: Vec<u8> = Vec::new();
    let mut say = |text: &str| {
        state.printing.store(true, Ordering::Relaxed);
        print(text);
        state.printing.store(false, Ordering::Relaxed);
    };
    let mut buffer = [0; 4096];
    while let Some(read) = next(pipe, state, &mut buffer) {
        let taken = read.min(left);
        pending.extend_from_slice(&buffer[..taken]);
        if left > 0 && read >= left {
            pending.extend_from_slice(
                format!("\n(the design prints more than {limit} bytes: the rest is left out)\n").as_bytes(),
            );
        }
        left -= taken;
        // Whole lines, or what is too long for one.
        let end = match pending.iter().rposition(|&byte| byte == b'\n') {
            Some(last) => last + 1,
            None if pending.len() >= buffer.len() => pending.len(),
            None => continue,
        };
        say(&String::from_utf8_lossy(&pending[..end]));
        pending.drain(..end);
    }
    if !pending.is_empty() {
        say(&String::from_utf8_lossy(&pending));
    }
}

/// The next bytes that a process prints; none once it has closed the pipe. A process that it has started, and that
/// outlives it, is not waited for.
fn next(pipe: &OwnedFd, state: &State, buffer: &mut [u8]) -> Option<usize> {
    let time = Timespec::try_from(Duration::from_millis(100)).expect("a short time");
    loop {
        let mut of_pipe = [PollFd::new(pipe, PollFlags::IN)];
        match poll(&mut of_pipe, Some(&time)) {
            Ok(0) if state.ending.load(Ordering::Relaxed) => return None,
            Ok(0) | Err(Errno::INTR) => {}
            Err(_) => return None,
            Ok(_) => match rustix::io::read(pipe, &mut *buffer) {
                Ok(0) => return None,
                Ok(read) => return Some(read),
                Err(Errno::INTR) => {}
                Err(_) => return None,
            },
        }
    }
}

//! A model in a process of its own.
//!
//! What a design's code does there (it ends its process, hangs, writes to any memory) can't end this process or change
//! what it finds. Cycles go through a ring in shared memory: inputs are sent ahead, and outputs come back later, so
//! that both processes work at once and hardly ever wait.

mod child;
mod ending;
mod image;
mod ring;
mod watchdog;

use std::{
    ffi::OsString,
    fmt, io,
    os::fd::AsFd,
    path::{Path, PathBuf},
    process::Command,
    thread,
};

use crate::{
    confine::{self, Kind},
    layout::Layout,
    pins::Pins,
    Guard, ModelError, Start, VerilogDesign,
};
use child::{Child, Look};
use ring::{Ring, Setup, State};
use watchdog::{Watchdog, LOOK};

pub use child::Print;
pub use ending::Ending;
pub use image::Image;
pub(crate) use watchdog::processor_time;

/// The program that runs a model, in C++.
pub(crate) const RUNNER: &str = include_str!("runner.cpp");

/// Looks at the ring before a process sleeps, if there is a processor for each of the two: some ten microseconds.
const SPINS: u64 = 400;

/// A part of a run as a waveform.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Recording {
    /// The file. The process may write to its folder, and should find nothing else there.
    pub path: PathBuf,
    /// First cycle.
    pub first: u64,
    /// The cycle after the last.
    pub end: u64,
}

/// How a process of a model starts.
pub struct Session {
    /// How the model starts in it.
    pub start: Start,
    /// Whether outputs before the clock edge are wanted, too.
    pub settled: bool,
    /// The waveform, if the model can write one.
    pub recording: Option<Recording>,
    /// Gets what the design prints, as it is.
    pub print: Print,
}

/// Where the parts of a model are.
pub(crate) struct Parts<'a> {
    pub runner: &'a Path,
    pub library: &'a Path,
    pub design: &'a VerilogDesign,
    pub guard: &'a Guard,
}

/// A model that runs in a process of its own. Dropping it ends that.
pub struct Process {
    child: Child,
    ring: Ring,
    watchdog: Watchdog,
    guard: Guard,
    image: Image,
    settled: Option<Image>,
    spins: u64,
    /// Cycles that can be under way.
    capacity: u64,
    sent: u64,
    received: u64,
    ended: Option<Ending>,
    /// Most cycles that were seen done while this process waited.
    reached: u64,
}

impl Process {
    /// Starts the process. Its design does not run before the first cycle is sent.
    pub(crate) fn start(parts: &Parts<'_>, clock: &str, session: Session) -> Result<Process, ModelError> {
        let Parts { design, guard, .. } = parts;
        let layout = Layout::new(&design.ports);
        let image = Image::new(design, &layout);
        let clock = image.clock(clock)?.0;
        let alone = thread::available_parallelism().is_ok_and(|processors| processors.get() == 1);
        let spins = if alone { 0 } else { SPINS };
        let (trace_first, trace_end) = session.recording.as_ref().map_or((0, 0), |part| (part.first, part.end));
        let setup = Setup {
            clock: clock as u64,
            seed: session.start.verilator_seed() as u64,
            spins,
            trace_first,
            trace_end,
            ..Setup::default()
        };
        let failed = |source: io::Error| ModelError::Process { program: parts.runner.to_path_buf(), source };
        let ring = Ring::new(&layout, session.settled, setup).map_err(failed)?;
        let waveform = session.recording.as_ref().map(|recording| recording.path.clone());
        let scope = OsString::from(session.start.scope.replace('\0', ""));
        let prepare = |command: &mut Command, files: [i32; 2]| {
            command.args(files.map(|file| file.to_string())).arg(parts.library).arg(scope);
            command.arg(waveform.as_deref().unwrap_or(Path::new("")));
            parts.confine(command, waveform.as_deref())
        };
        let runner = Command::new(parts.runner);
        let child = Child::start(runner, ring.file().as_fd(), prepare, guard.printed, session.print);
        let child = child.map_err(failed)?;
        // What runs ahead of a waveform is in it.
        let capacity = if trace_end > 0 { 1 } else { ring.slots() };
        let mut process = Process {
            watchdog: Watchdog::new(child.pid(), guard.cycle_time),
            child,
            settled: session.settled.then(|| Image::new(design, &layout)),
            image,
            ring,
            guard: (*guard).clone(),
            spins,
            capacity,
            sent: 0,
            received: 0,
            ended: None,
            reached: 0,
        };
        process.wait_for(|ring| ring.state() != State::Starting);
        match process.ring.state() {
            State::Starting => {
                let why = process.ended.take().map_or_else(String::new, |ending| ending.to_string());
                Err(failed(io::Error::other(why)))
            }
            _ => Ok(process),
        }
    }

    /// Inputs as they will be sent, and outputs as they were received last: those after the clock edge.
    #[inline]
    pub fn pins(&self) -> &Image {
        &self.image
    }

    /// The inputs, to be set for the next cycle; they keep their values.
    #[inline]
    pub fn pins_mut(&mut self) -> &mut Image {
        &mut self.image
    }

    /// The outputs that were received last, as they were before the clock edge.
    ///
    /// # Panics
    /// If the session does not ask for them.
    pub fn settled(&self) -> &Image {
        self.settled.as_ref().expect("a session that asks for outputs before the clock edge")
    }

    /// Cycles that can be under way: sent, and their outputs not yet received.
    #[inline]
    pub fn capacity(&self) -> u64 {
        self.capacity
    }

    /// Cycles under way.
    #[inline]
    pub fn under_way(&self) -> u64 {
        self.sent - self.received
    }

    /// Sends the inputs for one more clock cycle.
    ///
    /// # Panics
    /// If as many cycles as possible are under way.
    #[inline]
    pub fn send(&mut self) {
        assert!(self.under_way() < self.capacity, "receive outputs first");
        if self.ring.send(self.sent, self.image.inputs()) {
            self.child.wake();
        }
        self.sent += 1;
    }

    /// Waits until the outputs of so many cycles under way are there, or the process has ended.
    pub fn wait(&mut self, cycles: u64) {
        let wanted = (self.received + cycles).min(self.sent);
        if self.done() >= wanted || self.ended.is_some() {
            return;
        }
        if self.ring.take_wish() {
            self.child.wake();
        }
        for _ in 0..self.spins {
            if self.ring.done() >= wanted {
                return;
            }
            std::hint::spin_loop();
        }
        self.ring.wish(wanted);
        self.wait_for(|ring| ring.done() >= wanted);
        self.ring.wish(0);
    }

    /// Receives the outputs of the oldest cycle under way; waits for them. After the design has stopped itself, this
    /// goes on to say so, and outputs are still received.
    ///
    /// # Errors
    /// The design has ended in that cycle.
    ///
    /// # Panics
    /// If no cycle is under way.
    #[inline]
    pub fn receive(&mut self) -> Result<(), Ending> {
        assert!(self.under_way() > 0, "no cycle is under way");
        let cycle = self.received;
        if self.done() <= cycle {
            self.wait(1);
        }
        if self.done() <= cycle || self.ended == Some(Ending::Corrupted) {
            return Err(self.ended.clone().expect("waited for"));
        }
        self.ring.outputs(cycle, self.image.outputs_mut());
        if let Some(settled) = &mut self.settled {
            self.ring.settled(cycle, settled.outputs_mut());
        }
        self.received += 1;
        match self.ring.stopped() {
            Some(stop) if stop <= cycle => Err(Ending::Stopped(self.ring.text())),
            _ => Ok(()),
        }
    }

    /// Lets the design end: its `final` blocks run, its waveform is complete.
    ///
    /// # Errors
    /// It does not end as it should, or fails in a `final` block.
    pub fn finish(&mut self) -> Result<(), Ending> {
        if let Some(ending) = self.ended.clone() {
            return Err(ending);
        }
        self.ring.quit();
        self.child.wake();
        self.wait_for(|_| false);
        let ending = self.ended.clone().expect("waited for");
        if ending != Ending::Exited(0) || self.ring.state() != State::Finished {
            return Err(ending);
        }
        match self.ring.stopped() {
            Some(stop) if stop >= self.sent => Err(Ending::Stopped(self.ring.text())),
            _ => Ok(()),
        }
    }

    /// Cycles whose outputs are there.
    #[inline]
    fn done(&mut self) -> u64 {
        let done = self.ring.done();
        if done <= self.sent {
            return done;
        }
        if self.ended.is_none() {
            self.end(|| Ending::Corrupted);
        }
        self.received
    }

    /// Waits until something is `there`, or the process has ended.
    #[cold]
    fn wait_for(&mut self, there: impl Fn(&Ring) -> bool) {
        while self.ended.is_none() && !there(&self.ring) {
            let look = self.child.look(LOOK);
            if !self.is_intact() {
                self.end(|| Ending::Corrupted);
            } else if look == Look::Gone && !there(&self.ring) {
                self.find_ending();
            } else if self.watchdog.is_stalled(self.reached, self.child.is_printing()) {
                let time = self.guard.cycle_time;
                self.end(|| Ending::Stalled(time));
            }
        }
    }

    /// A design that writes anywhere may have written to the ring's words. A count of cycles that falls is a sign of
    /// that.
    fn is_intact(&mut self) -> bool {
        let (done, before) = (self.ring.done(), self.reached.max(self.received));
        self.reached = done.max(before);
        done >= before && self.ring.is_intact(self.sent)
    }

    fn end(&mut self, why: impl FnOnce() -> Ending) {
        let _ = self.child.end();
        self.ended = Some(why());
    }

    /// The process has closed its end of the link.
    fn find_ending(&mut self) {
        if !self.child.is_ending() {
            return self.end(|| Ending::Failed("it has closed its files".into()));
        }
        let status = self.child.end();
        self.ended = Some(match (self.ring.state(), status) {
            (State::Failed, _) => Ending::Failed(self.ring.text()),
            (_, Ok(status)) => Ending::of(status),
            (_, Err(error)) => Ending::Failed(error.to_string()),
        });
    }
}

impl Parts<'_> {
    /// Confines the model as its guard says. A confined one finds the design's files where it starts; others start
    /// where this process is.
    fn confine(&self, command: &mut Command, waveform: Option<&Path>) -> io::Result<()> {
        let folder = |path: &Path| path.parent().map(Path::to_path_buf).unwrap_or_default();
        let own = folder(self.library);
        if self.guard.confined {
            command.current_dir(&own).env_clear();
            command.envs(std::env::vars_os().filter(|(name, _)| name == "LD_LIBRARY_PATH"));
        }
        let writable: Vec<PathBuf> = waveform.map(folder).into_iter().collect();
        confine::apply(command, self.guard, Kind::Model, &[own, folder(self.runner)], &writable)
    }
}

impl fmt::Debug for Process {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Process").field("image", &self.image).field("ended", &self.ended).finish_non_exhaustive()
    }
}

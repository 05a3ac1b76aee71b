//! A running model.

use std::{
    ffi::{CStr, CString},
    fmt,
    os::unix::ffi::OsStrExt,
    path::{Path, PathBuf},
};

use libloading::Library;

use crate::{
    pins::{HasSlots, Pins, Slots},
    shim::{self, Api, Handle},
    Clock, ModelError, VerilogDesign,
};

/// How an instance starts.
#[derive(Clone, Debug)]
pub struct Start {
    /// The outermost scope of waveforms, in which the top module's scope is.
    pub scope: String,
    /// Seed of unknown values, for a model built with [`Unknowns::Random`](crate::Unknowns::Random).
    pub seed: u64,
}

impl Default for Start {
    fn default() -> Start {
        Start { scope: "TOP".to_owned(), seed: 1 }
    }
}

impl Start {
    /// Verilator's seeds are positive 31-bit numbers; both halves of the seed count.
    pub(crate) fn verilator_seed(&self) -> i32 {
        ((self.seed ^ (self.seed >> 31)) & 0x7fff_ffff).max(1) as i32
    }
}

/// One instance of a simulated design. Instances share nothing, not even those of one [`Compiled`](crate::Compiled).
///
/// An instance may move between threads, but only one can use it at a time.
pub struct Model {
    // Used in every cycle.
    api: Api,
    handle: Handle,
    slots: Slots,
    /// The clock that is low and settled, if any: its next tick needs no falling edge.
    settled: Option<usize>,
    stopped: bool,
    tracing: bool,
    // Dropped last: the code that `api` and `handle` point into.
    _library: Library,
}

// SAFETY: the C++ instance has no thread of its own and no thread-local state but the context pointer, which the
// shim sets on each call.
unsafe impl Send for Model {}
// SAFETY: nothing changes behind a shared reference: reading a port is a plain load.
unsafe impl Sync for Model {}

impl Model {
    pub(crate) fn load(path: &Path, design: &VerilogDesign, start: &Start) -> Result<Model, ModelError> {
        let failed = |source| ModelError::Load { path: path.to_path_buf(), source };
        // SAFETY: the file was made by this binding; its initialisers are those of Verilator's run-time library.
        let library = unsafe { Library::new(path) }.map_err(failed)?;
        // SAFETY: the symbol is the table that `shim` writes; `abi` is its first member in all versions.
        let api = unsafe {
            let table = library.get::<*const Api>(shim::SYMBOL).map_err(failed)?;
            if *(*table).cast::<u32>() != shim::ABI {
                return Err(ModelError::Version { path: path.to_path_buf() });
            }
            **table
        };
        let scope = CString::new(start.scope.replace('\0', "")).expect("has no zero byte");
        // SAFETY: the table's functions are called as declared; each port index is below the number of ports that
        // the shim was generated for, because the design is part of the cache key.
        let (handle, slots) = unsafe {
            let handle = (api.create)(scope.as_ptr(), true, start.verilator_seed());
            (handle, Slots::new(design, |index| (api.port)(handle, index)))
        };
        Ok(Model { api, handle, slots, settled: None, stopped: false, tracing: false, _library: library })
    }

    // ---- time ----

    /// Evaluates the design with all inputs, clocks too, as they are.
    #[inline]
    pub fn eval(&mut self) {
        self.settled = None;
        // SAFETY: `handle` is live until drop.
        self.stopped |= unsafe { (self.api.eval)(self.handle) };
    }

    /// Lowers the clock and lets the design settle: outputs then show the present registers and inputs, as they are
    /// just before the next rising edge.
    #[inline]
    pub fn settle(&mut self, clock: Clock) {
        self.write_clock(clock, 0);
        self.eval();
        self.settled = Some(clock.0);
    }

    /// One clock cycle, up to and with its rising edge. After [`settle`](Model::settle) this is one evaluation,
    /// else two; inputs written in between are seen by the edge in both cases.
    #[inline]
    pub fn tick(&mut self, clock: Clock) {
        if self.settled == Some(clock.0) {
            self.write_clock(clock, 1);
            self.eval();
        } else {
            self.ticks(clock, 1);
        }
    }

    /// `count` clock cycles with the inputs as they are, in one call. Ends early if the design stops.
    #[inline]
    pub fn ticks(&mut self, clock: Clock, count: u64) {
        self.settled = None;
        let data = self.slots.clock(clock);
        // SAFETY: `handle` is live and `data` is its port.
        self.stopped |= unsafe { (self.api.tick)(self.handle, data, count) };
    }

    #[inline]
    fn write_clock(&mut self, clock: Clock, value: u8) {
        // SAFETY: every port has at least one byte of storage; clocks have one.
        unsafe { *self.slots.clock(clock) = value }
    }

    /// Runs the design's `final` blocks. What fails in them is told by [`Model::stopped`]; `$finish` is no failure
    /// there. A model that is dropped does this as well, and says nothing.
    pub fn finish(&mut self) {
        self.tracing = false;
        // SAFETY: `handle` is live until drop.
        self.stopped |= unsafe { (self.api.finish)(self.handle) };
    }

    /// True once the design has stopped itself: `$finish`, `$stop`, `$fatal`, or an assertion that failed.
    #[inline]
    pub fn stopped(&self) -> bool {
        self.stopped
    }

    /// Where and why the design stopped itself.
    pub fn stop_reason(&self) -> Option<String> {
        // SAFETY: `handle` is live; the text is copied before the next call.
        let reason = unsafe { CStr::from_ptr((self.api.reason)(self.handle)) };
        self.stopped.then(|| reason.to_string_lossy().into_owned())
    }

    // ---- waveforms ----

    /// Opens a waveform file, at the start or later; a file that is open is closed first.
    pub fn open_trace(&mut self, path: impl AsRef<Path>) -> Result<(), ModelError> {
        let open = self.api.trace_open.ok_or(ModelError::NoTrace)?;
        self.close_trace();
        let failed = || ModelError::TraceFile { path: PathBuf::from(path.as_ref()) };
        let name = CString::new(path.as_ref().as_os_str().as_bytes()).map_err(|_| failed())?;
        // SAFETY: `handle` is live, and so is the name during the call.
        self.tracing = unsafe { open(self.handle, name.as_ptr()) };
        if self.tracing {
            Ok(())
        } else {
            Err(failed())
        }
    }

    /// Writes the present values at `time`, which must grow from call to call. Nothing without an open file.
    #[inline]
    pub fn dump(&mut self, time: u64) {
        if let (true, Some(dump)) = (self.tracing, self.api.trace_dump) {
            // SAFETY: `handle` is live and has an open file.
            unsafe { dump(self.handle, time) }
        }
    }

    /// Finishes the waveform file. Dropping the model does as well.
    pub fn close_trace(&mut self) {
        if let (true, Some(close)) = (self.tracing, self.api.trace_close) {
            // SAFETY: `handle` is live and has an open file.
            unsafe { close(self.handle) }
        }
        self.tracing = false;
    }

    /// True while a waveform file is open.
    pub fn tracing(&self) -> bool {
        self.tracing
    }
}

impl HasSlots for Model {
    #[inline]
    fn slots(&self) -> &Slots {
        &self.slots
    }
}

impl Pins for Model {}

impl Drop for Model {
    fn drop(&mut self) {
        // SAFETY: `handle` is live and not used again; the library is dropped after this.
        unsafe { (self.api.destroy)(self.handle) }
    }
}

impl fmt::Debug for Model {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Model").field("top", &self.slots.top()).field("stopped", &self.stopped).finish_non_exhaustive()
    }
}

//! A running model.

use std::{
    ffi::{CStr, CString},
    fmt,
    os::unix::ffi::OsStrExt,
    path::{Path, PathBuf},
    slice,
};

use libloading::Library;

use crate::{
    field::{low_mask, read_field, write_field},
    pin::WordsMut,
    shim::{self, Api, Handle},
    Clock, Design, Direction, In, ModelError, Out, Pin, Port,
};

/// How an instance starts.
#[derive(Clone, Debug)]
pub struct Start {
    /// The outermost scope of waveforms, in which the top module's scope is.
    pub scope: String,
    /// Seed of unknown values, for a model built with [`Unknowns::Random`](super::Unknowns::Random).
    pub seed: u64,
}

impl Default for Start {
    fn default() -> Start {
        Start { scope: "TOP".to_owned(), seed: 1 }
    }
}

/// A port's place in the model.
#[derive(Clone, Copy)]
struct Slot {
    data: *mut u8,
    width: usize,
}

/// One instance of a simulated design. Instances share nothing, not even those of one [`Compiled`](crate::Compiled).
///
/// An instance may move between threads, but only one can use it at a time.
pub struct Model {
    // Used in every cycle.
    api: Api,
    handle: Handle,
    slots: Box<[Slot]>,
    /// The clock that is low and settled, if any: its next tick needs no falling edge.
    settled: Option<usize>,
    stopped: bool,
    tracing: bool,
    // Used to look ports up.
    top: String,
    ports: Vec<Port>,
    // Dropped last: the code that `api` and `handle` point into.
    _library: Library,
}

// SAFETY: the C++ instance has no thread of its own and no thread-local state but the context pointer, which the
// shim sets on each call.
unsafe impl Send for Model {}
// SAFETY: nothing changes behind a shared reference: reading a port is a plain load.
unsafe impl Sync for Model {}

impl Model {
    pub(crate) fn load(path: &Path, design: &Design, start: &Start) -> Result<Model, ModelError> {
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
        // Verilator's seeds are positive 31-bit numbers; both halves of the seed count.
        let seed = ((start.seed ^ (start.seed >> 31)) & 0x7fff_ffff).max(1) as i32;
        // SAFETY: the table's functions are called as declared; each port index is below the number of ports that
        // the shim was generated for, because the design is part of the cache key.
        let (handle, slots) = unsafe {
            let handle = (api.create)(scope.as_ptr(), true, seed);
            let slot = |(index, port): (usize, &Port)| Slot { data: (api.port)(handle, index), width: port.width };
            (handle, design.ports.iter().enumerate().map(slot).collect())
        };
        Ok(Model {
            api,
            handle,
            slots,
            settled: None,
            stopped: false,
            tracing: false,
            top: design.top.clone(),
            ports: design.ports.clone(),
            _library: library,
        })
    }

    /// The ports of the design, in the order of its port list.
    pub fn ports(&self) -> &[Port] {
        &self.ports
    }

    /// The handle of an input.
    pub fn input(&self, name: &str) -> Result<In, ModelError> {
        self.find(name, Direction::Input).map(In)
    }

    /// The handle of an output.
    pub fn output(&self, name: &str) -> Result<Out, ModelError> {
        self.find(name, Direction::Output).map(Out)
    }

    /// The handle of a clock input.
    pub fn clock(&self, name: &str) -> Result<Clock, ModelError> {
        let index = self.find(name, Direction::Input)?;
        match self.slots[index].width {
            1 => Ok(Clock(index)),
            width => Err(ModelError::ClockWidth { name: name.to_owned(), width }),
        }
    }

    fn find(&self, name: &str, direction: Direction) -> Result<usize, ModelError> {
        let found = self.ports.iter().position(|port| port.name == name && port.direction == direction);
        found.ok_or_else(|| ModelError::NoSuchPin { top: self.top.clone(), name: name.to_owned(), direction })
    }

    /// Bits of a port.
    #[inline]
    pub fn width(&self, pin: impl Pin) -> usize {
        self.slots[pin.index()].width
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
        let data = self.slots[clock.0].data;
        // SAFETY: `handle` is live and `data` is its port.
        self.stopped |= unsafe { (self.api.tick)(self.handle, data, count) };
    }

    #[inline]
    fn write_clock(&mut self, clock: Clock, value: u8) {
        // SAFETY: every port has at least one byte of storage; clocks have one.
        unsafe { *self.slots[clock.0].data = value }
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

    // ---- ports of at most 64 bits ----

    /// The value of a port of at most 64 bits.
    ///
    /// # Panics
    /// If the port is wider.
    #[inline]
    pub fn get(&self, pin: impl Pin) -> u64 {
        let slot = self.slots[pin.index()];
        // SAFETY: storage size by width as the shim's static assertions check; aligned as the C++ type.
        unsafe {
            match slot.width {
                ..=8 => u64::from(*slot.data),
                9..=16 => u64::from(*slot.data.cast::<u16>()),
                17..=32 => u64::from(*slot.data.cast::<u32>()),
                33..=64 => *slot.data.cast::<u64>(),
                width => too_wide(width),
            }
        }
    }

    /// Sets an input of at most 64 bits. Bits of `value` past the port's width are dropped.
    ///
    /// # Panics
    /// If the port is wider.
    #[inline]
    pub fn set(&mut self, pin: In, value: u64) {
        let slot = self.slots[pin.0];
        let value = value & low_mask(slot.width);
        // SAFETY: as in `get`.
        unsafe {
            match slot.width {
                ..=8 => *slot.data = value as u8,
                9..=16 => *slot.data.cast::<u16>() = value as u16,
                17..=32 => *slot.data.cast::<u32>() = value as u32,
                33..=64 => *slot.data.cast::<u64>() = value,
                width => too_wide(width),
            }
        }
    }

    // ---- ports of any width ----

    /// The words of a port wider than 64 bits, lowest first, without a copy.
    ///
    /// # Panics
    /// If the port is not wider than 64 bits; [`read`](Model::read) takes any.
    #[inline]
    pub fn words(&self, pin: impl Pin) -> &[u32] {
        self.slots[pin.index()].words().expect("a port of at most 64 bits is no array of words")
    }

    /// The words of an input wider than 64 bits, lowest first, for writing in place.
    ///
    /// # Panics
    /// If the port is not wider than 64 bits; [`write`](Model::write) takes any.
    #[inline]
    pub fn words_mut(&mut self, pin: In) -> WordsMut<'_> {
        let slot = self.slots[pin.0];
        // SAFETY: `self` is borrowed mutably for as long as the words are.
        let words = unsafe { slot.words_mut() }.expect("a port of at most 64 bits is no array of words");
        WordsMut::new(words, slot.width)
    }

    /// Copies a port of any width to `words`, lowest first; further words become zero.
    ///
    /// # Panics
    /// If `words` is too short for the port.
    pub fn read(&self, pin: impl Pin, words: &mut [u32]) {
        let slot = self.slots[pin.index()];
        let (used, rest) = words.split_at_mut(slot.width.div_ceil(32));
        match slot.words() {
            Some(source) => used.copy_from_slice(source),
            None => {
                let value = self.get(pin);
                used.iter_mut().enumerate().for_each(|(index, word)| *word = (value >> (32 * index)) as u32);
            }
        }
        rest.fill(0);
    }

    /// Sets an input of any width from `words`, lowest first. Missing words are zero, bits past the width dropped.
    pub fn write(&mut self, pin: In, words: &[u32]) {
        if self.slots[pin.0].width <= 64 {
            let word = |index: usize| u64::from(words.get(index).copied().unwrap_or(0));
            return self.set(pin, word(0) | word(1) << 32);
        }
        let mut target = self.words_mut(pin);
        let shared = target.len().min(words.len());
        target[..shared].copy_from_slice(&words[..shared]);
        target[shared..].fill(0);
    }

    // ---- fields of packed vectors ----

    /// Field `index` of a vector packed of fields of `width` bits: `port[index*width +: width]`, at most 64 bits.
    ///
    /// # Panics
    /// If the field is wider than 64 bits or reaches past the port.
    #[inline]
    pub fn field(&self, pin: impl Pin, index: usize, width: usize) -> u64 {
        self.bits(pin, index * width, width)
    }

    /// Sets field `index` of an input packed of fields of `width` bits, at most 64 bits; the others keep theirs.
    ///
    /// # Panics
    /// If the field is wider than 64 bits or reaches past the port.
    #[inline]
    pub fn set_field(&mut self, pin: In, index: usize, width: usize, value: u64) {
        self.set_bits(pin, index * width, width, value);
    }

    /// Bits `port[low +: width]`, at most 64.
    ///
    /// # Panics
    /// If there are more than 64, or they reach past the port.
    #[inline]
    pub fn bits(&self, pin: impl Pin, low: usize, width: usize) -> u64 {
        let slot = self.slots[pin.index()];
        slot.check(low, width);
        match slot.words() {
            Some(words) => read_field(words, low, width),
            // A field of no bits may begin at bit 64.
            None => self.get(pin).checked_shr(low as u32).unwrap_or(0) & low_mask(width),
        }
    }

    /// Sets bits `port[low +: width]` of an input, at most 64; the others keep theirs.
    ///
    /// # Panics
    /// If there are more than 64, or they reach past the port.
    #[inline]
    pub fn set_bits(&mut self, pin: In, low: usize, width: usize, value: u64) {
        let slot = self.slots[pin.0];
        slot.check(low, width);
        // SAFETY: `self` is borrowed mutably for as long as the words are used.
        match unsafe { slot.words_mut() } {
            Some(words) => write_field(words, low, width, value),
            None if width > 0 => {
                let mask = low_mask(width) << low;
                self.set(pin, (self.get(pin) & !mask) | ((value << low) & mask));
            }
            None => {}
        }
    }

    /// Copies bits `port[low +: width]` of any number to `words`, lowest first; further words become zero.
    ///
    /// # Panics
    /// If the bits reach past the port or don't fit `words`.
    pub fn read_bits(&self, pin: impl Pin, low: usize, width: usize, words: &mut [u32]) {
        let (used, rest) = words.split_at_mut(width.div_ceil(32));
        for (index, word) in used.iter_mut().enumerate() {
            *word = self.bits(pin, low + 32 * index, (width - 32 * index).min(32)) as u32;
        }
        rest.fill(0);
    }

    /// Sets bits `port[low +: width]` of any number from `words`, lowest first; the others keep theirs.
    ///
    /// # Panics
    /// If the bits reach past the port or past `words`.
    pub fn write_bits(&mut self, pin: In, low: usize, width: usize, words: &[u32]) {
        for (index, word) in words[..width.div_ceil(32)].iter().enumerate() {
            self.set_bits(pin, low + 32 * index, (width - 32 * index).min(32), u64::from(*word));
        }
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

impl Drop for Model {
    fn drop(&mut self) {
        // SAFETY: `handle` is live and not used again; the library is dropped after this.
        unsafe { (self.api.destroy)(self.handle) }
    }
}

impl fmt::Debug for Model {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Model").field("top", &self.top).field("stopped", &self.stopped).finish_non_exhaustive()
    }
}

impl Slot {
    /// The words of a wide port.
    #[inline]
    fn words<'a>(self) -> Option<&'a [u32]> {
        // SAFETY: see `words_mut`; callers tie the lifetime to their borrow of the model.
        (self.width > 64).then(|| unsafe { slice::from_raw_parts(self.data.cast(), self.width.div_ceil(32)) })
    }

    /// The words of a wide port.
    ///
    /// # Safety
    /// The caller holds the model mutably for as long as the words live.
    #[inline]
    unsafe fn words_mut<'a>(self) -> Option<&'a mut [u32]> {
        // SAFETY: Verilator stores a wide port as an array of 32-bit words, whose size the shim asserts.
        (self.width > 64).then(|| unsafe { slice::from_raw_parts_mut(self.data.cast(), self.width.div_ceil(32)) })
    }

    #[inline]
    fn check(self, low: usize, width: usize) {
        assert!(low + width <= self.width, "bits [{low} +: {width}] reach past a port of {} bits", self.width);
    }
}

#[cold]
fn too_wide(width: usize) -> ! {
    panic!("a port of {width} bits doesn't fit 64; use words, bits or field")
}

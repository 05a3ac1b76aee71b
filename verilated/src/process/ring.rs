//! Memory that two processes share: a ring of cycles, and the words by which they tell each other how far they are.
//!
//! The other process runs a design that nobody vouches for, and may write anything anywhere at any time. So what is
//! read here is copied first and checked then, and this side counts on its own.

use std::{
    cell::UnsafeCell,
    fs::File,
    io, ptr,
    sync::atomic::{fence, AtomicU64, AtomicU8, Ordering},
};

use memmap2::MmapRaw;
use rustix::fs::{fcntl_add_seals, ftruncate, memfd_create, MemfdFlags, SealFlags};

use crate::{
    layout::{Layout, LINE},
    shim,
};

/// Room for the words in front of the slots.
const HEADER_BYTES: usize = 4096;

/// Size of all slots: more than this falls out of the caches.
const RING_BYTES: usize = 256 << 10;

/// Slots of a ring, at least and at most.
const SLOTS: (usize, usize) = (16, 512);

/// Cycles between two looks at whether the other process sleeps.
const OFFER_CYCLES: u64 = 16;

/// Tells the other process what to do. `runner.cpp` has the same structure.
#[repr(C)]
#[derive(Clone, Copy, Debug, Default)]
pub(super) struct Setup {
    pub abi: u64,
    pub slots: u64,
    pub slot_bytes: u64,
    pub outputs: u64,
    pub settled: u64,
    /// Index of the clock in the port list.
    pub clock: u64,
    /// Verilator's seed.
    pub seed: u64,
    /// Rounds that the other process looks for inputs before it sleeps.
    pub spins: u64,
    /// First cycle of the waveform.
    pub trace_first: u64,
    /// The cycle after its last; 0 without waveform.
    pub trace_end: u64,
}

/// How far the other process says it is.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum State {
    Starting,
    Started,
    Running,
    Finished,
    Failed,
}

/// A group of words that one process writes; apart from others, also for a processor that fetches lines in pairs.
#[repr(C, align(128))]
struct Apart<T>(T);

#[repr(C)]
struct Sent {
    sent: AtomicU64,
    quit: AtomicU64,
}

#[repr(C)]
struct Done {
    done: AtomicU64,
    state: AtomicU64,
    stopped: AtomicU64,
}

#[repr(C)]
struct Wanted {
    input: AtomicU64,
    result: AtomicU64,
}

const TEXT_BYTES: usize = 2048;

#[repr(C)]
struct Control {
    // Nobody on this side reads it once it is shared.
    _setup: Apart<UnsafeCell<Setup>>,
    parent: Apart<Sent>,
    child: Apart<Done>,
    wanted: Apart<Wanted>,
    text: Apart<[AtomicU8; TEXT_BYTES]>,
}

const _: () = assert!(size_of::<Control>() == 4 * 128 + TEXT_BYTES && size_of::<Control>() <= HEADER_BYTES);

/// This process' side of the ring.
pub(super) struct Ring {
    memory: MmapRaw,
    file: File,
    slots: usize,
    slot_bytes: usize,
    inputs: usize,
    outputs: usize,
}

impl Ring {
    /// Shared memory for cycles of that layout; with `settled`, outputs are also kept as they are before the clock
    /// edge.
    pub fn new(layout: &Layout, settled: bool, setup: Setup) -> io::Result<Ring> {
        let copies = if settled { 2 } else { 1 };
        let slot_bytes = (layout.inputs + copies * layout.outputs).max(LINE);
        let most = (RING_BYTES / slot_bytes).clamp(SLOTS.0, SLOTS.1);
        let slots = 1 << most.ilog2();
        let bytes = HEADER_BYTES + slots * slot_bytes;

        let memory = memfd_create(c"railyard-ring", MemfdFlags::CLOEXEC | MemfdFlags::ALLOW_SEALING)?;
        ftruncate(&memory, bytes as u64)?;
        // Were it cut short by the other process, this one would end with a bus error.
        fcntl_add_seals(&memory, SealFlags::SHRINK | SealFlags::GROW | SealFlags::SEAL)?;
        let file = File::from(memory);
        let memory = MmapRaw::map_raw(&file)?;
        let ring = Ring { memory, file, slots, slot_bytes, inputs: layout.inputs, outputs: layout.outputs };
        let setup = Setup {
            abi: u64::from(shim::ABI),
            slots: slots as u64,
            slot_bytes: slot_bytes as u64,
            outputs: layout.inputs as u64,
            settled: if settled { (layout.inputs + layout.outputs) as u64 } else { 0 },
            ..setup
        };
        // SAFETY: the header has room for the setup, and nobody else has the memory yet.
        unsafe { ring.memory.as_mut_ptr().cast::<Setup>().write(setup) };
        Ok(ring)
    }

    /// The memory, for the other process.
    pub fn file(&self) -> &File {
        &self.file
    }

    /// Cycles that can be under way at once.
    pub fn slots(&self) -> u64 {
        self.slots as u64
    }

    fn control(&self) -> &Control {
        // SAFETY: the mapping is page-aligned, larger than the header, and lives as long as `self`. Of the shared words
        // only atomics are used through this reference.
        unsafe { &*self.memory.as_mut_ptr().cast::<Control>() }
    }

    /// The slot of a cycle.
    #[inline]
    fn slot(&self, cycle: u64) -> *mut u8 {
        let index = cycle as usize & (self.slots - 1);
        // SAFETY: the index is below the number of slots.
        unsafe { self.memory.as_mut_ptr().add(HEADER_BYTES + index * self.slot_bytes) }
    }

    /// Hands over the inputs of a cycle, the next after `cycle` others. True if the other process is to be woken.
    #[inline]
    pub fn send(&self, cycle: u64, inputs: &[u8]) -> bool {
        assert_eq!(inputs.len(), self.inputs);
        // SAFETY: a slot begins with the block of inputs.
        unsafe { ptr::copy_nonoverlapping(inputs.as_ptr(), self.slot(cycle), inputs.len()) };
        let control = self.control();
        control.parent.0.sent.store(cycle + 1, Ordering::Release);
        if (cycle + 1) % OFFER_CYCLES != 0 {
            return false;
        }
        fence(Ordering::SeqCst);
        let wanted = control.wanted.0.input.load(Ordering::Relaxed);
        wanted != 0 && wanted <= cycle + 1 && self.take_wish()
    }

    /// True if the other process sleeps, and is to be woken for what there is.
    pub fn take_wish(&self) -> bool {
        fence(Ordering::SeqCst);
        self.control().wanted.0.input.swap(0, Ordering::Relaxed) != 0
    }

    /// No more inputs will come.
    pub fn quit(&self) {
        self.control().parent.0.quit.store(1, Ordering::Release);
    }

    /// Asks to be woken once `cycles` cycles are done; with 0, not to be woken.
    pub fn wish(&self, cycles: u64) {
        self.control().wanted.0.result.store(cycles, Ordering::Relaxed);
        fence(Ordering::SeqCst);
    }

    /// Cycles whose outputs are there. Not to be trusted.
    #[inline]
    pub fn done(&self) -> u64 {
        self.control().child.0.done.load(Ordering::Acquire)
    }

    /// Whether this side's words are still its own, and the other's fit, after `sent` cycles.
    pub fn is_intact(&self, sent: u64) -> bool {
        self.control().parent.0.sent.load(Ordering::Relaxed) == sent && self.done() <= sent
    }

    /// The cycle in which the design stopped itself. Not to be trusted.
    #[inline]
    pub fn stopped(&self) -> Option<u64> {
        self.control().child.0.stopped.load(Ordering::Acquire).checked_sub(1)
    }

    /// How far the other process says it is.
    pub fn state(&self) -> State {
        match self.control().child.0.state.load(Ordering::Acquire) {
            1 => State::Started,
            2 => State::Running,
            3 => State::Finished,
            4 => State::Failed,
            _ => State::Starting,
        }
    }

    /// What the other process says about its end.
    pub fn text(&self) -> String {
        let bytes = self.control().text.0.iter().map(|byte| byte.load(Ordering::Relaxed));
        String::from_utf8_lossy(&bytes.take_while(|&byte| byte != 0).collect::<Vec<u8>>()).into_owned()
    }

    /// Copies the outputs after the clock edge of a cycle that is done.
    #[inline]
    pub fn outputs(&self, cycle: u64, outputs: &mut [u8]) {
        self.copy(cycle, self.inputs, outputs);
    }

    /// Copies the outputs before the clock edge of a cycle that is done, if they are kept.
    #[inline]
    pub fn settled(&self, cycle: u64, outputs: &mut [u8]) {
        self.copy(cycle, self.inputs + self.outputs, outputs);
    }

    #[inline]
    fn copy(&self, cycle: u64, from: usize, outputs: &mut [u8]) {
        assert!(outputs.len() == self.outputs && from + self.outputs <= self.slot_bytes);
        // SAFETY: a slot has that many bytes from there on.
        unsafe { ptr::copy_nonoverlapping(self.slot(cycle).add(from), outputs.as_mut_ptr(), outputs.len()) };
    }
}

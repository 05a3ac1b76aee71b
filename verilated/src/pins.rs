//! The values of a design's ports, wherever they are stored.

use std::{panic::Location, slice};

use railyard_input::did_you_mean;

use crate::{
    design::{PinDirection, TopPort, VerilogDesign},
    error::ModelError,
    field::{low_mask, read_field, write_field},
    pin::{Clock, In, Out, ReadablePin, WordsMut},
};

/// A port's place in memory.
#[derive(Clone, Copy)]
pub(crate) struct Slot {
    pub data: *mut u8,
    pub width: usize,
}

/// The places of a design's ports.
///
/// Each port is stored as Verilator stores it: in 1, 2, 4 or 8 bytes up to 64 bits, above as 32-bit words, lowest
/// first.
pub struct Slots {
    slots: Box<[Slot]>,
    // Used to look ports up.
    top: String,
    ports: Vec<TopPort>,
}

impl Slots {
    /// The ports of `design`, at the places that `place` gives for each index.
    ///
    /// # Safety
    /// For as long as the slots live, each place is aligned storage of its port's width. Whoever owns the slots gives
    /// nobody else a way to that storage.
    pub(crate) unsafe fn new(design: &VerilogDesign, mut place: impl FnMut(usize) -> *mut u8) -> Slots {
        let slot = |(index, port): (usize, &TopPort)| Slot { data: place(index), width: port.width };
        Slots {
            slots: design.ports.iter().enumerate().map(slot).collect(),
            top: design.top.clone(),
            ports: design.ports.clone(),
        }
    }

    /// The design's name.
    pub(crate) fn top(&self) -> &str {
        &self.top
    }

    /// The place of a clock's storage, one byte.
    #[inline]
    pub(crate) fn clock(&self, clock: Clock) -> *mut u8 {
        self.slots[clock.0].data
    }

    #[inline]
    fn at(&self, pin: impl ReadablePin) -> Slot {
        self.slots[pin.index()]
    }

    #[track_caller]
    fn find(&self, name: &str, direction: PinDirection) -> Result<usize, ModelError> {
        let at = Location::caller();
        let found = self.ports.iter().position(|port| port.name == name && port.direction == direction);
        found.ok_or_else(|| {
            let hint = match self.ports.iter().find(|port| port.name == name) {
                Some(port) => format!(" (it is an {} of {} bits)", port.direction.word(), port.width),
                None => did_you_mean(name, self.ports.iter().map(|port| port.name.as_str())),
            };
            ModelError::NoSuchPin { top: self.top.clone(), name: name.to_owned(), direction, hint, at }
        })
    }

    /// A port in the words of a message.
    fn describe(&self, pin: impl ReadablePin) -> String {
        let port = &self.ports[pin.index()];
        format!("{} `{}` of `{}`", port.direction.word(), port.name, self.top)
    }

    #[cold]
    #[track_caller]
    fn too_wide(&self, pin: impl ReadablePin) -> ! {
        panic!("{} has {} bits, more than 64: use words, bits or field", self.describe(pin), self.at(pin).width)
    }

    #[cold]
    #[track_caller]
    fn does_not_fit(&self, pin: impl ReadablePin, value: u64) -> ! {
        let (width, needed) = (self.at(pin).width, 64 - value.leading_zeros());
        panic!("{} has {width} bits, and {value:#x} needs {needed}", self.describe(pin))
    }

    /// The words of a port, if it is wider than 64 bits.
    #[inline]
    #[track_caller]
    fn expect_words<T>(&self, pin: impl ReadablePin, words: Option<T>) -> T {
        words.unwrap_or_else(|| {
            let width = self.at(pin).width;
            panic!("{} has {width} bits: one of at most 64 is no array of words", self.describe(pin))
        })
    }

    /// That bits are inside a port.
    #[inline]
    #[track_caller]
    fn check(&self, pin: impl ReadablePin, low: usize, width: usize) {
        let has = self.at(pin).width;
        assert!(low + width <= has, "bits [{low} +: {width}] reach past {}, which has {has} bits", self.describe(pin));
    }
}

mod sealed {
    /// What has slots.
    pub trait HasSlots {
        fn slots(&self) -> &super::Slots;
    }
}
pub(crate) use sealed::HasSlots;

/// The values of a design's ports: those of a [`Model`](crate::Model) in this process, or the copy of those of a
/// [`Process`](crate::Process).
pub trait Pins: HasSlots {
    /// The ports of the design, in the order of its port list.
    fn ports(&self) -> &[TopPort] {
        &self.slots().ports
    }

    /// The handle of an input.
    ///
    /// # Errors
    /// There is none of that name. The error has the caller's file and line.
    #[track_caller]
    fn input(&self, name: &str) -> Result<In, ModelError> {
        self.slots().find(name, PinDirection::Input).map(In)
    }

    /// The handle of an output.
    ///
    /// # Errors
    /// As [`input`](Pins::input).
    #[track_caller]
    fn output(&self, name: &str) -> Result<Out, ModelError> {
        self.slots().find(name, PinDirection::Output).map(Out)
    }

    /// The handle of a clock input.
    ///
    /// # Errors
    /// As [`input`](Pins::input); or the input has more than one bit.
    #[track_caller]
    fn clock(&self, name: &str) -> Result<Clock, ModelError> {
        let index = self.slots().find(name, PinDirection::Input)?;
        match self.slots().slots[index].width {
            1 => Ok(Clock(index)),
            width => Err(ModelError::ClockWidth { name: name.to_owned(), width }),
        }
    }

    /// Bits of a port.
    #[inline]
    fn width(&self, pin: impl ReadablePin) -> usize {
        self.slots().at(pin).width
    }

    // ---- ports of at most 64 bits ----

    /// The value of a port of at most 64 bits.
    ///
    /// # Panics
    /// If the port is wider.
    #[inline]
    #[track_caller]
    fn get(&self, pin: impl ReadablePin) -> u64 {
        let slot = self.slots().at(pin);
        // SAFETY: storage size by width as the shim's static assertions check; aligned as the C++ type.
        unsafe {
            match slot.width {
                ..=8 => u64::from(*slot.data),
                9..=16 => u64::from(*slot.data.cast::<u16>()),
                17..=32 => u64::from(*slot.data.cast::<u32>()),
                33..=64 => *slot.data.cast::<u64>(),
                _ => self.slots().too_wide(pin),
            }
        }
    }

    /// Sets an input of at most 64 bits.
    ///
    /// # Panics
    /// If the port is wider, or narrower than `value`.
    #[inline]
    #[track_caller]
    fn set(&mut self, pin: In, value: u64) {
        let slot = self.slots().at(pin);
        if value & !low_mask(slot.width) != 0 {
            self.slots().does_not_fit(pin, value);
        }
        // SAFETY: as in `get`.
        unsafe {
            match slot.width {
                ..=8 => *slot.data = value as u8,
                9..=16 => *slot.data.cast::<u16>() = value as u16,
                17..=32 => *slot.data.cast::<u32>() = value as u32,
                33..=64 => *slot.data.cast::<u64>() = value,
                _ => self.slots().too_wide(pin),
            }
        }
    }

    // ---- ports of any width ----

    /// The words of a port wider than 64 bits, lowest first, without a copy.
    ///
    /// # Panics
    /// If the port is not wider than 64 bits; [`read`](Pins::read) takes any.
    #[inline]
    #[track_caller]
    fn words(&self, pin: impl ReadablePin) -> &[u32] {
        self.slots().expect_words(pin, self.slots().at(pin).words())
    }

    /// The words of an input wider than 64 bits, lowest first, for writing in place.
    ///
    /// # Panics
    /// If the port is not wider than 64 bits; [`write`](Pins::write) takes any.
    #[inline]
    #[track_caller]
    fn words_mut(&mut self, pin: In) -> WordsMut<'_> {
        let slot = self.slots().at(pin);
        // SAFETY: `self` is borrowed mutably for as long as the words are.
        let words = self.slots().expect_words(pin, unsafe { slot.words_mut() });
        WordsMut::new(words, slot.width)
    }

    /// Copies a port of any width to `words`, lowest first; further words become zero.
    ///
    /// # Panics
    /// If `words` is too short for the port.
    fn read(&self, pin: impl ReadablePin, words: &mut [u32]) {
        let slot = self.slots().at(pin);
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
    fn write(&mut self, pin: In, words: &[u32]) {
        let width = self.slots().at(pin).width;
        if width <= 64 {
            let word = |index: usize| u64::from(words.get(index).copied().unwrap_or(0));
            return self.set(pin, (word(0) | word(1) << 32) & low_mask(width));
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
    #[track_caller]
    fn field(&self, pin: impl ReadablePin, index: usize, width: usize) -> u64 {
        self.bits(pin, index * width, width)
    }

    /// Sets field `index` of an input packed of fields of `width` bits, at most 64 bits; the others keep theirs. Bits
    /// of `value` past the field are dropped.
    ///
    /// # Panics
    /// If the field is wider than 64 bits or reaches past the port.
    #[inline]
    #[track_caller]
    fn set_field(&mut self, pin: In, index: usize, width: usize, value: u64) {
        self.set_bits(pin, index * width, width, value);
    }

    /// Bits `port[low +: width]`, at most 64.
    ///
    /// # Panics
    /// If there are more than 64, or they reach past the port.
    #[inline]
    #[track_caller]
    fn bits(&self, pin: impl ReadablePin, low: usize, width: usize) -> u64 {
        let slot = self.slots().at(pin);
        self.slots().check(pin, low, width);
        match slot.words() {
            Some(words) => read_field(words, low, width),
            // A field of no bits may begin at bit 64.
            None => self.get(pin).checked_shr(low as u32).unwrap_or(0) & low_mask(width),
        }
    }

    /// Sets bits `port[low +: width]` of an input, at most 64; the others keep theirs. Bits of `value` past `width` are
    /// dropped.
    ///
    /// # Panics
    /// If there are more than 64, or they reach past the port.
    #[inline]
    #[track_caller]
    fn set_bits(&mut self, pin: In, low: usize, width: usize, value: u64) {
        let slot = self.slots().at(pin);
        self.slots().check(pin, low, width);
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
    #[track_caller]
    fn read_bits(&self, pin: impl ReadablePin, low: usize, width: usize, words: &mut [u32]) {
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
    #[track_caller]
    fn write_bits(&mut self, pin: In, low: usize, width: usize, words: &[u32]) {
        for (index, word) in words[..width.div_ceil(32)].iter().enumerate() {
            self.set_bits(pin, low + 32 * index, (width - 32 * index).min(32), u64::from(*word));
        }
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
}

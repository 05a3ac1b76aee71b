//! Handles of ports. A handle is an index into its model's port table, so a stale or foreign handle reads a wrong
//! port or panics; it never reaches past the model.

use std::ops::{Deref, DerefMut};

use crate::field::low_mask;

/// An input of a model: readable and writable.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub struct In(pub(crate) usize);

/// An output of a model.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub struct Out(pub(crate) usize);

/// An input of one bit that is used as a clock.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub struct Clock(pub(crate) usize);

mod sealed {
    pub trait Index {
        fn index(self) -> usize;
    }
}
pub(crate) use sealed::Index;

/// A readable port: [`In`] or [`Out`].
pub trait ReadablePin: Index + Copy {}

impl Index for In {
    #[inline]
    fn index(self) -> usize {
        self.0
    }
}
impl ReadablePin for In {}

impl Index for Out {
    #[inline]
    fn index(self) -> usize {
        self.0
    }
}
impl ReadablePin for Out {}

/// The words of a wide input, open for writing. Bits past the port's width are cleared when it is dropped, because
/// Verilator relies on their being zero.
#[derive(Debug)]
pub struct WordsMut<'a> {
    words: &'a mut [u32],
    width: usize,
}

impl<'a> WordsMut<'a> {
    pub(crate) fn new(words: &'a mut [u32], width: usize) -> WordsMut<'a> {
        WordsMut { words, width }
    }
}

impl Deref for WordsMut<'_> {
    type Target = [u32];

    #[inline]
    fn deref(&self) -> &[u32] {
        self.words
    }
}

impl DerefMut for WordsMut<'_> {
    #[inline]
    fn deref_mut(&mut self) -> &mut [u32] {
        self.words
    }
}

impl Drop for WordsMut<'_> {
    #[inline]
    fn drop(&mut self) {
        if let (Some(last), used @ 1..) = (self.words.last_mut(), self.width % 32) {
            *last &= low_mask(used) as u32;
        }
    }
}

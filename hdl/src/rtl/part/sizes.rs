//! Sizes that stand in the types of a block's fields.

use crate::rtl::constant::{Field, Konst, UNSET};
use crate::rtl::memory::Ram;
use crate::rtl::register::{FlagReg, Reg, Regs};
use crate::rtl::signal::{Carried, Wire};
use rust_hdl_core::prelude::Direction;

/// A block, some of whose sizes stand in the types of its fields.
pub trait Sizes {
    /// The block with the parts that have these sizes.
    fn sized(self) -> Self;
}

/// A number of a block that a size is made of.
pub trait Given: Copy {
    /// The number; the constructor has set it.
    fn given(self, name: &str) -> Self;
}

impl Given for usize {
    fn given(self, name: &str) -> usize {
        assert!(self != UNSET, "the constructor does not set `{name}`, of which a size is made");
        self
    }
}

impl Given for bool {
    fn given(self, _: &str) -> bool {
        self
    }
}

impl Given for Option<usize> {
    fn given(self, _: &str) -> Option<usize> {
        self
    }
}

/// A part that may have its size in its type.
pub trait Unset {
    /// Whether the constructor leaves it to its type.
    fn is_unset(&self) -> bool;
    /// A size that stands in the type stands there only.
    fn check_unset(&self, name: &str) {
        assert!(self.is_unset(), "the size of `{name}` stands in its type: the constructor does not set it as well");
    }
}

impl<D: Direction, T: Carried> Unset for Wire<D, T> {
    fn is_unset(&self) -> bool {
        self.width() == 0
    }
}

impl Unset for Reg {
    fn is_unset(&self) -> bool {
        self.d.is_unset()
    }
}

impl Unset for Regs {
    fn is_unset(&self) -> bool {
        self.d.is_empty()
    }
}

impl Unset for Ram {
    fn is_unset(&self) -> bool {
        self.write_data.is_unset()
    }
}

impl<T> Unset for Vec<T> {
    fn is_unset(&self) -> bool {
        self.is_empty()
    }
}

impl<T> Unset for Option<T> {
    fn is_unset(&self) -> bool {
        self.is_none()
    }
}

/// What is plain in them cannot be told from what a constructor sets.
macro_rules! always_unset {
    ($($type:ty)*) => {$(
        impl Unset for $type {
            fn is_unset(&self) -> bool {
                true
            }
        }
    )*};
}
always_unset!(FlagReg Field Konst);

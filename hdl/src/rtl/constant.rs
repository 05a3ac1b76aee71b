//! Constants that a kernel may read, and what a block says about itself.

use super::value::{Position, Value};
use rust_hdl_core::ast::VerilogLiteral;
use rust_hdl_core::prelude::*;
use rust_hdl_core::signal::get_signal_id;
use std::ops::Shr;

/// How the back-end tells the kinds of constants apart: the name in their type descriptor.
pub(crate) mod tag {
    pub const PARAM: &str = "param";
    pub const KONST: &str = "konst";
    pub const FIELD: &str = "field";
    pub const ABOUT: &str = "about";
    pub const REGISTER: &str = "register";
    pub const MEMORY: &str = "memory";
}

/// Stands for a number that a constructor has yet to set: one that no count, width or polynomial has by chance.
pub(super) const UNSET: usize = 0xE7B1_93D5_0C6A_48F2;

/// A number fixed when the design is built, as it is visited.
pub(super) struct Number {
    value: usize,
    id: usize,
}

impl Number {
    pub(super) fn new(value: usize) -> Number {
        Number { value, id: get_signal_id() }
    }
}

/// A constant vector; `.val()` is a [`Value`] of its width.
#[derive(Clone, Debug)]
pub struct Konst {
    value: Value,
    id: usize,
}

/// A constant of `width` bits.
pub fn konst(width: usize, value: impl Into<num_bigint::BigUint>) -> Konst {
    Konst { value: Value::new(width, value), id: get_signal_id() }
}

impl Konst {
    /// The constant.
    pub fn val(&self) -> Value {
        self.value.clone()
    }
}

/// A field of a word (`width` bits from `lsb` up): `word.val() >> self.field.val()` reads it,
/// `word.val().replace_bit(self.field.val(), new)` is the word with another value in it.
#[derive(Clone, Debug)]
pub struct Field {
    range: FieldRange,
    id: usize,
}

/// A [`Field`].
pub fn field(lsb: usize, width: usize) -> Field {
    assert!(width > 0, "a field has at least one bit");
    Field { range: FieldRange { lsb, width }, id: get_signal_id() }
}

/// Where a [`Field`] lies.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct FieldRange {
    /// Lowest bit.
    pub lsb: usize,
    /// Number of bits.
    pub width: usize,
}

impl Field {
    /// Where the field lies.
    pub fn val(&self) -> FieldRange {
        self.range
    }
}

impl Position for FieldRange {
    fn lsb(&self) -> usize {
        self.lsb
    }
    fn width(&self) -> Option<usize> {
        Some(self.width)
    }
}

impl Shr<FieldRange> for Value {
    type Output = Value;
    fn shr(self, field: FieldRange) -> Value {
        let end = field.lsb + field.width;
        assert!(end <= self.width(), "field ends at bit {end} of a {}-bit value", self.width());
        super::value::bit_cast_to(self >> field.lsb, field.width)
    }
}

/// What a block says about itself: its name, its meaning, the parameters of this instance. Every block has one,
/// in a field named `about`.
#[derive(Clone, Debug)]
pub struct About {
    name: &'static str,
    doc: &'static str,
    entries: Vec<(&'static str, String, usize)>,
    id: usize,
}

/// The block's name in snake_case (that of its Rust struct) and one paragraph on what it does.
pub fn about(name: &'static str, doc: &'static str) -> About {
    About { name, doc, entries: vec![], id: get_signal_id() }
}

impl About {
    /// A parameter of this instance: listed in the header, and part of the module's name where two modules of one
    /// kind differ in it.
    pub fn param(mut self, name: &'static str, value: usize) -> About {
        self.entries.push(("param", name.into(), value));
        self
    }

    /// The same, listed in hexadecimal: an address, a mask, a polynomial.
    pub fn hex_param(self, name: &'static str, value: usize) -> About {
        self.mark("hex", name.into(), 0).param(name, value)
    }

    /// What tells modules of one kind apart by name, in place of their parameters: part of the name, and listed as
    /// `name` in the header.
    pub fn label(self, name: &'static str, text: &str) -> About {
        self.mark("label", format!("{name} {text}"), 0)
    }

    /// Makes a Rust `const` known to the kernel by its name, as a number in expressions or in the arms of `match`.
    pub fn constant(mut self, name: &'static str, value: usize) -> About {
        self.entries.push(("constant", name.into(), value));
        self
    }

    pub(crate) fn mark(mut self, kind: &'static str, text: String, value: usize) -> About {
        self.entries.push((kind, text, value));
        self
    }
}

/// Implements the traits of a signal that never changes: its width and its descriptor are functions of it.
macro_rules! fixed {
    ($type:ty, $width:expr, $descriptor:expr) => {
        impl Atom for $type {
            fn bits(&self) -> usize {
                $width(self)
            }
            fn connected(&self) -> bool {
                true
            }
            fn changed(&self) -> bool {
                false
            }
            fn kind(&self) -> AtomKind {
                AtomKind::Constant
            }
            fn descriptor(&self) -> TypeDescriptor {
                $descriptor(self)
            }
            fn vcd(&self) -> VCDValue {
                VCDValue::Single(vcd::Value::V0)
            }
            fn id(&self) -> usize {
                self.id
            }
            fn verilog(&self) -> VerilogLiteral {
                0u32.into()
            }
            fn constraints(&self) -> Vec<PinConstraint> {
                vec![]
            }
        }
        impl Logic for $type {
            fn update(&mut self) {}
        }
        impl Block for $type {
            fn connect_all(&mut self) {}
            fn update_all(&mut self) {}
            fn has_changed(&self) -> bool {
                false
            }
            fn accept(&self, name: &str, probe: &mut dyn Probe) {
                probe.visit_atom(name, self);
            }
        }
    };
}

fn entry(kind: &str, text: &str, value: usize) -> Box<TypeField> {
    let kind_of_text = TypeDescriptor { name: text.into(), kind: TypeKind::Bits(value) };
    Box::new(TypeField { fieldname: kind.into(), kind: kind_of_text })
}

/// rust-hdl's probes show a signal's type descriptor (its literals end at 128 bits): values and texts travel in it.
#[allow(clippy::vec_box)] // The type is rust-hdl's.
fn tagged(tag: &str, entries: Vec<Box<TypeField>>) -> TypeDescriptor {
    TypeDescriptor { name: tag.into(), kind: TypeKind::Composite(entries) }
}

fn tagged_value(tag: &str, value: &str) -> TypeDescriptor {
    tagged(tag, vec![entry("value", value, 0)])
}

fixed!(Number, |_: &Number| 32, |me: &Number| tagged_value(tag::PARAM, &me.value.to_string()));
fixed!(Konst, |me: &Konst| me.value.width(), |me: &Konst| tagged_value(tag::KONST, &me.value.to_big().to_string()));
fixed!(Field, |me: &Field| me.range.width, |me: &Field| tagged_value(tag::FIELD, &me.range.lsb.to_string()));
fixed!(About, |_: &About| 1, |me: &About| {
    let mut entries = vec![entry("name", me.name, 0), entry("doc", me.doc, 0)];
    entries.extend(me.entries.iter().map(|(kind, text, value)| entry(kind, text, *value)));
    tagged(tag::ABOUT, entries)
});

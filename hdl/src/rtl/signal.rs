//! Signals sized at run time: `Sig` carries a [`Value`] of any width, `Flag` one bit as a Rust `bool`.

use super::names;
use super::value::{Position, Value};
use rust_hdl_core::ast::VerilogLiteral;
use rust_hdl_core::prelude::*;
use rust_hdl_core::signal::get_signal_id;
use std::marker::PhantomData;
use std::ops::Index;

/// A vector of `width` bits; direction `In`, `Out` or `Local`.
pub type Sig<D> = Wire<D, Value>;
/// One bit; reads and writes a `bool`.
pub type Flag<D> = Wire<D, bool>;
/// The clock port of a block.
pub type ClockIn = Signal<In, Clock>;

/// A vector signal of `width` bits.
pub fn sig<D: Direction>(width: usize) -> Sig<D> {
    assert!(width > 0, "a signal has at least one bit");
    Wire::new(width, Value::zero(width))
}

/// A one-bit signal.
pub fn flag<D: Direction>() -> Flag<D> {
    Wire::new(1, false)
}

/// The clock port.
pub fn clock() -> ClockIn {
    Signal::default()
}

/// `count` signals alike: `many(ports, || sig(width))`. They become one packed vector in Verilog.
pub fn many<T, All: FromIterator<T>>(count: usize, make: impl Fn() -> T) -> All {
    (0..count).map(|_| make()).collect()
}

/// What a wire can carry.
pub trait Carried: Clone + PartialEq + std::fmt::Debug {
    /// The value at the wire's width, or why it does not fit.
    fn fitted(&self, width: usize) -> Result<Self, String>;
    /// Bits for a waveform, most significant first.
    fn wave(&self, width: usize) -> Vec<bool>;
    /// The same as the value of a signal, for messages.
    fn of_signal(self, signal: usize) -> Self;
}

impl Carried for Value {
    fn fitted(&self, width: usize) -> Result<Value, String> {
        self.fit(width)
    }
    fn wave(&self, width: usize) -> Vec<bool> {
        (0..width).rev().map(|i| self.get_bit(i)).collect()
    }
    fn of_signal(self, signal: usize) -> Value {
        Value::of_signal(self, signal)
    }
}

impl Carried for bool {
    fn fitted(&self, _width: usize) -> Result<bool, String> {
        Ok(*self)
    }
    fn wave(&self, _width: usize) -> Vec<bool> {
        vec![*self]
    }
    fn of_signal(self, _signal: usize) -> bool {
        self
    }
}

/// A signal; use the names [`Sig`] and [`Flag`].
#[derive(Clone, Debug)]
pub struct Wire<D: Direction, T: Carried> {
    /// What the signal becomes: kernels assign to `signal.next`.
    pub next: T,
    val: T,
    width: usize,
    changed: bool,
    claimed: bool,
    id: usize,
    doc: &'static str,
    direction: PhantomData<D>,
}

impl<D: Direction, T: Carried> Wire<D, T> {
    fn new(width: usize, zero: T) -> Self {
        Wire {
            next: zero.clone(),
            val: zero,
            width,
            changed: false,
            claimed: false,
            id: get_signal_id(),
            doc: "",
            direction: PhantomData,
        }
    }

    /// A signal whose width its constructor has yet to set.
    pub(super) fn unsized_yet() -> Self
    where
        T: Default,
    {
        Wire::new(0, T::default())
    }

    /// One line on what the signal means; it becomes the comment of its declaration in Verilog.
    pub fn doc(mut self, doc: &'static str) -> Self {
        self.doc = doc;
        self
    }

    /// A signal like this one that does not have a value yet: for a port that hands a sub-block's on.
    pub fn alike(&self) -> Self {
        Wire { id: get_signal_id(), ..self.clone() }
    }

    /// Number of bits.
    pub fn width(&self) -> usize {
        self.width
    }

    /// The value of an input.
    pub(super) fn now(&self) -> T {
        self.val.clone().of_signal(self.id)
    }

    /// The value as assigned so far.
    pub(super) fn fitted(&self) -> T {
        let fitted = self.next.fitted(self.width);
        fitted.unwrap_or_else(|error| panic!("{}: {error}{}", names::of(self.id), names::line())).of_signal(self.id)
    }
}

impl<T: Carried> Wire<In, T> {
    /// The signal's value.
    pub fn val(&self) -> T {
        self.now()
    }
}

impl<T: Carried> Wire<Out, T> {
    /// The signal's value, as assigned so far.
    pub fn val(&self) -> T {
        self.fitted()
    }
}

impl<T: Carried> Wire<Local, T> {
    /// The signal's value, as assigned so far.
    pub fn val(&self) -> T {
        self.fitted()
    }
}

/// A direction of signals that a kernel assigns as a whole, and so may change in part.
pub trait Driven: Direction {}
impl Driven for Out {}
impl Driven for Local {}

impl<D: Driven> Wire<D, Value> {
    /// Some bits change: one (`set(i, flag)`), those of a field (`set(self.tag.val(), self.x.val())`), or from `place`
    /// up as many as `bits` has.
    pub fn set(&mut self, place: impl Position, bits: impl Into<Value>) {
        self.next = self.fitted().replace_bit(place, bits);
    }
}

/// `self.lane[self.select.val()].val()`: an element chosen by a signal. A select beyond the end is don't care
/// (here it reads the last element).
impl<D: Direction, T: Carried> Index<Value> for Vec<Wire<D, T>> {
    type Output = Wire<D, T>;
    fn index(&self, select: Value) -> &Wire<D, T> {
        &self[select.index().min(self.len() - 1)]
    }
}

impl<D: Direction, T: Carried> Atom for Wire<D, T> {
    fn bits(&self) -> usize {
        self.width
    }
    fn connected(&self) -> bool {
        self.claimed
    }
    fn changed(&self) -> bool {
        self.changed
    }
    fn kind(&self) -> AtomKind {
        D::KIND
    }
    fn descriptor(&self) -> TypeDescriptor {
        TypeDescriptor { name: self.doc.into(), kind: TypeKind::Bits(self.width) }
    }
    fn vcd(&self) -> VCDValue {
        let wave = self.val.wave(self.width);
        VCDValue::Vector(wave.iter().map(|&bit| if bit { vcd::Value::V1 } else { vcd::Value::V0 }).collect())
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

impl<D: Direction, T: Carried> Logic for Wire<D, T> {
    fn update(&mut self) {}
    fn connect(&mut self) {
        self.claimed = true;
    }
}

impl<D: Direction, T: Carried> Block for Wire<D, T> {
    fn connect_all(&mut self) {}
    fn update_all(&mut self) {
        let next = self.fitted();
        self.changed = next != self.val;
        if self.changed {
            self.val = next;
        }
    }
    fn has_changed(&self) -> bool {
        self.changed
    }
    fn accept(&self, name: &str, probe: &mut dyn Probe) {
        probe.visit_atom(name, self);
    }
}

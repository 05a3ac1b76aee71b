//! A value whose width is chosen at run time: what a signal carries.

use super::names;
use num_bigint::BigUint;
use std::cmp::Ordering;
use std::fmt;
use std::ops::{Add, BitAnd, BitOr, BitXor, Not, Shl, Shr, Sub};

/// An unsigned number of a fixed number of bits; arithmetic wraps, as in hardware.
///
/// Values of different widths do not mix: that is a panic, as it would be a lint warning in Verilog. A number
/// literal (and the result of [`unsigned_cast`]) has no width of its own and takes the one of its partner.
#[derive(Clone)]
pub struct Value {
    /// Number of bits; 0 marks a value that adapts to its partner.
    width: usize,
    /// Whether adapting may drop bits (a cast) or must not (a literal).
    cut: bool,
    /// The signal whose value this is, for messages; [`NO_SIGNAL`] for the result of an operation.
    signal: usize,
    bits: Bits,
}

/// Up to 128 bits are kept inline; flits and packed vectors may be wider.
#[derive(Clone)]
enum Bits {
    Small(u128),
    Big(BigUint),
}

const ADAPTS: usize = 0;
const NO_SIGNAL: usize = usize::MAX;

impl Value {
    /// A value of `width` bits; higher bits of `bits` are dropped.
    pub fn new(width: usize, bits: impl Into<BigUint>) -> Value {
        assert!(width > 0, "a signal has at least one bit");
        Value::from_big(width, bits.into())
    }

    /// All bits zero.
    pub fn zero(width: usize) -> Value {
        Value::made(width, Bits::Small(0))
    }

    fn small(width: usize, bits: u128) -> Value {
        let mask = if width == ADAPTS || width >= 128 { u128::MAX } else { (1 << width) - 1 };
        Value::made(width, Bits::Small(bits & mask))
    }

    fn made(width: usize, bits: Bits) -> Value {
        Value { width, cut: false, signal: NO_SIGNAL, bits }
    }

    /// The value of a signal.
    pub(super) fn of_signal(self, signal: usize) -> Value {
        Value { signal, ..self }
    }

    /// Width, and the signal if it is one's value, in the words of a message.
    fn described(&self) -> String {
        match self.signal {
            NO_SIGNAL => format!("{} bits", self.width),
            signal => format!("`{}` of {} bits", names::of(signal), self.width),
        }
    }

    fn from_big(width: usize, bits: BigUint) -> Value {
        let bits = if width != ADAPTS && bits.bits() > width as u64 {
            bits & ((BigUint::from(1u8) << width) - 1u8)
        } else {
            bits
        };
        match u128::try_from(&bits) {
            Ok(small) => Value::made(width, Bits::Small(small)),
            Err(_) => Value::made(width, Bits::Big(bits)),
        }
    }

    /// Width in bits.
    pub fn width(&self) -> usize {
        self.width
    }

    /// Width in bits, under the name that rust-hdl's kernels ask for.
    pub fn bits(&self) -> usize {
        self.width
    }

    /// Whether this is a literal without a width of its own.
    pub fn adapts(&self) -> bool {
        self.width == ADAPTS
    }

    /// As a big number.
    pub fn to_big(&self) -> BigUint {
        match &self.bits {
            Bits::Small(bits) => (*bits).into(),
            Bits::Big(bits) => bits.clone(),
        }
    }

    /// As a number; panics above 128 bits of value.
    pub fn to_u128(&self) -> u128 {
        match &self.bits {
            Bits::Small(bits) => *bits,
            Bits::Big(_) => panic!("value of {} bits does not fit u128", self.width),
        }
    }

    /// As a number for `match` (kernels: `match self.state.q.val().index() { .. }`).
    pub fn index(&self) -> usize {
        usize::try_from(self.to_u128()).expect("value is too large for an index")
    }

    /// One bit, or the bit chosen by a signal (`get_bit(self.select.val())`; beyond the end is don't care).
    pub fn get_bit(&self, position: impl Position) -> bool {
        let index = position.lsb();
        if position.checked() {
            assert!(self.adapts() || index < self.width, "bit {index} of a {}-bit value", self.width);
        }
        match &self.bits {
            Bits::Small(bits) => index < 128 && bits >> index & 1 == 1,
            Bits::Big(bits) => bits.bit(index as u64),
        }
    }

    /// The value with some bits replaced: one (`replace_bit(i, flag)`), or as many as `new` is wide
    /// (`replace_bit(i * self.w.val(), self.lane[i].val())`), starting at `position`.
    pub fn replace_bit(self, position: impl Position, new: impl Into<Value>) -> Value {
        let (lsb, new) = (position.lsb(), new.into());
        let new = match position.width() {
            Some(width) => new.fit(width).unwrap_or_else(|e| panic!("replaced field: {e}")),
            None => new,
        };
        assert!(!new.adapts(), "replace_bit needs a value of known width");
        assert!(lsb + new.width <= self.width, "{} bits at {lsb} of a {}-bit value", new.width, self.width);
        if let (Bits::Small(old), Bits::Small(new_bits)) = (&self.bits, &new.bits) {
            if self.width <= 128 {
                let mask = if new.width == 128 { u128::MAX } else { ((1 << new.width) - 1) << lsb };
                return Value::small(self.width, old & !mask | new_bits << lsb);
            }
        }
        let mask = ((BigUint::from(1u8) << new.width) - 1u8) << lsb;
        let kept = self.to_big() | &mask;
        Value::from_big(self.width, (kept ^ mask) | (new.to_big() << lsb))
    }

    /// Whether any bit is set (`|x`).
    pub fn any(&self) -> bool {
        !matches!(self.bits, Bits::Small(0))
    }

    /// Whether all bits are set (`&x`).
    pub fn all(&self) -> bool {
        !(!self.clone()).any()
    }

    /// Parity (`^x`).
    pub fn xor(&self) -> bool {
        match &self.bits {
            Bits::Small(bits) => bits.count_ones() % 2 == 1,
            Bits::Big(bits) => bits.count_ones() % 2 == 1,
        }
    }

    /// The value at exactly `width` bits: a literal adapts, anything else must have that width already.
    pub fn fit(&self, width: usize) -> Result<Value, String> {
        if self.width == width {
            Ok(self.clone())
        } else if self.adapts() {
            self.adapted(width)
        } else {
            let of = match self.signal {
                NO_SIGNAL => String::new(),
                signal => format!(": those of `{}`", names::of(signal)),
            };
            Err(format!("{} bits are assigned where {width} are needed{of}", self.width))
        }
    }

    /// A literal or a cast at the width of its partner.
    fn adapted(&self, width: usize) -> Result<Value, String> {
        let literal = self.adapts() && !self.cut && width != ADAPTS;
        let fits = match &self.bits {
            Bits::Small(bits) => width >= 128 || bits >> width == 0,
            Bits::Big(bits) => bits.bits() <= width as u64,
        };
        if literal && !fits {
            return Err(format!("number {} does not fit {width} bits", self.to_big()));
        }
        Ok(Value { cut: self.cut, ..self.resize(width) })
    }

    fn with_cut(self, cut: bool) -> Value {
        Value { cut, ..self }
    }

    fn resize(&self, width: usize) -> Value {
        match &self.bits {
            Bits::Small(bits) => Value::small(width, *bits),
            Bits::Big(bits) => Value::from_big(width, bits.clone()),
        }
    }

    #[track_caller]
    fn common_width(&self, other: &Value) -> usize {
        match (self.width, other.width) {
            (ADAPTS, width) | (width, ADAPTS) => width,
            (a, b) if a == b => a,
            _ => panic!("width mismatch: {} meets {}", self.described(), other.described()),
        }
    }

    /// The value at the width of its partner.
    #[track_caller]
    fn adapted_to(&self, partner: &Value, width: usize) -> Value {
        self.adapted(width).unwrap_or_else(|error| match partner.signal {
            NO_SIGNAL => panic!("{error}"),
            signal => panic!("{error} of `{}`", names::of(signal)),
        })
    }

    #[track_caller]
    fn combine(
        &self,
        other: &Value,
        small: impl Fn(u128, u128) -> u128,
        big: impl Fn(BigUint, BigUint, usize) -> BigUint,
    ) -> Value {
        let width = self.common_width(other);
        let (a, b) = (self.adapted_to(other, width), other.adapted_to(self, width));
        if let (Bits::Small(a), Bits::Small(b), 1..=128) = (&a.bits, &b.bits, width) {
            return Value::small(width, small(*a, *b));
        }
        Value::from_big(width, big(a.to_big(), b.to_big(), width)).with_cut(a.cut || b.cut)
    }

    #[track_caller]
    fn compare(&self, other: &Value) -> Ordering {
        let width = self.common_width(other);
        let (a, b) = (self.adapted_to(other, width), other.adapted_to(self, width));
        match (&a.bits, &b.bits) {
            (Bits::Small(a), Bits::Small(b)) => a.cmp(b),
            _ => a.to_big().cmp(&b.to_big()),
        }
    }
}

/// The low `width` bits of `value`, zero-extended where it is narrower. Kernels may not use a loop index inside
/// (rust-hdl computes the width outside of the loop): use [`unsigned_cast`] there.
pub fn bit_cast_to(value: Value, width: usize) -> Value {
    value.resize(width)
}

/// `value` cut or zero-extended to the width that its surroundings ask for: the signal it is assigned to, or the
/// other operand of `+ - & | ^ == < ..`. `unsigned_cast(x >> lsb)` is how a kernel takes a slice.
pub fn unsigned_cast(value: impl Into<Value>) -> Value {
    Value { width: ADAPTS, cut: true, signal: NO_SIGNAL, ..value.into() }
}

/// Where `get_bit` and `replace_bit` work: an index, a signal, or a [`super::Field`].
pub trait Position {
    /// Lowest bit.
    fn lsb(&self) -> usize;
    /// Number of bits where the position fixes it.
    fn width(&self) -> Option<usize> {
        None
    }
    /// Whether a position beyond the end is an error (it is not for a signal: hardware reads something).
    fn checked(&self) -> bool {
        true
    }
}

impl Position for usize {
    fn lsb(&self) -> usize {
        *self
    }
}

impl Position for Value {
    fn lsb(&self) -> usize {
        usize::try_from(self.to_u128()).unwrap_or(usize::MAX)
    }
    fn checked(&self) -> bool {
        false
    }
}

macro_rules! binary {
    ($trait:ident, $method:ident, $small:expr, $big:expr) => {
        impl $trait for Value {
            type Output = Value;
            #[track_caller]
            fn $method(self, other: Value) -> Value {
                self.combine(&other, $small, $big)
            }
        }
        impl $trait<usize> for Value {
            type Output = Value;
            #[track_caller]
            fn $method(self, other: usize) -> Value {
                self.$method(Value::from(other))
            }
        }
    };
}

binary!(Add, add, |a, b| a.wrapping_add(b), |a, b, _| a + b);
binary!(Sub, sub, |a, b| a.wrapping_sub(b), |a, b, width| {
    if width == ADAPTS {
        assert!(a >= b, "the difference of two values of any width is negative");
        return a - b;
    }
    let modulus = BigUint::from(1u8) << width;
    (a + &modulus) - (b % modulus)
});
binary!(BitAnd, bitand, |a, b| a & b, |a, b, _| a & b);
binary!(BitOr, bitor, |a, b| a | b, |a, b, _| a | b);
binary!(BitXor, bitxor, |a, b| a ^ b, |a, b, _| a ^ b);

impl Not for Value {
    type Output = Value;
    fn not(self) -> Value {
        assert!(!self.adapts(), "`!` needs a value of known width");
        match self.bits {
            Bits::Small(bits) if self.width <= 128 => Value::small(self.width, !bits),
            _ => Value::from_big(self.width, ((BigUint::from(1u8) << self.width) - 1u8) ^ self.to_big()),
        }
    }
}

impl Shl<usize> for Value {
    type Output = Value;
    fn shl(self, by: usize) -> Value {
        match self.bits {
            _ if self.width != ADAPTS && by >= self.width => Value::zero(self.width),
            Bits::Small(bits) if self.width != ADAPTS && self.width <= 128 => Value::small(self.width, bits << by),
            _ => Value::from_big(self.width, self.to_big() << by).with_cut(self.cut),
        }
    }
}

impl Shr<usize> for Value {
    type Output = Value;
    fn shr(self, by: usize) -> Value {
        match self.bits {
            Bits::Small(bits) => Value::small(self.width, if by >= 128 { 0 } else { bits >> by }),
            Bits::Big(bits) => Value::from_big(self.width, bits >> by),
        }
    }
}

impl Shl for Value {
    type Output = Value;
    fn shl(self, by: Value) -> Value {
        self << by.lsb()
    }
}

impl Shr for Value {
    type Output = Value;
    fn shr(self, by: Value) -> Value {
        self >> by.lsb()
    }
}

impl PartialEq for Value {
    #[track_caller]
    fn eq(&self, other: &Value) -> bool {
        self.compare(other) == Ordering::Equal
    }
}

impl PartialEq<usize> for Value {
    #[track_caller]
    fn eq(&self, other: &usize) -> bool {
        self.compare(&(*other).into()) == Ordering::Equal
    }
}

impl PartialOrd for Value {
    #[track_caller]
    fn partial_cmp(&self, other: &Value) -> Option<Ordering> {
        Some(self.compare(other))
    }
}

impl PartialOrd<usize> for Value {
    #[track_caller]
    fn partial_cmp(&self, other: &usize) -> Option<Ordering> {
        Some(self.compare(&(*other).into()))
    }
}

macro_rules! literal {
    ($($number:ty),+) => {$(
        impl From<$number> for Value {
            fn from(number: $number) -> Value {
                let bits = u128::try_from(number).expect("literals are not negative");
                Value::made(ADAPTS, Bits::Small(bits))
            }
        }
    )+};
}
literal!(i32, u32, u64, usize, u128);

impl From<bool> for Value {
    fn from(bit: bool) -> Value {
        Value::made(1, Bits::Small(bit.into()))
    }
}

impl Default for Value {
    fn default() -> Value {
        Value::from(0usize)
    }
}

impl fmt::Debug for Value {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{}'h{:x}", self.width, self.to_big())
    }
}

impl fmt::Display for Value {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        fmt::Debug::fmt(self, f)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Both sides take the width of what the difference is assigned to.
    #[test]
    fn casts_are_subtracted_from_each_other() {
        let (sum, groups) = (Value::small(10, 11), Value::small(9, 9));
        let wrapped = unsigned_cast(sum) - unsigned_cast(groups);
        assert_eq!(bit_cast_to(wrapped, 4), Value::small(4, 2));
    }
}

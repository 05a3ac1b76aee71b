//! Register fields: the fields of a register side by side, and back; and whether their values are legal.
//!
//! No state.
//!
//! Source: switch reference, section 9; `spec/src/registers/`.

use crate::units::prelude::*;
use railyard_spec::registers::Legal;

/// A field: where it lies in the register and where in the packed ones, and the first value that is too much for it, or
/// its values, if all do not fit.
#[derive(Clone, Copy)]
struct Place {
    low: usize,
    whole_bits: usize,
    packed_low: usize,
    bits: usize,
    limit: Option<usize>,
    choices: Option<u64>,
}

impl Place {
    /// Values that fit and are none of the choices.
    fn wrong_choices(&self) -> impl Iterator<Item = usize> + '_ {
        let all = 0..self.choices.map_or(0, |_| 1usize << self.whole_bits);
        all.filter(|value| self.choices.is_some_and(|choices| choices >> value & 1 == 0))
    }
}

/// Fields of a register side by side, and back; whether their values are legal.
#[block(register: &Described, order: FieldOrder)]
pub struct RegisterFields {
    /// Data to write.
    pub data: Sig<In, WORD>,
    /// The data are legal.
    pub legal: Flag<Out>,
    /// Fields in the data, side by side.
    pub asked: Sig<Out, packed_bits>,
    /// Fields, side by side.
    pub setting: Sig<In, packed_bits>,
    /// Value that a register with the fields reads.
    pub value: Sig<Out, WORD>,
    #[made(places(register, order))]
    _places: Vec<Place>,
    #[made(Value::new(WORD, !register.mask()))]
    _outside: Value,

    packed_bits: Number<{ packed_bits(register, order) }>,
    #[label]
    #[made(register.name())]
    register: &'static str,
    #[hex]
    address: Param<{ register.address() as usize }>,
}

/// Names of fields from the low end, each with the least number of bits that it gets.
pub type FieldOrder<'o> = &'o [(&'o str, usize)];

fn places(register: &Described, order: FieldOrder) -> Vec<Place> {
    let there: Vec<_> = order.iter().filter(|(name, _)| register.has(name)).collect();
    assert_eq!(there.len(), register.field_count(), "every field has its place");
    let mut packed_low = 0;
    let place = |(name, least_bits): &(&str, usize)| {
        let field = register.field(name);
        let (low, whole_bits) = (field.low as usize, field.bits as usize);
        let (bits, limit, choices) = match field.legal {
            Legal::Any => (whole_bits, None, None),
            Legal::OneOf(ref list) => (whole_bits, None, Some(list.iter().fold(0, |sum, value| sum | 1 << value))),
            Legal::Below(limit) => {
                let limit = limit as usize;
                (clog2(limit).max(1), (limit < 1 << whole_bits).then_some(limit), None)
            }
            ref other => panic!("no block packs a field of legal values {other:?}"),
        };
        let bits = bits.max(*least_bits);
        assert!(bits <= whole_bits, "field `{name}` is not that wide");
        let place = Place { low, whole_bits, packed_low, bits, limit, choices };
        packed_low += bits;
        place
    };
    there.into_iter().map(place).collect()
}

/// Bits of the packed fields.
pub fn packed_bits(register: &Described, order: FieldOrder) -> usize {
    places(register, order).iter().map(|place| place.bits).sum()
}

/// The packed fields after reset.
pub fn packed_reset(register: &Described, order: FieldOrder) -> u64 {
    let fields = order.iter().filter(|(name, _)| register.has(name)).map(|(name, _)| register.field(name));
    places(register, order)
        .iter()
        .zip(fields)
        .fold(0, |sum, (place, field)| sum | u64::from(field.reset) << place.packed_low)
}

/// By hand, not by a kernel, because each field has constants of its own.
impl Logic for RegisterFields {
    fn update(&mut self) {
        let (data, setting) = (self.data.val(), self.setting.val());
        let mut legal = !(data.clone() & self._outside.clone()).any();
        let (mut asked, mut value) = (Value::zero(setting.width()), Value::zero(WORD));
        for place in &self._places {
            let whole: Value = bit_cast_to(data.clone() >> place.low, place.whole_bits);
            legal &= place.limit.is_none_or(|limit| whole.to_u128() < limit as u128);
            legal &= place.choices.is_none_or(|choices| choices >> whole.index() & 1 == 1);
            asked = asked.replace_bit(place.packed_low, bit_cast_to(data.clone() >> place.low, place.bits));
            value = value.replace_bit(place.low, bit_cast_to(setting.clone() >> place.packed_low, place.bits));
        }
        self.legal.next = legal;
        self.asked.next = asked;
        self.value.next = value;
    }

    fn connect(&mut self) {
        self.legal.connect();
        self.asked.connect();
        self.value.connect();
    }

    fn hdl(&self) -> Verilog {
        use ast::{VerilogExpression as E, VerilogOp, VerilogOpUnary, VerilogStatement};
        let signal = |name: &str| Box::new(E::Signal(name.into()));
        let number = |n: usize| Box::new(E::Literal((n as u64).into()));
        let both = |a, op, b| E::Binary(Box::new(a), op, Box::new(b));
        let set = |name: &str, value| VerilogStatement::Assignment(E::Signal(format!("{name}$next")), value);
        let part = |name: &str, lsb, value| set(name, E::IndexReplace(signal(name), number(lsb), Box::new(value)));
        let cut = |name: &str, lsb, bits| match lsb {
            0 => E::Cast(signal(name), bits),
            _ => E::Cast(Box::new(E::Binary(signal(name), VerilogOp::Shr, number(lsb))), bits),
        };

        let outside = E::Literal(self._outside.to_u128().into());
        let stray = E::Paren(Box::new(both(*signal("data"), VerilogOp::BitAnd, outside)));
        let mut legal = E::Unary(VerilogOpUnary::Not, Box::new(E::Unary(VerilogOpUnary::Any, Box::new(stray))));
        let (mut asked, mut value) = (vec![set("asked", *number(0))], vec![set("value", *number(0))]);
        for place in &self._places {
            if let Some(limit) = place.limit {
                let below = both(cut("data", place.low, place.whole_bits), VerilogOp::Lt, *number(limit));
                legal = both(legal, VerilogOp::BitAnd, E::Paren(Box::new(below)));
            }
            for wrong in place.wrong_choices() {
                let other = both(cut("data", place.low, place.whole_bits), VerilogOp::Ne, *number(wrong));
                legal = both(legal, VerilogOp::BitAnd, E::Paren(Box::new(other)));
            }
            asked.push(part("asked", place.packed_low, cut("data", place.low, place.bits)));
            value.push(part("value", place.low, cut("setting", place.packed_low, place.bits)));
        }
        let mut kernel = vec![set("legal", legal)];
        kernel.append(&mut asked);
        kernel.append(&mut value);
        Verilog::Combinatorial(kernel)
    }
}

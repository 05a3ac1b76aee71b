//! Expressions, with exact widths.

use super::names::Meaning;
use super::{Elaborator, Failed, Outcome};
use crate::rtl::verilog::collect::Constant;
use crate::rtl::verilog::ir::*;
use crate::rtl::verilog::scope::Role;
use num_bigint::BigUint;
use rust_hdl_core::ast::*;

impl Elaborator<'_> {
    /// The width that an expression has of itself; `None` where it takes that of its surroundings.
    pub(super) fn width(&mut self, e: &VerilogExpression) -> Outcome<Option<usize>> {
        Ok(match e {
            VerilogExpression::Signal(name) => match self.resolve(name)? {
                Meaning::Index(_) => None,
                Meaning::Named(_, _, width) | Meaning::Signal(_, width) => Some(width),
                Meaning::Field => return self.fail("a Field is a position, not a value"),
            },
            VerilogExpression::Literal(literal) => literal_value(literal).1,
            VerilogExpression::Paren(e) => self.width(e)?,
            VerilogExpression::Cast(_, width) => Some(*width),
            VerilogExpression::Unsigned(_) => None,
            VerilogExpression::Signed(_) => return self.fail("signed values are not supported"),
            VerilogExpression::Unary(VerilogOpUnary::Not, e) => self.width(e)?,
            VerilogExpression::Unary(VerilogOpUnary::Neg, _) => return self.fail("unary minus is not supported"),
            VerilogExpression::Unary(..) => Some(1),
            VerilogExpression::Binary(l, op, r) => match op {
                VerilogOp::Shr => match self.field_of(r) {
                    Some((_, width)) => Some(width),
                    None => self.width(l)?,
                },
                VerilogOp::Shl => self.width(l)?,
                _ => match arithmetic(op) {
                    Some(_) => self.common_width(l, r)?,
                    None if matches!(op, VerilogOp::Mul) => None,
                    None => Some(1),
                },
            },
            VerilogExpression::Index(..) => Some(1),
            VerilogExpression::Slice(_, width, _) => Some(*width),
            VerilogExpression::IndexReplace(word, ..) => self.width(word)?,
        })
    }

    fn common_width(&mut self, l: &VerilogExpression, r: &VerilogExpression) -> Outcome<Option<usize>> {
        match (self.width(l)?, self.width(r)?) {
            (Some(a), Some(b)) if a != b => self.fail(format!("width mismatch: {a} bits meet {b} bits")),
            (a, b) => Ok(a.or(b)),
        }
    }

    /// `e` as an expression of exactly `width` bits.
    pub(super) fn build(&mut self, e: &VerilogExpression, width: usize) -> Outcome<Expression> {
        if let Some(own) = self.width(e)? {
            if own != width {
                return self.fail(format!("width mismatch: {own} bits where {width} are needed"));
            }
        }
        match e {
            VerilogExpression::Signal(name) => match self.resolve(name)? {
                Meaning::Index(index) => self.index_as_value(index, width),
                Meaning::Named(name, value, width) => Ok(Expression::new(width, Kind::Named(name, value))),
                Meaning::Signal(select, width) => {
                    if self.scope.variables[select.variable].role == Role::RegisterNext {
                        let name = name.replace('$', ".");
                        return self
                            .fail(format!("`{name}` is read, and simulators differ in when it changes: use a Local"));
                    }
                    Ok(Expression::new(width, Kind::Select(select)))
                }
                Meaning::Field => self.fail("a Field is a position, not a value"),
            },
            VerilogExpression::Literal(literal) => {
                let (value, _) = literal_value(literal);
                self.number(value, width)
            }
            VerilogExpression::Paren(e) => self.build(e, width),
            VerilogExpression::Cast(e, _) | VerilogExpression::Unsigned(e) => self.resize(e, width),
            VerilogExpression::Unary(VerilogOpUnary::Not, e) => {
                let e = self.build(e, width)?;
                Ok(Expression::new(width, Kind::Not(e)))
            }
            VerilogExpression::Unary(op, e) => {
                let op = match op {
                    VerilogOpUnary::All => Reduce::All,
                    VerilogOpUnary::Any => Reduce::Any,
                    _ => Reduce::Parity,
                };
                let Some(of) = self.width(e)? else { return self.fail("the reduced value has no width of its own") };
                let e = self.build(e, of)?;
                Ok(Expression::new(1, Kind::Reduce(op, e)))
            }
            VerilogExpression::Binary(l, op, r) => self.binary(e, l, op, r, width),
            VerilogExpression::Index(word, position) => {
                let Some(of) = self.width(word)? else { return self.fail("get_bit needs a value of known width") };
                let (position, _) = self.position(position)?;
                let word = self.build(word, of)?;
                Ok(bit_of(word, position))
            }
            VerilogExpression::Slice(word, width, position) => {
                let Some(of) = self.width(word)? else { return self.fail("get_bits needs a value of known width") };
                let (position, _) = self.position(position)?;
                let word = self.build(word, of)?;
                self.slice(word, position, *width)
            }
            VerilogExpression::IndexReplace(word, position, part) => {
                let word = self.build(word, width)?;
                let (lsb, field) = self.position(position)?;
                let part_width = self.part_width(part, field)?;
                let value = self.build(part, part_width)?;
                if part_width == width && lsb == Index::Number(0) {
                    return Ok(value);
                }
                Ok(Expression::new(width, Kind::Replace { word, lsb, value }))
            }
            VerilogExpression::Signed(_) => self.fail("signed values are not supported"),
        }
    }

    fn number(&mut self, value: BigUint, width: usize) -> Outcome<Expression> {
        if value.bits() > width as u64 {
            return self.fail(format!("number {value} does not fit {width} bits"));
        }
        Ok(Expression::constant(width, value))
    }

    fn index_as_value(&mut self, index: Index, width: usize) -> Outcome<Expression> {
        if let Some(number) = index.value(&vec![]) {
            let Ok(number) = u64::try_from(number) else { return self.fail("a negative number is used as a value") };
            return self.number(number.into(), width);
        }
        if let (Index::Loop(_), Some((_, largest))) = (&index, index.range(&self.ranges())) {
            if BigUint::from(largest as u64).bits() > width as u64 {
                return self.fail(format!("loop index up to {largest} does not fit {width} bits"));
            }
        } else if width != 32 {
            self.unroll = true;
        }
        Ok(Expression::new(width, Kind::IndexValue(index)))
    }

    pub(super) fn part_width(&mut self, part: &VerilogExpression, field: Option<usize>) -> Outcome<usize> {
        match (field, self.width(part)?) {
            (Some(width), _) | (None, Some(width)) => Ok(width),
            (None, None) => self.fail("replace_bit needs a value of known width"),
        }
    }

    fn binary(
        &mut self,
        whole: &VerilogExpression,
        l: &VerilogExpression,
        op: &VerilogOp,
        r: &VerilogExpression,
        width: usize,
    ) -> Outcome<Expression> {
        if let Some(index) = self.index_arithmetic(whole) {
            return self.index_as_value(index, width);
        }
        if let Some(op) = arithmetic(op) {
            let (a, b) = (self.build(l, width)?, self.build(r, width)?);
            return Ok(Expression::new(width, Kind::Binary(a, op, b)));
        }
        if let Some(op) = comparison(op) {
            return self.comparison(l, op, r);
        }
        match op {
            VerilogOp::LogicalAnd | VerilogOp::LogicalOr => {
                let (a, b) = (self.build(l, 1)?, self.build(r, 1)?);
                let op = if matches!(op, VerilogOp::LogicalAnd) { Binary::And } else { Binary::Or };
                Ok(Expression::new(1, Kind::Binary(a, op, b)))
            }
            VerilogOp::Shl | VerilogOp::Shr => {
                let right = matches!(op, VerilogOp::Shr);
                if let (true, Some((lsb, width))) = (right, self.field_of(r)) {
                    let Some(of) = self.width(l)? else {
                        return self.fail("a Field is cut from a value of known width");
                    };
                    let word = self.build(l, of)?;
                    return self.slice(word, Index::Number(lsb), width);
                }
                if right && self.width(l)?.is_none() {
                    return self.fail("the value shifted right has no width of its own: cast the result instead");
                }
                let value = self.build(l, width)?;
                let amount = self.amount(r)?;
                let direction = if right { Direction::Right } else { Direction::Left };
                Ok(Expression::new(width, Kind::Shift(value, direction, amount)))
            }
            _ => self.fail("multiplication is for indices only"),
        }
    }

    fn amount(&mut self, e: &VerilogExpression) -> Outcome<Amount> {
        if let Some(index) = self.index_arithmetic(e) {
            return Ok(Amount::Index(index));
        }
        let Some(width) = self.width(e)? else { return self.fail("the shift amount has no width of its own") };
        Ok(Amount::Signal(self.build(e, width)?))
    }

    fn comparison(&mut self, l: &VerilogExpression, op: Compare, r: &VerilogExpression) -> Outcome<Expression> {
        let (a, b) = (self.index_arithmetic(l), self.index_arithmetic(r));
        if let (Some(a), Some(b)) = (&a, &b) {
            let kind = match (a, b) {
                (Index::Number(a), Index::Number(b)) => Kind::Constant(u8::from(op.holds(a, b)).into()),
                _ => Kind::CompareIndex(a.clone(), op, b.clone()),
            };
            return Ok(Expression::new(1, kind));
        }
        let Some(width) = self.common_width(l, r)? else {
            return self.fail("neither side of the comparison has a width of its own");
        };
        let computed = |index: &Option<Index>| matches!(index, Some(Index::Op(..)));
        if width < 32 && (computed(&a) || computed(&b)) {
            let side = |me: &mut Self, e: &VerilogExpression, index: Option<Index>| match index {
                Some(index) => Ok(Expression::new(32, Kind::IndexValue(index))),
                None => me.build(e, width).map(|e| Expression::new(32, Kind::Extend(e))),
            };
            let (a, b) = (side(self, l, a)?, side(self, r, b)?);
            return Ok(Expression::new(1, Kind::Compare(a, op, b)));
        }
        let (a, b) = (self.build(l, width)?, self.build(r, width)?);
        Ok(Expression::new(1, Kind::Compare(a, op, b)))
    }

    /// Arithmetic over loop indices and numbers only.
    fn index_arithmetic(&mut self, e: &VerilogExpression) -> Option<Index> {
        match e {
            VerilogExpression::Paren(e) => self.index_arithmetic(e),
            VerilogExpression::Literal(literal) => match literal_value(literal) {
                (value, None) => i64::try_from(value).ok().map(Index::Number),
                _ => None,
            },
            VerilogExpression::Signal(name) => {
                let errors = self.errors.len();
                let meaning = self.resolve(name);
                self.errors.truncate(errors);
                match meaning {
                    Ok(Meaning::Index(index)) => Some(index),
                    _ => None,
                }
            }
            VerilogExpression::Binary(l, op, r) => {
                let op = match op {
                    VerilogOp::Add => IndexOp::Add,
                    VerilogOp::Sub => IndexOp::Sub,
                    VerilogOp::Mul => IndexOp::Mul,
                    VerilogOp::Shl => IndexOp::Shl,
                    VerilogOp::Shr => IndexOp::Shr,
                    _ => return None,
                };
                let (a, b) = (self.index_arithmetic(l)?, self.index_arithmetic(r)?);
                Some(Index::op(a, op, b))
            }
            _ => None,
        }
    }

    pub(super) fn field_of(&mut self, e: &VerilogExpression) -> Option<(i64, usize)> {
        let VerilogExpression::Signal(name) = e else { return None };
        match self.scope.constants.get(name.as_str()) {
            Some(Constant::Field { lsb, width }) => Some((*lsb, *width)),
            _ => None,
        }
    }

    /// A bit position: an index, a Field (which also has a width), or a signal.
    pub(super) fn position(&mut self, e: &VerilogExpression) -> Outcome<(Index, Option<usize>)> {
        if let Some((lsb, width)) = self.field_of(e) {
            return Ok((Index::Number(lsb), Some(width)));
        }
        if let Some(index) = self.index_arithmetic(e) {
            return Ok((index, None));
        }
        let Some(width) = self.width(e)? else { return self.fail("the bit position has no width of its own") };
        Ok((Index::Signal(Box::new(self.build(e, width)?)), None))
    }

    /// `width` bits of a signal from `lsb` up; above its end, zeros.
    fn slice(&mut self, word: Expression, lsb: Index, width: usize) -> Outcome<Expression> {
        let Kind::Select(select) = &*word.kind else {
            return self.fail("bits are cut from a computed value: assign it to a Local signal first");
        };
        let Some((_, largest)) = lsb.range(&self.ranges()) else {
            return self.fail("bits are cut at a place that a signal chooses: use an array, or get_bit");
        };
        if largest as usize + width <= word.width {
            let lsb = Index::op(select.lsb.clone(), IndexOp::Add, lsb);
            return Ok(Expression::new(width, Kind::Select(Select { lsb, ..select.clone() })));
        }
        let Some(lsb) = lsb.value(&vec![]) else {
            self.unroll = true;
            return Err(Failed);
        };
        let rest = word.width.saturating_sub(lsb as usize);
        if rest == 0 {
            return Ok(Expression::constant(width, 0u8));
        }
        let lsb = Index::op(select.lsb.clone(), IndexOp::Add, Index::Number(lsb));
        let rest = Expression::new(rest, Kind::Select(Select { lsb, ..select.clone() }));
        Ok(Expression::new(width, Kind::Extend(rest)))
    }

    /// `e` cut or zero-extended to `width` bits.
    fn resize(&mut self, e: &VerilogExpression, width: usize) -> Outcome<Expression> {
        match self.width(e)? {
            None => self.build(e, width),
            Some(own) if own == width => self.build(e, width),
            Some(own) if own < width => {
                let e = self.build(e, own)?;
                Ok(Expression::new(width, Kind::Extend(e)))
            }
            Some(own) => self.cut(e, own, width),
        }
    }

    /// The low `width` bits of `e`. Verilog selects bits of signals only, so the cut moves down to the operands,
    /// which no low bit of a sum, a mask or a left shift can tell.
    fn cut(&mut self, e: &VerilogExpression, own: usize, width: usize) -> Outcome<Expression> {
        match e {
            VerilogExpression::Paren(e) => self.cut(e, own, width),
            VerilogExpression::Cast(e, _) => self.resize(e, width),
            VerilogExpression::Unary(VerilogOpUnary::Not, e) => {
                let e = self.resize(e, width)?;
                Ok(Expression::new(width, Kind::Not(e)))
            }
            VerilogExpression::Literal(_) => self.fail("a number is cut"),
            VerilogExpression::Binary(l, op, r) => {
                if let Some(op) = arithmetic(op) {
                    let (a, b) = (self.cut_operand(l, width)?, self.cut_operand(r, width)?);
                    return Ok(Expression::new(width, Kind::Binary(a, op, b)));
                }
                match op {
                    VerilogOp::Shl => {
                        let (value, amount) = (self.resize(l, width)?, self.amount(r)?);
                        Ok(Expression::new(width, Kind::Shift(value, Direction::Left, amount)))
                    }
                    VerilogOp::Shr => {
                        let Amount::Index(lsb) = self.amount(r)? else {
                            return self.fail("the result of a shift by a signal is cut: assign it to a Local first");
                        };
                        let word = self.build(l, own)?;
                        self.slice(word, lsb, width)
                    }
                    _ => self.fail("this value cannot be cut: assign it to a Local signal first"),
                }
            }
            _ => {
                let word = self.build(e, own)?;
                if let Kind::Named(_, value) | Kind::Constant(value) = &*word.kind {
                    let mask = (BigUint::from(1u8) << width) - 1u8;
                    return Ok(Expression::constant(width, value & mask));
                }
                self.slice(word, Index::Number(0), width)
            }
        }
    }

    /// An operand of a sum that is cut; a number in it is cut as well.
    fn cut_operand(&mut self, e: &VerilogExpression, width: usize) -> Outcome<Expression> {
        if let Some(Index::Number(number)) = self.index_arithmetic(e) {
            let mask = (BigUint::from(1u8) << width) - 1u8;
            return Ok(Expression::constant(width, BigUint::from(number.max(0) as u64) & mask));
        }
        self.resize(e, width)
    }
}

/// One bit of a value.
fn bit_of(word: Expression, position: Index) -> Expression {
    if word.width == 1 && position == Index::Number(0) {
        return word;
    }
    if let Kind::Select(select) = &*word.kind {
        let lsb = Index::op(select.lsb.clone(), IndexOp::Add, position);
        return Expression::new(1, Kind::Select(Select { lsb, ..select.clone() }));
    }
    Expression::new(1, Kind::BitOf(word, position))
}

fn arithmetic(op: &VerilogOp) -> Option<Binary> {
    Some(match op {
        VerilogOp::Add => Binary::Add,
        VerilogOp::Sub => Binary::Sub,
        VerilogOp::BitAnd => Binary::And,
        VerilogOp::BitOr => Binary::Or,
        VerilogOp::BitXor => Binary::Xor,
        _ => return None,
    })
}

fn comparison(op: &VerilogOp) -> Option<Compare> {
    Some(match op {
        VerilogOp::Eq => Compare::Eq,
        VerilogOp::Ne => Compare::Ne,
        VerilogOp::Lt => Compare::Lt,
        VerilogOp::Le => Compare::Le,
        VerilogOp::Gt => Compare::Gt,
        VerilogOp::Ge => Compare::Ge,
        _ => return None,
    })
}

/// The number of a literal, and its width where it is a `bool`.
fn literal_value(literal: &VerilogLiteral) -> (BigUint, Option<usize>) {
    let text = format!("{literal:x}");
    let (width, digits) = text.split_once("'h").unwrap_or(("32", "0"));
    let value = BigUint::parse_bytes(digits.as_bytes(), 16).unwrap_or_default();
    (value, (width == "1").then_some(1))
}

//! What a vector is a copy of.

use super::super::ir::*;
use super::super::scope::Scope;
use super::{MOST_PIECES, MOST_ROUNDS};
use num_bigint::BigUint;

/// Bits that come from one place.
#[derive(Clone, Debug, PartialEq)]
pub enum Piece {
    Slice { variable: VariableId, lsb: usize, width: usize },
    Constant(BigUint, usize),
}

#[derive(Clone, Copy, PartialEq)]
enum Bit {
    Of(VariableId, usize),
    Constant(bool),
}

/// Where each bit of a variable comes from, if its process only copies.
pub struct Origin(Vec<Bit>);

/// The origin of `variable`, which `statements` alone drive; `None` where they compute.
pub fn origin(scope: &Scope, variable: VariableId, statements: &[Statement]) -> Option<Origin> {
    let bits = scope.variables[variable].bits();
    if bits > MOST_ROUNDS {
        return None;
    }
    let mut trace = Trace { scope, variable, bits: vec![None; bits], loops: vec![], rounds: 0 };
    trace.run(statements)?;
    trace.bits.into_iter().collect::<Option<Vec<_>>>().map(Origin)
}

impl Origin {
    /// `width` bits from `lsb` up, the lowest piece first.
    pub fn pieces(&self, lsb: usize, width: usize) -> Vec<Piece> {
        let mut out: Vec<Piece> = vec![];
        for bit in &self.0[lsb..lsb + width] {
            match (out.last_mut(), *bit) {
                (Some(Piece::Slice { variable, lsb, width }), Bit::Of(v, at))
                    if *variable == v && *lsb + *width == at =>
                {
                    *width += 1;
                }
                (Some(Piece::Constant(value, width)), Bit::Constant(one)) => {
                    *value |= BigUint::from(u8::from(one)) << *width;
                    *width += 1;
                }
                (_, Bit::Of(variable, lsb)) => out.push(Piece::Slice { variable, lsb, width: 1 }),
                (_, Bit::Constant(one)) => out.push(Piece::Constant(u8::from(one).into(), 1)),
            }
        }
        out
    }

    /// The variable that this is a copy of, all of it.
    pub fn copy_of(&self, scope: &Scope) -> Option<VariableId> {
        match self.pieces(0, self.0.len())[..] {
            [Piece::Slice { variable, lsb: 0, width }] if width == scope.variables[variable].bits() => Some(variable),
            _ => None,
        }
    }

    /// As one expression, if a short one says it.
    pub(super) fn expression(&self) -> Option<Expression> {
        let pieces = self.pieces(0, self.0.len());
        let of = |piece: &Piece| match piece {
            Piece::Slice { variable, lsb, width } => {
                let lsb = Index::Number(*lsb as i64);
                Expression::new(*width, Kind::Select(Select { variable: *variable, indices: vec![], lsb }))
            }
            Piece::Constant(value, width) => Expression::constant(*width, value.clone()),
        };
        match &pieces[..] {
            [one] => Some(of(one)),
            [first, rest @ ..] if rest.iter().all(|piece| piece == first) => {
                Some(Expression::new(self.0.len(), Kind::Repeat(pieces.len(), of(first))))
            }
            _ if pieces.len() <= MOST_PIECES => {
                Some(Expression::new(self.0.len(), Kind::Concat(pieces.iter().rev().map(of).collect())))
            }
            _ => None,
        }
    }
}

struct Trace<'a> {
    scope: &'a Scope,
    variable: VariableId,
    bits: Vec<Option<Bit>>,
    loops: Loops,
    rounds: usize,
}

impl Trace<'_> {
    fn run(&mut self, statements: &[Statement]) -> Option<()> {
        for statement in statements {
            match statement {
                Statement::Note(_) => {}
                Statement::Set { target, value, .. } => {
                    self.rounds += value.width;
                    let lsb = first_bit(self.scope, target, &self.loops)?;
                    let bits = self.bits_of(value)?;
                    if target.variable != self.variable || self.rounds > 4 * MOST_ROUNDS {
                        return None;
                    }
                    for (i, bit) in bits.into_iter().enumerate() {
                        *self.bits.get_mut(lsb + i)? = Some(bit);
                    }
                }
                Statement::If { condition, then, otherwise } => {
                    let holds = condition.decided(&self.loops)?;
                    self.run(if holds { then } else { otherwise })?;
                }
                Statement::For { index, from, to, body } => {
                    for i in *from..to.number {
                        self.loops.push((index.clone(), i));
                        let done = self.run(body);
                        self.loops.pop();
                        done?;
                    }
                }
                Statement::Case { .. } => return None,
                Statement::Element { body, .. } => self.run(body)?,
            }
        }
        Some(())
    }

    fn bits_of(&self, value: &Expression) -> Option<Vec<Bit>> {
        Some(match &*value.kind {
            Kind::Constant(constant) | Kind::Named(_, constant) => {
                (0..value.width).map(|i| Bit::Constant(constant.bit(i as u64))).collect()
            }
            Kind::Select(select) if select.variable != self.variable => {
                let lsb = first_bit(self.scope, select, &self.loops)?;
                (lsb..lsb + value.width).map(|bit| Bit::Of(select.variable, bit)).collect()
            }
            Kind::Extend(a) => {
                let mut bits = self.bits_of(a)?;
                bits.resize(value.width, Bit::Constant(false));
                bits
            }
            Kind::Concat(parts) => {
                let mut bits = vec![];
                for part in parts.iter().rev() {
                    bits.extend(self.bits_of(part)?);
                }
                bits
            }
            Kind::Repeat(count, part) => self.bits_of(part)?.repeat(*count),
            _ => return None,
        })
    }
}

/// The lowest bit that a selection means, within its variable; `None` where a signal decides.
pub(super) fn first_bit(scope: &Scope, select: &Select, loops: &Loops) -> Option<usize> {
    let variable = &scope.variables[select.variable];
    let mut flat = 0;
    for (index, dim) in select.indices.iter().zip(&variable.dims) {
        flat = flat * *dim as i64 + index.value(loops)?;
    }
    usize::try_from(flat * variable.width as i64 + select.lsb.value(loops)?).ok()
}

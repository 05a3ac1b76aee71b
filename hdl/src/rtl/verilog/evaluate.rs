//! Computes statements: for logic that reads nothing (its constant is printed), and as a second opinion in tests.

use super::ir::*;
use super::scope::Scope;
use num_bigint::BigUint;

/// The bits of every variable, element 0 lowest.
pub(crate) struct Store<'a> {
    pub scope: &'a Scope,
    pub values: Vec<BigUint>,
    loops: Loops,
}

fn mask(width: usize) -> BigUint {
    (BigUint::from(1u8) << width) - 1u8
}

impl<'a> Store<'a> {
    pub fn new(scope: &'a Scope) -> Self {
        Store { scope, values: vec![BigUint::default(); scope.variables.len()], loops: vec![] }
    }

    fn index(&self, index: &Index) -> usize {
        match index {
            Index::Signal(e) => usize::try_from(self.value(e)).unwrap_or(usize::MAX),
            Index::Op(a, IndexOp::Add, b) => self.index(a).saturating_add(self.index(b)),
            Index::Op(a, IndexOp::Mul, b) => self.index(a).saturating_mul(self.index(b)),
            other => other.value(&self.loops).and_then(|n| usize::try_from(n).ok()).unwrap_or(usize::MAX),
        }
    }

    fn lsb(&self, select: &Select) -> usize {
        let variable = &self.scope.variables[select.variable];
        let mut flat: usize = 0;
        for (index, dim) in select.indices.iter().zip(&variable.dims) {
            flat = flat.saturating_mul(*dim).saturating_add(self.index(index));
        }
        flat.saturating_mul(variable.width).saturating_add(self.index(&select.lsb))
    }

    pub fn value(&self, e: &Expression) -> BigUint {
        let zero = BigUint::default();
        let bit = |b: bool| BigUint::from(u8::from(b));
        let value = match &*e.kind {
            Kind::Constant(value) | Kind::Named(_, value) => value.clone(),
            Kind::IndexValue(index) => self.index(index).into(),
            Kind::Select(select) => match self.lsb(select) {
                lsb if lsb < self.scope.variables[select.variable].bits() => &self.values[select.variable] >> lsb,
                _ => zero,
            },
            Kind::Not(a) => self.value(a) ^ mask(e.width),
            Kind::Reduce(op, a) => {
                let value = self.value(a);
                bit(match op {
                    Reduce::Any => value != zero,
                    Reduce::All => value == mask(a.width),
                    Reduce::Parity => value.count_ones() % 2 == 1,
                })
            }
            Kind::Binary(a, op, b) => {
                let (a, b) = (self.value(a), self.value(b));
                match op {
                    Binary::Add => a + b,
                    Binary::Sub => a + (BigUint::from(1u8) << e.width) - b,
                    Binary::And => a & b,
                    Binary::Or => a | b,
                    Binary::Xor => a ^ b,
                }
            }
            Kind::Compare(a, op, b) => bit(op.holds(self.value(a), self.value(b))),
            Kind::CompareIndex(a, op, b) => bit(op.holds(a.value(&self.loops), b.value(&self.loops))),
            Kind::Shift(a, direction, amount) => {
                let by = match amount {
                    Amount::Index(index) => self.index(index),
                    Amount::Signal(e) => usize::try_from(self.value(e)).unwrap_or(usize::MAX),
                };
                match direction {
                    _ if by >= a.width => zero,
                    Direction::Left => self.value(a) << by,
                    Direction::Right => self.value(a) >> by,
                }
            }
            Kind::Extend(a) => self.value(a),
            Kind::BitOf(a, index) => bit(self.value(a).bit(self.index(index) as u64)),
            Kind::Replace { word, lsb, value } => {
                let lsb = self.index(lsb);
                let old = self.value(word);
                let hole = mask(value.width) << lsb;
                ((&old | &hole) ^ hole) | (self.value(value) << lsb)
            }
            Kind::Concat(parts) => parts.iter().fold(zero, |all, part| (all << part.width) | self.value(part)),
            Kind::Repeat(count, a) => {
                let part = self.value(a);
                (0..*count).fold(zero, |all, _| (all << a.width) | &part)
            }
        };
        value & mask(e.width)
    }

    pub fn run(&mut self, statements: &[Statement]) {
        for statement in statements {
            match statement {
                Statement::Note(_) => {}
                Statement::Element { body, .. } => self.run(body),
                Statement::Set { target, value, .. } => {
                    let lsb = self.lsb(target);
                    let new = self.value(value);
                    let hole = mask(value.width) << lsb;
                    let old = &mut self.values[target.variable];
                    *old = ((&*old | &hole) ^ hole) | (new << lsb);
                }
                Statement::If { condition, then, otherwise } => {
                    let holds = self.value(condition) != BigUint::default();
                    self.run(if holds { then } else { otherwise });
                }
                Statement::Case { value, arms } => {
                    let value = self.value(value);
                    let chosen = arms.iter().find(|(label, _)| match label {
                        Some(label) => BigUint::from(label.value) == value,
                        None => true,
                    });
                    if let Some((_, body)) = chosen {
                        self.run(body);
                    }
                }
                Statement::For { index, from, to, body } => {
                    for i in *from..to.number {
                        self.loops.push((index.clone(), i));
                        self.run(body);
                        self.loops.pop();
                    }
                }
            }
        }
    }
}

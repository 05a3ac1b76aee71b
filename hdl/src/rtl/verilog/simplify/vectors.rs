//! Loops that copy or combine whole vectors become one assignment.

use super::super::ir::*;
use super::super::scope::Scope;
use super::origin::first_bit;
use super::MOST_ROUNDS;
use num_bigint::BigUint;

/// The loop indices of every round of a loop nest, and what it does in each.
pub(super) fn nest(statement: &Statement) -> Option<(Vec<Loops>, &[Statement])> {
    let mut rounds: Vec<Loops> = vec![vec![]];
    let mut body = std::slice::from_ref(statement);
    while let [Statement::For { index, from, to, body: inner }] = body {
        if rounds.len() * (to.number - from) as usize > MOST_ROUNDS {
            return None;
        }
        let with = |loops: &Loops, i: i64| loops.iter().cloned().chain([(index.clone(), i)]).collect::<Loops>();
        rounds =
            rounds.iter().flat_map(|loops| (*from..to.number).map(|i| with(loops, i)).collect::<Vec<_>>()).collect();
        body = inner;
    }
    Some((rounds, body))
}

/// A loop nest that sets neighbouring bits by the same bitwise operation, as one assignment.
pub(super) fn vector(scope: &Scope, statement: &Statement) -> Option<Statement> {
    let (rounds, [Statement::Set { target, value, .. }]) = nest(statement)? else { return None };
    let mut places = vec![];
    for loops in rounds {
        places.push((first_bit(scope, target, &loops)?, loops));
    }
    places.sort_by_key(|place| place.0);
    let width = value.width;
    if places.windows(2).any(|pair| pair[0].0 + width != pair[1].0) {
        return None;
    }
    let mut lift = Lift { scope, target: target.variable, places: &places, vectors: 0 };
    let value = lift.expression(value)?;
    if lift.vectors == 0 && !matches!(*value.kind, Kind::Constant(_)) {
        return None;
    }
    let partial = value.width != scope.variables[target.variable].bits();
    let lsb = Index::Number(places[0].0 as i64);
    Some(Statement::Set { target: Select { variable: target.variable, indices: vec![], lsb }, partial, value })
}

struct Lift<'a> {
    scope: &'a Scope,
    target: VariableId,
    /// First bit of the target and loop indices of each round, ascending.
    places: &'a [(usize, Loops)],
    /// Vectors found.
    vectors: usize,
}

impl Lift<'_> {
    fn expression(&mut self, e: &Expression) -> Option<Expression> {
        let width = e.width * self.places.len();
        let kind = match &*e.kind {
            Kind::Constant(value) | Kind::Named(_, value) => {
                let all = (0..self.places.len()).fold(BigUint::default(), |all, i| all | (value << (i * e.width)));
                Kind::Constant(all)
            }
            Kind::Not(a) => Kind::Not(self.expression(a)?),
            Kind::Binary(a, op @ (Binary::And | Binary::Or | Binary::Xor), b) => {
                Kind::Binary(self.expression(a)?, *op, self.expression(b)?)
            }
            Kind::Select(select) => {
                let mut bits = vec![];
                for (_, loops) in self.places {
                    bits.push(first_bit(self.scope, select, loops)?);
                }
                let own = select.variable == self.target;
                if own && bits.iter().zip(self.places).any(|(bit, place)| *bit != place.0) {
                    return None;
                }
                let part = Select { variable: select.variable, indices: vec![], lsb: Index::Number(bits[0] as i64) };
                if bits.windows(2).all(|pair| pair[0] + e.width == pair[1]) {
                    self.vectors += 1;
                    Kind::Select(part)
                } else if bits.iter().all(|bit| *bit == bits[0]) {
                    Kind::Repeat(self.places.len(), Expression::new(e.width, Kind::Select(part)))
                } else {
                    return None;
                }
            }
            _ => return None,
        };
        Some(Expression::new(width, kind))
    }
}

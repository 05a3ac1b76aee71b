//! Fields that fill a word become a concatenation.

use super::super::ir::*;
use super::super::scope::Scope;
use super::{reads, MOST_PIECES};
use num_bigint::BigUint;

/// A word that is filled field by field is a concatenation.
pub(super) fn concatenations(scope: &Scope, statements: Vec<Statement>) -> Vec<Statement> {
    let mut out = vec![];
    let mut at = 0;
    while at < statements.len() {
        match concatenation(scope, &statements[at..]) {
            Some((statement, count)) => {
                out.push(statement);
                at += count;
            }
            None => {
                out.push(statements[at].clone());
                at += 1;
            }
        }
    }
    out
}

/// The concatenation that the first statements are, and their number.
fn concatenation(scope: &Scope, statements: &[Statement]) -> Option<(Statement, usize)> {
    let Statement::Set { target: word, partial: false, value: default } = &statements[0] else { return None };
    let width = default.width;
    let Kind::Constant(default) = &*default.kind else { return None };
    let variable = &scope.variables[word.variable];
    if word.lsb != Index::Number(0) || (width != variable.width && width != variable.bits()) {
        return None;
    }
    let mut fields: Vec<(usize, &Expression)> = vec![];
    for statement in &statements[1..] {
        let Statement::Set { target, partial: true, value } = statement else { break };
        let Index::Number(lsb) = target.lsb else { break };
        let same = target.variable == word.variable && target.indices == word.indices;
        if !same || reads(value, word.variable) || !stands_in_concatenation(value) {
            break;
        }
        fields.push((lsb as usize, value));
    }
    let count = fields.len() + 1;
    fields.sort_by_key(|field| field.0);
    let mut parts = vec![];
    let mut at = 0;
    let gap = |from: usize, to: usize| {
        let mask = (BigUint::from(1u8) << (to - from)) - 1u8;
        Expression::constant(to - from, (default >> from) & mask)
    };
    for (lsb, value) in &fields {
        if *lsb < at {
            return None;
        }
        if *lsb > at {
            parts.push(gap(at, *lsb));
        }
        parts.push((*value).clone());
        at = lsb + value.width;
    }
    if at < width {
        parts.push(gap(at, width));
    }
    if fields.is_empty() || parts.len() > MOST_PIECES {
        return None;
    }
    parts.reverse();
    let value = if parts.len() == 1 { parts.remove(0) } else { Expression::new(width, Kind::Concat(parts)) };
    Some((Statement::Set { target: word.clone(), partial: false, value }, count))
}

/// Whether every part of the text has a width of its own.
fn stands_in_concatenation(e: &Expression) -> bool {
    match &*e.kind {
        Kind::IndexValue(index) => e.width < 32 && matches!(index, Index::Loop(_)),
        Kind::Not(a) | Kind::Reduce(_, a) | Kind::Extend(a) | Kind::Repeat(_, a) => stands_in_concatenation(a),
        Kind::Binary(a, _, b) => stands_in_concatenation(a) && stands_in_concatenation(b),
        _ => true,
    }
}

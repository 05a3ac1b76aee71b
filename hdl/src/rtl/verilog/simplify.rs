//! Makes statements shorter without changing what they mean: loops of one round fold; loops that copy or combine whole
//! vectors become one assignment; fields that fill a word become a concatenation.

mod concatenations;
mod elements;
mod origin;
mod rounds;
mod updates;
mod vectors;

pub use origin::{origin, Piece};
pub use rounds::fold_single_rounds;
pub use updates::{joined, updates};

use super::ir::*;
use super::scope::Scope;
use concatenations::concatenations;
use elements::{elements, works_on};
use origin::first_bit;
use rounds::expression;
use vectors::{nest, vector};

/// A longer concatenation is harder to read than the loop it replaces.
const MOST_PIECES: usize = 4;
/// Rounds of a loop nest, and bits of a vector, up to which a loop is looked through.
const MOST_ROUNDS: usize = 1 << 17;

/// Shortens the statements of a process that drives `drives`.
pub fn process(scope: &Scope, drives: &[VariableId], statements: Vec<Statement>) -> Vec<Statement> {
    if let [variable] = drives {
        if let Some(value) = origin(scope, *variable, &statements).and_then(|origin| origin.expression()) {
            let target = Select { variable: *variable, indices: vec![], lsb: Index::Number(0) };
            let notes = statements.into_iter().filter(|s| matches!(s, Statement::Note(_)));
            return notes.chain([Statement::Set { target, partial: false, value }]).collect();
        }
    }
    let statements = shorten(scope, statements);
    let statements = match drives {
        [_] => without_overridden(scope, statements),
        _ => statements,
    };
    elements(scope, statements)
}

fn shorten(scope: &Scope, statements: Vec<Statement>) -> Vec<Statement> {
    let mut out = vec![];
    for statement in statements {
        out.push(match statement {
            Statement::For { .. } => match hoist(statement) {
                Statement::For { index, from, to, body } => {
                    let kept = Statement::For { index, from, to, body: shorten(scope, body) };
                    vector(scope, &kept).unwrap_or(kept)
                }
                Statement::If { condition, then, otherwise } => {
                    Statement::If { condition, then: shorten(scope, then), otherwise }
                }
                other => other,
            },
            Statement::If { condition, then, otherwise } => {
                let (then, otherwise) = (shorten(scope, then), shorten(scope, otherwise));
                Statement::If { condition, then, otherwise }
            }
            Statement::Case { value, arms } => {
                let arms = arms.into_iter().map(|(label, body)| (label, shorten(scope, body))).collect();
                Statement::Case { value, arms }
            }
            other => other,
        });
    }
    concatenations(scope, out)
}

/// `for i { if (c) .. }` is `if (c) { for i .. }` where neither the index nor the body changes `c`.
fn hoist(statement: Statement) -> Statement {
    let Statement::For { index, from, to, body } = statement else { return statement };
    if let [Statement::If { condition, then, otherwise }] = &body[..] {
        let mut fixed = otherwise.is_empty() && !uses_loop(condition, &index);
        for inner in then {
            inner.for_each_write(&mut |variable| fixed &= !reads(condition, variable));
        }
        if fixed {
            let inner = hoist(Statement::For { index, from, to, body: then.clone() });
            return Statement::If { condition: condition.clone(), then: vec![inner], otherwise: vec![] };
        }
    }
    Statement::For { index, from, to, body }
}

fn reads(e: &Expression, variable: VariableId) -> bool {
    let mut found = false;
    e.for_each_select(&mut |select, _| found |= select.variable == variable);
    found
}

fn uses_loop(e: &Expression, name: &str) -> bool {
    expression(e, name, 0) != *e || expression(e, name, 1) != *e
}

/// Drops what comes before an assignment to all of the only variable.
fn without_overridden(scope: &Scope, statements: Vec<Statement>) -> Vec<Statement> {
    let last = statements.iter().rposition(|s| overrides(scope, s));
    let keep = |(i, s): (usize, Statement)| (Some(i) >= last || matches!(s, Statement::Note(_))).then_some(s);
    statements.into_iter().enumerate().filter_map(keep).collect()
}

/// Whether the statement gives all of a variable a value that does not depend on its old one.
fn overrides(scope: &Scope, statement: &Statement) -> bool {
    let Some((rounds, body)) = nest(statement) else { return false };
    let Some(Statement::Set { target, value, .. }) = body.first() else { return false };
    let width = value.width;
    if reads(value, target.variable) || !body[1..].iter().all(|s| works_on(s, target)) {
        return false;
    }
    let places = rounds.iter().map(|loops| first_bit(scope, target, loops)).collect::<Option<Vec<_>>>();
    let Some(mut places) = places else { return false };
    places.sort_unstable();
    let whole = places.len() * width == scope.variables[target.variable].bits();
    let element = body.len() == 1 || width == scope.variables[target.variable].width;
    whole && element && places.iter().enumerate().all(|(i, place)| *place == i * width)
}

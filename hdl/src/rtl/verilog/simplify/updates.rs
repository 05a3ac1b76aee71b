//! The statements of the clocked block, where a register that is not assigned keeps its value.

use super::super::ir::*;
use super::super::scope::Scope;
use super::origin::origin;
use super::{overrides, shorten};

/// Shortens the statements of the clocked block. A register that they do not assign keeps its value.
pub fn updates(scope: &Scope, statements: Vec<Statement>) -> Vec<Statement> {
    let mut holds = Holds { scope, loops: vec![], assigned: vec![false; scope.variables.len()] };
    let mut statements = holds.without(statements);
    for register in &scope.registers {
        copied_at_once(scope, register.next, &mut statements);
    }
    let mut statements = shorten(scope, statements);
    for register in &scope.registers {
        without_earlier(scope, register.next, &mut statements);
    }
    joined(statements)
}

/// Drops what lets a register keep its value before anything else is assigned to it.
struct Holds<'a> {
    scope: &'a Scope,
    /// Indices of the loops around a statement.
    loops: Vec<String>,
    /// Variables assigned so far.
    assigned: Vec<bool>,
}

impl Holds<'_> {
    fn without(&mut self, statements: Vec<Statement>) -> Vec<Statement> {
        let mut out = vec![];
        for statement in statements {
            match statement {
                Statement::For { index, from, to, body } => {
                    self.loops.push(index.clone());
                    let body = self.without(body);
                    self.loops.pop();
                    if !body.is_empty() {
                        out.push(Statement::For { index, from, to, body });
                    }
                }
                statement if self.holds(&statement) => {}
                statement => {
                    statement.for_each_write(&mut |variable| self.assigned[variable] = true);
                    out.push(statement);
                }
            }
        }
        out
    }

    /// Whether the statement gives a register the value that it has, and each round of the loops another element.
    fn holds(&self, statement: &Statement) -> bool {
        let Statement::Set { target, value, .. } = statement else { return false };
        let Kind::Select(now) = &*value.kind else { return false };
        let register = self.scope.registers.iter().find(|register| register.next == target.variable);
        let same = now.indices == target.indices && now.lsb == target.lsb;
        let each = self.loops.iter().all(|index| target.indices.contains(&Index::Loop(index.clone())));
        register.is_some_and(|r| r.now == now.variable && same && each && !self.assigned[r.next])
    }
}

/// A register all of whose bits are copied is set by one assignment, in place of the last.
fn copied_at_once(scope: &Scope, register: VariableId, statements: &mut Vec<Statement>) {
    let own = projected(statements, &|v| v == register);
    let Some(value) = origin(scope, register, &own).and_then(|origin| origin.expression()) else { return };
    let target = Select { variable: register, indices: vec![], lsb: Index::Number(0) };
    let writes = |s: &Statement| s.project(&|v| v == register).is_some();
    let last = statements.iter().rposition(writes).expect("something assigns all of it");
    let others = |statements: &[Statement]| projected(statements, &|v| v != register);
    let mut out = others(&statements[..=last]);
    out.push(Statement::Set { target, partial: false, value });
    out.extend(others(&statements[last + 1..]));
    *statements = out;
}

/// Drops what is assigned to a register before an assignment to all of it.
fn without_earlier(scope: &Scope, register: VariableId, statements: &mut Vec<Statement>) {
    let whole = |s: &Statement| s.writes_only(register) && overrides(scope, s);
    let Some(last) = statements.iter().rposition(whole) else { return };
    let rest = statements.split_off(last);
    *statements = projected(statements, &|v| v != register);
    statements.extend(rest);
}

/// Neighbouring `if`s with one condition are one; so are loops over one range that assign different registers.
pub fn joined(statements: Vec<Statement>) -> Vec<Statement> {
    let mut out: Vec<Statement> = vec![];
    for statement in statements {
        let apart = out.last().is_some_and(|last| !share_a_target(last, &statement));
        match (out.last_mut(), statement) {
            (
                Some(Statement::If { condition, then, otherwise }),
                Statement::If { condition: same, then: more, otherwise: others },
            ) if *condition == same => {
                then.extend(more);
                otherwise.extend(others);
            }
            (
                Some(Statement::For { index, from, to, body }),
                Statement::For { index: same, from: first, to: end, body: more },
            ) if apart && (&*index, *from, &*to) == (&same, first, &end) => body.extend(more),
            (_, statement) => out.push(statement),
        }
    }
    let inside = |statement| match statement {
        Statement::If { condition, then, otherwise } => {
            Statement::If { condition, then: joined(then), otherwise: joined(otherwise) }
        }
        Statement::For { index, from, to, body } => Statement::For { index, from, to, body: joined(body) },
        other => other,
    };
    out.into_iter().map(inside).collect()
}

fn share_a_target(a: &Statement, b: &Statement) -> bool {
    let (mut targets, mut shared) = (vec![], false);
    a.for_each_write(&mut |variable| targets.push(variable));
    b.for_each_write(&mut |variable| shared |= targets.contains(&variable));
    shared
}

//! Properties of a block: taken out of its logic, and written as assertions that only simulation sees.
//!
//! A property is an `if` around a marked comment (`part::property`). It holds at the clock edge, so it reads final
//! values; it may read only what the logic reads as well, so that nothing is there for its sake where it is not
//! compiled.

use super::drive::Driven;
use super::error::ElaborationError;
use super::ir::*;
use super::reset::ResetStyle;
use super::scope::{Role, Scope};
use super::text::Printer;
use crate::rtl::part::MARK;
use std::collections::BTreeSet;
use std::fmt::Write;

/// Where the constants go that only assertions use.
pub const CONSTANTS: char = '\u{3}';

/// The macro under which assertions are compiled.
pub const MACRO: &str = "RAILYARD_ASSERT";

/// The statements without properties, and the properties with the conditions and loops around them.
pub fn split(statements: Vec<Statement>) -> (Vec<Statement>, Vec<Statement>) {
    let (mut logic, mut properties) = (vec![], vec![]);
    for statement in statements {
        if !states(&statement) {
            logic.push(statement);
            continue;
        }
        properties.push(only(&statement, true).expect("it states a property"));
        logic.extend(only(&statement, false));
    }
    (logic, properties)
}

fn is_mark(statement: &Statement) -> bool {
    matches!(statement, Statement::Note(text) if text.starts_with(MARK))
}

/// Whether a property is somewhere in it.
fn states(statement: &Statement) -> bool {
    is_mark(statement) || bodies(statement).into_iter().flatten().any(states)
}

/// The part of a statement that is properties, or the part that is logic; `None` where there is none.
fn only(statement: &Statement, properties: bool) -> Option<Statement> {
    let all = |body: &[Statement]| body.iter().filter_map(|s| only(s, properties)).collect::<Vec<_>>();
    let is_empty = |body: &[Statement]| !body.iter().any(|s| is_mark(s) || !matches!(s, Statement::Note(_)));
    match statement {
        Statement::Note(_) => (is_mark(statement) == properties).then(|| statement.clone()),
        Statement::Set { .. } | Statement::Element { .. } => (!properties).then(|| statement.clone()),
        Statement::If { condition, then, otherwise } => {
            let (then, otherwise) = (all(then), all(otherwise));
            let empty = is_empty(&then) && is_empty(&otherwise);
            (!empty).then(|| Statement::If { condition: condition.clone(), then, otherwise })
        }
        Statement::Case { value, arms } => {
            let arms: Vec<_> = arms.iter().map(|(label, body)| (label.clone(), all(body))).collect();
            let empty = arms.iter().all(|arm| is_empty(&arm.1));
            (!empty).then(|| Statement::Case { value: value.clone(), arms })
        }
        Statement::For { index, from, to, body } => {
            let body = all(body);
            (!is_empty(&body)).then(|| Statement::For { index: index.clone(), from: *from, to: to.clone(), body })
        }
    }
}

fn note(e: &Expression, variables: &mut BTreeSet<VariableId>) {
    e.for_each_select(&mut |select, _| {
        variables.insert(select.variable);
    });
}

/// The variables that properties read.
fn read(properties: &[Statement], variables: &mut BTreeSet<VariableId>) {
    for statement in properties {
        if let Statement::If { condition: e, .. } | Statement::Case { value: e, .. } = statement {
            note(e, variables);
        }
        bodies(statement).into_iter().for_each(|body| read(body, variables));
    }
}

/// The signals that a property reads and the kernel assigns after it.
pub fn assigned_later(scope: &Scope, statements: &[Statement]) -> Vec<String> {
    let mut later = BTreeSet::new();
    find_later(statements, &mut BTreeSet::new(), &mut later);
    later.into_iter().map(|variable| scope.variables[variable].name.clone()).collect()
}

/// `early` is what the properties so far read.
fn find_later(statements: &[Statement], early: &mut BTreeSet<VariableId>, later: &mut BTreeSet<VariableId>) {
    for statement in statements {
        match statement {
            Statement::Set { target, .. } if early.contains(&target.variable) => {
                later.insert(target.variable);
            }
            Statement::If { condition: e, .. } | Statement::Case { value: e, .. } if states(statement) => {
                note(e, early)
            }
            _ => {}
        }
        let before = early.clone();
        for body in bodies(statement) {
            let mut early_here = before.clone();
            find_later(body, &mut early_here, later);
            early.extend(early_here);
        }
    }
}

/// The statements inside of a statement: branches, or what a loop repeats.
fn bodies(statement: &Statement) -> Vec<&[Statement]> {
    match statement {
        Statement::If { then, otherwise, .. } => vec![then, otherwise],
        Statement::Case { arms, .. } => arms.iter().map(|arm| &arm.1[..]).collect(),
        Statement::For { body, .. } | Statement::Element { body, .. } => vec![body],
        Statement::Set { .. } | Statement::Note(_) => vec![],
    }
}

/// Properties need a clock and reset, and read only what the logic reads.
pub fn check(
    scope: &Scope,
    block: &str,
    properties: &[Statement],
    driven: &Driven,
    errors: &mut Vec<ElaborationError>,
) {
    let mut error = |signal: &str, message: &str| {
        errors.push(ElaborationError { block: block.into(), signal: signal.into(), message: message.into() });
    };
    if properties.is_empty() {
        return;
    }
    for port in ["clock", "reset"] {
        if !scope.variables.iter().any(|v| v.name == port && v.role == Role::Input) {
            error(port, "a block with `assert!` has the ports `clock` and `reset`: it is checked at the clock edge");
        }
    }
    let mut variables = BTreeSet::new();
    read(properties, &mut variables);
    for id in variables {
        let variable = &scope.variables[id];
        match variable.role {
            Role::ChildInput => error(&variable.name, "`assert!` reads what drives the sub-block's input instead"),
            Role::Output => {}
            _ if driven.read[id] => {}
            _ => error(&variable.name, "`assert!` reads it, and nothing else does: it would be there for that alone"),
        }
    }
}

/// The assertions of a module. `label` is the name of their block.
pub fn text(properties: &[Statement], printer: &Printer, label: &str, reset: ResetStyle) -> String {
    let mut indices = BTreeSet::new();
    super::module::loop_indices(properties, &mut indices);
    let mut text = format!("\n`ifdef {MACRO}\n{CONSTANTS}    always @(posedge clock) begin : {label}\n");
    for index in indices {
        let _ = writeln!(text, "        integer {index};");
    }
    let _ = writeln!(text, "        if ({}) begin", reset.inactive());
    let properties: Vec<Statement> = properties.iter().map(joined).collect();
    let mut body = String::new();
    printer.statements(&properties, 3, &mut body);
    for line in body.lines() {
        let _ = match line.split_once(&format!("// {MARK}")) {
            Some((pad, property)) => writeln!(text, "{pad}$error(\"{property}\");"),
            None => writeln!(text, "{line}"),
        };
    }
    text + "        end\n    end\n`endif\n"
}

/// The statement with simple conditions: one `if` for those around one property, and few negations.
fn joined(statement: &Statement) -> Statement {
    let all = |body: &[Statement]| body.iter().map(joined).collect::<Vec<_>>();
    match statement {
        Statement::If { condition, then, otherwise } => {
            let (condition, then, otherwise) = (positive(condition), all(then), all(otherwise));
            match (&then[..], &otherwise[..]) {
                ([Statement::If { condition: inner, then, otherwise }], []) if otherwise.is_empty() => {
                    let condition = Expression::new(1, Kind::Binary(condition, Binary::And, inner.clone()));
                    Statement::If { condition, then: then.clone(), otherwise: vec![] }
                }
                _ => Statement::If { condition, then, otherwise },
            }
        }
        Statement::Case { value, arms } => {
            let arms = arms.iter().map(|(label, body)| (label.clone(), all(body))).collect();
            Statement::Case { value: value.clone(), arms }
        }
        Statement::For { index, from, to, body } => {
            Statement::For { index: index.clone(), from: *from, to: to.clone(), body: all(body) }
        }
        other => other.clone(),
    }
}

/// The condition with its negation moved inside.
fn positive(condition: &Expression) -> Expression {
    match &*condition.kind {
        Kind::Not(a) if condition.width == 1 => negated(a),
        _ => condition.clone(),
    }
}

fn negated(e: &Expression) -> Expression {
    match &*e.kind {
        Kind::Not(a) => positive(a),
        Kind::Compare(a, op, b) => Expression::new(1, Kind::Compare(a.clone(), opposite(*op), b.clone())),
        Kind::CompareIndex(a, op, b) => Expression::new(1, Kind::CompareIndex(a.clone(), opposite(*op), b.clone())),
        Kind::Binary(a, Binary::Or, b) => Expression::new(1, Kind::Binary(negated(a), Binary::And, negated(b))),
        _ => Expression::new(1, Kind::Not(e.clone())),
    }
}

fn opposite(op: Compare) -> Compare {
    match op {
        Compare::Eq => Compare::Ne,
        Compare::Ne => Compare::Eq,
        Compare::Lt => Compare::Ge,
        Compare::Le => Compare::Gt,
        Compare::Gt => Compare::Le,
        Compare::Ge => Compare::Lt,
    }
}

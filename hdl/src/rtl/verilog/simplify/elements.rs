//! Elements that are computed step by step.

use super::super::ir::*;
use super::super::scope::Scope;
use super::{reads, uses_loop};

/// A loop that computes one element of a vector in several steps does so in a variable of the element's size:
/// simulators then shift the element into the wide vector once and not in every step.
pub(super) fn elements(scope: &Scope, statements: Vec<Statement>) -> Vec<Statement> {
    let inside = |body: Vec<Statement>| elements(scope, body);
    let each = |statement| match statement {
        Statement::For { index, from, to, body } => match stepwise(scope, &body) {
            Some(target) => Statement::For { index, from, to, body: vec![Statement::Element { target, body }] },
            None => Statement::For { index, from, to, body: inside(body) },
        },
        Statement::If { condition, then, otherwise } => {
            Statement::If { condition, then: inside(then), otherwise: inside(otherwise) }
        }
        other => other,
    };
    statements.into_iter().map(each).collect()
}

/// The element, if all of the statements work on one, the first gives it a value, and a later one loops.
fn stepwise(scope: &Scope, body: &[Statement]) -> Option<Select> {
    let [Statement::Set { target, partial: false, value }, rest @ ..] = body else { return None };
    let variable = &scope.variables[target.variable];
    let element =
        variable.elements() > 1 && target.indices.len() == variable.dims.len() && value.width == variable.width;
    if !element || reads(value, target.variable) || !rest.iter().any(|s| matches!(s, Statement::For { .. })) {
        return None;
    }
    rest.iter().all(|s| works_on(s, target)).then(|| target.clone())
}

/// Whether the statement writes only this element, and reads no other of the vector.
pub(super) fn works_on(statement: &Statement, element: &Select) -> bool {
    let all = |body: &[Statement]| body.iter().all(|s| works_on(s, element));
    let own = |e: &Expression| {
        let mut own = true;
        e.for_each_select(&mut |s, _| own &= s.variable != element.variable || s.indices == element.indices);
        own
    };
    match statement {
        Statement::Note(_) => true,
        Statement::Set { target, value, .. } => {
            target.variable == element.variable && target.indices == element.indices && own(value)
        }
        Statement::If { condition, then, otherwise } => own(condition) && all(then) && all(otherwise),
        Statement::For { index, body, .. } => {
            let place = Expression::new(1, Kind::Select(element.clone()));
            !uses_loop(&place, index) && all(body)
        }
        Statement::Case { .. } | Statement::Element { .. } => false,
    }
}

//! Loops of one round fold.

use super::super::ir::*;

/// Replaces the index of each loop of one round by its number.
pub fn fold_single_rounds(statements: Vec<Statement>) -> Vec<Statement> {
    let mut out = vec![];
    for statement in statements {
        match statement {
            Statement::For { index, from, to, body } if from + 1 == to.number => {
                let body = body.iter().flat_map(|s| substitute(s, &index, from)).collect();
                out.extend(fold_single_rounds(body));
            }
            Statement::For { index, from, to, body } => {
                let body = fold_single_rounds(body);
                match rounds_that_do_something(&index, from, &to, &body) {
                    Some((from, to, body)) => {
                        out.extend(fold_single_rounds(vec![Statement::For { index, from, to, body }]));
                    }
                    None => out.push(Statement::For { index, from, to, body }),
                }
            }
            Statement::If { condition, then, otherwise } => {
                let (then, otherwise) = (fold_single_rounds(then), fold_single_rounds(otherwise));
                out.push(Statement::If { condition, then, otherwise });
            }
            Statement::Case { value, arms } => {
                let arms = arms.into_iter().map(|(label, body)| (label, fold_single_rounds(body))).collect();
                out.push(Statement::Case { value, arms });
            }
            other => out.push(other),
        }
    }
    out
}

/// `for i { if (0 < i) .. }` without its condition: the rounds in which it holds, if they follow one another.
fn rounds_that_do_something(
    index: &str,
    from: i64,
    to: &End,
    body: &[Statement],
) -> Option<(i64, End, Vec<Statement>)> {
    let [Statement::If { condition, then, otherwise }] = body else { return None };
    let decided = |i: i64| condition.decided(&vec![(index.to_string(), i)]);
    let rounds = (from..to.number).map(|i| Some((i, decided(i)?))).collect::<Option<Vec<_>>>()?;
    let those: Vec<i64> = rounds.into_iter().filter(|round| round.1).map(|round| round.0).collect();
    let (first, last) = (*those.first()?, *those.last()?);
    let together = last - first + 1 == those.len() as i64;
    let name = to.name.clone().filter(|_| last + 1 == to.number);
    let end = End { number: last + 1, name };
    (otherwise.is_empty() && together).then(|| (first, end, then.clone()))
}

/// The statement with a number for a loop index; branches that this decides are chosen.
fn substitute(statement: &Statement, name: &str, number: i64) -> Vec<Statement> {
    let all = |body: &[Statement]| body.iter().flat_map(|s| substitute(s, name, number)).collect::<Vec<_>>();
    let e = |e: &Expression| expression(e, name, number);
    vec![match statement {
        Statement::Note(_) => statement.clone(),
        Statement::Set { target, partial, value } => {
            Statement::Set { target: select(target, name, number), partial: *partial, value: e(value) }
        }
        Statement::If { condition, then, otherwise } => {
            let condition = e(condition);
            match condition.decided(&vec![]) {
                Some(true) => return all(then),
                Some(false) => return all(otherwise),
                None => Statement::If { condition, then: all(then), otherwise: all(otherwise) },
            }
        }
        Statement::Case { value, arms } => {
            let arms = arms.iter().map(|(label, body)| (label.clone(), all(body))).collect();
            Statement::Case { value: e(value), arms }
        }
        Statement::For { index, .. } if index == name => statement.clone(),
        Statement::For { index, from, to, body } => {
            Statement::For { index: index.clone(), from: *from, to: to.clone(), body: all(body) }
        }
        Statement::Element { target, body } => {
            Statement::Element { target: select(target, name, number), body: all(body) }
        }
    }]
}

fn select(s: &Select, name: &str, number: i64) -> Select {
    let indices = s.indices.iter().map(|i| index(i, name, number)).collect();
    Select { variable: s.variable, indices, lsb: index(&s.lsb, name, number) }
}

fn index(i: &Index, name: &str, number: i64) -> Index {
    match i {
        Index::Loop(own) if own == name => Index::Number(number),
        Index::Op(a, op, b) => Index::op(index(a, name, number), *op, index(b, name, number)),
        Index::Signal(e) => Index::Signal(Box::new(expression(e, name, number))),
        other => other.clone(),
    }
}

pub(super) fn expression(whole: &Expression, name: &str, number: i64) -> Expression {
    let e = |e: &Expression| expression(e, name, number);
    let i = |i: &Index| index(i, name, number);
    let kind = match &*whole.kind {
        Kind::Constant(_) | Kind::Named(..) => return whole.clone(),
        Kind::IndexValue(value) => match i(value) {
            Index::Number(n) if n >= 0 => Kind::Constant((n as u64).into()),
            other => Kind::IndexValue(other),
        },
        Kind::Select(s) => Kind::Select(select(s, name, number)),
        Kind::Not(a) => Kind::Not(e(a)),
        Kind::Reduce(op, a) => Kind::Reduce(*op, e(a)),
        Kind::Binary(a, op, b) => {
            let (a, b) = (e(a), e(b));
            if whole.width == 1 {
                let neutral = Some(*op == Binary::And);
                if matches!(op, Binary::And | Binary::Or) && a.decided(&vec![]) == neutral {
                    return b;
                }
                if matches!(op, Binary::And | Binary::Or) && b.decided(&vec![]) == neutral {
                    return a;
                }
            }
            Kind::Binary(a, *op, b)
        }
        Kind::Compare(a, op, b) => Kind::Compare(e(a), *op, e(b)),
        Kind::CompareIndex(a, op, b) => match (i(a), i(b)) {
            (Index::Number(a), Index::Number(b)) => Kind::Constant(u8::from(op.holds(a, b)).into()),
            (a, b) => Kind::CompareIndex(a, *op, b),
        },
        Kind::Shift(a, direction, amount) => {
            let amount = match amount {
                Amount::Index(by) => Amount::Index(i(by)),
                Amount::Signal(by) => Amount::Signal(e(by)),
            };
            if amount == Amount::Index(Index::Number(0)) {
                return e(a);
            }
            Kind::Shift(e(a), *direction, amount)
        }
        Kind::Extend(a) => Kind::Extend(e(a)),
        Kind::BitOf(a, at) => Kind::BitOf(e(a), i(at)),
        Kind::Replace { word, lsb, value } => Kind::Replace { word: e(word), lsb: i(lsb), value: e(value) },
        Kind::Concat(parts) => Kind::Concat(parts.iter().map(e).collect()),
        Kind::Repeat(count, a) => Kind::Repeat(*count, e(a)),
    };
    Expression::new(whole.width, kind)
}
